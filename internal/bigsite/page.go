package bigsite

import (
	"math/bits"

	"crawler/internal/splitmix"
)

// elsewhere is a host outside every scope; the name is reserved (RFC 2606).
const elsewhere = "http://elsewhere.example"

// mix is a hash of the seed, a page and a purpose.
func (s *Site) mix(page int, purpose uint64) uint64 {
	return splitmix.Finish(s.Seed + uint64(page)*splitmix.Golden + purpose*0xd1342543de82ef95)
}

// The purposes of mix; links count on from the last.
const (
	forTrouble = iota
	forMove
	forText
	forSize
	forSentence
	forLink
)

// trouble is the kind of a further URL that belongs to the page: tree where there is
// none. The number of kinds is a link out of the site.
func (s *Site) trouble(page int) kind {
	if !s.Trouble {
		return tree
	}
	switch k := s.mix(page, forTrouble) % 16; k {
	case 0:
		return gone
	case 1:
		return home
	case 2:
		return hidden
	case 3:
		return private
	case 4:
		return kinds
	}
	return tree
}

// isMoved reports whether links name the page by an address that redirects to it.
func (s *Site) isMoved(page int) bool {
	return s.Trouble && page > 0 && s.mix(page, forMove)%32 == 0
}

// appendLink appends the address by which links name the page.
func (s *Site) appendLink(b []byte, page int) []byte {
	if s.isMoved(page) {
		return appendPath(b, moved, page)
	}
	return appendPath(b, tree, page)
}

// textOf is the page whose text the page has: mostly its own.
func (s *Site) textOf(page int) int {
	if s.Trouble && s.mix(page, forText)%8 == 0 {
		return page / 8
	}
	return page
}

// skewed draws a page: a third of all draws fall on the first 4 % of the pages.
func (s *Site) skewed(draw uint64) int {
	hi, _ := bits.Mul64(draw, draw) // u², u and u³ as 64-bit fractions
	hi, _ = bits.Mul64(hi, draw)
	hi, _ = bits.Mul64(hi, uint64(s.Pages))
	return int(hi)
}

// appendPage appends the page as HTML. Links have no text, so that pages of one text
// have the same words.
func (s *Site) appendPage(b []byte, page int) []byte {
	b = append(b, "<!DOCTYPE html><html lang=en><head><title>"...)
	t := s.textOf(page)
	b = appendName(b, s.mix(t, forText))
	b = append(b, "</title></head><body><main>"...)
	b = s.appendText(b, t)
	b = append(b, "</main><nav>\n"...)
	for i := range s.Branch {
		child := page*s.Branch + 1 + i
		if child >= s.Pages {
			break
		}
		b = s.appendAnchor(b, child)
	}
	b = s.appendTrouble(b, page)
	for i := range s.Links {
		other := s.skewed(s.mix(page, forLink+uint64(i)))
		b = s.appendAnchor(b, other)
		b = s.appendTrouble(b, other)
	}
	if s.Trouble {
		b = append(b, "<a href="+elsewhere+"/></a>\n"...)
	}
	return append(b, "</nav></body></html>\n"...)
}

func (s *Site) appendAnchor(b []byte, page int) []byte {
	b = append(b, "<a href="...)
	b = s.appendLink(b, page)
	return append(b, "></a>\n"...)
}

// appendTrouble appends the link to the further URL of a page, if it has one. All
// pages that link to the page do, so that a crawl meets most refusals many times.
func (s *Site) appendTrouble(b []byte, page int) []byte {
	k := s.trouble(page)
	if k == tree {
		return b
	}
	b = append(b, "<a href="...)
	switch k {
	case kinds:
		b = append(b, elsewhere...)
		b = appendPath(b, gone, page)
	case hidden:
		b = appendPath(b, k, page)
		b = append(b, " rel=nofollow"...)
	default:
		b = appendPath(b, k, page)
	}
	return append(b, "></a>\n"...)
}
