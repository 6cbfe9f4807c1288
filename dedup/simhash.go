package dedup

import "math/bits"

// Simhash returns the 64-bit fingerprint of a bag of features, each given by a
// hash: of a page's shingles, or of its words (Charikar 2002, "Similarity
// Estimation Techniques from Rounding Algorithms", section 3). Bit j of the
// fingerprint is the majority of bits j of the mixed hashes, where a feature
// counts as often as it occurs; a tie gives 0, and so does a bag without
// features. For bags seen as vectors of counts at an angle of a, each bit
// differs with probability a/pi, so
//
//	E(HammingDistance) = 64 a/pi.
//
// That measures the angle, not the resemblance of sets: on real pages a
// distance of at most 3 finds a part only of the pairs that Jaccard calls
// similar. MinHash finds nearly all of them; a Simhash takes eight bytes.
//
// The 64 counters are kept bit-sliced, bit i of all of them in one word, and
// eight features at a time are added by carry-save adders: 2 ns a feature.
// Nothing is allocated.
func Simhash(hashes []uint64) uint64 {
	var c bitSlices
	n := len(hashes)
	for ; len(hashes) >= 8; hashes = hashes[8:] {
		h := (*[8]uint64)(hashes)
		c.addEight(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7])
	}
	for _, h := range hashes {
		c.add(0, fold(h, mulFirst))
	}
	return c.above(uint64(n) / 2)
}

// SimhashText is Simhash of the shingles of a text, of DefaultShingle words each,
// which are nowhere kept: 2 ns a word.
func SimhashText(words []uint64) uint64 {
	if len(words) < DefaultShingle {
		var one [1]uint64
		return Simhash(Shingles(one[:0], words, DefaultShingle))
	}
	var c bitSlices
	n := len(words) - 2
	for ; len(words) >= 10; words = words[8:] {
		w := (*[10]uint64)(words)
		c.addEight(
			threeWordHash(w[0], w[1], w[2]), threeWordHash(w[1], w[2], w[3]),
			threeWordHash(w[2], w[3], w[4]), threeWordHash(w[3], w[4], w[5]),
			threeWordHash(w[4], w[5], w[6]), threeWordHash(w[5], w[6], w[7]),
			threeWordHash(w[6], w[7], w[8]), threeWordHash(w[7], w[8], w[9]))
	}
	for ; len(words) >= 3; words = words[1:] {
		c.add(0, fold(threeWordHash(words[0], words[1], words[2]), mulFirst))
	}
	return c.above(uint64(n) / 2)
}

// HammingDistance returns in how many bits two fingerprints differ.
func HammingDistance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// bitSlices are 64 counters: bit j of word i is bit i of counter j.
type bitSlices [64]uint64

// add adds 2^i to the counters whose bits are set in carry.
func (c *bitSlices) add(i int, carry uint64) {
	for ; carry != 0; i++ {
		c[i&63], carry = c[i&63]^carry, c[i&63]&carry
	}
}

// addEight adds eight features: seven adders instead of eight ripples of
// carries.
func (c *bitSlices) addEight(h0, h1, h2, h3, h4, h5, h6, h7 uint64) {
	ones, twos, fours := c[0], c[1], c[2]
	two0, ones := carrySave(ones, fold(h0, mulFirst), fold(h1, mulFirst))
	two1, ones := carrySave(ones, fold(h2, mulFirst), fold(h3, mulFirst))
	four0, twos := carrySave(twos, two0, two1)
	two0, ones = carrySave(ones, fold(h4, mulFirst), fold(h5, mulFirst))
	two1, ones = carrySave(ones, fold(h6, mulFirst), fold(h7, mulFirst))
	four1, twos := carrySave(twos, two0, two1)
	eight, fours := carrySave(fours, four0, four1)
	c[0], c[1], c[2] = ones, twos, fours
	c.add(3, eight)
}

// carrySave adds three bits in each of 64 places.
func carrySave(x, y, z uint64) (carry, sum uint64) {
	u := x ^ y
	return x&y | u&z, u ^ z
}

// above returns which counters are larger than limit: all are compared at once,
// from the highest bit down.
func (c *bitSlices) above(limit uint64) (larger uint64) {
	equal := ^uint64(0)
	for i := bits.Len64(limit); i >= 0; i-- { // a count is at most 2*limit + 1
		l := -(limit >> i & 1) // the limit's bit in all places
		larger |= equal & c[i] &^ l
		equal &^= c[i] ^ l
	}
	return larger
}
