package demosite

import (
	"fmt"
	"strings"
)

// The manual: three books of chapters of sections.
const (
	chaptersPerBook    = 5
	sectionsPerChapter = 7
)

// book is one third of the manual. All its links are relative and stay inside
// the book, but for the one to the home page, so that the book can be moved to
// another host as it is.
type book struct {
	slug, title, intro string
	chapters           []chapter
}

type chapter struct {
	slug, title, intro string
	sections           []section
}

type section struct {
	slug, title string
	paragraphs  []string
	rows        [][]string
	seeAlso     []string // references to anchors of other sections of the book
}

// docs makes the documentation tree and returns its books.
func (w *Web) docs() []book {
	s := w.site(docsHost, "The demo manual")
	var books []book
	for _, slug := range []string{"guide", "reference", "cookbook"} {
		b := s.text.book(slug)
		books = append(books, b)
		s.publishBook(b)
	}
	s.publishOddities(books[0])
	w.docsHome(s, books)
	w.docsRobots(s)
	w.publishSitemap(s)
	return books
}

// book writes a book.
func (w *writer) book(slug string) book {
	b := book{slug: slug, title: "The " + slug, intro: w.paragraph(60)}
	for range chaptersPerBook {
		b.chapters = append(b.chapters, w.chapter())
	}
	for i := range b.chapters {
		for j := range b.chapters[i].sections {
			b.chapters[i].sections[j].seeAlso = []string{w.crossReference(b), w.crossReference(b)}
		}
	}
	return b
}

func (w *writer) chapter() chapter {
	c := chapter{slug: w.slug(), title: w.title(), intro: w.paragraph(80)}
	for range sectionsPerChapter {
		c.sections = append(c.sections, w.section())
	}
	return c
}

func (w *writer) section() section {
	s := section{slug: w.slug(), title: w.title()}
	for range 4 + w.r.IntN(4) {
		s.paragraphs = append(s.paragraphs, w.paragraph(40+w.r.IntN(40)))
	}
	s.rows = [][]string{{"Name", "Value", "Meaning"}}
	for range 3 + w.r.IntN(4) {
		s.rows = append(s.rows, []string{w.ascii(), w.word('m'), w.sentence()})
	}
	return s
}

func (w *writer) crossReference(b book) string {
	c := b.chapters[w.r.IntN(len(b.chapters))]
	s := c.sections[w.r.IntN(len(c.sections))]
	return "../" + c.slug + "/" + s.slug + ".html#values"
}

// publishBook adds all pages of a book.
func (s *site) publishBook(b book) {
	s.publishBookIndex(b)
	order := b.order()
	for i, c := range b.chapters {
		s.publishChapter(b, c)
		for j := range c.sections {
			s.publishSection(b, c, j, order, i*sectionsPerChapter+j)
		}
	}
}

// order lists the sections of a book from first to last, as seen from any chapter.
func (b book) order() []string {
	var refs []string
	for _, c := range b.chapters {
		for _, s := range c.sections {
			refs = append(refs, "../"+c.slug+"/"+s.slug+".html")
		}
	}
	return refs
}

func (s *site) publishBookIndex(b book) {
	var contents []ref
	for _, c := range b.chapters {
		contents = append(contents, ref{c.slug + "/", c.title})
	}
	s.publish(draft{
		uri: "/" + b.slug + "/", title: b.title, nav: []ref{{"../", "Up"}},
		body: func(d *doc) {
			d.paragraphs(b.intro)
			d.list(contents)
		},
	})
}

func (s *site) publishChapter(b book, c chapter) {
	var contents []ref
	for _, sec := range c.sections {
		contents = append(contents, ref{sec.slug + ".html", sec.title})
	}
	s.publish(draft{
		uri: "/" + b.slug + "/" + c.slug + "/", title: c.title,
		nav: []ref{{"../../", "Home"}, {"../", "Up"}},
		body: func(d *doc) {
			d.paragraphs(c.intro)
			d.list(contents)
		},
	})
}

func (s *site) publishSection(b book, c chapter, j int, order []string, at int) {
	sec := c.sections[j]
	nav := []ref{{"../../", "Home"}, {"./", "Up"}}
	if at > 0 {
		nav = append(nav, ref{order[at-1], "Previous"})
	}
	if at+1 < len(order) {
		nav = append(nav, ref{order[at+1], "Next"})
	}
	s.publish(draft{
		uri: "/" + b.slug + "/" + c.slug + "/" + sec.slug + ".html", title: sec.title,
		nav: nav, head: func(d *doc) { sequence(d, nav) }, body: sec.write,
	})
}

// sequence repeats the previous and next links in the head.
func sequence(d *doc, nav []ref) {
	for _, r := range nav {
		switch r.text {
		case "Previous":
			d.rel("prev", r.href)
		case "Next":
			d.rel("next", r.href)
		}
	}
}

// write writes the content of a section, with anchors of its own.
func (sec section) write(d *doc) {
	d.list([]ref{{"#text", "Text"}, {"#values", "Values"}})
	d.block("h2", "Text", "id", "text")
	d.paragraphs(sec.paragraphs...)
	d.block("h2", "Values", "id", "values")
	d.table(sec.rows)
	var refs []ref
	for i, href := range sec.seeAlso {
		refs = append(refs, ref{href, []string{"here", "there"}[i%2]})
	}
	d.further("See also", refs...)
}

// docsHome makes the page that leads everywhere.
func (w *Web) docsHome(s *site, books []book) {
	body := func(d *doc) {
		d.paragraphs(s.text.paragraph(80))
		for _, b := range books {
			d.further("Read", ref{b.slug + "/", b.title}, ref{b.slug + "/#top", "from the top"})
		}
		d.list(oddities())
		d.list(elsewhere())
		d.list(notPages())
		w.setTraps(d, s)
	}
	home := s.publish(draft{uri: "/", title: "Demo documentation", body: body})
	s.add("/index.html", home)
	w.exact = append(w.exact, []string{s.url("/"), s.url("/index.html")})
}

// oddities are references to the unusual pages of this site, some of them
// written unusually.
func oddities() []ref {
	return []ref{
		{"/appendix/latin1.html", "An old encoding"}, {"/appendix/windows.html", "Another one"},
		{"/appendix/bom.html", "A byte order mark"}, {"/appendix/strict.xhtml", "XHTML"},
		{"/appendix/OLD.HTM", "Old HTML"}, {"/appendix/references.html", "Character references"},
		{"/appendix/based.html", "Another base"}, {"index.html", "This page"},
		{"/drafts/public.html", "A draft for all"}, {"/drafts/secret.html", "A draft for some"},
		{"HTTP://Docs.Demo.Example:80/guide/./x/../#intro", "The guide, written oddly"},
		{"/private/notes.html", "Private notes"}, {"/guide/manual.pdf", "The guide as PDF"},
	}
}

// elsewhere are references to the other hosts.
func elsewhere() []ref {
	return []ref{
		{"http://" + newsHost, "News"}, {"//" + shopHost + "/", "Shop"}, {"http://" + wikiHost + "/", "Wiki"},
		{"http://" + mirrorHost + "/", "Mirror"}, {"http://" + spamHost + "/", "Offers"},
		{"http://" + calendarHost + "/", "Calendar"}, {"http://" + flakyHost + "/", "Status"},
		{"http://" + outsideHost + "/", "The rest of the world"},
	}
}

// notPages are references that lead to no web page.
func notPages() []ref {
	return []ref{
		{"mailto:manual@demo.example", "Write to us"}, {"javascript:void(0)", "Menu"},
		{"tel:+10000000", "Call us"}, {"data:text/plain,hello", "Greeting"}, {"http://[broken/", "Broken"},
	}
}

// setTraps writes addresses where a reader sees no link.
func (w *Web) setTraps(d *doc, s *site) {
	d.raw("<!-- <a href=\"/trap/comment.html\">comment</a> -->\n")
	d.raw("<script>var s = '<a href=\"/trap/script.html\">script</a>';</script>\n")
	d.raw("<style>p::after { content: '<a href=\"/trap/style.html\">style</a>' }</style>\n")
	w.traps = append(w.traps, s.url("/trap/comment.html"), s.url("/trap/script.html"), s.url("/trap/style.html"))
}

// docsRobots closes two folders, opens one page of one of them, and names the sitemap.
func (w *Web) docsRobots(s *site) {
	s.restrict("# the demo manual\nUser-agent: *\nDisallow: /private/\nDisallow: /drafts/\n"+
		"Allow: /drafts/public.html\nDisallow: /*.pdf$\n\nSitemap: "+s.url("/sitemap.xml")+"\n",
		func(uri string) bool {
			return strings.HasPrefix(uri, "/private/") || strings.HasSuffix(uri, ".pdf") ||
				strings.HasPrefix(uri, "/drafts/") && uri != "/drafts/public.html"
		})
	s.note("/drafts/public.html", "A draft for all")
	s.note("/drafts/secret.html", "A draft for some")
	s.note("/private/notes.html", "Private notes")
	s.asset("/guide/manual.pdf", "application/pdf", "%PDF-1.4\n%%EOF\n")
}

// note publishes a page of a few paragraphs.
func (s *site) note(uri, title string, refs ...ref) *page {
	return s.publish(draft{uri: uri, title: title, body: func(d *doc) {
		d.paragraphs(s.text.paragraph(60), s.text.paragraph(60), s.text.paragraph(60))
		d.list(refs)
	}})
}

// publishOddities adds one page for each unusual way to write HTML.
func (s *site) publishOddities(b book) {
	prose := func(extra string) func(d *doc) {
		return func(d *doc) {
			d.paragraphs(extra, s.text.paragraph(90), s.text.paragraph(90))
			d.further("Go on with", ref{"../" + b.slug + "/", b.title})
		}
	}
	accents := "Brönn façel, naïvor señel: ÅLUND Ørske."
	drafts := []draft{
		{uri: "latin1.html", title: "Häuptel", meta: "iso-8859-1", mime: "text/html; charset=ISO-8859-1", encode: encodeLatin1},
		{uri: "windows.html", title: "Œlven", meta: "windows-1252", mime: "text/html", encode: encodeWindows1252},
		{uri: "bom.html", title: "Žarek", meta: "iso-8859-1", mime: "text/html; charset=iso-8859-1", encode: encodeBOM},
		{uri: "strict.xhtml", title: "Strict", style: xhtml, mime: "application/xhtml+xml; charset=utf-8"},
		{uri: "OLD.HTM", title: "Old", style: old},
		{uri: "references.html", title: "Références", style: refs},
	}
	for _, dr := range drafts {
		dr.uri = "/appendix/" + dr.uri
		dr.body = prose(accents + " “Œlven” & Šarel – " + dr.title + ".")
		s.publish(dr)
	}
	s.publishBased()
}

// publishBased adds a page whose relative links start from another folder.
func (s *site) publishBased() {
	s.publish(draft{
		uri: "/appendix/based.html", title: "Another base",
		head: func(d *doc) { d.setBase("/moved/here/") },
		body: func(d *doc) {
			d.paragraphs(s.text.paragraph(120), s.text.paragraph(60))
			d.further("From there", ref{"near.html", "near"}, ref{"../far.html", "far"}, ref{"#values", "values"})
		},
	})
	s.note("/moved/here/near.html", "Near", ref{"../far.html", "Far"})
	s.note("/moved/far.html", "Far")
	s.note("/moved/here/", "Moved here")
}

// publishSitemap lists every HTML page that may be fetched, and one that
// nothing links.
func (w *Web) publishSitemap(s *site) {
	const unlinked = "/appendix/unlinked.html"
	linked := s.ordinary
	s.note(unlinked, "Nobody links here")
	w.unlinked = append(w.unlinked, s.url(unlinked))
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range s.ordinary {
		if !s.robots.forbidden(strings.TrimPrefix(u, s.url(""))) {
			fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", u)
		}
	}
	b.WriteString("</urlset>\n")
	s.asset("/sitemap.xml", "application/xml", b.String())
	s.ordinary = linked
}
