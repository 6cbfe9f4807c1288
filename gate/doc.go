// Package gate decides what becomes of every URL that a crawl meets.
//
//	a seed, a sitemap's entry, a link, a redirect's target
//	   │
//	   ├─ rules, in this order: scope, nofollow, depth, the host's budget; and last
//	   │  whether the URL was admitted before, so that a refused one is not remembered
//	   ▼
//	admitted ──► queued in the frontier ──Next──► a Task, leased ──► its page, redirect,
//	   │                                    │                        robots.txt or failure
//	   ▼                                    ▼                        comes back here
//	refused ◄──────────────────────── taken for a trap
//	   │
//	   ├─ deferred, if the reason may pass: a host's budget, nofollow, the scope of a seed
//	   │  that may redirect, a pattern of URLs that may prove honest
//	   └─ reported: a Skip, once for each URL
//
// If the filter of admitted URLs answers "perhaps", the URL waits as a pending check until
// the exact log on disk has answered: see Checks.
//
// Under a depth limit frontier.Depths keeps the least depth of every URL exact, however
// pages arrive. The target of a redirect is a new URL at the same depth, which passes the
// same rules and waits for its turn on its own host.
//
// A Gate owns frontier, depths, filter, pending checks, deferred URLs, the guard against
// traps, and the counts of admitted and refused URLs. It is pure: it starts no goroutine,
// reads no clock, and sends no request. It has one owner, which passes it the time and the
// results of its tasks. What must survive is noted in a Journal at once or added to each
// commit: see Commit and Restore.
package gate
