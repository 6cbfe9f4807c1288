package crawl_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/report"
)

// retry has the next run ask again for what was given up.
func (d *durable) retry() (int, error) {
	dir, err := d.open()
	if err != nil {
		return 0, err
	}
	n, err := report.Retry(dir, (*gate.GivenUp).MayPass, func() error { return nil })
	return n, cmp.Or(err, dir.Close())
}

// spoil makes a part of the pages answer badly or not at all, and one host in three not at all.
func spoil(s *site, rng *rand.Rand) {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range s.pages {
			if !yield(k) {
				return
			}
		}
	}) {
		p := s.pages[name]
		if name == "h0.example/p0" || p.redirect != "" && rng.IntN(2) == 0 {
			continue
		}
		p.fails = 0
		if dead := name[1] == '2'; dead || rng.IntN(3) == 0 {
			p.fails, p.failWith = -1, []int{0, 200, 429, 500, 503, 408}[rng.IntN(6)]
			if dead {
				p.failWith = 0
			}
		}
	}
}

func heal(s *site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		p.fails = 0
	}
}

// A crawl that gave up whatever was ill, and asks again when all are well, ends as a crawl
// does that met no trouble: in every file, in every figure, and however often the power fails.
func TestRetryEndsAsIfNothingHadFailed(t *testing.T) {
	given, cut := 0, 0
	for seed := range fewer(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rep := retried(t, seed)
				given += rep.Incomplete()
				cut += rep.GivenUp["body"]
			})
		})
	}
	if given < int(fewer(60)) {
		t.Errorf("only %d URLs were given up", given)
	}
	if cut < int(fewer(60))/10 {
		t.Errorf("only %d bodies were cut", cut)
	}
}

func retried(t *testing.T, seed uint64) (ill *report.Report) {
	rng := rand.New(rand.NewPCG(seed, 77))
	s, want := randomWeb(rng)
	heal(s)
	depth := []int{0, 0, 50}[rng.IntN(3)]
	d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://h0.example/p0"}
	defer d.web.Close()
	d.cfg = func(c *crawl.Config) {
		c.Gate.Scope.Mode = gate.ScopeAny
		c.Gate.MaxDepth = depth
		c.Tail = 1 + int(seed%7)
		c.Gate.Dedup = dedup.Config{ExpectURLs: 1 + int(seed%100), BitsPerURL: 2, Seed: seed}
		c.Gate.Frontier = frontier.Config{Delay: frontier.NoDelay, Retries: 1, PerHost: 1, Patience: 3 * time.Second}
	}
	res, healthy, err := d.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.check(want, res, healthy)
	links := d.links()

	d.mem = vfs.NewCrashableMem()
	spoil(s, rng)
	res, ill, err = d.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	given := ill.Incomplete()
	if res.EndedBy != crawl.Done || given == 0 {
		return ill
	}
	if rng.IntN(2) == 0 {
		heal(s)
	} // else what is asked again fails once more, and must be listed once
	n, err := d.retry()
	if err != nil || n != given {
		t.Fatalf("%d URLs were given up (%v), %d are asked again: %v", given, ill.GivenUp, n, err)
	}
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		p := &power{mem: d.mem, stop: cancel, crash: rng.IntN(4) > 0, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng}}
		p.left.Store(1 + rng.Int64N(10))
		s.asked = p.request
		if _, _, err := d.run(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		s.asked = nil
		if p.clone != nil {
			d.mem = p.clone
		}
		if rng.IntN(2) == 0 {
			if _, err := d.retry(); err != nil {
				t.Fatal(err)
			}
		}
	}
	heal(s)
	var rep *report.Report
	for range 2 { // the second has what the first met while the power failed
		if _, err := d.retry(); err != nil {
			t.Fatal(err)
		}
		if res, rep, err = d.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d.check(want, res, rep)
	d.same(healthy, rep)
	if got := d.links(); !slices.Equal(got, links) {
		t.Errorf("links.bin has\n%q\nand without trouble\n%q", got, links)
	}
	return ill
}

// links are the records of links.bin, sorted: each is a line.
func (d *durable) links() []string {
	f, err := d.mem.Open(d.mem.PathJoin(crawlDir, report.LinksFile))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		d.t.Fatal(err)
	}
	list := strings.SplitAfter(string(data), "\n")
	slices.Sort(list)
	return list
}

// same holds the figures of two crawls of one web against each other.
func (d *durable) same(want, got *report.Report) {
	d.t.Helper()
	if got.Incomplete() > 0 {
		d.t.Errorf("given up: %v", got.GivenUp)
	}
	for _, figure := range []struct {
		name      string
		want, got any
	}{
		{"pages", want.Pages.Fetched, got.Pages.Fetched},
		{"bytes", want.Pages.Bytes, got.Pages.Bytes},
		{"different texts", want.Pages.Unique, got.Pages.Unique},
		{"statuses", want.Pages.ByStatus, got.Pages.ByStatus},
		{"types", want.Pages.ByType, got.Pages.ByType},
		{"redirects", want.Pages.Redirects, got.Pages.Redirects},
		{"words", want.Words, got.Words},
		{"sites", want.Sites, got.Sites},
		{"skipped", want.Skipped, got.Skipped},
		{"errors", want.Errors, got.Errors},
		{"new URLs", want.Dedup.New, got.Dedup.New},
		{"broken links", len(want.Pages.Broken), len(got.Pages.Broken)},
	} {
		if !reflect.DeepEqual(figure.want, figure.got) {
			d.t.Errorf("%s: %v, without trouble %v", figure.name, figure.got, figure.want)
		}
	}
}
