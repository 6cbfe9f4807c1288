package parse

import "bytes"

// What ends a tag's name, and an attribute's name or unquoted value.
const (
	endsTag   = 1 << iota // white space, '/', '>'
	endsName              // the same and '='
	endsValue             // white space, '>'
	isMarkup              // letter, '/', '!', '?': makes '<' the start of markup
)

var byteEnds = func() (t [256]uint8) {
	for _, c := range " \t\n\f\r>" {
		t[c] = endsTag | endsName | endsValue
	}
	t['/'] |= endsTag | endsName
	t['='] |= endsName
	for c := range t {
		if isLetter(byte(c)) || c == '/' || c == '!' || c == '?' {
			t[c] |= isMarkup
		}
	}
	return t
}()

func startsMarkup(c byte) bool { return byteEnds[c]&isMarkup != 0 }

// span is a stretch of the document.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// tag is the start tag in hand.
type tag struct {
	have        uint32 // which of attr are set, a bit each
	selfClosing bool
	attr        [attrCount]span // values as they stand in the document
}

func (t *tag) has(id attrID) bool { return t.have>>id&1 != 0 }

// scanHTML makes one pass over b by the rules of HTML.
func (p *Parser) scanHTML(b []byte) {
	for i := 0; i < len(b) && !p.again; {
		switch {
		case p.anchor.open:
			i = p.anchorPiece(b, i)
		// Often a tag follows a tag, or white space and a tag.
		case b[i] == '<' && i+1 < len(b) && startsMarkup(b[i+1]):
		case b[i] <= ' ' && i+2 < len(b) && b[i+1] == '<' && startsMarkup(b[i+2]):
			i++
		case p.hidden == 0:
			i = p.words(b, i, len(b), p.mode)
		default:
			i = nextMarkup(b, i)
		}
		if i >= len(b) {
			return
		}
		switch b[i+1] {
		case '/':
			i = p.endTag(b, i)
		case '!':
			i = p.declaration(b, i)
		case '?':
			i = pastAngle(b, i)
		default:
			i = p.startTag(b, i+1)
		}
	}
}

// nextMarkup returns the index of the next '<' that begins markup.
func nextMarkup(b []byte, i int) int {
	for {
		i = indexFrom(b, i, '<')
		if i+1 >= len(b) {
			return len(b)
		}
		if startsMarkup(b[i+1]) {
			return i
		}
		i++
	}
}

// pastAngle returns the index behind the next '>': how bogus comments end.
func pastAngle(b []byte, i int) int { return min(indexFrom(b, i, '>')+1, len(b)) }

// declaration skips "<!...": a comment, a doctype, or one of the many things
// that are treated as comments. In foreign content it may be a CDATA section,
// whose text counts.
func (p *Parser) declaration(b []byte, i int) int {
	rest := b[i+2:]
	if len(rest) >= 2 && rest[0] == '-' && rest[1] == '-' {
		return pastComment(b, i+4)
	}
	if p.cdataOK && bytes.HasPrefix(rest, []byte("[CDATA[")) {
		return p.cdata(b, i+len("<![CDATA["))
	}
	return pastAngle(b, i)
}

// cdata reads a CDATA section's text from i and returns the index behind it.
func (p *Parser) cdata(b []byte, i int) int {
	end, next := len(b), len(b)
	if k := bytes.Index(b[i:], []byte("]]>")); k >= 0 {
		end, next = i+k, i+k+3
	}
	p.text(b, i, end, textRaw)
	return next
}

// text reads the text b[i:end], which holds no markup.
func (p *Parser) text(b []byte, i, end int, mode textMode) {
	if p.hidden == 0 {
		before := len(p.page.Words)
		p.words(b, i, end, mode)
		if p.inTitle {
			p.page.titleWords += len(p.page.Words) - before
		}
	}
	if p.anchor.open {
		p.anchorText(b[i:end], mode)
	}
}

// pastComment returns the index behind the comment whose text begins at i. It
// ends at "-->" or "--!>", and right at its beginning also at ">" and "->".
func pastComment(b []byte, i int) int {
	for k := i; ; k++ {
		k = indexFrom(b, k, '>')
		if k >= len(b) {
			return len(b)
		}
		text := b[i:k]
		if n := len(text); n >= 3 && text[n-1] == '!' {
			text = text[:n-1]
		} else if n < 2 && (n == 0 || text[0] == '-') {
			return k + 1
		}
		if bytes.HasSuffix(text, []byte("--")) {
			return k + 1
		}
	}
}

// tagName reads the name at b[i]. The key is the lower-cased name packed into
// eight bytes, 0 for longer names; end is len(b) if the document ends there.
func tagName(b []byte, i int) (key uint64, end int) {
	if i+8 < len(b) {
		w := load8(b, i)
		n := firstByte(notWord(w)) // 8 if all are letters and digits
		if byteEnds[b[i+n]]&endsTag != 0 {
			return (w | foldCase) & lowBytes(n), i + n
		}
	}
	return slowName(b, i)
}

// slowName is tagName for names with unusual bytes or at the document's end.
func slowName(b []byte, i int) (key uint64, end int) {
	end = i
	for end < len(b) && byteEnds[b[end]]&endsTag == 0 {
		end++
	}
	if end-i > 8 || bytes.IndexByte(b[i:end], 0) >= 0 { // a NUL would read like padding
		return 0, end
	}
	return packName(b, i, end-i), end
}

// packName packs the n <= 8 bytes of a name at b[i]. Bytes other than letters
// and digits may come out changed, but never into letters.
func packName(b []byte, i, n int) uint64 {
	if i+8 <= len(b) {
		return (load8(b, i) | foldCase) & lowBytes(n)
	}
	var key uint64
	for k := i + n - 1; k >= i; k-- {
		key = key<<8 | uint64(b[k]|0x20)
	}
	return key
}

// startTag reads the start tag whose name begins at i, acts on it, and returns
// the index behind it, or behind the raw text it opens.
func (p *Parser) startTag(b []byte, i int) int {
	key, end := tagName(b, i)
	if len(p.open) > 0 {
		return p.startInForeign(b, key, i, end)
	}
	id := tagOf(key)
	if key == 0 {
		id = tagNamed(key, b[i:end])
	}
	if id == tagOther {
		return p.skipTag(b, end)
	}
	next := p.attrs(b, end, wantedBy[id])
	if next < 0 {
		return len(b)
	}
	return p.element(b, id, next)
}

// skipTag returns the index behind the tag, from the end of its name.
func (p *Parser) skipTag(b []byte, i int) int {
	if i < len(b) && b[i] == '>' {
		return i + 1
	}
	return p.skipAttrs(b, i)
}

// skipAttrs is skipTag for a tag that does not end with its name.
func (p *Parser) skipAttrs(b []byte, i int) int {
	if i = pastPlain(b, i); i < len(b) && b[i] == '>' {
		return i + 1
	}
	if i = p.attrs(b, i, 0); i < 0 {
		return len(b)
	}
	return i
}

// endTag reads the end tag at b[i] ("</"). End tags matter only where
// something is open that changes how text is read.
func (p *Parser) endTag(b []byte, i int) int {
	i += 2
	if i >= len(b) {
		return len(b)
	}
	if !isLetter(b[i]) {
		return pastAngle(b, i)
	}
	if isEndOfLink(b, i) {
		p.endLinkText()
	}
	nothing := p.hidden == 0 && len(p.open) == 0 // templates and <noscript> hide
	if nothing && i+8 <= len(b) {
		w := load8(b, i)
		angle := zeroBytes(w ^ '>'*ones)
		below := (angle - 1) &^ angle
		// Only a value can hide a '>', and only a '=' can begin one.
		if angle != 0 && zeroBytes(w^'='*ones)&below == 0 {
			return i + firstByte(angle) + 1
		}
	}
	key, end := tagName(b, i)
	next := p.skipTag(b, end)
	if !nothing {
		p.closeElement(key, b[i:end])
	}
	return next
}
