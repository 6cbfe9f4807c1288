package parse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// grammar writes random documents that are well-formed enough for a tree
// builder to move nothing, with as many different constructs as possible.
type grammar struct {
	*rand.Rand
	strings.Builder
	depth  int // of the element being written
	limit  int // for depth: blocks go half as deep
	inLink bool
	alien  int  // foreign elements open: no template inside, the library gives up there
	silent bool // in a <noscript>: none inside, it would mean nothing
}

func (g *grammar) pick(list ...string) string { return list[g.IntN(len(list))] }

// tag writes a start tag with the name in any case and some attributes.
func (g *grammar) tag(name string, attrs ...string) {
	if g.IntN(4) == 0 {
		name = strings.ToUpper(name)
	}
	g.WriteString("<" + name)
	for g.IntN(3) == 0 {
		attrs = append(attrs, g.pick("class", "id", "title", "data-x", "onclick", "Style", "hidden"))
	}
	for _, a := range attrs {
		key, value, ok := strings.Cut(a, "=")
		if !ok && g.IntN(3) > 0 {
			value, ok = g.pick("x", "a b", "x>y", "<b>", "&quot;", "é", "it's", "/", ""), true
		}
		g.WriteString(g.pick(" ", "\n", "\t ", "  ") + key)
		if !ok {
			continue
		}
		g.WriteString(g.pick("=", " = ", "=", "\n="))
		switch {
		case strings.ContainsAny(value, " \t\n\"'<>=`/") || value == "" || g.IntN(2) == 0:
			g.WriteString(`"` + strings.ReplaceAll(value, `"`, "&quot;") + `"`)
		case g.IntN(2) == 0:
			g.WriteString("'" + value + "'")
		default:
			g.WriteString(value + " ")
		}
	}
	g.WriteString(g.pick(">", ">", " >", "\n>"))
}

func (g *grammar) end(name string) {
	g.WriteString("</" + g.pick(name, name, strings.ToUpper(name)) + g.pick(">", ">", " >", "\n>", ` x="y>z">`))
}

func (g *grammar) href() string {
	return g.pick("x.html", "/y/z", "?q=1&amp;r=2", "#frag", "../up", "//other.example/", "http://a.example/b?c#d",
		"mailto:x", "javascript:y()", "", "a&b=c", "é/ü", "&#47;ref", " spaced ", "a\tb", "x&copy=y", "x&notit;y") +
		g.pick("", "", fmt.Sprint(g.IntN(100)))
}

func (g *grammar) text() {
	for range g.IntN(6) {
		g.WriteString(g.pick("word", "Wort", "WORD", "naïve", "Ünï", "日本", "x1", "internationalization", "a",
			"pneumonoultramicroscopicsilicovolcanoconiosis", "3.14", "don't", "&eacute;t&eacute;", "a&nbsp;b", "&lt;b&gt;", "&#65;&#x42;c",
			"&unknown;", "&copy2024", "a & b", "a&b", "x < y", "1<2", "snake_case", "e\u0301", "𐐀", "©", "\u00ad", "12345678", "1234567",
			strings.Repeat("long", g.IntN(20)), "nul\x00nul") + g.pick(" ", " ", ", ", "\n", ".\n    ", "-", ""))
	}
}

func (g *grammar) alt() string {
	return g.pick("alt", "alt=", "alt=a picture", "alt= x\ty ", "alt=&eacute;t&copy=", "alt=é\x00", "alt=<a href=no>", "src=second")
}

func (g *grammar) raw() {
	switch g.IntN(10) {
	case 0:
		g.tag("script")
		g.WriteString(g.pick("var a = '<a href=no>';", "if (a<b && c>d) {}", "<!-- hidden -->", "<!--\n<script>x</script>\n-->", "'</scrip' + 't>'",
			"<!-- <script> --> ", "/* </style> */", "", "<!--> x", "'<!' + '--'"))
		g.end("script")
	case 1:
		g.tag("style")
		g.WriteString(g.pick("a > b { }", "<!-- p { } -->", "</sty le>", "x::after { content: '<a href=no>' }"))
		g.end("style")
	case 2:
		g.noscript(g.inlines)
	case 3:
		g.WriteString("<!--" + g.pick("", " a comment ", "-", " <a href=no>x</a> ", " -- ", " > ", " --! ", "[if IE]><p>x</p><![endif]", " <!-- ") + g.pick("-->", "-->", "--!>"))
	case 4:
		g.tag("textarea")
		g.text()
		g.WriteString(g.pick("", "<a href=no>", "</textare>", "&lt;"))
		g.end("textarea")
	case 5:
		g.tag("iframe", "src="+g.href())
		g.WriteString(g.pick("", "<p>x</p>", "&amp;", "fall back"))
		g.end("iframe")
	case 6:
		g.WriteString(g.pick("<?php echo 1 ?>", "<!bogus>", "</ bogus>", "</>", " <![CDATA[x]]> "))
	default:
		g.text()
	}
}

// noscript writes a <noscript>, in the body: in a head with scripts off it ends where the library
// sees fit (see the constructs that differ).
func (g *grammar) noscript(content func()) {
	if g.silent {
		g.text()
		return
	}
	g.silent = true
	g.tag("noscript")
	content()
	g.end("noscript")
	g.silent = false
}

func (g *grammar) inline() {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > g.limit {
		g.text()
		return
	}
	switch g.IntN(9) {
	case 0:
		if g.inLink {
			g.text()
			return
		}
		g.inLink = true
		attrs := []string{"href=" + g.href()}
		if g.IntN(3) == 0 {
			attrs = append(attrs, g.pick("rel=nofollow", "rel=noopener NoFollow", "rel=ugc", "rel", "rel= a&amp;b\tÉ ", "href=second"))
		}
		g.tag("a", attrs...)
		g.inlines()
		g.end("a")
		g.inLink = false
	case 1:
		name := g.pick("b", "em", "span", "code", "font", "u", "custom-tag", "label", "abbr")
		g.tag(name)
		g.inlines()
		g.end(name)
	case 2:
		g.tag(g.pick("br", "img", "IMAGE", "wbr", "input"), "src=no", g.alt())
	case 3:
		g.svg()
	case 4:
		g.math()
	case 5:
		if g.alien == 0 {
			g.tag("template")
			g.blocks()
			g.end("template")
		}
	case 6:
		g.raw()
	default:
		g.text()
	}
}

func (g *grammar) inlines() {
	for range g.IntN(4) {
		g.inline()
	}
}

// svg writes an <svg>. Its CDATA sections have no neighbouring text and no
// references (see the constructs that differ).
func (g *grammar) svg() {
	g.alien++
	g.tag("svg")
	g.svgContent(0)
	g.end("svg")
	g.alien--
}

func (g *grammar) svgContent(depth int) {
	for range g.IntN(4) {
		switch n := g.IntN(11); {
		case n == 0:
			g.WriteString(g.pick("<path d='M0'/>", "<path/>", "<style/>", "<script />", "<title/>", "<a href=x1 />", "<foreignObject/>", "<g  />"))
		case n == 1 && depth < 5:
			name := g.pick("g", "text", "tspan", "svg", "defs", "circle", "font")
			g.tag(name)
			g.svgContent(depth + 1)
			g.end(name)
		case n == 2 && !g.inLink:
			g.inLink = true
			g.tag("a", g.pick("xlink:href", "href")+"="+g.href())
			g.svgContent(depth + 1)
			g.end("a")
			g.inLink = false
		case n == 3:
			name := g.pick("style", "script", "noscript", "template")
			g.tag(name)
			g.WriteString(g.pick("hidden", "&amp;", "<g>hidden</g>", "<![CDATA[ x > y </style> ]]>", "<a href=x2>hidden</a>"))
			g.end(name)
		case n == 4:
			g.WriteString("<g><![CDATA[" + g.pick("", "cdata", "a<b>c", "]", "]]", "x ]> y", "<a href=no>") + "]]></g>")
		case n == 5 && depth < 5 && g.depth < g.limit:
			name := g.pick("foreignObject", "desc", "title")
			g.tag(name)
			g.blocks()
			g.end(name)
		case n == 6:
			g.WriteString("<!-- comment -->")
		case n == 7:
			g.WriteString("<text>nul\x00nul</text>")
		default:
			g.text()
		}
	}
}

func (g *grammar) math() {
	g.alien++
	g.tag("math")
	for range g.IntN(4) {
		switch g.IntN(6) {
		case 0:
			name := g.pick("mi", "mo", "mtext")
			g.tag(name)
			g.inlines()
			g.end(name)
		case 1:
			g.tag("annotation-xml", g.pick("encoding=text/html", "encoding=application/XHTML+xml"))
			g.blocks()
			g.end("annotation-xml")
		case 2:
			g.tag("annotation-xml", g.pick("encoding=x", "encoding"))
			g.svg()
			g.end("annotation-xml")
		case 3:
			g.WriteString("<mrow><style>shown? no</style><title>x&lt;</title><mspace/></mrow>")
		case 4:
			g.WriteString("<mi><mglyph><style/>x</mglyph></mi>")
		default:
			g.text()
		}
	}
	g.end("math")
	g.alien--
}

func (g *grammar) block() {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > g.limit*2/3 {
		g.text()
		return
	}
	link := g.inLink
	defer func() { g.inLink = link }()
	switch g.IntN(11) {
	case 0:
		g.tag("p")
		g.inlines()
		g.end("p")
	case 1:
		name := g.pick("div", "section", "blockquote", "main", "pre")
		g.tag(name)
		g.blocks()
		g.end(name)
	case 2:
		g.tag("ul")
		for range g.IntN(3) {
			g.tag("li")
			g.blocks()
			if g.IntN(2) == 0 {
				g.end("li")
			}
		}
		g.end("ul")
	case 3:
		g.inLink = true // a table inside a link would be moved apart from it
		g.tag("table")
		for range g.IntN(3) {
			g.tag("tr")
			for range g.IntN(3) {
				g.tag("td")
				g.blocks()
				g.end("td")
			}
			g.end("tr")
		}
		g.end("table")
	case 4:
		g.tag(g.pick("hr", "link", "meta", "source"), "href=no", "content=no")
	case 5:
		g.tag("link", g.pick("rel=next", "rel=Prev", "rel=canonical", "rel=alternate", "rel=stylesheet", "rel=alternate stylesheet"), "href="+g.href())
	case 6:
		g.tag("map")
		g.tag("area", "href="+g.href(), g.pick("rel=nofollow", "shape=rect"), g.alt())
		g.end("map")
	case 8:
		if !g.inLink {
			g.inLink = true
			g.tag("a", "href="+g.href())
			g.blocks()
			g.end("a")
		}
	case 7: // a block: it would close paragraphs and links
		if !g.inLink {
			g.tag("xmp")
			g.WriteString(g.pick("<a href=no>", "&lt;", "</xm p>"))
			g.end("xmp")
		}
	case 9:
		g.noscript(g.blocks)
	default:
		g.inline()
	}
}

func (g *grammar) blocks() {
	for range g.IntN(4) {
		g.block()
	}
}

func randomPage(seed uint64, limit int) []byte {
	g := &grammar{Rand: rand.New(rand.NewPCG(seed, 0)), limit: limit}
	g.WriteString(g.pick("<!DOCTYPE html>", "<!doctype HTML>\n", "\ufeff<!DOCTYPE html>", "<!-- x --><!DOCTYPE html>"))
	g.tag("html", g.pick("lang=en", "class=x"))
	g.WriteString("<head>")
	g.tag("title")
	g.text()
	g.end("title")
	if g.IntN(5) == 0 {
		g.tag("base", "href="+g.href())
	}
	g.WriteString("</head>")
	g.tag("body")
	g.WriteString("<p>é</p>") // decides the encoding
	for range 1 + g.IntN(limit) {
		g.block()
	}
	g.WriteString("</body></html>")
	return []byte(g.String())
}

// TestRandomPagesAsGoquery holds the parser against goquery on documents with
// everything nested in everything.
func TestRandomPagesAsGoquery(t *testing.T) {
	pages := 4000
	if testing.Short() {
		pages = 300
	}
	first := rand.Uint64()
	t.Logf("seeds from %d", first)
	c := newComparer(t)
	for i := range uint64(pages) {
		body := randomPage(first+i, 2+int(i)*10/pages) // small ones first
		if !c.compare("http://h.example/a/b?c", "text/html; charset=utf-8", body) {
			t.Fatalf("seed %d, %q", first+i, body)
		}
	}
	t.Logf("%d links, %d words", c.links, c.words)
}
