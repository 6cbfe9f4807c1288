package stats

import (
	"math"
	"math/bits"
	"unsafe"
)

// Sizes of a Surprise.
const (
	DefaultHead      = 4096
	MaxHead          = maxPairs
	DefaultReservoir = 256
	MinReservoir     = 16
	MaxReservoir     = 1 << 14
)

// Surprise estimates the second moment of a stream, the sum over its words of
// the square of the word's count, which the source calls its surprise number.
//
// The first words are counted exactly: this is the head. In text the
// frequent words come early, so the head holds nearly all of the sum, and it
// adds no error. Over the other words, the tail, it is the estimator of Alon,
// Matias and Szegedy (The space complexity of approximating the frequency
// moments, 1999, section 2.1): positions are chosen uniformly, and for each one
// counts c, the occurrences of its word from there on. X = n(2c - 1) has the
// second moment as its expectation, n being the length of the tail: the sum of
// 2c - 1 over all positions of a word is 1 + 3 + 5 + ... = m². The positions are
// a reservoir, each of the n so far chosen with the same chance, and the next one
// is drawn ahead, so that a word not chosen costs no coin.
//
// The first head different words are in the head, and of those that come later
// the ones that still find a free slot. The figure is exact while there is no
// tail, and while the tail is no longer than the reservoir.
//
// Cost: about 5 ns a word by AddAll on text, 7 by Add, and little more where many
// words are new. It is constant: a chosen word's counter is in a table that is
// searched in any case. At the default size 88 KiB, reached by way of smaller
// tables. Nothing is allocated once they have grown.
//
// There may be 2^62 words, all of them the same. The squares of the head are added
// in 128 bits and the sum is rounded once, to a float64; what is estimated is a
// float64 throughout.
//
// Where a stream changes late, such as from text to tables of numbers, its new
// frequent words are not in the head. Errors up to 6 % were then seen, at the
// default size too; the interval says so.
//
// Two sketches merge if one of them is still small; Merge says why. Where two
// large ones must merge, use CountSketch. A Surprise is not safe for concurrent
// use.
type Surprise struct {
	key   uint64
	n     uint64 // words added
	sweep uint64 // the n at which the front needs a sweep
	event uint64 // the n before which Add has only to count; see quiet
	limit int    // words the head lets in without regard to free slots
	heads int    // words in the head

	// The head is in front, once there is one, and what found no slot there is
	// in back, with the words of the chosen positions, whose counts have
	// tailWord set.
	front front
	back  table
	tail  reservoir
}

// tailWord marks the counts of words that are not in the head.
const tailWord = 1 << 63

// NewSurprise returns an empty sketch with an exact head of at least head
// words, and at most MaxHead, and a reservoir of the given positions for the
// rest. With head <= 0 there is no head, and the sketch is the source's;
// reservoir <= 0 means DefaultReservoir, and other sizes are brought between
// MinReservoir and MaxReservoir. Sketches to be merged need the same sizes and
// seed.
func NewSurprise(head, reservoir int, seed uint64) *Surprise {
	if reservoir <= 0 {
		reservoir = DefaultReservoir
	}
	key := keyOf(seed)
	return &Surprise{
		key:   key,
		limit: min(max(head, 0), MaxHead),
		back:  newTable(minSlots),
		tail:  newReservoir(min(max(reservoir, MinReservoir), MaxReservoir), key),
	}
}

// Add counts a word by its 64-bit hash.
func (s *Surprise) Add(h uint64) {
	v := mix(h, s.key)
	if s.n+1 >= s.event {
		s.pass(1)
		if !s.front.add(v) && s.take(v) && s.front.free == 0 {
			s.quiet()
		}
		return
	}
	// As a rule the word is in the front or in no table, and no branch depends
	// on which.
	s.n++
	if other := s.front.count(v); other&uint64(s.back.hinted(v)) == 0 {
		s.tail.n += other
	} else {
		s.recount(v)
	}
}

// quiet looks how many words may be added before anything happens but that
// counts rise: the head is closed, no position is chosen, the front, which has
// no free slot, needs no sweep. Neither n nor the length of the tail grows by
// more than one a word, so this holds for any words to come.
//
// The last free slot goes to a word that comes late: at the default size after
// some 43,000 different words. Until then Add takes the longer way.
func (s *Surprise) quiet() {
	if s.heads >= s.limit && len(s.front.pairs) > 0 {
		s.event = min(s.sweep, s.n+s.tail.next-s.tail.n)
	}
}

// recount counts a word that is not in the front and probably in the table,
// while it is quiet.
func (s *Surprise) recount(v uint64) {
	i, found := find(s.back.keys, v)
	if found {
		s.back.counts[i]++
	}
	if !found || s.back.counts[i] >= tailWord {
		s.tail.n++
	}
}

// AddAll counts the words of a page. The outcome is that of Add for each, in
// half the time.
func (s *Surprise) AddAll(hashes []uint64) {
	if len(hashes) < fewWords {
		for _, h := range hashes {
			s.Add(h)
		}
		return
	}
	var b Bag
	for len(hashes) > 0 {
		hashes = b.fill(hashes)
		b.mix(s.key)
		s.addBag(&b)
	}
}

// pass announces at most bagText words.
func (s *Surprise) pass(n int) {
	s.n += uint64(n)
	if s.n >= s.sweep {
		s.makeRoom()
	}
}

// makeRoom sweeps the front, for as many words as it then has room for.
func (s *Surprise) makeRoom() {
	s.front.sweep()
	s.sweep = s.n + halfFull - bagText
}

// take counts a word that is not in the front. It reports whether the word is
// not in the head and may be new.
func (s *Surprise) take(v uint64) (tail bool) {
	if count, found := s.back.add(v); found {
		if count >= tailWord {
			s.passTail(v)
		}
		return false
	}
	if s.admit(v, 1) {
		return false
	}
	s.passTail(v)
	return true
}

// admit lets a new word into the head, with what was counted for it, if there is
// room.
func (s *Surprise) admit(v, count uint64) bool {
	switch {
	case s.front.put(v, count):
	case s.heads < s.limit:
		s.back.put(v, count)
	default:
		return false
	}
	s.heads++
	if len(s.front.pairs) == 0 && s.opens() {
		s.open()
	}
	return true
}

// opens reports whether the head has enough words for a front.
func (s *Surprise) opens() bool { return 3*s.heads > 2*s.limit }

// open makes the front and moves the words there that find a slot. Before,
// while the stream is short, the table alone takes less room. They move in an order that does not
// depend on the table's history, which is not in the binary form.
func (s *Surprise) open() {
	s.front = newFront(powerOfTwo(s.limit))
	words := s.back.appendSorted(nil)
	s.back = newTable(minSlots)
	for _, w := range words {
		if !s.front.put(w.word, w.count) {
			s.back.put(w.word, w.count)
		}
	}
}

// passTail advances by one position of the tail, which holds v.
func (s *Surprise) passTail(v uint64) {
	if s.tail.pass() {
		s.choose(v)
	}
}

// choose puts the position just passed, which holds v, into the reservoir.
func (s *Surprise) choose(v uint64) {
	place := s.tail.place()
	old := place.word
	*place = position{}
	if old != 0 && !s.tail.holds(old) {
		s.back.remove(old)
	}
	if count := s.back.count(v); count != 0 {
		*place = position{v, count - 1}
		return
	}
	s.back.put(v, tailWord|1)
	*place = position{v, tailWord}
}

// N returns the number of words added.
func (s *Surprise) N() uint64 { return s.n }

// Estimate returns the second moment: that of the head, plus the mean of the
// reservoir's variables for the tail, with an interval from their spread.
func (s *Surprise) Estimate() Interval {
	return s.tail.estimate(s.variables()).plus(s.head())
}

// GroupMedian returns the second moment with the reservoir's variables combined
// as the source does: averaged in groups of 16, then the median of the
// averages. It is kept for comparison. Without a head it comes out 4 to 14 %
// low on text, as a median does not see the few large variables.
func (s *Surprise) GroupMedian() float64 {
	return s.head() + groupMedian(s.variables(), groupSize)
}

// head returns the second moment of the head.
func (s *Surprise) head() float64 {
	sum := s.front.squares()
	for _, count := range s.back.counts {
		if count < tailWord {
			sum.add(count)
		}
	}
	return sum.float()
}

// variables returns X = n(2c - 1) for each chosen position.
func (s *Surprise) variables() []float64 {
	x := make([]float64, len(s.tail.chosen))
	for i, p := range s.tail.chosen {
		c := s.back.count(p.word) - p.before
		x[i] = float64(s.tail.n) * (2*float64(c) - 1)
	}
	return x
}

// Bytes returns the memory the sketch holds.
func (s *Surprise) Bytes() int {
	return int(unsafe.Sizeof(*s)) + s.front.bytes() + s.back.bytes() + s.tail.bytes()
}

// squares is a sum of squares in 128 bits.
type squares struct{ hi, lo uint64 }

func (q *squares) add(c uint64) {
	hi, lo := bits.Mul64(c, c)
	var carry uint64
	q.lo, carry = bits.Add64(q.lo, lo, 0)
	q.hi, _ = bits.Add64(q.hi, hi, carry)
}

func (q *squares) float() float64 {
	n := bits.LeadingZeros64(q.hi)
	top := q.hi<<n | q.lo>>(64-n)
	if q.lo<<n != 0 {
		top |= 1 // far below the digit that is rounded: it decides which way
	}
	return math.Ldexp(float64(top), 64-n)
}
