package parse

import "bytes"

// XML differs from HTML where it matters here: "<title/>" is a whole element,
// <script> holds ordinary markup, CDATA sections stand everywhere, comments end
// at "-->" only, and instructions at "?>". What is not well-formed is read on.

// scanXHTML makes one pass over b by the rules of XML.
func (p *Parser) scanXHTML(b []byte) {
	for i := 0; i < len(b) && !p.again; {
		start, before := i, len(p.page.Words)
		switch {
		case p.anchor.open:
			i = p.anchorPiece(b, i)
		case p.hidden == 0:
			i = p.words(b, i, len(b), textData)
		default:
			i = nextMarkup(b, i)
		}
		if p.inTitle && p.hidden == 0 {
			p.addTitle(b[start:i])
			p.page.titleWords += len(p.page.Words) - before
		}
		if i >= len(b) {
			return
		}
		switch b[i+1] {
		case '/':
			i = p.xmlEndTag(b, i)
		case '!':
			i = p.xmlDeclaration(b, i)
		case '?':
			i = pastXMLInstruction(b, i)
		default:
			i = p.xmlStartTag(b, i+1)
		}
	}
}

// xmlStartTag reads the start tag whose name begins at i.
func (p *Parser) xmlStartTag(b []byte, i int) int {
	key, end := tagName(b, i)
	id := tagOf(key)
	next := p.attrs(b, end, wantedBy[id])
	if next < 0 {
		return len(b)
	}
	p.meaning(b, id)
	if p.tag.selfClosing {
		if id == tagA {
			p.closeAnchor()
			p.endLinkText()
		}
		return next
	}
	switch id {
	case tagTitle:
		p.inTitle = !p.titled && p.hidden == 0
		p.titled = p.titled || p.inTitle
	case tagScript, tagStyle:
		p.hidden++
	case tagNoScript:
		p.openNoScript()
	case tagTemplate:
		p.openTemplate()
	}
	return next
}

// xmlEndTag reads the end tag at b[i].
func (p *Parser) xmlEndTag(b []byte, i int) int {
	if i+2 >= len(b) || !isLetter(b[i+2]) {
		return pastAngle(b, i)
	}
	key, end := tagName(b, i+2)
	next := p.skipTag(b, end)
	switch tagOf(key) {
	case tagA:
		p.endLinkText()
	case tagTitle:
		p.inTitle = false
	case tagScript, tagStyle:
		p.hidden = max(p.hidden-1, p.templates+min(p.noscript, 1))
	case tagNoScript:
		if p.endsNoScript() {
			p.closeNoScript()
		}
	case tagTemplate:
		if p.templates > 0 {
			p.closeTemplate()
		}
	}
	p.leaveAnchor()
	return next
}

// xmlDeclaration reads "<!": a comment, a CDATA section or a doctype.
func (p *Parser) xmlDeclaration(b []byte, i int) int {
	const cdata = "<![CDATA["
	if !bytes.HasPrefix(b[i:], []byte(cdata)) {
		return pastXMLDeclaration(b, i)
	}
	next := p.cdata(b, i+len(cdata))
	if p.inTitle && p.hidden == 0 {
		text := bytes.TrimSuffix(b[i+len(cdata):next], []byte("]]>"))
		p.addTitle(bytes.ReplaceAll(text, []byte("&"), []byte("&amp;")))
	}
	return next
}

// pastXMLInstruction returns the index behind the "<?...?>" at b[i].
func pastXMLInstruction(b []byte, i int) int { return pastString(b, i+2, "?>") }

// pastXMLDeclaration returns the index behind the comment or doctype at b[i].
// A doctype may hold declarations between brackets.
func pastXMLDeclaration(b []byte, i int) int {
	if bytes.HasPrefix(b[i:], []byte("<!--")) {
		return pastString(b, i+len("<!--"), "-->")
	}
	for ; i < len(b) && b[i] != '>'; i++ {
		if b[i] == '[' {
			return pastAngle(b, indexFrom(b, i, ']'))
		}
	}
	return min(i+1, len(b))
}

// pastString returns the index behind the next occurrence of s, or len(b).
func pastString(b []byte, i int, s string) int {
	if i >= len(b) {
		return len(b)
	}
	k := bytes.Index(b[i:], []byte(s))
	if k < 0 {
		return len(b)
	}
	return i + k + len(s)
}
