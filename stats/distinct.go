package stats

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// Sizes of a Distinct.
const (
	MinRegisters     = 16
	MaxRegisters     = 1 << 16
	DefaultRegisters = 4096
)

// ErrMerge is returned when two sketches cannot be merged.
var ErrMerge = errors.New("stats: sketches differ in size or seed and cannot be merged")

// Distinct counts the different words of a stream, as Flajolet and Martin
// proposed (Probabilistic counting algorithms for data base applications,
// 1985): K hash functions, and for each the longest run of zeros R that any
// word's hash ended in. After n different words P(R <= i) = (1 - 2^-(i+1))^n;
// a word that comes again changes nothing.
//
// While there are at most K/2 different words they are kept in a list, and the
// answer is exact.
//
// After that Add does not compute K hashes a word. A hash ends in i zeros with
// probability 2^-i, as an exponential variate stays below -ln(1 - 2^-i), so
// each word has K variates; Add draws them in ascending order and stops at the
// first that cannot raise even the smallest register, which is nearly always
// the first of all, and then one comparison of the word's hash. In order they
// are the arrivals of a Poisson process of rate K, each at a register chosen at
// random: only the first arrival at a register counts, and first arrivals are
// independent and exponential, so the registers are distributed exactly as by
// K hash functions. (Rényi's spacings do the same and never draw a register
// twice; the process needs no permutation to choose them from.)
//
// Cost: 2.5 ns a word of text by AddAll, 3 by Add; where most words are new, 3 to
// 6 by AddAll and 8 to 10 by Add; 6.6 to 7.9 while there is a list. Memory: 8·K
// bytes of a list at most, and later 17·K: K of registers and 16·K of recent words.
// Nothing is allocated after the first word behind the end of the list.
//
// Registers depend on the seed and on the set of words alone, not on their
// order or the processor; except that one new word in 2^30, in 2^29 if somebody
// chose the words, is taken for a recent one, and then may not be counted. A
// Distinct is not safe for concurrent use.
type Distinct struct {
	key uint64
	k   int

	// pass is the largest mixed hash that need be looked at.
	pass uint64

	// list holds the mixed hashes while they are few, an open hash table at
	// most half full, and nil once there are registers.
	list  []uint64
	words int // words in the list; then, how many there were at the end

	// recent holds words that need not be looked at again, once there are
	// registers.
	recent recent
	cache  int // its sets in a Words, whose head has the frequent words; otherwise half of them

	reg        *registers // nil while the list is exact
	martingale martingale
}

// NewDistinct returns an empty sketch of k registers, rounded up to a power of
// two between MinRegisters and MaxRegisters; k <= 0 means DefaultRegisters.
// Sketches to be merged need the same k and seed.
func NewDistinct(k int, seed uint64) *Distinct {
	if k <= 0 {
		k = DefaultRegisters
	}
	k = powerOfTwo(min(max(k, MinRegisters), MaxRegisters))
	return &Distinct{key: keyOf(seed), k: k, cache: k, pass: math.MaxUint64,
		list: make([]uint64, minSlots), recent: newRecent(2)}
}

// powerOfTwo returns the smallest power of two that is at least n, n >= 1.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// Add counts a word by its 64-bit hash.
func (d *Distinct) Add(h uint64) {
	if d.recent.differs(h*(d.key|1)) != 0 { // seldom in a text
		d.look(h)
	}
}

// look counts a word that is not among the recent ones.
func (d *Distinct) look(h uint64) {
	switch v := mix(h, d.key); {
	case d.reg == nil:
		d.enlist(v)
	case v <= d.pass:
		d.note(h*(d.key|1), 2*d.cache)
		d.scatter(v)
	case d.pass >= seldom:
		d.note(h*(d.key|1), 2*d.cache)
	}
}

// AddAll counts the words of a page, faster than Add for each.
func (d *Distinct) AddAll(hashes []uint64) {
	var buffer [batch]uint64
	for len(hashes) > 0 {
		n := min(batch, len(hashes))
		rest := hashes[:n]
		if d.pass < seldom {
			rest = buffer[:d.passing(rest, &buffer)]
		}
		if d.reg != nil {
			rest = buffer[:d.unseen(rest, &buffer)]
		}
		for _, h := range rest {
			d.Add(h) // it may have come since
		}
		hashes = hashes[n:]
	}
}

// addMixed counts words by their mixed hashes, and overwrites
// them. This is for Words, which has them: a sketch gets its words this way or
// by Add and AddAll, not both.
func (d *Distinct) addMixed(mixed []uint64) {
	for _, v := range mixed[:d.sift(mixed)] {
		d.take(v)
	}
}

// sift moves the words that may be new to the beginning and returns how many
// there are. No branch depends on a word.
func (d *Distinct) sift(mixed []uint64) (n int) {
	recent, odd, pass := d.recent, d.key|1, d.pass
	for _, v := range mixed {
		mixed[n] = v // n is not ahead of the loop
		may := 1
		if recent.differs(v*odd) == 0 {
			may = 0
		}
		if v > pass {
			may = 0
		}
		n += may
	}
	return n
}

// take counts a mixed word that may be new.
func (d *Distinct) take(v uint64) {
	if d.reg == nil {
		d.enlist(v)
	} else if x := v * (d.key | 1); d.recent.differs(x) != 0 { // it may have come since the sift
		d.note(x, d.cache)
		d.scatter(v)
	}
}

// enlist adds v to the list, and ends the list when it is too long.
func (d *Distinct) enlist(v uint64) {
	i, found := find(d.list, v)
	if found {
		return
	}
	d.list[i] = v
	d.words++
	if d.words > d.k/2 {
		d.spill()
	} else if 2*d.words > len(d.list) {
		d.grow()
	}
}

// grow doubles the slots of the list.
func (d *Distinct) grow() {
	words := d.listed()
	d.list = make([]uint64, 2*len(d.list))
	for _, v := range words {
		i, _ := find(d.list, v)
		d.list[i] = v
	}
}

// listed returns the words of the list.
func (d *Distinct) listed() []uint64 {
	return slices.DeleteFunc(slices.Clone(d.list), func(v uint64) bool { return v == 0 })
}

// sortedBy returns the words of the list in an order that does not depend on the
// one they came in.
func (d *Distinct) sortedBy(compare func(a, b uint64) int) []uint64 {
	words := d.listed()
	slices.SortFunc(words, compare)
	return words
}

// spill moves the words of the list to registers. The martingale continues from
// the exact count.
func (d *Distinct) spill() {
	d.reg = newRegisters(d.k)
	d.reg.scatterAll(d.listed())
	d.pass = d.reg.pass
	d.list = nil
	d.martingale.count = float64(d.words)
}

// scatter lets a word that may be new raise registers.
func (d *Distinct) scatter(v uint64) {
	chance := d.reg.chance
	if d.reg.scatter(v, noLimit) {
		d.martingale.step(chance)
		d.pass = d.reg.pass
	}
}

// Merge makes d the sketch of both streams together: the maximum of each pair
// of registers, which is what the union of both sets of words has. Words that
// are in both count once, so sketches may be merged in any order and more than
// once. The sketches need the same number of registers and seed, otherwise Merge
// returns ErrMerge and changes nothing; o is never changed. Where one of them
// still had its list, its words are added to the other; where both had
// registers, the martingale estimate ends, since it has not seen in which order
// the other's registers rose. It costs 1 to 4 ns a register, or 60 to 80 a word of
// a list.
func (d *Distinct) Merge(o *Distinct) error {
	if d.k != o.k || d.key != o.key {
		return ErrMerge
	}
	d.join(o)
	return nil
}

// join is Merge for a sketch of the same size and seed.
func (d *Distinct) join(o *Distinct) {
	switch {
	case o.reg == nil:
		d.addListed(o.sortedBy(replayOrder))
	case d.reg == nil:
		mine := d.sortedBy(replayOrder)
		*d = *o.clone()
		d.addListed(mine)
	default:
		d.reg.merge(o.reg)
		d.pass = d.reg.pass
		d.words = max(d.words, o.words)
		d.martingale.over = true
	}
}

func (d *Distinct) addListed(mixed []uint64) {
	for _, v := range mixed {
		if d.reg == nil {
			d.enlist(v)
		} else {
			d.scatter(v)
		}
	}
}

func (d *Distinct) clone() *Distinct {
	c := *d
	c.list, c.recent = slices.Clone(c.list), slices.Clone(c.recent)
	if d.reg != nil {
		reg := *d.reg
		reg.run = slices.Clone(reg.run)
		c.reg = &reg
	}
	return &c
}

// Estimate returns the number of different words: exact while they are few;
// then the martingale estimate, which is the more accurate one; after a Merge
// of two sketches with registers, the maximum-likelihood estimate.
func (d *Distinct) Estimate() Interval {
	if m, ok := d.Martingale(); ok {
		return m
	}
	return d.MaximumLikelihood()
}

// MaximumLikelihood returns the number of different words n that makes the
// registers most likely, with an interval from the observed information. Its
// relative error is 1.03/√K, 1.6 % for K = 4096; for a small K it leans upward
// by 1.2/K. It depends on the registers alone and so means the same after a
// Merge. It takes microseconds, and a fraction of a millisecond while there are
// no registers yet.
func (d *Distinct) MaximumLikelihood() Interval {
	i := d.registers().likelihood()
	if d.reg == nil {
		return i
	}
	return i.within(float64(d.words), math.Inf(1))
}

// Martingale returns the historic-inverse-probability estimate (Cohen, All-
// distances sketches, revisited, 2014; Ting, Streamed approximate counting of
// distinct elements, 2014): whenever the registers change it adds 1/p, p being
// the chance that a new word would change them. The sum of (1-p)/p² estimates
// its variance, from which the interval. Its relative error is 0.82/√K, 1.3 %
// for K = 4096. It reports false after a Merge of two sketches with registers,
// whose changes it has not seen.
func (d *Distinct) Martingale() (Interval, bool) {
	if d.reg == nil {
		return exactly(float64(d.words)), true
	}
	i := d.martingale.interval()
	return i.within(float64(d.words), math.Inf(1)), !d.martingale.over
}

// GroupBias is how many times too high GroupMedian comes out.
const GroupBias = 2.853

// groupSize is the size of the groups the source averages before it takes the
// median. It says O(log n); 16 is about the logarithm of a dictionary.
const groupSize = 16

// GroupMedian returns the estimate as the source combines it: 2^R averaged in
// groups of 16 registers, then the median of the averages. It is kept to the
// letter, for comparison: as E(2^R) is infinite, the middle of the mean of g
// values lies c(g) times too high, c = 1.063, 1.890, 2.364, 2.853, 3.361, 3.865
// for g = 1, 4, 8, 16, 32, 64. Divided by GroupBias it is right on average for
// large K, with an error of 3.5/√K.
func (d *Distinct) GroupMedian() float64 { return d.registers().groupMedian(groupSize) }

func (r *registers) groupMedian(size int) float64 {
	if !r.used {
		return 0
	}
	values := make([]float64, len(r.run))
	for i, run := range r.run {
		values[i] = math.Ldexp(1, int(run))
	}
	return groupMedian(values, size)
}

// registers returns the registers, or those the list would fill.
func (d *Distinct) registers() *registers {
	if d.reg != nil {
		return d.reg
	}
	reg := newRegisters(d.k)
	reg.scatterAll(d.listed())
	return reg
}

// Bytes returns the memory the sketch holds.
func (d *Distinct) Bytes() int {
	n := int(unsafe.Sizeof(*d)) + 8*len(d.list) + 8*len(d.recent)
	if d.reg != nil {
		n += int(unsafe.Sizeof(*d.reg)) + len(d.reg.run)
	}
	return n
}
