package parse

import (
	"unicode/utf8"
)

// MaxWordRunes is the length of the longest word. Longer runs of letters and
// digits (encoded data, mostly) are no words at all; they are not cut.
const MaxWordRunes = 64

// What a byte means to the word scanner. The order matters: everything from
// byteRef on needs more than one look.
const (
	byteSep  = iota // ends a word
	byteWord        // ASCII letter or digit
	byteLess        // '<': markup, or a separator
	byteRef         // '&': a character reference, or a separator
	byteNUL         // dropped in ordinary text, a separator elsewhere
	byteHigh        // part of a UTF-8 sequence, or an invalid byte
)

var byteClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = byteHigh
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			t[c] = byteWord
		}
	}
	t['<'], t['&'], t[0] = byteLess, byteRef, byteNUL
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
// b, b[end] must be ASCII and no letter or digit.
func (p *Parser) words(b []byte, i, end int, mode textMode) int {
	ws, hook := p.page.Words, p.opt.OnWord
	for i < end {
		switch byteClass[b[i]] {
		case byteSep:
			i++
		case byteWord:
			if i+8 <= len(b) {
				w := load8(b, i)
				if m := notWord(w); m != 0 {
					n := firstByte(m)
					c := byteClass[b[i+n]]
					if c < byteRef {
						ws = append(ws, hashTail(prime5+uint64(n), (w|foldCase)&lowBytes(n), n))
						if hook != nil {
							hook(appendLower(p.word[:0], b[i:i+n]))
						}
						i += n
						if c == byteSep {
							i++
						}
						continue
					}
				} else if n, h := longWord(b, i, w); n > 0 {
					ws = append(ws, h)
					if hook != nil {
						hook(appendLower(p.word[:0], b[i:i+n]))
					}
					i += n
					continue
				}
			}
			p.page.Words = ws
			i = p.slowWord(b, i, end, mode)
			ws = p.page.Words
		case byteLess:
			if mode.markup() && i+1 < end && startsMarkup(b[i+1]) {
				p.page.Words = ws
				return i
			}
			i++
		default:
			p.page.Words = ws
			i = p.slowWord(b, i, end, mode)
			ws = p.page.Words
		}
	}
	p.page.Words = ws
	return end
}

// longWord reads a word of 8 to 31 letters and digits at b[i], of which w holds
// the first eight, and returns its length and hash. The length is 0 if the
// word is longer, meets the end of b, or needs a second look.
func longWord(b []byte, i int, w uint64) (n int, h uint64) {
	first, start := w|foldCase, i
	for i += 8; i+8 <= len(b) && i-start < 32; i += 8 {
		w = load8(b, i)
		m := notWord(w)
		if m == 0 {
			continue
		}
		tail := firstByte(m)
		if byteClass[b[i+tail]] >= byteRef {
			break
		}
		h = hashRound(prime5+uint64(i+tail-start), first)
		for k := start + 8; k < i; k += 8 {
			h = hashRound(h, load8(b, k)|foldCase)
		}
		return i + tail - start, hashTail(h, (w|foldCase)&lowBytes(tail), tail)
	}
	return 0, 0
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
				break // what follows the word is looked at again
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
		p.page.Words = append(p.page.Words, hashBytes(word))
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
