package crawl

import (
	"cmp"
	"slices"
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
	LinksOnly int                 // pages that were read for their links alone: Scope.Follow
	Bytes     int64               // of the bodies of both, decoded
	WireBytes int64               // the same as sent, compressed or not
	Redirects int                 // answers that only pointed elsewhere
	Requests  int                 // sent: for pages, redirects, robots.txt and attempts that failed
	Robots    int                 // of them for robots.txt and where it redirects to
	Retried   int                 // answers and failures that were followed by another attempt
	Skipped   map[gate.Reason]int // URLs refused, by the crawl's own decisions
	Errors    map[gate.Reason]int // URLs that could not be fetched

	NewAt gate.NewAtCounts // where the admitted URLs became new

	SeedsAnswered, SeedsRefused int // of the seeds: pages and redirects; without an answer

	Traps []gate.Trap // that URLs were refused as, the first 256; the last may stand for all others

	Queued, Leased int // left over when the crawl was stopped
	Hosts          int

	Runs   int              // of a crawl that was resumed: all of them
	Active time.Duration    // the time they took together
	Dedup  gate.FilterStats // the filter's account
	Audit  Audit

	Rebuilt *Rebuilt `json:",omitempty"` // nil: the state was never lost
}

// Pages is how many pages count towards Config.MaxPages.
func (r Result) Pages() int { return r.Fetched + r.LinksOnly - r.Sitemaps }

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
	ByShardError  EndedBy = "shard-error" // Config.Shard failed
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
	Seeds, SeedsDone      int                 // given; answered or refused
	Busiest               []frontier.HostLoad // hosts with most URLs queued
	Stopping              bool
	Waiting               frontier.Waiting // for hosts and pages in trouble
}

// mostBusiest is how many hosts And lists.
const mostBusiest = 5

// And adds the progress of another shard of the same crawl. Seeds are those of both.
func (p Progress) And(o Progress) Progress {
	p.Admitted, p.Fetched, p.Failed, p.Skipped = p.Admitted+o.Admitted, p.Fetched+o.Fetched, p.Failed+o.Failed, p.Skipped+o.Skipped
	p.Bytes, p.Queued, p.Leased, p.Hosts = p.Bytes+o.Bytes, p.Queued+o.Queued, p.Leased+o.Leased, p.Hosts+o.Hosts
	p.Seeds, p.SeedsDone = max(p.Seeds, o.Seeds), p.SeedsDone+o.SeedsDone
	p.Elapsed, p.MaxPages, p.TimeLimit = max(p.Elapsed, o.Elapsed), max(p.MaxPages, o.MaxPages), max(p.TimeLimit, o.TimeLimit)
	p.Stopping = p.Stopping || o.Stopping
	p.Busiest = slices.Concat(p.Busiest, o.Busiest)
	slices.SortStableFunc(p.Busiest, func(a, b frontier.HostLoad) int { return cmp.Compare(b.Queued, a.Queued) })
	p.Busiest = p.Busiest[:min(len(p.Busiest), mostBusiest)]
	w, v := &p.Waiting, &o.Waiting
	if w.Next.IsZero() || !v.Next.IsZero() && v.Next.Before(w.Next) {
		w.Next = v.Next
	}
	if v.Last.After(w.Last) {
		w.Last = v.Last
	}
	w.Hosts, w.Pages, w.Longest = w.Hosts+v.Hosts, w.Pages+v.Pages, slices.Concat(w.Longest, v.Longest)
	slices.SortStableFunc(w.Longest, func(a, b frontier.HostTrouble) int { return a.Since.Compare(b.Since) })
	w.Longest = w.Longest[:min(len(w.Longest), mostBusiest)]
	return p
}

// Audit is what it cost to keep the filter exact.
type Audit struct {
	// Mode says what answers pending checks: "exact", the log on disk; "memory", one in
	// memory; "filter", nothing.
	Mode  string
	Maybe int64 // admissions that had to wait for the log on disk
	ledger.Restarts
}
