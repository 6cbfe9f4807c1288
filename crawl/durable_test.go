package crawl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

const crawlDir = "crawl"

// durable is a crawl in a directory of a file system in memory that knows which writes
// a power cut would take with it.
type durable struct {
	t    *testing.T
	mem  *vfs.MemFS
	site *site
	web  *memweb.Web
	cfg  func(*crawl.Config)
	seed string
	wrap func(*vfs.MemFS) store.FS // of the file system; nil means as it is
}

// open opens the directory, or makes it if a crash came before it was there.
func (d *durable) open() (*store.Dir, error) {
	fs := store.OnMem(d.mem)
	if d.wrap != nil {
		fs = d.wrap(d.mem)
	}
	dir, err := store.Open(fs, crawlDir)
	if errors.Is(err, store.ErrNoCrawl) {
		return store.Create(fs, crawlDir, store.Meta{Seeds: []string{d.seed}, Created: time.Now()}, true)
	}
	return dir, err
}

// run is one run of the crawl, of which ctx is the patience.
func (d *durable) run(ctx context.Context) (crawl.Result, *report.Report, error) {
	dir, err := d.open()
	if err != nil {
		return crawl.Result{}, nil, err
	}
	res, rep, err := d.crawl(ctx, dir)
	return res, rep, errors.Join(err, dir.Close())
}

func (d *durable) crawl(ctx context.Context, dir *store.Dir) (crawl.Result, *report.Report, error) {
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
	if err != nil {
		return crawl.Result{}, nil, err
	}
	if dir.Resumed() {
		if err := rec.Restore(dir.DB()); err != nil {
			return crawl.Result{}, nil, err
		}
	}
	cfg := config(d.t, d.web, nil, d.seed)
	cfg.Recorder, cfg.Store = rec, disk.Of(dir)
	d.cfg(&cfg)
	res, err := crawl.Run(ctx, cfg)
	return res, report.New("test", res, rec, report.Usage{}), err
}

// lines reads a file of JSON lines.
func lines[T any](t *testing.T, fs vfs.FS, name string) []T {
	t.Helper()
	f, err := fs.Open(fs.PathJoin(crawlDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []T
	for _, line := range strings.SplitAfter(string(data), "\n") {
		if line == "" {
			continue
		}
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%s: line %q: %v", name, line, err)
		}
		list = append(list, v)
	}
	return list
}

// checkPages holds the pages on disk against the web itself and returns their number.
func (d *durable) checkPages(want map[string]bool) int {
	d.t.Helper()
	got := map[string]bool{}
	for _, p := range lines[report.PageRecord](d.t, d.mem, report.PagesFile) {
		u := strings.TrimPrefix(p.URL, "http://")
		if got[u] {
			d.t.Errorf("%s is recorded twice", u)
		}
		got[u] = true
	}
	for u := range want {
		if !got[u] {
			d.t.Errorf("%s was lost", u)
		}
	}
	for u := range got {
		if !want[u] {
			d.t.Errorf("%s was fetched, but is not reachable", u)
		}
	}
	return len(got)
}

// check holds what is on disk at the end against the web and the crawl's own account.
func (d *durable) check(want map[string]bool, res crawl.Result, rep *report.Report) {
	d.t.Helper()
	if n := d.checkPages(want); res.EndedBy != crawl.Done || res.Fetched != n || rep.Pages.Fetched != n {
		d.t.Errorf("ended by %s with %d pages, reported %d, recorded %d", res.EndedBy, res.Fetched, rep.Pages.Fetched, n)
	}
	told := map[gate.Reason]int{}
	for _, s := range lines[gate.Skip](d.t, d.mem, report.SkippedFile) {
		told[s.Reason]++
	}
	counted := maps.Clone(res.Skipped)
	maps.Copy(counted, res.Errors)
	if !maps.Equal(told, counted) {
		d.t.Errorf("skipped.jsonl has %v, the result %v", told, counted)
	}
	if n := int(res.Dedup.New); n != res.Admitted {
		d.t.Errorf("the filter counts %d URLs, the crawl %d", n, res.Admitted)
	}
}

// power cuts off the power, or the patience, after so many requests.
type power struct {
	left  atomic.Int64
	once  sync.Once
	mem   *vfs.MemFS
	clone *vfs.MemFS
	cfg   vfs.CrashCloneCfg
	stop  context.CancelFunc
	crash bool
}

func (p *power) request() {
	if p.left.Add(-1) != 0 {
		return
	}
	p.once.Do(func() {
		if p.crash {
			p.clone = p.mem.CrashClone(p.cfg)
		}
		p.stop()
	})
}

// Whatever is reachable is recorded once, and every account agrees, however often the
// crawl is stopped or the power fails at a request, and whatever of the writes that
// were not synced is lost. The filter is absurdly small, and nearly every URL is
// settled by the log on disk.
func TestCrashesLoseNothing(t *testing.T) {
	for seed := range fewer(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { crashes(t, seed) })
		})
	}
}

func crashes(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 12))
	s, want := randomWeb(rng)
	for _, p := range s.pages {
		// net/http repeats a request by itself when a connection breaks.
		p.failWith = max(p.failWith, 429)
	}
	d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://h0.example/p0"}
	defer d.web.Close()
	delay := time.Duration(rng.IntN(2)) * 200 * time.Millisecond
	depth := []int{0, 0, 50}[rng.IntN(3)] // a limit that nothing reaches keeps the depths
	d.cfg = func(c *crawl.Config) {
		c.Gate.Scope.Mode = gate.ScopeAny
		c.Gate.MaxDepth = depth
		c.Tail = 1 + int(seed%7)
		c.Gate.Dedup = dedup.Config{ExpectURLs: 1 + int(seed%100), BitsPerURL: 2, RestartEvery: int(seed % 3 * 9), Seed: seed}
		c.Gate.Frontier = frontier.Config{Delay: delay, Retries: 3, PerHost: 1, Window: 1}
		// Each run has another order.
		c.Gate.Frontier.Order, c.Gate.Frontier.OrderPages = frontier.Order(rng.IntN(4)), 1+rng.IntN(20)
		if delay == 0 {
			c.Gate.Frontier.Delay = frontier.NoDelay
		}
	}
	for range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		p := &power{mem: d.mem, stop: cancel, crash: rng.IntN(4) > 0, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng}}
		p.left.Store(1 + rng.Int64N(20))
		s.asked = p.request
		res, rep, err := d.run(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if p.clone == nil && res.EndedBy == crawl.Done {
			d.check(want, res, rep)
			d.polite(delay)
			return
		}
		if p.clone != nil {
			d.mem = p.clone
		}
	}
	s.asked = nil
	res, rep, err := d.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.check(want, res, rep)
	d.polite(delay)
	before := len(s.hits)
	if res, rep, err = d.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.check(want, res, rep)
	if n := len(s.hits) - before; n > 0 {
		t.Errorf("a complete crawl that is run again sends %d requests", n)
	}
}

// polite holds the requests of all runs together against the delay.
func (d *durable) polite(delay time.Duration) {
	last := map[string]time.Time{}
	for _, h := range d.site.hits {
		host, _, _ := strings.Cut(h.url, "/")
		if at, ok := last[host]; ok && h.at.Sub(at) < delay {
			d.t.Errorf("%s was asked after %s, not %s", h.url, h.at.Sub(at), delay)
		}
		last[host] = h.at
	}
}

// faults fails file operations from the n-th on, or that one alone.
type faults struct {
	mu   sync.Mutex
	n    int // guarded by mu
	once bool
	all  int // operations met; guarded by mu
}

// MaybeError is errorfs.Injector's.
func (f *faults) MaybeError(op errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all++
	f.n--
	if f.n == 0 || f.n < 0 && !f.once {
		return fmt.Errorf("%s: %w", op.Path, syscall.ENOSPC)
	}
	return nil
}

// String is errorfs.Injector's.
func (f *faults) String() string { return "faults" }

func (f *faults) wrap(m *vfs.MemFS) store.FS {
	return store.Wrap(errorfs.Wrap(m, f), store.OnMem(m).Truncate)
}

// Every file operation of a crawl fails in turn, alone or with all after it, and then
// the power, with none, half or all of what was not synced on disk. The crawl ends
// with an error or, where the operation did not matter, well; and resumed it is whole.
func TestEveryFileOperationMayFail(t *testing.T) {
	s := newSite(map[string]*page{})
	for i := range 24 {
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{links: []string{
			fmt.Sprintf("/%d", (i*2+1)%24), fmt.Sprintf("/%d", (i*2+2)%24), fmt.Sprintf("http://out%d.example/", i%5), "/moved"}}
	}
	s.pages["a.example/moved"] = &page{redirect: "/7"}
	want := map[string]bool{}
	for i := range 24 {
		want[fmt.Sprintf("a.example/%d", i)] = true
	}
	web := memweb.New(s.hosts())
	defer web.Close()
	newCrawl := func() *durable {
		return &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: web, seed: "http://a.example/0", cfg: func(c *crawl.Config) {
			c.Workers, c.Grace, c.Tail = 2, -1, 3
			c.Gate.Dedup = dedup.Config{ExpectURLs: 4, BitsPerURL: 2, Seed: 3}
			c.Gate.Frontier.Window = 1
		}}
	}
	d, counting := newCrawl(), &faults{n: math.MaxInt}
	d.wrap = counting.wrap
	if res, rep, err := d.run(t.Context()); err != nil {
		t.Fatal(err)
	} else {
		d.check(want, res, rep)
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	failures := 0
	for n := 1; n <= counting.all; n += step {
		d := newCrawl()
		d.wrap = (&faults{n: n, once: n%2 == 0}).wrap
		_, _, err := d.run(t.Context())
		if err != nil {
			failures++
		}
		d.wrap = nil
		d.mem = d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: n % 3 * 50, RNG: rand.New(rand.NewPCG(uint64(n), 1))})
		res, rep, again := d.run(t.Context())
		if again != nil {
			t.Fatalf("operation %d failed (%v), and then: %v", n, err, again)
		}
		d.check(want, res, rep)
		if t.Failed() {
			t.Fatalf("operation %d failed: %v", n, err)
		}
	}
	if failures < counting.all/step/4 {
		t.Errorf("of %d operations only %d mattered", counting.all/step, failures)
	}
}
