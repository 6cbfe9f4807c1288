package dedup

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"

	"crawler/weburl"
)

const (
	// positions is how many segments have a hash function of their own; deeper
	// ones share the last.
	positions = 16
	// direct is the longest segment in bytes that one multilinear hash takes.
	direct = lineWords*8 - 1
	// block is how many bytes at once are folded off the front of a longer one.
	block = direct &^ 7
	// prime is the largest one below 2^64.
	prime = 1<<64 - 59
)

// hasher names URLs and their prefixes by 64-bit values that nobody can
// foretell without the crawl's secret seed. It is read only.
//
// Seeding xxHash64 would not do: its seed enters once, and differences that
// cancel for every second seed are found in milliseconds (TestXXHashIsNotSecret
// has path segments), so that a site could hide pages from the crawl. Here
// the bound is a theorem: two URLs chosen without knowing the seed, of up to
// 16 segments of up to 63 bytes each, have the same value for 2^-64 of the
// seeds; every further segment or 56 bytes in one of them may add as much.
type hasher struct {
	segments [positions]multilinear
	blocks   multilinear // for the front of long segments
	base     uint64      // below prime; for sequences
	seed     uint64      // what all of it is made of
}

// newHasher expands the seed to the keys of all positions by ChaCha8.
func newHasher(seed uint64) *hasher {
	var wideSeed [32]byte
	binary.LittleEndian.PutUint64(wideSeed[:], seed)
	r := rand.NewChaCha8(wideSeed)
	h := &hasher{blocks: newMultilinear(r), base: r.Uint64() % prime, seed: seed}
	for i := range h.segments {
		h.segments[i] = newMultilinear(r)
	}
	return h
}

// key is what the filter knows of a URL: values for its proper prefixes of 1,
// 2, ... segments, as many as there are layers, and one for the whole.
type key struct {
	prefix   [MaxLayers]uint64
	n        int // prefixes in use
	full     uint64
	segments int // of the URL
}

// prefixes returns those in use.
func (k *key) prefixes() []uint64 { return k.prefix[:k.n] }

// key sets k to the values of u: the running XOR of the segments' hashes,
// scattered. It is what ranging over u.Segments would give (the tests do so),
// but first all segments are found and then all are hashed, so that the
// processor need not wait for the end of one to begin the next.
func (h *hasher) key(u weburl.URL, layers int, k *key) {
	s := u.String()
	if s == "" { // the zero URL, by the name of zero
		*k = key{segments: 1}
		return
	}
	path := len(u.Origin())
	query := path + len(u.Path())
	var spans [positions - 1]span
	n, rest := cut(s, path, query, &spans)
	x := uint64(0)
	for i, p := range spans[:n] {
		if i > 0 && i <= layers {
			k.prefix[i-1] = scatter(x)
		}
		x ^= h.at(i, s, p)
	}
	if n == len(spans) {
		deep, more := h.deep(s, rest, query)
		x ^= deep
		n += more
	}
	k.full, k.segments, k.n = scatter(x), n, min(n-1, layers)
}

// span is the place of a segment in a URL, from its first byte to the one
// behind its last.
type span struct{ begin, end uint16 } // weburl.MaxLen is 8192

// cut finds the first segments of s, whose path and query begin as given, and
// returns how many they are and where the next one would begin: behind len(s)
// if there is none.
func cut(s string, path, query int, spans *[positions - 1]span) (n, begin int) {
	spans[0].end = uint16(path)
	n, begin = 1, path+1
	for base := begin; base < query; base += 64 {
		for m := slashes(s, base, min(query-base, 64)); m != 0; m &= m - 1 {
			if n == len(spans) {
				return n, begin
			}
			end := base + bits.TrailingZeros64(m)
			spans[n] = span{uint16(begin), uint16(end)}
			n, begin = n+1, end+1
		}
	}
	if n < len(spans) {
		spans[n] = span{uint16(begin), uint16(query)}
		n, begin = n+1, query+1
	}
	if n < len(spans) && query < len(s) {
		spans[n] = span{uint16(query), uint16(len(s))}
		n, begin = n+1, len(s)+1
	}
	return n, begin
}

// deep returns the hash of the segments from begin on, which share the last
// position, as a sequence; and how many they are. XOR would forget their order.
func (h *hasher) deep(s string, begin, query int) (x uint64, n int) {
	for begin <= query {
		end := query
		if i := strings.IndexByte(s[begin:query], '/'); i >= 0 {
			end = begin + i
		}
		x = h.push(x, h.at(positions-1, s, span{uint16(begin), uint16(end)}))
		n, begin = n+1, end+1
	}
	if begin <= len(s) {
		x = h.push(x, h.at(positions-1, s, span{uint16(query), uint16(len(s))}))
		n++
	}
	return x, n
}

// at returns the hash of a segment of s at position i.
func (h *hasher) at(i int, s string, p span) uint64 {
	begin, end := int(p.begin), int(p.end)
	front := uint64(0)
	for ; end-begin > direct; begin += block {
		front = h.push(front, h.blocks.hash(0, s, begin, begin+block))
	}
	return h.segments[i].hash(front, s, begin, end)
}

// push appends x to the sequence v stands for: a polynomial in a secret base
// modulo a prime, by which two sequences of n values coincide for at most n of
// all bases.
func (h *hasher) push(v, x uint64) uint64 {
	hi, lo := bits.Mul64(v, h.base)
	lo, carry := bits.Add64(lo, x, 0)
	return bits.Rem64(hi+carry, lo, prime)
}
