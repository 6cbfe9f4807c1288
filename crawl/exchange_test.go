package crawl_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger"
	"crawler/report"
)

// exchanges is an ExchangeRecorder that remembers what it was given, as far as it was
// committed when the crawl is resumed.
type exchanges struct {
	crawl.Cutter
	t    *testing.T
	list []exchanged
}

type exchanged struct {
	url     string
	robots  bool
	status  int // 0 if there was no answer
	end     crawl.End
	attempt int
}

func (e *exchanges) Exchange(v *crawl.Visit, x *crawl.Exchange) error {
	got := exchanged{url: x.URL.String(), robots: x.Robots, end: v.End, attempt: v.Attempt}
	if r := x.Response; r != nil {
		got.status = r.Status
		if r.Header == nil || r.Request.Get("User-Agent") == "" || r.Proto == "" || r.FirstByte <= 0 && r.Elapsed > 0 || int64(len(r.Body)) != r.WireBytes {
			e.t.Errorf("%s: half an exchange: %+v", x.URL, r)
		}
	} else if x.Err == nil {
		e.t.Errorf("%s: neither an answer nor an error", x.URL)
	}
	e.list = append(e.list, got)
	return nil
}

// exchangesKey is where the number of committed exchanges stands.
var exchangesKey = []byte("x")

func (e *exchanges) Cut(b crawl.Batch) error {
	b.Put(exchangesKey, binary.BigEndian.AppendUint64(nil, uint64(len(e.list))))
	return e.Cutter.Cut(b)
}

// restore forgets what was not committed.
func (e *exchanges) restore(s ledger.Store) {
	n, err := s.Get(exchangesKey)
	if err != nil {
		e.t.Fatal(err)
	}
	if n == nil {
		e.list = nil
	} else {
		e.list = e.list[:binary.BigEndian.Uint64(n)]
	}
}

// counts is how often each URL was exchanged.
func (e *exchanges) counts() map[string]int {
	n := map[string]int{}
	for _, x := range e.list {
		n[strings.TrimPrefix(x.url, "http://")]++
	}
	return n
}

// askedFor is how often each URL was asked for, as the server knows it.
func (s *site) askedFor() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{}
	for _, h := range s.hits {
		n[h.url]++
	}
	return n
}

// Every request that the server gets is one exchange: pages, redirects, robots.txt and its
// redirects, errors, and answers that are followed by another try.
func TestEveryExchangeIsRecorded(t *testing.T) {
	for seed := range uint64(60) {
		s, _ := randomWeb(rand.New(rand.NewPCG(seed, 77)))
		for _, p := range s.pages {
			// net/http repeats a request by itself when a connection breaks.
			p.failWith = max(p.failWith, 429)
		}
		s.pages["h0.example/robots.txt"] = &page{redirect: "http://h0.example/rules", status: 302}
		s.pages["h0.example/rules"] = &page{html: "User-agent: *\nAllow: /\n"}
		e := &exchanges{t: t}
		n, _ := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.Frontier.Retries = 3
			e.Cutter = keep{c.Recorder}
			c.Recorder = e
		}, "http://h0.example/p0")
		if got, want := e.counts(), s.askedFor(); !maps.Equal(got, want) {
			t.Fatalf("seed %d: exchanges %v, requests %v", seed, got, want)
		}
		pages := 0
		for _, x := range e.list {
			if x.end == crawl.Fetched && !x.robots {
				pages++
			}
			if x.robots != (strings.HasSuffix(x.url, "/robots.txt") || strings.HasSuffix(x.url, "/rules")) {
				t.Errorf("seed %d: %s: robots.txt is %v", seed, x.url, x.robots)
			}
		}
		if pages != len(n.pages) {
			t.Errorf("seed %d: %d exchanges brought pages, %d pages were recorded", seed, pages, len(n.pages))
		}
	}
}

// keep makes a Recorder one whose work survives, as far as anybody asks.
type keep struct{ crawl.Recorder }

func (keep) Cut(crawl.Batch) error { return nil }

// A failure is an exchange without an answer.
func TestFailuresAreExchanges(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {fails: -1}, "a.example/robots.txt": {}})
	e := &exchanges{t: t}
	inBubble(t, s, func(c *crawl.Config) {
		c.Gate.IgnoreRobots = true
		e.Cutter = keep{c.Recorder}
		c.Recorder = e
	}, "http://a.example/")
	if len(e.list) != 1 || e.list[0].status != 0 || e.list[0].end != crawl.Failed {
		t.Errorf("exchanges %+v", e.list)
	}
}

// Exchanges belong to the commit: whatever the power takes, those that are left are of
// requests that were sent, each page has its own, and none stands twice.
func TestExchangesAreCutWithTheCommit(t *testing.T) {
	for seed := range fewer(40) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 78))
			s, want := randomWeb(rng)
			for _, p := range s.pages {
				p.failWith = max(p.failWith, 429)
			}
			d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://h0.example/p0"}
			defer d.web.Close()
			e := &exchanges{t: t}
			d.cfg = func(c *crawl.Config) {
				c.Gate.Scope.Mode, c.Tail = gate.ScopeAny, 1+int(seed%7)
				c.Gate.Frontier = frontier.Config{Delay: 50 * time.Millisecond, Retries: 3}
				e.restore(c.Store)
				e.Cutter = c.Recorder.(crawl.Cutter)
				c.Recorder = e
			}
			var res crawl.Result
			for run := 0; res.EndedBy != crawl.Done; run++ {
				if run > 200 {
					t.Fatal("the crawl does not come to its end")
				}
				ctx, stop := context.WithCancel(t.Context())
				p := &power{mem: d.mem, stop: stop, crash: rng.IntN(3) > 0, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}}
				p.left.Store(int64(1 + rng.IntN(20)))
				s.asked = p.request
				res, _, _ = d.run(ctx)
				stop()
				if p.clone != nil {
					d.mem, res = p.clone, crawl.Result{}
				}
			}
			d.checkPages(want)
			got, asked := e.counts(), s.askedFor()
			for u, n := range got {
				if n > asked[u] {
					t.Errorf("seed %d: %s was asked for %d times and has %d exchanges", seed, u, asked[u], n)
				}
			}
			fetched := map[string]int{}
			for _, x := range e.list {
				if x.end == crawl.Fetched {
					fetched[x.url]++
				}
			}
			for _, p := range lines[report.PageRecord](t, d.mem, report.PagesFile) {
				if fetched[p.FinalURL] != 1 {
					t.Errorf("seed %d: %s is a page with %d exchanges", seed, p.FinalURL, fetched[p.FinalURL])
				}
			}
		})
	}
}

// What waits for a slow Recorder is bounded by the budget of bodies, beside what the workers
// hold in their hands; a body larger than the whole budget passes.
func TestBodiesInFlightAreBounded(t *testing.T) {
	const workers, size = 4, 10_000
	for _, tt := range []struct {
		budget int64
		most   int // pages fetched and not recorded
	}{
		{1, workers + 1},         // each waits for the whole of it
		{2 * size, workers + 2},  // two in it
		{1 << 30, 2*workers - 1}, // as without one
	} {
		s := newSite(map[string]*page{})
		var seeds []string
		for i := range 30 {
			seeds = append(seeds, many(s, fmt.Sprintf("h%d.example", i), 2)...)
		}
		for _, p := range s.pages {
			p.html = strings.Repeat("x", size)
		}
		r := &slow{most: 0, site: s}
		n, _ := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.IgnoreRobots, c.Workers = true, workers
			c.KeepResponse, c.BodyBudget = true, tt.budget
			r.notes = c.Recorder.(*notes)
			c.Recorder = r
		}, seeds...)
		if len(n.pages) != 60 || r.most > tt.most || r.most < tt.most-1 {
			t.Errorf("budget %d: %d pages, at most %d waited, want %d", tt.budget, len(n.pages), r.most, tt.most)
		}
	}
}

// slow is a Recorder that takes a second for a page.
type slow struct {
	*notes
	site *site
	most int
}

func (r *slow) Page(v *crawl.Visit) error {
	time.Sleep(time.Second)
	r.most = max(r.most, len(r.site.requests())-len(r.pages))
	if want := strings.Repeat("x", 10); !strings.HasPrefix(string(v.Response.Body), want) {
		return fmt.Errorf("%s came without its body", v.URL)
	}
	return r.notes.Page(v)
}
