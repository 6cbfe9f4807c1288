// Package fetch gets pages over HTTP for a crawler: one request at a time and
// per call, with a limit on everything a server can choose, and a typed reason
// for everything that can go wrong. It also reads robots.txt.
//
// # One page
//
// [Client.Get] sends one GET and reads one response. It never follows a
// redirect: each hop is a URL of its own, which the crawler must check against
// its scope, robots.txt and the set of URLs it has seen, so Get returns the
// raw Location. The Response has what a record of the exchange needs: the header
// as sent and as received, when the first byte came, the TLS state, and with
// Config.Trace the remote address; with Config.KeepWire, every byte. Get never
// retries either: a retry costs politeness, and the politeness clock is the caller's.
// Only with Config.HTTP2 or a proxy, where net/http is the client, may a request be
// sent up to three times, when idle connections turn out to be dead.
//
// A crawler asks servers it does not trust, so each size has a limit
// ([Config]): header bytes, body bytes on the wire, body bytes after decoding,
// the ratio of the two, layers of encoding, the total time from the dial to the last
// byte, and how slowly a body may come. A body that reaches its size limit is cut and marked
// Truncated, since the beginning of a large page is still a page; everything
// else ends in an [Error] with a [Reason].
//
// Nor does it trust where they lead: a [Guard] refuses connections to private and
// other special addresses in the moment they are dialled. docs/security.md says what
// is promised and what is not.
//
// Bodies come in pooled buffers: call [Response.Release] when done with one and
// keep no slice of it.
//
// # robots.txt
//
// [Robots] answers, per origin (scheme, host and port), what RFC 9309 lets this
// crawler fetch: it fetches /robots.txt once, keeps the rules for a day, and
// says "nothing" while the file cannot be reached and "everything" when the
// server says there is none. It asks through any [Getter], and shows each
// exchange to a caller that wants to record it. [ParseRobots] is the pure part: groups, longest
// match, wildcards, in time linear in the file and, per rule, in the path.
// docs/robots.md lists how it decides and where temoto/robotstxt, the second
// opinion in the tests, decides otherwise.
//
// # Costs
//
// One Get over HTTP/1.1 costs a little more than half the CPU of net/http's client
// and 15 allocations (BenchmarkTurns and BenchmarkGet hold them side by side). Decoders,
// buffers and the request header are shared or pooled. An idle connection has no
// goroutine and 0.7 KiB, with TLS 14 KiB; with Config.HTTP2 or a proxy it has two
// goroutines and about 6 KiB more. Config.MaxConns bounds how many there are.
//
// # Known holes
//
// Where the system has no reads without waiting that Go shows (on Windows, or for a
// connection of Config.DialContext that is not TCP), whether an idle connection is still
// open costs 0.2 ms to find out. The request is written before anything is read, so
// a server that answers without reading it, when it is larger than the connection's buffers,
// is not heard. Redirects of robots.txt to another host do not wait for what else asks
// that host.
//
// A server that sends its header one byte a second is stopped by Config.Timeout
// only, and so is its body in the first ten seconds. Content-Type is taken at its word when there
// is one, and sniffed only when there is none. A robots.txt in UTF-16 yields no rules.
package fetch
