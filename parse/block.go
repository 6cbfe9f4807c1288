package parse

import "math/bits"

// Text is read in blocks of 64 bytes, a bit a byte in one register: a word's
// borders are found by counting zeros, so that neither its length nor what
// stands around it makes a branch.
const (
	blockBytes = 64
	maxInBlock = blockBytes / 2 // words in a block
)

// textWindow is a block of text and as much behind it as loads may touch.
type textWindow [blockBytes + maxShort]byte

// closerLook is what hashBlock says of a word, or of something else, that it
// does not understand.
const closerLook = -1

// hashBlock hashes words at the front of the text in c, of which limit bytes
// count. It returns how many it found, how many bytes it read for them, and
// what is there: closerLook, or the length of a word of more than maxShort
// letters and digits, or 0 for a '<', the limit or more text. A gap at the end
// of the block is read whole. Bit k of numerals says that the k-th word begins with a digit.
func hashBlock(out *[maxInBlock]uint64, c *textWindow, limit int, refs bool) (found, read, rest int, numerals uint32) {
	in, n := wordBits(c, refs)
	in, n, rest = wholeWords(c, in, n, limit)
	k := uint(0)
	for starts, ends := in&^(in<<1), in<<1&^in; ends != 0; k++ {
		s := bits.TrailingZeros64(starts) % blockBytes
		size := bits.TrailingZeros64(ends) - s
		if uint(size) >= uint(len(wordMask)) {
			return int(k), s, size, numerals
		}
		starts, ends = starts&(starts-1), ends&(ends-1)
		mask, w := &wordMask[size], c[s:s+maxShort]
		lo, hi := load8(w, 0)|foldCase, load8(w, 8)|foldCase
		out[k%maxInBlock] = hashShort(lo&mask[0], hi&mask[1], size)
		numerals |= digitBit(w[0]) << (k % maxInBlock)
	}
	return int(k), n, rest, numerals
}

// digitBit is 1 for a byte of a word that is an ASCII digit, else 0: those of letters have one of
// the two highest bits.
func digitBit(c byte) uint32 { return uint32((c>>7|c>>6)&1 ^ 1) }

// wholeWords cuts a block that was classified at its limit and, if a word may go on behind it,
// before that word. It returns closerLook where the block ends early, unless that is for a '<', and
// where one word fills it.
func wholeWords(c *textWindow, in uint64, n, limit int) (words uint64, end, rest int) {
	n = min(n, limit)
	in &= 1<<uint(n) - 1
	if n == blockBytes || n < blockBytes && n < limit && c[n] != '<' {
		if n < blockBytes {
			rest = closerLook
		}
		// The word that reaches byte n may go on behind it.
		n = bits.Len64((1<<uint(n) - 1) &^ in)
		if n == 0 {
			return 0, 0, closerLook
		}
		in &= 1<<uint(n) - 1
	}
	return in, n, rest
}

// wordBits classifies the block of c: n bytes up to the first that is '<', NUL,
// or the beginning of something that may be part of a word although it is no
// ASCII letter or digit. Bit k of in says that byte k is one; bits from n on
// mean nothing. A gap at the end of the block makes n the index behind it.
func wordBits(c *textWindow, refs bool) (in uint64, n int) {
	for ; n < blockBytes; n += 8 {
		w := load8(c[:], n)
		in |= packBits(inWord(w)) << n
		if look := unusual(w); look != 0 {
			if n += firstByte(look); c[n] == '<' {
				return in, n
			}
			return pastGaps(c, in, n, refs)
		}
	}
	return in, n
}

// pastGaps is wordBits from byte n on, which may begin a gap.
func pastGaps(c *textWindow, in uint64, n int, refs bool) (uint64, int) {
	for n < blockBytes {
		size := gap((*[maxGap]byte)(c[n:]), refs)
		if size == 0 {
			return in, n
		}
		in &= 1<<uint(n) - 1
		if n += size; n >= blockBytes {
			return in, n
		}
		for ; n < blockBytes; n += 8 {
			w := load8(c[:], n)
			in |= packBits(inWord(w)) << (uint(n) % blockBytes)
			if look := unusual(w); look != 0 {
				n += firstByte(look)
				break
			}
		}
	}
	return in, blockBytes
}

// maxGap is how far gap looks.
const maxGap = 9

// gap returns the length of what stands at the front of c if that is no part of
// a word: a reference with a short name, where there are references, or a
// character of UTF-8 among the usual ones. It returns 0 for all else.
func gap(c *[maxGap]byte, refs bool) int {
	switch first := c[0]; {
	case first == '&':
		if !refs {
			return 1
		}
		if ref := shortRef(load8(c[:], 1)); ref != nil && ref.gap {
			return 1 + int(ref.size)
		}
	case first == 0xe2: // U+2000 to U+203F: spaces, dashes, quotation marks
		if c[1] == 0x80 && c[2]&0xc0 == 0x80 {
			return 3
		}
	case first&0xe0 == 0xc0 && first >= 0xc2 && c[1]&0xc0 == 0x80:
		if wordRunes.low[int(first&0x1f)<<6|int(c[1]&0x3f)] == 0 {
			return 2
		}
	}
	return 0
}

// wordMask has the bits of the first n of sixteen bytes set.
var wordMask = func() (t [maxShort + 1][2]uint64) {
	for n := range t {
		t[n] = [2]uint64{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return t
}()
