package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
	"crawler/report"
)

const (
	// mostAgain is how many pages a kill may make the crawler fetch again: at most three a
	// worker are under way, and with 1,024 recorded since the last commit, which a slow
	// disk keeps waiting, no more are begun.
	mostAgain = 3*crawlWorkers + 4*256
	// mostPlans is how many plans of kills may be tried. On a machine that is busy with other
	// things a crawl may be over before the kills that were planned by the pace of the one that
	// was left alone.
	mostPlans = 3
	// commitEvery is the longest time between two commits. A kill waits a random part of
	// it, so that kills fall anywhere between them, unless the crawl is too short for that.
	commitEvery = time.Second
)

// TestKill kills a crawl with SIGKILL again and again, during start-up, at work and
// while it ends, resumes it each time, and holds what came out against a crawl that was
// left alone: once all of the site, once under a depth limit, with a filter so small that it is
// restarted all the time, and with an archive. KILLS and KILL_PAGES set its size, KILL_SEED
// repeats a plan of kills (make kill). Without them it is small, and the crawler is this
// test binary, so that the race detector watches the killed processes too.
func TestKill(t *testing.T) {
	t.Parallel()
	small, few := 2000, 4
	if testing.Short() {
		small, few = 1000, 2
	}
	kills, pages := envNumber(t, "KILLS", few), envNumber(t, "KILL_PAGES", small)
	seed := uint64(envNumber(t, "KILL_SEED", int(rand.Uint64()>>33)))
	t.Logf("KILL_SEED=%d repeats these kills", seed)
	bin := "crawler"
	if os.Getenv("KILLS") != "" {
		bin = shipped(t)
	}
	depth := "4" // leaves some pages out
	if pages < 5000 {
		depth = "3"
	}
	for _, args := range [][]string{{"--exact-stats"}, {"--depth", depth, "--expect-urls", "300", "--warc", "--warc-size", "256KiB"}} {
		t.Run("crawl "+strings.Join(args, " "), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, uint64(len(args))))
			for range mostPlans {
				k := newKilling(t, bin, pages, args)
				k.leaveAlone(t)
				enough := k.killAll(t, kills, rng)
				k.compare(t)
				if enough || t.Failed() {
					return
				}
			}
			t.Errorf("in %d plans, too few kills met the crawl at work", mostPlans)
		})
	}
}

// killing is a crawl that is killed, and one that is left alone.
type killing struct {
	bin        string
	args       []string
	site       *bigsite.Site
	served     atomic.Pointer[siteRequests]
	numbered   *numbered
	killed     int
	url        string
	alone, dir string        // the crawl directories
	total      int           // URLs that the crawl left alone asked for
	start      time.Duration // from its start to the first of them
	end        time.Duration // from the last of them to its end
	took       time.Duration // all
	runs       int           // begun
}

func newKilling(t *testing.T, bin string, pages int, args []string) *killing {
	t.Helper()
	site, err := bigsite.New(bigsite.Config{Pages: pages, Seed: 3, Links: 8, Text: 3000, Trouble: true})
	if err != nil {
		t.Fatal(err)
	}
	k := &killing{bin: bin, args: args, site: site, alone: filepath.Join(t.TempDir(), "alone"), dir: filepath.Join(t.TempDir(), "killed")}
	k.numbered = &numbered{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.served.Load().ServeHTTP(w, r) })}
	k.url = crawltest.Serve(t, k.numbered)
	return k
}

// begin starts a new run of the crawl in dir. A directory without crawl.json holds no
// crawl yet; one with it is resumed.
func (k *killing) begin(t *testing.T, dir string) *process {
	t.Helper()
	args := []string{"resume", dir, "--quiet"}
	if _, err := os.Stat(filepath.Join(dir, "crawl.json")); err != nil {
		args = append(crawlArgs(k.url, dir), "--seed", "7", "--edges")
		args = append(args, k.args...)
	}
	k.runs++
	return startCrawler(t, k.bin, append(args, "--user-agent", fmt.Sprintf("crawlertest/%d", k.runs-1))...)
}

// leaveAlone crawls without a kill and checks the outcome against the site.
func (k *killing) leaveAlone(t *testing.T) {
	t.Helper()
	q := newSiteRequests(k.site)
	k.served.Store(q)
	began := time.Now()
	p := k.begin(t, k.alone)
	select {
	case <-q.reached(1):
	case <-p.ended:
	}
	k.start = time.Since(began)
	p.succeed(t)
	k.took, k.end = time.Since(began), time.Since(q.latestNew())
	k.total = q.different()
	if twice := q.askedTwice(); len(twice) > 0 {
		t.Fatalf("left alone, the crawl asked twice for %v", twice)
	}
	if slices.Contains(k.args, "--depth") {
		return // some are left out
	}
	want := map[string]int{}
	for path, status := range k.site.All() {
		answer := httptest.NewRecorder()
		k.site.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		want[k.url+cmp.Or(answer.Header().Get("Location"), path)] = status
	}
	if got := readOutcome(t, k.alone).pages; !maps.Equal(got, want) {
		t.Fatalf("left alone, the crawl records %d pages, the site has %d", len(got), len(want))
	}
}

// moment is when to kill: once so many URLs were asked for in all runs, and then after
// some time.
type moment struct {
	asked int
	after time.Duration
}

// plan spreads the kills: each fifth, the first included, falls into the start of a run,
// the last ones into the end of the crawl, the others between.
func (k *killing) plan(kills int, r *rand.Rand) []moment {
	last := (kills + 9) / 10
	work := max(k.took-k.start-k.end, time.Millisecond)
	asked := make([]int, kills)
	for i := range asked {
		asked[i] = r.IntN(k.total*8/10 + 1) // so that it is not over before the kill comes
	}
	slices.Sort(asked)
	plan := make([]moment, kills)
	for i := range plan {
		switch {
		case i >= kills-last:
			plan[i] = moment{k.total, upTo(r, k.end)}
		case i%5 == 0:
			plan[i] = moment{0, upTo(r, min(k.start*3/2, k.start+work/4))}
		default:
			plan[i] = moment{asked[i], upTo(r, min(commitEvery, work/time.Duration(2*kills)))}
		}
	}
	return plan
}

func upTo(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}

// killAll carries out a plan and lets the last run end. It reports whether nearly all kills
// met the crawl at work.
func (k *killing) killAll(t *testing.T, kills int, r *rand.Rand) (enough bool) {
	t.Helper()
	q := newSiteRequests(k.site)
	k.served.Store(q)
	k.numbered.forget()
	k.runs = 0
	killed, complete := 0, false
	for _, m := range k.plan(kills, r) {
		if m.asked > 0 && q.different() >= m.asked {
			m.after += k.start // the run before came further than planned
		}
		p := k.begin(t, k.dir)
		var late <-chan struct{} // never
		if from := max(q.different(), m.asked); from < k.total {
			// half of the rest: it is faster than it was alone
			late = q.reached((from + k.total) / 2)
		}
		p.await(q.reached(m.asked), late, m.after)
		p.kill()
		if complete = p.complete(); complete {
			break
		}
		if p.ProcessState.Exited() {
			t.Fatalf("run %d: %v: %v\n%s", k.runs, p.Args[1:], p.ProcessState, p.out.String())
		}
		killed++
		t.Logf("kill %2d once %5d of %d URLs were asked for and %3d ms later, at %5d", killed, m.asked, k.total, m.after.Milliseconds(), q.different())
	}
	if !complete {
		p := k.begin(t, k.dir)
		if <-p.ended; !p.complete() {
			t.Fatalf("the last run, %v: %v\n%s", p.Args[1:], p.ProcessState, p.out.String())
		}
	}
	k.killed = killed
	k.checkRequests(t, q, killed)
	k.checkComplete(t)
	if enough = killed >= kills-(kills+9)/10; !enough {
		t.Logf("only %d of %d kills met the crawl at work", killed, kills)
	}
	return enough
}

// await waits for the moment, or for the process to end or be late before it.
func (p *process) await(reached, late <-chan struct{}, after time.Duration) {
	select {
	case <-reached:
	case <-p.ended:
		return
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-late:
	case <-p.ended:
	}
}

// checkRequests reads what the server saw: what a kill cost, and that no run asked for
// anything twice.
func (k *killing) checkRequests(t *testing.T, q *siteRequests, killed int) {
	t.Helper()
	sum, most := 0, 0
	for run := range k.runs {
		n := q.fetchedAgain(run)
		sum, most = sum+n, max(most, n)
		if n > mostAgain {
			t.Errorf("%d pages were fetched again after run %d was killed, %d may be", n, run, mostAgain)
		}
	}
	if twice := q.askedTwice(); len(twice) > 0 {
		t.Errorf("asked for twice in one run: %v", twice)
	}
	t.Logf("%d kills, %d pages fetched again: %.1f a kill, %d at most (limit %d)",
		killed, sum, float64(sum)/float64(max(killed, 1)), most, mostAgain)
}

// checkComplete resumes what has nothing left.
func (k *killing) checkComplete(t *testing.T) {
	t.Helper()
	p := k.begin(t, k.dir)
	if <-p.ended; !p.refused() {
		t.Errorf("a complete crawl was resumed: %v\n%s", p.ProcessState, p.out.String())
	}
}

// compare holds the killed crawl against the one left alone.
func (k *killing) compare(t *testing.T) {
	t.Helper()
	got, want := readOutcome(t, k.dir), readOutcome(t, k.alone)
	differ(t, report.PagesFile, got.pages, want.pages)
	differ(t, report.EdgesFile, got.edges, want.edges)
	differ(t, report.LinksFile, got.links, want.links)
	differ(t, report.RedirectsFile, got.hops, want.hops)
	differ(t, report.SkippedFile, got.skipped, want.skipped)
	if slices.Contains(k.args, "--warc") {
		k.numbered.checkArchive(t, k.dir, k.killed)
	}
	compareReports(t, loadReport(t, k.dir), loadReport(t, k.alone))
}
