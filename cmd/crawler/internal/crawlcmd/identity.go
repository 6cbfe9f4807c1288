package crawlcmd

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/weburl"
)

// placeholder finds a host that RFC 2606 keeps for examples and tests: nobody can be reached there.
var placeholder = regexp.MustCompile(`(?i)(?:^|[^\w-])example\.(?:com|net|org)\.?(?:[^\w.-]|$)|[\w-]\.(?:example|invalid|test)\.?(?:[^\w.-]|$)`)

// anonymous says what keeps a site's owner from knowing who crawls, or from keeping the crawler out
// by robots.txt. noContact means that neither a contact nor a user agent was set.
func anonymous(cfg crawl.Config, noContact bool) []string {
	var all []string
	agent := cmp.Or(cfg.Fetch.UserAgent, fetch.DefaultUserAgent)
	switch {
	case noContact:
		all = append(all, "no contact in the user agent: set --contact so that a site's owner can reach you")
	case placeholder.MatchString(agent):
		all = append(all, fmt.Sprintf("the contact in the user agent %q is an example's: set --contact to an address of yours", agent))
	}
	if token := cmp.Or(cfg.Robots.Token, fetch.ProductToken(agent)); fetch.IsNobody(token) && !cfg.Gate.IgnoreRobots {
		all = append(all, fmt.Sprintf("the user agent %q has no name of its own, so only robots.txt groups for * are obeyed: set --robots-token, or write it like ExampleBot/1.0", agent))
	}
	return all
}

// local reports whether all seeds are on this machine.
func local(seeds []string) bool {
	for _, s := range seeds {
		u, _, err := crawl.ParseSeed(weburl.Options{}, s)
		if err != nil {
			return false
		}
		addr, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return true
}
