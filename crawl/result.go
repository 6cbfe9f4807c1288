package crawl

import (
	"time"

	"crawler/frontier"
	"crawler/gate"
	"crawler/ledger"
)

// Result is what the engine itself knows about a crawl. What the pages said is the
// Recorder's knowledge. Of a crawl that was resumed it is that of all runs together.
type Result struct {
	Seeds             []string  // in canonical form
	Started, Finished time.Time // of the first run, of the last
	EndedBy           EndedBy

	Admitted  int                 // URLs that were new and passed the gate
	Fetched   int                 // pages: answers that stand, whatever their status
	Bytes     int64               // of their bodies, decoded
	WireBytes int64               // as they came
	Redirects int                 // answers that only pointed elsewhere
	Requests  int                 // all that were sent: for pages, redirects, robots.txt and tries that failed
	Robots    int                 // of them those for robots.txt, where it redirects to included
	Retried   int                 // answers and failures that were followed by another try
	Skipped   map[gate.Reason]int // URLs refused, by the crawl's own decisions
	Errors    map[gate.Reason]int // URLs that could not be fetched

	Traps []gate.Trap // that URLs were refused as, the first 256; the last may stand for all others

	Queued, Leased int // left over when the crawl was stopped
	Hosts          int

	Runs   int              // of a crawl that was resumed: all of them
	Active time.Duration    // the time they took together
	Dedup  gate.FilterStats // the filter's account
	Audit  Audit
}

// Left is the number of admitted URLs the crawl did not come to.
func (r Result) Left() int { return r.Queued + r.Leased }

// EndedBy says why a crawl ended.
type EndedBy string

// The ends of a crawl.
const (
	Done          EndedBy = "done"        // nothing was left
	ByMaxPages    EndedBy = "max-pages"   // Config.MaxPages
	ByMaxBytes    EndedBy = "max-bytes"   // Config.MaxBytes
	ByTimeLimit   EndedBy = "time-limit"  // Config.TimeLimit
	ByInterrupt   EndedBy = "interrupted" // the context was cancelled
	ByStop        EndedBy = "stopped"     // the Recorder or a hook returned ErrStop
	ByRecordError EndedBy = "error"       // the Recorder failed
	ByStoreError  EndedBy = "store-error" // the Store failed
	ByLowDisk     EndedBy = "low-disk"    // Config.MinFree
)

// Limit reports whether a configured limit ended the crawl.
func (e EndedBy) Limit() bool { return e == ByMaxPages || e == ByMaxBytes || e == ByTimeLimit }

// Progress is a look at a running crawl.
type Progress struct {
	Admitted              int // URLs so far
	Elapsed               time.Duration
	Fetched, Failed       int
	Skipped               int
	Bytes                 int64
	Queued, Leased, Hosts int
	MaxPages              int // 0 when there is no limit
	TimeLimit             time.Duration
	Busiest               []frontier.HostLoad // hosts with most URLs queued
	Stopping              bool
}

// Audit is what keeping the filter exact has taken.
type Audit struct {
	Mode  string // how pending checks are settled: "exact", by the log on disk; "memory", by one in memory; "filter", not at all
	Maybe int64  // admissions that had to wait for the log on disk
	ledger.Restarts
}
