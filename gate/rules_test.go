package gate_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"crawler/frontier"
	"crawler/gate"
)

// What a row's Config has beside what every row's has.

type change = func(c *gate.Config)

func scope(m gate.ScopeMode) change { return func(c *gate.Config) { c.Scope.Mode = m } }
func depth(n int) change            { return func(c *gate.Config) { c.MaxDepth = n } }
func budget(n int) change           { return func(c *gate.Config) { c.Frontier.MaxPerHost = n } }

// guarded closes the pattern of the calendar with its tenth page: each but the first costs two.
func guarded(c *gate.Config)  { c.FollowTraps, c.Traps.Budget = false, 9 }
func ignoring(c *gate.Config) { c.IgnoreRobots = true }

// patient has a URL that failed tried once more.
func patient(c *gate.Config)   { c.Frontier.Retries, c.Frontier.Patience = 1, 1000*time.Hour }
func bestFirst(c *gate.Config) { c.Frontier.Order = frontier.OPIC }

func excluding(pattern string) change {
	return func(c *gate.Config) { c.Scope.Exclude = append(c.Scope.Exclude, regexp.MustCompile(pattern)) }
}

func including(pattern string) change {
	return func(c *gate.Config) { c.Scope.Include = append(c.Scope.Include, regexp.MustCompile(pattern)) }
}

func both(list ...change) change {
	return func(c *gate.Config) {
		for _, change := range list {
			change(c)
		}
	}
}

// One rule a row.
var rules = []row{
	// Scope.
	{
		name: "scope host: other hosts and subdomains are out, another scheme is in", seeds: "a/",
		script: `a/ page a/1 https:a/2 b/ www.a/`,
		leased: "a/ a/1 https:a/2",
		skips: `b/ scope via a/
			www.a/ scope via a/`,
	},
	{
		name: "scope domain: subdomains are in", seeds: "www.a/", change: scope(gate.ScopeDomain),
		script: `www.a/ page a/ x.y.a/ b/`,
		leased: "www.a/ a/ x.y.a/",
		skips:  `b/ scope via www.a/`,
	},
	{
		name: "scope prefix: what is below the seed's directory is in", seeds: "a/d/index", change: scope(gate.ScopePrefix),
		script: `a/d/index page a/d/1 a/d/e/2 a/ a/dd/ https:a/d/`,
		leased: "a/d/index a/d/1 a/d/e/2",
		skips: `a/ scope via a/d/index
			a/dd/ scope via a/d/index
			https:a/d/ scope via a/d/index`,
	},
	{
		name: "scope any: every host is in", seeds: "a/", change: scope(gate.ScopeAny),
		script: `a/ page b/ c/`,
		leased: "a/ b/ c/",
	},
	{
		name: "scope: a seed that redirects to its site's other name brings that into scope", seeds: "a/",
		script: `a/ moved www.a/
			www.a/ page www.a/1 a/2 b/`,
		leased: "a/ www.a/ a/2 www.a/1",
		skips:  `b/ scope via www.a/`,
	},
	{
		name: "scope prefix: a seed that redirects brings the same directory of the other name", seeds: "a/d/index", change: scope(gate.ScopePrefix),
		script: `a/d/index moved www.a/d/e/home
			www.a/d/e/home page www.a/d/1 www.a/2`,
		leased: "a/d/index www.a/d/e/home www.a/d/1",
		skips:  `www.a/2 scope via www.a/d/e/home`,
	},
	{
		name: "scope: a seed that redirects to another site brings nothing", seeds: "a/",
		script: `a/ moved b/`,
		leased: "a/",
		skips:  `b/ scope from a/`,
	},
	{
		name: "scope: a page that redirects to its site's other name brings nothing", seeds: "a/",
		script: `a/ page a/1
			a/1 moved www.a/`,
		leased: "a/ a/1",
		skips:  `www.a/ scope via a/ from a/1`,
	},

	{
		name: "scope: several seeds that redirect, and several that are added", seeds: "a/ b/",
		script: `a/ moved www.a/
			b/ moved www.b/
			add c/
			add d/
			www.a/ page www.a/1
			www.b/ page www.b/1
			c/ page c/1
			d/ page d/1`,
		leased: "a/ b/ www.a/ d/ www.b/ c/ www.a/1 d/1 www.b/1 c/1",
	},
	{
		name: "scope: a seed that redirects to another port brings nothing", seeds: "a/",
		script: `a/ moved a:8080/`,
		leased: "a/",
		skips:  `a:8080/ scope from a/`,
	},

	// Excluded.
	{
		name: "excluded: what matches is refused", seeds: "a/", change: excluding("/x"),
		script: `a/ page a/1 a/x`,
		leased: "a/ a/1",
		skips:  `a/x excluded via a/`,
	},
	{
		name: "included: what does not match is refused", seeds: "a/", change: including("/i"),
		script: `a/ page a/i a/x`,
		leased: "a/ a/i",
		skips:  `a/x excluded via a/`,
	},
	{
		name: "included and excluded: exclusion wins", seeds: "a/", change: both(including("/i"), excluding("/ix")),
		script: `a/ page a/i a/ix`,
		leased: "a/ a/i",
		skips:  `a/ix excluded via a/`,
	},
	{
		name: "declined: a link that a hook is against is excluded", seeds: "a/",
		script: `a/ page a/1 declined:a/2`,
		leased: "a/ a/1",
		skips:  `a/2 excluded via a/`,
	},

	// Nofollow.
	{
		name: "nofollow: a link that says so is not followed", seeds: "a/",
		script: `a/ page a/1 nofollow:a/2`,
		leased: "a/ a/1",
		skips:  `a/2 nofollow via a/`,
	},
	{
		name: "nofollow: it is followed by a crawl that ignores robots", seeds: "a/", change: ignoring,
		script: `a/ page nofollow:a/1`,
		leased: "a/ a/1",
	},

	// Depth.
	{
		name: "depth, seeds only: no link is followed", seeds: "a/ b/", change: depth(gate.SeedsOnly),
		script: `a/ page a/1 b/`,
		leased: "a/ b/",
		skips:  `a/1 depth via a/`,
	},
	{
		name: "depth 1: a link's links are too deep, with the first page that has them", seeds: "a/", change: depth(1),
		script: `a/ page a/1 a/2
			a/1 page a/3
			a/2 page a/3 a/1`,
		leased: "a/ a/1 a/2",
		skips:  `a/3 depth via a/1`,
	},
	{
		name: "depth: a redirect goes no deeper", seeds: "a/", change: depth(1),
		script: `a/ page a/1
			a/1 moved a/2
			a/2 moved a/3
			a/3 page a/4`,
		leased: "a/ a/1 a/2 a/3",
		skips:  `a/4 depth via a/3`,
	},
	{
		name: "depth: a shorter way admits what was too deep, and what that leads to", seeds: "a/ b/", change: depth(2),
		script: `a/ page a/1
			a/1 page a/2
			a/2 page a/3 a/4
			b/ page a/2
			a/3 page a/5`,
		leased: "a/ b/ a/1 a/2 a/3 a/4",
		skips:  `a/5 depth via a/3`,
	},
	{
		name: "depth: a shorter way by a redirect, too", seeds: "a/ b/", change: depth(2),
		script: `a/ page a/1
			a/1 page a/2
			a/2 page a/3
			b/ page b/1
			b/1 moved a/2
			a/3 page a/4`,
		leased: "a/ b/ a/1 a/2 b/1 a/3",
		skips:  `a/4 depth via a/3`,
	},

	// The host's budget.
	{
		name: "budget: what is beyond it is refused", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2 a/3`,
		leased: "a/ a/1",
		skips: `a/2 host-budget via a/
			a/3 host-budget via a/`,
	},
	{
		name: "budget: seeds count", seeds: "a/ a/1 a/2 b/", change: budget(2),
		leased: "a/ b/ a/1",
		skips:  `a/2 host-budget`,
	},
	{
		name: "budget: the place of a URL that redirects to another host goes to the first refused", seeds: "a/ b/", change: budget(3),
		script: `a/ page a/1 a/2 a/3 a/4
			a/1 moved b/1`,
		leased: "a/ b/ a/1 b/1 a/2 a/3",
		skips:  `a/4 host-budget via a/`,
	},
	{
		name: "budget: the place of a URL that redirects goes to its target first", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2
			a/1 moved a/9`,
		leased: "a/ a/1 a/9",
		skips:  `a/2 host-budget via a/`,
	},
	{
		name: "budget: the place of a URL that redirects nowhere is given back", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2
			a/1 moved`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "budget: the place of a forbidden URL is given back", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2 a/3
			a/1 forbidden`,
		leased: "a/ a/1 a/2",
		skips: `a/1 robots via a/
			a/3 host-budget via a/`,
	},
	{
		name: "budget: the place of a URL that could not be asked for is given back", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2
			a/1 refused`,
		leased: "a/ a/1 a/2",
		skips:  `a/1 address via a/`,
	},
	{
		name: "budget: a URL that failed keeps its place", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2
			a/1 failed timeout`,
		leased: "a/ a/1",
		skips: `a/1 timeout via a/
			a/2 host-budget via a/`,
	},
	{
		name: "budget: the place of a trap's URL is given back", seeds: "a/", change: both(budget(2), guarded),
		script:   `a/ page a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k a/2 a/3`,
		leased:   "a/ a/2",
		admitted: 3,
		skips: `a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k trap:equal-keys via a/
			a/3 host-budget via a/`,
	},

	// A host that is closed.
	{
		name: "closed: what is queued is drained, and what comes later is refused", seeds: "a/ b/",
		script: `a/ page a/1 a/2 a/3
			a/1 gone
			b/ page a/4 b/1`,
		leased:   "a/ b/ a/1 b/1",
		admitted: 6,
		skips: `a/1 host-closed via a/
			a/2 host-closed via a/
			a/3 host-closed via a/
			a/4 host-closed via b/`,
	},
	{
		name: "closed: what is leased already ends as it ends", seeds: "a/", modes: steadily,
		script: `a/ page a/1 a/2 a/3
			a/2 leased
			a/1 gone
			a/2 page a/4`,
		leased:   "a/ a/1 a/2",
		admitted: 4,
		skips: `a/1 host-closed via a/
			a/3 host-closed via a/
			a/4 host-closed via a/2`,
	},
	{
		name: "closed: one that is returned meanwhile is drained", seeds: "a/", modes: steadily,
		script: `a/ page a/1 a/2
			a/2 leased
			a/1 gone
			a/2 returned`,
		leased: "a/ a/1 a/2",
		skips: `a/1 host-closed via a/
			a/2 host-closed via a/`,
	},

	// Redirects.
	{
		name: "redirect loop: to itself", seeds: "a/",
		script: `a/ moved a/`,
		leased: "a/",
	},
	{
		name: "redirect loop: to itself behind another", seeds: "a/",
		script: `a/ page a/1
			a/1 moved a/2
			a/2 moved a/2`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "redirect loop: to where it began", seeds: "a/",
		script: `a/ page a/1
			a/1 moved a/2
			a/2 moved a/3
			a/3 moved a/1`,
		leased: "a/ a/1 a/2 a/3",
	},
	{
		name: "redirect loop: to where its chain has been", seeds: "a/",
		script: `a/ page a/1
			a/1 moved a/2
			a/2 moved a/3
			a/3 moved a/2`,
		leased: "a/ a/1 a/2 a/3",
	},
	{
		name: "redirect limit: ten are followed", seeds: "a/0",
		script: `a/0 moved a/1
			a/1 moved a/2
			a/2 moved a/3
			a/3 moved a/4
			a/4 moved a/5
			a/5 moved a/6
			a/6 moved a/7
			a/7 moved a/8
			a/8 moved a/9
			a/9 moved a/10
			a/10 moved a/11`,
		leased: "a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10",
		skips:  `a/11 redirect-limit from a/10`,
	},
	{
		name: "redirect limit, then a link to the last hop: followed", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			a/10 moved a/11
			b/ page b/1
			b/1 page a/10
			a/11 page a/12`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 b/1 a/11 a/12",
	},
	{
		name: "redirect limit, then a link to the last hop: the new way is recorded", seeds: "b/ a/0", change: both(scope(gate.ScopeAny), excluding("/x")),
		script: chain + `
			a/10 moved a/x
			b/ page b/1
			b/1 page a/10`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 b/1",
		skips:  `a/x excluded via b/1 from a/10`,
	},
	{
		name: "redirect limit, then a link to the last hop before it has answered: followed", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			b/ page a/10
			a/10 moved a/11`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 a/11",
	},
	{
		name: "redirect limit, then a shorter chain to the last hop: followed", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			a/10 moved a/11
			b/ page b/1
			b/1 moved b/2
			b/2 moved a/10
			a/11 page a/12`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 b/1 b/2 a/11 a/12",
	},
	{
		name: "redirect limit, then a link to the last hop within a depth limit: followed", seeds: "b/ a/0", change: both(scope(gate.ScopeAny), depth(1)),
		script: chain + `
			a/10 moved a/11
			b/ page a/10
			a/11 page a/12
			a/12 page a/13`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 a/11 a/12",
		skips:  `a/13 depth via a/12`,
	},
	{
		name: "redirect limit, then a nofollow link to the last hop: refused", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			a/10 moved a/11
			b/ page nofollow:a/10`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10",
		skips:  `a/11 redirect-limit from a/10`,
	},
	{
		name: "redirect limit, then a link to a hop before the last: refused", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			a/10 moved a/11
			b/ page a/7`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10",
		skips:  `a/11 redirect-limit from a/10`,
	},
	{
		name: "redirect limit: a tenth hop that is a page", seeds: "b/ a/0", change: scope(gate.ScopeAny),
		script: chain + `
			a/10 page a/11
			b/ page a/10`,
		leased: "b/ a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 a/11",
	},
	{
		name: "redirect seen: two URLs redirect to one", seeds: "a/",
		script: `a/ page a/1 a/2
			a/1 moved a/3
			a/2 moved a/3`,
		leased: "a/ a/1 a/2 a/3",
	},
	{
		name: "redirect bad: there is no target", seeds: "a/",
		script: `a/ moved`,
		leased: "a/",
	},
	{
		name: "redirect excluded: the target is", seeds: "a/", change: excluding("/x"),
		script: `a/ page a/1
			a/1 moved a/x`,
		leased: "a/ a/1",
		skips:  `a/x excluded via a/ from a/1`,
	},
	{
		name: "redirect declined: a hook is against the target", seeds: "a/",
		script: `a/ page a/1
			a/1 unwanted a/2`,
		leased: "a/ a/1",
		skips:  `a/2 excluded via a/ from a/1`,
	},

	// Traps.
	{
		name: "trap: refused on sight", seeds: "a/", change: guarded,
		script:   `a/ page a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k a/1`,
		leased:   "a/ a/1",
		admitted: 3,
		skips:    `a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k trap:equal-keys via a/`,
	},
	{
		name: "trap: learned, refused from then on, but for a look at eight", seeds: "a/", change: guarded, same: true, modes: answered,
		script:   calendar + "\na/2026-01-10 same " + days(1, 41),
		leased:   "a/ " + calendarDays + " " + lookedAt,
		admitted: 51,
		honest:   8,
		skips:    refusedDays(),
	},
	{
		name: "trap: few that were refused are all fetched at the end", seeds: "a/", change: guarded, same: true, modes: answered,
		script:   calendar + "\na/2026-01-10 same " + days(1, 33),
		leased:   "a/ " + calendarDays + " " + days(1, 33),
		admitted: 43,
		honest:   32,
	},
	{
		name: "trap: what brings nothing waits behind everything else", seeds: "a/", change: guarded,
		script: `a/ page a/2026-01-01
			a/2026-01-01 same a/2026-01-02
			a/2026-01-02 same a/2026-01-03
			a/2026-01-03 same a/2026-01-04 a/list/1
			a/list/1 same a/list/2
			a/list/2 page`,
		leased: "a/ a/2026-01-01 a/2026-01-02 a/2026-01-03 a/list/1 a/list/2 a/2026-01-04",
		modes:  steadily,
	},
	{
		name: "trap: nothing is one for a crawl that follows traps", seeds: "a/",
		script: `a/ page a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k`,
		leased: "a/ a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k",
	},
	{
		name: "trap: what is trusted after a restart is fetched", seeds: "a/", change: guarded, modes: restarts,
		script: calendar + `
			a/2026-01-10 same a/2026-02-01 a/2026-02-02 a/list/1
			a/list/1 page
			trust a/
			a/2026-02-01 page`,
		leased: "a/ " + calendarDays + " a/list/1 a/2026-02-01 a/2026-02-02",
		honest: 2,
	},

	// robots.txt.
	{
		name: "robots: what it forbids is refused", seeds: "a/",
		script: `a/ robots
			a/ page a/1
			a/1 forbidden`,
		leased: "a/ a/1",
		skips:  `a/1 robots via a/`,
	},
	{
		name: "robots: its sitemaps are read, and what they list are entry points", seeds: "a/", change: depth(gate.SeedsOnly),
		script: `a/ robots a/s.xml
			a/ page a/1
			a/s.xml page entry:a/2 sitemap:a/t.xml
			a/t.xml page entry:a/3`,
		leased: "a/ a/s.xml a/2 a/t.xml a/3",
		skips:  `a/1 depth via a/`,
	},
	{
		name: "entries: a sitemap that a page links to lists links", seeds: "a/", change: depth(1),
		script: `a/ page a/s.xml
			a/s.xml page entry:a/1 sitemap:a/t.xml`,
		leased: "a/ a/s.xml",
		skips: `a/1 depth via a/s.xml
			a/t.xml depth via a/s.xml`,
	},
	{
		name: "sitemaps: three indexes may lead to one below that of robots.txt, within any depth limit", seeds: "a/", change: depth(gate.SeedsOnly),
		script: `a/ robots a/0
			a/ page
			a/0 page sitemap:a/1
			a/1 page sitemap:a/2
			a/2 moved a/2x
			a/2x page sitemap:a/3
			a/3 page sitemap:a/4 entry:a/p`,
		leased: "a/ a/0 a/1 a/2 a/2x a/3 a/p",
		skips:  `a/4 sitemap-limit via a/3`,
	},
	{
		name: "sitemaps: and below a seed", seeds: "a/0",
		script: `a/0 page sitemap:a/1
			a/1 page sitemap:a/2
			a/2 page sitemap:a/3
			a/3 page sitemap:a/4 sitemap:a/1`,
		leased: "a/0 a/1 a/2 a/3",
		skips:  `a/4 sitemap-limit via a/3`,
	},
	{
		name: "sitemaps: the pages of one come before the next", seeds: "a/", same: true,
		script: `a/ robots a/0
			a/ page
			a/0 page sitemap:a/1 sitemap:a/2
			a/1 page entry:a/p entry:a/q`,
		leased: "a/ a/0 a/1 a/p a/q a/2",
	},
	{
		name: "sitemaps: as many as there may be, and each refusal once", seeds: "a/", change: func(c *gate.Config) { c.MaxSitemaps = 3 },
		script: `a/ robots a/0
			a/ page
			a/0 page sitemap:a/1 sitemap:a/2 sitemap:a/3 sitemap:a/3 sitemap:a/4 sitemap:a/1
			a/1 page entry:a/p sitemap:a/5`,
		leased: "a/ a/0 a/1 a/p a/2",
		skips: `a/3 sitemap-limit via a/0
			a/4 sitemap-limit via a/0
			a/5 sitemap-limit via a/1`,
	},
	{
		name: "entries: a seed's are entry points", seeds: "a/s.xml", change: depth(gate.SeedsOnly),
		script: `a/s.xml page entry:a/1 a/2`,
		leased: "a/s.xml a/1",
		skips:  `a/2 depth via a/s.xml`,
	},

	// Seen before.
	{
		name: "seen: a URL is admitted once", seeds: "a/ a/",
		script: `a/ page a/1 a/1 a/
			a/1 page a/ a/1`,
		leased: "a/ a/1",
	},

	// Failures.
	{
		name: "failure: the reason is reported when no try is left", seeds: "a/", change: patient,
		script: `a/ page a/1 a/2
			a/1 failed timeout
			a/1 failed connect
			a/2 failed timeout
			a/2 page`,
		leased: "a/ a/1 a/2",
		skips:  `a/1 connect via a/`,
	},
	{
		name: "failure: one that is returned has had no try", seeds: "a/", change: patient,
		script: `a/ returned
			a/ returned
			a/ failed timeout
			a/ page`,
		leased: "a/",
	},
}

func TestRules(t *testing.T) { runRows(t, rules) }

// A filter alone takes new URLs for known ones: they are not fetched, and nobody says so.
func TestSeenByAFilterAloneIsLost(t *testing.T) {
	w := newWorld(&row{
		seeds:  "a/",
		change: func(c *gate.Config) { c.Dedup.ExpectURLs, c.Dedup.BitsPerURL, c.Dedup.FilterOnly = 1, 1, true },
	}, mode{})
	w.event(strings.Fields("a/ page " + many("a/%d", 0, 600) + " " + many("nofollow:a/%d", 600, 900)))
	w.finish()
	fetched, reported := len(w.leased)-1, len(w.skips)
	if fetched < 50 || fetched > 550 || reported > 250 {
		t.Errorf("of 600 URLs %d were fetched, and of 300 %d reported; some are lost of both", fetched, reported)
	}
	if n := w.gate.Counts(); n.Admitted != len(w.leased) || w.gate.Mode() != "filter" {
		t.Errorf("%d of %d URLs counted, mode %q", n.Admitted, len(w.leased), w.gate.Mode())
	}
}

// calendar is ten pages with one text, the last of which closes their pattern.
const calendar = `
	a/ page a/2026-01-01
	a/2026-01-01 same a/2026-01-02
	a/2026-01-02 same a/2026-01-03
	a/2026-01-03 same a/2026-01-04
	a/2026-01-04 same a/2026-01-05
	a/2026-01-05 same a/2026-01-06
	a/2026-01-06 same a/2026-01-07
	a/2026-01-07 same a/2026-01-08
	a/2026-01-08 same a/2026-01-09
	a/2026-01-09 same a/2026-01-10`

const calendarDays = "a/2026-01-01 a/2026-01-02 a/2026-01-03 a/2026-01-04 a/2026-01-05 a/2026-01-06 a/2026-01-07 a/2026-01-08 a/2026-01-09 a/2026-01-10"

// days returns more of the calendar's.
func days(from, to int) string { return many("a/2026-02-%02d", from, to) }

// lookedAt are the days of 40 that are let through before the crawl ends.
const lookedAt = "a/2026-02-01 a/2026-02-07 a/2026-02-09 a/2026-02-16 a/2026-02-21 a/2026-02-25 a/2026-02-32 a/2026-02-34"

// refusedDays are the lines of the others, which are refused.
func refusedDays() (lines string) {
	for _, day := range strings.Fields(days(1, 41)) {
		if !strings.Contains(lookedAt, day) {
			lines += day + " trap:calendar via a/2026-01-10\n"
		}
	}
	return lines
}

// many returns URLs with numbers.
func many(format string, from, to int) string {
	var list []string
	for ; from < to; from++ {
		list = append(list, fmt.Sprintf(format, from))
	}
	return strings.Join(list, " ")
}
