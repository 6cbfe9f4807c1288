package stats

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

const (
	deltaKind    = binform.Kind("WDLT")
	deltaVersion = 3 // version 1 had a reservoir for the tail, version 2 no dense form
)

// Base is what a Words was when it was marked, so that what has changed since can be written. It
// takes some more memory than the binary form, which Mark uses again. The zero value is ready for
// use.
type Base struct {
	n          uint64
	sweep      uint64
	front      front
	back       table
	tail       rows
	rewritten  int
	listed     []uint64 // ascending; none once there are registers
	run        []uint8  // none before
	martingale martingale
	scratch    deltaScratch
}

// deltaScratch is memory that AppendDelta uses again.
type deltaScratch struct {
	bits    []byte
	changed []int
	by      []uint64
	words   []uint64 // of the table, ascending
	added   []counted
	kept    []keptSlot
}

// Mark remembers in b what the sketches are now. It copies them, 16 KiB for a site, and sorts a few
// hundred words.
func (w *Words) Mark(b *Base) {
	s, d := &w.surprise, &w.tail
	b.n, b.sweep = s.n, s.sweep
	b.front.pairs, b.front.carry = append(b.front.pairs[:0], s.front.pairs...), maps.Clone(s.front.carry)
	b.back.keys, b.back.counts = append(b.back.keys[:0], s.back.keys...), append(b.back.counts[:0], s.back.counts...)
	b.back.used = s.back.used
	cells := append(b.tail.cells[:0], s.tail.cells...)
	b.tail = s.tail
	b.tail.cells = cells
	b.rewritten = s.rewritten
	b.listed, b.run = b.listed[:0], b.run[:0]
	if b.martingale = d.martingale; d.reg != nil {
		b.run = append(b.run, d.reg.run...)
	} else {
		b.listed = d.appendListed(b.listed)
	}
}

// AppendDelta appends to dst what has changed since the sketches were marked: for a page of a
// thousand words 380 bytes of a site, 840 of a crawl. Replay makes it part of the sketches as
// they were then. Without a Base, and after a merge, the delta is a full one, which says all: three
// quarters of the binary form, 9 KiB for a site and 63 KiB for a crawl.
//
// A full delta holds the key that the seed gives, and so the seed: keep it as secret as the
// seed is.
func (w *Words) AppendDelta(dst []byte, since *Base) []byte {
	e := binform.Begin(dst, deltaKind, deltaVersion)
	full := since == nil || since.rewritten != w.surprise.rewritten
	e.Bool(full)
	if full {
		since = new(Base)
		e.Uint64(w.surprise.key)
		for _, size := range []int{w.surprise.limit, w.surprise.tail.width, w.tail.k, w.tail.cache} {
			e.Uint32(uint32(size))
		}
		e.Bool(w.surprise.closed)
	}
	b := bitWriter{buf: since.scratch.bits[:0]}
	b.gamma(since.n)
	b.gamma(w.surprise.n - since.n)
	w.surprise.encodeDelta(&b, since)
	w.tail.encodeDelta(&b, since)
	since.scratch.bits = b.close()
	e.Raw(since.scratch.bits)
	return e.Close()
}

// encodeDelta writes the front, the table, and the rows. When the front opens, the table's
// words move: then both are written anew.
func (s *Surprise) encodeDelta(b *bitWriter, since *Base) {
	open, opened := len(s.front.pairs) > 0, len(since.front.pairs) > 0
	b.bool(open)
	var before table
	if open == opened {
		before = since.back
	}
	if open {
		s.front.encodeDelta(b, &since.front, s.sweep == since.sweep, &since.scratch)
	}
	s.back.encodeDelta(b, &before, &since.scratch)
	s.tail.encodeDelta(b, &since.tail, &since.scratch)
}

// encodeDelta writes the slots whose counts have grown: by how much, and of new words what the slot
// keeps of them.
func (f *front) encodeDelta(b *bitWriter, since *front, noSweep bool, scratch *deltaScratch) {
	size := 2 * len(f.pairs)
	changed := slices.Grow(scratch.changed[:0], size+1)[:size+1]
	scratch.changed = changed
	n, added := f.changed(since, noSweep, changed)
	changed = changed[:n]
	dense := isDense(n-added, size)
	b.bool(dense)
	if dense {
		f.encodeGrown(b, since, scratch)
		changed = slices.DeleteFunc(changed, func(i int) bool { return since.has(i) })
	}
	b.places(changed, size, func(i int) {
		tag, now := f.slot(i)
		if since.has(i) {
			_, before := since.slot(i)
			b.gamma(now - before - 1)
			return
		}
		b.gamma(now - 1)
		b.bits(tag>>countBits, 64-countBits)
	})
}

// has reports whether a slot, of a front that may have none, has a word.
func (f *front) has(i int) bool { return len(f.pairs) > 0 && f.pairs[i/2][i%2] != 0 }

// changed puts the slots whose counts have grown into places, which has room for one more than
// all, and returns how many there are, and how many of these had no word. Without a sweep a slot
// that looks as before is as before, so no branch depends on a slot.
func (f *front) changed(since *front, noSweep bool, places []int) (n, added int) {
	var before [2]uint64
	for p, pair := range f.pairs {
		if len(since.pairs) > 0 {
			before = since.pairs[p]
		}
		for i, slot := range pair {
			differs, isNew := 0, 0
			if slot != before[i] {
				differs = 1
			}
			if !noSweep {
				differs = f.differs(since, 2*p+i)
			}
			if before[i] == 0 {
				isNew = differs
			}
			places[n] = 2*p + i
			n += differs
			added += isNew
		}
	}
	return n, added
}

// differs returns 1 if the count of a slot has grown, else 0.
func (f *front) differs(since *front, i int) int {
	_, now := f.slot(i)
	before := uint64(0)
	if since.has(i) {
		_, before = since.slot(i)
	}
	if now != before {
		return 1
	}
	return 0
}

// isDense reports whether so many of size places have changed that all are written, without a word
// of where.
func isDense(changed, size int) bool { return 3*changed > size }

// encodeGrown writes by how much each slot has grown that had a word before. A frequent word
// grows by more, so the code of a slot follows its count.
func (f *front) encodeGrown(b *bitWriter, since *front, scratch *deltaScratch) {
	kept, counts, grown := scratch.kept[:0], uint64(0), uint64(0)
	for i := range 2 * len(f.pairs) {
		if since.pairs[i/2][i%2] == 0 {
			continue
		}
		_, before := since.slot(i)
		_, now := f.slot(i)
		counts, grown = addUp(counts, before), addUp(grown, now-before)
		kept = append(kept, keptSlot{before, now - before})
	}
	scratch.kept = kept
	about := max(bits.Len64(counts)-bits.Len64(grown), 1)
	var costs [4]uint
	for _, s := range kept {
		for i := range costs {
			costs[i] += riceBits(s.more, lowBits(s.before, about+i-1))
		}
	}
	best := 0
	for i, cost := range costs {
		if cost < costs[best] {
			best = i
		}
	}
	best += about - 1
	b.gamma(uint64(best))
	for _, s := range kept {
		b.rice(s.more, lowBits(s.before, best))
	}
}

// keptSlot is a slot that had a word before: its count then, and by how much that has grown.
type keptSlot struct{ before, more uint64 }

// lowBits is how many bits of a count's growth are written as they are, if counts grow to
// 1 + 2^-less of what they were.
func lowBits(count uint64, less int) uint { return uint(max(bits.Len64(count)-less, 0)) }

// encodeDelta writes by how much the words of a table have grown, and which are new.
func (t *table) encodeDelta(b *bitWriter, since *table, scratch *deltaScratch) {
	scratch.words = t.appendWords(scratch.words[:0])
	grown, by, added := scratch.changed[:0], scratch.by[:0], scratch.added[:0]
	kept := 0
	for _, word := range scratch.words {
		now, before := t.count(word), uint64(0)
		if since.used > 0 {
			before = since.count(word)
		}
		if before == 0 {
			added = append(added, counted{word, now})
			continue
		}
		if now > before {
			grown, by = append(grown, kept), append(by, now-before)
		}
		kept++
	}
	scratch.changed, scratch.by, scratch.added = grown, by, added
	b.places(grown, since.used, func(int) {
		b.gamma(by[0] - 1)
		by = by[1:]
	})
	b.gamma(uint64(len(added)))
	for _, w := range added {
		b.bits(w.word>>1, 63)
		b.gamma(w.count - 1)
	}
}

// encodeDelta writes the counters that have changed, by how much.
func (r *rows) encodeDelta(b *bitWriter, since *rows, scratch *deltaScratch) {
	b.gamma(r.n - since.n)
	if r.n == since.n {
		return
	}
	old := func(i int) int64 {
		if len(since.cells) == 0 {
			return 0
		}
		return since.cells[i]
	}
	changed, sum := scratch.changed[:0], uint64(0)
	for i, c := range r.cells {
		if by := c - old(i); by != 0 {
			changed, sum = append(changed, i), addUp(sum, zigzag(by))
		}
	}
	scratch.changed = changed
	dense := isDense(len(changed), len(r.cells))
	b.bool(dense)
	if dense {
		k := lowBits(sum/uint64(len(r.cells)), 1)
		b.gamma(uint64(k))
		for i, c := range r.cells {
			b.rice(zigzag(c-old(i)), k)
		}
		return
	}
	b.places(changed, len(r.cells), func(i int) {
		by := r.cells[i] - old(i)
		b.bool(by < 0)
		b.gamma(uint64(max(by, -by)) - 1)
	})
}

// zigzag numbers 0, -1, 1, -2, 2 from 0 on.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// zagzig is what zigzag has numbered.
func zagzig(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// encodeDelta writes new words of the list, or registers that have risen.
func (d *Distinct) encodeDelta(b *bitWriter, since *Base) {
	b.bool(d.reg != nil)
	if d.reg == nil {
		added := slices.DeleteFunc(d.appendListed(nil), func(v uint64) bool {
			_, found := slices.BinarySearch(since.listed, v)
			return found
		})
		b.gamma(uint64(len(added)))
		for _, v := range added {
			b.bits(v>>1, 63)
		}
		return
	}
	old := func(i int) uint8 {
		if len(since.run) == 0 {
			return 0
		}
		return since.run[i]
	}
	changed := since.scratch.changed[:0]
	for i, run := range d.reg.run {
		if run != old(i) {
			changed = append(changed, i)
		}
	}
	since.scratch.changed = changed
	b.places(changed, d.k, func(i int) { b.gamma(uint64(d.reg.run[i] - old(i) - 1)) })
	same := d.martingale == since.martingale
	b.bool(same)
	if !same {
		b.bits(math.Float64bits(d.martingale.count), 64)
		b.bits(math.Float64bits(d.martingale.variance), 64)
		b.bool(d.martingale.over)
	}
}

// appendSorted appends the words of the table in order.
func (t *table) appendSorted(dst []counted) []counted {
	for _, v := range t.appendWords(nil) {
		dst = append(dst, counted{v, t.count(v)})
	}
	return dst
}

// appendWords appends the words of the table in order, without their counts.
func (t *table) appendWords(dst []uint64) []uint64 {
	for _, v := range t.keys {
		if v != 0 {
			dst = append(dst, v)
		}
	}
	slices.Sort(dst)
	return dst
}

// appendListed appends the words of the list in order.
func (d *Distinct) appendListed(dst []uint64) []uint64 {
	for _, v := range d.list {
		if v != 0 {
			dst = append(dst, v)
		}
	}
	slices.Sort(dst)
	return dst
}
