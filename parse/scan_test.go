package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// construct is a piece of HTML and what it yields. Links are paths on the
// test's host, "!" in front marks rel=nofollow; words are separated by spaces.
type construct struct {
	name  string
	html  string
	links string
	words string
	// differs says why goquery reads it otherwise, as docs/parse.md does. All
	// other constructs must read the same.
	differs string
}

var constructs = []construct{
	{name: "text", html: "Hello, World", words: "hello world"},
	{name: "empty", html: ""},
	{name: "lone less", html: "a<", words: "a"},

	{name: "comment", html: "a<!-- b <a href=no> -->c", words: "a c"},
	{name: "comment empty", html: "a<!---->b", words: "a b"},
	{name: "comment abrupt", html: "a<!-->b", words: "a b"},
	{name: "comment abrupt dash", html: "a<!--->b", words: "a b"},
	{name: "comment dash bang is no end", html: "a<!---!>b-->c", words: "a c"},
	{name: "comment bang end", html: "a<!--b--!>c", words: "a c"},
	{name: "comment bang dash", html: "a<!--b--!-->c", words: "a c"},
	{name: "comment three dashes", html: "a<!--b--->c", words: "a c"},
	{name: "comment two dashes space", html: "a<!--b-- >c-->d", words: "a d"},
	{name: "comment unclosed", html: "a<!--b <a href=no>", words: "a"},
	{name: "comment nested", html: "<!-- <!-- a --> b", words: "b"},
	{name: "bogus declaration", html: "a<!x y>b", words: "a b"},
	{name: "bogus instruction", html: "a<?x ?>b", words: "a b"},
	{name: "bogus end tag", html: "a</ b>c</1>d</>e", words: "a c d e"},
	{name: "less that is text", html: "a<1 b< c <= d<-e <", words: "a 1 b c d e"},
	{name: "doctype in the middle", html: "<p>a<!doctype x><b>b", words: "a b"},
	{name: "doctype with angle", html: `<!DOCTYPE html PUBLIC "a>b">`, words: "b"},
	{name: "CDATA in HTML", html: "<p>a<![CDATA[b<i>c]]>d", words: "a c d"},
	{name: "CDATA in SVG", html: "<svg>a <![CDATA[b<i>c]]> d", words: "a b i c d"},
	{name: "CDATA unclosed", html: "<svg>a <![CDATA[b<i>c", words: "a b i c"},

	{name: "script", html: `<script>"<a href=no>"; b</script>c`, words: "c"},
	{name: "script end tags that are none", html: `<script></scrip></scriptx></ script></script >c`, words: "c"},
	{name: "script escaped", html: `<script><!-- <a> --></script>b`, words: "b"},
	{name: "script escaped end", html: `<script><!-- </script>b`, words: "b"},
	{name: "script double escaped", html: `<script><!-- <script> </script> c --></script>b`, words: "b"},
	{name: "script double escaped, ended by dashes", html: `<script><!-- <script> --> </script>b`, words: "b"},
	{name: "script double escaped, script again", html: `<script><!-- <script></script><script></script> </script>b`, words: "b"},
	{name: "script double escaped, no name end", html: `<script><!-- <scriptx> </script>b`, words: "b"},
	{name: "script double escaped unclosed", html: `<script><!-- <script> </script> a`},
	{name: "script abrupt comment", html: `<script><!--> <script> </script>b`, words: "b"},
	{name: "script abrupt comment dash", html: `<script><!---> <script> </script>b`, words: "b"},
	{name: "script comment twice", html: `<script><!-- --> <!-- <script> --> </script>b`, words: "b"},
	{name: "script unclosed", html: `a<script>b</scrip`, words: "a"},
	{name: "script cut in its end tag", html: `a<script>b</script`, words: "a"},
	{name: "style", html: `<style>a > b <!-- </style>c`, words: "c"},
	{name: "noscript", html: `a<noscript>b <a href=1>c</a><p>d</p><iframe src=2>e</iframe><textarea>f</textarea></NoScript >g`, links: "/1 /2", words: "a g"},
	{name: "noscript in the head", html: `<head><noscript><link rel=next href=1><meta http-equiv=refresh content="0;url=2"><style>a</style></noscript><title>b</title>c`,
		links: "/1 /2", words: "b c"},
	{name: "noscript with raw text", html: `<p>a<noscript><script>"</noscript>"</script><!-- </noscript> --><textarea></noscript></textarea><b x="</noscript>">b</b></noscript>c`,
		words: "a c"},
	{name: "noscript in raw text", html: `<title>a<noscript>b</title>c<textarea><noscript></textarea>d<script><noscript></script>e<xmp><noscript></xmp>f<!-- <noscript> -->g`,
		words: "a noscript b c noscript d e noscript f g"},
	{name: "noscript closed by itself is not closed", html: `<p>a<noscript/>b`, words: "a"},
	{name: "noscript unclosed", html: `a<noscript>b<a href=1>c</a><ul><li>d<svg><text>e</text></svg>f`, links: "/1", words: "a"},
	{name: "noscript in a template", html: `<p>a<template>b<noscript>c<a href=1>d</a></noscript>e</template>f<template><noscript>g</template>h`, links: "/1", words: "a f h"},
	{name: "template in noscript", html: `<p>a<noscript><template><noscript>b</noscript>c</template>d</noscript>e`, words: "a e"},
	{name: "noscript ends not in a template", html: `<p>a<noscript><template></noscript>b</template>c</noscript>d`, words: "a d"},
	{name: "noscript with SVG", html: `<p>a<noscript><svg><a href=1>b</a><style/><noscript>c</noscript>d</svg>e<style>f<i></style></noscript>g<style>h<i></style>`, links: "/1", words: "a g"},
	{name: "noscript with SVG left open", html: `<p>a<noscript><svg><g></noscript>b<style>c<i></style>d<![CDATA[e>`, words: "a b d"},
	{name: "noscript in SVG", html: `<svg><noscript>a<a href=1>b</a></noscript>c<noscript/>d</svg>e`, links: "/1", words: "c d e"},
	{name: "noscript in SVG's HTML", html: `<svg><desc><noscript>a<a href=1>b</a></desc></svg><![CDATA[c><a href=2>d</a>]]><style>d<i></style></noscript>e<style>f<b></style>g</desc><style/>h</svg>i`,
		links: "/1 /2", words: "e g h i"},
	{name: "title", html: `<title>a &eacute; <b>c</b></title>d`, words: "a é b c b d"},
	{name: "title unclosed", html: `<title>a <a href=no>b`, words: "a a href no b"},
	{name: "textarea", html: `<textarea>a&amp;b <a href=no></textarea>c`, words: "a b a href no c"},
	{name: "raw text", html: `<xmp>&eacute; <a href=no></xmp>b<iframe>&c;</iframe><noembed>d</noembed><noframes>e</noframes>`,
		words: "eacute a href no b c d e"},
	{name: "plaintext", html: `a<plaintext>b<a href=no>&eacute;</plaintext>`, words: "a b a href no eacute plaintext"},
	{name: "Plaintext in capitals", html: `a<PlainText>b<i>`, words: "a b i"},
	{name: "raw text self-closed is not closed", html: `a<style/>b</style>c<title/>d<b>`, words: "a c d b"},
	{name: "end tag in capitals", html: `<style>a</STYLE>b<Script>c</sCRIPT
>d`, words: "b d"},

	{name: "quotes", html: `<a href="1">a<a href='2'>b<a href=3>c`, links: "/1 /2 /3", words: "a b c"},
	{name: "names in capitals", html: `<A HREF=1>`, links: "/1"},
	{name: "spaces around equals", html: "<a href \n=\t'1'\f>", links: "/1"},
	{name: "first of two attributes", html: "<a href=1 HREF=2 href=3>", links: "/1"},
	{name: "angle in quotes", html: `<a title="a>b" href='x>y'>c`, links: "/x%3Ey", words: "c"},
	{name: "no value", html: `<a href><a href=><a href="">`, links: "/ / /"},
	{name: "no href", html: `<a name=x>a</a><a hrefs=y>`, words: "a"},
	{name: "solidus", html: `<a/href=1/><a / href=2 /><a href=/3/>`, links: "/1/ /2 /3/"},
	{name: "glued attributes", html: `<a title="x"href="1">`, links: "/1"},
	{name: "equals first", html: `<a =href=x href=1>`, links: "/1"},
	{name: "quote in name", html: `<a "href"=x href"=y href=1>`, links: "/1"},
	{name: "quote in bare value", html: `<a href=1"2>`, links: "/1%222"},
	{name: "tag cut off", html: `a<a href=1`, words: "a"},
	{name: "tag cut off in a quote", html: `a<a href="1>b<p>c`, words: "a"},
	{name: "tag cut off behind its name", html: `a<area`, words: "a"},
	{name: "tag cut off behind equals", html: `a<a href=`, words: "a"},
	{name: "end tag with attributes", html: `<b>a</b x="c>d">e`, words: "a e"},
	{name: "long names", html: `<custom-element href=no a-very-long-attribute-name="x>y">a</custom-element>`, words: "a"},
	{name: "name like a tag", html: `<a1 href=no><ab href=no><a:b href=no><a-b href=no>`},
	{name: "references in values", html: `<a href="?a=1&amp;b=2&copy=3&lt=4&#38;c=5">`, links: "/?a=1&b=2&copy=3&lt=4&c=5"},
	{name: "space around values", html: "<a href=' \n1 '><a href='2\n3'>", links: "/1 /23"},
	{name: "fragment", html: `<a href="#x"><a href="1#x"><a href="1#y">`, links: "/ /1 /1"},
	{name: "space before a fragment", html: "<a href='1 #x'><a href=' #x'><a href='2\x03#x'>", links: "/1%20 / /2%03"},
	{name: "other schemes", html: `<a href="mailto:a@b"><a href="javascript:c()"><a href="data:,d"><a href="tel:1">`},

	{name: "area", html: `<map><area href=1 rel=nofollow></map>`, links: "!/1"},
	{name: "rel", html: `<a href=1 rel=nofollow><a href=2 rel="x NoFollow y"><a href=3 rel=nofollows><a href=4 rel="ugc sponsored"><a href=5 rel>`,
		links: "!/1 !/2 /3 /4 /5"},
	{name: "link", html: `<link rel=canonical href=1><link rel=NEXT href=2><link rel="x prev" href=3><link rel=alternate href=4>` +
		`<link rel="stylesheet" href=no><link rel="alternate stylesheet" href=no><link href=no><link rel=icon href=no>`,
		links: "/1 /2 /3 /4"},
	{name: "link with two meanings", html: `<link rel="alternate next canonical" href=1>`, links: "/1"},
	{name: "iframe", html: `<iframe src=1>a</iframe>`, links: "/1", words: "a"},
	{name: "frames", html: `<frameset><frame src=1><frame src=2></frameset>`, links: "/1 /2"},
	{name: "image is no link", html: `<img src=no><script src=no></script><video src=no poster=no></video>`},

	{name: "base", html: `<base href=/d/><a href=1>`, links: "/d/1"},
	{name: "base behind links", html: `<a href=1>a</a><base href=/d/><a href=2>b</a>`, links: "/d/1 /d/2", words: "a b"},
	{name: "base: the first counts", html: `<base target=x><base href=/d/><base href=/e/><a href=1>`, links: "/d/1"},
	{name: "base that is none", html: `<base href="mailto:x"><a href=1>`, links: "/1"},
	{name: "base in a template", html: `<template><base href=/d/></template><a href=1>`, links: "/1",
		differs: "a template's content is no part of the document; goquery looks inside"},

	{name: "template", html: `a<template>b<a href=1>c</a></template>d`, links: "/1", words: "a d"},
	{name: "template nested", html: `a<template>b<template>c</template>d</template>e`, words: "a e"},
	{name: "template unclosed", html: `a<template>b<p>c`, words: "a"},
	{name: "template ends in vain", html: `a</template>b`, words: "a b",
		differs: "tree: what it ignores joins words"},
	{name: "template around SVG", html: `<template><svg><g></template>a<![CDATA[b]]>c`, words: "a c"},

	{name: "SVG link", html: `<svg><a xlink:href=1>a</a><a href=2>b</a></svg>`, links: "/1 /2", words: "a b"},
	{name: "no xlink in HTML", html: `<a xlink:href=no>`},
	{name: "SVG style closed by itself", html: `<svg><style/><text>a</text></svg>`, words: "a"},
	{name: "SVG style", html: `<svg><style>a<b>c</b></style></svg>d`, words: "c d"},
	{name: "SVG script", html: `<svg><script>a<a href=1>b</a></script>c</svg>`, links: "/1", words: "c"},
	{name: "SVG title", html: `<svg><title>a<b>c</b></title></svg>`, words: "a c"},
	{name: "SVG foreignObject", html: `<svg><foreignObject><style>a<b></style><p>c</p></foreignObject></svg>d`, words: "c d"},
	{name: "SVG broken out of", html: `<svg><g><p>a<style>b<i></style>`, words: "a"},
	{name: "SVG font", html: `<svg><font><style/>a</font><font color=red><style/>b</style>`, words: "a"},
	{name: "SVG unclosed in a div", html: `<div><svg><g></div><style>a<i></style>b`, words: "b"},
	{name: "SVG end tag in vain", html: `<svg><path/></path><style/>a</svg>`, words: "a"},
	{name: "SVG self-closed", html: `<svg/><style>a<i></style>b`, words: "b"},
	{name: "SVG in SVG", html: `<svg><svg></svg><style/>a</svg><style/>b`, words: "a"},
	{name: "math", html: `<math><mi>a</mi><style/>b<mtext><style>c<i></style></mtext></math>d`, words: "a b d"},
	{name: "math annotation", html: `<math><annotation-xml><style/>a</annotation-xml>` +
		`<annotation-xml encoding="Text/HTML"><style>b<i></style>c</annotation-xml></math>`, words: "a c"},
	{name: "math annotation with SVG", html: `<math><annotation-xml><svg><title><style>a<i></style>b</title><style/>c`, words: "b c"},
	{name: "math glyph", html: `<math><mi><mglyph><style/>a</mglyph></mi></math>`, words: "a"},

	{name: "NUL in text", html: "<p>a\x00b &am\x00p; c", words: "ab amp c"},
	{name: "NUL in raw text", html: "<textarea>a\x00b</textarea><svg>c\x00d</svg>", words: "a b c d"},
	{name: "NUL in names", html: "<a\x00 href=no><a href\x00=no><p\x00>a", words: "a"},
	{name: "NUL in a value", html: "<a href='a\x00b'>", links: "/a%EF%BF%BDb"},
	{name: "invalid UTF-8", html: "é a\xffb\xc3 \xe2\x82 c", words: "é a b c"},
	{name: "invalid UTF-8 in a value", html: "é<a href='a\xffb\xe2\x82'>", links: "/a%EF%BF%BDb%EF%BF%BD", words: "é"},

	{name: "word length", html: strings.Repeat("a", 64) + " " + strings.Repeat("b", 65) + " c", words: strings.Repeat("a", 64) + " c"},
	{name: "word length in runes", html: strings.Repeat("é", 64) + " " + strings.Repeat("é", 65), words: strings.Repeat("é", 64)},
	{name: "words and marks", html: "e&#x301;a don't x_y 3.14 ½ Ⅷ A\u200dB", words: "e\u0301a don t x y 3 14 a b"},
	{name: "words and references", html: "caf&eacute; a&nbsp;b &lt;c&gt; &fjlig; &bne; d&shy;e", words: "café a b c fj \u20e5 d e"},
	{name: "references that begin with no letter", html: "x&bne;y zz&bne;", words: "x \u20e5y zz \u20e5"},
	{name: "markup ends words", html: "a<b>b</b>c<!---->d", words: "a b c d"},

	{name: "CDATA joins nothing", html: "<svg>a<![CDATA[b]]>c", words: "a b c",
		differs: "tree: CDATA sections join the text around them"},
	{name: "ignored tags end words", html: "<p>a</i>b<body>c</unknown>d", words: "a b c d",
		differs: "tree: what it ignores joins words"},
	{name: "formatting is not repeated", html: "<p><a href=1>a<p>b</a>", links: "/1", words: "a b",
		differs: "tree: open formatting elements are opened again"},
	{name: "order of the document", html: "<table><tr><td>a</td></tr>b</table>", words: "a b",
		differs: "tree: text in a table moves in front of it"},
	{name: "links anywhere", html: "<frameset><frame src=1></frameset><a href=2>a</a>", links: "/1 /2", words: "a",
		differs: "tree: nothing but frames in a frameset document"},
	{name: "frame without frameset", html: "<p><frame src=1>", links: "/1",
		differs: "tree: frames only in a frameset"},
	{name: "noscript ends in vain", html: `<p>a</noscript>b`, words: "a b",
		differs: "tree: what it ignores joins words"},
	{name: "noscript nested", html: `<p>a<noscript>b<noscript>c</noscript>d</noscript>e`, words: "a d e",
		differs: "tree: one may stand in the other"},
	{name: "noscript ends what is open in it", html: `<p>a<noscript><div>b</noscript>c`, words: "a c",
		differs: "tree: its end tag is ignored where a block is open in it"},
	{name: "noscript is not ended by other tags", html: `<div>a<noscript>b</div>c<p></noscript>d`, words: "a d",
		differs: "tree: it ends with the block around it"},
	{name: "noscript with a paragraph in one", html: `<p>a<noscript><p>b</p></noscript>c`, words: "a c",
		differs: "tree: a <p> ends the one around it, and all in that"},
	{name: "noscript in a link", html: `<a href=1>a<noscript><a href=2>b</a></noscript>c</a>`, links: "/1 /2", words: "a c",
		differs: "tree: a link ends the one before, which is opened again in the noscript"},
	{name: "noscript in the head with text", html: `<head><noscript>a <a href=1>b</a></noscript><title>c</title>`, links: "/1", words: "c",
		differs: "tree: what cannot be in the head ends it, and the noscript"},
	{name: "noscript in the head with an image", html: `<head><noscript><link rel=next href=1><img src=x>a</noscript><link rel=next href=2></head>b`, links: "/1 /2", words: "b",
		differs: "tree: what cannot be in the head ends it, and the noscript"},
	{name: "noscript in the head, unclosed", html: `<head><noscript><link rel=next href=1></head><body>a<a href=2>b`, links: "/1 /2",
		differs: "tree: what cannot be in the head ends it, and the noscript"},
	{name: "noscript in a table", html: `<table><tr><td><a href=1>a</a></td></tr><noscript><a href=2>b</a></noscript></table>`, links: "/1 /2", words: "a",
		differs: "tree: it moves in front of the table"},
	{name: "script escaped, less", html: `<script><!-- < <script> </script> a --></script>b`, words: "b",
		differs: "library: leaves the escaped state at \"< \""},
	{name: "template in foreign content", html: `<svg><desc><template>a</template>b</desc></svg>c`, words: "b c",
		differs: "library: ignores the rest of the document"},
	{name: "references in CDATA", html: `<svg><![CDATA[a&eacute;b]]>`, words: "a eacute b",
		differs: "library: decodes references there"},
}

func (c construct) wantLinks() []string {
	var want []string
	for _, l := range strings.Fields(c.links) {
		nofollow := l[0] == '!'
		want = append(want, fmt.Sprint(nofollow, " http://h.example", strings.TrimPrefix(l, "!")))
	}
	return want
}

func withoutKind(links []string) []string {
	var out []string
	for _, l := range links {
		_, rest, _ := strings.Cut(l, " ")
		out = append(out, rest)
	}
	return out
}

func TestConstructs(t *testing.T) {
	base := mustURL(t, "http://h.example/")
	var words []string
	p := New(Options{OnWord: func(w []byte) { words = append(words, string(w)) }})
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			words = nil
			page := new(Page)
			const header = "text/html; charset=utf-8"
			if err := p.Parse(Input{URL: base, ContentType: header, Body: []byte(c.html)}, page); err != nil {
				t.Fatal(err)
			}
			words = words[len(words)-len(page.Words):]
			if d := firstDiff(withoutKind(linkStrings(page.Links)), c.wantLinks()); d != "" {
				t.Errorf("%q: links %s", c.html, d)
			}
			if d := firstDiff(words, strings.Fields(c.words)); d != "" {
				t.Errorf("%q: words %s", c.html, d)
			}
			if c.html == "" {
				return // goquery wants something to read
			}
			ref, err := referenceOf(t, base, header, []byte(c.html))
			if err != nil {
				t.Fatal(err)
			}
			same := slices.Equal(linkStrings(page.Links), ref.links) && slices.Equal(words, ref.words)
			if same != (c.differs == "") {
				t.Errorf("%q: goquery: links %q words %q; said to differ: %q", c.html, ref.links, ref.words, c.differs)
			}
		})
	}
}

func TestLinkKinds(t *testing.T) {
	page := parsePage(t, Options{}, "text/html", `<a href=/a><map><area href=/b></map><iframe src=/c></iframe>`+
		`<link rel=canonical href=/d><link rel=next href=/e><link rel=prev href=/f><link rel=previous href=/g><link rel=alternate href=/h>`+
		`<meta http-equiv=refresh content="0;url=/i">`)
	want := []LinkKind{Anchor, Area, Frame, Canonical, Next, Prev, Prev, Alternate, Refresh}
	for i, l := range page.Links {
		if l.Kind != want[i] || l.URL.Path() != "/"+string(rune('a'+i)) {
			t.Errorf("link %d: %v", i, l)
		}
	}
	if len(page.Links) != len(want) {
		t.Errorf("%d links, want %d", len(page.Links), len(want))
	}
	if page.Canonical.Path() != "/d" {
		t.Errorf("canonical %v", page.Canonical)
	}
}

// parsePage parses a body found at http://h.example/p/q.html.
func parsePage(t testing.TB, opt Options, contentType, body string) *Page {
	t.Helper()
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/p/q.html"), ContentType: contentType, Body: []byte(body)}
	if err := New(opt).Parse(in, page); err != nil {
		t.Fatal(err)
	}
	return page
}

func paths(links []Link) string {
	var out []string
	for _, l := range links {
		out = append(out, l.URL.RequestURI())
	}
	return strings.Join(out, " ")
}

func TestAssets(t *testing.T) {
	const body = `<a href=/page><img src=/1 srcset="/2 2x, /3 300w (a, b),/4,, /5"><script src=/6></script>` +
		`<link rel=stylesheet href=/7><link rel="shortcut icon" href=/8><link rel="preload" href=/9><source src=/10 srcset="/11">` +
		`<video src=/12 poster=/13><track src=/14></video><audio src=/15></audio><embed src=/16><object data=/17></object>` +
		`<input type=IMAGE src=/18><input type=text src=/no><image src=/19><svg><image href=/20 /><image xlink:href=/21 /></svg>` +
		`<link rel=dns-prefetch href=/no><img alt=no>`
	page := parsePage(t, Options{Assets: true}, "text/html", body)
	if got, want := paths(page.Links), "/page /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15 /16 /17 /18 /19 /20 /21"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, l := range page.Links[1:] {
		if l.Kind != Asset {
			t.Errorf("%v", l)
		}
	}
	if page := parsePage(t, Options{}, "text/html", body); paths(page.Links) != "/page" {
		t.Errorf("without assets: %s", paths(page.Links))
	}
}

func TestRefresh(t *testing.T) {
	for content, want := range map[string]string{
		"5; url=/x":                "/x",
		"0;URL='/x y'z":            "/x%20y",
		"0;url=\"/x":               "/x",
		" 3 , /x":                  "/x",
		"3 /x":                     "/x",
		"3.5;url = /x":             "/x",
		".5;url=/x":                "/x",
		"0;url=/x?a=1&b=2":         "/x?a=1&b=2",
		"0; '/x'":                  "/x",
		"0;urlx":                   "/p/urlx",
		"0;url":                    "/p/url",
		"0;url=":                   "/p/q.html",
		"5":                        "",
		"5;":                       "",
		"5; ":                      "",
		"url=/x":                   "",
		"x;url=/x":                 "",
		"5x;url=/x":                "",
		"":                         "",
		"0;url=javascript:x":       "",
		"0;url=http://h.example/z": "/z",
	} {
		page := parsePage(t, Options{}, "text/html", `<meta http-equiv=Refresh content='`+strings.ReplaceAll(content, "'", "&apos;")+`'>`)
		if got := paths(page.Links); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	long := strings.Repeat("é ", MaxTitleRunes)
	for body, want := range map[string]string{
		"<title>a</title><title>b</title>":                         "a",
		"<title> \n a  b&nbsp;\tc </title>":                        "a b c",
		"<title>a &amp; <b>é</b></title>":                          "a & <b>é</b>",
		"<title></title><title>b</title>":                          "",
		"<body><p>x<title>late</title>":                            "late",
		"<svg><title>icon</title></svg><title>page</title>":        "page",
		"<noscript><title>x</title></noscript><title>page</title>": "page",
		"<template><title>x</title></template><title>page</title>": "page",
		"<title>a\x00b\x1b[31m\u202ec\u0085d":                      "a\ufffdb [31m c d",
		"é<title>bad \xff":                                         "bad \ufffd",
		"<title>" + long:                                           strings.TrimSpace(long[:len("é ")*MaxTitleRunes/2]),
		"no title":                                                 "",
	} {
		if got := parsePage(t, Options{}, "text/html; charset=utf-8", body).Title; got != want {
			t.Errorf("%.40q: %q, want %q", body, got, want)
		}
	}
	if got := parsePage(t, Options{}, "text/html", "<title>"+strings.Repeat("x&amp;", 1<<17)).Title; len(got) > MaxTitleRunes {
		t.Errorf("a title of %d bytes", len(got))
	}
}

func TestLang(t *testing.T) {
	for body, want := range map[string]string{
		`<html lang=en-GB>`:                                                        "en-GB",
		`<html LANG=" de ">`:                                                       "de",
		`<html xml:lang=fr>`:                                                       "fr",
		`<html lang=en xml:lang=fr>`:                                               "en",
		`<html><p><html lang=en>`:                                                  "en",
		`<html lang=en><html lang=de>`:                                             "en",
		`<p lang=en>`:                                                              "",
		`<html lang="&#27;[31m">`:                                                  "",
		`<html lang="` + strings.Repeat("x", 36) + `">`:                            "",
		`<meta http-equiv=Content-Language content="de-AT, en">`:                   "",
		`<meta http-equiv=Content-Language content=" de-AT en">`:                   "de-AT",
		`<html lang=en><meta http-equiv=Content-Language content="de">`:            "en",
		`<html lang=""><meta http-equiv=Content-Language content="de">`:            "de",
		`<meta http-equiv=Content-Language content="de"><a href=x><base href=/y/>`: "de",
	} {
		if got := parsePage(t, Options{}, "text/html", body).Lang; got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestMaxLinks(t *testing.T) {
	body := strings.Repeat("<a href=x>y</a>", 100)
	page := parsePage(t, Options{MaxLinks: 99}, "text/html", body)
	if len(page.Links) != 99 || !page.LinksCut || len(page.Words) != 100 {
		t.Errorf("%d links, cut %t, %d words", len(page.Links), page.LinksCut, len(page.Words))
	}
	page = parsePage(t, Options{MaxLinks: 100}, "text/html", body)
	if len(page.Links) != 100 || page.LinksCut {
		t.Errorf("%d links, cut %t", len(page.Links), page.LinksCut)
	}
	page = parsePage(t, Options{}, "text/html", strings.Repeat("<a href=x>", DefaultMaxLinks+1))
	if len(page.Links) != DefaultMaxLinks || !page.LinksCut {
		t.Errorf("%d links, cut %t", len(page.Links), page.LinksCut)
	}
}

func TestBadLinks(t *testing.T) {
	page := parsePage(t, Options{}, "text/html", `<a href="mailto:x"><a href="http://"><a href="/ok"><a href="javascript:;"><link rel=next href="ftp://x/">`)
	if page.BadLinks != 4 || len(page.Links) != 1 {
		t.Errorf("%d bad, %v", page.BadLinks, page.Links)
	}
}

func TestBase(t *testing.T) {
	page := parsePage(t, Options{}, "text/html", `<link rel=canonical href=c><a href=1>x</a><base href="//other.example/d/"><a href=2>`)
	if page.Base.String() != "http://other.example/d/" || page.Canonical.String() != "http://other.example/d/c" || len(page.Words) != 1 {
		t.Errorf("base %v, canonical %v, %d words", page.Base, page.Canonical, len(page.Words))
	}
	if page := parsePage(t, Options{}, "text/html", "<a href=1>"); page.Base.Path() != "/p/q.html" {
		t.Errorf("base %v", page.Base)
	}
}

// TestDeepNesting: depth costs nothing, and hides nothing.
func TestDeepNesting(t *testing.T) {
	for _, tag := range []string{"div", "b", "svg", "template", "noscript", "math", "table", "a"} {
		page := parsePage(t, Options{}, "text/html", strings.Repeat("<"+tag+">", 100_000)+"<a href=/deep>"+strings.Repeat("</"+tag+">", 100_000)+"word")
		if len(page.Links) != 1 || len(page.Words) != 1 {
			t.Errorf("%s: %d links, %d words", tag, len(page.Links), len(page.Words))
		}
	}
}

// TestParserForgets parses pages in turn that leave something open.
func TestParserForgets(t *testing.T) {
	p := New(Options{})
	bodies := []string{
		"<html lang=en><title>a</title><base href=/d/><meta name=robots content=none><template><svg><style>",
		"<a href=1>x</a>", "<svg><![CDATA[ x", "<svg><desc><noscript><template>", "<p>a<![CDATA[b]]>", "<a href=2><base href=/e/>", "<a href=1>x</a><a href=2>",
	}
	reused := new(Page)
	for _, body := range bodies {
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html", Body: []byte(body)}
		fresh := new(Page)
		if err := New(Options{}).Parse(in, fresh); err != nil {
			t.Fatal(err)
		}
		if err := p.Parse(in, reused); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", *reused), fmt.Sprintf("%+v", *fresh); got != want {
			t.Errorf("%q:\nreused %s\nfresh  %s", body, got, want)
		}
	}
}

// TestMemoryIsGivenBack: one huge page does not make all later ones expensive.
func TestMemoryIsGivenBack(t *testing.T) {
	p, page := New(Options{}), new(Page)
	for _, body := range []string{strings.Repeat("\xe9 <a href='&eacute;'>", 1<<18), "x"} {
		if err := p.Parse(Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html", Body: []byte(body)}, page); err != nil {
			t.Fatal(err)
		}
		if cap(p.dec.out) > maxKeptBytes || cap(p.value) > maxKeptBytes {
			t.Errorf("the parser keeps %d and %d bytes", cap(p.dec.out), cap(p.value))
		}
	}
	if cap(page.Words) > maxKeptWords || cap(page.Links) > maxKeptLinks || len(page.Words) != 1 {
		t.Errorf("the page keeps room for %d words and %d links", cap(page.Words), cap(page.Links))
	}
}

// TestAllocations: none for a word, at most one for a link, few for a page.
func TestAllocations(t *testing.T) {
	p, page := New(Options{}), new(Page)
	measure := func(body string) float64 {
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html", Body: []byte(body)}
		return testing.AllocsPerRun(10, func() {
			if err := p.Parse(in, page); err != nil {
				t.Fatal(err)
			}
		})
	}
	const n = 5000
	if got := measure("é" + strings.Repeat("word Wörter caf&eacute; <b>abcdefghijklmnop</b> ", n)); got > 4 {
		t.Errorf("%v allocations for words", got)
	}
	var links strings.Builder
	for i := range n {
		fmt.Fprintf(&links, "<a href='/dir/page-%d.html?x=1&amp;y=2' rel=nofollow>", i)
	}
	if got := measure(links.String()); got > n+4 {
		t.Errorf("%v allocations for %d links", got, n)
	}
}
