package frontier

import (
	"encoding/binary"
	"fmt"

	"crawler/internal/binform"
)

// events is the journal of a Depths since the last TakeEvents.
// docs/format/frontier.md describes the bytes.
type events struct {
	buf, taken []byte // written now; what TakeEvents returned, to be used next
	page       int32  // the page of the event before, -1 for none
}

const (
	eventSeed = iota
	eventRedirect
	eventLink
	eventArrive
	eventSamePage // added
)

// maxEvents is the size, in bytes, above which a buffer is not kept for the next events.
const maxEvents = 1 << 20

// KeepEvents makes d keep a journal of the calls of Seed, Link and Arrive, for TakeEvents. Call it
// first, or after Replay.
func (d *Depths) KeepEvents() { d.log = &events{page: -1} }

// TakeEvents returns the journal since the last call, in a form that Replay understands.
// The slice is valid until the next call. A link between known URLs takes 5 bytes if it is
// on the same page as the link before (up to 268 million URLs), else 10; a new URL takes
// its length and 2 or 3 more.
func (d *Depths) TakeEvents() []byte {
	e := d.log
	if cap(e.taken) > maxEvents {
		e.taken = nil
	}
	e.buf, e.taken = e.taken[:0], e.buf
	e.page = -1
	return e.taken
}

// seed notes an event; it is the first with the ids from before on.
func (e *events) seed(d *Depths, id int32, before int) {
	if e == nil {
		return
	}
	e.buf = append(e.buf, eventSeed)
	e.page = -1
	e.reference(d, id, before)
}

func (e *events) link(d *Depths, from, to int32, length, before int) {
	if e == nil {
		return
	}
	kind := byte(eventRedirect + length)
	if from == e.page {
		e.buf = append(e.buf, kind+eventSamePage)
	} else {
		e.buf = append(e.buf, kind)
		e.page = from
		e.reference(d, from, before)
		before = max(before, int(from)+1) // now from has been written
	}
	e.reference(d, to, before)
}

// arrive notes an event; URLs with ids from before on were not written yet.
func (e *events) arrive(d *Depths, via, id int32, depth, before int) {
	if e == nil {
		return
	}
	e.buf = append(e.buf, eventArrive)
	e.page = -1
	e.reference(d, via, before)
	e.reference(d, id, max(before, int(via)+1))
	e.buf = binary.AppendUvarint(e.buf, uint64(depth))
}

// reference writes a URL: its number, or its text if the number was not written before.
func (e *events) reference(d *Depths, id int32, before int) {
	if int(id) < before {
		e.buf = binary.AppendUvarint(e.buf, uint64(id)+1)
		return
	}
	e.buf = binform.AppendText(append(e.buf, 0), d.nodes[id].url.String())
}

// Replay repeats in d the calls that another Depths with the same limit got: journal is
// everything that its TakeEvents returned, from the first on, in sequence. The depths and
// numbers are then the same. URLs that became admissible are not returned, since the other
// Depths has returned them. After an error, which has ErrDamaged in its chain, d is
// useless.
func (d *Depths) Replay(journal []byte) error {
	r := reader{buf: journal}
	page := int32(-1)
	for len(r.buf) > 0 {
		at := len(journal) - len(r.buf)
		if page = d.replay(&r, page); r.bad {
			return fmt.Errorf("frontier: the event at byte %d of %d: %w", at, len(journal), ErrDamaged)
		}
	}
	d.found = d.found[:0]
	return nil
}

// replay reads and applies one event. page is the page of the event before, -1 for none;
// it returns the page of this one.
func (d *Depths) replay(r *reader, page int32) int32 {
	kind := r.byte()
	same := kind >= eventSamePage
	if same {
		kind -= eventSamePage
	}
	switch {
	case kind > eventArrive || same && (kind == eventSeed || kind == eventArrive || page < 0):
		r.fail()
		return -1
	case kind == eventArrive:
		via := d.known(r, int32(len(d.nodes)))
		id := d.known(r, via)
		if depth := r.small(); !r.bad {
			d.arrive(via, id, depth)
		}
		return -1
	}
	if kind == eventSeed {
		if id := d.known(r, int32(len(d.nodes))); !r.bad {
			d.seed(id)
		}
		return -1
	}
	if !same {
		page = d.known(r, int32(len(d.nodes)))
	}
	if to := d.known(r, page); !r.bad {
		d.link(page, to, int(kind)-eventRedirect)
	}
	return page
}

// known reads a reference and returns its number. If the URL is new, it was met on via.
func (d *Depths) known(r *reader, via int32) int32 {
	ref := r.uvarint()
	if r.bad || ref > uint64(len(d.nodes)) {
		r.fail()
		return 0
	}
	if ref > 0 {
		return int32(ref - 1)
	}
	u, ok := canonical(string(r.bytes()))
	if _, met := d.ids[u]; !ok || met {
		r.fail()
		return 0
	}
	return d.id(u, via)
}
