package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
)

// costPages and costPairs are the size of TestCost.
const (
	costPages = 20_000
	costPairs = 9
)

// costGoal is the most that durability may take of the pages a second.
const costGoal = 0.15

// TestCost measures what durability costs: the same site is crawled with it and without
// by turns, and each pair, side by side in time, gives one ratio. It runs with COST=1
// (make cost).
func TestCost(t *testing.T) {
	if os.Getenv("COST") == "" {
		t.Skip("COST=1 measures what durability costs (make cost)")
	}
	site, err := bigsite.New(bigsite.Config{Pages: costPages, Links: 10})
	if err != nil {
		t.Fatal(err)
	}
	bin, url := shipped(t), crawltest.Serve(t, site)
	t.Logf("%d pages; server and crawler share this machine's processors; wall-clock time from start to exit", costPages)
	timed(t, bin, url, "--durable=false") // fills the caches of disk and processor
	var ratios, cpu []float64
	for pair := range costPairs {
		var on, off timing
		if pair%2 == 0 {
			on, off = timed(t, bin, url), timed(t, bin, url, "--durable=false")
		} else {
			off, on = timed(t, bin, url, "--durable=false"), timed(t, bin, url)
		}
		ratios = append(ratios, off.wall.Seconds()/on.wall.Seconds())
		cpu = append(cpu, on.cpu.Seconds()/off.cpu.Seconds())
		t.Logf("durable %5.0f pages/s, in memory %5.0f pages/s, ratio %.3f; CPU %.2f s and %.2f s",
			costPages/on.wall.Seconds(), costPages/off.wall.Seconds(), ratios[pair], on.cpu.Seconds(), off.cpu.Seconds())
	}
	slices.Sort(ratios)
	slices.Sort(cpu)
	cost := 1 - ratios[costPairs/2]
	t.Logf("durability costs %.1f %% of the pages a second (median of %d pairs, %.1f to %.1f %%), and %+.1f %% CPU (median)",
		100*cost, costPairs, 100*(1-ratios[costPairs-1]), 100*(1-ratios[0]), 100*(cpu[costPairs/2]-1))
	if cost > costGoal {
		t.Errorf("missed: the goal is %.0f %% at most", 100*costGoal)
	}
}

// timing is what a crawl took.
type timing struct{ wall, cpu time.Duration }

// timed crawls the whole site into a new directory.
func timed(t *testing.T, bin, url string, args ...string) timing {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "crawl")
	defer os.RemoveAll(dir)
	began := time.Now()
	c := startCrawler(t, bin, append(crawlArgs(url, dir), args...)...)
	c.succeed(t)
	took := timing{time.Since(began), c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if rep := loadReport(t, dir); rep.Pages.Fetched != costPages {
		t.Fatalf("%d pages fetched, the site has %d", rep.Pages.Fetched, costPages)
	}
	return took
}
