package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// crawlOf writes the files of a crawl.
func crawlOf(t *testing.T, pages []PageRecord, redirects []RedirectRecord, skips []gate.Skip) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, records ...any) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for _, r := range records {
			if err := enc.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
		b.WriteString(`{"url":"http://a.example/torn`) // what a crash leaves
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(PagesFile, anys(pages)...)
	write(RedirectsFile, anys(redirects)...)
	write(SkippedFile, anys(skips)...)
	return dir
}

func anys[T any](s []T) (out []any) {
	for _, v := range s {
		out = append(out, v)
	}
	return out
}

func why1(t *testing.T, dir, url string) *Story {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Why(dir, u, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(s.Text(), "\n") {
		if utf8.RuneCountInString(l) > width && !strings.Contains(l, "://") {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(l), l)
		}
	}
	return s
}

// pageAt is a page whose signature differs from that of others in the first so many slots.
func pageAt(url string, digest uint64, slots int) PageRecord {
	signature := bytes.Repeat([]byte{0xa5}, 128)
	for i := range slots {
		signature[i/8] ^= 1 << (i % 8)
	}
	return PageRecord{URL: url, Status: 200, Via: "http://a.example/", Words: 2000, Digest: hexOf(digest), Signature: signature}
}

func TestWhy(t *testing.T) {
	moved := pageAt("http://a.example/new", 1, 0)
	moved.From = "http://a.example/old"
	moved.Title = `quoting "near_signature":"AAAA" and "http://a.example/nowhere"`
	gone := PageRecord{URL: "http://a.example/gone", Status: 404}
	other := pageAt("http://a.example/old2", 2, 1000)
	other.Via = "http://a.example/old" // which is not a record of it
	backslash := pageAt(`http://a.example/?a\b`, 4, 600)
	dir := crawlOf(t, []PageRecord{
		moved, gone, other, backslash,
		pageAt("http://a.example/copy", 1, 0),
		pageAt("http://b.example/near", 3, 80),
		pageAt("http://b.example/far", 5, 100),
		pageAt("http://b.example/nearer", 6, 20),
	}, []RedirectRecord{{URL: "http://a.example/old", Status: 301, Target: "http://a.example/new", Via: "http://a.example/", Hop: 1}},
		[]gate.Skip{{URL: "http://c.example/", Reason: gate.OutOfScope, Via: "http://a.example/old", Detail: "d"}, {URL: "http://a.example/gone", Reason: gate.Nofollow}})

	s := why1(t, dir, "http://a.example/new")
	if !s.Known() || len(s.Pages) != 1 || !reflect.DeepEqual(s.Pages[0], moved) || len(s.Refusals)+len(s.Hops) != 0 || s.Closest != nil {
		t.Errorf("%+v", s)
	}
	want := []NearPage{{"http://b.example/nearer", Likeness{0.9609, 0.94, 0.9746}}, {"http://b.example/near", Likeness{0.8438, 0.8076, 0.8736}}}
	if !slices.Equal(s.SameText, []string{"http://a.example/copy"}) || !slices.Equal(s.NearText, want) {
		t.Errorf("same %v, near %v", s.SameText, s.NearText)
	}
	text := s.Text()
	for _, want := range []string{"status 200", "http://a.example/copy", "http://b.example/near (resemblance 0.84, 0.81 to 0.87)", "found by 1 redirect from\n    http://a.example/old\n  the first of them found on\n    http://a.example/\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if s := why1(t, dir, "http://a.example/gone"); len(s.Pages) != 1 || len(s.Refusals) != 1 || s.SameText != nil || !strings.Contains(s.Text(), "status 404") || !strings.Contains(s.Text(), "nofollow") {
		t.Errorf("a page that is gone: %+v", s)
	}
	if s := why1(t, dir, "http://c.example/"); len(s.Refusals) != 1 || len(s.Pages) != 0 || !strings.Contains(s.Text(), "outside --scope") {
		t.Errorf("a refusal: %+v", s)
	}
	if s := why1(t, dir, `http://a.example/?a\b`); len(s.Pages) != 1 {
		t.Errorf("a URL with a backslash: %+v", s)
	}
	for _, url := range []string{"http://a.example/torn", "http://a.example/nowhere"} {
		s := why1(t, dir, url)
		if s.Known() || len(s.Closest) != maxOthers || !strings.Contains(s.Text(), "never met") || !strings.Contains(s.Text(), s.Closest[0]) {
			t.Errorf("%s: %+v", url, s)
		}
	}
	if s := why1(t, dir, "http://a.example/newer"); s.Closest[0] != "http://a.example/new" {
		t.Errorf("closest %v", s.Closest)
	}
	if s := why1(t, dir, "http://bb.example/near"); s.Closest[0] != "http://b.example/near" {
		t.Errorf("closest on another host: %v", s.Closest)
	}
}

// Each hop of a chain is told, from wherever one looks at it.
func TestWhyOfRedirects(t *testing.T) {
	at := func(path string) string { return "http://a.example/" + path }
	hop := func(from, to, before string, n int) RedirectRecord {
		r := RedirectRecord{URL: at(from), Status: 301, Via: at(""), Hop: n}
		if to != "" {
			r.Target = at(to)
		} else {
			r.Error = "status 301 without a Location"
		}
		if before != "" {
			r.From = at(before)
		}
		return r
	}
	end := pageAt(at("p"), 1, 1)
	end.From = at("b")
	joined := pageAt(at("q"), 1, 1) // by a link to the chain's last hop
	joined.From, joined.Via = at("c2"), at("other")
	dir := crawlOf(t, []PageRecord{end, joined}, []RedirectRecord{
		hop("c1", "c2", "", 1), hop("c2", "q", "c1", 2),
		hop("a", "b", "", 1), hop("b", "p", "a", 2), hop("late", "a", "", 1),
		hop("l1", "l2", "", 1), hop("l2", "l1", "l1", 2), hop("self", "self", "", 1), hop("none", "", "", 1), hop("out", "x", "", 1),
	}, []gate.Skip{{URL: at("x"), Reason: gate.Excluded, Via: at(""), From: at("out")}})
	for path, want := range map[string]string{
		"q":    "found by 1 redirect from http://a.example/c2 the first of them found on http://a.example/other",
		"p":    "found by 2 redirects from http://a.example/a http://a.example/b the first of them found on http://a.example/",
		"a":    "redirects to (status 301) http://a.example/b which redirects to (status 301) http://a.example/p which is status 200 found on http://a.example/ redirects that lead here as well http://a.example/late",
		"b":    "redirects to (status 301) http://a.example/p which is status 200 found by 1 redirect from http://a.example/a the first of them found on http://a.example/",
		"late": "redirects to (status 301) http://a.example/a which redirects to (status 301) http://a.example/b which redirects to (status 301) http://a.example/p which is status 200 found on",
		"l1":   "redirects to (status 301) http://a.example/l2 which redirects to (status 301) http://a.example/l1 which is a loop found on http://a.example/ redirects that lead here as well http://a.example/l2",
		"self": "redirects to (status 301) http://a.example/self which is a loop found on",
		"none": "redirects to nothing (status 301): status 301 without a Location found on",
		"out":  "redirects to (status 301) http://a.example/x which is not fetched: excluded found on",
		"x":    "not fetched: excluded (left out by --include or --exclude) found by 1 redirect from http://a.example/out the first",
	} {
		s := why1(t, dir, at(path))
		if text := strings.Join(strings.Fields(s.Text()), " "); !strings.Contains(text, want) || !s.Known() {
			t.Errorf("%s:\n%s\nwant %s", path, text, want)
		}
	}
}

func TestWhySaysWhatIsWrong(t *testing.T) {
	u, _ := weburl.Parse("http://a.example/x")
	if _, err := Why(t.TempDir(), u, true); !errors.Is(err, store.ErrNoCrawl) {
		t.Errorf("no crawl: %v", err)
	}
	dir := crawlOf(t, nil, nil, nil)
	if err := os.WriteFile(filepath.Join(dir, PagesFile), []byte(`{"url":"http://a.example/x",`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Why(dir, u, true); err == nil || !strings.Contains(err.Error(), PagesFile) || !strings.Contains(err.Error(), "damaged line") {
		t.Errorf("a damaged line: %v", err)
	}
}

func TestStoryOfWhatWaits(t *testing.T) {
	yes, no := true, false
	queued := Story{URL: "http://a.example/", Queued: &QueuedAt{Position: 1234, Depth: 2, Via: "http://a.example/v", Attempt: 1}}
	if text := queued.Text(); !queued.Known() || !strings.Contains(text, "1,234 URLs") || !strings.Contains(text, "http://a.example/v") || !strings.Contains(text, "tried 1 time") {
		t.Errorf("queued:\n%s", text)
	}
	if s := (&Story{Admitted: &yes}); !s.Known() || !strings.Contains(s.Text(), "admitted") {
		t.Errorf("admitted:\n%s", s.Text())
	}
	if s := (&Story{Admitted: &no}); s.Known() || !strings.Contains(s.Text(), "never met") {
		t.Errorf("not admitted:\n%s", s.Text())
	}
}

// The lines are those of the file, wherever the blocks that are read end.
func TestScan(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	var want []string
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		want = append(want, strings.Repeat("x", rng.IntN(200_000)))
	}
	want[20] += strings.Repeat("y", 3*scanBlock)
	name := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(name, []byte(strings.Join(want, "\n")+"\ntorn"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := scan(name, func(lines []byte) error {
		return eachLine(lines, func(l []byte) error {
			got = append(got, string(l))
			return nil
		})
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d (%v)", len(got), len(want), err)
	}
	if err := scan(name+"none", nil); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Bounded distances against the plain recurrence.
func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	word := func() []byte {
		b := make([]byte, rng.IntN(6))
		for i := range b {
			b[i] = "abc"[rng.IntN(3)]
		}
		return b
	}
	n := &nearest{}
	for range 20_000 {
		a, b, limit := word(), word(), rng.IntN(7)-1
		want := plainDistance(a, b)
		if got := n.distance(a, b, limit); got != want && !(want > limit && got > limit) {
			t.Fatalf("distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}

func plainDistance(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	d := plainDistance(a[1:], b[1:])
	if a[0] == b[0] {
		return d
	}
	return 1 + min(d, plainDistance(a[1:], b), plainDistance(a, b[1:]))
}

// The closest URLs are those that sorting all of them finds.
func TestClosest(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	url := func() string {
		return fmt.Sprintf("http://h%d.example/%s/%d", rng.IntN(3), []string{"docs", "doc", "d/e"}[rng.IntN(3)], rng.IntN(300))
	}
	for range 50 {
		var pages []PageRecord
		known := map[string]bool{}
		for range 100 {
			u := url()
			pages, known[u] = append(pages, pageAt(u, 0, 0)), true
		}
		asked, _ := weburl.Parse("http://h1.example/docs/x17")
		got, err := closest([]string{crawlOf(t, pages, nil, nil)}, asked)
		if err != nil {
			t.Fatal(err)
		}
		host, path := split([]byte(asked.String()))
		n := &nearest{}
		rank := func(u string) alike {
			h, p := split([]byte(u))
			return alike{"", n.distance(h, host, 1000), common(p, path), n.distance(p, path, 1000)}
		}
		var want []alike
		for u := range known {
			want = append(want, rank(u))
		}
		slices.SortFunc(want, alike.compare)
		for i, u := range got {
			if rank(u) != want[i] {
				t.Fatalf("number %d is %s (%+v), want %+v", i, u, rank(u), want[i])
			}
		}
		if len(got) != maxOthers {
			t.Fatalf("%d URLs", len(got))
		}
	}
}

// BenchmarkWhy reads the records of a page, of its likes, and of one that is not there.
func BenchmarkWhy(b *testing.B) {
	dir := b.TempDir()
	var text bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		p := pageAt(fmt.Sprintf("http://www.a.example/docs/section-%d/page-%d.html", i%100, i), rng.Uint64(), rng.IntN(1024))
		p.Title, p.FetchedAt, p.ContentType = "A title of usual length, on a site", "2026-11-20T12:00:00.000Z", "text/html"
		line, err := json.Marshal(p)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(dir, PagesFile), text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, url := range []string{"http://www.a.example/docs/section-99/page-99999.html", "http://www.a.example/docs/section-99/page-none"} {
		b.Run(url[len(url)-10:], func(b *testing.B) {
			u, err := weburl.Parse(url)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := Why(dir, u, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
