package parse

import (
	"slices"
	"strings"
	"testing"
)

func TestLinkText(t *testing.T) {
	many := strings.Repeat("word ", maxLinkWords)
	for _, tt := range []struct {
		name, html string
		want       []int32
	}{
		{"one", `a <a href="/x">b c</a> d`, []int32{1, 3}},
		{"two", `<a href=/x>a</a><a href=/y>b</a>`, []int32{0, 1, 1, 2}},
		{"the same twice", `<a href=/x>a</a> b <a href=/x>c</a>`, []int32{0, 1, 2, 3}},
		{"elsewhere", `<a href="http://other.example/">a</a>`, []int32{0, 1}},
		{"markup in it", `<a href=/x><b>a</b> <i>b</i></a> c`, []int32{0, 2}},
		{"no href", `<a name=x>a</a> b`, nil},
		{"an anchor in a link", `<a href=/x>a <a name=y>b</a> c</a>`, []int32{0, 1}},
		{"fragment", `<a href="#top">a</a>`, nil},
		{"fragment behind space", "<a href=' \n#top'>a</a>", nil},
		{"fragment as a reference", `<a href="&#35;top">a</a>`, nil},
		{"fragment of a page", `<a href="/x#top">a</a>`, []int32{0, 1}},
		{"a query as a reference", `<a href="&#63;x">a</a>`, []int32{0, 1}},
		{"empty", `<a href="">a</a>`, []int32{0, 1}},
		{"image", `a <a href=/x><img src=y></a> b`, nil},
		{"not closed", `a <a href=/x>b c`, []int32{1, 3}},
		{"not closed before another", `<a href=/x>a <p><a href=/y>b</a> c`, []int32{0, 1, 1, 2}},
		{"long", `<a href=/x>` + many + `</a>`, []int32{0, maxLinkWords}},
		{"too long", `<a href=/x>` + many + `word</a> <a href=/y>b</a>`, []int32{maxLinkWords + 1, maxLinkWords + 2}},
		{"ends in capitals", `<A HREF=/x>a</A> b`, []int32{0, 1}},
		{"end tag with space", "<a href=/x>a</a\n> b", []int32{0, 1}},
		{"end tag with attribute", `<a href=/x>a</a/b> c`, []int32{0, 1}},
		{"end tag of another name", `<a href=/x>a</abbr> b</a> c`, []int32{0, 2}},
		{"end tag of a name with a control character", "<a href=/x>a</a\x01> b</a> c", []int32{0, 2}},
		{"script in it", `<a href=/x>a <script>var b</script> c</a>`, []int32{0, 2}},
		{"behind a base", `<a href=/x>a</a><base href=/y/> <a href=z>b</a>`, []int32{0, 1, 1, 2}},
	} {
		page := new(Page)
		in := Input{URL: mustURL(t, "http://h.example/a"), ContentType: "text/html", Body: []byte(tt.html)}
		if err := New(Options{}).Parse(in, page); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(page.LinkText, tt.want) {
			t.Errorf("%s: texts at %d, want %d", tt.name, page.LinkText, tt.want)
		}
	}
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/a"), ContentType: "application/xhtml+xml"}
	in.Body = []byte(`<p>a <a href="/x">b</a> c <a href="/y"/> d</p>`)
	if err := New(Options{}).Parse(in, page); err != nil || !slices.Equal(page.LinkText, []int32{1, 2}) {
		t.Errorf("XHTML: %v, texts at %d", err, page.LinkText)
	}
	if page.Reset(); len(page.LinkText) != 0 {
		t.Errorf("after Reset texts at %d", page.LinkText)
	}
}
