package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/archive"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/internal/crawltest"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
	"crawler/warc"
)

// keeper is a Recorder with an archive.
type keeper struct {
	*report.Recorder
	*archive.Archive
}

func (k keeper) Flush() error {
	if err := k.Archive.Flush(); err != nil {
		return err
	}
	return k.Recorder.Flush()
}

func (k keeper) Cut(b crawl.Batch) error {
	k.Archive.Cut(b)
	return k.Recorder.Cut(b)
}

// crawling is a durable crawl with an archive, over a web and a disk in memory.
type crawling struct {
	t       *testing.T
	mem     *vfs.MemFS
	web     *memweb.Web
	crawl   func(*crawl.Config)
	archive func(*archive.Config)
	open    func(fs *vfs.MemFS) store.FS
}

func newCrawling(t *testing.T, h http.Handler) *crawling {
	c := &crawling{t: t, mem: vfs.NewCrashableMem(), web: memweb.New(map[string]http.Handler{"a.test": h})}
	c.crawl, c.archive = func(*crawl.Config) {}, func(*archive.Config) {}
	c.open = func(m *vfs.MemFS) store.FS { return store.OnMem(m) }
	return c
}

// run is one run of the crawl.
func (c *crawling) run(ctx context.Context) (crawl.Result, error) {
	c.t.Helper()
	fs := c.open(c.mem)
	meta := store.Meta{Seeds: []string{"http://a.test/"}}
	dir, err := store.Open(fs, "c")
	if err != nil {
		if dir, err = store.Create(fs, "c", meta, true); err != nil {
			return crawl.Result{}, err
		}
	}
	defer dir.Close()
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
	if err == nil && dir.Resumed() {
		err = rec.Restore(dir.DB())
	}
	if err != nil {
		return crawl.Result{}, err
	}
	keep := archive.Config{Dir: dir, Name: "a.test", Info: warc.Header{{Name: "software", Value: "test"}}}
	c.archive(&keep)
	a, err := archive.Open(keep)
	if err != nil {
		return crawl.Result{}, err
	}
	cfg := crawl.Config{
		Seeds: meta.Seeds, Store: disk.Of(dir), Recorder: keeper{rec, a}, Workers: 4, Grace: -1,
		Fetch: fetch.Config{KeepWire: true, DialContext: c.web.DialContext, Guard: &fetch.Guard{Private: true}, Timeout: 5 * time.Second, MaxBody: 100_000},
	}
	cfg.Gate.Frontier = frontier.Config{Delay: frontier.NoDelay, Retries: 2, PerHost: 2, PerIP: frontier.NoPerIP}
	cfg.Gate.Dedup.Seed = 1
	c.crawl(&cfg)
	return crawl.Run(ctx, cfg)
}

func (c *crawling) read() (all []crawltest.ArchiveRecord) {
	c.t.Helper()
	names, err := c.mem.List("c/archive")
	if err != nil {
		c.t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := c.mem.Open("c/archive/" + name)
		if err != nil {
			c.t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			c.t.Fatal(err)
		}
		f.Close()
		all = append(all, crawltest.ReadArchiveFile(c.t, name, data)...)
	}
	return all
}

// text is as long as a page, and another one for each n.
func text(n int) string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "word%d ", (n+1)*i)
	}
	return b.String()
}

// strange is a site with every kind of answer; it counts what it was asked for.
type strange struct {
	asked map[string]*atomic.Int32
}

var strangePaths = []string{
	"/", "/robots.txt", "/moved-robots.txt", "/plain", "/copy", "/chunked", "/gzip", "/moved", "/missing", "/early", "/broken", "/long", "/again", "/empty", "/slow",
}

func newStrange() *strange {
	s := &strange{asked: map[string]*atomic.Int32{}}
	for _, p := range strangePaths {
		s.asked[p] = new(atomic.Int32)
	}
	return s
}

func (s *strange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.asked[r.URL.Path].Add(1)
	h := w.Header()
	h.Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/":
		for _, p := range strangePaths[3:] {
			fmt.Fprintf(w, "<a href=%s>x</a> ", p)
		}
	case "/robots.txt":
		http.Redirect(w, r, "/moved-robots.txt", http.StatusFound)
	case "/moved-robots.txt":
		h.Set("Content-Type", "text/plain")
		fmt.Fprint(w, "User-agent: *\nDisallow: /nothing\n")
	case "/plain", "/copy":
		fmt.Fprint(w, text(1))
	case "/chunked":
		fmt.Fprint(w, text(2))
		w.(http.Flusher).Flush()
		fmt.Fprint(w, text(3))
	case "/gzip":
		h.Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, text(4))
		z.Close()
	case "/moved":
		http.Redirect(w, r, "/plain", http.StatusMovedPermanently)
	case "/early":
		h.Set("Link", "</style>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		fmt.Fprint(w, text(5))
	case "/broken":
		h.Set("Content-Length", "100000")
		fmt.Fprint(w, text(6))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/slow":
		h.Set("Content-Length", "100000")
		fmt.Fprint(w, text(7))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/long":
		w.Write(bytes.Repeat([]byte("long "), 100_000))
	case "/again":
		if n < 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprintf(w, "attempt %d", n)
	case "/empty":
	default:
		http.NotFound(w, r)
	}
}

func TestEveryExchangeIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := newStrange()
		c := newCrawling(t, site)
		defer c.web.Close()
		c.crawl = func(cfg *crawl.Config) {
			cfg.Fetch.Header = http.Header{"Authorization": {"Basic secret"}}
			cfg.Gate.Frontier.Patience = frontier.NoDelay
		}
		var written []archive.Written
		c.archive = func(a *archive.Config) {
			a.LeaveOut = []string{"Authorization", "Cookie"}
			a.Written = func(w *archive.Written) error { written = append(written, *w); return nil }
		}
		if _, err := c.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := c.read()
		checkCounts(t, all, site)
		checkTriples(t, all)
		checkAnswers(t, all)
		for i, w := range written {
			if r := all[i]; r.File != w.File || r.Offset != w.Offset || r.Get("WARC-Type") != w.Type || r.Get("WARC-Target-URI") != w.URL {
				t.Errorf("record %d was reported as %+v, and is %+v", i, w, r)
			}
		}
		if len(written) != len(all) {
			t.Errorf("%d of %d records were reported", len(written), len(all))
		}
	})
}

// checkCounts wants as many answers as the site gave.
func checkCounts(t *testing.T, all []crawltest.ArchiveRecord, site *strange) {
	t.Helper()
	answers := map[string]int{}
	for _, r := range all {
		if r.IsAnswer() {
			answers[strings.TrimPrefix(r.Get("WARC-Target-URI"), "http://a.test")]++
		}
	}
	for p, n := range site.asked {
		if answers[p] != int(n.Load()) || n.Load() == 0 {
			t.Errorf("%s: %d answers kept, the site gave %d", p, answers[p], n.Load())
		}
	}
}

// checkTriples wants every answer to have its request and its metadata, and no secrets.
func checkTriples(t *testing.T, all []crawltest.ArchiveRecord) {
	t.Helper()
	if all[0].Get("WARC-Type") != "warcinfo" || !strings.Contains(string(all[0].Block), "software: test\r\n") {
		t.Errorf("the file begins with %v", all[0].MIMEHeader)
	}
	ids := map[string]bool{}
	for i, r := range all[1:] {
		id := r.Get("WARC-Record-ID")
		if ids[id] || !strings.HasPrefix(id, "<urn:uuid:") {
			t.Errorf("the ID %q is there twice, or none", id)
		}
		ids[id] = true
		if want := [...]string{"", "request", "metadata"}[i%3]; i%3 > 0 && (r.Get("WARC-Type") != want || r.Get("WARC-Concurrent-To") != all[i-i%3+1].Get("WARC-Record-ID")) {
			t.Errorf("record %d is %v, want a %s", i, r.MIMEHeader, want)
		}
		if bytes.Contains(r.Block, []byte("secret")) {
			t.Errorf("a secret was kept: %q", r.Block)
		}
		if r.Get("WARC-Type") == "request" {
			req := string(r.Block)
			if !strings.HasPrefix(req, "GET "+strings.TrimPrefix(r.Get("WARC-Target-URI"), "http://a.test")+" HTTP/1.1\r\nHost: a.test\r\nUser-Agent: ") || !strings.HasSuffix(req, "\r\n\r\n") {
				t.Errorf("a request: %q", req)
			}
		}
	}
}

// checkAnswers holds each answer against what the site sends.
func checkAnswers(t *testing.T, all []crawltest.ArchiveRecord) {
	t.Helper()
	of := map[string][]crawltest.ArchiveRecord{}
	for _, r := range all {
		if r.IsAnswer() {
			p := strings.TrimPrefix(r.Get("WARC-Target-URI"), "http://a.test")
			of[p] = append(of[p], r)
		}
	}
	for p, want := range map[string]string{"/chunked": text(2) + text(3), "/early": text(5), "/moved-robots.txt": "User-agent: *\nDisallow: /nothing\n", "/empty": ""} {
		if got := of[p][0].Entity(t); string(got) != want || of[p][0].Get("WARC-Truncated") != "" {
			t.Errorf("%s: %q, %v", p, got, of[p][0].MIMEHeader)
		}
	}
	if !bytes.Contains(of["/chunked"][0].Block, []byte("Transfer-Encoding: chunked\r\n")) {
		t.Error("the chunks are gone")
	}
	z, err := gzip.NewReader(bytes.NewReader(of["/gzip"][0].Entity(t)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != text(4) {
		t.Errorf("gzip: %q, %v", got, err)
	}
	for p, why := range map[string]string{"/broken": "disconnect", "/slow": "time", "/long": "length"} {
		r := of[p][0]
		if r.Get("WARC-Truncated") != why || r.Get("WARC-Payload-Digest") != "" || !bytes.Contains(r.Block, []byte("\r\n\r\n")) || len(r.Block) < 1000 {
			t.Errorf("%s: %v, %d bytes", p, r.MIMEHeader, len(r.Block))
		}
	}
	for i, r := range of["/again"] {
		want := http.StatusInternalServerError
		if i == 2 {
			want = http.StatusOK
		}
		if got := string(r.Entity(t)); got != fmt.Sprintf("attempt %d", i+1) || r.HTTP(t).StatusCode != want {
			t.Errorf("attempt %d: %q", i+1, got)
		}
	}
	checkRevisit(t, of["/plain"][0], of["/copy"][0])
}

// checkRevisit wants one of two to be whole, and the other one to refer to it.
func checkRevisit(t *testing.T, whole, refers crawltest.ArchiveRecord) {
	t.Helper()
	if whole.Get("WARC-Type") == "revisit" {
		whole, refers = refers, whole
	}
	if string(whole.Entity(t)) != text(1) || refers.Get("WARC-Type") != "revisit" {
		t.Fatalf("%v, %v", whole.MIMEHeader, refers.MIMEHeader)
	}
	for name, want := range map[string]string{
		"WARC-Profile":              "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
		"WARC-Refers-To-Target-Uri": whole.Get("WARC-Target-URI"), "WARC-Refers-To-Date": whole.Get("WARC-Date"), "WARC-Payload-Digest": whole.Get("WARC-Payload-Digest"),
	} {
		if refers.Get(name) != want || want == "" {
			t.Errorf("%s: %q, want %q", name, refers.Get(name), want)
		}
	}
	if !bytes.HasSuffix(refers.Block, []byte("\r\n\r\n")) || refers.HTTP(t).StatusCode != http.StatusOK {
		t.Errorf("a revisit has %q", refers.Block)
	}
}

// Files follow each other at the size that was asked for; a run with other settings begins one.
func TestFilesFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrawling(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Path[1:])
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<a href=/%d>x</a> %s", n+1, text(n))
		}))
		defer c.web.Close()
		for run, software := range []string{"one", "one", "two"} {
			c.crawl = func(cfg *crawl.Config) { cfg.MaxPages = 20 * (run + 1) }
			c.archive = func(a *archive.Config) { a.Size, a.Info = 5000, warc.Header{{Name: "software", Value: software}} }
			if _, err := c.run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		last, size, next, infos := "", int64(0), 0, map[string]string{}
		responses := map[string]bool{}
		for _, r := range c.read() {
			if r.File != last {
				if want := fmt.Sprintf("a.test-%05d.warc.gz", next); r.File != want || r.Get("WARC-Type") != "warcinfo" || r.Get("WARC-Filename") != want {
					t.Errorf("%s begins with %v, want %s", r.File, r.MIMEHeader, want)
				}
				infos[r.File], last, next = string(r.Block), r.File, next+1
			}
			if size = r.Offset; size > 10_000 {
				t.Errorf("%s has a record at %d", r.File, size)
			}
			// robots.txt has the text of page 0, and is a revisit.
			if r.IsAnswer() {
				responses[r.Get("WARC-Target-URI")] = true
			}
		}
		texts := slices.Compact(slices.Sorted(maps.Values(infos)))
		if next < 5 || len(responses) != 61 || len(texts) != 2 { // and robots.txt
			t.Errorf("%d files, %d answers, %d kinds of warcinfo", next, len(responses), len(texts))
		}
	})
}
