package graph

import (
	"encoding/binary"
	"math/bits"
)

// A bitReader reads code words from bytes, the most significant bit first. It reads zeros
// after the end, where every word is bad or fails the caller's check of pos.
type bitReader struct {
	data []byte
	pos  uint64 // of the next bit
}

// peek returns at least the next 57 bits, from the most significant bit down.
func (r *bitReader) peek() uint64 {
	at := r.pos >> 3
	if at+8 <= uint64(len(r.data)) {
		return binary.BigEndian.Uint64(r.data[at:]) << (r.pos & 7)
	}
	return r.peekTail(at)
}

// peekTail is peek within eight bytes of the end or after it.
func (r *bitReader) peekTail(at uint64) uint64 {
	var tail [8]byte
	if at < uint64(len(r.data)) {
		copy(tail[:], r.data[at:])
	}
	return binary.BigEndian.Uint64(tail[:]) << (r.pos & 7)
}

// read returns the next number written in c, or bad.
func (r *bitReader) read(c *coding) uint64 {
	if e := c.fast[r.peek()>>(64-tableBits)]; e != 0 {
		r.pos += uint64(e & 15)
		return uint64(e >> 4)
	}
	return r.long(c)
}

// long is read without the table.
func (r *bitReader) long(c *coding) uint64 {
	if c.code == Unary {
		return r.unary()
	}
	zeros := uint(bits.LeadingZeros64(r.peek()))
	if zeros > maxLen {
		r.pos += uint64(zeros)
		return bad
	}
	switch c.code {
	case Gamma:
		r.pos += uint64(zeros)
		return r.bits(zeros+1) - 1
	case Delta:
		r.pos += uint64(zeros)
		l := uint(r.bits(zeros+1) - 1)
		if l > maxLen {
			return bad
		}
		return r.bits(l) + 1<<l - 1
	default:
		r.pos += uint64(zeros) + 1
		return r.minimal(zeros*c.k, c.k)
	}
}

// minimal reads the part of a zeta word behind its unary length: v - 2^low, with low = hk,
// in minimal binary code.
func (r *bitReader) minimal(low, k uint) uint64 {
	if low+k > maxLen {
		return bad
	}
	m := r.bits(low + k - 1)
	if m < 1<<low {
		return m + 1<<low - 1
	}
	return m<<1 + r.bits(1) - 1
}

// bits returns the next n bits, n at most 57, as a number.
func (r *bitReader) bits(n uint) uint64 {
	v := r.peek() >> (64 - n)
	r.pos += uint64(n)
	return v
}

// unary reads zeros up to a one.
func (r *bitReader) unary() uint64 {
	for start := r.pos; ; {
		if zeros := bits.LeadingZeros64(r.peek()); zeros < 57 {
			r.pos += uint64(zeros) + 1
			return r.pos - start - 1
		}
		if r.pos += 57; r.pos > uint64(len(r.data))*8 {
			return bad
		}
	}
}
