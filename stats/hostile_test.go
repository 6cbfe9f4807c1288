package stats

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"crawler/internal/binform"
)

// Each of these sketches breaks one promise that its methods rely on. Their
// forms must be refused for that reason.

func TestHostileDistinct(t *testing.T) {
	few, many := different(20), different(5000)
	for _, c := range []struct {
		want  string
		words []uint64
		spoil func(d *Distinct)
	}{
		{"65 registers", few, func(d *Distinct) { d.k = 65 }},
		{"8 registers", few, func(d *Distinct) { d.k = 8 }},
		{"registers", few, func(d *Distinct) { d.k = 2 * MaxRegisters }},
		{"a cache of 0", few, func(d *Distinct) { d.cache = 0 }},
		{"a cache of 96", few, func(d *Distinct) { d.cache = 96 }},
		{"a cache of 256", few, func(d *Distinct) { d.cache = 256 }},
		{"40 words in a list", few, func(d *Distinct) { d.list = []uint64(different(40)) }},
		{"not odd", few, func(d *Distinct) { d.list[slices.Index(d.list, 0)] = 2 }},
		{"ascending", few, func(d *Distinct) { d.list = []uint64{5, 5} }},
		{"a register above 60", many, func(d *Distinct) { d.reg.run[3] = maxRun + 1 }},
		{"a martingale of 32", many, func(d *Distinct) { d.martingale.count = 32 }},
		{"a martingale of NaN", many, func(d *Distinct) { d.martingale.count = math.NaN() }},
		{"a martingale of +Inf", many, func(d *Distinct) { d.martingale.count = math.Inf(1) }},
		{"a variance of -1", many, func(d *Distinct) { d.martingale.variance = -1 }},
		{"a variance of NaN", many, func(d *Distinct) { d.martingale.variance = math.NaN() }},
		{"a variance of", many, func(d *Distinct) { d.martingale.variance = 1.01 * d.martingale.count * d.martingale.count }},
		{"a variance of +Inf", many, func(d *Distinct) { d.martingale.variance = math.Inf(1) }},
	} {
		d := filled(64, 1, c.words)
		c.spoil(d)
		refusedFor(t, new(Distinct), marshaled(t, d), c.want)
	}
	d := NewDistinct(MaxRegisters, 1)
	for i := range uint64(2000) {
		d.list = append(d.list, i<<40|1)
	}
	refusedFor(t, new(Distinct), marshaled(t, d), crowded)
}

// refusedFor demands an error that says what is wrong.
func refusedFor(t *testing.T, s sketch, data []byte, want string) {
	t.Helper()
	if err := s.UnmarshalBinary(data); !errors.Is(err, binform.ErrFormat) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want it to say %q", err, want)
	}
}

// hostile is a way to spoil a Surprise.
type hostile struct {
	want  string
	spoil func(s *Surprise)
}

func (c hostile) check(t *testing.T, s *Surprise) {
	t.Helper()
	c.spoil(s)
	refusedFor(t, new(Surprise), marshaled(t, s), c.want)
}

func TestHostileHead(t *testing.T) {
	used := func(s *Surprise) int {
		return slices.IndexFunc(s.front.pairs, func(p [2]uint64) bool { return p[0] != 0 && p[1] == 0 })
	}
	full := func(s *Surprise) int {
		return slices.IndexFunc(s.front.pairs, func(p [2]uint64) bool { return p[1] != 0 })
	}
	for _, c := range []hostile{
		{"a head of", func(s *Surprise) { s.limit = MaxHead + 1 }},
		{"rows of 15", func(s *Surprise) { s.tail.width = 15 }},
		{"rows of 48", func(s *Surprise) { s.tail.width = 48 }},
		{"rows of", func(s *Surprise) { s.tail.width = 2 * MaxTail }},
		{"words", func(s *Surprise) { s.n = maxLength + 1 }},
		{"a front without a head", func(s *Surprise) { s.limit = 0 }},
		{"the front is cut off", func(s *Surprise) { s.limit = MaxHead }},
		{"the count of a slot", func(s *Surprise) { s.front.pairs[full(s)][0] &^= countMask }},
		{"filled first", func(s *Surprise) { p := &s.front.pairs[used(s)]; p[0], p[1] = p[1], p[0] }},
		{"both slots", func(s *Surprise) { p := &s.front.pairs[full(s)]; p[1] = p[0] }},
		{"do not add up", func(s *Surprise) { s.n++ }},
		{"do not add up", func(s *Surprise) { s.front.pairs[full(s)][1]++ }},
		{"do not add up", func(s *Surprise) { s.front.keepAside(2*full(s), maxLength) }},
		{"the count of a word", func(s *Surprise) { s.back.counts[backHead(s)] = 0 }},
		{"the count of a word", func(s *Surprise) { s.back.counts[backHead(s)] = maxLength + 1 }},
		{"not odd", func(s *Surprise) { s.back.keys[backHead(s)]-- }},
		{"belongs in the front", func(s *Surprise) { s.back.put(uint64(used(s))<<1|1<<50|1, 1); s.n++ }},
		{"belongs in the front", func(s *Surprise) {
			i := full(s)
			s.back.put(s.front.pairs[i][1]&^countMask|uint64(i)<<1|1, 1)
			s.n++
		}},
		{"words in a table for at most 100", func(s *Surprise) {
			for i, pair := uint64(0), uint64(full(s)); i < 101; i++ {
				s.back.put(i<<44|pair<<1|1, 1)
				s.n++
			}
		}},
		{"a tail while the head has room", func(s *Surprise) {
			s.limit = 128 // the same front
		}},
		{"a front for", func(s *Surprise) {
			*s = *NewSurprise(100, 16, 1)
			s.AddAll(different(60))
			for _, v := range different(10) {
				s.back.put(v&s.known|1, 1)
				s.n++
			}
		}},
	} {
		s := NewSurprise(100, 16, 1)
		s.AddAll(different(160))
		if c.want == "a tail while the head has room" {
			s = NewSurprise(100, 16, 1)
			s.AddAll(crowding(s, 110))
		}
		c.check(t, s)
	}
}

// backHead returns the slot of a word of the head in the table.
func backHead(s *Surprise) int {
	for i, v := range s.back.keys {
		if v != 0 {
			return i
		}
	}
	panic("no word of the head in the table")
}

// crowding returns n words that fit into few pairs of the front.
func crowding(s *Surprise, n int) (hashes []uint64) {
	for h := uint64(1); len(hashes) < n; h++ {
		if mix(h, s.key)>>1&127 < 8 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

func TestHostileTail(t *testing.T) {
	for _, c := range []hostile{
		{"a tail of", func(s *Surprise) { s.tail.n = maxLength + 1 }},
		{"does not follow", func(s *Surprise) { s.tail.cells[3]++ }},
		{"does not follow", func(s *Surprise) { s.tail.cells[3] += 4000 }},
		{"does not follow", func(s *Surprise) { s.tail.cells[tailRows*s.tail.width-1] = math.MinInt64 }},
		{"counters", func(s *Surprise) { s.tail.cells = nil }},
		{"left over", func(s *Surprise) { s.n -= s.tail.n; s.tail.n = 0 }},
		{"do not add up", func(s *Surprise) { s.tail.n += 2 }},
		{"a head is closed", func(s *Surprise) {
			*s = *NewSurprise(10, 32, 1)
			s.closed = true
		}},
		{"1 words in a table for at most 0", func(s *Surprise) { s.back.put(1, 1) }},
		{"the front cannot tell", func(s *Surprise) {
			*s = *NewSurprise(10, 32, 1)
			s.back.put(1<<40|1<<12|1, 1)
			s.n++
		}},
		{"the words of the table", func(s *Surprise) {
			s.limit = 1
			s.back.keys[slices.Index(s.back.keys, 0)] = 2
			s.back.used++
		}},
		{crowded, func(s *Surprise) {
			s.back, s.limit = newTable(1<<14), 2000
			for i := range uint64(2000) {
				s.back.put(i<<44|1, 1)
			}
		}},
	} {
		s := NewSurprise(0, 32, 1)
		s.AddAll(different(2000))
		c.check(t, s)
	}
}

// A head that a merge has closed must not have a word in both of its parts.
func TestHostileMerged(t *testing.T) {
	s, o := NewSurprise(100, 16, 1), NewSurprise(100, 16, 1)
	s.AddAll(different(170))
	o.AddAll(different(200)[20:])
	if err := s.Merge(o); err != nil || !s.closed {
		t.Fatal(err)
	}
	if err := new(Surprise).UnmarshalBinary(marshaled(t, s)); err != nil {
		t.Fatalf("not spoiled: %v", err)
	}
	w := s.words()[0]
	if _, inFront := s.front.find(w.word); !inFront {
		t.Fatal("the word is not in the front")
	}
	s.back.put(w.word, 1)
	s.n++
	refusedFor(t, new(Surprise), marshaled(t, s), "in the table and in the front")
}

func TestHostileCarry(t *testing.T) {
	words := different(100)
	for _, c := range []struct {
		want  string
		spoil func(carry []byte) // of full slots, the first slot and its count, the second
	}{
		{"ascending", func(carry []byte) { copy(carry[16:20], carry[4:8]) }},
		{"beyond the front", func(carry []byte) { carry[16+3] = 1 }},
		{"out of range", func(carry []byte) { clear(carry[8:16]) }},
		{"out of range", func(carry []byte) { carry[15] = 0x80 }},
		{"not full", func(carry []byte) { clear(carry[4:8]) }},
		{"", func([]byte) {}},
	} {
		s := NewSurprise(100, 16, 1)
		s.AddAll(words)
		often := []uint64{words[0], words[1]}
		s.AddAll(slices.Repeat(often, 140_000))
		data := slices.Clone(fieldsOf(marshaled(t, s)))
		start := 8 + 4 + 4 + 8 + 1 + 1 + 16*len(s.front.pairs)
		if data[start] != 2 {
			t.Fatalf("%d full slots, want 2", data[start])
		}
		c.spoil(data[start:])
		if c.want != "" {
			refusedFor(t, new(Surprise), framed(surpriseKind, data), c.want)
		} else if err := new(Surprise).UnmarshalBinary(framed(surpriseKind, data)); err != nil {
			t.Errorf("not spoiled: %v", err)
		}
	}
}

func TestHostileWords(t *testing.T) {
	config := Config{Registers: 64, Head: 50, Width: 16, Seed: 1}
	grown := func(n int) *Words {
		w := NewWords(config)
		w.AddAll(different(n))
		return w
	}
	tailed := 0
	for ; grown(tailed).tail.words < 10; tailed++ {
	}
	for _, c := range []struct {
		want  string
		spoil func(w *Words)
	}{
		{"different keys", func(w *Words) { w.tail.key++ }},
		{"no head", func(w *Words) {
			w.surprise = *NewSurprise(0, 16, 1)
			w.surprise.AddAll(different(12))
		}},
		{"more different words", func(w *Words) { w.tail = *filled(64, 1, different(tailed)[:31]) }},
		{"a tail without words", func(w *Words) { w.tail = *NewDistinct(64, 1) }},
		{"belongs in the front", func(w *Words) {
			slot := slices.IndexFunc(w.surprise.front.pairs, func(p [2]uint64) bool { return p[1] != 0 })
			i := slices.IndexFunc(w.tail.list, func(v uint64) bool { return v != 0 })
			w.tail.list[i] = w.surprise.front.pairs[slot][0]&^countMask | uint64(slot)<<1 | 1
		}},
		{"in the head", func(w *Words) {
			i := slices.IndexFunc(w.tail.list, func(v uint64) bool { return v != 0 })
			w.tail.list[i] = w.surprise.back.keys[backHead(&w.surprise)]
		}},
		{"the front cannot tell", func(w *Words) {
			i := slices.IndexFunc(w.tail.list, func(v uint64) bool { return v != 0 })
			w.tail.list[i] |= countMask
		}},
	} {
		w := grown(tailed)
		c.spoil(w)
		refusedFor(t, new(Words), marshaled(t, w), c.want)
	}
}

func TestHostileExact(t *testing.T) {
	word := func(h, count uint64) (b []byte) {
		e := binform.Begin(nil, exactKind, 1)
		e.Uint64(h)
		e.Uint64(count)
		return fieldsOf(e.Close())
	}
	two := []byte{2, 0, 0, 0}
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"ascending", slices.Concat(two, word(5, 1), word(5, 1))},
		{"ascending", slices.Concat(two, word(5, 1), word(4, 1))},
		{"a count of 0", slices.Concat(two, word(4, 1), word(5, 0))},
		{"2^62", slices.Concat(two, word(4, 1), word(5, maxLength))},
		{"2^62", slices.Concat(two, word(4, 1), word(5, math.MaxUint64))},
		{"bytes there", slices.Concat(two, word(4, 1))},
		{"left over", slices.Concat(two, word(4, 1), word(5, 1), two)},
	} {
		refusedFor(t, new(Exact), framed(exactKind, c.data), c.want)
	}
}
