package stats

import (
	"cmp"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

const (
	surpriseKind    = binform.Kind("SURP")
	surpriseVersion = 2 // version 1 had a reservoir for the tail
)

// maxLength is how many words a form may say were added.
const maxLength = 1 << 62

// AppendBinary appends the binary form of the sketch to dst: at the default
// size 80 KiB once the head is full, 16 more with a tail, and 16 bytes a different word before. It
// holds the head and the rows, so the sketch read from it continues exactly as this one
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
	from, version, err := binform.Open(data, surpriseKind, surpriseVersion)
	if err != nil {
		return err
	}
	from.Check(version == surpriseVersion, tooOld, version)
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
	e.Uint32(uint32(s.tail.width))
	e.Uint64(s.n)
	e.Bool(s.closed)
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
	if tag, count = slot&^countMask, slot&countMask; len(f.carry) > 0 {
		count += f.carry[i]
	}
	return tag, count
}

// encode writes the number of words and, if there are any, the counters.
func (r *rows) encode(e *binform.Encoder) {
	e.Uint64(r.n)
	for _, c := range r.cells {
		e.Uint64(uint64(c))
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

// tooOld is the reason why a form is refused that this version cannot read.
const tooOld = "version %d is too old"

func (s *Surprise) decode(from *binform.Decoder) {
	s.key = from.Uint64()
	limit, width := from.Uint32(), from.Uint32()
	s.n = from.Uint64()
	s.closed = from.Bool()
	from.Check(limit <= MaxHead, "a head of %d words", limit)
	checkWidth(from, width)
	from.Check(s.n <= maxLength, "%d words", s.n)
	s.limit, s.tail.width = int(limit), int(width)
	s.known = knownBits(int(min(limit, MaxHead)))
	if from.Bool() {
		from.Check(limit > 0, "a front without a head")
		s.front.decode(from, powerOfTwo(max(1, int(limit))))
	}
	s.back.decode(from, s.limit, s.known)
	s.tail.decode(from)
	if from.OK() {
		s.checkHead(from)
	}
}

func checkWidth(from *binform.Decoder, width uint32) {
	from.Check(width >= MinTail && width <= MaxTail && bits.OnesCount32(width) == 1, "rows of %d counters", width)
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

// decode reads a table of at most the given number of words, of which only the known bits may be
// set.
func (t *table) decode(from *binform.Decoder, most int, known uint64) {
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
		from.Check(v&^known == 0, unknownBits)
		from.Check(count > 0 && count <= maxLength, "the count of a word is out of range")
		if !from.OK() {
			return
		}
		t.put(v, count)
		i, _ := find(t.keys, v)
		from.Check(probes(i, v, len(t.keys)) <= maxProbe, crowded)
		last = v
	}
}

const unknownBits = "a word has bits that the front cannot tell"

// maxProbe is how far from its home a word of a form may lie. In a table at
// most half full, among words that were mixed, none lies farther than a tenth
// of that; only those chosen to make the reader slow do.
const maxProbe = 1024

const crowded = "too many words in one place"

// probes returns how far slot i, of the given number, lies from the home of v.
func probes(i int, v uint64, slots int) int { return (i - home(v, slots)) & (slots - 1) }

// decode reads rows. Each occurrence has changed one counter of each row by 1.
func (r *rows) decode(from *binform.Decoder) {
	r.n = from.Uint64()
	from.Check(r.n <= maxLength, "a tail of %d words", r.n)
	from.Check(r.n == 0 || from.Left()/8 >= tailRows*r.width, "%d counters, %d bytes there", tailRows*r.width, from.Left())
	if !from.OK() || r.n == 0 {
		return
	}
	r.open()
	for row := r.cells; len(row) > 0; row = row[r.width:] {
		sum := uint64(0)
		for i := range row[:r.width] {
			c := int64(from.Uint64())
			row[i] = c
			sum = addUp(sum, uint64(max(c, -c)))
		}
		from.Check(sum <= r.n && (r.n-sum)%2 == 0, "a row of counters does not follow from %d words", r.n)
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
	for i, v := range s.back.keys {
		if v != 0 {
			sum = addUp(sum, s.back.counts[i])
			from.Check(s.closed || s.front.shutTo(v), "a word is in the table that belongs in the front")
			_, found := s.front.find(v)
			from.Check(!found, "a word is in the table and in the front")
		}
	}
	s.heads = inFront + s.back.used
	from.Check(sum == s.n, "the counts do not add up to the length")
	from.Check(s.tail.n > 0 || !s.closed, "a head is closed, and there is no tail")
	if s.closed {
		return
	}
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
