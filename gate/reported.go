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
	fps     map[uint64]struct{} // XXH64 of the URLs
	events  []byte              // of a crawl that survives: what changed since the last commit
	afresh  bool                // it started from nothing since: earlier commits' events are void
	durable bool
}

const maxReported = 1 << 18

// The kinds of event.
const (
	eventReported = 1
	eventForgot   = 2
	eventLen      = 9 // bytes: the kind, then the URL's hash
)

// first reports whether this URL's refusal was not reported yet, and remembers it.
func (r *reported) first(url string) bool {
	fp := xxhash.Sum64String(url)
	if _, ok := r.fps[fp]; ok {
		return false
	}
	r.change(eventReported, fp)
	return true
}

// forget lets the URL's next refusal be reported again.
func (r *reported) forget(url string) { r.change(eventForgot, xxhash.Sum64String(url)) }

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
