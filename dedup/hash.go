package dedup

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// maxWords is how many 64-bit words the longest URL has, the one that ends it
// counted.
const maxWords = weburl.MaxLen/8 + 1

// hasher computes the fingerprints of URLs and their prefixes, 64-bit values that nobody
// can predict without the crawl's secret seed. They are the multilinear hash of Lemire and
// Kaser (2014, "Strongly universal string hashing is fast", MULTILINEAR), which is the upper
// half of
//
//	add + sum of words[j]*w[j]  mod 2^128
//
// where w are the string's 64-bit words and the factors are random 128-bit
// numbers. Seeding xxHash64 would not do: its seed enters once, and differences
// that cancel for every second seed are found in milliseconds
// (TestXXHashIsNotSecret has path segments), so that a site could hide pages
// from the crawl. Here the bound is a theorem: any two URLs or prefixes of URLs
// chosen without knowing the seed have the same value for 2^-64 of the seeds.
//
// A prefix has the fingerprint it would have if it stood alone, from the sum that far: it
// ends where a segment does, so different sequences of segments are different strings.
//
// The products do not wait for one another, so it is fast: an unkeyed xxHash of a
// URL takes as long. A hasher is read only. It takes 16 KiB, of which a URL reads
// the first two bytes for each of its own.
type hasher struct {
	add   wide
	words [maxWords]wide
	seed  uint64 // what all of it is made of
}

// newHasher expands the seed to the factors of all words by ChaCha8.
func newHasher(seed uint64) *hasher {
	var wideSeed [32]byte
	binary.LittleEndian.PutUint64(wideSeed[:], seed)
	r := rand.NewChaCha8(wideSeed)
	h := &hasher{add: wide{r.Uint64(), r.Uint64()}, seed: seed}
	for i := range h.words {
		h.words[i] = wide{r.Uint64(), r.Uint64()}
	}
	return h
}

// key is what the filter knows of a URL: a value for the whole, and, if they
// were asked for, for its proper prefixes of 1, 2, ... segments, as many as there
// are layers.
type key struct {
	full   uint64
	prefix [MaxLayers]uint64
	n      int // prefixes in use
}

// prefixes returns those in use.
func (k *key) prefixes() []uint64 { return k.prefix[:k.n] }

// fingerprint returns the fingerprint of the whole of u. It adds to two sums by turns: neither
// waits for the other.
func (h *hasher) fingerprint(u weburl.URL) uint64 {
	s := u.String()
	if s == "" {
		return 0 // the zero URL
	}
	even, odd := h.add, wide{}
	rest, words := s, h.words[:]
	for len(rest) >= 16 && len(words) > 2 {
		even = even.plus(words[0], load64(rest))
		odd = odd.plus(words[1], load64(rest[8:]))
		rest, words = rest[16:], words[2:]
	}
	if len(rest) >= 8 {
		even = even.plus(words[0], load64(rest))
		words = words[1:]
	}
	odd = odd.plus(words[0], ending(s, len(s)))
	_, carry := bits.Add64(even.lo, odd.lo, 0)
	return splitmix.Finish(even.hi + odd.hi + carry)
}

// key returns u's fingerprint and those of its first proper prefixes.
func (h *hasher) key(u weburl.URL, layers int) (k key) {
	k.full = h.fingerprint(u)
	h.prefixes(u, layers, &k)
	return k
}

// prefixes sets k's to the fingerprints of u's first proper prefixes, as many as there
// are layers, and returns where the last one ends: the sums on the way to the fingerprint
// of the whole.
func (h *hasher) prefixes(u weburl.URL, layers int, k *key) (end int) {
	var ends [MaxLayers]uint16
	k.n = cut(u, layers, &ends)
	s, sum, j := u.String(), h.add, 0
	for i, end := range ends[:k.n] {
		for ; j < int(end/8); j++ {
			sum = sum.plus(h.words[j], load64(s[8*j:]))
		}
		k.prefix[i] = splitmix.Finish(sum.plus(h.words[j], ending(s, int(end))).hi)
	}
	return int(ends[max(k.n, 1)-1])
}

// ending returns the last word of s[:end]: the 0 to 7 bytes that fill no word,
// and their number in its highest byte. It is never zero, so that no string looks
// like another with zero words behind it.
func ending(s string, end int) uint64 {
	return window(s, end&^7)&(1<<(8*end&63)-1) | uint64(end&7+1)<<56
}

// cut finds where u's proper prefixes of 1, 2, ... segments end, and returns how
// many there are, as many as there are layers at most. The first is the origin;
// behind it a segment ends at every slash but the path's first, and at the query.
func cut(u weburl.URL, layers int, ends *[MaxLayers]uint16) (n int) {
	if u.IsZero() || layers == 0 {
		return 0
	}
	s, at := u.String(), len(u.Origin())
	query := at + len(u.Path())
	ends[0], n = uint16(at), 1
	for n < layers {
		at++ // behind a slash
		next := strings.IndexByte(s[at:query], '/')
		if next < 0 {
			break
		}
		at += next
		ends[n] = uint16(at)
		n++
	}
	if n < layers && query < len(s) {
		ends[n] = uint16(query)
		n++
	}
	return n
}

// segments returns how many segments u has; the zero URL counts as one.
func segments(u weburl.URL) int {
	n := max(1, 1+strings.Count(u.Path(), "/"))
	if u.HasQuery() {
		n++
	}
	return n
}
