package crawl_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/report"
)

// sampledWeb is a web of hosts of 1 to 30 pages each, and the front pages of all. Every page of a
// host can be reached from its front page; many link to other hosts, too.
func sampledWeb(hosts int) (s *site, seeds []string, pages int) {
	rng := rand.New(rand.NewPCG(11, 11))
	s = newSite(map[string]*page{})
	for h := range hosts {
		name := fmt.Sprintf("h%d.example", h)
		n := 1 + rng.IntN(10)*rng.IntN(4)
		for i := range n {
			p := &page{links: []string{fmt.Sprintf("http://h%d.example/p0", rng.IntN(hosts))}}
			if i+1 < n {
				p.links = append(p.links, fmt.Sprintf("/p%d", i+1))
			}
			s.pages[fmt.Sprintf("%s/p%d", name, i)] = p
		}
		seeds, pages = append(seeds, "http://"+name+"/p0"), pages+n
	}
	return s, seeds, pages
}

// Over many seeds the estimates of the report have no bias, and their intervals hold the truth, if
// every host is a seed. Each sample has its hosts whole.
func TestHostSampleIsUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("many crawls for a mean: the same code as in the other tests of samples")
	}
	const hosts, seeds, share = 120, 80, 0.25
	s, list, pages := sampledWeb(hosts)
	truths := map[string]float64{"hosts": hosts, "pages": float64(pages), "mean": float64(pages) / hosts}
	sums, squares, held := map[string]float64{}, map[string]float64{}, map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		for seed := range uint64(seeds) {
			rec, err := report.NewRecorder(report.Config{Seed: seed + 1, HostShare: share})
			if err != nil {
				t.Fatal(err)
			}
			cfg := config(t, w, nil, list...)
			cfg.Recorder = rec
			cfg.Gate.Scope, cfg.Gate.Dedup.Seed = gate.Scope{Mode: gate.ScopeAny, HostShare: share}, seed+1
			res, err := crawl.Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			rep := report.New("test", res, rec, report.Usage{})
			for _, site := range rep.Sites {
				if n := pagesOf(s, site.Site); site.Pages != n {
					t.Errorf("seed %d: %d of %d pages of %s", seed, site.Pages, n, site.Site)
				}
			}
			for name, f := range map[string]report.Figure{"hosts": rep.HostSample.TotalHosts, "pages": *rep.HostSample.TotalPages, "mean": *rep.HostSample.MeanPages} {
				d := f.Estimate - truths[name]
				sums[name] += d
				squares[name] += d * d
				if f.Low <= truths[name] && truths[name] <= f.High {
					held[name]++
				}
			}
		}
	})
	for name, truth := range truths {
		if bias, noise := sums[name]/seeds, math.Sqrt(squares[name])/seeds; math.Abs(bias) > 3.5*noise {
			t.Errorf("%s: %v in truth, biased by %v ± %v", name, truth, bias, noise)
		}
		if held[name] < seeds*88/100 {
			t.Errorf("%s: the interval holds for %d of %d seeds", name, held[name], seeds)
		}
	}
}

func pagesOf(s *site, host string) (n int) {
	for k := range s.pages {
		if strings.HasPrefix(k, host+"/") {
			n++
		}
	}
	return n
}

// A crawl whose power fails again and again, and whose filter changes its seed at restarts, keeps
// the sample that it began with, even if the settings' seed is another then.
func TestHostSampleSurvives(t *testing.T) {
	s, seeds, _ := sampledWeb(40)
	front := &page{links: seeds} // a host that is in the sample of every seed tried here
	var whole []string
	for kills := range 6 {
		synctest.Test(t, func(t *testing.T) {
			s.asked = nil
			s.pages["front7.example/"] = front
			rng := rand.New(rand.NewPCG(uint64(kills), 5))
			d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://front7.example/"}
			defer d.web.Close()
			run := uint64(0)
			d.cfg = func(c *crawl.Config) {
				c.Gate.Scope = gate.Scope{Mode: gate.ScopeAny, HostShare: 0.5}
				c.Gate.Dedup, c.Tail = dedup.Config{ExpectURLs: 4, BitsPerURL: 2, RestartEvery: 9, Seed: frontSeed + 1000*run}, 4
				run++
			}
			for range kills {
				ctx, cancel := context.WithCancel(t.Context())
				p := &power{mem: d.mem, stop: cancel, crash: true, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}}
				p.left.Store(1 + rng.Int64N(30))
				s.asked = p.request
				_, _, err := d.run(ctx)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				if p.clone != nil {
					d.mem = p.clone
				}
				if _, err := d.mem.Stat(d.mem.PathJoin(crawlDir, report.PagesFile)); err != nil {
					run = 0 // nothing has survived, so it begins anew
				}
			}
			s.asked = nil
			res, _, err := d.run(t.Context())
			if err != nil || res.EndedBy != crawl.Done {
				t.Fatal(res.EndedBy, err)
			}
			var got []string
			for _, p := range lines[report.PageRecord](t, d.mem, report.PagesFile) {
				got = append(got, p.URL)
			}
			slices.Sort(got)
			switch {
			case kills == 0:
				whole = got
				if len(got) < 20 || res.Skipped[gate.NotSampled] < 5 || res.Dedup.Restarts == 0 {
					t.Errorf("%d pages, %v skipped: nothing is tried", len(got), res.Skipped)
				}
			case !slices.Equal(got, whole):
				t.Errorf("%d kills: %d pages, %d without", kills, len(got), len(whole))
			}
		})
	}
}

// frontSeed has the front page's host in the sample.
const frontSeed = 3

// A resumed crawl with another share is refused.
func TestHostShareMustStay(t *testing.T) {
	s, seeds, _ := sampledWeb(10)
	s.pages["front7.example/"] = &page{links: seeds}
	synctest.Test(t, func(t *testing.T) {
		d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://front7.example/"}
		defer d.web.Close()
		share := 0.5
		d.cfg = func(c *crawl.Config) { c.Gate.Scope = gate.Scope{Mode: gate.ScopeAny, HostShare: share} }
		if _, _, err := d.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		share = 0.25
		if _, _, err := d.run(t.Context()); err == nil || !strings.Contains(err.Error(), "HostShare is 0.25, but the crawl began with 0.5") {
			t.Error(err)
		}
	})
}
