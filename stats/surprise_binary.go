package stats

import (
	"cmp"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

const (
	surpriseKind    = binform.Kind("SURP")
	surpriseVersion = 1
)

// maxLength is how many words a form may say were added. Counts stay clear of
// tailWord for as long as anyone continues to add.
const maxLength = 1 << 62

// AppendBinary appends the binary form of the sketch to dst: at the default
// size 80 KiB once the head is full, and 16 bytes a different word before. It
// holds the head, the chosen positions, the next one and the state of the
// random numbers, so the sketch read from it continues exactly as this one
// would. The error is always nil.
//
// The form holds the key that the seed gives, and so the seed: keep it as
// secret as the seed is.
func (s *Surprise) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, surpriseKind, surpriseVersion)
	s.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns the binary form; see AppendBinary.
func (s *Surprise) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary replaces s by the sketch that data is the form of. It returns
// an error that wraps binform.ErrFormat, and leaves s as it was, if data is no
// such form. It allocates at most some six times the length of data.
func (s *Surprise) UnmarshalBinary(data []byte) error {
	from, _, err := binform.Open(data, surpriseKind, surpriseVersion)
	if err != nil {
		return err
	}
	var fresh Surprise
	fresh.decode(from)
	if err := from.Close(); err != nil {
		return err
	}
	*s = fresh
	return nil
}

func (s *Surprise) encode(e *binform.Encoder) {
	e.Uint64(s.key)
	e.Uint32(uint32(s.limit))
	e.Uint32(uint32(s.tail.size))
	e.Uint64(s.n)
	e.Bool(len(s.front.pairs) > 0)
	if len(s.front.pairs) > 0 {
		s.front.encode(e)
	}
	words := s.back.sortedBy(cmp.Compare[uint64])
	e.Uint32(uint32(len(words)))
	for _, w := range words {
		e.Uint64(w.word)
		e.Uint64(w.count)
	}
	s.tail.encode(e)
}

// encode writes the slots, and then what those cannot hold that are as full as
// they may be after a sweep. So the form does not depend on when a sweep was.
func (f *front) encode(e *binform.Encoder) {
	full := uint32(0)
	for slot := range 2 * len(f.pairs) {
		tag, count := f.slot(slot)
		e.Uint64(tag | min(count, halfFull-1))
		if count >= halfFull {
			full++
		}
	}
	e.Uint32(full)
	for slot := range 2 * len(f.pairs) {
		if _, count := f.slot(slot); count >= halfFull {
			e.Uint32(uint32(slot))
			e.Uint64(count - (halfFull - 1))
		}
	}
}

// slot returns the upper bits of a slot's word and its count.
func (f *front) slot(i int) (tag, count uint64) {
	slot := f.pairs[i/2][i%2]
	return slot &^ countMask, slot&countMask + f.carry[i]
}

func (r *reservoir) encode(e *binform.Encoder) {
	e.Uint64(r.n)
	e.Uint64(r.next)
	e.Float64(r.bound)
	e.Uint64(uint64(r.random))
	for _, p := range r.chosen {
		e.Uint64(p.word)
		e.Uint64(p.before)
	}
}

// counted is a word of a table.
type counted struct{ word, count uint64 }

// sortedBy returns the words of the table in order. What is made of them then does
// not depend on the table's history.
func (t *table) sortedBy(compare func(a, b uint64) int) []counted {
	words := make([]counted, 0, t.used)
	for i, v := range t.keys {
		if v != 0 {
			words = append(words, counted{v, t.counts[i]})
		}
	}
	slices.SortFunc(words, func(a, b counted) int { return compare(a.word, b.word) })
	return words
}

func (s *Surprise) decode(from *binform.Decoder) {
	s.key = from.Uint64()
	limit, size := from.Uint32(), from.Uint32()
	s.n = from.Uint64()
	from.Check(limit <= MaxHead, "a head of %d words", limit)
	from.Check(size >= MinReservoir && size <= MaxReservoir, "a reservoir of %d positions", size)
	from.Check(s.n <= maxLength, "%d words", s.n)
	s.limit, s.tail.size = int(limit), int(size)
	if from.Bool() {
		from.Check(limit > 0, "a front without a head")
		s.front.decode(from, powerOfTwo(max(1, int(limit))))
	}
	s.back.decode(from, s.limit+s.tail.size)
	s.tail.decode(from)
	if from.OK() {
		s.checkHead(from)
		s.checkTail(from)
	}
}

func (f *front) decode(from *binform.Decoder, pairs int) {
	from.Check(from.Left()/16 >= pairs, "the front is cut off")
	if !from.OK() {
		return
	}
	*f = newFront(pairs)
	for i := range f.pairs {
		p := &f.pairs[i]
		p[0], p[1] = from.Uint64(), from.Uint64()
		for _, slot := range p {
			if slot != 0 {
				f.free--
				from.Check(slot&countMask > 0 && slot&countMask < halfFull, "the count of a slot is out of range")
			}
		}
		from.Check(p[1] == 0 || p[0] != 0, "the second slot of a pair was filled first")
		from.Check(p[1] == 0 || p[0]^p[1] > countMask, "a word has both slots of its pair")
	}
	f.decodeCarry(from)
}

func (f *front) decodeCarry(from *binform.Decoder) {
	next := 0
	for n := from.Uint32(); n > 0 && from.OK(); n-- {
		i, count := int(from.Uint32()), from.Uint64()
		from.Check(i >= next && i < 2*len(f.pairs), "the full slots are not ascending, or beyond the front")
		from.Check(count > 0 && count <= maxLength, "what a slot could not hold is out of range")
		if !from.OK() {
			return
		}
		from.Check(f.pairs[i/2][i%2]&countMask == halfFull-1, "a slot that is not full has more elsewhere")
		f.keepAside(i, count)
		next = i + 1
	}
}

// decode reads a table of at most the given number of words.
func (t *table) decode(from *binform.Decoder, most int) {
	n := int(from.Uint32())
	from.Check(n <= most, "%d words in a table for at most %d", n, most)
	from.Check(n <= from.Left()/16, "%d words, %d bytes there", n, from.Left())
	if !from.OK() {
		return
	}
	*t = newTable(max(minSlots, powerOfTwo(max(1, 2*n))))
	last := uint64(0)
	for range n {
		v, count := from.Uint64(), from.Uint64()
		from.Check(v&1 == 1 && v > last, "the words of the table are not odd and ascending")
		from.Check(count&^tailWord > 0 && count&^tailWord <= maxLength, "the count of a word is out of range")
		if !from.OK() {
			return
		}
		t.put(v, count)
		i, _ := find(t.keys, v)
		from.Check(probes(i, v, len(t.keys)) <= maxProbe, crowded)
		last = v
	}
}

// maxProbe is how far from its home a word of a form may lie. In a table at
// most half full, among words that were mixed, none lies farther than a tenth
// of that; only those chosen to make the reader slow do.
const maxProbe = 1024

const crowded = "too many words in one place"

// probes returns how far slot i, of the given number, lies from the home of v.
func probes(i int, v uint64, slots int) int { return (i - home(v, slots)) & (slots - 1) }

func (r *reservoir) decode(from *binform.Decoder) {
	r.n, r.next = from.Uint64(), from.Uint64()
	r.bound, r.random = from.Float64(), rng(from.Uint64())
	from.Check(r.n <= maxLength, "a tail of %d words", r.n)
	from.Check(r.next > r.n && r.next-r.n <= 1+maxSkip, "the next position does not lie ahead")
	n := int(min(r.n, uint64(r.size)))
	if n < r.size {
		from.Check(r.next == r.n+1 && r.bound == 1, "positions are passed over before the reservoir is full")
	} else {
		from.Check(r.bound > 0 && r.bound <= 1, "a bound of %g", r.bound)
	}
	from.Check(n <= from.Left()/16, "%d positions, %d bytes there", n, from.Left())
	if !from.OK() {
		return
	}
	r.chosen = make([]position, n)
	for i := range r.chosen {
		r.chosen[i] = position{from.Uint64(), from.Uint64()}
	}
}

// checkHead counts the words of the head and compares them with the length.
func (s *Surprise) checkHead(from *binform.Decoder) {
	inFront := 2*len(s.front.pairs) - s.front.free
	sum := s.tail.n
	for slot := range 2 * len(s.front.pairs) {
		_, count := s.front.slot(slot)
		sum = addUp(sum, count)
	}
	inBack := 0
	for i, v := range s.back.keys {
		if v == 0 {
			continue
		}
		if count := s.back.counts[i]; count < tailWord {
			inBack++
			sum = addUp(sum, count)
		}
		from.Check(s.front.shutTo(v), "a word is in the table that belongs in the front")
	}
	s.heads = inFront + inBack
	from.Check(sum == s.n, "the counts do not add up to the length")
	from.Check(inBack <= s.limit, "the table holds more of the head than the head may have")
	from.Check((len(s.front.pairs) > 0) == s.opens(), "a front for %d words of at most %d", s.heads, s.limit)
	from.Check(s.tail.n == 0 || s.heads >= s.limit, "a tail while the head has room")
}

// addUp adds and stops at the largest number.
func addUp(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// shutTo reports whether v is not in the front and would find no slot there.
func (f *front) shutTo(v uint64) bool {
	if len(f.pairs) == 0 {
		return true
	}
	p := f.pair(v)
	return p[1] != 0 && p[0]^v > countMask && p[1]^v > countMask
}

// checkTail compares the chosen positions with the counters of their words.
func (s *Surprise) checkTail(from *binform.Decoder) {
	chosen := slices.Clone(s.tail.chosen)
	slices.SortFunc(chosen, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.before, b.before))
	})
	words, sum := 0, uint64(0)
	for i, p := range chosen {
		count := uint64(0)
		if p.word != 0 { // which would be found, in an empty slot
			count = s.back.count(p.word)
		}
		from.Check(p.before >= tailWord && p.before < count, "a chosen position and its counter disagree")
		if i > 0 && p.word == chosen[i-1].word {
			from.Check(p.before != chosen[i-1].before, "a position was chosen twice")
			continue
		}
		words++
		sum = addUp(sum, count&^tailWord)
	}
	from.Check(sum <= s.tail.n, "the counters of the chosen words exceed the tail")
	inFront := 2*len(s.front.pairs) - s.front.free
	from.Check(words == s.back.used-(s.heads-inFront), "a counter without a chosen position")
}
