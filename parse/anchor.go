package parse

import "unicode/utf8"

// Limits of what is kept of a link besides its address, in bytes of UTF-8.
const (
	MaxAnchorBytes = 256 // of its text, cut between two runes
	MaxRelBytes    = 64  // of its rel, cut between two tokens
)

// A note is the text and the rel of one link, preceded by their lengths. The notes of a page
// follow each other in one string, so that a link costs no allocation. Notes beyond
// maxNoteBytes per page are dropped.
const (
	noteHead     = 3
	maxNoteBytes = 64 << 20
)

// Anchor returns the text and the rel of one of the page's links, valid for good; both
// are empty without Options.Anchors.
//
// The text is that of the <a> as a browser shows it, on one line: references decoded,
// white space and control characters collapsed, without script, style, template and
// noscript; an image is replaced by its alt, and an element that starts a line of its own (a
// block, <br>) ends a word. Of an <area> it is the alt. The rel is that of <a> and <area>
// (not of SVG's links): its tokens, ASCII in lower case, with single spaces between them,
// such as "nofollow ugc".
// Both are the site's words: escape them before a terminal sees them.
func (p *Page) Anchor(l *Link) (text, rel string) {
	if l.note == 0 {
		return "", ""
	}
	head, rest := p.notes[l.note-noteHead:], p.notes[l.note:]
	n := int(head[0]) | int(head[1])<<8
	return rest[:n], rest[n : n+int(head[2])]
}

// note keeps the text and the rel of the page's link with that index.
func (p *Parser) note(link int, text, rel []byte) {
	if len(text)+len(rel) == 0 || len(p.notes) > maxNoteBytes {
		return
	}
	p.notes = append(p.notes, byte(len(text)), byte(len(text)>>8), byte(len(rel)))
	p.page.Links[link].note = uint32(len(p.notes))
	p.notes = append(append(p.notes, text...), rel...)
}

// anchor is the <a> whose text is being read. There is at most one: an <a> ends the one
// before, as in browsers.
type anchor struct {
	open   bool
	link   int // its index among the page's
	hidden int // hidden elements open around it
	depth  int // elements of foreign content open around it
	line   line
	rel    []byte
}

// openAnchor acts on the <a> in hand, which made no link if the page has still n. One that
// is hidden inside the open <a> has no text and leaves that open.
func (p *Parser) openAnchor(b []byte, n int) {
	a, made := &p.anchor, len(p.page.Links) > n
	if a.open && p.hidden > a.hidden {
		if made {
			p.note(n, nil, p.appendRel(p.word[:0], b))
		}
		return
	}
	p.closeAnchor()
	if !made {
		return
	}
	a.open, a.link, a.hidden, a.depth = true, n, p.hidden, len(p.open)
	a.line.reset()
	a.rel = p.appendRel(a.rel[:0], b)
}

// closeAnchor ends the open <a>, if there is one.
func (p *Parser) closeAnchor() {
	if a := &p.anchor; a.open {
		a.open = false
		p.note(a.link, a.line.text, a.rel)
	}
}

// leaveAnchor ends the open <a> if the element around it has ended.
func (p *Parser) leaveAnchor() {
	if a := &p.anchor; len(p.open) < a.depth || p.hidden < a.hidden {
		p.closeAnchor()
	}
}

// anchorPiece reads text inside the open <a> up to the next markup, whose index it
// returns, and looks at its name: some tags end a word, </a> ends the text.
func (p *Parser) anchorPiece(b []byte, i int) int {
	start := i
	if p.hidden == 0 {
		i = p.words(b, i, len(b), p.mode)
	} else {
		i = nextMarkup(b, i)
	}
	p.anchorText(b[start:i], p.mode)
	if p.hidden > p.anchor.hidden || i+2 >= len(b) {
		return i
	}
	if b[i+1] != '/' {
		p.anchorTag(b, i+1)
	} else if _, end := tagName(b, i+2); equalFold(b[i+2:end], "a") {
		p.closeAnchor()
	} else {
		p.anchorTag(b, i+2)
	}
	return i
}

// anchorText takes text inside the open <a>, unless it is hidden there.
func (p *Parser) anchorText(s []byte, mode textMode) {
	if a := &p.anchor; p.hidden == a.hidden {
		a.line.add(s, mode)
	}
}

// anchorTag takes the tag whose name begins at b[i].
func (p *Parser) anchorTag(b []byte, i int) {
	if _, end := tagName(b, i); lineBreakers[string(p.lowerName(b[i:end]))] {
		p.anchor.line.breakWord()
	}
}

// anchorImage takes the alt of the image in hand, inside the open <a>.
func (p *Parser) anchorImage(b []byte) {
	if a := &p.anchor; a.hidden == p.hidden {
		a.line.breakWord()
		a.line.add(p.valueOf(b, attrAlt), textRaw)
		a.line.breakWord()
	}
}

// areaNote keeps the alt and the rel of the <area> in hand, which made no link if the page
// has still n.
func (p *Parser) areaNote(b []byte, n int) {
	if len(p.page.Links) == n {
		return
	}
	p.area.reset()
	p.area.add(p.valueOf(b, attrAlt), textRaw)
	p.note(n, p.area.text, p.appendRel(p.word[:0], b))
}

// appendRel appends the tokens of the rel in hand.
func (p *Parser) appendRel(dst, b []byte) []byte {
	start := len(dst)
	for rel := p.valueOf(b, attrRel); ; {
		rel = rel[pastSpace(rel, 0):]
		n := 0
		for n < len(rel) && !isSpace(rel[n]) {
			n++
		}
		if n == 0 || len(dst)-start+1+n > MaxRelBytes {
			return dst
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = appendLower(dst, rel[:n])
		rel = rel[n:]
	}
}

// line is text on one line, of at most MaxAnchorBytes.
type line struct {
	text []byte
	gap  bool // a space is due before what comes next
	full bool
}

func (l *line) reset() { l.text, l.gap, l.full = l.text[:0], false, false }

// breakWord ends a word.
func (l *line) breakWord() { l.gap = len(l.text) > 0 }

// add appends text read in that mode.
func (l *line) add(s []byte, mode textMode) {
	for i := 0; i < len(s) && !l.full; {
		switch c := s[i]; {
		case c == '&' && mode.refs():
			r1, r2, next := charRef(s, i, len(s), false)
			l.addRune(r1)
			if r2 != 0 {
				l.addRune(r2)
			}
			i = next
		case c == 0:
			if mode != textData {
				l.addRune(utf8.RuneError)
			}
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			l.addRune(r)
			i += n
		}
	}
}

func (l *line) addRune(r rune) {
	if isBlank(r) {
		l.breakWord()
		return
	}
	n := utf8.RuneLen(r)
	if l.gap {
		n++
	}
	if l.full = l.full || len(l.text)+n > MaxAnchorBytes; l.full {
		return
	}
	if l.gap {
		l.text, l.gap = append(l.text, ' '), false
	}
	l.text = appendRune(l.text, r)
}

// lineBreakers are the elements that start a line of their own, or a cell.
var lineBreakers = nameSet("address article aside blockquote br caption center dd details dialog dir div dl dt fieldset " +
	"figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p " +
	"pre search section summary table tbody td textarea tfoot th thead tr ul xmp")
