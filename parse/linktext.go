package parse

import "bytes"

// maxLinkWords is how many words the text of a link may have: an <a> that nobody has closed would
// take all that follows.
const maxLinkWords = 64

// beginLinkText acts on the <a> in hand: it ends the link before, as in browsers. One that leads to
// a place on the page itself is no other page's name.
func (p *Parser) beginLinkText(b []byte) {
	p.endLinkText()
	if p.tag.has(attrHref) && !p.isFragment(b) {
		p.page.LinkText = append(p.page.LinkText, int32(len(p.page.Words)))
	}
}

// endLinkText ends the text of the open link, if there is one.
func (p *Parser) endLinkText() {
	page := p.page
	n := len(page.LinkText)
	if n%2 == 0 {
		return
	}
	switch words := len(page.Words) - int(page.LinkText[n-1]); {
	case words == 0 || words > maxLinkWords:
		page.LinkText = page.LinkText[:n-1]
	default:
		page.LinkText = append(page.LinkText, int32(len(page.Words)))
	}
}

// isFragment reports whether the reference of the tag in hand is nothing but a fragment.
func (p *Parser) isFragment(b []byte) bool {
	if raw := p.tag.attr[attrHref].of(b); len(raw) == 0 || raw[0] > '&' { // as nearly all are
		return false
	}
	ref := bytes.TrimLeft(p.valueOf(b, attrHref), "\t\n\f\r ")
	return len(ref) > 0 && ref[0] == '#'
}

// isEndOfLink reports whether the name of an end tag that begins at b[i] is a.
func isEndOfLink(b []byte, i int) bool {
	return b[i]|0x20 == 'a' && i+1 < len(b) && byteEnds[b[i+1]]&endsTag != 0
}
