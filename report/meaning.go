package report

import (
	"crawler/crawl"
	"crawler/fetch"
)

// meaning says in words what a reason stands for.
func meaning(reason string) string {
	if m, ok := decisions[crawl.Reason(reason)]; ok {
		return m
	}
	return failures[fetch.Reason(reason)]
}

var decisions = map[crawl.Reason]string{
	crawl.OutOfScope:    "outside --scope",
	crawl.Excluded:      "left out by --include or --exclude",
	crawl.TooDeep:       "more links from a seed than --depth",
	crawl.HostBudget:    "its host has had --max-pages-per-host",
	crawl.Nofollow:      "the link or its page says nofollow",
	crawl.Disallowed:    "robots.txt forbids it, or could not be read",
	crawl.HostClosed:    "its host failed or asked for patience too often",
	crawl.RedirectLoop:  "its redirects lead back to it",
	crawl.RedirectLimit: "more than 10 redirects",
	crawl.RedirectSeen:  "redirects to a page that was fetched by itself",
	crawl.RedirectBad:   "redirects to nowhere",
}

var failures = map[fetch.Reason]string{
	fetch.ReasonRequest:  "the URL cannot be asked for",
	fetch.ReasonAddress:  "its address may not be connected to without --allow-net or --allow-private",
	fetch.ReasonPort:     "its port may not be connected to without --ports",
	fetch.ReasonNoHost:   "there is no such host",
	fetch.ReasonDNS:      "the name could not be looked up",
	fetch.ReasonConnect:  "no connection: refused, unreachable or not in time",
	fetch.ReasonProxy:    "the proxy could not be reached or refused",
	fetch.ReasonTLS:      "bad certificate or failed handshake",
	fetch.ReasonTimeout:  "the page did not come within --timeout",
	fetch.ReasonSlow:     "the body came more slowly than --min-rate",
	fetch.ReasonReset:    "the server closed the connection without an answer",
	fetch.ReasonProtocol: "the answer is not HTTP",
	fetch.ReasonHeader:   "the answer's header is too large",
	fetch.ReasonBody:     "the body broke off",
	fetch.ReasonDecode:   "the content encoding is broken or unknown",
	fetch.ReasonBomb:     "the body grew without bound in decoding",
	fetch.ReasonLocal:    "this machine ran out of descriptors, ports or memory",
	fetch.ReasonCanceled: "cut off by the end of the crawl",
}
