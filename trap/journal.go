package trap

import (
	"fmt"

	"crawler/internal/binform"
)

const (
	kindJournal    = binform.Kind("TRPJ")
	journalVersion = 1
)

// event is what is learned of one page: see Watch, Link and Learn.
type event struct {
	shape              shape
	fine, wide         ownLinks
	from               uint64 // the fine pattern of the page that it was found on, 0 if on none
	watched            bool   // all its links were looked at
	longer             bool   // its URL is longer than that of the page that it was found on
	below              bool   // and is below that, in the same wide pattern
	unread             bool   // neither text nor links are known, but for the hashes of its text
	rooted             bool   // it links back to that page, which is a directory above it
	births             []births
	page               Page
	fineName, wideName string // of patterns that are new
}

// births are a page's new URLs of a fine and a wide pattern.
type births struct {
	of [2]uint64
	n  uint8 // up to maxBirths
}

// bear adds a new URL.
func (e *event) bear(fine, wide uint64) {
	for i := range e.births {
		if b := &e.births[i]; b.of == [2]uint64{fine, wide} {
			b.n++
			return
		}
	}
	e.births = append(e.births, births{[2]uint64{fine, wide}, 1})
}

// The events of a journal.
const (
	eventKeptName = 1 + iota // a directory keeps a name
	eventPage                // a page was learned
	eventProbes              // a pattern lets so many URLs through
	eventUnread              // a page was learned that was not read
)

// journal collects events. A nil one collects none.
type journal struct {
	e   *binform.Encoder
	buf []byte // of the events that were taken last, to be used again
}

// KeepEvents has the Guard keep what it learns from now on, for TakeEvents.
func (g *Guard) KeepEvents() {
	g.journal = &journal{}
	g.shapes.journal = g.journal
}

// TakeEvents returns what the Guard has learned since the last call, nil if nothing: some 0.2 to
// 1 KiB a page. A Guard in the state of that call that replays them is in the same state as this
// one, except that no URL is on its way. The slice is valid until the Guard learns more. Call it
// between pages, after Reopened.
func (g *Guard) TakeEvents() []byte {
	if g.journal == nil || g.journal.e == nil {
		return nil
	}
	j := g.journal
	j.buf = j.e.Close()
	j.e = nil
	return j.buf
}

// Replay learns what TakeEvents of another Guard returned. After an error the Guard is as it was.
// Call it before KeepEvents.
func (g *Guard) Replay(data []byte) error {
	for _, do := range []func(any){func(any) {}, g.redo} {
		d, _, err := binform.Open(data, kindJournal, journalVersion)
		if err != nil {
			return fmt.Errorf("trap: %w", err)
		}
		for d.Left() > 0 {
			if x := decodeEvent(d); d.OK() {
				do(x)
			}
		}
		if err := d.Close(); err != nil {
			return fmt.Errorf("trap: %w", err)
		}
	}
	g.opened = nil // and what it had refused was offered again
	return nil
}

// keptName and granted are the small events.
type (
	keptName struct{ directory, name uint64 }
	granted  struct {
		pattern uint64
		probed  bool
		n       uint8
	}
)

// redo learns an event once more.
func (g *Guard) redo(x any) {
	switch x := x.(type) {
	case keptName:
		if g.shapes.hasRoom(x.directory) {
			g.shapes.keepName(x.directory, x.name)
		}
	case granted:
		if p := g.patterns[x.pattern]; p != nil {
			p.probed, p.granted = x.probed, x.n
		}
	case *event:
		g.apply(x)
	}
}

// event begins an event.
func (j *journal) event(kind uint8) *binform.Encoder {
	if j.e == nil {
		j.e = binform.Begin(j.buf[:0], kindJournal, journalVersion)
	}
	j.e.Uint8(kind)
	return j.e
}

func (j *journal) keepName(directory, name uint64) {
	if j != nil {
		e := j.event(eventKeptName)
		e.Uint64(directory)
		e.Uint64(name)
	}
}

func (j *journal) probes(p *pattern) {
	if j != nil {
		e := j.event(eventProbes)
		e.Uint64(p.id)
		e.Bool(p.probed)
		e.Uint8(p.granted)
	}
}

func (j *journal) page(x *event) {
	if j == nil {
		return
	}
	kind := uint8(eventPage)
	if x.unread {
		kind = eventUnread
	}
	e := j.event(kind)
	x.shape.encode(e)
	e.Uint64(x.page.TextHash)
	e.Uint64(x.page.AllHash)
	for _, name := range []string{x.fineName, x.wideName} {
		e.Uint32(uint32(len(name)))
		e.Raw([]byte(name))
	}
	if !x.unread {
		x.encodeRead(e)
	}
}

// encodeRead writes what is known only of a page that was read.
func (x *event) encodeRead(e *binform.Encoder) {
	x.fine.encode(e)
	x.wide.encode(e)
	e.Uint64(x.from)
	for _, b := range x.bools() {
		e.Bool(*b)
	}
	e.Uint8(uint8(len(x.births)))
	for _, b := range x.births {
		e.Uint64s(b.of[:])
		e.Uint8(b.n)
	}
	e.Int64(int64(x.page.Every))
	e.Uint8(uint8(len(x.page.Sample)))
	e.Uint64s(x.page.Sample)
}

// bools are the truth values of a page, in the sequence of the binary form.
func (x *event) bools() []*bool { return []*bool{&x.watched, &x.longer, &x.below, &x.rooted} }

func (s *shape) encode(e *binform.Encoder) {
	for _, v := range []uint64{s.fine, s.wide, s.form, s.host, s.domain} {
		e.Uint64(v)
	}
	e.Bool(s.keyed)
	e.Bool(s.dated)
	e.Uint32(s.size)
	e.Uint32(s.length)
	e.Uint8(uint8(s.params))
	for _, v := range s.values() {
		e.Uint64(v.name)
		e.Uint64(v.value)
		e.Uint8(uint8(v.class))
	}
}

// encode writes what the patterns' names are not needed for: those are the shape's.
func (k *ownLinks) encode(e *binform.Encoder) {
	e.Bool(k.own)
	e.Uint32(uint32(k.born))
	e.Uint8(uint8(k.backs))
	e.Uint64s(k.back[:k.backs])
}

// decodeEvent reads an event.
func decodeEvent(d *binform.Decoder) any {
	switch kind := d.Uint8(); kind {
	case eventKeptName:
		return keptName{d.Uint64(), d.Uint64()}
	case eventProbes:
		x := granted{d.Uint64(), d.Bool(), d.Uint8()}
		d.Check(x.n <= probes, "%d URLs are let through", x.n)
		return x
	case eventPage, eventUnread:
		return decodePage(d, kind == eventUnread)
	default:
		d.Check(false, "an event of kind %d", kind)
		return nil
	}
}

func decodePage(d *binform.Decoder, unread bool) *event {
	x := &event{unread: unread}
	x.shape.decode(d)
	x.fine.id, x.wide.id = x.shape.fine, x.shape.wide
	x.page.TextHash, x.page.AllHash = d.Uint64(), d.Uint64()
	for _, name := range []*string{&x.fineName, &x.wideName} {
		n := d.Uint32()
		d.Check(n <= maxNameSize, "a name of %d bytes", n)
		if d.OK() {
			*name = string(d.Raw(int(n)))
		}
	}
	if !unread {
		x.decodeRead(d)
	}
	return x
}

func (x *event) decodeRead(d *binform.Decoder) {
	x.fine.decode(d)
	x.wide.decode(d)
	x.from = d.Uint64()
	for _, b := range x.bools() {
		*b = d.Bool()
	}
	n := d.Uint8()
	d.Check(n <= maxBirths, "%d kinds of births", n)
	for range n {
		if !d.OK() {
			return
		}
		b := births{[2]uint64{d.Uint64(), d.Uint64()}, d.Uint8()}
		d.Check(b.n > 0 && b.n <= maxBirths, "%d births", b.n)
		x.births = append(x.births, b)
	}
	x.page.decode(d)
}

func (s *shape) decode(d *binform.Decoder) {
	for _, v := range []*uint64{&s.fine, &s.wide, &s.form, &s.host, &s.domain} {
		*v = d.Uint64()
	}
	s.keyed, s.dated = d.Bool(), d.Bool()
	s.size, s.length = d.Uint32(), d.Uint32()
	s.params = int(d.Uint8())
	for i := range s.values() {
		v := value{d.Uint64(), d.Uint64(), class(d.Uint8())}
		d.Check(v.class <= list, "a value of class %d", v.class)
		s.first[i] = v
	}
}

func (k *ownLinks) decode(d *binform.Decoder) {
	k.own = d.Bool()
	k.born = int(d.Uint32())
	k.backs = int(d.Uint8())
	d.Check(k.born <= MaxLinks && k.backs <= maxBack, "%d new and %d known links", k.born, k.backs)
	if d.OK() {
		d.Uint64s(k.back[:k.backs], k.backs)
	}
}

func (p *Page) decode(d *binform.Decoder) {
	every := d.Int64()
	d.Check(every >= 0 && every <= MaxEvery, "one word of %d", every)
	p.Every = int(every)
	n := int(d.Uint8())
	d.Check(n <= MaxSample && n%2 == 0, "a sample of %d", n)
	if d.OK() {
		p.Sample = d.Uint64s(nil, n)
	}
}
