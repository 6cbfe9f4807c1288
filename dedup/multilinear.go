package dedup

import "math/bits"

// wide is a 128-bit number.
type wide struct{ hi, lo uint64 }

// plus returns a + k*w mod 2^128.
func (a wide) plus(k wide, w uint64) wide {
	hi, lo := bits.Mul64(k.lo, w)
	lo, carry := bits.Add64(a.lo, lo, 0)
	hi, _ = bits.Add64(a.hi, hi+k.hi*w, carry)
	return wide{hi, lo}
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
