package dedup

import (
	"math/bits"
	"math/rand/v2"
)

// multilinear is one random member of a strongly universal family of hash
// functions to 64 bits, from strings of up to 63 bytes with one word (front)
// beside them: the upper half of
//
//	add + beside*front + sum of words[j]*w[j]  mod 2^128
//
// where w are the string's 64-bit words and the factors are random 128-bit
// numbers (Lemire and Kaser 2014, "Strongly universal string hashing is fast",
// MULTILINEAR). Any two inputs collide for 2^-64 of the members. The products
// do not wait for one another, so it is also fast.
type multilinear struct {
	add, beside wide
	words       [lineWords]wide
}

// wide is a 128-bit number.
type wide struct{ hi, lo uint64 }

// newMultilinear draws a member of the family.
func newMultilinear(r *rand.ChaCha8) (m multilinear) {
	draw := func() wide { return wide{r.Uint64(), r.Uint64()} }
	m.add, m.beside = draw(), draw()
	for i := range m.words {
		m.words[i] = draw()
	}
	return m
}

// hash returns the hash of front and s[begin:end], which is at most 63 bytes
// long; s is at least eight.
func (m *multilinear) hash(front uint64, s string, begin, end int) uint64 {
	sum := m.add
	if front != 0 {
		sum = sum.plus(m.beside, front)
	}
	n, j := end-begin, 0
	for ; n >= 8; n -= 8 {
		sum = sum.plus(m.words[j&7], load64(s[begin:]))
		begin += 8
		j++
	}
	// The last word has the 0 to 7 bytes that are left, and their number in its
	// highest byte. It is never zero, so that no string looks like another with
	// zero words behind it.
	last := window(s, begin)&(1<<(8*n&63)-1) | uint64(n&7+1)<<56
	return sum.plus(m.words[j&7], last).hi
}

// plus returns a + k*w mod 2^128.
func (a wide) plus(k wide, w uint64) wide {
	hi, lo := bits.Mul64(k.lo, w)
	lo, carry := bits.Add64(a.lo, lo, 0)
	hi, _ = bits.Add64(a.hi, hi+k.hi*w, carry)
	return wide{hi, lo}
}

// slashes returns a mask of which of the n bytes of s from base on, 64 at most,
// are slashes. s is at least eight bytes long.
func slashes(s string, base, n int) uint64 {
	const (
		each = 0x0101010101010101
		low  = 0x7f * each
	)
	mask := uint64(0)
	for i := 0; i < n; i += 8 {
		x := window(s, base+i) ^ '/'*each // slashes become zero bytes
		// Exactly those have no bit in ^x; and the multiplication gathers the
		// high bits of eight bytes into the highest byte.
		zero := ^(x&low + low | x | low)
		mask |= zero >> 7 * 0x0102040810204080 >> 56 << (i & 63)
	}
	return mask & (1<<uint(n) - 1)
}

// window returns the eight bytes of s at pos, with zeros where s has ended. s is
// at least eight bytes long, as every URL is.
func window(s string, pos int) uint64 {
	at := min(pos, len(s)-8)
	return load64(s[at:]) >> (8 * uint(pos-at))
}

// load64 returns the first eight bytes of s; the compiler makes it one load.
func load64(s string) uint64 {
	return uint64(s[7])<<56 | uint64(s[6])<<48 | uint64(s[5])<<40 | uint64(s[4])<<32 |
		uint64(s[3])<<24 | uint64(s[2])<<16 | uint64(s[1])<<8 | uint64(s[0])
}
