package parse

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"crawler/internal/bigsite"
	"crawler/weburl"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// maxBenchBytes bounds what a benchmark reads of a tree.
const maxBenchBytes = 8 << 20

// benchSet is what a benchmark reads in one round.
type benchSet struct {
	name  string
	pages [][]byte
}

// benchSets returns the committed page of a manual, which is mostly markup; a
// page of nothing but text; pages of the site that crawls are measured with; the
// small committed pages, with all that is odd; or instead an even sample of the
// trees named by the environment.
func benchSets(b *testing.B) []benchSet {
	b.Helper()
	if trees := os.Getenv(treeEnv); trees != "" {
		return []benchSet{{"trees", readPages(b, htmlFiles(b, filepath.SplitList(trees)))}}
	}
	small, err := filepath.Glob("testdata/pages/*.html")
	if err != nil {
		b.Fatal(err)
	}
	manual := readPages(b, []string{"testdata/manual.html"})
	return []benchSet{{"manual", manual}, {"text", [][]byte{textPage(b, manual[0])}}, {"site", sitePages(b)}, {"small", readPages(b, small)}}
}

func readPages(b *testing.B, paths []string) (pages [][]byte) {
	b.Helper()
	step, size := max(len(paths)/400, 1), 0
	for i := 0; i < len(paths) && size < maxBenchBytes; i += step {
		body, err := os.ReadFile(paths[i])
		if err != nil {
			b.Fatal(err)
		}
		size += len(body)
		pages = append(pages, body)
	}
	return pages
}

// textPage makes a page of 2,000 of another page's words, fourteen a paragraph.
func textPage(b *testing.B, of []byte) []byte {
	b.Helper()
	page := []byte("<!DOCTYPE html><title>Text</title>")
	n := 0
	p := New(Options{OnWord: func(w []byte) {
		if n++; n > 2000 {
			return
		}
		if n%14 == 1 {
			page = append(page, ".</p>\n<p>"...)
		}
		page = append(append(page, w...), ' ')
	}})
	if err := p.Parse(Input{ContentType: "text/html", Body: of}, new(Page)); err != nil {
		b.Fatal(err)
	}
	return page
}

// sitePages makes fifty pages of 12 KiB on average: inline markup, references,
// a few letters beyond ASCII.
func sitePages(b *testing.B) (pages [][]byte) {
	b.Helper()
	site, err := bigsite.New(bigsite.Config{Pages: 10_000, Docs: 12 << 10, Links: 16})
	if err != nil {
		b.Fatal(err)
	}
	for path := range site.All() {
		answer := httptest.NewRecorder()
		site.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		if pages = append(pages, answer.Body.Bytes()); len(pages) == 50 {
			break
		}
	}
	return pages
}

func htmlFiles(tb testing.TB, dirs []string) (paths []string) {
	tb.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && filepath.Ext(path) == ".html" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return paths
}

func mustURL(tb testing.TB, s string) weburl.URL {
	tb.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// benchBase is where the benchmarks' pages were found.
const benchBase = "http://docs.example/manual/15/a/b.html"

// run times a way of reading pages, which returns how many links and words it
// found in one.
func run(b *testing.B, read func(body []byte) (links, words int)) {
	for _, set := range benchSets(b) {
		size := 0
		for _, body := range set.pages {
			size += len(body)
		}
		b.Run(set.name, func(b *testing.B) {
			links, words := 0, 0
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				links, words = 0, 0
				for _, body := range set.pages {
					l, w := read(body)
					links += l
					words += w
				}
			}
			b.ReportMetric(float64(links), "links/op")
			b.ReportMetric(float64(words), "words/op")
		})
	}
}

// BenchmarkPage is the parser: links and words in one pass.
func BenchmarkPage(b *testing.B) { benchmarkPage(b, Options{}) }

// BenchmarkPageAnchors keeps the links' texts, too.
func BenchmarkPageAnchors(b *testing.B) { benchmarkPage(b, Options{Anchors: true}) }

func benchmarkPage(b *testing.B, opt Options) {
	p, page := New(opt), new(Page)
	in := Input{URL: mustURL(b, benchBase), ContentType: "text/html"}
	run(b, func(body []byte) (int, int) {
		in.Body = body
		if err := p.Parse(in, page); err != nil {
			b.Fatal(err)
		}
		return len(page.Links), len(page.Words)
	})
}

// BenchmarkTokenizer does the same with x/net/html's tokenizer, with the same
// resolver and the same hash function.
func BenchmarkTokenizer(b *testing.B) {
	t := rival{res: weburl.NewResolver(weburl.Options{})}
	t.res.SetBase(mustURL(b, benchBase))
	run(b, func(body []byte) (int, int) {
		t.links, t.words = t.links[:0], t.words[:0]
		t.tokens(body)
		return len(t.links), len(t.words)
	})
}

// BenchmarkGoquery does the same with goquery.
func BenchmarkGoquery(b *testing.B) {
	t := rival{res: weburl.NewResolver(weburl.Options{})}
	t.res.SetBase(mustURL(b, benchBase))
	run(b, func(body []byte) (int, int) {
		t.links, t.words = t.links[:0], t.words[:0]
		root, err := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
		if err != nil {
			b.Fatal(err)
		}
		t.document(goquery.NewDocumentFromNode(root))
		return len(t.links), len(t.words)
	})
}

// rival reads pages by other means.
type rival struct {
	res   *weburl.Resolver
	links []Link
	words []uint64
	word  []byte
}

func (t *rival) link(href []byte) {
	if u, err := t.res.Resolve(href); err == nil {
		t.links = append(t.links, Link{URL: u})
	}
}

// text hashes the words of a text.
func (t *rival) text(s string) {
	word := t.word[:0]
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			word = appendRune(word, unicode.ToLower(r))
			continue
		}
		if len(word) > 0 {
			t.words = append(t.words, HashWord(word))
		}
		word = word[:0]
	}
	if len(word) > 0 {
		t.words = append(t.words, HashWord(word))
	}
	t.word = word
}

func (t *rival) tokens(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	hidden, noscript := false, false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			if !hidden && !noscript {
				t.text(string(z.Text()))
			}
			hidden = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "a", "area", "link":
				t.attrs(z, more, string(name) == "link")
			case "script", "style":
				hidden = true
			case "noscript":
				noscript = true
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "noscript" {
				noscript = false
			}
		}
	}
}

func (t *rival) attrs(z *html.Tokenizer, more, link bool) {
	var href []byte
	wanted := !link
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href":
			href = value
		case "rel":
			wanted = wanted || string(value) == "next" || string(value) == "prev" || string(value) == "canonical"
		}
	}
	if href != nil && wanted {
		t.link(href)
	}
}

func (t *rival) document(doc *goquery.Document) {
	doc.Find("a[href], area[href], link[rel=next], link[rel=prev], link[rel=canonical]").Each(func(_ int, s *goquery.Selection) {
		href, _ := s.Attr("href")
		t.link([]byte(href))
	})
	doc.Find("script, style, template, noscript").Remove()
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			t.text(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc.Nodes[0])
}

// BenchmarkWords reads plain text, in several scripts.
func BenchmarkWords(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"English", "The queue of a host is asked again when its clock says so. "},
		{"German", "Größere Übergänge führen über mehrere Stationen zurück. "},
		{"Russian", "Очередь каждого узла проверяется снова, когда наступает срок. "},
		{"Hindi", "प्रत्येक पृष्ठ को एक बार पढ़ा जाता है और फिर भुला दिया जाता है। "},
		{"Chinese", "每个网页只读取一次，然后被记录下来。"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, page := New(Options{}), new(Page)
			in := Input{ContentType: "text/plain; charset=utf-8", Body: []byte(strings.Repeat(c.text, 500))}
			b.SetBytes(int64(len(in.Body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Parse(in, page); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(page.Words)), "ns/word")
		})
	}
}
