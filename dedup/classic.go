package dedup

import (
	"math"
	"math/bits"

	"crawler/internal/splitmix"
)

// MaxHashes is the largest number of hash functions of a Classic. It is the
// best one for 92 bits a key, where a filter errs once in 10^19.
const MaxHashes = 64

// Classic is the Bloom filter of the textbooks (Bloom 1970, "Space/time
// trade-offs in hash coding with allowable errors", method 2): m bits, of which
// a key sets k, anywhere. After n distinct keys a bit is still zero with
// probability e^(-kn/m), and an absent key is answered "maybe" with probability
// (1 - e^(-kn/m))^k: see ZeroShare, ClassicRate, BestK, BitsFor. Measured rates
// agree with the formula (TestClassicRate).
//
// It is here for the formulae and for comparison: a question about a key costs
// up to k cache misses, an addition k. Bloom costs one.
//
// The k positions come from k fresh mixes of the key's hash, reduced to 0 to
// m-1 by multiplication and shift, so that m may be any number. Deriving them
// from two hashes, as position i = a + i*b mod m (Kirsch and Mitzenmacher 2006,
// "Less hashing, same performance"), is cheaper and has the same rate in the
// limit only: two keys collide in all positions when they do in two, which
// small filters with many bits a key show (TestDoubleHashingErrsMore).
//
// Keys must be hashes. A Classic is not safe for concurrent use.
type Classic struct {
	words []uint64
	m     uint64 // bits
	k     int
	seed  uint64
	ones  int64 // bits set
}

// NewClassic returns an empty filter of the given number of bits, from 1 to
// 2^40, with k positions for each key, from 1 to MaxHashes; what is outside is
// moved to the nearest limit. Filters with different seeds err on different
// keys.
func NewClassic(bits int64, k int, seed uint64) *Classic {
	m := min(max(bits, 1), maxBits)
	return &Classic{
		words: make([]uint64, (m+63)/64),
		m:     uint64(m),
		k:     min(max(k, 1), MaxHashes),
		seed:  seed,
	}
}

// Add adds the key with hash h and reports whether that changed the filter. If
// it did, the key was certainly new; if not, it is one that Has calls "maybe".
func (c *Classic) Add(h uint64) bool {
	set := uint64(0)
	x := c.start(h)
	for range c.k {
		set += c.set(place(x, c.m))
		x += splitmix.Golden
	}
	c.ones += int64(set)
	return set != 0
}

// Has reports whether the key with hash h may have been added. False is
// certain.
func (c *Classic) Has(h uint64) bool {
	x := c.start(h)
	for range c.k {
		if !c.isSet(place(x, c.m)) {
			return false
		}
		x += splitmix.Golden
	}
	return true
}

// AddPositions adds a key whose positions the caller computed, by the hash
// functions of a worked example, say: as many as there are, each modulo m. It
// reports whether that changed the filter.
func (c *Classic) AddPositions(positions ...uint64) bool {
	set := uint64(0)
	for _, p := range positions {
		set += c.set(p % c.m)
	}
	c.ones += int64(set)
	return set != 0
}

// HasPositions reports whether the bits at all positions, each modulo m, are
// set. Without any it is true.
func (c *Classic) HasPositions(positions ...uint64) bool {
	for _, p := range positions {
		if !c.isSet(p % c.m) {
			return false
		}
	}
	return true
}

// Bits returns m, the filter's size in bits.
func (c *Classic) Bits() int64 { return int64(c.m) }

// K returns the number of positions of a key.
func (c *Classic) K() int { return c.k }

// Fill returns the share of the bits that are set.
func (c *Classic) Fill() float64 { return float64(c.ones) / float64(c.m) }

// ExpectedRate returns the chance that a random absent key is answered with
// "maybe" now: Fill to the power of K.
func (c *Classic) ExpectedRate() float64 { return math.Pow(c.Fill(), float64(c.k)) }

// String returns the bits as zeros and ones, that of position 0 first.
func (c *Classic) String() string {
	text := make([]byte, c.m)
	for i := range text {
		text[i] = '0' + byte(c.words[i/64]>>(i%64)&1)
	}
	return string(text)
}

// start returns where the positions of a key begin in the sequence that place
// reads, which steps by splitmix.Golden. The positions of two keys depend on each other
// only if they start within k steps of one another: a chance of 2^-57.
func (c *Classic) start(h uint64) uint64 { return splitmix.Finish(h ^ c.seed) }

// place maps x to a position below m.
func place(x, m uint64) uint64 {
	i, _ := bits.Mul64(splitmix.Finish(x), m)
	return i
}

// set sets a bit and returns how many bits that changed.
func (c *Classic) set(i uint64) uint64 {
	w := &c.words[i/64]
	was := *w >> (i % 64) & 1
	*w |= 1 << (i % 64)
	return 1 - was
}

func (c *Classic) isSet(i uint64) bool { return c.words[i/64]>>(i%64)&1 != 0 }
