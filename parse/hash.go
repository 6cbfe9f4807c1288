package parse

import "math/bits"

// The hash of a word is made in the manner of wyhash (Wang Yi, 2019 to 2021):
// 64 by 64 bit multiplications whose 128-bit products are folded by exclusive
// or. Two of them do for a word of up to sixteen bytes, which lie in two
// registers behind one another, padded with zeros: there is no step that
// depends on the word's length.
//
// The constants are wyhash's. A factor of zero would wipe out the other; no
// word can make one in the first product, as wy1 and wy2 have a '.' in them.
const (
	wy0 = 0x2d358dccaa6c78a5
	wy1 = 0x8bb84b93962eacc9
	wy2 = 0x4b33a62ed433d4a3
)

// maxShort is the length of the longest word that hashShort takes.
const maxShort = 16

// HashWord returns the hash that stands for a word in Page.Words. The word is as
// OnWord gets it: lower-cased, in UTF-8. The hash has no secret: whoever
// chooses words can make two collide.
func HashWord(word []byte) uint64 { return hashBytes(word) }

// hashBytes returns the hash of b, of any length. It costs about 2 ns, and one
// multiplication for every sixteen bytes beyond the first sixteen.
func hashBytes(b []byte) uint64 {
	n, seed := len(b), uint64(wy2)
	for ; len(b) > maxShort; b = b[maxShort:] {
		seed = mix(load8(b, 0)^wy1, load8(b, 8)^seed)
	}
	var last [maxShort]byte
	copy(last[:], b)
	return hashLast(load8(last[:], 0), load8(last[:], 8), n, seed)
}

// hashShort is hashBytes of n <= maxShort bytes: the first eight in lo, the
// others in hi, zeros behind them.
func hashShort(lo, hi uint64, n int) uint64 { return hashLast(lo, hi, n, wy2) }

// hashLast mixes in the last bytes and the length.
func hashLast(lo, hi uint64, n int, seed uint64) uint64 {
	hi, lo = bits.Mul64(lo^wy1, hi^seed)
	return mix(lo^wy0^uint64(n), hi^wy1)
}

// mix multiplies and folds the product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
