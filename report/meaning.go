package report

import (
	"crawler/fetch"
	"crawler/gate"
	"crawler/trap"
)

// meaning says in words what a reason stands for.
func meaning(reason string) string {
	if m, ok := decisions[gate.Reason(reason)]; ok {
		return m
	}
	return failures[fetch.Reason(reason)]
}

var decisions = map[gate.Reason]string{
	gate.OutOfScope:    "outside --scope",
	gate.NotSampled:    "its host is not in the sample of --sample-hosts",
	gate.Excluded:      "left out by --include or --exclude",
	gate.TooDeep:       "more links from a seed than --depth",
	gate.HostBudget:    "its host has reached --max-pages-per-host",
	gate.Nofollow:      "the link or its page says nofollow",
	gate.Disallowed:    "robots.txt forbids it",
	gate.HostClosed:    "its host was in trouble for longer than --patience",
	gate.SitemapLimit:  "more than 3 sitemap indexes lead to it, or as many sitemaps as allowed were read",
	gate.RedirectLimit: "more than 10 redirects lead to it",
	gate.LinksOnly:     "read for its links alone: --follow matches it, --include does not",
	gate.NoHTTPS:       "a seed without a scheme whose https does not answer: http was asked",

	gate.Trapped(trap.Deep):       "trap: its path has more than 64 segments",
	gate.Trapped(trap.EqualKeys):  "trap: its query repeats one parameter",
	gate.Trapped(trap.Copies):     "trap: one page under any URL",
	gate.Trapped(trap.Session):    "trap: the same pages under new session ids",
	gate.Trapped(trap.Subdomains): "trap: the same pages on any subdomain",
	gate.Trapped(trap.Calendar):   "trap: dates without end",
	gate.Trapped(trap.Facets):     "trap: the same things sorted and filtered in every way",
	gate.Trapped(trap.Pattern):    "trap: URLs of one shape whose pages say nothing new",
	gate.Trapped(trap.Growing):    "trap: URLs that grow with every link",
	gate.Trapped(trap.Maze):       "trap: every page leads to new ones and none back",
}

var failures = map[fetch.Reason]string{
	fetch.ReasonRequest:   "the URL cannot be asked for",
	fetch.ReasonAddress:   "its address may not be connected to without --allow-net or --allow-private",
	fetch.ReasonPort:      "its port may not be connected to without --ports",
	fetch.ReasonNoHost:    "there is no such host",
	fetch.ReasonDNS:       "the name could not be looked up",
	fetch.ReasonConnect:   "no connection: refused, unreachable or timed out",
	fetch.ReasonProxy:     "the proxy could not be reached or refused",
	fetch.ReasonTLS:       "bad certificate",
	fetch.ReasonHandshake: "the TLS handshake failed",
	fetch.ReasonTimeout:   "the page did not arrive within --timeout",
	fetch.ReasonSlow:      "the body arrived more slowly than --min-rate",
	fetch.ReasonReset:     "the server closed the connection without an answer",
	fetch.ReasonProtocol:  "the answer is not HTTP",
	fetch.ReasonHeader:    "the answer's header is too large",
	fetch.ReasonBody:      "the body broke off",
	fetch.ReasonDecode:    "the content encoding is broken or unknown",
	fetch.ReasonBomb:      "the body grew without bound when decoded",
	fetch.ReasonLocal:     "this machine ran out of descriptors, ports or memory",
	fetch.ReasonCanceled:  "cut off by the end of the crawl",

	fetch.Reason(gate.RobotsUnreachable): "its robots.txt could not be read, which forbids everything",
}
