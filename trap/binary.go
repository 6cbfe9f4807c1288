package trap

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"crawler/internal/binform"
)

const (
	kindTrap    = binform.Kind("TRAP")
	version     = 15
	oldest      = 7       // is read: it had no under, leads, moved, brood, span; later ones do
	mostStored  = 1 << 20 // patterns, kin, or spellings, in one binary form
	maxNameSize = 1 << 16 // bytes of a pattern's name
	mostBrood   = 1 << 40 // pages, and links, of a pattern
)

// kinds is the numbering of the kinds in the binary form; new ones go to the end.
var kinds = [...]Kind{"", Copies, Session, Subdomains, Calendar, Facets, Pattern, Growing, Maze}

// AppendBinary appends what the Guard has learned: 1 KiB for a young pattern, up to 36 KiB
// for one that has had many pages, and up to 8 MiB of texts and forms. Call it between pages, after
// Reopened.
func (g *Guard) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(slices.Grow(dst, g.FormSize()), kindTrap, version)
	e.Uint32(g.page)
	g.shapes.encode(e)
	g.texts.encode(e)
	g.encodeKin(e)
	e.Uint32(uint32(len(g.patterns)))
	for _, p := range g.sorted() {
		p.encode(e)
	}
	g.encodeSpellings(e)
	return e.Close(), nil
}

// FormSize is about how many bytes the binary form has, rather more than less.
func (g *Guard) FormSize() int {
	n := 1<<10 + 36*len(g.spellings) + 56*len(g.kin) + 12*(len(g.shapes.children)+len(g.shapes.kept)+len(g.shapes.pages)) + 8*g.texts.filled
	for _, p := range g.patterns {
		n += 512 + len(p.name) + 8*(p.pairs.filled+p.marks.filled)
	}
	return n
}

// MarshalBinary is AppendBinary to nothing.
func (g *Guard) MarshalBinary() ([]byte, error) { return g.AppendBinary(nil) }

// UnmarshalBinary replaces what the Guard has learned; its Config stays. After an error
// the Guard is as it was.
func (g *Guard) UnmarshalBinary(data []byte) error {
	d, v, err := binform.Open(data, kindTrap, version)
	if err != nil {
		return fmt.Errorf("trap: %w", err)
	}
	d.Check(v >= oldest, "version %d is too old", v)
	fresh := New(g.cfg)
	fresh.off = g.off
	fresh.page = d.Uint32()
	fresh.shapes.decode(d)
	fresh.texts.decode(d, v)
	if v >= 15 {
		fresh.decodeKin(d)
	}
	n := d.Uint32()
	d.Check(n <= mostStored, "%d patterns, the most is %d", n, mostStored)
	last := uint64(0)
	for i := uint32(0); i < n && d.OK(); i++ {
		p := fresh.decodePattern(d, v)
		d.Check(i == 0 || p.id > last, "patterns out of order")
		last = p.id
		fresh.patterns[p.id] = p
		if p.host != 0 {
			fresh.broods[p.host] = fresh.broods[p.host].plus(p.brood)
		}
	}
	if v >= 14 {
		fresh.decodeSpellings(d)
	}
	for _, k := range fresh.kin {
		d.Check(k.patterns > 0, "kin of no pattern")
	}
	if err := d.Close(); err != nil {
		return fmt.Errorf("trap: %w", err)
	}
	for len(fresh.patterns) > g.cfg.Patterns {
		fresh.forget()
	}
	if g.journal != nil {
		fresh.KeepEvents()
	}
	*g = *fresh
	return nil
}

func (s *shapes) encode(e *binform.Encoder) {
	e.Uint32(uint32(len(s.children)))
	for _, directory := range slices.Sorted(maps.Keys(s.children)) {
		e.Uint64(directory)
		e.Uint8(s.children[directory])
	}
	e.Uint32(uint32(len(s.kept)))
	e.Uint64s(slices.Sorted(maps.Keys(s.kept)))
	e.Uint32(uint32(len(s.pages)))
	for _, host := range slices.Sorted(maps.Keys(s.pages)) {
		e.Uint64(host)
		e.Uint8(s.pages[host])
	}
}

func (s *shapes) decode(d *binform.Decoder) {
	for n := d.Uint32(); n > 0 && d.OK(); n-- {
		directory, children := d.Uint64(), d.Uint8()
		d.Check(children > 0 && children <= maxChildren, "a directory keeps %d names", children)
		s.children[directory] = children
	}
	for _, name := range d.Uint64s(nil, int(d.Uint32())) {
		s.kept[name] = struct{}{}
	}
	for n := d.Uint32(); n > 0 && d.OK(); n-- {
		host, pages := d.Uint64(), d.Uint8()
		d.Check(pages > 0 && pages <= established, "%d pages of a host", pages)
		s.pages[host] = pages
	}
}

func (p *pattern) encode(e *binform.Encoder) {
	e.Uint64(p.id)
	e.Uint32(uint32(len(p.name)))
	e.Raw([]byte(p.name))
	e.Uint64(p.parent)
	e.Uint64(p.under)
	e.Uint64(p.leads)
	e.Uint32(p.moved)
	e.Uint8(uint8(slices.Index(kinds[:], p.closed)))
	e.Bool(p.probed)
	e.Uint8(p.granted)
	e.Bool(p.wide)
	e.Uint8(p.hosts)
	for _, v := range p.counts(version) {
		e.Uint32(*v)
	}
	for _, v := range p.floats(version) {
		e.Uint32(math.Float32bits(*v))
	}
	if p.kin != nil {
		e.Uint64(p.kin.id)
	} else {
		e.Uint64(0)
	}
	e.Uint64(p.host)
	e.Uint64(p.brood.pages)
	e.Uint64(p.brood.bred)
	for i := range p.params {
		e.Uint64(p.params[i])
	}
	e.Uint32(p.paths)
	e.Uint32s(p.values[:])
	e.Uint32(p.since)
	p.pairs.encode(e)
	p.marks.encode(e)
}

// counts and floats are the fields of a pattern in the binary form of a version, in its sequence.
func (p *pattern) counts(version uint16) []*uint32 {
	all := []*uint32{&p.pages, &p.kinds, &p.used, &p.largest, &p.longest}
	if version >= 14 {
		all = append(all, &p.spellings)
	}
	return all
}

func (p *pattern) floats(version uint16) []*float32 {
	all := append([]*float32{&p.owes, &p.spent, &p.tries, &p.hits, &p.news, &p.asked, &p.tests.copies, &p.tests.others}, p.sums()...)
	for i := range p.tried {
		if i == tail && version < 12 || (i == head || i == folded) && version < 13 {
			continue
		}
		all = append(all, &p.tried[i].copies, &p.tried[i].others)
	}
	if version >= 10 {
		all = append(all, &p.bred)
	}
	if version >= 14 {
		all = append(all, &p.wellSpelt)
	}
	return all
}

func (g *Guard) decodePattern(d *binform.Decoder, v uint16) *pattern {
	p := &pattern{id: d.Uint64()}
	n := d.Uint32()
	d.Check(n <= maxNameSize, "a name of %d bytes", n)
	if d.OK() {
		p.name = string(d.Raw(int(n)))
	}
	p.parent = d.Uint64()
	if v >= 8 {
		p.under = d.Uint64()
	}
	if v >= 9 {
		p.leads, p.moved = d.Uint64(), d.Uint32()
	}
	k := d.Uint8()
	d.Check(int(k) < len(kinds), "kind %d", k)
	if d.OK() {
		p.closed = kinds[k]
	}
	p.probed, p.granted = d.Bool(), d.Uint8()
	d.Check(p.granted <= fewRefused, "%d URLs are let through", p.granted)
	p.wide, p.hosts = d.Bool(), d.Uint8()
	for _, v := range p.counts(v) {
		*v = d.Uint32()
	}
	for _, v := range p.floats(v) {
		*v = decodeSum(d)
	}
	if v >= 15 {
		g.decodeKinOf(d, p)
	}
	if v >= 10 {
		p.host = d.Uint64()
		p.brood.pages, p.brood.bred = d.Uint64(), d.Uint64()
		d.Check(p.brood.pages <= mostBrood && p.brood.bred <= mostBrood, "%d pages led to %d new URLs", p.brood.pages, p.brood.bred)
	}
	for i := range p.params {
		p.params[i] = d.Uint64()
	}
	if v >= 11 {
		p.paths = d.Uint32()
		d.Uint32s(p.values[:], maxParams)
		p.since = d.Uint32()
	}
	p.pairs.decode(d, widePairs)
	p.marks.decode(d, mostMarks)
	return p
}

func decodeSum(d *binform.Decoder) float32 {
	sum := math.Float32frombits(d.Uint32())
	d.Check(sum >= 0 && sum <= 1<<30, "a sum of %g", sum)
	return sum
}

func (m *memory) encode(e *binform.Encoder) {
	e.Uint32(uint32(len(m.entries)))
	e.Uint32(uint32(m.filled))
	for _, x := range m.entries {
		if x.tag != 0 {
			e.Uint32(x.tag)
			e.Uint32(uint32(x.page)<<16 | uint32(x.run)<<8 | uint32(x.times))
		}
	}
}

func (m *memory) decode(d *binform.Decoder, most int) {
	size, filled := int(d.Uint32()), int(d.Uint32())
	d.Check(size == 0 || size >= leastMemory && size <= most && size&(size-1) == 0, "a memory of %d", size)
	d.Check(filled <= size && filled*8 <= d.Left() && (filled > 0) == (size > 0), "%d of %d remembered", filled, size)
	// It grew at a quarter at the earliest, or its first page was expected to have more.
	d.Check(size <= firstMemory || filled*8 >= size, "%d of %d remembered", filled, size)
	if !d.OK() || size == 0 {
		return
	}
	m.entries = make([]entry, size)
	for range filled {
		tag, rest := d.Uint32(), d.Uint32()
		x := entry{tag: tag, page: uint16(rest >> 16), run: uint8(rest >> 8), times: uint8(rest)}
		d.Check(tag&1 == 1 && x.times > 0 && m.place(x), "an entry out of place")
	}
}

// encode writes the entries as a memory does, but for how often they were met in a row, of which
// texts know nothing: there it says whether an entry is in its second set.
func (c *cuckoo) encode(e *binform.Encoder) {
	e.Uint32(uint32(ways * len(c.sets)))
	e.Uint32(uint32(c.filled))
	for at := range c.sets {
		for _, x := range c.sets[at] {
			if x.tag == 0 {
				continue
			}
			second := uint32(0)
			if c.first(x.tag) != at {
				second = 1
			}
			e.Uint32(x.tag)
			e.Uint32(uint32(x.page)<<16 | second<<8 | uint32(x.times))
		}
	}
}

// decode reads what encode has written, so that all entries are where they were, or what was a
// memory up to version 12.
func (c *cuckoo) decode(d *binform.Decoder, v uint16) {
	size, filled := int(d.Uint32()), int(d.Uint32())
	d.Check(size == 0 || size >= leastMemory && size <= mostTexts && size&(size-1) == 0, "texts for %d", size)
	d.Check(filled <= size && filled*8 <= d.Left() && (filled > 0) == (size > 0), "%d of %d texts", filled, size)
	if !d.OK() || size == 0 {
		return
	}
	if v >= 13 {
		c.sets = make([][ways]entry, size/ways)
	}
	for range filled {
		tag, rest := d.Uint32(), d.Uint32()
		x := entry{tag: tag, page: uint16(rest >> 16), times: uint8(rest)}
		d.Check(tag&1 == 1 && x.times > 0, "a text that no page had")
		switch at := uint8(rest >> 8); {
		case v < 13:
			if c.find(tag) == nil {
				c.add(x)
			}
		case at == 0:
			d.Check(c.push(c.first(tag), x), "a text out of place")
		case at == 1:
			d.Check(c.push(c.second(tag), x), "a text out of place")
		default:
			d.Check(false, "a text in set %d of two", at)
		}
	}
	d.Check(v < 13 || c.sound(), "texts twice, or out of place")
}

// sound reports whether find finds each entry, and no other one instead.
func (c *cuckoo) sound() bool {
	for at := range c.sets {
		for i := range c.sets[at] {
			x := &c.sets[at][i]
			if x.tag != 0 && c.find(x.tag) != x {
				return false
			}
		}
	}
	return true
}
