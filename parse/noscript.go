package parse

// What stands in a <noscript> is for readers without scripts, and a crawler is one: its tags mean
// what they mean elsewhere. Its words do not count, as a browser does not show them and most say
// that JavaScript is needed.
//
// A <noscript> reaches to the next </noscript>, as in a browser with scripts, to which all of it
// is text: what is left open in it hides nothing behind it, and another <noscript> in it means
// nothing. So one can be open at a time, and no nesting is counted.

// openNoScript enters a <noscript>, unless one is open.
func (p *Parser) openNoScript() {
	if p.noscript > 0 {
		return
	}
	p.noscript, p.noscriptMark = p.templates+1, len(p.open)
	p.hidden++
	p.setMode()
}

// endsNoScript reports whether </noscript> would end one here: it does not reach out of a
// template.
func (p *Parser) endsNoScript() bool { return p.noscript > p.templates }

// closeNoScript leaves the <noscript> and all that is open inside.
func (p *Parser) closeNoScript() {
	floor := p.floor()
	p.noscript = 0
	p.hidden--
	p.popTo(floor)
}
