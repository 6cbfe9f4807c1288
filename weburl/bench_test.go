package weburl

import (
	"net/url"
	"testing"
)

// What a crawler does most: all links of a page, one after the other. One
// operation is one link of testdata/links.txt.
func BenchmarkResolverLinks(b *testing.B) {
	pages := readPages(b)
	r := NewResolver(Options{})
	b.ReportAllocs()
	for page, link := 0, 0; b.Loop(); link++ {
		if link == len(pages[page].refs) {
			page, link = (page+1)%len(pages), 0
		}
		if link == 0 {
			r.SetBase(pages[page].base)
		}
		r.Resolve(pages[page].refs[link])
	}
}

// The same links by net/url, for the ratio: it resolves, but neither
// canonicalises nor follows browsers.
func BenchmarkNetURLLinks(b *testing.B) {
	pages := readPages(b)
	b.ReportAllocs()
	var base *url.URL
	for page, link := 0, 0; b.Loop(); link++ {
		if link == len(pages[page].refs) {
			page, link = (page+1)%len(pages), 0
		}
		if link == 0 {
			base, _ = url.Parse(pages[page].base.String())
		}
		if u, err := base.Parse(string(pages[page].refs[link])); err == nil {
			_ = u.String()
		}
	}
}

func BenchmarkResolver(b *testing.B) {
	for _, bb := range []struct{ name, ref string }{
		{"sibling", "sql-createtable.html"},
		{"parent", "../html/sql-createtable.html#PARAMETERS"},
		{"root", "/docs/15/sql-createtable.html"},
		{"query", "?page=3&sort=price"},
		{"fragment", "#PARAMETERS"},
		{"absolute", "https://wiki.test/wiki/Uniform_Resource_Identifier"},
		{"other host", "//cdn.shop.test/js/app.min.js?v=3"},
		{"to encode", "create table.html"},
		{"refused", "javascript:void(0)"},
		{"IDNA", "http://bücher.test/"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := NewResolver(Options{})
			r.SetBase(mustParse(b, "http://localhost:8080/postgresql/html/sql-select.html"))
			ref := []byte(bb.ref)
			b.ReportAllocs()
			for b.Loop() {
				r.Resolve(ref)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bb := range []struct{ name, raw string }{
		{"canonical", "http://localhost:8080/postgresql/html/sql-select.html"},
		{"canonical, long", "https://www.shop.test/de/books/fiction/the-trial-9780805209990.html?ref=list&page=2&sort=price&q=%C3%BCber"},
		{"to change", "HTTP://localhost:8080/postgresql/html/../html/sql-select.html"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(bb.raw)
			}
		})
	}
}

func BenchmarkURLResolve(b *testing.B) {
	base := mustParse(b, "http://localhost:8080/postgresql/html/sql-select.html")
	b.ReportAllocs()
	for b.Loop() {
		base.Resolve("sql-createtable.html#PARAMETERS")
	}
}

func BenchmarkSegments(b *testing.B) {
	u := mustParse(b, "http://localhost:8080/postgresql/html/sql-select.html?x")
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for s := range u.Segments {
			n += len(s)
		}
	}
}
