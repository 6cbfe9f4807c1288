package parse

import "bytes"

// maxInstead is how many words a page has instead of text.
const maxInstead = 512

// instead takes the words that stand for an image, or in a field of a form, which a reader sees
// though they are no text of the document. Those of an image in a link are the link's.
func (p *Parser) instead(b []byte, id attrID) {
	if !p.tag.has(id) || p.hidden > 0 || len(p.page.LinkText)%2 == 1 {
		return
	}
	for piece := range bytes.FieldsSeq(p.valueOf(b, id)) {
		if len(piece) > MaxWordRunes || len(p.page.Instead) == maxInstead {
			continue
		}
		p.lower = append(p.lower[:0], piece...)
		for i, c := range p.lower {
			if c >= 'A' && c <= 'Z' {
				p.lower[i] = c | 0x20
			}
		}
		p.page.Instead = append(p.page.Instead, HashWord(bytes.Trim(p.lower, ".,:;!?()\"")))
	}
}

// field takes what stands in the <input> in hand, if that is one for text.
func (p *Parser) field(b []byte) {
	kind := p.valueOf(b, attrType)
	for _, k := range [...]string{"", "text", "number", "date", "url", "email", "tel"} {
		if equalFold(kind, k) {
			p.instead(b, attrFilled)
			return
		}
	}
}
