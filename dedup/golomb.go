package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"crawler/internal/splitmix"
)

// Golomb is a set of 64-bit hashes cut to their first bits and sent as the gaps between
// them, in the code of Golomb and Rice (Golomb 1966, "Run-length encodings"). It is the Bloom
// filter with one position a key, compressed (Mitzenmacher 2002, "Compressed Bloom filters"):
// for given bytes on the wire no Bloom filter errs less. It has false positives at a rate of
// n/2^b, for n hashes of b bits, and takes some b - log2 n + 1.5 bits a hash. With all 64 bits
// it is exact.
//
// The hashes must be uniformly distributed. Questions are answered from a sorted list of 8
// bytes a hash, in log2 n steps.
type Golomb struct {
	values []uint64 // ascending, distinct
	bits   int
}

// NewGolomb returns the set of the first bits of the hashes, of 1 to 64 bits; what is outside
// is moved to the nearest limit.
func NewGolomb(hashes []uint64, width int) *Golomb {
	g := &Golomb{values: make([]uint64, len(hashes)), bits: min(max(width, 1), 64)}
	for i, h := range hashes {
		g.values[i] = h >> (64 - g.bits)
	}
	slices.Sort(g.values)
	g.values = slices.Compact(g.values)
	return g
}

// GolombBits returns how many bits of each of n hashes make a false positive as rare as
// 2^-rarity.
func GolombBits(n, rarity int) int { return min(max(bits.Len(uint(max(n, 1)-1))+rarity, 1), 64) }

// Len returns how many different values the set has.
func (g *Golomb) Len() int { return len(g.values) }

// Exact reports whether the set keeps all bits, so that Has never errs.
func (g *Golomb) Exact() bool { return g.bits == 64 }

// Has reports whether the hash may be in the set. False is certain.
func (g *Golomb) Has(h uint64) bool {
	_, ok := slices.BinarySearch(g.values, h>>(64-g.bits))
	return ok
}

// Values returns the values in ascending order; they are the set's own.
func (g *Golomb) Values() []uint64 { return g.values }

// rice is how many low bits of a gap are written as they are. The best is about log2 of the
// mean gap times ln 2.
func rice(n, width int) int {
	return max(width-bits.Len(uint(max(n, 1))), 0)
}

// AppendBinary appends the set's form to dst: a byte for the bits, a uvarint for the number of
// values, and the gaps as a stream of bits, first bit highest.
func (g *Golomb) AppendBinary(dst []byte) ([]byte, error) {
	if g.bits == 0 {
		return nil, errZero
	}
	dst = binary.AppendUvarint(append(dst, byte(g.bits)), uint64(len(g.values)))
	k := rice(len(g.values), g.bits)
	w := bitWriter{buf: dst}
	last := uint64(0)
	for i, v := range g.values {
		gap := v - last
		if i > 0 {
			gap-- // values are distinct
		}
		last = v
		w.unary(gap >> k)
		w.bits(gap, k)
	}
	return w.flush(), nil
}

// MarshalBinary returns the set's form.
func (g *Golomb) MarshalBinary() ([]byte, error) { return g.AppendBinary(nil) }

var errGolomb = errors.New("dedup: not the form of a Golomb set")

// UnmarshalBinary makes g the set whose form data is. An error leaves g as it was. Nothing is
// made that data does not fill: a value takes a bit at least.
func (g *Golomb) UnmarshalBinary(data []byte) error {
	if len(data) < 2 || data[0] < 1 || data[0] > 64 {
		return fmt.Errorf("%w: no head", errGolomb)
	}
	width := int(data[0])
	n, used := binary.Uvarint(data[1:])
	data = data[1:]
	if used <= 0 || n > uint64(len(data)-used)*8 {
		return fmt.Errorf("%w: %d values in %d bytes", errGolomb, n, len(data))
	}
	k := rice(int(n), width)
	r := bitReader{buf: data[used:]}
	// A value takes k+1 bits at least.
	if n > uint64(len(r.buf))*8/uint64(k+1) {
		return fmt.Errorf("%w: %d values in %d bytes", errGolomb, n, len(data))
	}
	values, last := make([]uint64, n), uint64(0)
	top := ^uint64(0) >> (64 - width)
	for i := range values {
		high, ok := r.unary()
		low, more := r.bits(k)
		if !ok || !more || high > top>>k {
			return fmt.Errorf("%w: value %d of %d", errGolomb, i, n)
		}
		gap := high<<k | low
		first := uint64(0)
		if i > 0 {
			first = last + 1
		}
		if i > 0 && last == top || gap > top-first {
			return fmt.Errorf("%w: value %d of %d is too large", errGolomb, i, n)
		}
		last = first + gap
		values[i] = last
	}
	if !r.ended() {
		return fmt.Errorf("%w: bits left over", errGolomb)
	}
	*g = Golomb{values: values, bits: width}
	return nil
}

// SumOf returns a sum of the keys that tells sets apart, whatever the order: equal sets have
// equal sums, and two others do with a chance of 2^-64 if their keys are hashes under a
// secret. The sum of a union of disjoint sets is the sum of theirs.
func SumOf(keys []uint64) (sum uint64) {
	for _, k := range keys {
		sum += splitmix.Finish(k ^ checkMul)
	}
	return sum
}

// bitWriter appends bits to a slice, first bit highest.
type bitWriter struct {
	buf  []byte
	word uint64 // its upper bits are pending
	n    int    // how many
}

// bits writes the low k bits of v, k below 64.
func (w *bitWriter) bits(v uint64, k int) {
	for k > 32 { // so that a word has room
		k -= 32
		w.bits(v>>k, 32)
	}
	if k == 0 {
		return
	}
	v &= 1<<k - 1
	if w.n+k > 64 {
		w.spill()
	}
	w.word |= v << (64 - w.n - k)
	w.n += k
}

// unary writes v ones and a zero.
func (w *bitWriter) unary(v uint64) {
	for ; v >= 32; v -= 32 {
		w.bits(1<<32-1, 32)
	}
	w.bits(1<<(v+1)-2, int(v)+1)
}

// spill moves whole bytes to the slice.
func (w *bitWriter) spill() {
	for w.n >= 8 {
		w.buf = append(w.buf, byte(w.word>>56))
		w.word <<= 8
		w.n -= 8
	}
}

func (w *bitWriter) flush() []byte {
	w.spill()
	if w.n > 0 {
		w.buf = append(w.buf, byte(w.word>>56))
	}
	return w.buf
}

// bitReader reads what bitWriter wrote.
type bitReader struct {
	buf []byte
	at  int // bits read
}

func (r *bitReader) bits(k int) (v uint64, ok bool) {
	if r.at+k > 8*len(r.buf) {
		return 0, false
	}
	for k > 0 {
		free := 8 - r.at&7
		n := min(free, k)
		b := uint64(r.buf[r.at>>3]) >> (free - n) & (1<<n - 1)
		v = v<<n | b
		r.at += n
		k -= n
	}
	return v, true
}

// unary reads ones up to a zero.
func (r *bitReader) unary() (v uint64, ok bool) {
	for r.at < 8*len(r.buf) {
		free := 8 - r.at&7
		b := r.buf[r.at>>3] << (8 - free)
		ones := min(bits.LeadingZeros8(^b), free)
		v += uint64(ones)
		r.at += ones
		if ones < free {
			r.at++
			return v, true
		}
	}
	return 0, false
}

// ended reports whether less than a byte is left, and that is zeros.
func (r *bitReader) ended() bool {
	left := 8*len(r.buf) - r.at
	if left >= 8 {
		return false
	}
	v, _ := r.bits(left)
	return v == 0
}
