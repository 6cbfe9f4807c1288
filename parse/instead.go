package parse

// maxInstead is how many words a page has instead of text.
const maxInstead = 512

// instead takes the words that stand for an image, or in a field of a form, which a reader sees
// though they are no text of the document. Those of an image in a link are the link's.
func (p *Parser) instead(b []byte, id attrID) {
	if !p.tag.has(id) || p.hidden > 0 || len(p.page.LinkText)%2 == 1 {
		return
	}
	page, value, tell := p.page, p.valueOf(b, id), p.opt.OnWord
	words, numerals := len(page.Words), len(page.Numerals)
	p.opt.OnWord = nil
	p.words(value, 0, len(value), textRaw)
	p.opt.OnWord = tell
	room := maxInstead - len(page.Instead)
	page.Instead = append(page.Instead, page.Words[words:min(len(page.Words), words+room)]...)
	page.Words, page.Numerals = page.Words[:words], page.Numerals[:numerals]
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
