package bigsite

import "strconv"

const (
	stylePath = "/stylesheet.css"
	style     = "body { font-family: sans-serif; }\n"
	linkBytes = 72 // what a link takes in a list, about
)

// The fixed parts of a page of Docs, around its title and links.
const (
	docsHead = `<!DOCTYPE html>
<html lang="en"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><title>`
	docsStyle = `</title><link rel="stylesheet" type="text/css" href="` + stylePath + `" /><meta name="viewport" content="width=device-width, initial-scale=1.0" />
<script type="text/javascript">/*<![CDATA[*/ var loaded = 1 < 2 && "</p>".length; /*]]>*/</script></head>
<body id="docContent" class="container-fluid col-10"><div class="navheader"><ul class="nav">`
	docsMain  = "</ul><hr /></div>\n<div class=\"sect1\"><div class=\"titlepage\"><h1 class=\"title\" style=\"clear: both\">"
	docsTOC   = "</h1></div>\n<div class=\"toc\"><ul class=\"toc\">\n"
	docsText  = "</ul></div>\n"
	docsLinks = "<div class=\"navfooter\"><hr /><ul class=\"seealso\">\n"
	docsEnd   = "</ul></div></div></body></html>\n"
)

// The purposes of mix that only pages of Docs have. Links take numbers from forLink on,
// their forms from forForm on.
const (
	forName = 1<<20 + iota
	forPassage
	forForm
)

// appendDocs appends the page as documentation.
func (s *Site) appendDocs(b []byte, page int) []byte {
	start := len(b)
	size := s.Docs/2 + int(s.mix(page, forSize)%uint64(s.Docs+1))
	b = append(b, docsHead...)
	b = s.appendTitle(b, page)
	b = append(b, docsStyle...)
	b = s.appendNeighbours(b, page)
	b = append(b, docsMain...)
	b = s.appendTitle(b, page)
	b = append(b, docsTOC...)
	for i := range s.Branch {
		if child := page*s.Branch + 1 + i; child < s.Pages {
			b = s.appendItem(b, page, child, uint64(i))
		}
	}
	b = append(b, docsText...)
	placed := 0
	if s.Style == Dense {
		b, placed = s.appendProse(b, page, start+size)
	} else {
		b, placed = s.appendPassages(b, page, start+size)
	}
	b = append(b, docsLinks...)
	for i := placed; i < s.Links; i++ {
		b = s.appendItem(b, page, s.linked(page, i), uint64(s.Branch+i))
	}
	return append(b, docsEnd...)
}

// appendPassages appends text until the page with the list of the links that are left
// would reach end. It returns how many links stand in the text.
func (s *Site) appendPassages(b []byte, page, end int) ([]byte, int) {
	phrases, links, section := s.docs(), 0, 0
	draw := s.mix(page, forPassage)
	for n := 0; len(b)+(s.Links-links)*linkBytes < end; n++ {
		if n%6 == 0 {
			b = s.appendHeading(b, section, draw)
			section++
		}
		p := &phrases.passages[draw%passages]
		b = append(b, p.before...)
		if len(p.after) > 0 {
			if links < s.Links {
				b = s.appendReference(b, page, s.linked(page, links), uint64(s.Branch+links))
				links++
			}
			b = append(b, p.after...)
		}
		draw = draw*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		draw ^= draw >> 29
	}
	return b, links
}

// appendHeading appends the heading of a section; it carries a link to itself.
func (s *Site) appendHeading(b []byte, section int, draw uint64) []byte {
	b = append(b, `<h2 class="title" id="sect-`...)
	b = strconv.AppendInt(b, int64(section), 10)
	b = append(b, `">`...)
	b = append(b, s.docs().headlines[draw>>32%headlines]...)
	b = append(b, ` <a href="#sect-`...)
	b = strconv.AppendInt(b, int64(section), 10)
	return append(b, "\" class=\"id_link\">#</a></h2>\n"...)
}

// linked draws the page that the page's i-th link names. Of eight links, seven stay on
// the host.
func (s *Site) linked(page, i int) int {
	draw := s.mix(page, forLink+uint64(i))
	other := s.skewed(draw)
	if h := s.hosts(); draw%8 != 0 {
		other += page%h - other%h
		if other >= s.Pages {
			other -= h
		}
	}
	return max(other, 0)
}

// appendTitle appends a title that hardly any other page has.
func (s *Site) appendTitle(b []byte, page int) []byte {
	draw := s.mix(page, forName)
	b = append(b, s.docs().headlines[draw%headlines]...)
	b = append(b, ' ')
	return appendName(b, draw)
}

// appendNeighbours appends the navigation: the pages before, above and after on the
// host, and the host's own "/".
func (s *Site) appendNeighbours(b []byte, page int) []byte {
	h := s.hosts()
	for i, n := range [...]int{page - h, (page - 1) / s.Branch, page % h, page + h} {
		if n >= 0 && n < s.Pages {
			b = s.appendItem(b, page, n, uint64(i)<<32)
		}
	}
	return b
}

// appendItem appends a link as an item of a list.
func (s *Site) appendItem(b []byte, page, to int, n uint64) []byte {
	b = append(b, "<li>"...)
	b = s.appendReference(b, page, to, n)
	return append(b, "</li>\n"...)
}

// appendReference appends the page's n-th link.
func (s *Site) appendReference(b []byte, page, to int, n uint64) []byte {
	draw := s.mix(page, forForm+n)
	b = append(b, `<a class="xref" href="`...)
	b = s.appendHref(b, page, to, draw)
	b = append(b, `">`...)
	if s.Style == Dense {
		b = s.words().append(b, draw)
	} else {
		b = append(b, s.docs().anchors[draw>>16%anchorTexts]...)
	}
	return append(b, "</a>"...)
}

// appendHref names a page in one of the ways that people do: mostly relative, else from
// the root, dotted or absolute, and one in eight by one of its sections.
func (s *Site) appendHref(b []byte, page, to int, draw uint64) []byte {
	form := draw % 16
	switch {
	case len(s.Hosts) > 0 && (form == 0 || to%s.hosts() != page%s.hosts()):
		b = s.appendURL(b, to)
	case form < 4 || to < s.hosts():
		b = s.appendTreePath(b, to)
	case page < s.hosts(): // its directory is the root
		b = append(b, s.appendTreePath(nil, to)[1:]...)
	case form < 6:
		b = append(b, "./.."...)
		b = s.appendTreePath(b, to)
	case page/directory == to/directory:
		b = append(b, 'p')
		b = strconv.AppendInt(b, int64(to), 10)
	default:
		b = append(b, ".."...)
		b = s.appendTreePath(b, to)
	}
	if draw>>8%8 == 0 {
		b = append(b, "#sect-1"...)
	}
	return b
}
