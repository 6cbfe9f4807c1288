// Package ledger keeps what must survive of a crawl: it commits the crawl's state again and
// again, moves the log of admitted URLs to disk, and rebuilds the filter from there.
//
// A commit is one atomic step from one state of the whole crawl to a later one. It begins
// with a cut: the recorder is asked for its part, and sends it in the same channel as the
// pages, so that the owner of the Ledger, when it meets the cut, has settled exactly the
// pages before it. Then the owner's parts are added, and the keeper, a goroutine that waits
// for the disk in the owner's place, carries the commit out. A crash therefore takes the
// crawl back to the last commit; what was recorded after it is cut off and done again.
//
//	 memory       the crawl does not survive its process: nothing is ever committed
//
//	gathering ── CutSent ──► cutting ── Seal ──► sealed ── the commit has landed ─┐
//	    ▲  │                    │                   │                             │
//	    │  └────────────────────┴─── Close ─────────┴──► closed                   │
//	    └─────────────────────────────────────────────────────────────────────────┘
//
//	gathering    changes are noted; WantsCut says when it is time for a commit
//	cutting      the recorder was asked for its part
//	sealed       the commit has all its parts, and the keeper has or gets it
//	closed       the store or the recorder has failed: nothing is committed any more
//
// Changes are noted in every state: they belong to the next commit unless Seal took them.
// What is done and not committed is bounded: see Keeps.
//
// The keeper has one job at a time: a commit; else moving a part of the log to disk; else,
// in turns, the checks that wait for the log, and one layer of the filter's next generation.
//
// A Ledger has one owner. Only Run belongs to another goroutine, the keeper.
package ledger
