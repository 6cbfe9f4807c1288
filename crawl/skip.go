package crawl

import (
	"strings"

	"crawler/fetch"
	"crawler/trap"
)

// Skip is a URL that will not be fetched, and why.
type Skip struct {
	URL    string `json:"url"`
	Reason Reason `json:"reason"`
	Via    string `json:"via,omitempty"`    // page with the link, or the URL that redirected
	Detail string `json:"detail,omitempty"` // what exactly happened
}

// Reason says why a URL was not fetched. The set is closed: the constants here and
// Trapped, which are decisions of the crawl, and fetch's reasons, which are failures.
type Reason string

// The crawl's own decisions.
const (
	OutOfScope    Reason = "scope"          // not in --scope
	Excluded      Reason = "excluded"       // by --include or --exclude
	TooDeep       Reason = "depth"          // more links from a seed than --depth
	HostBudget    Reason = "host-budget"    // its host has had --max-pages-per-host
	Nofollow      Reason = "nofollow"       // the link, page or header says nofollow
	Disallowed    Reason = "robots"         // robots.txt forbids it, or could not be read
	HostClosed    Reason = "host-closed"    // the host failed or throttled too often
	RedirectLoop  Reason = "redirect-loop"  // the redirects come back to where they began
	RedirectLimit Reason = "redirect-limit" // more than MaxRedirects
	RedirectSeen  Reason = "redirect-seen"  // it redirects to a URL that was admitted by itself
	RedirectBad   Reason = "redirect-bad"   // its Location is missing or no http(s) URL
)

// Decision reports whether r is one of the crawl's own; every other Reason is a
// failure of fetching.
func (r Reason) Decision() bool {
	switch r {
	case OutOfScope, Excluded, TooDeep, HostBudget, Nofollow, Disallowed, HostClosed,
		RedirectLoop, RedirectLimit, RedirectSeen, RedirectBad:
		return true
	}
	return strings.HasPrefix(string(r), trapPrefix)
}

const trapPrefix = "trap:"

// Trapped is the Reason of a URL that was taken for a trap's.
func Trapped(k trap.Kind) Reason { return Reason(trapPrefix + string(k)) }

func failure(r fetch.Reason) Reason { return Reason(r) }
