package report

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crawler/parse"
	"crawler/weburl"
)

func linkTo(t *testing.T, url string) parse.Link {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return parse.Link{URL: u}
}

// By hand: the first page links to a twice and to b, once as nofollow to c and once to a style
// sheet; the second to a; a redirect leads to b. So a has 2, b 2, the others none.
func TestInLinksByHand(t *testing.T) {
	l := newInLinks(100, 1)
	nofollow, asset := linkTo(t, "http://h/c"), linkTo(t, "http://h/s.css")
	nofollow.NoFollow, asset.Kind = true, parse.Asset
	l.page([]parse.Link{linkTo(t, "http://h/a"), linkTo(t, "http://h/b"), linkTo(t, "http://h/a"), nofollow, asset})
	l.page([]parse.Link{linkTo(t, "http://h/a")})
	l.linked("http://h/b")
	for url, want := range map[string]int64{"http://h/a": 2, "http://h/b": 2, "http://h/c": 0, "http://h/s.css": 0} {
		if got := l.of(url); got != want {
			t.Errorf("%s has %d, want %d", url, got, want)
		}
	}
	if got, want := l.most(), []MostLinked{{"http://h/a", 2}, {"http://h/b", 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	var none *inLinks
	none.page([]parse.Link{asset})
	none.linked("x")
	if none.of("x") != 0 || none.most() != nil || none.replay(nil) != nil || newInLinks(0, 1) != nil {
		t.Error("the nil one counts")
	}
}

// Estimates are never too few, and right for nearly all; the most linked are found among many.
func TestInLinksAgainstTruth(t *testing.T) {
	l, truth := newInLinks(3000, 7), map[string]int64{}
	for page := range 4000 {
		var links []parse.Link
		for i := 1; i <= 3000; i *= 3 {
			for j := range 3 {
				url := fmt.Sprintf("http://h/%d", (page*7+j*i)%(i+1))
				links = append(links, linkTo(t, url))
			}
		}
		l.page(links)
		met := map[string]bool{}
		for _, x := range links {
			if url := x.URL.String(); !met[url] {
				met[url] = true
				truth[url]++
			}
		}
	}
	wrong := 0
	for url, n := range truth {
		switch got := l.of(url); {
		case got < n:
			t.Errorf("%s has %d, estimated %d", url, n, got)
		case got > n:
			wrong++
		}
	}
	if wrong > len(truth)/20 {
		t.Errorf("%d of %d are wrong", wrong, len(truth))
	}
	most := l.most()
	if len(most) != mostShown {
		t.Fatalf("%v", most)
	}
	for _, x := range most {
		if more := len(truth) - 20; x.InLinks < truth[x.URL] || rank(truth, truth[x.URL]) > len(truth)-more {
			t.Errorf("%+v is not among the first", x)
		}
	}
}

func rank(truth map[string]int64, n int64) (place int) {
	for _, other := range truth {
		if other > n {
			place++
		}
	}
	return place
}

// What stands in links.bin gives the same counts as the pages did, and the exact one beside.
func TestInLinksAreCountedAgain(t *testing.T) {
	dir := t.TempDir()
	var lines []byte
	for _, from := range []string{"http://h/1", "http://h/2"} {
		lines = append(lines, appendRedirect(nil, from, "http://h/a")...)
	}
	if err := os.WriteFile(filepath.Join(dir, LinksFile), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := CountInLinks([]string{dir}, linkTo(t, "http://h/a").URL, 100, 0)
	if err != nil || got != (InLinks{Last: 2, Exact: 2}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := CountInLinks([]string{t.TempDir()}, linkTo(t, "http://h/a").URL, 100, 0); err == nil {
		t.Error("no links.bin, no error")
	}
	text := (&Story{URL: "http://h/a", InLinks: &InLinks{AtFetch: 1, Last: 3, Exact: 2}}).Text()
	if want := "linked from 2 pages and redirects, counted exactly; estimated: 3, and 1 when it was fetched"; !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("%s", text)
	}
}

// BenchmarkInLinks counts the links of pages with a hundred each, among 100,000 URLs.
func BenchmarkInLinks(b *testing.B) {
	l := newInLinks(100_000, 1)
	pages := make([][]parse.Link, 64)
	for i := range pages {
		for j := range 100 {
			u, err := weburl.Parse(fmt.Sprintf("https://www.example.com/docs/chapter-%d/page-%d.html", j%30, (i*37+j*j*101)%100_000))
			if err != nil {
				b.Fatal(err)
			}
			pages[i] = append(pages[i], parse.Link{URL: u})
		}
	}
	n := 0
	for b.Loop() {
		l.page(pages[n%len(pages)])
		n++
	}
}
