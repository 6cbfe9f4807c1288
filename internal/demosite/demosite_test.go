package demosite

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/temoto/robotstxt"
)

// web is the web of seed 1 for the tests that neither need a fresh log nor change it.
var web = sync.OnceValue(func() *Web { return New(1) })

// ask sends one request straight to the handler.
func ask(w *Web, method, host, uri string, header ...string) *http.Response {
	req := httptest.NewRequest(method, uri, nil)
	req.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, req)
	return rec.Result()
}

func body(t *testing.T, resp *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSeedDecidesEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	one, again, other := New(7), New(7), New(8)
	differ := 0
	for host, s := range one.sites {
		if len(s.pages) != len(again.sites[host].pages) {
			t.Errorf("%s: %d pages, then %d", host, len(s.pages), len(again.sites[host].pages))
		}
		for uri, p := range s.pages {
			q := again.sites[host].pages[uri]
			if q == nil || p.status != q.status || !bytes.Equal(p.body, q.body) || !bytes.Equal(p.zipped, q.zipped) {
				t.Errorf("%s%s differs for the same seed", host, uri)
			}
			if q := other.sites[host].pages[uri]; q == nil || !bytes.Equal(p.body, q.body) {
				differ++
			}
		}
	}
	if differ < 600 {
		t.Errorf("%d pages differ for another seed, want 600 at least", differ)
	}
}

func TestRouting(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	for _, tc := range []struct {
		method, host, uri string
		status            int
	}{
		{"GET", "docs.demo.example", "/", 200},
		{"GET", "docs.demo.example:8080", "/guide/", 200},
		{"GET", "DOCS.Demo.Example", "/?", 200},
		{"GET", "shop.demo.example", "/guide/", 404},
		{"GET", "docs.demo.example", "/guide/?page=2", 404},
		{"GET", "news.demo.example", "/archive/?page=2&utm_term=a", 200},
		{"GET", "news.demo.example", "/archive/?page=99", 404},
		{"GET", "shop.demo.example", "/cart?add=anything", 200},
		{"GET", "outside.example", "/", 421},
		{"GET", "[::1]:80", "/", 421},
		{"POST", "docs.demo.example", "/", 405},
		{"HEAD", "docs.demo.example", "/", 200},
	} {
		if got := ask(w, tc.method, tc.host, tc.uri).StatusCode; got != tc.status {
			t.Errorf("%s %s%s: status %d, want %d", tc.method, tc.host, tc.uri, got, tc.status)
		}
	}
}

func TestRobots(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	type verdict struct {
		agent, uri string
		allowed    bool
	}
	for _, tc := range []struct {
		host     string
		status   int
		delay    time.Duration
		verdicts []verdict
	}{
		{docsHost, 200, 0, []verdict{
			{"x", "/guide/", true}, {"x", "/private/notes.html", false}, {"x", "/drafts/secret.html", false},
			{"x", "/drafts/public.html", true}, {"x", "/guide/manual.pdf", false}, {"x", "/guide/manual.pdf.html", true},
		}},
		{newsHost, 200, 0, []verdict{
			{"x", "/", true}, {"greedybot", "/", false}, {"x", "/private/salaries.html", false}, {"x", "/private/press.html", true},
		}},
		{shopHost, 200, 0, []verdict{{"x", "/cart?add=a", false}, {"x", "/p/a?session=1", false}, {"x", "/p/a", true}}},
		{calendarHost, 200, 100 * time.Millisecond, []verdict{{"x", "/cal?month=2026-01", false}, {"x", "/events/", true}}},
		{spamHost, 200, 0, []verdict{{"x", "/", true}}},
		{mirrorHost, 404, 0, nil},
		{flakyHost, 404, 0, nil},
		{wikiHost, 301, 0, nil},
	} {
		resp := ask(w, "GET", tc.host, "/robots.txt")
		if resp.StatusCode != tc.status {
			t.Errorf("%s: status %d, want %d", tc.host, resp.StatusCode, tc.status)
		}
		rules, err := robotstxt.FromStatusAndBytes(200, body(t, resp))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tc.verdicts {
			if got := rules.TestAgent(v.uri, v.agent); got != v.allowed {
				t.Errorf("%s: %s for %s: allowed %v, want %v", tc.host, v.uri, v.agent, got, v.allowed)
			}
			if got := w.sites[tc.host].robots.forbidden(v.uri); v.agent == "x" && got == v.allowed {
				t.Errorf("%s: %s: meant to be forbidden: %v", tc.host, v.uri, got)
			}
		}
		if got := rules.FindGroup("x").CrawlDelay; got != tc.delay {
			t.Errorf("%s: delay %v, want %v", tc.host, got, tc.delay)
		}
	}
}

func TestRedirects(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	truth := truths[1]()
	for _, tc := range []struct {
		uri    string
		status int
		to     string // empty: an article
	}{
		{"/", 301, "http://wiki.demo.example/wiki/Main_Page"},
		{"/wiki/Moved_1", 301, ""},
		{"/wiki/Moved_2", 301, ""},
		{"/wiki/Found", 302, ""},
		{"/wiki/Later", 307, ""},
		{"/wiki/Kept", 308, ""},
		{"/wiki/Chain_1", 302, "http://wiki.demo.example/wiki/Chain_2"},
		{"/wiki/Chain_2", 301, "http://wiki.demo.example/wiki/Chain_end"},
		{"/wiki/Loop_1", 302, "http://wiki.demo.example/wiki/Loop_2"},
		{"/wiki/Loop_2", 302, "http://wiki.demo.example/wiki/Loop_1"},
		{"/wiki/Outside", 302, "http://outside.example/wiki/"},
		{"/wiki/Today", 302, "http://calendar.demo.example/cal?month=2026-07"},
		{"/wiki/Manual", 301, "http://docs.demo.example/guide/"},
		{"/wiki/Nowhere", 301, "http://wiki.demo.example/wiki/Missing_0"},
	} {
		p := truth.Pages["http://wiki.demo.example"+tc.uri]
		if p.Class != Linked || p.Status != tc.status || tc.to != "" && p.Location != tc.to {
			t.Errorf("%s: %+v, want status %d to %q", tc.uri, p, tc.status, tc.to)
		}
		if tc.to == "" && !truth.Pages[p.Location].Text() {
			t.Errorf("%s: leads to %q, want an article", tc.uri, p.Location)
		}
		if got := ask(w, "GET", wikiHost, tc.uri); got.StatusCode != tc.status {
			t.Errorf("%s: status %d, want %d", tc.uri, got.StatusCode, tc.status)
		}
	}
}

// TestClasses names URLs whose class is the point of their being.
func TestClasses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	truth := truths[1]()
	for _, tc := range []struct {
		url    string
		class  Class
		status int
	}{
		{"http://docs.demo.example/moved/here/near.html", Linked, 200},
		{"http://docs.demo.example/moved/far.html", Linked, 200},
		{"http://docs.demo.example/trap/comment.html", Trap, 404},
		{"http://docs.demo.example/trap/script.html", Trap, 404},
		{"http://docs.demo.example/appendix/unlinked.html", InSitemap, 200},
		{"http://docs.demo.example/private/notes.html", Forbidden, 0},
		{"http://flaky.demo.example/trap/binary.html", Trap, 404},
		{"http://flaky.demo.example/broken/error.html", Linked, 500},
		{"http://flaky.demo.example/broken/reset.html", Linked, 0},
		{"http://flaky.demo.example/behind/once.html", Linked, 200},
		{"http://news.demo.example/archive/?page=9", Linked, 200},
		{"http://news.demo.example/archive/?utm_campaign=x&page=2", Tracked, 200},
		{"http://news.demo.example/login?from=0", NoFollow, 200},
		{"http://news.demo.example/press/after.html", Linked, 200},
		{"http://news.demo.example/press/hidden.html", NoFollow, 200},
		{"http://outside.example/", Outside, 0},
		{"http://outside.example/wiki/", Outside, 0},
		{"http://shop.demo.example/info/shipping.html", Linked, 200},
		{"http://shop.demo.example/info/form.html", Linked, 200},
		{"http://wiki.demo.example/wiki/Br%C3%B6nn", Linked, 200},
		{"http://wiki.demo.example/wiki/Chain_end", Linked, 200},
		{"http://wiki.demo.example/wiki/Deleted", Linked, 410},
		{"http://wiki.demo.example/wiki/Missing_0", Linked, 404},
		{"http://calendar.demo.example/cal?month=2026-07", Forbidden, 0},
	} {
		if p := truth.Pages[tc.url]; p.Class != tc.class || p.Status != tc.status {
			t.Errorf("%s: class %q status %d, want %q %d", tc.url, p.Class, p.Status, tc.class, tc.status)
		}
	}
}

func TestUnusualDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	for _, tc := range []struct {
		uri, mime   string
		has, hasNot []string
		utf8        bool
	}{
		{"latin1.html", "text/html; charset=ISO-8859-1", []string{"Br\xf6nn fa\xe7el", "&#x201c;&#x152;lven"}, []string{"Brönn"}, false},
		{"windows.html", "text/html", []string{`<meta charset="windows-1252">`, "\x93\x8clven\x94 &amp; \x8aarel"}, []string{"Œ"}, false},
		{"bom.html", "text/html; charset=iso-8859-1", []string{"\xef\xbb\xbf<!DOCTYPE", `<meta charset="iso-8859-1">`, "Žarek"}, nil, true},
		{"strict.xhtml", "application/xhtml+xml; charset=utf-8", []string{`href="/style.css" />`, "Brönn"}, nil, true},
		{"OLD.HTM", "text/html; charset=utf-8", []string{"<A HREF=../guide/>", "<P>"}, []string{"</P>", "</LI>", "<a ", "DOCTYPE"}, true},
		{"references.html", "text/html; charset=utf-8", []string{"Br&ouml;nn fa&ccedil;el", "&#338;lven", "&ldquo;"}, []string{"ö", "“"}, true},
		{"based.html", "text/html; charset=utf-8", []string{`<base href="/moved/here/">`, `href="near.html"`, `href="../far.html"`}, nil, true},
	} {
		resp := ask(w, "GET", docsHost, "/appendix/"+tc.uri)
		b := string(body(t, resp))
		if got := resp.Header.Get("Content-Type"); got != tc.mime {
			t.Errorf("%s: type %q, want %q", tc.uri, got, tc.mime)
		}
		if got := utf8.ValidString(b); got != tc.utf8 {
			t.Errorf("%s: valid UTF-8: %v", tc.uri, got)
		}
		for _, want := range tc.has {
			if !strings.Contains(b, want) {
				t.Errorf("%s: no %q", tc.uri, want)
			}
		}
		for _, not := range tc.hasNot {
			if strings.Contains(b, not) {
				t.Errorf("%s: has %q", tc.uri, not)
			}
		}
	}
}

func TestXHTMLIsWellFormed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	d := xml.NewDecoder(bytes.NewReader(body(t, ask(web(), "GET", docsHost, "/appendix/strict.xhtml"))))
	for elements := 0; ; {
		token, err := d.Token()
		if err == io.EOF {
			if elements < 10 {
				t.Errorf("%d elements, want 10 at least", elements)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

func TestTrapsAreWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	docs := string(body(t, ask(w, "GET", docsHost, "/")))
	for _, want := range []string{`<!-- <a href="/trap/comment.html">`, `var s = '<a href="/trap/script.html">`} {
		if !strings.Contains(docs, want) {
			t.Errorf("no %q in the home page", want)
		}
	}
	resp := ask(w, "GET", flakyHost, "/files/photo.html")
	binary := body(t, resp)
	if len(binary) != 10240 || utf8.Valid(binary) || resp.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the binary has %d bytes of %q", len(binary), resp.Header.Get("Content-Type"))
	}
	if !bytes.Contains(binary, []byte(`<a href="/trap/binary.html">`)) {
		t.Error("no trap in the binary")
	}
}

func TestCompression(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	resp := ask(w, "GET", shopHost, "/", "Accept-Encoding", "br, gzip")
	zipped := body(t, resp)
	whole := body(t, ask(w, "GET", shopHost, "/"))
	if resp.Header.Get("Content-Encoding") != "gzip" || len(zipped)*4 > len(whole)*3 {
		t.Errorf("encoding %q, %d bytes for %d", resp.Header.Get("Content-Encoding"), len(zipped), len(whole))
	}
	if !bytes.HasPrefix(whole, []byte("<!DOCTYPE html>")) {
		t.Errorf("without Accept-Encoding: %.20q", whole)
	}
	if got := ask(w, "GET", docsHost, "/", "Accept-Encoding", "gzip").Header.Get("Content-Encoding"); got != "" {
		t.Errorf("docs: encoding %q, want none", got)
	}
}

func TestFraming(t *testing.T) {
	client := serve(t, web())
	for host, chunked := range map[string]bool{wikiHost: true, docsHost: false} {
		resp, err := client.Get("http://" + host + "/wiki/Main_Page")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := slices.Contains(resp.TransferEncoding, "chunked"); got != chunked {
			t.Errorf("%s: chunked %v, want %v", host, got, chunked)
		}
	}
}

func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := New(1)
	for round := range 2 {
		for uri, want := range map[string][]int{
			"/busy/once.html":  {429, 200, 200},
			"/busy/twice.html": {429, 429, 200, 200},
			"/restarting.html": {503, 200, 200},
		} {
			for i, status := range want {
				resp := ask(w, "GET", flakyHost, uri)
				if resp.StatusCode != status {
					t.Errorf("round %d: %s, answer %d: status %d, want %d", round, uri, i, resp.StatusCode, status)
				}
				if got := resp.Header.Get("Retry-After") == "1"; got != (status != 200) {
					t.Errorf("round %d: %s, answer %d: Retry-After %v", round, uri, i, got)
				}
			}
		}
		w.Reset()
	}
}

func TestSlowPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, start := New(1), time.Now()
		ask(w, "GET", flakyHost, "/slow.html")
		if took := time.Since(start); took != 200*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if h := w.Log()[0]; h != (Hit{flakyHost, "/slow.html", start, 200}) {
			t.Errorf("logged %+v", h)
		}
	})
}

// TestClientHangsUp: a client that does not wait for the slow page gets nothing.
func TestClientHangsUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := httptest.NewRequestWithContext(ctx, "GET", "/slow.html", nil)
	req.Host = flakyHost
	rec := httptest.NewRecorder()
	web().ServeHTTP(rec, req)
	if rec.Body.Len() > 0 {
		t.Errorf("%d bytes written", rec.Body.Len())
	}
}

func TestResetConnection(t *testing.T) {
	w := New(1)
	_, err := serve(t, w).Get("http://flaky.demo.example/broken/reset.html")
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want a reset connection", err)
	}
	if h := w.Log()[0]; h.Status != 0 {
		t.Errorf("logged %+v", h)
	}
}

// TestResetWithoutHijack: a writer that cannot give up its connection gets the
// panic by which net/http ends it.
func TestResetWithoutHijack(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("recovered %v", got)
		}
	}()
	ask(web(), "GET", flakyHost, "/broken/reset.html")
}

func TestCalendarIsEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	uri := "/cal?month=2026-01"
	for range 500 {
		b := string(body(t, ask(w, "GET", calendarHost, uri)))
		_, rest, found := strings.Cut(b, `Earlier</a>`)
		_, rest, found2 := strings.Cut(rest, `href="`)
		if !found || !found2 {
			t.Fatalf("%s: no later month", uri)
		}
		uri, _, _ = strings.Cut(rest, `"`)
	}
	if uri != "/cal?month=2067-09" {
		t.Errorf("500 months later is %s", uri)
	}
	first, second := ask(w, "GET", calendarHost, uri), ask(w, "GET", calendarHost, uri)
	if !bytes.Equal(body(t, first), body(t, second)) {
		t.Error("a month differs when asked for again")
	}
	if got := ask(w, "GET", calendarHost, "/cal?month=2026-13").StatusCode; got != 404 {
		t.Errorf("month 13: status %d", got)
	}
}

func TestMirrorDiffersInFewWords(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	truth := truths[1]()
	for _, group := range truth.Near {
		a, b := truth.Pages[group[0]].Words, truth.Pages[group[1]].Words
		if !strings.Contains(group[1], mirrorHost) {
			continue
		}
		changed := 0
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				changed++
			}
		}
		if len(a) == len(b) && (changed == 0 || changed > 1+len(a)/40) {
			t.Errorf("%v: %d of %d words changed", group, changed, len(a))
		}
	}
}

func TestLogIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	var w Web
	for range MaxLog + 10 {
		w.record(plain(421), Hit{Host: outsideHost})
	}
	if got := len(w.Log()); got != MaxLog {
		t.Errorf("%d hits remembered, want %d", got, MaxLog)
	}
}

// TestConcurrentUse asks for everything from several sides; the race detector
// judges.
func TestConcurrentUse(t *testing.T) {
	w := New(1)
	urls := truths[1]().Of(Linked)
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(i, 0))
			for _, j := range r.Perm(len(urls)) {
				u := mustParse(urls[j])
				if u.Path != "/broken/reset.html" {
					ask(w, "GET", u.Host, u.RequestURI())
				}
			}
		})
	}
	wg.Wait()
	statuses := map[int]int{}
	for _, h := range w.Log() {
		statuses[h.Status]++
	}
	if statuses[429] != 3 || statuses[503] != 1 || len(w.Log()) != 4*(len(urls)-1) {
		t.Errorf("%d hits, %v", len(w.Log()), statuses)
	}
}

func TestHostsAndSeedsAreCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	w := web()
	if len(w.Hosts()) != 8 {
		t.Errorf("hosts %v", w.Hosts())
	}
	w.Hosts()[0], w.Seeds()[0] = "x", "x"
	if w.Hosts()[0] != docsHost || w.Seeds()[0] != "http://docs.demo.example/" {
		t.Errorf("hosts %v, seeds %v", w.Hosts(), w.Seeds())
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(1)
	}
}

func BenchmarkTruth(b *testing.B) {
	w := New(1)
	b.ReportAllocs()
	for b.Loop() {
		w.Truth()
	}
}

func BenchmarkServeHTTP(b *testing.B) {
	w := New(1)
	req := httptest.NewRequest("GET", "/guide/", nil)
	req.Host = docsHost
	b.ReportAllocs()
	for b.Loop() {
		w.ServeHTTP(httptest.NewRecorder(), req)
	}
}
