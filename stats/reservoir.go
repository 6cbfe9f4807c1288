package stats

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"crawler/internal/splitmix"
)

// Sizes of a Reservoir.
const (
	DefaultReservoir = 256
	MinReservoir     = 16
	MaxReservoir     = 1 << 14
)

// Reservoir estimates the second moment of a stream as the source does (Alon, Matias and Szegedy,
// The space complexity of approximating the frequency moments, 1999, section 2.1): positions are
// chosen uniformly, and for each one counts c, the occurrences of its word from there on.
// X = n(2c - 1) has the second moment as its expectation, n being the length: the sum of 2c - 1
// over all positions of a word is 1 + 3 + 5 + ... = m². The positions are a reservoir, each of the
// n so far chosen with the same chance, and the next one is drawn ahead, so that a word not chosen
// costs no coin.
//
// It is kept for comparison with Surprise, which is what a crawl reports. A word that becomes
// frequent late may be at none of the positions, and neither figure nor interval then knows of
// it; two reservoirs cannot be merged, as the one would have to know how often the words of its
// positions came in the other's stream. A word costs some 5 ns. It is not safe for concurrent use.
type Reservoir struct {
	key    uint64
	size   int
	n      uint64 // positions passed
	next   uint64 // the next position to be chosen
	chosen []position
	words  table // those at the chosen positions, counted from the first of them on

	// Algorithm L (Li 1994): give every position a uniform number and keep the
	// size smallest; bound is the largest of those. A position is chosen when
	// its number is below bound, so the gaps between them are geometric.
	bound  float64
	random rng
}

// position is a chosen position of the stream.
type position struct {
	word   uint64
	before uint64 // what its word's counter stood at before this position
}

// NewReservoir returns an empty reservoir of so many positions, which are brought between
// MinReservoir and MaxReservoir; size <= 0 means DefaultReservoir.
func NewReservoir(size int, seed uint64) *Reservoir {
	if size <= 0 {
		size = DefaultReservoir
	}
	key := keyOf(seed)
	return &Reservoir{key: key, size: min(max(size, MinReservoir), MaxReservoir), next: 1,
		words: newTable(minSlots), bound: 1, random: rng(key)}
}

// Add counts a word by its 64-bit hash.
func (r *Reservoir) Add(h uint64) {
	v := mix(h, r.key)
	r.words.add(v)
	if r.n++; r.n == r.next {
		r.choose(v)
	}
}

// AddAll counts the words of a page.
func (r *Reservoir) AddAll(hashes []uint64) {
	for _, h := range hashes {
		r.Add(h)
	}
}

// choose puts the position just passed, which holds v, into the reservoir.
func (r *Reservoir) choose(v uint64) {
	place := r.place()
	old := place.word
	*place = position{}
	if old != 0 && !r.holds(old) {
		r.words.remove(old)
	}
	if count := r.words.count(v); count != 0 {
		*place = position{v, count - 1}
		return
	}
	r.words.put(v, 1)
	*place = position{v, 0}
}

// place returns the place for the position just passed, which still holds the
// position it drives out, if any, and draws the next one to be chosen.
func (r *Reservoir) place() *position {
	i := len(r.chosen)
	if i < r.size {
		r.chosen = append(r.chosen, position{})
	} else {
		i = r.random.below(r.size)
	}
	r.next += 1 + r.skip()
	return &r.chosen[i]
}

// skip returns how many positions to let go by.
func (r *Reservoir) skip() uint64 {
	if len(r.chosen) < r.size {
		return 0
	}
	r.bound *= math.Exp(math.Log(r.random.float()) / float64(r.size))
	skip := math.Log(r.random.float()) / math.Log1p(-r.bound)
	return uint64(min(skip, maxSkip))
}

// maxSkip is more positions than any stream has.
const maxSkip = 1 << 62

// holds reports whether a chosen position holds the word.
func (r *Reservoir) holds(word uint64) bool {
	return slices.ContainsFunc(r.chosen, func(p position) bool { return p.word == word })
}

// N returns the number of words added.
func (r *Reservoir) N() uint64 { return r.n }

// Estimate returns the second moment, the mean of the variables, with an interval from their
// spread. It is exact while the stream is no longer than the reservoir.
func (r *Reservoir) Estimate() Interval {
	x, n := r.variables(), float64(r.n)
	if len(x) == 0 {
		return exactly(0)
	}
	if r.n <= uint64(len(x)) {
		return exactly(mean(x)) // every position was chosen: the mean is the moment itself
	}
	i := meanInterval(x, n)
	if i.Exact() {
		// No word was seen twice. Of the positions whose word comes again at
		// least once, a share of 3.7 in len(x) could have been missed.
		i.High += n * 2 * 3.7 / float64(len(x))
	}
	return i.within(n, n*n)
}

// GroupMedian returns the second moment with the variables combined as the source does: averaged
// in groups of 16, then the median of the averages. It comes out 4 to 14 % low on text, as a
// median does not see the few large variables.
func (r *Reservoir) GroupMedian() float64 { return groupMedian(r.variables(), groupSize) }

// variables returns X = n(2c - 1) for each chosen position.
func (r *Reservoir) variables() []float64 {
	x := make([]float64, len(r.chosen))
	for i, p := range r.chosen {
		c := r.words.count(p.word) - p.before
		x[i] = float64(r.n) * (2*float64(c) - 1)
	}
	return x
}

// Bytes returns the memory the reservoir holds.
func (r *Reservoir) Bytes() int {
	return int(unsafe.Sizeof(*r)) + int(unsafe.Sizeof(position{}))*cap(r.chosen) + r.words.bytes()
}

// rng is splitmix64: 64 good bits a call, and any state is a valid seed.
type rng uint64

func (r *rng) next() uint64 {
	*r += splitmix.Golden
	return splitmix.Finish(uint64(*r))
}

// float returns a uniform number in (0, 1), neither end included.
func (r *rng) float() float64 { return (float64(r.next()>>12) + 0.5) / (1 << 52) }

// below returns a uniform number in 0..n-1 (Lemire 2019, without the
// rejection: the bias is below n/2^64).
func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}
