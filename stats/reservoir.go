package stats

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"crawler/internal/splitmix"
)

// reservoir holds size positions of a stream, each of the n so far with
// probability size/n.
type reservoir struct {
	size   int
	n      uint64 // positions passed
	next   uint64 // the next position to be chosen
	chosen []position

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

func newReservoir(size int, seed uint64) reservoir {
	return reservoir{size: size, next: 1, bound: 1, random: rng(seed)}
}

// pass advances by one position and reports whether it is chosen.
func (r *reservoir) pass() bool {
	r.n++
	return r.n == r.next
}

// place returns the place for the position just passed, which still holds the
// position it drives out, if any, and draws the next one to be chosen.
func (r *reservoir) place() *position {
	i := len(r.chosen)
	if i < r.size {
		r.extend()
	} else {
		i = r.random.below(r.size)
	}
	r.next += 1 + r.skip()
	return &r.chosen[i]
}

// extend adds a place. A short tail is given a few, any other all at once.
func (r *reservoir) extend() {
	if len(r.chosen) == cap(r.chosen) {
		places := 8
		if len(r.chosen) > 0 {
			places = r.size
		}
		r.chosen = append(make([]position, 0, places), r.chosen...)
	}
	r.chosen = append(r.chosen, position{})
}

// skip returns how many positions to let go by.
func (r *reservoir) skip() uint64 {
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
func (r *reservoir) holds(word uint64) bool {
	return slices.ContainsFunc(r.chosen, func(p position) bool { return p.word == word })
}

// estimate returns the mean of the variables x of the chosen positions, with
// its interval.
func (r *reservoir) estimate(x []float64) Interval {
	if len(x) == 0 {
		return exactly(0)
	}
	if r.n <= uint64(len(x)) {
		return exactly(mean(x)) // every position was chosen: the mean is the moment itself
	}
	n := float64(r.n)
	i := meanInterval(x, n)
	if i.Exact() {
		// No word was seen twice. Of the positions whose word comes again at
		// least once, a share of 3.7 in len(x) could have been missed.
		i.High += n * 2 * 3.7 / float64(len(x))
	}
	return i.within(n, n*n)
}

func (r *reservoir) bytes() int { return int(unsafe.Sizeof(position{})) * cap(r.chosen) }

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
