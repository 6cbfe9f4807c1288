package parse

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// anchorCases are pages and what Anchor says of their links, as text|rel. The comparison
// with goquery reads them, too, but for those that differ.
var anchorCases = []struct {
	name, html string
	want       []string
	differs    string // why goquery's tree says otherwise, as docs/parse.md does
}{
	{name: "text", html: "<a href=1>a</a> b <a href=2>c d</a>", want: []string{"a|", "c d|"}},
	{name: "white space", html: "<a href=1> a \n\t b&nbsp;&nbsp;c\u3000d </a>", want: []string{"a b c\u3000d|"}},
	{name: "nested tags", html: "<a href=1><b>a</b>b <i>c</i> <u>d</u></a>", want: []string{"ab c d|"}},
	{name: "blocks and line breaks", html: "<a href=1><h3>a</h3><p>b<br>c</p><DIV>d</DIV>e</a>", want: []string{"a b c d e|"}},
	{name: "long names of blocks", html: "<a href=1>a<blockquote>b</blockquote>c</a>", want: []string{"a b c|"}},
	{name: "references", html: "<a href=1>caf&eacute; &lt;b&gt; &amp;amp; &bne; &#x41;&nosuch;</a>", want: []string{"café <b> &amp; =\u20e5 A&nosuch;|"}},
	{name: "controls", html: "<a href=1>a\x1b[2J&#7;b\u202ec</a>", want: []string{"a [2J b c|"}},
	{name: "NUL", html: "<a href=1>a\x00b<svg>c\x00d</svg></a>", want: []string{"abc\ufffdd|"}},
	{name: "image", html: "<a href=1><img src=x alt='a &amp; b'></a><a href=2>c<img alt=' d '>e<img>f<img alt></a>", want: []string{"a & b|", "c d e f|"}},
	{name: "image outside", html: "<a href=1>a</a><img alt=b><a href=2></a>", want: []string{"a|", "|"}},
	{name: "hidden", html: "<a href=1>a<script>b</script><style>c</style><noscript>d</noscript><template>e<img alt=f></template>g</a>", want: []string{"ag|"}},
	{name: "in a noscript", html: "<noscript><a href=1>a<img alt=b><textarea>c</textarea></a>d</noscript>e", want: []string{"a b c|"}},
	{name: "end tag and image in a noscript", html: "<a href=1>a<noscript><img alt=b></noscript>c</a>d", want: []string{"ac|"}},
	{name: "link hidden in a link", html: "<a href=1>a<svg><style><a href=2>b</a></style></svg>c</a>", want: []string{"ac|", "|"}},
	{name: "comment", html: "<a href=1>a<!-- </a> -->b</a>c", want: []string{"ab|"}},
	{name: "raw text", html: "<a href=1><textarea>&lt;</a></textarea></a>", want: []string{"<</a>|"}},
	{name: "SVG", html: "<a href=1><svg><title>a</title><path/></svg>b</a><svg><a xlink:href=2><text>c</text></a>d</svg>", want: []string{"ab|", "c|"}},
	{name: "SVG link closed by itself", html: "<svg><a href=1 /><text>a</text></svg>", want: []string{"|"}},
	{name: "SVG ends", html: "<svg><a href=1>a</svg>b", want: []string{"a|"}},
	{name: "CDATA", html: "<svg><a href=1><g><![CDATA[<a & b>]]></g></a></svg>", want: []string{"<a & b>|"}},
	{name: "in a template", html: "<template><a href=1>a<img alt=b><textarea>c</textarea></a>d</template>e", want: []string{"a b c|"}},
	{name: "template ends", html: "<template><a href=1>a</template>b", want: []string{"a|"}},
	{name: "end tag in a template", html: "<a href=1>a<template></a></template>b</a>c", want: []string{"ab|"}},
	{name: "nested: the second ends the first", html: "<a href=1>a<a href=2>b</a>c</a>d", want: []string{"a|", "b|"}},
	{name: "one that is no link ends it", html: "<a href=1>a<a name=x>b</a>c</a><a href=2>d<a href=mailto:x>e</a>", want: []string{"a|", "d|"}},
	{name: "unclosed", html: "<p><a href=1>a <b>b</b>", want: []string{"a b|"}},
	{name: "cut off", html: "<a href=1>a <b", want: []string{"a|"}},
	{name: "end tag in vain", html: "<a href=1>a</i></span>b</A x=y>c", want: []string{"ab|"}},
	{name: "area", html: "<map><area href=1 alt=' a&amp;b\n' rel=ugc><area href=2></map>", want: []string{"a&b|ugc", "|"}},
	{name: "area inside", html: "<a href=1>a<area href=2 alt=b>c</a>", want: []string{"ac|", "b|"}},
	{name: "other links have none", html: "<link rel=next href=1><iframe src=2>a</iframe>", want: []string{"|", "|"}},
	{name: "rel", html: "<a href=1 rel='NoFollow  UGC\nsponsored'>a</a><a href=2 rel=no&amp;opener></a><a href=3 rel></a>",
		want: []string{"a|nofollow ugc sponsored", "|no&opener", "|"}},
	{name: "long rel", html: "<a href=1 rel='a " + strings.Repeat("b", 62) + " c'></a><a href=2 rel='" + strings.Repeat("d", 65) + "'></a>",
		want: []string{"|a " + strings.Repeat("b", 62), "|"}},
	{name: "long text", html: "<a href=1>" + strings.Repeat("a", 255) + " b</a><a href=2>" + strings.Repeat("a", 255) + "é b</a><a href=3>" + strings.Repeat("é", 128) + "b</a>",
		want: []string{strings.Repeat("a", 255) + "|", strings.Repeat("a", 255) + "|", strings.Repeat("é", 128) + "|"}},
	{name: "base behind links", html: "<a href=1 rel=x>a</a><base href=/d/><a href=2>b</a>", want: []string{"a|x", "b|"}},

	{name: "left open around a block", html: "<p><a href=1>a<p>b", want: []string{"a b|"}, differs: "tree: open links are opened again"},
	{name: "left open in a cell", html: "<table><tr><td><a href=1>a</td><td>b", want: []string{"a b|"}, differs: "tree: ends with the cell"},
	{name: "SVG link in a link", html: "<a href=1>a<svg><a href=2>b</a></svg>c</a>", want: []string{"a|", "b|"}, differs: "tree: SVG's are nested"},
	{name: "link in a noscript in a link", html: "<a href=1>a<noscript></a><a href=2 rel=ugc>b</a></noscript>c</a>", want: []string{"ac|", "|ugc"}, differs: "tree: a link ends the one before"},
	{name: "left open in a noscript", html: "<noscript><a href=1>a</noscript>b", want: []string{"a|"}, differs: "tree: open links are opened again"},
	{name: "block tag in vain", html: "<a href=1>a</div>b</a>", want: []string{"a b|"}, differs: "tree: what it ignores joins words"},
}

// anchorStrings is what Anchor says of each link.
func anchorStrings(page *Page) (out []string) {
	for i := range page.Links {
		text, rel := page.Anchor(&page.Links[i])
		out = append(out, text+"|"+rel)
	}
	return out
}

func TestAnchors(t *testing.T) {
	base := mustURL(t, "http://h.example/")
	p, page := New(Options{Anchors: true}), new(Page)
	for _, c := range anchorCases {
		t.Run(c.name, func(t *testing.T) {
			for _, tail := range []string{"", " " + string(farFromEnd)} {
				in := Input{URL: base, ContentType: "text/html; charset=utf-8", Body: []byte(c.html + tail)}
				if err := p.Parse(in, page); err != nil {
					t.Fatal(err)
				}
				if got := anchorStrings(page); !reflect.DeepEqual(got, c.want) {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
			ref, err := referenceOf(t, base, "text/html; charset=utf-8", []byte(c.html))
			if err != nil {
				t.Fatal(err)
			}
			if same := reflect.DeepEqual(ref.anchors, c.want); same != (c.differs == "") {
				t.Errorf("goquery: %q", ref.anchors)
			}
		})
	}
}

// XHTML has its own rules for what closes itself, for CDATA sections and for script.
func TestAnchorsXHTML(t *testing.T) {
	body := `<html xmlns="http://www.w3.org/1999/xhtml"><a href="1" rel="UGC"/>a<a href="2">b<br/>c<![CDATA[<d>]]> ` +
		`<img alt="e"/><script>f</script><noscript>f</noscript></a>g` +
		`<template><a href="3">h</template>i</html>`
	p, page := New(Options{Anchors: true}), new(Page)
	if err := p.Parse(Input{URL: mustURL(t, "http://h.example/"), ContentType: "application/xhtml+xml", Body: []byte(body)}, page); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%q", anchorStrings(page)), `["|ugc" "b c<d> e|" "h|"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The text is in UTF-8 whatever the page was in.
func TestAnchorsCharset(t *testing.T) {
	p, page := New(Options{Anchors: true}), new(Page)
	for _, c := range []struct{ charset, body, want string }{
		{"iso-8859-1", "<a href=/>caf\xe9</a>", "café|"},
		{"koi8-r", "<a href=/>\xc4\xc1</a>", "да|"},
		{"shift_jis", "<a href=/><img alt='\x93\xfa'></a>", "日|"},
		{"utf-8", "<a href=/>\xffa\xe2\x82</a>", "\ufffda\ufffd\ufffd|"},
	} {
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html; charset=" + c.charset, Body: []byte(c.body)}
		if err := p.Parse(in, page); err != nil {
			t.Fatal(err)
		}
		if got := anchorStrings(page); !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, want %q", c.charset, got, c.want)
		}
	}
}

// Links beyond MaxLinks have no text, and a text that nothing ends is cut.
func TestAnchorsLimits(t *testing.T) {
	in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html",
		Body: []byte("<a href=1>a<a href=2>b</a><a href=3>c" + strings.Repeat(" word", 1000))}
	for n, want := range map[int][]string{2: {"a|", "b|"}, 3: {"a|", "b|", "c" + strings.Repeat(" word", 51) + "|"}} {
		page := new(Page)
		if err := New(Options{Anchors: true, MaxLinks: n}).Parse(in, page); err != nil {
			t.Fatal(err)
		}
		if got := anchorStrings(page); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// sameButAnchors reports whether two pages differ at most in what Anchor says.
func sameButAnchors(a, b Page) bool {
	return reflect.DeepEqual(withoutNotes(a), withoutNotes(b))
}

func withoutNotes(p Page) Page {
	p.notes, p.Links = "", slices.Clone(p.Links)
	for i := range p.Links {
		p.Links[i].note = 0
	}
	return p
}

// Links and words are the same with anchors and without.
func TestAnchorsChangeNothing(t *testing.T) {
	first := rand.Uint64()
	t.Logf("seeds from %d", first)
	with, without := New(Options{Anchors: true, Assets: true}), New(Options{Assets: true})
	for i := range uint64(300) {
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: []string{"text/html", "application/xhtml+xml"}[i%2], Body: randomPage(first+i, 8)}
		var got, want Page
		if err := errors.Join(with.Parse(in, &got), without.Parse(in, &want)); err != nil {
			t.Fatal(err)
		}
		if !sameButAnchors(got, want) || want.notes != "" {
			t.Fatalf("seed %d, %q:\n got %+v\nwant %+v", first+i, in.Body, got, want)
		}
	}
}

// A page read again and again with room for its links costs one allocation for all of
// their texts.
func TestAnchorsAllocate(t *testing.T) {
	in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html; charset=utf-8",
		Body: []byte(strings.Repeat("<a href=/ rel=ugc>text &amp; <img alt='caf&eacute;'></a><map><area href=/ alt=b></map>", 100))}
	allocs := func(anchors bool) float64 {
		p, page := New(Options{Anchors: anchors}), new(Page)
		return testing.AllocsPerRun(10, func() {
			if err := p.Parse(in, page); err != nil {
				t.Fatal(err)
			}
		})
	}
	if off, on := allocs(false), allocs(true); on > off+1 {
		t.Errorf("%v allocations with anchors, %v without", on, off)
	}
}
