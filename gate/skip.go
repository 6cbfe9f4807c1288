package gate

import (
	"strings"

	"crawler/trap"
)

// Skip is a URL that will not be fetched, and why. Of a redirect's target it is the target's:
// the URL that redirects was fetched. Detail is for people alone: what a
// program wants to know has a field of its own.
type Skip struct {
	URL    string    `json:"url"`
	Reason Reason    `json:"reason"`
	Via    string    `json:"via,omitempty"`    // page with the link here or to the redirects
	From   string    `json:"from,omitempty"`   // URL that redirects here
	Robots Robots    `json:"robots,omitempty"` // of Disallowed and RobotsUnreachable: why
	Trap   trap.Kind `json:"trap,omitempty"`   // of Trapped
	Detail string    `json:"detail,omitempty"` // what exactly happened, in words

	// GivenUp says that the reason may pass, and the URL be had later; see Requeue.
	GivenUp bool `json:"-"`
}

// Robots says why robots.txt keeps a URL from being fetched.
type Robots string

// The reasons of robots.txt.
const (
	Forbids     Robots = "forbids"     // one of its rules does
	Unreachable Robots = "unreachable" // it could not be read: all is forbidden (RFC 9309, 2.3.1.4)
	Challenged  Robots = "challenge"   // the same, since a challenge page stands before it
)

// Reason says why a URL was not fetched. The set is closed: the constants here and
// Trapped, which are decisions of the crawl; every other one is a failure of fetching and
// has the name that package fetch gives it.
type Reason string

// The crawl's own decisions.
const (
	OutOfScope    Reason = "scope"          // not in --scope
	NotSampled    Reason = "not-sampled"    // its host is not in the sample of --sample-hosts
	Excluded      Reason = "excluded"       // by --include or --exclude
	TooDeep       Reason = "depth"          // more links from a seed than --depth
	HostBudget    Reason = "host-budget"    // its host has had --max-pages-per-host
	Nofollow      Reason = "nofollow"       // the link, page or header says nofollow
	Disallowed    Reason = "robots"         // robots.txt forbids it
	HostClosed    Reason = "host-closed"    // the host was in trouble for too long
	SitemapLimit  Reason = "sitemap-limit"  // more than MaxSitemapNesting, or --max-pages allows
	RedirectLimit Reason = "redirect-limit" // more than MaxRedirects lead here
	LinksOnly     Reason = "links-only"     // fetched, but for its links alone: Scope.Follow
	NoHTTPS       Reason = "no-https"       // a seed without a scheme: http is asked in its place
)

// RobotsUnreachable is the failure of a URL whose robots.txt could not be read.
const RobotsUnreachable Reason = "robots-unreachable"

// Decision reports whether r is one of the crawl's own; every other Reason is a
// failure of fetching.
func (r Reason) Decision() bool {
	switch r {
	case OutOfScope, NotSampled, Excluded, TooDeep, HostBudget, Nofollow, Disallowed, HostClosed, SitemapLimit, RedirectLimit, LinksOnly, NoHTTPS:
		return true
	}
	return strings.HasPrefix(string(r), trapPrefix)
}

const trapPrefix = "trap:"

// Trapped is the Reason of a URL that was taken for a trap's.
func Trapped(k trap.Kind) Reason { return Reason(trapPrefix + string(k)) }
