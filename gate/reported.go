package gate

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// reported remembers which refusals were reported, so that a link in every page's footer
// makes one line and not a million. It is bounded: when full it starts from nothing, and a
// refusal may be reported again.
type reported struct {
	fps     map[uint64]struct{} // of the refusals
	events  []byte              // of a crawl that survives: what changed since the last commit
	afresh  bool                // it started from nothing since: earlier commits' events are void
	durable bool
}

const maxReported = 1 << 18

// isFinal makes the fingerprint of a refusal that of a final one.
const isFinal = 0x9e3779b97f4a7c15

// The kinds of event.
const (
	eventReported = 1
	eventForgot   = 2
	eventLen      = 9 // bytes: what, then the refusal's fingerprint
)

// refusalFP is the fingerprint of a URL's refusal: XXH64 of the URL, and the complement of that
// for its host's budget. A URL that waits for a better link waits for the budget as well once
// it has that.
func refusalFP(url string, why Reason) uint64 {
	fp := xxhash.Sum64String(url)
	if why == HostBudget {
		return ^fp
	}
	return fp
}

// first reports whether this refusal of a URL adds to what was reported of it, and remembers
// it. After one for the host's budget no other does, nor after a final one.
func (r *reported) first(url string, why Reason) bool {
	fp, budget := refusalFP(url, why), refusalFP(url, HostBudget)
	if r.has(fp) || r.has(budget) || r.has(budget^isFinal) {
		return false
	}
	r.change(eventReported, fp)
	return true
}

func (r *reported) has(fp uint64) bool {
	_, ok := r.fps[fp]
	return ok
}

// forget makes the URL's next refusal for this reason new again.
func (r *reported) forget(url string, why Reason) { r.change(eventForgot, refusalFP(url, why)) }

// conclude makes a refusal for a host's budget final: it has its record, so the URL must not become
// a page as well.
func (r *reported) conclude(url string) {
	fp := refusalFP(url, HostBudget)
	r.change(eventForgot, fp)
	r.change(eventReported, fp^isFinal)
}

// concluded reports whether a URL was refused for good.
func (r *reported) concluded(url string) bool { return r.has(refusalFP(url, HostBudget) ^ isFinal) }

func (r *reported) change(what byte, fp uint64) {
	if r.fps == nil || len(r.fps) >= maxReported {
		r.fps = make(map[uint64]struct{})
		r.events, r.afresh = r.events[:0], true
	}
	if r.durable {
		r.events = binary.LittleEndian.AppendUint64(append(r.events, what), fp)
	}
	if what == eventForgot {
		delete(r.fps, fp)
		return
	}
	r.fps[fp] = struct{}{}
}

// commit writes what changed since the last commit under the number seq.
func (r *reported) commit(w Writer, seq uint64) {
	if r.afresh {
		w.DeleteRange(numberedKey(keyReported, 0), numberedKey(keyReported, seq))
	}
	if len(r.events) > 0 {
		w.Put(numberedKey(keyReported, seq), r.events)
	}
	r.events, r.afresh = r.events[:0], false
}

// replay repeats the changes that events describe.
func (r *reported) replay(events []byte) error {
	for ; len(events) >= eventLen; events = events[eventLen:] {
		r.change(events[0], binary.LittleEndian.Uint64(events[1:]))
	}
	r.events, r.afresh = r.events[:0], false
	if len(events) > 0 {
		return fmt.Errorf("%d bytes too many", len(events))
	}
	return nil
}
