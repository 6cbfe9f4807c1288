package parse

// Inside <svg> and <math> other rules hold: <style> and <title> are no raw
// text, "<br/>" closes itself, CDATA sections exist; and inside some of their
// elements ("integration points") HTML's rules hold again. No tree is built
// for this, but what is open from the <svg> or <math> on must be known.

// maxForeign is how many open elements are remembered there. Deeper ones are
// counted only: their end tags close the innermost ones.
const maxForeign = 64

// maxTemplates is how many nested templates remember what was open around
// them; deeper ones are counted only.
const maxTemplates = 16

// openElement is an element open inside foreign content.
type openElement struct {
	key    uint64 // its name, see nameKey
	kind   elementKind
	hidden bool // its text is no words
}

// elementKind says which rules an element brings.
type elementKind uint8

const (
	elemHTML       elementKind = iota // HTML inside an integration point
	elemSVG                           // SVG's rules
	elemMath                          // MathML's rules
	elemSVGHTML                       // SVG outside, HTML inside
	elemMathHTML                      // MathML outside, HTML inside
	elemMathText                      // MathML outside, HTML inside but for two tags
	elemAnnotation                    // MathML; an <svg> may stand inside
)

// nameKey packs a name of up to eight bytes and hashes a longer one.
func nameKey(key uint64, name []byte) uint64 {
	if key == 0 {
		return hashBytes(name) | 1<<63 // no ASCII name has the high bit
	}
	return key
}

// lowerName lower-cases a tag's name into the word buffer; of a monstrous one
// the beginning is enough.
func (p *Parser) lowerName(name []byte) []byte {
	return appendLower(p.word[:0], name[:min(len(name), MaxWordRunes)])
}

// floor is the part of the stack that belongs outside the innermost template or <noscript>.
func (p *Parser) floor() int {
	if p.endsNoScript() { // it is inside the template
		return min(p.noscriptMark, len(p.open))
	}
	if n := min(p.templates, maxTemplates); n > 0 {
		return min(int(p.marks[n-1]), len(p.open))
	}
	return 0
}

// push opens an element.
func (p *Parser) push(e openElement) {
	if len(p.open) == maxForeign {
		p.overflow++
		return
	}
	p.open = append(p.open, e)
	if e.hidden {
		p.hidden++
	}
	p.setMode()
}

// popTo closes elements until n are left.
func (p *Parser) popTo(n int) {
	for len(p.open) > n {
		if p.open[len(p.open)-1].hidden {
			p.hidden--
		}
		p.open = p.open[:len(p.open)-1]
		p.overflow = 0
	}
	p.leaveAnchor()
	p.setMode()
}

// setMode says how text is read in the innermost open element.
func (p *Parser) setMode() {
	p.mode, p.cdataOK = textData, false
	if len(p.open) > p.floor() {
		kind := p.open[len(p.open)-1].kind
		p.cdataOK = kind != elemHTML
		if kind == elemSVG || kind == elemMath || kind == elemAnnotation {
			p.mode = textForeign
		}
	}
}

// htmlRules reports whether a start tag of that name is read by HTML's rules.
func (p *Parser) htmlRules(name []byte) bool {
	if len(p.open) <= p.floor() {
		return true
	}
	switch p.open[len(p.open)-1].kind {
	case elemHTML, elemSVGHTML, elemMathHTML:
		return true
	case elemMathText:
		return string(name) != "mglyph" && string(name) != "malignmark"
	case elemAnnotation:
		return string(name) == "svg"
	}
	return false
}

// startInForeign is startTag where something foreign is open.
func (p *Parser) startInForeign(b []byte, key uint64, start, end int) int {
	name := p.lowerName(b[start:end])
	id := tagNamed(key, name)
	if !p.htmlRules(name) {
		next := p.attrs(b, end, wantedForeign)
		if next < 0 {
			return len(b)
		}
		if !p.breaksOut(name) {
			p.foreignElement(b, id, nameKey(key, name), name)
			return next
		}
		p.popForeign()
	}
	next := p.attrs(b, end, wantedBy[id])
	if next < 0 {
		return len(b)
	}
	if !voidElements[string(name)] && !opensOtherwise(id) && len(p.open) > p.floor() {
		p.push(openElement{key: nameKey(key, name)})
	}
	return p.element(b, id, next)
}

// opensOtherwise reports whether an HTML tag is followed by raw text, which
// ends it, or is entered in the books by element.
func opensOtherwise(id tagID) bool {
	return id == tagTemplate || id == tagNoScript || id == tagSVG || id == tagMath || id == tagPlaintext || rawNames[id] != ""
}

// breaksOut reports whether the tag in hand ends all foreign content.
func (p *Parser) breaksOut(name []byte) bool {
	const fontAttrs = 1<<attrColor | 1<<attrFace | 1<<attrSize
	return breakouts[string(name)] || string(name) == "font" && p.tag.have&fontAttrs != 0
}

// popForeign closes elements up to the next one with HTML's rules inside.
func (p *Parser) popForeign() {
	n, floor := len(p.open), p.floor()
	for n > floor {
		kind := p.open[n-1].kind
		if kind == elemHTML || kind == elemSVGHTML || kind == elemMathHTML || kind == elemMathText {
			break
		}
		n--
	}
	p.popTo(n)
}

// foreignElement acts on a start tag read by foreign rules.
func (p *Parser) foreignElement(b []byte, id tagID, key uint64, name []byte) {
	switch id {
	case tagA:
		n := len(p.page.Links)
		p.foreignLink(b, Anchor)
		if p.opt.Anchors && !p.tag.selfClosing {
			p.openAnchor(b, n)
		}
	case tagImage:
		if p.opt.Assets {
			p.foreignLink(b, Asset)
		}
	}
	if p.tag.selfClosing {
		return
	}
	e := openElement{key: key, kind: elemMath}
	if k := p.open[len(p.open)-1].kind; k == elemSVG || k == elemSVGHTML {
		e.kind = elemSVG
	}
	p.push(p.classify(b, e, name))
}

// classify finds an element's integration point, and whether its text shows.
func (p *Parser) classify(b []byte, e openElement, name []byte) openElement {
	switch string(name) {
	case "script", "style", "template", "noscript":
		e.hidden = true
	}
	if e.kind == elemSVG {
		switch string(name) {
		case "foreignobject", "desc", "title":
			e.kind = elemSVGHTML
		}
		return e
	}
	switch string(name) {
	case "mi", "mo", "mn", "ms", "mtext":
		e.kind = elemMathText
	case "annotation-xml":
		e.kind = elemAnnotation
		if enc := p.valueOf(b, attrEncoding); equalFold(enc, "text/html") || equalFold(enc, "application/xhtml+xml") {
			e.kind = elemMathHTML
		}
	}
	return e
}

// foreignLink yields a link of SVG, where the attribute has two names.
func (p *Parser) foreignLink(b []byte, kind LinkKind) {
	if p.tag.has(attrHref) {
		p.link(p.tag.attr[attrHref].of(b), kind, false)
	} else if p.tag.has(attrXlinkHref) {
		p.link(p.tag.attr[attrXlinkHref].of(b), kind, false)
	}
}

// openTemplate enters a <template>.
func (p *Parser) openTemplate() {
	if p.templates < maxTemplates {
		p.marks[p.templates] = int32(len(p.open))
	}
	p.templates++
	p.hidden++
	p.setMode()
}

// closeTemplate leaves the innermost template and all that is open inside.
func (p *Parser) closeTemplate() {
	if p.endsNoScript() {
		p.closeNoScript()
	}
	floor := p.floor()
	p.templates--
	p.hidden--
	p.popTo(floor)
}

// closeElement acts on an end tag where a template, a <noscript> or something
// foreign is open.
func (p *Parser) closeElement(key uint64, rawName []byte) {
	ends := p.endsNoScript() && equalFold(rawName, "noscript")
	if p.overflow > 0 && !ends {
		p.overflow--
		return
	}
	name := p.lowerName(rawName)
	key = nameKey(key, name)
	n, floor := len(p.open), p.floor()
	for n > floor && p.open[n-1].kind != elemHTML {
		if p.open[n-1].key == key {
			p.popTo(n - 1)
			return
		}
		n--
	}
	foreign := n < len(p.open)
	for ; n > floor && p.open[n-1].kind == elemHTML; n-- {
		if p.open[n-1].key == key {
			p.popTo(n - 1)
			return
		}
	}
	switch {
	case string(name) == "template" && p.templates > 0:
		p.closeTemplate()
	case ends:
		p.closeNoScript()
	case foreign && n == floor && wrappers[string(name)] && !p.inIntegrationPoint(floor):
		// An element around an <svg> left open is assumed to end here.
		p.popTo(floor)
	}
}

// inIntegrationPoint reports whether one is open: end tags do not reach out.
func (p *Parser) inIntegrationPoint(floor int) bool {
	for _, e := range p.open[floor:] {
		if e.kind != elemSVG && e.kind != elemMath {
			return true
		}
	}
	return false
}

// breakouts are the HTML tags that end foreign content (HTML 13.2.6.5).
var breakouts = nameSet("b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 " +
	"head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var")

// voidElements have no end tag.
var voidElements = nameSet("area base basefont bgsound br col embed frame hr image img input keygen link " +
	"meta param source track wbr")

// wrappers are elements that an <svg> stands in.
var wrappers = nameSet("a abbr article aside b blockquote body button center cite code dd details div dl dt em " +
	"fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header html i label legend li main " +
	"nav ol p pre section small span strong summary table tbody td tfoot th thead tr u ul")
