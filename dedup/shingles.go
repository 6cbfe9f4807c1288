package dedup

import "slices"

// What a shingle is.
const (
	DefaultShingle = 3  // words of a shingle
	MaxShingle     = 64 // most words of a shingle

	// polynomial is the base of shingle hashes. It is 5 modulo 8, so its powers
	// have the longest period there is modulo 2^64.
	polynomial = 0xd6e8feb86659fd95
)

// Shingles appends the hashes of the shingles of a text, all runs of size
// successive words (Broder 1997, "On the resemblance and containment of
// documents"), and returns the slice. Equal shingles have equal hashes and are
// appended as often as they occur. A text of fewer words is one shingle of all
// its words; a text without words has none. Size 0 means DefaultShingle; other
// sizes are clamped to 1..MaxShingle.
//
// A shingle's hash is a polynomial of the words' hashes modulo 2^64,
//
//	w_1 B^(size-1) + w_2 B^(size-2) + ... + w_size,
//
// so the order of words matters, and the next shingle costs two multiplications
// whatever the size. It is uniform if the words' hashes are, but simple: users
// mix it, and an author can craft collisions. Words cost 1 ns each.
func Shingles(dst, words []uint64, size int) []uint64 {
	size = shingleSize(size)
	if len(words) == 0 {
		return dst
	}
	h, first := uint64(0), min(size, len(words))
	for _, w := range words[:first] {
		h = h*polynomial + w
	}
	dst = slices.Grow(append(dst, h), len(words)-first)
	if size == 3 && len(words) > 3 {
		return threeWords(dst, words[1:])
	}
	out := uint64(1) // the weight of the word that leaves
	for range size {
		out *= polynomial
	}
	for i, w := range words[first:] {
		h = h*polynomial + w - out*words[i]
		dst = append(dst, h)
	}
	return dst
}

// threeWords appends the shingles of three words. Each is computed afresh: the
// processor then works on several at a time, which the running polynomial would
// not let it.
func threeWords(dst, words []uint64) []uint64 {
	x, y, rest := words[0], words[1], words[2:]
	out := dst[len(dst) : len(dst)+len(rest)]
	for i, z := range rest {
		out[i] = threeWordHash(x, y, z)
		x, y = y, z
	}
	return dst[:len(dst)+len(out)]
}

func threeWordHash(x, y, z uint64) uint64 { return (x*polynomial+y)*polynomial + z }

func shingleSize(size int) int { return min(max(or(size, DefaultShingle), 1), MaxShingle) }

// SortSet makes hashes a set for Jaccard, in place: ascending and each once.
func SortSet(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// Jaccard returns the resemblance of two sets, the size of their intersection
// divided by that of their union: 1 if they are equal, 0 if they have nothing
// in common. Two empty sets are equal. The sets must be ascending and without
// repetitions, as SortSet leaves them. It costs about 2 ns a hash.
func Jaccard(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
		if x == y {
			both++
		}
	}
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
