package parse

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time in one register ("SIMD within a register"): byte i of
// the input is byte i of the word, counted from the low end.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	// foldCase set in a byte makes an ASCII letter lower case and leaves a
	// digit as it is (digits have the bit already).
	foldCase = 0x2020202020202020
)

// load8 returns the eight bytes at b[i:]; i+8 must not pass the end.
func load8(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// notWord has the high bit set in each byte of w that is no ASCII letter or
// digit. Adding a constant to a seven-bit value carries into the high bit
// exactly when the value reaches a bound; two such sums bracket a range.
func notWord(w uint64) uint64 { return inWord(w) ^ highs }

// inWord has the high bit set in each byte of w that is an ASCII letter or
// digit.
func inWord(w uint64) uint64 {
	low := w &^ highs
	letter := low | foldCase
	in := (letter + (0x80-'a')*ones) ^ (letter + (0x80-'z'-1)*ones)
	in |= (low + (0x80-'0')*ones) ^ (low + (0x80-'9'-1)*ones)
	return in &^ w & highs
}

// unusual has the high bit set in each byte of w that is '<', '&', NUL or not
// ASCII.
func unusual(w uint64) uint64 {
	const full = 0x7f * ones
	low := w &^ highs
	plain := (low + full) & (low ^ '<'*ones + full) & (low ^ '&'*ones + full)
	return (^plain | w) & highs
}

// packBits gathers the high bits of the eight bytes of m, the only ones that
// may be set, into the lowest byte.
func packBits(m uint64) uint64 { return m * 0x0002040810204081 >> 56 }

// firstByte is the index of the first byte marked in a mask of high bits.
func firstByte(mask uint64) int { return bits.TrailingZeros64(mask) >> 3 }

// lowBytes has all bits of the first n bytes set, for n from 1 to 8.
func lowBytes(n int) uint64 { return ^uint64(0) >> ((64 - 8*uint(n)) & 63) }

// zeroBytes has the high bit set in the first zero byte of w; marks above the
// first one may be wrong, those below it never are.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & highs }

// isPlain reports whether s can be used as it stands: ASCII, without character
// references, NUL or DEL-and-above bytes.
func isPlain(s []byte) bool {
	for len(s) >= 8 {
		w := load8(s, 0)
		if (w|zeroBytes(w)|zeroBytes(w^'&'*ones))&highs != 0 {
			return false
		}
		s = s[8:]
	}
	for _, c := range s {
		if c >= 0x80 || c == '&' || c == 0 {
			return false
		}
	}
	return true
}
