package gate

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// reported remembers which refusals were reported, so that a link in every page's footer
// makes one line and not a million. It is bounded: when full it starts afresh, and a
// refusal may be reported again.
type reported struct {
	fps     map[uint64]struct{} // XXH64 of the URLs
	events  []byte              // of a crawl that survives: what changed since the last commit
	afresh  bool                // and it started afresh since: the events of earlier commits are void
	durable bool
}

const maxReported = 1 << 18

// What an event says of a URL.
const (
	eventReported = 1
	eventForgot   = 2
	eventLen      = 9 // bytes: what, then the URL's hash
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

// forget makes the URL's next refusal new again.
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

// commit puts what changed since the last commit under the number seq.
func (r *reported) commit(w Writer, seq uint64) {
	if r.afresh {
		w.DeleteRange(numberedKey(keyReported, 0), numberedKey(keyReported, seq))
	}
	if len(r.events) > 0 {
		w.Put(numberedKey(keyReported, seq), r.events)
	}
	r.events, r.afresh = r.events[:0], false
}

// replay repeats what events say.
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
