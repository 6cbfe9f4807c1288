package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// writtenGoal is the most that may be written a page beyond the records, in bytes.
const writtenGoal = 3 << 10

// TestWritten counts what a durable crawl writes for a page of 18 KB, in virtual time: its
// records, and beyond them the state. A slow pace is the hard case, since each page has a commit of
// its own, and so are many hosts, since each page changes the figures of another. At its full
// size it runs with WRITTEN=1 (make written).
func TestWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("the same code as in the other tests of durable crawls")
	}
	full := os.Getenv("WRITTEN") != ""
	for _, c := range []written{
		{hosts: 1, pages: 2000, delay: 250 * time.Millisecond},
		{hosts: 100, pages: 200, delay: 100 * time.Millisecond},
		{hosts: 1000, pages: 20, delay: 100 * time.Millisecond},
	} {
		t.Run(fmt.Sprintf("%d hosts, %s", c.hosts, c.delay), func(t *testing.T) {
			if !full {
				c.pages = max(c.pages*c.hosts/20, 200) / c.hosts
			}
			synctest.Test(t, func(t *testing.T) {
				n := c.crawl(t)
				t.Logf("%d pages: bytes a page: %.0f of records, %.0f beyond them (%s at the end", c.hosts*c.pages, n.records, n.beyond(), n)
				if full && n.beyond() > writtenGoal {
					t.Errorf("missed: the goal is %d bytes beyond the records", writtenGoal)
				}
			})
		})
	}
}

// written is a crawl of hosts of as many pages of dense text.
type written struct {
	hosts, pages int
	delay        time.Duration
	words        []string
}

// bytesWritten are bytes a page, by the files they went to.
type bytesWritten struct{ records, log, tables, seen, rest, stored float64 }

func (b bytesWritten) beyond() float64 { return b.log + b.tables + b.seen + b.rest }

func (b bytesWritten) String() string {
	return fmt.Sprintf("%.0f the database's log, %.0f its tables, %.0f fingerprints, %.0f others), and the database has %.0f", b.log, b.tables, b.seen, b.rest, b.stored)
}

func (c *written) crawl(t *testing.T) bytesWritten {
	for i := range 50_000 {
		c.words = append(c.words, madeWord(uint64(i)))
	}
	web := memweb.New(map[string]http.Handler{"*": c})
	defer web.Close()
	fs := &counted{FS: vfs.NewMem(), bytes: map[string]int64{}}
	dir, err := store.Create(store.Wrap(fs, nil), crawlDir, store.Meta{Created: time.Now()}, true)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	cfg := crawl.Config{Recorder: rec, Store: disk.Of(dir), Workers: 16, Gate: gate.Config{
		Dedup: dedup.Config{ExpectURLs: 1 << 20, Seed: 1}, Frontier: frontier.Config{Delay: c.delay},
	}}
	for i := range c.hosts {
		cfg.Seeds = append(cfg.Seeds, fmt.Sprintf("http://h%d.example/", i))
	}
	cfg.Fetch.DialContext, cfg.Fetch.UserAgent = web.DialContext, "crawler/test"
	res, err := crawl.Run(t.Context(), cfg)
	if err != nil || res.Fetched != c.hosts*c.pages {
		t.Fatalf("%d pages fetched of %d: %v", res.Fetched, c.hosts*c.pages, err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	b := bytesWritten{stored: stored(t, fs) / float64(res.Fetched)}
	for name, n := range fs.bytes {
		a := float64(n) / float64(res.Fetched)
		switch {
		case strings.Contains(name, "/seen/"):
			b.seen += a
		case strings.HasSuffix(name, ".sst"), strings.HasSuffix(name, ".blob"):
			b.tables += a
		case strings.HasSuffix(name, ".log"):
			b.log += a
		case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".bin"):
			b.records += a
		default:
			b.rest += a
		}
	}
	return b
}

// stored is how large the database is.
func stored(t *testing.T, fs vfs.FS) (bytes float64) {
	t.Helper()
	dir := fs.PathJoin(crawlDir, "state")
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := fs.Stat(fs.PathJoin(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		bytes += float64(info.Size())
	}
	return bytes
}

// madeWord is a word of three to nine letters, another for every number.
func madeWord(n uint64) string {
	word := []byte{}
	for x := n * 0x9e3779b97f4a7c15; len(word) < 3+int(n*7919%7) || n > 0; x /= 26 {
		word = append(word, 'a'+byte((n+x)%26))
		n /= 26
	}
	return string(word)
}

// ServeHTTP answers with 18 KB of text by Zipf's law and 56 links to pages of the same host.
func (c *written) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	n := 0
	fmt.Sscanf(r.URL.Path, "/page/%d", &n)
	random := rand.New(rand.NewPCG(uint64(n), uint64(len(r.Host))<<32+uint64(r.Host[1])<<16+uint64(r.Host[len(r.Host)-9])))
	zipf := rand.NewZipf(random, 1.07, 2.7, uint64(len(c.words)-1))
	w.Header().Set("Content-Type", "text/html")
	body := fmt.Appendf(nil, "<title>Page %d</title>\n", n)
	for i := range 56 {
		to := 4*n + i + 1 // the first four are its children
		if i >= 4 {
			to = 1 + random.IntN(c.pages)
		}
		if to < c.pages {
			body = fmt.Appendf(body, "<a href=/page/%d>%s</a>\n", to, c.words[zipf.Uint64()])
		}
	}
	for len(body) < 18_000 {
		body = append(append(body, c.words[zipf.Uint64()]...), ' ')
	}
	w.Write(body)
}

// counted is a file system that counts what is written.
type counted struct {
	vfs.FS

	mu    sync.Mutex
	bytes map[string]int64 // guarded by mu; by name
}

func (c *counted) of(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &countedFile{f, c, name}, nil
}

func (c *counted) Create(name string, w vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := c.FS.Create(name, w)
	return c.of(name, f, err)
}

func (c *counted) OpenReadWrite(name string, w vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := c.FS.OpenReadWrite(name, w, opts...)
	return c.of(name, f, err)
}

func (c *counted) ReuseForWrite(old, name string, w vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := c.FS.ReuseForWrite(old, name, w)
	return c.of(name, f, err)
}

func (c *counted) add(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes[name] += int64(n)
}

type countedFile struct {
	vfs.File
	fs   *counted
	name string
}

func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.add(f.name, n)
	return n, err
}

func (f *countedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.fs.add(f.name, n)
	return n, err
}
