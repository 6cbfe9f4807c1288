package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// prescanBytes is how far into an HTML document a declaration of its encoding
// is looked for, whatever stands there; the head is searched to its end.
const prescanBytes = 1024

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252" // what the web's undeclared pages are in
)

// transcoder turns documents into UTF-8, mostly by finding that they are.
type transcoder struct {
	label string // the label looked up last, and what it means
	enc   encoding.Encoding
	name  string

	legacy encoding.Encoding // the document's encoding if it is not Unicode
	out    []byte
}

// html returns an HTML document in UTF-8. Its encoding is given by a byte order
// mark, else the Content-Type header's charset (label), else a <meta> in the
// first KiB or the head, else by non-ASCII bytes that are valid UTF-8: those of the first KiB
// if it has any, else all of them. Otherwise it is Windows-1252. For the first KiB these
// are the rules of x/net/html/charset.
func (p *Parser) html(body []byte, label string) []byte {
	body, name := p.dec.declared(body, label)
	if name == "" {
		if name = p.prescan(body); name == "" {
			name = guess(body)
		}
	}
	return p.decode(body, name)
}

// plain returns a text in UTF-8: byte order mark, else header, else a guess from
// the whole text.
func (p *Parser) plain(body []byte, label string) []byte {
	body, name := p.dec.declared(body, label)
	if name == "" {
		name = defaultName
		if utf8.Valid(body) {
			name = utf8Name
		}
	}
	return p.decode(body, name)
}

// xml returns an XML document in UTF-8: byte order mark, else header, else the
// XML declaration, else UTF-8.
func (p *Parser) xml(body []byte, label string) []byte {
	body, name := p.dec.declared(body, label)
	if name == "" {
		name = p.dec.lookup(xmlEncoding(body))
		if name == "" || strings.HasPrefix(name, "utf-16") {
			name = utf8Name // a declaration readable as ASCII cannot be UTF-16
		}
	}
	return p.decode(body, name)
}

// declared returns the encoding given by a byte order mark, which it removes,
// or by the header; "" if by neither.
func (t *transcoder) declared(body []byte, label string) ([]byte, string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return body[3:], utf8Name
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return body[2:], "utf-16be"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return body[2:], "utf-16le"
	}
	return body, t.lookup(label)
}

// lookup returns the name of the encoding with that label, or "". It remembers
// the last answer, since a site's pages ask the same question.
func (t *transcoder) lookup(label string) string {
	switch {
	case label == "":
		return ""
	case strings.EqualFold(label, utf8Name):
		return utf8Name
	}
	if label != t.label || t.name == "" {
		t.label = strings.Clone(label)
		t.enc, t.name = charset.Lookup(label)
	}
	return t.name
}

// guess distinguishes UTF-8 from Windows-1252 by the first bytes, and by the whole body if
// these are ASCII. Where either ends a rune may be cut.
func guess(body []byte) string {
	part := body[:min(len(body), prescanBytes)]
	if isASCII(part) {
		part = body
	}
	part = wholeRunes(part)
	if !isASCII(part) && utf8.Valid(part) {
		return utf8Name
	}
	return defaultName
}

// wholeRunes cuts off a last rune beyond ASCII.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax && b[i] >= utf8.RuneSelf; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b
}

// decode returns body in UTF-8. Invalid bytes stay: to the scanner they are
// what U+FFFD is, no part of any word.
func (p *Parser) decode(body []byte, name string) []byte {
	p.page.Charset = name
	return p.dec.decode(body, name)
}

// decode returns body, which is in the named encoding, in UTF-8.
func (t *transcoder) decode(body []byte, name string) []byte {
	t.legacy = nil
	if name == utf8Name {
		return body
	}
	if name != t.name {
		t.enc, t.name = charset.Lookup(name)
		t.label = name
	}
	if !strings.HasPrefix(name, "utf-16") {
		t.legacy = t.enc
		if extendsASCII(name) && isASCII(body) {
			return body
		}
	}
	return t.run(body)
}

// extendsASCII reports whether ASCII bytes mean ASCII in the encoding.
func extendsASCII(name string) bool { return name != "iso-2022-jp" && name != "replacement" }

// run decodes body into the transcoder's own buffer. No encoding of the web
// triples the bytes more than once, so the loop is short.
func (t *transcoder) run(body []byte) []byte {
	dec := t.enc.NewDecoder()
	if need := len(body) + len(body)/2 + 64; cap(t.out) < need {
		t.out = make([]byte, 0, need)
	}
	dst := t.out[:cap(t.out)]
	n := 0
	for {
		wrote, read, err := dec.Transform(dst[n:], body, true)
		n += wrote
		body = body[read:]
		if err != transform.ErrShortDst {
			t.out = dst[:0]
			return dst[:n]
		}
		dst = append(dst, make([]byte, len(dst)+64)...)
	}
}

// query returns a decoded reference as the URL standard wants it: in documents
// that are not Unicode, the query's characters are bytes of the document's
// encoding, not of UTF-8.
func (t *transcoder) query(ref []byte) []byte {
	k := bytes.IndexByte(ref, '?')
	if t.legacy == nil || k < 0 || isASCII(ref[k:]) {
		return ref
	}
	end := len(ref)
	if f := bytes.IndexByte(ref, '#'); f >= 0 {
		if f < k {
			return ref
		}
		end = f
	}
	out := append([]byte(nil), ref[:k]...)
	for _, r := range string(ref[k:end]) {
		out = t.appendQuery(out, r)
	}
	return out
}

// appendQuery appends one rune of a query: ASCII as it is, others percent
// encoded, and those unknown to the encoding as the reference "&#N;".
func (t *transcoder) appendQuery(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(dst, byte(r))
	}
	coded, err := encoding.HTMLEscapeUnsupported(t.legacy.NewEncoder()).String(string(r))
	if err != nil {
		return dst
	}
	const hex = "0123456789ABCDEF"
	unknown := strings.HasPrefix(coded, "&#")
	for _, c := range []byte(coded) {
		if c >= utf8.RuneSelf || unknown && (c == '&' || c == '#' || c == ';') || c <= ' ' {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// isASCII reports whether s has no byte above 0x7f.
func isASCII(s []byte) bool {
	for len(s) >= 32 {
		if (load8(s, 0)|load8(s, 8)|load8(s, 16)|load8(s, 24))&highs != 0 {
			return false
		}
		s = s[32:]
	}
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// xmlEncoding returns the encoding of an XML declaration, or "".
func xmlEncoding(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	head := body[:min(len(body), 256)]
	head = head[:pastAngle(head, 0)]
	k := bytes.Index(head, []byte("encoding"))
	if k < 0 {
		return ""
	}
	head = head[k+len("encoding"):]
	value, next := attrValue(head, 0)
	if next < 0 {
		return ""
	}
	return string(value.of(head))
}

// prescan returns the encoding that a <meta> declares, or "". It looks at the first
// prescanBytes, as the standard's search of that name does, and on to the end of the head,
// whose <meta> a browser obeys wherever it stands. The head ends as it does for Chromium:
// with its end tag, or before the first tag that cannot be in it.
func (p *Parser) prescan(b []byte) string {
	inHead := true
	for i := nextMarkup(b, 0); i+1 < len(b) && (inHead || i < prescanBytes); i = nextMarkup(b, i) {
		if !isLetter(b[i+1]) {
			inHead = inHead && !(b[i+1] == '/' && endsHead(b, i+2, true))
			i = p.skipMarkup(b, i)
			continue
		}
		inHead = inHead && !endsHead(b, i+1, false)
		key, end := tagName(b, i+1)
		id := tagNamed(key, b[i+1:end])
		if i = p.attrs(b, end, wantedBy[id]); i < 0 || id == tagPlaintext || !inHead && i > prescanBytes {
			return ""
		}
		if id == tagMeta {
			if name := p.metaCharset(b); name != "" {
				return name
			}
		}
		switch {
		case id == tagNoScript: // what browsers with scripts pass over says nothing of the rest
			i = endTagOf(b, i, tagNames[id])
		case rawNames[id] != "":
			i = rawEnd(b, i, id)
		}
	}
	return ""
}

// endsHead reports whether a start or end tag, whose name begins at b[i], ends the head.
func endsHead(b []byte, i int, endTag bool) bool {
	key, end := tagName(b, i)
	switch tagNamed(key, b[i:end]) {
	case tagTitle, tagMeta, tagLink, tagBase, tagScript, tagNoScript, tagStyle, tagObject:
		return false
	case tagHTML:
		return endTag
	}
	return endTag || !equalFold(b[i:end], "head")
}

// skipMarkup skips what is no start tag.
func (p *Parser) skipMarkup(b []byte, i int) int {
	switch {
	case bytes.HasPrefix(b[i:], []byte("<!--")):
		return pastComment(b, i+len("<!--"))
	case b[i+1] == '/':
		return p.endTag(b, i)
	}
	return pastAngle(b, i)
}

// metaCharset returns the encoding that the <meta> in hand declares, or "".
// Where both charset and content name one, the later attribute wins unless it
// is a content behind a charset that is known.
func (p *Parser) metaCharset(b []byte) string {
	name, pragma := "", false
	if p.tag.has(attrContent) {
		value := bytes.ToLower(p.valueOf(b, attrContent))
		name, pragma = p.dec.lookup(contentCharset(string(value))), true
	}
	if p.tag.has(attrCharset) {
		after := !p.tag.has(attrContent) || p.tag.attr[attrCharset].start > p.tag.attr[attrContent].start
		if known := p.dec.lookup(string(p.valueOf(b, attrCharset))); after || known != "" {
			name, pragma = known, false
		}
	}
	if pragma && !equalFold(p.valueOf(b, attrHttpEquiv), "content-type") {
		return ""
	}
	if strings.HasPrefix(name, "utf-16") {
		return utf8Name // it was read as ASCII up to here
	}
	return name
}

// contentCharset returns the charset in a <meta content>, by the standard's
// lenient search.
func contentCharset(s string) string {
	const spaces = " \t\n\f\r"
	for {
		_, rest, ok := strings.Cut(s, "charset")
		if !ok {
			return ""
		}
		s = strings.TrimLeft(rest, spaces)
		if !strings.HasPrefix(s, "=") {
			continue
		}
		s = strings.TrimLeft(s[1:], spaces)
		if s == "" {
			return ""
		}
		if s[0] == '"' || s[0] == '\'' {
			value, _, closed := strings.Cut(s[1:], s[:1])
			if !closed {
				return ""
			}
			return value
		}
		if end := strings.IndexAny(s, ";"+spaces); end >= 0 {
			s = s[:end]
		}
		return s
	}
}
