package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// wantedBy are the attributes read of each tag, as sets of attrID.
var wantedBy = [...]uint32{
	tagOther:     0,
	tagA:         1<<attrHref | 1<<attrRel,
	tagArea:      1<<attrHref | 1<<attrRel | 1<<attrAlt,
	tagAudio:     1 << attrSrc,
	tagBase:      1 << attrHref,
	tagEmbed:     1 << attrSrc,
	tagFrame:     1 << attrSrc,
	tagHTML:      1<<attrLang | 1<<attrXmlLang,
	tagIFrame:    1 << attrSrc,
	tagImage:     1<<attrSrc | 1<<attrSrcset | 1<<attrAlt,
	tagImg:       1<<attrSrc | 1<<attrSrcset | 1<<attrAlt,
	tagInput:     1<<attrSrc | 1<<attrType | 1<<attrFilled,
	tagLink:      1<<attrHref | 1<<attrRel,
	tagMeta:      1<<attrName | 1<<attrHttpEquiv | 1<<attrContent | 1<<attrCharset,
	tagObject:    1 << attrData,
	tagScript:    1 << attrSrc,
	tagSource:    1<<attrSrc | 1<<attrSrcset,
	tagTrack:     1 << attrSrc,
	tagVideo:     1<<attrSrc | 1<<attrPoster,
	tagPlaintext: 0,
}

// wantedForeign are the attributes read of any tag in foreign content.
const wantedForeign = 1<<attrHref | 1<<attrXlinkHref | 1<<attrEncoding | 1<<attrColor | 1<<attrFace | 1<<attrSize

// rawNames are the tags behind which text is no markup until their end tag.
var rawNames = [...]string{
	tagIFrame:    "iframe",
	tagNoEmbed:   "noembed",
	tagNoFrames:  "noframes",
	tagScript:    "script",
	tagStyle:     "style",
	tagTextarea:  "textarea",
	tagTitle:     "title",
	tagXMP:       "xmp",
	tagPlaintext: "",
}

func nameSet(names string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// element acts on the start tag in hand by HTML's rules and returns where to
// go on: next, or behind the text that the tag makes raw.
func (p *Parser) element(b []byte, id tagID, next int) int {
	p.meaning(b, id)
	switch id {
	case tagTemplate:
		p.openTemplate()
	case tagNoScript:
		p.openNoScript()
	case tagSVG, tagMath:
		p.openForeign(b, id)
	case tagPlaintext:
		p.text(b, next, len(b), textRaw)
		return len(b)
	case tagIFrame, tagNoEmbed, tagNoFrames, tagScript, tagStyle, tagTextarea, tagTitle, tagXMP:
		return p.rawText(b, next, id)
	}
	return next
}

// meaning acts on a tag whose attributes alone decide what it means.
func (p *Parser) meaning(b []byte, id tagID) {
	switch id {
	case tagA:
		n := len(p.page.Links)
		p.linkAttr(b, attrHref, Anchor)
		p.beginLinkText(b)
		if p.opt.Anchors {
			p.openAnchor(b, n)
		}
	case tagArea:
		n := len(p.page.Links)
		p.linkAttr(b, attrHref, Area)
		if p.opt.Anchors {
			p.areaNote(b, n)
		}
	case tagIFrame, tagFrame:
		p.linkAttr(b, attrSrc, Frame)
	case tagLink:
		p.relLink(b)
	case tagMeta:
		p.meta(b)
	case tagBase:
		p.base(b)
	case tagHTML:
		p.htmlLang(b)
	case tagAudio, tagEmbed, tagImage, tagImg, tagInput, tagObject, tagScript, tagSource, tagTrack, tagVideo:
		if id == tagScript {
			p.page.scripts++
		}
		if p.anchor.open && (id == tagImg || id == tagImage) {
			p.anchorImage(b)
		}
		if id == tagImg {
			p.picture(b)
			p.instead(b, attrAlt)
		}
		if id == tagInput {
			p.field(b)
		}
		if p.opt.Assets {
			p.assets(b, id)
		}
	}
}

// openForeign enters <svg> or <math>, unless it closes itself.
func (p *Parser) openForeign(b []byte, id tagID) {
	if p.tag.selfClosing {
		return
	}
	if id == tagSVG {
		p.push(openElement{key: keySVG, kind: elemSVG})
	} else {
		p.push(openElement{key: keyMath, kind: elemMath})
	}
}

// rawText reads the text behind a tag that makes it raw and returns the index
// of the end tag.
func (p *Parser) rawText(b []byte, i int, id tagID) int {
	end := rawEnd(b, i, id)
	switch id {
	case tagTitle:
		if !p.titled && p.hidden == 0 {
			p.titled = true
			p.addTitle(b[i:end])
		}
		before := len(p.page.Words)
		p.text(b, i, end, textRCDATA)
		p.page.titleWords += len(p.page.Words) - before
	case tagTextarea:
		p.text(b, i, end, textRCDATA)
	case tagIFrame, tagNoEmbed, tagNoFrames, tagXMP:
		p.text(b, i, end, textRaw)
	}
	return end
}

// valueOf returns the decoded value of an attribute of the tag in hand, valid
// until the next call.
func (p *Parser) valueOf(b []byte, id attrID) []byte {
	if !p.tag.has(id) {
		return nil
	}
	raw := p.tag.attr[id].of(b)
	if isPlain(raw) {
		return raw
	}
	p.value = appendDecoded(p.value[:0], raw, true)
	return p.value
}

// linkAttr yields the link in an attribute, if the tag has it.
func (p *Parser) linkAttr(b []byte, id attrID, kind LinkKind) {
	if p.tag.has(id) {
		nofollow := p.tag.has(attrRel) && hasToken(p.valueOf(b, attrRel), "nofollow")
		p.link(p.tag.attr[id].of(b), kind, nofollow)
	}
}

// relLink acts on <link rel href>: the first meaning in the order of the cases
// counts.
func (p *Parser) relLink(b []byte) {
	if !p.tag.has(attrHref) || !p.tag.has(attrRel) {
		return
	}
	rel := p.valueOf(b, attrRel)
	nofollow := hasToken(rel, "nofollow")
	kind, ok := linkRel(rel)
	if !ok && p.opt.Assets {
		kind, ok = Asset, hasToken(rel, "stylesheet") || hasToken(rel, "icon") || hasToken(rel, "preload") || hasToken(rel, "modulepreload")
	}
	if !ok {
		return
	}
	n := len(p.page.Links)
	p.link(p.tag.attr[attrHref].of(b), kind, nofollow)
	if kind == Canonical && len(p.page.Links) > n && p.page.Canonical.IsZero() && p.templates == 0 {
		p.page.Canonical = p.page.Links[n].URL
	}
}

// linkRel returns the kind of link that a rel attribute's tokens make.
func linkRel(rel []byte) (LinkKind, bool) {
	switch {
	case hasToken(rel, "canonical"):
		return Canonical, true
	case hasToken(rel, "next"):
		return Next, true
	case hasToken(rel, "prev"), hasToken(rel, "previous"):
		return Prev, true
	case hasToken(rel, "alternate") && !hasToken(rel, "stylesheet"):
		return Alternate, true
	}
	return 0, false
}

// base acts on the document's first base href: links before it and behind it
// are relative to it. One that is no http or https URL is passed over.
func (p *Parser) base(b []byte) {
	if p.based || p.templates > 0 || !p.tag.has(attrHref) {
		return
	}
	p.based = true
	u, err := p.res.Resolve(p.valueOf(b, attrHref))
	if err != nil || u == p.page.Base {
		return
	}
	p.again = len(p.page.Links) > p.before.links || p.page.BadLinks > p.before.bad
	p.page.Base = u
	p.res.SetBase(u)
}

// htmlLang takes the language from <html lang>, in XHTML also xml:lang.
func (p *Parser) htmlLang(b []byte) {
	if p.page.Lang != "" {
		return
	}
	p.page.Lang = languageTag(p.valueOf(b, attrLang))
	if p.page.Lang == "" {
		p.page.Lang = languageTag(p.valueOf(b, attrXmlLang))
	}
}

// languageTag returns s if it can be a language tag, else "", so that nothing
// else reaches a report.
func languageTag(s []byte) string {
	s = trimSpace(s)
	if len(s) > MaxLangBytes {
		return ""
	}
	for _, c := range s {
		if !isAlnum(c) && c != '-' && c != '_' {
			return ""
		}
	}
	return string(s)
}

// meta acts on <meta>: robots, refresh, language.
func (p *Parser) meta(b []byte) {
	if p.templates > 0 || !p.tag.has(attrContent) {
		return
	}
	switch name := p.valueOf(b, attrName); {
	case equalFold(name, "robots"), p.opt.Robot != "" && bytes.EqualFold(name, []byte(p.opt.Robot)):
		p.page.directives(p.valueOf(b, attrContent))
		return
	}
	switch pragma := p.valueOf(b, attrHttpEquiv); {
	case equalFold(pragma, "refresh"):
		if ref := refreshURL(p.valueOf(b, attrContent)); ref != nil {
			p.decodedLink(ref, Refresh, false)
		}
	case equalFold(pragma, "content-language"):
		if p.metaLang == "" {
			p.metaLang = contentLanguage(p.valueOf(b, attrContent))
		}
	}
}

// contentLanguage returns the language that <meta http-equiv> declares; a list
// of several declares none.
func contentLanguage(s []byte) string {
	if bytes.IndexByte(s, ',') >= 0 {
		return ""
	}
	s = trimSpace(s)
	if k := bytes.IndexAny(s, " \t\n\f\r"); k >= 0 {
		s = s[:k]
	}
	return languageTag(s)
}

// assets yields what a page loads by the tag in hand.
func (p *Parser) assets(b []byte, id tagID) {
	if id == tagInput && !equalFold(p.valueOf(b, attrType), "image") {
		return
	}
	for _, attr := range [...]attrID{attrSrc, attrData, attrPoster} {
		if p.tag.has(attr) {
			p.link(p.tag.attr[attr].of(b), Asset, false)
		}
	}
	if p.tag.has(attrSrcset) {
		p.srcset(p.valueOf(b, attrSrcset))
	}
}

// maxTitleBytes is how much of a title is looked at: references are longer
// than what they stand for.
const maxTitleBytes = 16 * MaxTitleRunes

// addTitle keeps a piece of the title's text, undecoded.
func (p *Parser) addTitle(s []byte) {
	p.title = append(p.title, s[:min(len(s), maxTitleBytes-len(p.title))]...)
}

// titleText returns the title as one line: references decoded, white space and
// control characters collapsed, cut at MaxTitleRunes.
func (p *Parser) titleText() string {
	if len(p.title) == 0 {
		return ""
	}
	text := appendDecoded(p.value[:0], p.title, false)
	p.value = text[:0]
	out, runes, gap := p.title[:0], 0, false
	for len(text) > 0 && runes < MaxTitleRunes {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if isBlank(r) {
			gap = runes > 0
			continue
		}
		if gap && runes+2 > MaxTitleRunes {
			break
		}
		if gap {
			out, runes, gap = append(out, ' '), runes+1, false
		}
		out, runes = appendRune(out, r), runes+1
	}
	p.title = out[:0]
	return string(out)
}

// isBlank reports whether r shows as a gap in a title: white space, controls,
// and the invisible marks that turn the direction of a terminal's text.
func isBlank(r rune) bool {
	return r <= ' ' || 0x7f <= r && r <= 0xa0 || 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
