//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
)

// The budget of a durable crawl: resident memory in bytes, and what each discovered URL
// may add to it; the slope must never be above memoryMost.
const (
	memoryBase = 64 << 20
	memoryURL  = 16
	memoryMost = 100
)

// linksOfHuge is the number of links of each page of the site that makes a crawl
// discover far more URLs than it fetches.
const linksOfHuge = 2000

// crowd is a crawl that discovers a number of URLs.
type crowd struct {
	name  string
	sizes []int
	site  func(urls int) bigsite.Config
	args  func(urls int) []string
}

var crowds = []crowd{{
	name: "pages, all fetched", sizes: []int{25_000, 50_000, 100_000, 200_000},
	site: func(n int) bigsite.Config { return bigsite.Config{Pages: n, Links: 4, Text: 600} },
	args: func(int) []string { return nil },
}, {
	name: "URLs, of 2,000 one fetched", sizes: []int{250_000, 500_000, 1_000_000, 2_000_000},
	site: func(n int) bigsite.Config {
		return bigsite.Config{Pages: n + 1, Branch: linksOfHuge, Text: 600}
	},
	args: func(n int) []string { return []string{"--max-pages", strconv.Itoa(n / linksOfHuge)} },
}}

// TestMemory measures peak resident memory over the number of pages and of discovered
// URLs, with durability and without. It runs with MEMORY=1 on Linux (make memory).
func TestMemory(t *testing.T) {
	if os.Getenv("MEMORY") == "" || runtime.GOOS != "linux" {
		t.Skip("MEMORY=1 measures memory, on Linux (make memory)")
	}
	bin := shipped(t)
	for _, c := range crowds {
		for _, durable := range []bool{true, false} {
			t.Run(c.name+map[bool]string{true: ", durable", false: ", in memory"}[durable], func(t *testing.T) {
				c.measure(t, bin, durable)
			})
		}
	}
}

func (c crowd) measure(t *testing.T, bin string, durable bool) {
	t.Logf("%12s %10s %10s %10s %10s %10s %8s  %s", "discovered", "fetched", "peak RSS", "budget", "state/", "seen/", "seconds", "goal")
	var urls, peaks []float64
	for _, n := range c.sizes {
		m := c.run(t, bin, n, durable)
		budget := int64(memoryBase + memoryURL*m.urls)
		t.Logf("%12d %10d %6.1f MiB %6.1f MiB %6.1f MiB %6.1f MiB %8.1f  %s", m.urls, m.fetched,
			mebi(m.peak), mebi(budget), mebi(m.state), mebi(m.seen), m.took.Seconds(), metOrMissed(m.peak <= budget))
		if durable && m.peak > budget {
			t.Errorf("%d URLs: %.1f MiB, the budget is %.1f MiB", m.urls, mebi(m.peak), mebi(budget))
		}
		urls, peaks = append(urls, float64(m.urls)), append(peaks, float64(m.peak))
	}
	slope := leastSquares(urls, peaks)
	t.Logf("%.1f bytes for each further one (least squares); goals: %d %s, %d %s",
		slope, memoryURL, metOrMissed(slope <= memoryURL), memoryMost, metOrMissed(slope <= memoryMost))
	if durable && slope > memoryMost {
		t.Errorf("%.1f bytes for each further one, the limit is %d", slope, memoryMost)
	}
}

func metOrMissed(met bool) string { return map[bool]string{true: "met", false: "missed"}[met] }

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// measured is one crawl's figures: numbers and bytes.
type measured struct {
	urls, fetched     int
	peak, state, seen int64
	took              time.Duration
}

func (c crowd) run(t *testing.T, bin string, n int, durable bool) measured {
	t.Helper()
	site, err := bigsite.New(c.site(n))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "crawl")
	defer os.RemoveAll(dir)
	args := append(crawlArgs(crawltest.Serve(t, site), dir), c.args(n)...)
	if !durable {
		args = append(args, "--durable=false")
	}
	began := time.Now()
	p := startCrawler(t, bin, args...)
	peak := watchRSS(p)
	p.succeed(t)
	rep := loadReport(t, dir)
	m := measured{urls: int(rep.Dedup.New), fetched: rep.Pages.Fetched, peak: peak, took: time.Since(began),
		state: bytesBelow(t, filepath.Join(dir, "state")), seen: bytesBelow(t, filepath.Join(dir, "seen"))}
	if m.urls < n*9/10 { // several in flight overtake each other, so some are pages without links
		t.Fatalf("%d URLs discovered, the site has %d", m.urls, n)
	}
	return m
}

// watchRSS watches a process until it ends and returns the largest resident set it had.
// It reads VmHWM, which the kernel keeps, so only what grows in the last interval can
// be missed. The Maxrss of wait4 is of no use here: a child that is made by vfork, as
// all of Go's are, inherits the peak of its parent, which serves the site.
func watchRSS(p *process) (peak int64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, procinfo.HighWater(strconv.Itoa(p.Process.Pid)))
		select {
		case <-p.ended:
			return peak
		case <-tick.C:
		}
	}
}

// bytesBelow adds up the sizes of the files below dir, 0 if it is not there.
func bytesBelow(t *testing.T, dir string) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return sum
}

// leastSquares is the slope of the line through the points with the least squared error.
func leastSquares(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := float64(len(x)), 0.0, 0.0, 0.0, 0.0
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
