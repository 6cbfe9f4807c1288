package crawl

import (
	"time"

	"crawler/frontier"
	"crawler/gate"
	"crawler/ledger"
)

// Result is what the engine itself counts of a crawl; the content of pages is the
// Recorder's business. For a resumed crawl it covers all runs together.
type Result struct {
	Seeds             []string  // in canonical form
	Started, Finished time.Time // of the first run, of the last
	EndedBy           EndedBy

	Admitted  int                 // URLs that were new and passed the gate
	Fetched   int                 // pages: answers that stand, whatever their status
	Sitemaps  int                 // of them, sitemaps that were read: MaxPages leaves them out
	Bytes     int64               // of their bodies, decoded
	WireBytes int64               // the same as sent, compressed or not
	Redirects int                 // answers that only pointed elsewhere
	Requests  int                 // sent: for pages, redirects, robots.txt and attempts that failed
	Robots    int                 // of them for robots.txt and where it redirects to
	Retried   int                 // answers and failures that were followed by another attempt
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

// Pages is how many of Fetched count towards Config.MaxPages.
func (r Result) Pages() int { return r.Fetched - r.Sitemaps }

// Left is the number of admitted URLs that the crawl did not get to.
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
	ByOutage      EndedBy = "outage"      // no host has answered for Config.Gate.Frontier.Patience
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
	MaxPages              int // that Fetched may reach; 0 when there is no limit
	TimeLimit             time.Duration
	Busiest               []frontier.HostLoad // hosts with most URLs queued
	Stopping              bool
	Waiting               frontier.Waiting // for hosts and pages in trouble
}

// Audit is what it cost to keep the filter exact.
type Audit struct {
	// Mode says what answers pending checks: "exact", the log on disk; "memory", one in
	// memory; "filter", nothing.
	Mode  string
	Maybe int64 // admissions that had to wait for the log on disk
	ledger.Restarts
}
