package parse

import "bytes"

// picture takes the address of the <img> in hand, as it stands in the document. What has a query
// may be made for this one answer, as what counts visits is, and data are no address.
func (p *Parser) picture(b []byte) {
	src := p.tag.attr[attrSrc].of(b)
	if len(src) > 0 && bytes.IndexByte(src, '?') < 0 && !bytes.HasPrefix(src, []byte("data:")) {
		p.page.Pictures += HashWord(src)
	}
}
