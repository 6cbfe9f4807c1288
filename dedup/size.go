package dedup

import "math"

const (
	lineWords = 8              // words of 64 bits in a line
	lineBits  = lineWords * 64 // one cache line
	maxBits   = 1 << 40        // 128 GiB: the largest filter this package makes
	// Below this rate a second line buys more than longer lines do: at 4e-4 one
	// line takes 18.5 bits a key and two take 17.4, at 1e-4 23.6 and 20.2.
	twoLinesBelow = 4e-4
	// No key gets more bits than this: two lines are then wrong less than once in 10^16.
	maxBitsPerKey = 256
)

// Size is the shape of a Bloom filter: how many bits it has, and whether a key
// is written to one line of 512 bits or to two.
type Size struct {
	Bits  int64 // a multiple of 512
	Lines int   // 1 or 2
}

// SizeFor returns the smallest filter that holds keys distinct keys and then
// answers "maybe" to at most the given share of the keys that are absent. Rates
// below about 4e-4 take two lines a key. The rate is that of the block filter
// (see Size.Rate), not the smaller one of the classic formula, which would
// leave a filter for 1e-3 wrong 1.6 times as often as asked.
func SizeFor(keys int64, rate float64) Size {
	s := Size{Lines: 1}
	if rate < twoLinesBelow {
		s.Lines = 2
	}
	keys = max(keys, 1)
	most := (min(keys, maxBits/maxBitsPerKey)*maxBitsPerKey + lineBits - 1) / lineBits
	n := fewest(most, func(n int64) bool {
		s.Bits = n * lineBits
		return s.Rate(keys) <= rate
	})
	return sizeOf(n*lineBits, s.Lines)
}

// fewest returns the smallest number of lines that are enough, or most if there is
// no smaller one.
func fewest(most int64, enough func(lines int64) bool) int64 {
	low, high := int64(0), most
	for low+1 < high { // high lines are enough (or all there is), low are not
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// SizeWithin returns the best filter for keys in at most the given number of
// bits (rounded up to whole lines): with two lines a key where they are better.
func SizeWithin(keys, bits int64) Size {
	one := sizeOf(bits, 1)
	if one.Rate(keys) < twoLinesBelow {
		return sizeOf(bits, 2)
	}
	return one
}

// sizeOf rounds bits up to whole lines, of which there must be as many as a key
// has.
func sizeOf(bits int64, lines int) Size {
	n := (min(bits, maxBits) + lineBits - 1) / lineBits
	return Size{Bits: max(n, int64(lines)) * lineBits, Lines: lines}
}

// Rate returns the expected share of absent keys that a filter of this size
// answers with "maybe" once it holds keys distinct keys.
//
// A line is a small Bloom filter of its own with one bit in each of eight
// words; j keys leave (63/64)^j of a word's bits empty. How many keys a line
// holds is Poisson distributed, and the crowded lines err the most, so the rate
// is the mean over the loads, sum over j of P(j) (1 - (63/64)^j)^8 (Putze,
// Sanders and Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters",
// section 3). With two lines a key each line holds twice as many, and both must
// err.
func (s Size) Rate(keys int64) float64 {
	load := float64(keys) * float64(s.Lines) * lineBits / float64(s.Bits)
	return math.Pow(lineRate(load, 64, lineWords), float64(s.Lines))
}

// lineRate is the rate of one line when the mean load of lines is as given. A line has the
// given number of parts, in each of which a key has one of the given number of cells.
func lineRate(load float64, cells, parts int) float64 {
	if load > 700 { // all cells are in use; and e^-load would underflow
		return 1
	}
	sum, p, empty := 0.0, math.Exp(-load), 1.0
	for j, last := 0, int(load+12*math.Sqrt(load)+20); j <= last; j++ {
		sum += p * math.Pow(1-empty, float64(parts))
		p *= load / float64(j+1)
		empty *= 1 - 1/float64(cells)
	}
	return sum
}
