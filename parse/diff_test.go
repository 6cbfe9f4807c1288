package parse

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"crawler/weburl"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// reference is what a page says according to the tree that goquery builds,
// written for clarity and without any of the parser's code.
type reference struct {
	links    []string // "kind nofollow URL"
	anchors  []string // of each link, as anchorStrings has them
	bad      int
	words    []string
	linkText []int32 // as Page.LinkText
	title    string
}

// referenceOf builds it. The document is decoded by x/net/html/charset.
func referenceOf(t testing.TB, base weburl.URL, contentType string, body []byte) (*reference, error) {
	t.Helper()
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return nil, err
	}
	root, err := html.ParseWithOptions(r, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	doc := goquery.NewDocumentFromNode(root)
	ref := new(reference)
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if u, err := base.Resolve(href); err == nil {
			base = u
		}
	}
	titles := doc.Find("title").NotSelection(doc.Find("noscript title"))
	ref.title = strings.Join(strings.Fields(titles.First().Text()), " ")
	ref.walk(doc.Nodes[0], base, false)
	return ref, nil
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func (ref *reference) walk(n *html.Node, base weburl.URL, hidden bool) {
	switch n.Type {
	case html.TextNode:
		if !hidden {
			ref.words = append(ref.words, splitWords(n.Data)...)
		}
	case html.ElementNode:
		ref.element(n, base)
		for len(ref.anchors) < len(ref.links) {
			ref.anchors = append(ref.anchors, anchorOf(n))
			n.Attr = append(n.Attr, html.Attribute{Key: "made"})
		}
		switch n.Data {
		case "script", "style", "template", "noscript":
			hidden = true
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		ref.walk(c, base, hidden)
	}
}

func (ref *reference) element(n *html.Node, base weburl.URL) {
	rel, _ := attr(n, "rel")
	tokens := strings.FieldsFunc(strings.ToLower(rel), func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) })
	add := func(key, kind string) {
		v, ok := attr(n, key)
		if !ok {
			return
		}
		u, err := base.Resolve(v)
		if err != nil {
			ref.bad++
			return
		}
		ref.links = append(ref.links, fmt.Sprint(kind, " ", slices.Contains(tokens, "nofollow"), " ", u))
	}
	switch n.Data {
	case "meta":
		pragma, _ := attr(n, "http-equiv")
		content, _ := attr(n, "content")
		if m := refreshPattern.FindStringSubmatch(content); m != nil && strings.EqualFold(pragma, "refresh") {
			n.Attr = []html.Attribute{{Key: "content", Val: strings.Join(m[1:], "")}}
			add("content", "refresh")
		}
	case "a":
		add("href", "anchor")
	case "area":
		if n.Namespace == "" {
			add("href", "area")
		}
	case "frame", "iframe":
		if n.Namespace == "" {
			add("src", "frame")
		}
	case "link":
		if n.Namespace != "" {
			return
		}
		switch {
		case slices.Contains(tokens, "canonical"):
			add("href", "canonical")
		case slices.Contains(tokens, "next"):
			add("href", "next")
		case slices.Contains(tokens, "prev"), slices.Contains(tokens, "previous"): // synonyms
			add("href", "prev")
		case slices.Contains(tokens, "alternate") && !slices.Contains(tokens, "stylesheet"):
			add("href", "alternate")
		}
	}
}

// refreshPattern finds the URL of a meta refresh: quoted either way, or bare.
var refreshPattern = regexp.MustCompile(`(?i)^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?:'([^']*)|"([^"]*)|([^'"].*))`)

// splitWords is the definition of a word, spelled out.
func splitWords(text string) []string {
	var words []string
	runs := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
	for _, run := range runs {
		if utf8.RuneCountInString(run) <= 64 {
			words = append(words, strings.Map(unicode.ToLower, run))
		}
	}
	return words
}

// linkStrings renders a page's links as the reference does.
func linkStrings(links []Link) []string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprint(l.Kind, " ", l.NoFollow, " ", l.URL))
	}
	return out
}

// firstDiff tells where two lists part.
func firstDiff(got, want []string) string {
	for i := 0; i < max(len(got), len(want)); i++ {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			lo := max(i-3, 0)
			return fmt.Sprintf("at %d of %d/%d:\n got %q\nwant %q", i, len(got), len(want),
				got[min(lo, len(got)):min(i+3, len(got))], want[min(lo, len(want)):min(i+3, len(want))])
		}
	}
	return ""
}

// treeEnv names directories with HTML trees to compare, separated like PATH.
const treeEnv = "CRAWLER_HTML_TREES"

func TestTreesAsGoquery(t *testing.T) {
	trees := os.Getenv(treeEnv)
	if trees == "" {
		t.Skip("set " + treeEnv + " to directories of HTML files")
	}
	for _, dir := range filepath.SplitList(trees) {
		c := newComparer(t)
		paths, differ := htmlFiles(t, []string{dir}), 0
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			if !c.compare("http://docs.example/"+filepath.ToSlash(rel), "text/html", body) {
				differ++
			}
		}
		t.Logf("%s: %d pages, %d differ, %d links, %d words", dir, len(paths), differ, c.links, c.words)
		if len(paths) == 0 {
			t.Errorf("%s: no pages", dir)
		}
	}
}

// comparer holds pages against the reference.
type comparer struct {
	t            *testing.T
	p            *Parser
	page         Page
	seen         []string
	links, words int
}

func newComparer(t *testing.T) *comparer {
	c := &comparer{t: t}
	c.p = New(Options{MaxLinks: 1 << 30, Anchors: true, OnWord: func(w []byte) { c.seen = append(c.seen, string(w)) }})
	return c
}

// compare reports, and tells the test, whether the two readings agree.
func (c *comparer) compare(url, contentType string, body []byte) bool {
	c.t.Helper()
	diff := c.diff(mustURL(c.t, url), contentType, body)
	for _, d := range diff {
		c.t.Errorf("%s: %s", url, d)
	}
	c.links += len(c.page.Links)
	c.words += len(c.page.Words)
	return len(diff) == 0
}

// diff lists where the two readings part.
func (c *comparer) diff(base weburl.URL, contentType string, body []byte) (diff []string) {
	ref, err := referenceOf(c.t, base, contentType, body)
	if err != nil {
		return []string{"reference: " + err.Error()}
	}
	c.seen = c.seen[:0]
	if err := c.p.Parse(Input{URL: base, ContentType: contentType, Body: body}, &c.page); err != nil {
		return []string{err.Error()}
	}
	// A base href behind links makes a second pass, whose words count.
	c.seen = c.seen[max(0, len(c.seen)-len(c.page.Words)):]
	if d := firstDiff(linkStrings(c.page.Links), ref.links); d != "" {
		diff = append(diff, "links "+d)
	}
	if d := firstDiff(anchorStrings(&c.page), ref.anchors); d != "" {
		diff = append(diff, "anchors "+d)
	}
	if d := firstDiff(c.seen, ref.words); d != "" {
		diff = append(diff, "words "+d)
	}
	for i, w := range c.seen {
		if i >= len(c.page.Words) || HashWord([]byte(w)) != c.page.Words[i] {
			diff = append(diff, fmt.Sprintf("word %d %q has another hash", i, w))
			break
		}
	}
	if numerals := numeralsOf(c.seen); !slices.Equal(c.page.Numerals, numerals) {
		diff = append(diff, fmt.Sprintf("numerals at %d, want %d", c.page.Numerals, numerals))
	}
	if c.page.Title != ref.title {
		diff = append(diff, fmt.Sprintf("title %q, want %q", c.page.Title, ref.title))
	}
	if c.page.BadLinks != ref.bad {
		diff = append(diff, fmt.Sprintf("%d bad links, want %d", c.page.BadLinks, ref.bad))
	}
	return diff
}
