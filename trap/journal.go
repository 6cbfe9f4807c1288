package trap

import (
	"fmt"
	"math"

	"crawler/internal/binform"
)

const (
	kindJournal    = binform.Kind("TRPJ")
	journalVersion = 14
	// 2 had other wide patterns, 3 no moves, 4 no bred, 5 no tail, 6 no pictures, 7 no added,
	// 8 no head, 9 no another, 10 no spelt, 11 no kin, 12 no section, 13 no surplus
	oldestJournal = 3
)

// event is what is learned of one page: see Watch, Link and Learn.
type event struct {
	shape              shape
	fine, wide         ownLinks
	back               [maxBack]uint32 // folded hashes of known URLs of the wide pattern
	backs              int             // how many, up to maxBack
	from               uint64          // the fine pattern of the page it was found on, or 0
	watched            bool            // all its links were looked at
	longer             bool            // its URL is longer than that page's
	below              bool            // and is below that, in the same wide pattern
	unread             bool            // but for the hashes of its text, nothing is known
	rooted             bool            // it links back to that page, a directory above it
	added              uint64          // what its URL adds to that page's: see added; 0 for nothing
	list               uint64          // what that page's adds to another's: see addedBy
	spelt, fromSpelt   uint64          // how its URL is spelt, and that page's; 0 if not known
	surplus            uint64          // a segment without which its path was known, 0 for none
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
	eventMove                // a URL redirected
	eventTried               // one was tried though its pattern refuses such
)

// journal collects events. A nil one collects none.
type journal struct {
	e      *binform.Encoder
	buf    []byte // of the events that were taken last, to be used again
	hashes recent
}

// recent has one hash for each value of a hash's upper bits: the one that was written last. Of a
// host, its patterns and the links between its pages one page says much the same as the next.
type recent [128]uint64

// slot is where a hash stands.
func slot(h uint64) uint8 { return uint8(h >> 57) }

func (r *recent) put(h uint64) { r[slot(h)] = h }

// encode writes where a hash stands; or that it is new, and the hash.
func (r *recent) encode(e *binform.Encoder, h uint64) {
	if at := slot(h); r[at] == h {
		e.Uint8(1 + at)
		return
	}
	e.Uint8(0)
	e.Uint64(h)
	r.put(h)
}

func (r *recent) decode(d *binform.Decoder) uint64 {
	at := d.Uint8()
	if at == 0 {
		h := d.Uint64()
		r.put(h)
		return h
	}
	d.Check(int(at) <= len(r), "a hash at %d", at)
	if !d.OK() {
		return 0
	}
	return r[at-1]
}

// KeepEvents has the Guard keep what it learns from now on, for TakeEvents.
func (g *Guard) KeepEvents() {
	g.journal = &journal{}
	g.shapes.journal = g.journal
}

// TakeEvents returns what the Guard has learned since the last call, nil if nothing: some 0.1 to
// 0.5 KiB a page. A Guard in the state of that call that replays them is in the same state as this
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
		d, v, err := binform.Open(data, kindJournal, journalVersion)
		if err != nil {
			return fmt.Errorf("trap: %w", err)
		}
		d.Check(v >= oldestJournal, "version %d is too old", v)
		var hashes recent
		for d.Left() > 0 {
			if x := decodeEvent(d, v, &hashes); d.OK() {
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

// keptName, granted and tried are the small events.
type (
	tried    uint64
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
	case tried:
		g.remember(uint64(x))
	case *event:
		g.apply(x)
	case move:
		g.applyMove(x)
	}
}

// event begins an event.
func (j *journal) event(kind uint8) *binform.Encoder {
	if j.e == nil {
		j.e = binform.Begin(j.buf[:0], kindJournal, journalVersion)
		j.hashes = recent{}
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

func (j *journal) move(x move) {
	if j != nil {
		e := j.event(eventMove)
		e.Uint64(x.of)
		e.Uint64(x.to)
		e.Uvarint(uint64(len(x.name)))
		e.Raw([]byte(x.name))
	}
}

func (j *journal) tried(try uint64) {
	if j != nil {
		j.event(eventTried).Uint64(try)
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
	e, hashes := j.event(kind), &j.hashes
	e.Uint8(packed(x.bools()))
	x.shape.encode(e, hashes)
	e.Uint64(x.page.TextHash)
	e.Bool(x.page.AllHash == x.page.TextHash)
	if x.page.AllHash != x.page.TextHash {
		e.Uint64(x.page.AllHash)
	}
	for _, name := range []string{x.fineName, x.wideName} {
		e.Uvarint(uint64(len(name)))
		e.Raw([]byte(name))
	}
	for _, h := range []uint64{x.shape.tail, x.shape.head, x.shape.folded} {
		e.Uint64(h)
	}
	e.Uint8(packed(x.more()))
	hashes.encode(e, x.spelt)
	hashes.encode(e, x.fromSpelt)
	hashes.encode(e, x.shape.kin)
	hashes.encode(e, x.shape.section)
	hashes.encode(e, x.surplus)
	if !x.unread {
		x.encodeRead(e, hashes)
	}
}

// bools are the truth values of a page, from the lowest bit.
func (x *event) bools() []*bool {
	return []*bool{
		&x.shape.keyed, &x.shape.dated, &x.fine.own, &x.wide.own, &x.watched, &x.longer, &x.below, &x.rooted,
	}
}

// more are further ones.
func (x *event) more() []*bool { return []*bool{&x.page.Another, &x.shape.session, &x.page.NoIndex} }

func packed(bools []*bool) (bits uint8) {
	for i, b := range bools {
		if *b {
			bits |= 1 << i
		}
	}
	return bits
}

// encodeRead writes what is known only of a page that was read.
func (x *event) encodeRead(e *binform.Encoder, hashes *recent) {
	e.Uvarint(uint64(x.fine.born))
	e.Uvarint(uint64(x.wide.born))
	e.Uint8(uint8(x.fine.bred))
	e.Uint8(uint8(x.wide.bred))
	e.Uint8(uint8(x.backs))
	e.Uint32s(x.back[:x.backs])
	hashes.encode(e, x.from)
	e.Uint8(uint8(len(x.births)))
	for _, b := range x.births {
		hashes.encode(e, b.of[0])
		hashes.encode(e, b.of[1])
		e.Uint8(b.n)
	}
	e.Uvarint(uint64(x.page.Every))
	e.Uint8(uint8(len(x.page.Sample)))
	e.Uint32s(x.page.Sample)
	e.Uint64(x.page.Pictures)
	e.Uint64(x.added)
	e.Uint64(x.list)
}

func (s *shape) encode(e *binform.Encoder, hashes *recent) {
	for _, v := range []uint64{s.fine, s.wide, s.form, s.host} {
		hashes.encode(e, v)
	}
	hashes.put(mix(s.host, markWide)) // of a host that is all of its domain, or alone
	hashes.encode(e, s.domain)
	e.Uvarint(uint64(s.size))
	e.Uvarint(uint64(s.length))
	e.Uint8(uint8(s.params))
	for _, v := range s.values() {
		hashes.encode(e, v.name)
		hashes.encode(e, v.value)
		e.Uint8(uint8(v.class))
	}
}

// decodeEvent reads an event.
func decodeEvent(d *binform.Decoder, v uint16, hashes *recent) any {
	switch kind := d.Uint8(); kind {
	case eventKeptName:
		return keptName{d.Uint64(), d.Uint64()}
	case eventProbes:
		x := granted{d.Uint64(), d.Bool(), d.Uint8()}
		d.Check(x.n <= fewRefused, "%d URLs are let through", x.n)
		return x
	case eventMove:
		return move{d.Uint64(), d.Uint64(), decodeName(d)}
	case eventTried:
		return tried(d.Uint64())
	case eventPage, eventUnread:
		return decodePage(d, v, kind == eventUnread, hashes)
	default:
		d.Check(false, "an event of kind %d", kind)
		return nil
	}
}

func decodePage(d *binform.Decoder, v uint16, unread bool, hashes *recent) *event {
	x := &event{unread: unread}
	bits := d.Uint8()
	for i, b := range x.bools() {
		*b = bits>>i&1 == 1
	}
	x.shape.decode(d, hashes)
	x.fine.id, x.wide.id = x.shape.fine, x.shape.wide
	x.page.TextHash = d.Uint64()
	if x.page.AllHash = x.page.TextHash; !d.Bool() {
		x.page.AllHash = d.Uint64()
	}
	for _, name := range []*string{&x.fineName, &x.wideName} {
		*name = decodeName(d)
	}
	if v >= 6 {
		x.shape.tail = d.Uint64()
	}
	if x.shape.folded = x.shape.form; v >= 9 {
		x.shape.head, x.shape.folded = d.Uint64(), d.Uint64()
	}
	if v >= 10 {
		bits := d.Uint8()
		d.Check(bits < 1<<len(x.more()), "bits %b of a page", bits)
		for i, b := range x.more() {
			*b = bits>>i&1 == 1
		}
	}
	if v >= 11 {
		x.spelt, x.fromSpelt = hashes.decode(d), hashes.decode(d)
	}
	if v >= 12 {
		x.shape.kin = hashes.decode(d)
	}
	if v >= 13 {
		x.shape.section = hashes.decode(d)
	}
	if v >= 14 {
		x.surplus = hashes.decode(d)
	}
	if !unread {
		x.decodeRead(d, v, hashes)
	}
	return x
}

func decodeName(d *binform.Decoder) string {
	n := d.Uvarint()
	d.Check(n <= maxNameSize, "a name of %d bytes", n)
	if !d.OK() {
		return ""
	}
	return string(d.Raw(int(n)))
}

func (x *event) decodeRead(d *binform.Decoder, v uint16, hashes *recent) {
	fine, wide := d.Uvarint(), d.Uvarint()
	if v >= 5 {
		x.fine.bred, x.wide.bred = int(d.Uint8()), int(d.Uint8())
		d.Check(max(x.fine.bred, x.wide.bred) <= maxBirths, "%d and %d new links of the patterns themselves", x.fine.bred, x.wide.bred)
	}
	backs := int(d.Uint8())
	d.Check(max(fine, wide) <= MaxLinks && backs <= maxBack, "%d and %d new links, %d known", fine, wide, backs)
	if !d.OK() {
		return
	}
	x.fine.born, x.wide.born, x.backs = int(fine), int(wide), backs
	d.Uint32s(x.back[:backs], backs)
	x.from = hashes.decode(d)
	n := d.Uint8()
	d.Check(n <= maxBirths, "%d kinds of births", n)
	for range n {
		if !d.OK() {
			return
		}
		b := births{[2]uint64{hashes.decode(d), hashes.decode(d)}, d.Uint8()}
		d.Check(b.n > 0 && b.n <= maxBirths, "%d births", b.n)
		x.births = append(x.births, b)
	}
	if x.page.decode(d); v >= 7 {
		x.page.Pictures = d.Uint64()
	}
	if v >= 8 {
		x.added = d.Uint64()
	}
	if v >= 9 {
		x.list = d.Uint64()
	}
}

func (s *shape) decode(d *binform.Decoder, hashes *recent) {
	for _, v := range []*uint64{&s.fine, &s.wide, &s.form, &s.host} {
		*v = hashes.decode(d)
	}
	hashes.put(mix(s.host, markWide))
	s.domain = hashes.decode(d)
	size, length := d.Uvarint(), d.Uvarint()
	d.Check(max(size, length) <= math.MaxUint32, "a URL of %d parts and %d bytes", size, length)
	s.size, s.length = uint32(size), uint32(length)
	s.params = int(d.Uint8())
	for i := range s.values() {
		v := value{hashes.decode(d), hashes.decode(d), class(d.Uint8())}
		d.Check(v.class <= list, "a value of class %d", v.class)
		s.first[i] = v
	}
}

func (p *Page) decode(d *binform.Decoder) {
	every := d.Uvarint()
	d.Check(every <= MaxEvery, "one word of %d", every)
	p.Every = int(every)
	n := int(d.Uint8())
	d.Check(n <= MaxSample && n%2 == 0, "a sample of %d", n)
	if d.OK() {
		p.Sample = d.Uint32s(nil, n)
	}
}
