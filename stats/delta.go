package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"crawler/internal/binform"
)

const (
	deltaKind    = binform.Kind("WDLT")
	deltaVersion = 1
)

// Base is what a Words was when it was marked, so that what has changed since can be written. It
// takes as much memory as the binary form, which Mark uses again. The zero value is ready for use.
type Base struct {
	n          uint64
	sweep      uint64
	front      front
	back       []counted // by word
	tail       reservoir
	listed     []uint64 // ascending; none once there are registers
	run        []uint8  // none before
	martingale martingale
}

// Mark remembers in b what the sketches are now. It copies them, 13 KiB for a site, and sorts a few
// hundred words.
func (w *Words) Mark(b *Base) {
	s, d := &w.surprise, &w.tail
	b.n, b.sweep = s.n, s.sweep
	b.front.pairs, b.front.carry = append(b.front.pairs[:0], s.front.pairs...), maps.Clone(s.front.carry)
	b.back = s.back.appendSorted(b.back[:0])
	chosen := append(b.tail.chosen[:0], s.tail.chosen...)
	b.tail = s.tail
	b.tail.chosen = chosen
	b.listed, b.run = b.listed[:0], b.run[:0]
	if b.martingale = d.martingale; d.reg != nil {
		b.run = append(b.run, d.reg.run...)
	} else {
		b.listed = d.appendListed(b.listed)
	}
}

// AppendDelta appends to dst what has changed since the sketches were marked: for a page of a
// thousand words 190 bytes of a site, 430 of a crawl. Replay makes it part of the sketches as
// they were then. Without a Base the delta is a full one, which says all: three quarters of the
// binary form, 9 KiB for a site and 63 KiB for a crawl.
//
// A full delta holds the key that the seed gives, and so the seed: keep it as secret as the
// seed is.
func (w *Words) AppendDelta(dst []byte, since *Base) []byte {
	e := binform.Begin(dst, deltaKind, deltaVersion)
	e.Bool(since == nil)
	if since == nil {
		since = new(Base)
		e.Uint64(w.surprise.key)
		for _, size := range []int{w.surprise.limit, w.surprise.tail.size, w.tail.k, w.tail.cache} {
			e.Uint32(uint32(size))
		}
	}
	var b bitWriter
	b.gamma(since.n)
	b.gamma(w.surprise.n - since.n)
	w.surprise.encodeDelta(&b, since)
	w.tail.encodeDelta(&b, since)
	e.Raw(b.close())
	return e.Close()
}

// encodeDelta writes the front, the table, and the reservoir. When the front opens, the table's
// words move: then both are written anew.
func (s *Surprise) encodeDelta(b *bitWriter, since *Base) {
	open, opened := len(s.front.pairs) > 0, len(since.front.pairs) > 0
	b.bool(open)
	var words []counted
	if open == opened {
		words = since.back
	}
	if open {
		s.front.encodeDelta(b, &since.front, s.sweep == since.sweep)
	}
	now := s.back.appendSorted(nil)
	encodeTable(b, words, now)
	s.tail.encodeDelta(b, &since.tail, now)
}

// encodeDelta writes the slots whose counts have grown: by how much, and of new words what the slot
// keeps of them. Without a sweep a slot that looks as before is as before.
func (f *front) encodeDelta(b *bitWriter, since *front, noSweep bool) {
	size := 2 * len(f.pairs)
	old := func(i int) (raw, count uint64) {
		if len(since.pairs) == 0 {
			return 0, 0
		}
		_, count = since.slot(i)
		return since.pairs[i/2][i%2], count
	}
	var changed []int
	for p := range f.pairs {
		for i, slot := range f.pairs[p] {
			if len(since.pairs) > 0 && noSweep && slot == since.pairs[p][i] {
				continue
			}
			_, now := f.slot(2*p + i)
			if _, before := old(2*p + i); now != before {
				changed = append(changed, 2*p+i)
			}
		}
	}
	b.places(changed, size, func(i int) {
		raw, before := old(i)
		tag, now := f.slot(i)
		b.gamma(now - before - 1)
		if raw == 0 {
			b.bits(tag>>countBits, 64-countBits)
		}
	})
}

// encodeTable writes which words of a table are gone (1), which have grown by one (0) or more (as
// many), and which are new.
func encodeTable(b *bitWriter, before, now []counted) {
	var changed []int
	var codes []uint64
	var added []counted
	for i, j := 0, 0; i < len(before) || j < len(now); {
		switch {
		case j == len(now) || i < len(before) && before[i].word < now[j].word:
			changed, codes = append(changed, i), append(codes, tableGone)
			i++
		case i == len(before) || before[i].word > now[j].word:
			added = append(added, now[j])
			j++
		default:
			switch was, is := before[i].count, now[j].count; {
			case was == is:
			case (was^is)&tailWord != 0 || was > is: // it was gone, and is back
				changed, codes = append(changed, i), append(codes, tableGone)
				added = append(added, now[j])
			case is-was == 1:
				changed, codes = append(changed, i), append(codes, 0)
			default:
				changed, codes = append(changed, i), append(codes, is-was)
			}
			i, j = i+1, j+1
		}
	}
	b.places(changed, len(before), func(int) {
		b.gamma(codes[0])
		codes = codes[1:]
	})
	b.gamma(uint64(len(added)))
	for _, w := range added {
		b.bits(w.word>>1, 63)
		b.bool(w.count >= tailWord)
		b.gamma(w.count&^tailWord - 1)
	}
}

// tableGone stands for a word that is gone; a count that has grown by one is written as 0.
const tableGone = 1

// encodeDelta writes the positions passed and, if one was chosen, what then has changed. A chosen
// position's word is one of the table.
func (r *reservoir) encodeDelta(b *bitWriter, since *reservoir, words []counted) {
	b.gamma(r.n - since.n)
	same := r.next == since.next && r.random == since.random && len(r.chosen) == len(since.chosen)
	b.bool(same)
	if same {
		return
	}
	b.bits(r.next, 64)
	b.bits(math.Float64bits(r.bound), 64)
	b.bits(uint64(r.random), 64)
	var changed []int
	for i, p := range r.chosen {
		if i >= len(since.chosen) || p != since.chosen[i] {
			changed = append(changed, i)
		}
	}
	b.places(changed, r.size, func(i int) {
		p := r.chosen[i]
		at, _ := slices.BinarySearchFunc(words, p.word, func(w counted, word uint64) int { return cmp.Compare(w.word, word) })
		b.gamma(uint64(at))
		b.gamma(p.before &^ tailWord)
	})
}

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
	var changed []int
	for i, run := range d.reg.run {
		if run != old(i) {
			changed = append(changed, i)
		}
	}
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
	for i, v := range t.keys {
		if v != 0 {
			dst = append(dst, counted{v, t.counts[i]})
		}
	}
	slices.SortFunc(dst, func(a, b counted) int { return cmp.Compare(a.word, b.word) })
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
