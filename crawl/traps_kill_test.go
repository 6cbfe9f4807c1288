package crawl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/mazes"
	"crawler/internal/memweb"
	"crawler/report"
)

// killed crawls a site in virtual time. Kills times the power fails, each time after up to every
// requests; then the crawl is left to its end. It returns what was asked for, and the verdict about
// each URL: that it is a page, or why it was refused and by which pattern.
func killed(t *testing.T, s *mazes.Site, kills, every int, seed uint64, change func(*crawl.Config)) (*mazes.Tally, []string, crawl.Result) {
	t.Helper()
	tally, p := mazes.NewTally(s), &power{stop: func() {}}
	w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		p.request()
		tally.ServeHTTP(rw, r)
	})})
	defer w.Close()
	d := &durable{t: t, mem: vfs.NewCrashableMem(), web: w, seed: s.Seed, cfg: func(c *crawl.Config) {
		c.Gate.FollowTraps, c.Gate.Traps.Budget, c.Gate.Scope.Mode = false, 3*trapBudget, gate.ScopeDomain
		c.Workers, c.Tail, c.Gate.Frontier.Delay, c.Gate.Frontier.PerHost = 1, 16, 50*time.Millisecond, 1
		change(c)
	}}
	rng := rand.New(rand.NewPCG(seed, 3))
	for range kills {
		ctx, cancel := context.WithCancel(t.Context())
		*p = power{mem: d.mem, stop: cancel, crash: true, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng}}
		p.left.Store(1 + rng.Int64N(int64(every)))
		_, _, err := d.run(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if p.clone != nil {
			d.mem = p.clone
		}
	}
	p.left.Store(0)
	res, _, err := d.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []string
	for _, x := range lines[report.PageRecord](t, d.mem, report.PagesFile) {
		verdicts = append(verdicts, x.URL+" fetched")
	}
	for _, x := range lines[gate.Skip](t, d.mem, report.SkippedFile) {
		verdicts = append(verdicts, fmt.Sprintf("%s %s %s", x.URL, x.Reason, x.Detail))
	}
	slices.Sort(verdicts)
	return tally, verdicts, res
}

// A crawl that is killed again and again, at any request, passes the same verdict about every URL
// as one that is left alone: the guard's state survives.
func TestKillsChangeNoVerdict(t *testing.T) {
	names := []string{"manual with a calendar", "session in query", "wiki with a soft 404", "blog with a maze", "one shape", "longer queries"}
	if testing.Short() {
		names = names[:2]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := siteNamed(t, name)
			change := func(*crawl.Config) {}
			var want []string
			synctest.Test(t, func(t *testing.T) { _, want, _ = killed(t, s, 0, 1, 0, change) })
			runs, seeds := 0, fewer(6)
			for seed := range seeds {
				synctest.Test(t, func(t *testing.T) {
					_, got, res := killed(t, s, 12, 40, seed, change)
					if runs += res.Runs; res.EndedBy != crawl.Done {
						t.Errorf("seed %d: ended by %s", seed, res.EndedBy)
					}
					if !slices.Equal(got, want) {
						t.Errorf("seed %d: %s", seed, difference(got, want))
					}
				})
			}
			if runs < 3*int(seeds) {
				t.Errorf("%d runs of %d crawls: the kills came before the first commit", runs, seeds)
			}
		})
	}
}

// Kills lose no honest page, with 1, 16 and 64 pages in flight, whatever they do to the order.
func TestKillsLoseNothingHonest(t *testing.T) {
	for _, flight := range []int{1, 16, 64} {
		for i, s := range mazes.All(7, 120) {
			if testing.Short() && (s.Trap || flight == 16 || i%4 != 0) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d in flight", s.Name, flight), func(t *testing.T) {
				t.Parallel()
				change := func(c *crawl.Config) {
					c.Workers, c.Gate.Frontier.PerHost, c.MaxPages = flight, flight, 3000
					c.Gate.Frontier.Delay = frontier.NoDelay
				}
				all, _, _ := crawlSite(t, s, func(c *crawl.Config) {
					c.Gate.FollowTraps = true
					if s.Trap {
						c.MaxPages = 1200
					}
				})
				synctest.Test(t, func(t *testing.T) {
					got, _, res := killed(t, s, 6, 60, uint64(flight), change)
					if lost := got.Missing(all); len(lost) > 0 || res.EndedBy != crawl.Done {
						t.Errorf("ended by %s, lost %d: %q", res.EndedBy, len(lost), lost[:min(3, len(lost))])
					}
				})
			})
		}
	}
}

// difference says what two sorted lists do not share.
func difference(got, want []string) string {
	var more, less []string
	for _, x := range got {
		if _, ok := slices.BinarySearch(want, x); !ok {
			more = append(more, x)
		}
	}
	for _, x := range want {
		if _, ok := slices.BinarySearch(got, x); !ok {
			less = append(less, x)
		}
	}
	return fmt.Sprintf("%d verdicts and %d; with kills %d others, %q, without %d, %q",
		len(got), len(want), len(more), more[:min(3, len(more))], len(less), less[:min(3, len(less))])
}
