package stats

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

// Replay makes w what the sketches were when AppendDelta wrote the last of the deltas, of which
// the first is a full one, unless w is what the first was written since, and each other was
// written when the one before was. It continues exactly as those sketches did. It returns an
// error that wraps binform.ErrFormat, and leaves w as it was, if one is damaged or missing. It
// allocates at most some ten times the length of the deltas, and the sizes of sketches that a
// full one gives.
func (w *Words) Replay(deltas ...[]byte) error {
	fresh := w.Clone()
	for _, data := range deltas {
		if err := fresh.replay(data); err != nil {
			return err
		}
	}
	form, err := fresh.MarshalBinary()
	if err != nil {
		return err
	}
	return w.UnmarshalBinary(form) // which checks that all of it fits together
}

// replay applies a delta. After an error w is of no use.
func (w *Words) replay(data []byte) error {
	from, version, err := binform.Open(data, deltaKind, deltaVersion)
	if err != nil {
		return err
	}
	from.Check(version == deltaVersion, tooOld, version)
	if from.Bool() {
		w.begin(from)
	}
	b := bitReader{from: from}
	if from.OK() {
		b.rest = from.Raw(from.Left())
		from.Check(b.gamma() == w.surprise.n, "what it continues is not there")
		w.surprise.n = addUp(w.surprise.n, b.gamma())
	}
	for _, part := range []func(*bitReader){w.surprise.decodeDelta, w.tail.decodeDelta} {
		if from.OK() {
			part(&b)
		}
	}
	if from.OK() {
		b.close()
	}
	return from.Close()
}

// begin makes w empty sketches of the sizes that a full delta gives.
func (w *Words) begin(from *binform.Decoder) {
	key := from.Uint64()
	limit, width, k, cache := from.Uint32(), from.Uint32(), from.Uint32(), from.Uint32()
	closed := from.Bool()
	from.Check(limit > 0 && limit <= MaxHead, "a head of %d words", limit)
	checkWidth(from, width)
	from.Check(k >= MinRegisters && k <= MaxRegisters && bits.OnesCount32(k) == 1, "%d registers", k)
	from.Check(cache >= 1 && cache <= max(k, siteCache) && bits.OnesCount32(cache) == 1, "a cache of %d slots", cache)
	if !from.OK() {
		return
	}
	*w = *NewWords(Config{Registers: int(k), Head: int(limit), Width: int(width), cache: int(cache)})
	w.surprise.key, w.tail.key, w.surprise.closed = key, key, closed
}

func (s *Surprise) decodeDelta(b *bitReader) {
	open, opened := b.bool(), len(s.front.pairs) > 0
	b.from.Check(open || !opened, "a front is gone")
	words := s.back.appendSorted(nil)
	if open && !opened && b.from.OK() {
		s.front, words = newFront(powerOfTwo(s.limit)), nil
	}
	if open {
		s.front.decodeDelta(b)
	}
	if words = decodeTable(b, words, s.limit); b.from.OK() {
		s.back.fill(b.from, words)
		s.tail.decodeDelta(b)
	}
}

func (f *front) decodeDelta(b *bitReader) {
	if b.bool() {
		f.decodeGrown(b)
	}
	b.places(2*len(f.pairs), func(i int) {
		more := b.gamma() + 1
		if f.pairs[i/2][i%2] == 0 {
			f.pairs[i/2][i%2] = b.bits(64-countBits) << countBits
		}
		f.grow(i, more, b)
	})
}

// decodeGrown reads by how much each slot has grown that has a word.
func (f *front) decodeGrown(b *bitReader) {
	less := b.number(64)
	for i := range 2 * len(f.pairs) {
		if !b.from.OK() {
			return
		}
		if f.pairs[i/2][i%2] != 0 {
			_, count := f.slot(i)
			f.grow(i, b.rice(lowBits(count, less)), b)
		}
	}
}

// grow adds to the count of a slot.
func (f *front) grow(i int, more uint64, b *bitReader) {
	slot := &f.pairs[i/2][i%2]
	_, count := f.slot(i)
	b.from.Check(more <= maxLength && addUp(count, more) <= maxLength, "a count beyond 2^62")
	*slot &^= countMask
	delete(f.carry, i)
	if count += more; count < halfFull {
		*slot |= count
		return
	}
	*slot |= halfFull - 1
	f.keepAside(i, count-(halfFull-1))
}

// decodeTable returns the words of a table, of which there are at most so many.
func decodeTable(b *bitReader, words []counted, most int) []counted {
	b.places(len(words), func(i int) {
		more := b.gamma() + 1
		b.from.Check(more <= maxLength && addUp(words[i].count, more) <= maxLength, "a count beyond 2^62")
		words[i].count += more
	})
	n := b.number(most)
	b.from.Check(len(words)+n <= most, "%d words in a table for at most %d", len(words)+n, most)
	for range n {
		if !b.from.OK() {
			return nil
		}
		w := counted{b.bits(63)<<1 | 1, b.gamma() + 1}
		b.from.Check(w.count <= maxLength, "a count beyond 2^62")
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b counted) int { return cmp.Compare(a.word, b.word) })
	for i := range words {
		b.from.Check(i == 0 || words[i].word != words[i-1].word, "a word is in the table twice")
	}
	return words
}

func (r *rows) decodeDelta(b *bitReader) {
	more := b.gamma()
	r.n = addUp(r.n, more)
	b.from.Check(r.n <= maxLength, "a tail of %d words", r.n)
	if more == 0 || !b.from.OK() {
		return
	}
	r.open()
	if b.bool() {
		k := uint(b.number(63))
		for i := range r.cells {
			r.change(i, zagzig(b.rice(k)), b)
		}
		return
	}
	b.places(len(r.cells), func(i int) {
		negative := b.bool()
		by := int64(b.gamma() + 1)
		if negative {
			by = -by
		}
		r.change(i, by, b)
	})
}

// change adds to a counter.
func (r *rows) change(i int, by int64, b *bitReader) {
	b.from.Check(by <= maxLength && by >= -maxLength, "a counter that has changed by %d", by)
	if !b.from.OK() {
		return
	}
	r.cells[i] += by
	b.from.Check(r.cells[i] <= maxLength && r.cells[i] >= -maxLength, "a counter beyond 2^62")
}

func (d *Distinct) decodeDelta(b *bitReader) {
	registers := b.bool()
	b.from.Check(registers || d.reg == nil, "registers are gone")
	if !b.from.OK() {
		return
	}
	if !registers {
		d.decodeAdded(b)
		return
	}
	run := make([]uint8, d.k)
	if d.reg != nil {
		copy(run, d.reg.run)
	}
	b.places(d.k, func(i int) {
		more := b.number(maxRun)
		b.from.Check(int(run[i])+more < maxRun, "a register above %d", maxRun)
		run[i] += uint8(more) + 1
	})
	if !b.from.OK() {
		return
	}
	if d.reg == nil {
		d.list, d.recent = nil, newRecent(d.cache)
		d.words = d.k/2 + 1
	}
	d.reg = registersOf(run)
	d.pass = d.reg.pass
	if !b.bool() {
		d.martingale = martingale{math.Float64frombits(b.bits(64)), math.Float64frombits(b.bits(64)), b.bool()}
	}
}

// decodeAdded reads new words of the list.
func (d *Distinct) decodeAdded(b *bitReader) {
	words := d.appendListed(nil)
	n := b.number(d.k / 2)
	b.from.Check(len(words)+n <= d.k/2, "%d words in a list for at most %d", len(words)+n, d.k/2)
	for range n {
		if !b.from.OK() {
			return
		}
		words = append(words, b.bits(63)<<1|1)
	}
	slices.Sort(words)
	d.words = len(words)
	d.list = make([]uint64, max(minSlots, powerOfTwo(max(1, 2*len(words)))))
	for i, v := range words {
		b.from.Check(i == 0 || v != words[i-1], "a word is in the list twice")
		at, _ := find(d.list, v)
		d.list[at] = v
		b.from.Check(probes(at, v, len(d.list)) <= maxProbe, crowded)
	}
}

// fill makes the table one of the given words.
func (t *table) fill(from *binform.Decoder, words []counted) {
	*t = newTable(max(minSlots, powerOfTwo(max(1, 2*len(words)))))
	for _, w := range words {
		t.put(w.word, w.count)
		i, _ := find(t.keys, w.word)
		from.Check(probes(i, w.word, len(t.keys)) <= maxProbe, crowded)
		if !from.OK() {
			return
		}
	}
}
