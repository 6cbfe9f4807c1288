package stats

import (
	"encoding/binary"
	"math/bits"

	"crawler/internal/binform"
)

// bitWriter appends numbers of any number of bits to a slice, low bits first.
type bitWriter struct {
	buf  []byte
	held uint64 // bits that are not in buf yet
	n    uint   // how many, fewer than 64
}

// bits appends the low n bits of v, at most 64.
func (b *bitWriter) bits(v uint64, n uint) {
	v &= 1<<n - 1
	b.held |= v << b.n
	if b.n += n; b.n >= 64 {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, b.held)
		b.n -= 64
		b.held = v >> (n - b.n)
	}
}

func (b *bitWriter) bool(v bool) {
	if v {
		b.bits(1, 1)
	} else {
		b.bits(0, 1)
	}
}

// gamma appends v in Elias' gamma code, for small numbers: 0 takes one bit, 1 and 2 take
// three, 3 to 6 five. It may be up to 2^63 - 2.
func (b *bitWriter) gamma(v uint64) {
	n := uint(bits.Len64(v + 1))
	low := (v + 1) ^ 1<<(n-1)
	if n <= 32 {
		b.bits(1<<(n-1)|low<<n, 2*n-1)
		return
	}
	b.bits(1<<(n-1), n)
	b.bits(low, n-1)
}

// rice appends v in the code of Golomb (1966) and Rice for numbers of about 2^k: k low bits as
// they are, and the others one by one, from mostOnes in Elias' code.
func (b *bitWriter) rice(v uint64, k uint) {
	switch q := v >> k; {
	case q < mostOnes && k < 64-mostOnes:
		b.bits(1<<q-1|(v&(1<<k-1))<<(q+1), uint(q)+1+k)
		return
	case q < mostOnes:
		b.bits(1<<q-1, uint(q)+1)
	default:
		b.bits(1<<mostOnes-1, mostOnes)
		b.gamma(q - mostOnes)
	}
	b.bits(v, k)
}

// mostOnes bounds the ones of a rice code, so that a number far from the expected is no long one.
const mostOnes = 15

// riceBits is how many bits rice takes, at least if they are many.
func riceBits(v uint64, k uint) uint { return uint(min(v>>k, 2*mostOnes)) + 1 + k }

// places appends ascending places below size, and lets each append what is there.
func (b *bitWriter) places(places []int, size int, each func(place int)) {
	b.gamma(uint64(len(places)))
	k, next := gapBits(len(places), size), 0
	for _, i := range places {
		gap := uint64(i - next)
		b.gamma(gap >> k)
		b.bits(gap, k)
		each(i)
		next = i + 1
	}
}

// gapBits is how many low bits of a gap between n of size places are written as they are
// (Golomb 1966): the others are then mostly 0.
func gapBits(n, size int) uint {
	if n == 0 {
		return 0
	}
	return uint(max(0, bits.Len(uint(size/n))-1))
}

// close returns the slice with the last bits.
func (b *bitWriter) close() []byte {
	for left := int(b.n); left > 0; left -= 8 {
		b.buf = append(b.buf, byte(b.held))
		b.held >>= 8
	}
	b.held, b.n = 0, 0
	return b.buf
}

// bitReader reads what a bitWriter wrote. Errors stick to the decoder.
type bitReader struct {
	from *binform.Decoder
	rest []byte
	held uint64
	n    uint
}

func (b *bitReader) bits(n uint) uint64 {
	if n > 32 {
		low := b.bits(32)
		return low | b.bits(n-32)<<32
	}
	for b.n < n {
		if len(b.rest) == 0 {
			b.from.Check(false, "the bits end too early")
			b.held, b.n = 0, 0
			return 0
		}
		b.held |= uint64(b.rest[0]) << b.n
		b.rest, b.n = b.rest[1:], b.n+8
	}
	v := b.held & (1<<n - 1)
	b.held, b.n = b.held>>n, b.n-n
	return v
}

func (b *bitReader) bool() bool { return b.bits(1) == 1 }

func (b *bitReader) gamma() uint64 {
	n := uint(0)
	for b.bits(1) == 0 {
		if n++; n > 62 || !b.from.OK() {
			b.from.Check(false, "a number is too large")
			return 0
		}
	}
	return (1<<n | b.bits(n)) - 1
}

// rice reads what the writer's rice wrote.
func (b *bitReader) rice(k uint) uint64 {
	q := uint64(0)
	for q < mostOnes && b.bits(1) == 1 {
		q++
	}
	if q == mostOnes {
		q += b.gamma()
	}
	b.from.Check(q>>(64-k) == 0, "a number is too large")
	return q<<k | b.bits(k)
}

// number reads a number that is most at most.
func (b *bitReader) number(most int) int {
	v := b.gamma()
	b.from.Check(v <= uint64(most), "a number of %d, at most %d", v, most)
	if !b.from.OK() {
		return 0
	}
	return int(v)
}

// places reads places and calls each for every one, until there is an error.
func (b *bitReader) places(size int, each func(place int)) {
	n := b.number(size)
	k, next := gapBits(n, size), 0
	for range n {
		gap := b.gamma()
		b.from.Check(gap <= uint64(size), "a place beyond the last")
		i := next + int(gap<<k|b.bits(k))
		b.from.Check(i < size, "place %d of %d", i, size)
		if !b.from.OK() {
			return
		}
		each(i)
		next = i + 1
	}
}

// close checks that nothing is left.
func (b *bitReader) close() {
	b.from.Check(len(b.rest) == 0 && b.held == 0 && b.n < 8, "bits left over")
}
