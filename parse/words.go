package parse

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// MaxWordRunes is the length of the longest word. Longer runs of letters and
// digits (encoded data, mostly) are no words at all; they are not cut.
const MaxWordRunes = 64

// alnum marks the ASCII letters and digits.
var alnum = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return t
}()

// textMode says how the tokenizer reads a stretch of text.
type textMode uint8

const (
	textData    textMode = iota // ordinary text: references, markup, NULs vanish
	textRCDATA                  // title, textarea: references, no markup
	textRaw                     // xmp, iframe, CDATA, text/plain: neither
	textForeign                 // ordinary text where a NUL is a character
)

func (m textMode) refs() bool   { return m != textRaw }
func (m textMode) markup() bool { return m == textData || m == textForeign }

// words appends the hashes of the words in b[i:end] and returns where it
// stopped: at the '<' that begins markup, or at end. If end is not the end of
// b, b[end] must be '<' or ']'.
func (p *Parser) words(b []byte, i, end int, mode textMode) int {
	for folded := false; i < end; {
		if i+len(textWindow{}) > len(b) {
			return p.lastWords(b, i, end, mode)
		}
		c, read, rest := (*textWindow)(b[i:]), 0, 0
		if folded {
			if read = p.foldedBlock(c, end-i, mode.refs()); read == 0 {
				rest = closerLook
			}
			folded = beyondASCII(c, read)
		} else if read, rest = p.block(c, end-i, mode.refs()); rest == closerLook && beyondASCII(c, read) {
			folded, rest = true, 0
		}
		switch i += read; {
		case rest == closerLook:
			i = p.slowWord(b, i, end, mode)
		case rest > 0:
			p.longWord(b[i : i+rest])
			i += rest
		}
		for i < end && b[i] == '<' {
			if mode.markup() && i+1 < end && startsMarkup(b[i+1]) {
				return i
			}
			i++
		}
	}
	return end
}

// beyondASCII reports whether a letter of the next few at i may be no ASCII letter.
func beyondASCII(c *textWindow, i int) bool { return load8(c[:], i)&highs != 0 }

// foldedBlock appends the hashes that hashFolded finds.
func (p *Parser) foldedBlock(c *textWindow, limit int, refs bool) (read int) {
	page := p.page
	n := len(page.Words)
	page.Words = slices.Grow(page.Words, maxInBlock)
	found, read, joined, numerals := hashFolded((*[maxInBlock]uint64)(page.Words[n:n+maxInBlock]), &p.folded, c, limit, refs, p.opt.OnWord)
	page.Words = page.Words[:n+found]
	page.noteNumerals(n, numerals)
	page.Joined += joined
	return read
}

// joinedRunes is how many characters a word has, roughly, of a script that is written without
// spaces: fewer in Chinese, more in Thai. Of those scripts a word is a clause here.
const joinedRunes = 2

// joinedIn returns how many words a run of letters, in UTF-8, has beyond the first one, if it
// begins with a letter of such a script, which has three bytes or more: Chinese, Japanese, Thai,
// Lao, Burmese or Khmer.
func joinedIn(word []byte) int {
	first, second := word[0], word[min(1, len(word)-1)]
	switch {
	case first == 0xe0 && 0xb8 <= second && second <= 0xbb: // Thai, Lao
	case first == 0xe1 && 0x80 <= second && second <= 0x82: // Burmese
	case first == 0xe1 && 0x9e <= second && second <= 0x9f: // Khmer
	case first == 0xe3 && second >= 0x81: // kana, ideographs
	case 0xe4 <= first && first <= 0xe9: // ideographs
	case first == 0xef && 0xa4 <= second && second <= 0xab: // for compatibility
	case first == 0xf0 && second >= 0xa0: // rare ones
	default:
		return 0
	}
	return max(0, len(word)/(3*joinedRunes)-1)
}

// block appends the hashes that hashBlock finds.
func (p *Parser) block(c *textWindow, limit int, refs bool) (read, rest int) {
	page := p.page
	n := len(page.Words)
	if cap(page.Words)-n < maxInBlock {
		page.Words = slices.Grow(page.Words, maxInBlock)
	}
	found, read, rest, numerals := hashBlock((*[maxInBlock]uint64)(page.Words[n:n+maxInBlock]), c, limit, refs)
	page.Words = page.Words[:n+found]
	if numerals != 0 {
		page.noteNumerals(n, numerals)
	}
	if p.opt.OnWord != nil {
		p.tellWords(c[:read], refs)
	}
	return read, rest
}

// noteNumerals notes which of the words from n on begin with digits.
func (p *Page) noteNumerals(n int, numerals uint32) {
	for ; numerals != 0; numerals &= numerals - 1 {
		p.Numerals = append(p.Numerals, int32(n+bits.TrailingZeros32(numerals)))
	}
}

// appendWord appends the hash of a word, which is in lower case.
func (p *Page) appendWord(word []byte) {
	if digitBit(word[0]) != 0 {
		p.Numerals = append(p.Numerals, int32(len(p.Words)))
	}
	p.Words = append(p.Words, hashBytes(word))
}

// longWord appends the hash of a word of ASCII letters and digits.
func (p *Parser) longWord(word []byte) {
	low := appendLower(p.word[:0], word)
	p.page.appendWord(low)
	if p.opt.OnWord != nil {
		p.opt.OnWord(low)
	}
}

// tellWords calls OnWord with the words of a text whose letters are ASCII and
// whose references, if it has any, stand for no letters.
func (p *Parser) tellWords(text []byte, refs bool) {
	for i := 0; i < len(text); i++ {
		if refs && text[i] == '&' {
			_, _, next := charRef(text, i, len(text), false)
			i = next - 1
			continue
		}
		start := i
		for i < len(text) && isAlnum(text[i]) {
			i++
		}
		if i > start {
			p.opt.OnWord(appendLower(p.word[:0], text[start:i]))
			i--
		}
	}
}

// lastWords is words where a block would pass the end of b.
func (p *Parser) lastWords(b []byte, i, end int, mode textMode) int {
	for i < end {
		if b[i] == '<' && mode.markup() && i+1 < end && startsMarkup(b[i+1]) {
			return i
		}
		i = p.slowWord(b, i, end, mode)
	}
	return end
}

// slowWord reads one word, or one thing that is none, rune by rune and
// returns the index behind it, always beyond i.
func (p *Parser) slowWord(b []byte, i, end int, mode textMode) int {
	word, runes, start := p.word[:0], 0, i
	for i < end {
		if low, n := p.runes.next(b[i:end]); n > 0 {
			if runes < MaxWordRunes {
				word = appendRune(word, low)
			}
			runes++
			i += n
			continue
		}
		c := b[i]
		if c == 0 && mode == textData {
			i++
			continue
		}
		if c == '&' && mode.refs() {
			r1, r2, next := charRef(b, i, end, false)
			r1, r2 = p.runes.fold(r1), p.runes.fold(r2)
			if r1 == 0 && runes > 0 {
				break // the byte that follows the word is looked at again
			}
			i = next
			word, runes = addRune(word, runes, r1)
			word, runes = addRune(word, runes, r2)
			if r1|r2 != 0 {
				continue
			}
		} else if c >= utf8.RuneSelf && runes == 0 {
			_, n := utf8.DecodeRune(b[i:end])
			i += n
		}
		break
	}
	p.word = word[:0]
	if runes > 0 && runes <= MaxWordRunes {
		p.page.appendWord(word)
		p.page.Joined += joinedIn(word)
		if p.opt.OnWord != nil {
			p.opt.OnWord(word)
		}
	}
	return max(i, start+1)
}

// addRune appends a word's rune unless the word is too long already, or r is 0.
func addRune(word []byte, runes int, r rune) ([]byte, int) {
	switch {
	case r == 0:
		return word, runes
	case runes < MaxWordRunes:
		word = appendRune(word, r)
	}
	return word, runes + 1
}
