package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"crawler/internal/bigsite"
	"crawler/report"
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
	bin, url := shipped(t), serveOnLoopback(t, site)
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

// crawlWorkers is the number of pages that a crawl of crawlArgs fetches at a time.
const crawlWorkers = 16

// crawlArgs are those of a crawl as fast as it can be.
func crawlArgs(url, dir string) []string {
	return []string{"crawl", url + "/", "-o", dir, "--delay", "0", "--per-host", "8", "-c", strconv.Itoa(crawlWorkers), "--quiet"}
}

// shipped builds the program as make build does.
func shipped(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "crawler")
	command(t, "go", "build", "-tags", "minimal", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	return bin
}

// serveOnLoopback serves h for as long as the test runs.
func serveOnLoopback(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func loadReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	rep, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// process is a crawler at work as a process of its own.
type process struct {
	*exec.Cmd
	out    bytes.Buffer  // what it prints; to be read when it has ended
	ended  chan struct{} // closed when it has
	cancel context.CancelFunc
}

// longestRun bounds every process: one that hangs has to tell what its goroutines do,
// is killed, and the test fails.
const longestRun = 5 * time.Minute

// startCrawler starts the program; "crawler" is the test binary itself (TestMain), with
// the race detector if the test has it.
func startCrawler(t *testing.T, bin string, args ...string) *process {
	t.Helper()
	return startFor(t, longestRun, bin, args...)
}

// startFor is startCrawler for a process that may take so long.
func startFor(t *testing.T, limit time.Duration, bin string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	p := &process{Cmd: exec.CommandContext(ctx, bin, args...), ended: make(chan struct{}), cancel: cancel}
	p.Stdout, p.Stderr = &p.out, &p.out
	p.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // or each would end a second late
	p.Cancel = func() error { return p.Process.Signal(syscall.SIGQUIT) }
	p.WaitDelay = 10 * time.Second
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		defer cancel()
		p.Wait() // ProcessState tells
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is SIGKILL, and waits for the end.
func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// succeed waits for exit code 0.
func (p *process) succeed(t *testing.T) {
	t.Helper()
	<-p.ended
	if p.ProcessState == nil || !p.ProcessState.Success() {
		t.Fatalf("crawler %v: %v\n%s", p.Args[1:], p.ProcessState, p.out.String())
	}
}
