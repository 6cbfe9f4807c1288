package parse

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Text with letters beyond ASCII is read in blocks like the other, but is put into lower case
// first, in a window of its own: eight bytes at a time where they are ASCII, else character by
// character. Characters of one to three bytes are known, if lower case has as many. The others, and
// what is not UTF-8, are slowWord's.

// lastStart is the last byte of a block at which a character may begin: none reaches beyond it.
const lastStart = blockBytes - 3

// foldTable has the characters of one and two bytes: two bytes in lower case, and what they are.
var foldTable = newFoldTable(wordRunes)

const (
	foldIn   = 16      // the first of the bits that say which of the bytes are part of a word
	foldStop = 1 << 18 // '<', '&', NUL, and what slowWord knows
)

func newFoldTable(t *runeTable) *[0x800]uint32 {
	table := new([0x800]uint32)
	for r := range rune(len(table)) {
		low := uint32(t.low[r])
		switch {
		case r == '<', r == '&', r == 0, r >= utf8.RuneSelf && low > 0 && (low < utf8.RuneSelf || low >= 0x800):
			table[r] = foldStop
		case low >= utf8.RuneSelf:
			table[r] = 0xc0 | low>>6 | (0x80|low&0x3f)<<8 | 3<<foldIn
		case low > 0:
			table[r] = low | 1<<foldIn
		}
	}
	return table
}

// foldThree is the lower case, if it has three bytes, of letters with accents, from accentsFirst to
// accentsEnd: Latin ones, as of Vietnamese, and Greek.
var foldThree = newFoldThree(wordRunes)

const (
	accentsFirst = 0x1e00
	accentsEnd   = 0x2000
)

func newFoldThree(t *runeTable) *[accentsEnd - accentsFirst]uint16 {
	table := new([accentsEnd - accentsFirst]uint16)
	for i := range table {
		if low := t.fold(rune(accentsFirst + i)); low >= 0x800 {
			table[i] = uint16(low)
		}
	}
	return table
}

// hashFolded is hashBlock for text with letters beyond ASCII; w is scratch memory for it. Words of
// any length are hashed, unless one fills the block. tell, if not nil, is called with each.
func hashFolded(out *[maxInBlock]uint64, w, c *textWindow, limit int, refs bool, tell func([]byte)) (found, read, joined int, numerals uint32) {
	in, n := foldBlock(w, c, refs)
	in, n, _ = wholeWords(c, in, n, limit)
	k := uint(0)
	for starts, ends := in&^(in<<1), in<<1&^in; starts != 0; k++ {
		s, end := bits.TrailingZeros64(starts)%blockBytes, min(bits.TrailingZeros64(ends), n)
		starts, ends = starts&(starts-1), ends&(ends-1)
		out[k%maxInBlock] = hashIn(w, s, end)
		numerals |= digitBit(w[s%len(w)]) << (k % maxInBlock)
		if w[s%len(w)] >= 0xe0 {
			joined += joinedIn(w[s:end])
		}
		if tell != nil {
			tell(w[s:end])
		}
	}
	return int(k), n, joined, numerals
}

// hashIn returns hashBytes of w[i:end], which is not empty and ends within the block.
func hashIn(w *textWindow, i, end int) uint64 {
	n, seed := end-i, uint64(wy2)
	for ; end-i > maxShort; i += maxShort {
		seed = mix(load8(w[:], i)^wy1, load8(w[:], i+8)^seed)
	}
	mask, x := &wordMask[end-i], w[i:i+maxShort]
	return hashLast(load8(x, 0)&mask[0], load8(x, 8)&mask[1], n, seed)
}

// foldBlock puts the block of c into lower case, in w, and classifies it as wordBits does. A block
// ends up to two bytes earlier, so that it ends with a character. A gap at its end is read whole.
func foldBlock(w, c *textWindow, refs bool) (in uint64, n int) {
	for n <= lastStart {
		x, stop := load8(c[:], n), false
		if x&highs == 0 {
			binary.LittleEndian.PutUint64(w[n:], x|foldCase)
			in |= packBits(inWord(x)) << uint(n)
			if look := unusual(x); look != 0 {
				n, stop = n+firstByte(look), true
			} else {
				n = min(n+8, blockBytes)
			}
		} else {
			var letters uint64
			letters, n, stop = foldLetters(w, c, n)
			in |= letters
		}
		if stop {
			size := 0
			if n <= lastStart && c[n] == '&' {
				size = gap((*[maxGap]byte)(c[n:]), refs)
			}
			if size == 0 {
				return in, min(n, blockBytes)
			}
			in &= 1<<uint(n) - 1
			n += size
		}
	}
	return in, n
}

// foldLetters is foldBlock for the eight bytes from n on, of which some are not ASCII, and for what
// is left of a character at their end. It returns the bits of their words, the index behind them,
// and whether it stopped before that for a byte that it does not know.
func foldLetters(w, c *textWindow, n int) (in uint64, next int, stop bool) {
	for end := min(n+8, lastStart+1); n < end; {
		first, second := uint32(c[n]), uint32(c[n+1])
		if first >= 0xe0 {
			isWord, ok := foldLong(w, c, n)
			if !ok {
				return in, n, true
			}
			in |= isWord << uint(n)
			n += 3
			continue
		}
		// No branch depends on how many bytes it has, since that changes with each space.
		two := first >> 7
		r := first ^ (first^(first&0x1f<<6|second&0x3f))&-two
		e := foldTable[r%uint32(len(foldTable))]
		if e&foldStop|(second>>6^2|(first-0xc2)>>31)&-two != 0 {
			return in, n, true
		}
		w[n], w[n+1] = byte(e), byte(e>>8)
		in |= uint64(e>>foldIn) << uint(n)
		n += 1 + int(two)
	}
	return in, n, false
}

// foldLong is foldLetters for the character of three bytes or more at n. It returns the bits of
// its bytes if it is part of a word, and whether it is known.
func foldLong(w, c *textWindow, n int) (isWord uint64, ok bool) {
	c0, c1, c2 := c[n], c[n+1], c[n+2]
	r := rune(c0&0xf)<<12 | rune(c1&0x3f)<<6 | rune(c2&0x3f)
	if c0 >= 0xf0 || c1&0xc0 != 0x80 || c2&0xc0 != 0x80 || r < 0x800 || 0xd800 <= r && r < 0xe000 {
		return 0, false
	}
	switch {
	case !wordRunes.has(r):
		return 0, true
	case caseless(r):
		w[n], w[n+1], w[n+2] = c0, c1, c2
	case accentsFirst <= r && r < accentsEnd && foldThree[r-accentsFirst] != 0:
		low := foldThree[r-accentsFirst]
		w[n], w[n+1], w[n+2] = 0xe0|byte(low>>12), 0x80|byte(low>>6&0x3f), 0x80|byte(low&0x3f)
	default:
		return 0, false
	}
	return 7, true
}
