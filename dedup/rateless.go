package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"crawler/internal/splitmix"
)

// Limits of rateless reconciliation.
const (
	// MaxSymbols is how many symbols of a set there are at most. The decoder takes 16 bytes for
	// each, so it never takes more than 512 MiB for them.
	MaxSymbols = 1 << 25

	// FirstSymbols is what a Difference wants first: enough for some fifteen differing keys, and
	// to estimate how many more there are within a quarter.
	FirstSymbols = 32
)

// Symbol is one coded symbol of a set: the sum, by XOR, of some of its keys.
type Symbol struct {
	Sum   uint64 // of the keys
	Check uint32 // of their checksums
	Count int32  // how many keys
}

// minus takes b's keys out of s.
func (s Symbol) minus(b Symbol) Symbol {
	return Symbol{s.Sum ^ b.Sum, s.Check ^ b.Check, s.Count - b.Count}
}

// pure reports whether a symbol looks as if it were one key. A symbol of several keys does
// with a chance of 2^-32.
func (s Symbol) pure() bool {
	return (s.Count == 1 || s.Count == -1) && symbolCheck(s.Sum) == s.Check
}

// Any other two odd constants would do. Both ends must have the same.
const (
	checkMul = 0xd6e8feb86659fd93
	walkMul  = 0xa0761d6478bd642f
)

func symbolCheck(key uint64) uint32 { return uint32(splitmix.Finish(key*checkMul) >> 32) }

// Rateless makes the coded symbols of a set of 64-bit keys, without end: it is the encoder of
// a rateless invertible Bloom lookup table (Yang, Gilad and Alizadeh 2024, "Practical Rateless
// Set Reconciliation", section 4). Two machines that have nearly the same keys find those in
// which they differ, whatever their number, from the difference of their symbols: from the
// first 1.35 for each differing key, or 1.7 if there are few. Nobody has to know that number
// first, and no symbol is wasted when there are more than expected.
//
// Symbol i has each key with probability 1/(1+i/2), so symbol 0 has all. Where a key is next
// comes from a generator that the key seeds; both ends compute it, on any processor.
//
// Keys must be distinct, and should be hashes under a seed that strangers do not know: who
// knows it can make keys that fall together. A key costs about 2 ln(n/2) steps of 20 ns for n
// symbols, and 12 bytes beside the key itself. A Rateless is not safe for concurrent use.
type Rateless struct {
	keys  []uint64
	next  []uint32 // the symbol that each key is in next
	state []uint64 // of its generator
	at    int      // symbols made
}

// NewRateless returns the encoder of keys, which it keeps and does not change.
func NewRateless(keys []uint64) *Rateless {
	r := &Rateless{keys: keys, next: make([]uint32, len(keys)), state: make([]uint64, len(keys))}
	for i, k := range keys {
		r.state[i] = k * walkMul
	}
	return r
}

// At returns how many symbols were made so far.
func (r *Rateless) At() int { return r.at }

// AppendSymbols appends the next n symbols to dst; beyond MaxSymbols there are none.
func (r *Rateless) AppendSymbols(dst []Symbol, n int) []Symbol {
	n = min(max(n, 0), MaxSymbols-r.at)
	from, to := uint32(r.at), uint32(r.at+n)
	start := len(dst)
	dst = append(dst, make([]Symbol, n)...)
	window := dst[start:]
	for i, k := range r.keys {
		at, state := r.next[i], r.state[i]
		if at >= to {
			continue
		}
		check := symbolCheck(k)
		for at < to {
			s := &window[at-from]
			s.Sum ^= k
			s.Check ^= check
			s.Count++
			at, state = step(at, state)
		}
		r.next[i], r.state[i] = at, state
	}
	r.at += n
	return dst
}

// step returns the symbol that a key is in after symbol i. The chance that it is none of
// i+1 to j is the product of t/(t+2), which is (i+1)(i+2)/((j+1)(j+2)); the sample is that
// function's inverse. Nothing here can be fused or rounded in two ways, so all processors agree.
func step(i uint32, state uint64) (uint32, uint64) {
	state += splitmix.Golden
	u := (float64(splitmix.Finish(state)>>12) + 0.5) * 0x1p-52 // above 0, below 1
	product := float64((uint64(i) + 1) * (uint64(i) + 2))      // exact: i is below MaxSymbols
	j := math.Ceil(math.Sqrt(product/u+0.25) - 1.5)
	if j >= MaxSymbols {
		return math.MaxUint32, state // never
	}
	return max(uint32(j), i+1), state
}

// expected is how many of n keys symbol i has on average.
func expected(n, i int) int64 { return (2*int64(n) + int64(i)/2 + 1) / (int64(i) + 2) }

// AppendForm appends symbols to dst as they are sent: 12 bytes, and a varint for how far the
// count is from what it is expected to be. The first of them is symbol number at of a set of
// n keys.
func AppendForm(dst []byte, symbols []Symbol, at, n int) []byte {
	for i, s := range symbols {
		dst = binary.LittleEndian.AppendUint64(dst, s.Sum)
		dst = binary.LittleEndian.AppendUint32(dst, s.Check)
		dst = binary.AppendVarint(dst, int64(s.Count)-expected(n, at+i))
	}
	return dst
}

// errSymbols is returned for bytes that are no symbols.
var errSymbols = errors.New("dedup: bytes that are not the symbols expected")

// ReadForm reads exactly count symbols that AppendForm wrote.
func ReadForm(form []byte, count, at, n int) ([]Symbol, error) {
	if count < 0 || n < 0 || count > len(form)/13 {
		return nil, fmt.Errorf("%w: %d symbols in %d bytes", errSymbols, count, len(form))
	}
	out := make([]Symbol, count)
	for i := range out {
		if len(form) < 13 {
			return nil, fmt.Errorf("%w: they end early", errSymbols)
		}
		s := &out[i]
		s.Sum, s.Check = binary.LittleEndian.Uint64(form), binary.LittleEndian.Uint32(form[8:])
		d, used := binary.Varint(form[12:])
		c := d + expected(n, at+i)
		if used <= 0 || d > math.MaxInt32 || d < math.MinInt32 || c < 0 || c > int64(n) {
			return nil, fmt.Errorf("%w: symbol %d has an impossible number of keys", errSymbols, at+i)
		}
		s.Count = int32(c)
		form = form[12+used:]
	}
	if len(form) > 0 {
		return nil, fmt.Errorf("%w: %d bytes left over", errSymbols, len(form))
	}
	return out, nil
}
