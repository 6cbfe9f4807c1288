package parse

import "bytes"

// maxLocBytes is the longest address of a sitemap entry that is read.
const maxLocBytes = 16 << 10

// listing reads a sitemap, a sitemap index or a feed: the addresses in <loc> or
// <link> elements. The elements that count have the root's namespace prefix,
// so that <image:loc> is not taken for a page.
func (p *Parser) listing(b []byte) {
	prefix, feed := prefixOf(rootName(b)), p.page.Kind == KindFeed
	for i := 0; i < len(b); {
		if i = nextMarkup(b, i); i >= len(b) {
			return
		}
		switch b[i+1] {
		case '/':
			i = pastAngle(b, i)
		case '!':
			i = p.skipXML(b, i)
		case '?':
			i = pastXMLInstruction(b, i)
		default:
			_, end := tagName(b, i+1)
			name := b[i+1 : end]
			if i = p.attrs(b, end, 1<<attrHref|1<<attrRel); i < 0 {
				return
			}
			switch {
			case !feed && string(prefixOf(name)) == string(prefix) && string(localName(name)) == "loc":
				if !p.tag.selfClosing {
					i = p.loc(b, i)
				}
			case string(localName(name)) == "link":
				i = p.listedLink(b, i, feed)
			case feed && string(name) == "title" && len(p.title) == 0 && !p.tag.selfClosing:
				text, next := xmlText(p.value[:0], b, i)
				p.addTitle(bytes.ReplaceAll(text, []byte("&"), []byte("&amp;")))
				i = next
			}
		}
	}
}

// prefixOf returns a name's namespace prefix with its colon.
func prefixOf(name []byte) []byte { return name[:bytes.IndexByte(name, ':')+1] }

// skipXML skips a declaration or CDATA section outside of what is read.
func (p *Parser) skipXML(b []byte, i int) int {
	if bytes.HasPrefix(b[i:], []byte("<![CDATA[")) {
		return pastString(b, i, "]]>")
	}
	return pastXMLDeclaration(b, i)
}

// loc yields the address that begins at b[i].
func (p *Parser) loc(b []byte, i int) int {
	kind := Entry
	if p.page.Kind == KindSitemapIndex {
		kind = Sitemap
	}
	return p.listedText(b, i, kind)
}

// listedText yields the address that is the text at b[i].
func (p *Parser) listedText(b []byte, i int, kind LinkKind) int {
	text, next := xmlText(p.value[:0], b, i)
	p.value = text[:0]
	if text = trimSpace(text); len(text) > 0 {
		p.decodedLink(text, kind, false)
	}
	return next
}

// listedLink yields what a <link> means: <xhtml:link rel=alternate href> of a
// sitemap, <link rel href> of Atom, <link>address</link> of RSS.
func (p *Parser) listedLink(b []byte, i int, feed bool) int {
	if !p.tag.has(attrHref) {
		if feed && !p.tag.selfClosing {
			return p.listedText(b, i, Entry)
		}
		return i
	}
	rel := p.valueOf(b, attrRel)
	kind, ok := linkRel(rel)
	if feed && (!p.tag.has(attrRel) || kind == Alternate && ok) {
		kind, ok = Entry, true
	}
	if ok {
		p.link(p.tag.attr[attrHref].of(b), kind, false)
	}
	return i
}

// xmlText appends the text from b[i] to the next tag to dst: references
// decoded, CDATA sections as they are, comments left out. It returns the index
// of the tag.
func xmlText(dst, b []byte, i int) (text []byte, next int) {
	for len(dst) < maxLocBytes {
		end := indexFrom(b, i, '<')
		piece := b[i:min(end, i+maxLocBytes)]
		dst = appendDecoded(dst, piece, false)
		switch rest := b[end:]; {
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			i = pastString(b, end, "]]>")
			piece = bytes.TrimSuffix(b[end+len("<![CDATA["):i], []byte("]]>"))
			dst = append(dst, piece[:min(len(piece), maxLocBytes)]...)
		case bytes.HasPrefix(rest, []byte("<!--")):
			i = pastXMLDeclaration(b, end)
		default:
			return dst, end
		}
	}
	return dst, i
}

// urlList reads a list of URLs, one a line. Empty lines and lines that begin
// with "#" are passed over.
func (p *Parser) urlList(b []byte) {
	for len(b) > 0 {
		end := bytes.IndexAny(b, "\r\n")
		if end < 0 {
			end = len(b)
		}
		line := trimSpace(b[:end])
		if len(line) > 0 && line[0] != '#' {
			p.listed(line)
		}
		b = b[min(end+1, len(b)):]
	}
}

// listed yields a line of a URL list, which must be absolute.
func (p *Parser) listed(line []byte) {
	if !bytes.Contains(line[:min(len(line), len("https://"))], []byte("//")) {
		p.page.BadLinks++
		return
	}
	p.decodedLink(line, Entry, false)
}
