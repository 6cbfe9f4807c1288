package parse

import "testing"

// A page's pictures are those of its <img>s, in any sequence; addresses with a query, which may be
// new with each answer, and data are none.
func TestPictures(t *testing.T) {
	pictures := func(html string) uint64 {
		page := &Page{}
		in := Input{URL: mustURL(t, "http://a.test/"), ContentType: "text/html", Body: []byte("<p>text</p>" + html)}
		if err := New(Options{}).Parse(in, page); err != nil {
			t.Fatal(err)
		}
		return page.Pictures
	}
	one, other := pictures(`<img src="/1.jpg">`), pictures(`<img alt=x src=/2.jpg>`)
	if one == 0 || other == 0 || one == other {
		t.Errorf("one picture is %x, another one %x", one, other)
	}
	if got := pictures(`<img src=/2.jpg><p><img src='/1.jpg'/>`); got != one+other {
		t.Errorf("both are %x, want %x", got, one+other)
	}
	for _, html := range []string{``, `<img>`, `<img src="">`, `<img src="/count?visit=17">`, `<img src="data:image/gif;base64,R0lGOD">`, `<!-- <img src=/1.jpg> -->`, `<script src=/1.js></script>`} {
		if got := pictures(html); got != 0 {
			t.Errorf("%s: %x", html, got)
		}
	}
}
