package parse

import "bytes"

// attrs reads a tag's attributes from the end of its name on, keeps the spans
// of those in the set want, and returns the index behind the tag, or -1 if the
// document ends before the tag does.
func (p *Parser) attrs(b []byte, i int, want uint32) int {
	t := &p.tag
	t.have, t.selfClosing = 0, false
	for i < len(b) {
		if c := b[i]; byteEnds[c]&endsTag != 0 {
			if i++; c == '>' {
				return i
			}
			t.selfClosing = c == '/' && i < len(b) && b[i] == '>'
			continue
		}
		id, value, next := plainAttr(b, i)
		if next == 0 {
			id, value, next = attrAt(b, i)
		}
		if next < 0 {
			return -1
		}
		i = next
		if id < attrCount && want>>id&1 != 0 && !t.has(id) {
			t.have |= 1 << id
			t.attr[id] = value
		}
	}
	return -1
}

// plainAttr reads what most attributes look like, name="value" with a name of
// up to seven letters or digits. Its result is attrAt's, but next is 0 if b[i]
// begins otherwise.
func plainAttr(b []byte, i int) (id attrID, value span, next int) {
	if i+8 >= len(b) {
		return 0, span{}, 0
	}
	w := load8(b, i)
	n := firstByte(notWord(w) | 0x80<<56)
	key := (w | foldCase) &^ (^uint64(0) << (8 * n))
	if i += n; n == 0 || b[i] != '=' || b[i+1] != '"' {
		return 0, span{}, 0
	}
	i += 2
	k := bytes.IndexByte(b[i:], '"')
	if k < 0 {
		return 0, span{}, -1
	}
	return attrOf(key), span{i, i + k}, i + k + 1
}

// pastPlain returns the index behind the attributes from b[i] on, each a space
// and what plainAttr reads, up to one that is none.
func pastPlain(b []byte, i int) int {
	for i+9 < len(b) && b[i] == ' ' {
		n := firstByte(notWord(load8(b, i+1)) | 0x80<<56)
		k := i + 1 + n
		if n == 0 || b[k] != '=' || b[k+1] != '"' {
			break
		}
		if k = indexFrom(b, k+2, '"'); k >= len(b) {
			break
		}
		i = k + 1
	}
	return i
}

// attrAt reads the attribute at b[i] and returns which it is, its value's span,
// and the index behind it; -1 if the document ends first.
func attrAt(b []byte, i int) (id attrID, value span, next int) {
	end := attrNameEnd(b, i)
	value, next = attrValue(b, end)
	if next > 0 {
		id = attrNamed(b, i, end)
	}
	return id, value, next
}

// attrNameEnd returns the end of the attribute name at b[i]. Whatever stands
// first belongs to the name, an '=' too.
func attrNameEnd(b []byte, i int) int {
	if i++; i+8 <= len(b) {
		i += firstByte(notWord(load8(b, i)) | 0x80<<56)
	}
	for i < len(b) && byteEnds[b[i]]&endsName == 0 {
		i++
	}
	return i
}

// attrValue reads "= value" from the end of an attribute's name and returns
// the value's span, empty and in its place if there is none, and the index
// behind it; -1 if the document ends first.
func attrValue(b []byte, i int) (value span, next int) {
	i = pastSpace(b, i)
	if i >= len(b) {
		return span{}, -1
	}
	if b[i] != '=' {
		return span{i, i}, i
	}
	if i++; i >= len(b) {
		return span{}, -1
	}
	if i = pastSpace(b, i); i >= len(b) {
		return span{}, -1
	}
	c := b[i]
	if c == '"' || c == '\'' {
		k := bytes.IndexByte(b[i+1:], c)
		if k < 0 {
			return span{}, -1
		}
		return span{i + 1, i + 1 + k}, i + k + 2
	}
	end := i
	for end < len(b) && byteEnds[b[end]]&endsValue == 0 {
		end++
	}
	return span{i, end}, end
}

func pastSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// attrNamed returns which attribute b[start:end] names.
func attrNamed(b []byte, start, end int) attrID {
	switch n := end - start; {
	case n <= 8:
		if id := attrOf(packName(b, start, n)); id != attrOther {
			return id
		}
		if equalFold(b[start:end], "xml:lang") {
			return attrXmlLang
		}
	case n == 10 && equalFold(b[start:end], "http-equiv"):
		return attrHttpEquiv
	case n == 10 && equalFold(b[start:end], "xlink:href"):
		return attrXlinkHref
	}
	return attrOther
}
