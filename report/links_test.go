package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/parse"
	"crawler/weburl"
)

func mustURL(t testing.TB, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// readAll reads a file of links with the reader under test.
func readAll(t testing.TB, dir string) (out []slowRecord, err error) {
	t.Helper()
	err = ReadLinks(dir, func(p *PageLinks) error {
		out = append(out, recordOfLinks(p))
		return nil
	})
	return out, err
}

// linksIn returns a directory with that file of links.
func linksIn(t testing.TB, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, LinksFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func recordOfLinks(p *PageLinks) slowRecord {
	r := slowRecord{url: string(p.URL)}
	if p.Redirect {
		r.flags |= linkRedirect
	}
	if p.Cut {
		r.flags |= linkCut
	}
	for p.Next() {
		l := p.Link()
		attributes := int(l.Kind)
		if l.NoFollow {
			attributes |= linkNoFollow
		}
		r.links = append(r.links, slowLink{attributes, string(l.URL)})
	}
	return r
}

// linkedPage draws a page and its links: some alike, some repeated, some from elsewhere.
func linkedPage(t testing.TB, rng *rand.Rand, links int) *crawl.Visit {
	dirs := []string{"http://a.example/", "http://a.example/manual/part/", "https://b.example:8080/x/", "http://a.example/" + strings.Repeat("d/", rng.IntN(200))}
	url := func() weburl.URL {
		s := dirs[rng.IntN(len(dirs))]
		if rng.IntN(5) > 0 {
			s += fmt.Sprintf("page-%d.html", rng.IntN(40))
		}
		if rng.IntN(20) == 0 {
			s += "?q=" + strings.Repeat("long", rng.IntN(900))
		}
		return mustURL(t, s)
	}
	v := visit(new(testing.T), "http://a.example/", 200)
	v.URL = url()
	for range links {
		l := parse.Link{URL: url()}
		if rng.IntN(4) == 0 {
			l.Kind, l.NoFollow = parse.LinkKind(rng.IntN(int(parse.Sitemap)+1)), rng.IntN(2) == 0
		}
		v.Page.Links = append(v.Page.Links, l)
	}
	return v
}

// wanted is what must be read of a page, each link once.
func wanted(v *crawl.Visit) slowRecord {
	r := slowRecord{url: v.URL.String()}
	if v.Page.LinksCut {
		r.flags |= linkCut
	}
	for i := range v.Page.Links {
		l := &v.Page.Links[i]
		r.links = append(r.links, slowLink{int(attributesOf(l)) - linkAttributes, l.URL.String()})
	}
	return r
}

// once drops links that stand twice.
func once(records []slowRecord) []slowRecord {
	for i, r := range records {
		seen := map[slowLink]bool{}
		records[i].links = slices.DeleteFunc(r.links, func(l slowLink) bool {
			twice := seen[l]
			seen[l] = true
			return twice
		})
	}
	return records
}

// What is written is read, by both readers, and a byte that ends a line is nowhere else.
func TestLinks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var w linkWriter
	var data []byte
	var want []slowRecord
	lines := 0
	for i := range 150 {
		v := linkedPage(t, rng, rng.IntN(1+i))
		if i%4 == 0 {
			from, to := linkedPage(t, rng, 0).URL.String(), v.URL.String()
			data = appendRedirect(data, from, to)
			want = append(want, slowRecord{flags: linkRedirect, url: from, links: []slowLink{{0, to}}})
			lines++
		}
		v.Page.LinksCut = i%7 == 0
		lines++
		data = w.appendPage(data, v)
		want = append(want, wanted(v))
	}
	if n := bytes.Count(data, []byte{'\n'}); n != lines {
		t.Errorf("%d line ends in %d records", n, lines)
	}
	want = once(want)
	slow, err := slowLinks(string(data))
	if slow = once(slow); err != nil || !reflect.DeepEqual(slow, want) {
		t.Fatalf("the independent reader finds other links: %v", err)
	}
	got, err := readAll(t, linksIn(t, data))
	if got = once(got); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("other links are read than were written: %v", err)
	}
}

// The bytes of the example in docs/format/links.md.
func TestLinksExample(t *testing.T) {
	v := visit(t, "http://a.example/b/", 200)
	v.Page.Links = []parse.Link{
		{URL: mustURL(t, "http://a.example/b/c")}, {URL: mustURL(t, "http://a.example/b/d"), NoFollow: true},
		{URL: mustURL(t, "http://a.example/b/c")}, {URL: mustURL(t, "http://a.example/e"), NoFollow: true},
	}
	got := new(linkWriter).appendPage(appendRedirect(nil, "http://a.example/b", v.URL.String()), v)
	want := "\x41\x13http://a.example/b" + "\x00\x01/" + "\x90\x83\xb7\xe9\xd5\n" +
		"\x40\x14http://a.example/b/" + "\x00\x01c" + "\x05\x60\x01d" + "\x0d\x01e" + "\xa4\x89\x99\xef\xf5\n"
	if string(got) != want {
		t.Errorf("%q", got)
	}
}

// Each link of a page is written once, up to the number of targets that are remembered.
func TestLinksAreWrittenOnce(t *testing.T) {
	v := visit(t, "http://a.example/", 200)
	for i := range 20_000 {
		v.Page.Links = append(v.Page.Links, parse.Link{URL: mustURL(t, fmt.Sprintf("http://a.example/%d", i%100))})
	}
	data := new(linkWriter).appendPage(nil, v)
	got, err := slowLinks(string(data))
	if err != nil || len(got) != 1 || len(once(slices.Clone(got))[0].links) != 100 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	if n := len(got[0].links); n > 20_000/4 { // those that share a place are repeated
		t.Errorf("100 links stand %d times", n)
	}
}

// A record that would be too long ends earlier, and says so.
func TestLinksOfAnEnormousPage(t *testing.T) {
	v := linkedPage(t, rand.New(rand.NewPCG(1, 2)), 500)
	b, all := new(linkWriter).appendLinks(nil, v.URL.String(), v.Page.Links, 1000)
	if all || len(b) < 1000 || len(b) > 1000+weburl.MaxLen+16 {
		t.Errorf("%d bytes of a record of 1,000, all %t", len(b), all)
	}
	if b, all := new(linkWriter).appendLinks(nil, v.URL.String(), v.Page.Links, 1<<20); !all || len(b) < 2000 {
		t.Errorf("%d bytes of a record of a MiB, all %t", len(b), all)
	}
}

// The longest URLs there are.
func TestLongestLinks(t *testing.T) {
	long := "http://a.example/" + strings.Repeat("x", weburl.MaxLen-len("http://a.example/"))
	v := visit(t, long, 200)
	from := "http://b.example/" + long[len("http://b.example/"):]
	for _, s := range []string{long, "http://c.example/", long[:len(long)-1] + "y", "http://a.example/", from} {
		v.Page.Links = append(v.Page.Links, parse.Link{URL: mustURL(t, s)})
	}
	data := new(linkWriter).appendPage(appendRedirect(nil, from, long), v)
	slow, errSlow := slowLinks(string(data))
	got, err := readAll(t, linksIn(t, data))
	want := []slowRecord{{flags: linkRedirect, url: from, links: []slowLink{{0, long}}}, wanted(v)}
	if err != nil || errSlow != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(slow, want) {
		t.Errorf("%v, %v", err, errSlow)
	}
}

// Neither writing nor reading allocates for a link.
func TestLinksAllocateNothing(t *testing.T) {
	v := linkedPage(t, rand.New(rand.NewPCG(7, 8)), 200)
	w, p := new(linkWriter), new(PageLinks)
	var b []byte
	links := 0
	count := func(p *PageLinks) error {
		for p.Next() {
			links += len(p.Link().URL)
		}
		return nil
	}
	allocs := testing.AllocsPerRun(100, func() {
		b = w.appendPage(b[:0], v)
		if err := p.read(b[:len(b)-1], count); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 || links == 0 {
		t.Errorf("%v allocations a page", allocs)
	}
}
