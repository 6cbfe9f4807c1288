package graph

import "math/bits"

// A coding is one code with the tables that make it fast: the length of the code word of
// x depends on the length of x+1 alone (unary aside), and words of at most tableBits are
// decoded by one look-up.
//
// With v = x+1 and l = floor(log2 v), after Boldi and Vigna, "Codes for the World Wide
// Web" (2005):
//
//   - unary: x zeros and a one;
//   - gamma: l in unary, then the lower l bits of v;
//   - delta: l in gamma, then the lower l bits of v;
//   - zeta k: h = floor(l/k) in unary, then v - 2^(hk) in minimal binary code of the
//     interval [0, 2^(hk+k) - 2^(hk)).
type coding struct {
	code Code
	k    uint
	lens [65]uint8              // by bit length of x+1; not for unary
	fast [1 << tableBits]uint16 // value<<4 | length by the next bits; 0: a longer word
}

const (
	tableBits = 12
	// maxLen is the largest l that is read: all numbers in the format are below 2^48.
	maxLen = 48
	// bad is what reading returns for a code word that cannot be: more than any bound.
	bad = 1 << 62
)

// newCoding makes the tables of a code: 8 KiB, some 50 µs.
func newCoding(code Code, k int) *coding {
	c := &coding{code: code, k: uint(k)}
	for n := uint(1); n < 65; n++ {
		c.lens[n] = uint8(c.wordLen(n - 1))
	}
	for prefix := range c.fast {
		var word [8]byte
		word[0], word[1] = byte(prefix>>4), byte(prefix<<4)
		r := bitReader{data: word[:]}
		if x := r.long(c); r.pos <= tableBits && x < 1<<tableBits {
			c.fast[prefix] = uint16(x<<4 | r.pos)
		}
	}
	return c
}

// wordLen returns the length of the code word of numbers x with floor(log2 x+1) = l.
func (c *coding) wordLen(l uint) uint {
	switch c.code {
	case Gamma:
		return 2*l + 1
	case Delta:
		return 2*uint(bits.Len(l+1)) - 1 + l
	case Zeta:
		h := l / c.k
		if l == h*c.k {
			return h + h*c.k + c.k
		}
		return h + 1 + h*c.k + c.k
	}
	return 0
}

// len returns the length in bits of the code word of x.
func (c *coding) len(x uint64) uint {
	if c.code == Unary {
		return uint(x) + 1
	}
	return uint(c.lens[bits.Len64(x+1)])
}

// int2nat maps integers to natural numbers: 0, -1, 1, -2, 2, ... to 0, 1, 2, 3, 4, ...
func int2nat(x int64) uint64 { return uint64(x<<1) ^ uint64(x>>63) }

// nat2int is the inverse of int2nat.
func nat2int(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
