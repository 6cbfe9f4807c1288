package benchcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/dedup"
	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
	"crawler/weburl"
)

func smallBench() *benchOptions {
	return &benchOptions{benchSite: benchSite{pages: leastBenchPages, size: shell.Choice{Value: "small"}, hosts: 1, concurrency: 3}, rounds: 1, quiet: true}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		want    spread
	}{
		{[]float64{5}, spread{5, 5, 5}},
		{[]float64{4, 2}, spread{3, 2, 4}},
		{[]float64{9, 1, 4}, spread{4, 1, 9}},
		{[]float64{8, 1, 2, 100}, spread{5, 1, 100}},
	} {
		if got := spreadOf(c.figures); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.figures, got, c.want)
		}
	}
}

// benchRoundOf is a round of 100 pages.
func benchRoundOf(crawl, loop time.Duration, bytesPerURL int64, distinct, duplicates int) benchRound {
	r := benchRound{loop: loop, crawl: benchCrawl{
		cpu: crawl, wall: 2 * crawl, peak: 50 << 20, bytes: 120_000,
		asked: bigsite.Asked{Distinct: distinct, Duplicates: duplicates},
	}}
	r.crowd[0] = benchCrawl{peak: 40 << 20, urls: 500}
	r.crowd[1] = benchCrawl{peak: 40<<20 + 4500*bytesPerURL, urls: 5000}
	return r
}

func TestBenchArithmetic(t *testing.T) {
	rounds := []benchRound{
		benchRoundOf(20*time.Millisecond, 10*time.Millisecond, 30, 100, 0),
		benchRoundOf(50*time.Millisecond, 10*time.Millisecond, 10, 100, 0),
		benchRoundOf(25*time.Millisecond, 5*time.Millisecond, 12, 100, 0),
	}
	r := newBenchResult(smallBench(), 5000, rounds, []float64{200, 300, 250})
	near := func(what string, got spread, want spread) {
		t.Helper()
		for _, d := range []float64{got.Median - want.Median, got.Min - want.Min, got.Max - want.Max} {
			if math.Abs(d) > 1e-9 {
				t.Errorf("%s: %+v, want %+v", what, got, want)
			}
		}
	}
	near("pages per CPU-second", r.PagesPerCPUSecond, spread{4000, 2000, 5000})
	near("bytes per URL", *r.BytesPerURL, spread{12, 10, 30})
	near("ns", r.SeenTestNs, spread{250, 200, 300})
	near("CPU of the loop's", r.CPUOfBareLoop, spread{5, 2, 5})
	near("the loop's pages per CPU-second", r.LoopPerCPUSecond, spread{10_000, 10_000, 20_000})
	near("pages per second", r.PagesPerSecond, spread{2000, 1000, 2500})
	near("peak", *r.PeakMemory, spread{50 << 20, 50 << 20, 50 << 20})
	if r.Recall != 1 || r.Duplicates != 0 || r.Settings.PageBytes != 1200 || r.Settings.Rounds != 3 {
		t.Errorf("recall %v, %d duplicates, %+v", r.Recall, r.Duplicates, r.Settings)
	}
	if err := r.verdict(); err != nil {
		t.Error(err)
	}
}

// One page missed, or one fetched twice, in one round of many, is a failure.
func TestBenchVerdict(t *testing.T) {
	good := benchRoundOf(time.Second, time.Second, 1, leastBenchPages, 0)
	for _, c := range []struct {
		bad  benchRound
		want string
	}{
		{benchRoundOf(time.Second, time.Second, 1, leastBenchPages-1, 0), "recall is 99.5000 %, and 0 pages were fetched twice"},
		{benchRoundOf(time.Second, time.Second, 1, leastBenchPages, 1), "recall is 100.0000 %, and 1 page was fetched twice"},
	} {
		err := newBenchResult(smallBench(), 5000, []benchRound{good, c.bad}, []float64{1}).verdict()
		var e *shell.ExitError
		if !errors.As(err, &e) || e.Code != shell.ExitFailed || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Where the system does not report a process's memory, there is no figure, not a zero.
func TestBenchWithoutMemory(t *testing.T) {
	round := benchRoundOf(time.Second, time.Second, 1, leastBenchPages, 0)
	round.crawl.peak, round.crowd[0].peak, round.crowd[1].peak = 0, 0, 0
	r := newBenchResult(smallBench(), 5000, []benchRound{round}, []float64{1})
	var text, js bytes.Buffer
	if err := errors.Join(r.print(&text, false), r.print(&js, true)); err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(js.Bytes(), &keys); err != nil {
		t.Fatal(err)
	}
	if v, ok := keys["bytes_per_url"]; !ok || v != nil {
		t.Errorf("bytes_per_url is %v", v)
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "bytes of memory") && strings.ContainsAny(line, "0123456789") {
			t.Error(line)
		}
	}
}

// The pages are as large as the help says.
func TestBenchSites(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	for size, want := range map[string]float64{"small": 2.5e3, "medium": 12 << 10, "docs": 26 << 10, "dense": 18.5e3, "large": 240e3} {
		b := benchSite{pages: 300, size: shell.Choice{Value: size}}
		site, err := b.site("127.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0, 0
		for path := range site.All() {
			w := &page{header: http.Header{}}
			req, err := http.NewRequest(http.MethodGet, seenHost+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			site.ServeHTTP(w, req)
			sum, n = sum+w.Len(), n+1
		}
		if mean := float64(sum) / float64(n); n != b.pages || math.Abs(mean/want-1) > 0.05 {
			t.Errorf("%s: %d pages of %.0f bytes, want %.0f", size, n, mean, want)
		}
	}
}

func TestBenchLoop(t *testing.T) {
	b := smallBench().benchSite
	site, err := b.site("127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	counts := bigsite.NewCounts(site)
	if err := b.loop(crawltest.Serve(t, counts)); err != nil {
		t.Fatal(err)
	}
	if a := counts.Asked(); a.Distinct != b.pages || a.Duplicates+a.Others != 0 {
		t.Errorf("asked for %+v", a)
	}
	if err := b.loop(crawltest.Serve(t, http.NotFoundHandler())); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("a server without pages: %v", err)
	}
}

func TestSeenTest(t *testing.T) {
	ns, err := seenTest(t.Context(), 200, 2)
	if err != nil || len(ns) != 2 || ns[0] <= 0 || ns[1] <= 0 {
		t.Errorf("%v, %v", ns, err)
	}
	empty, err := dedup.NewSeenTest(dedup.Config{})
	if err != nil {
		t.Fatal(err)
	}
	base, err := weburl.Parse(seenHost + "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := askAll(empty, []linkedPage{{base, [][]byte{[]byte("a")}}}); err == nil || !strings.Contains(err.Error(), seenHost+"/a is known") {
		t.Errorf("a URL that is not known: %v", err)
	}
}

func TestBenchParts(t *testing.T) {
	fails := func(want string, code int, limit time.Duration, args ...string) {
		t.Helper()
		_, _, err := runPart(t.Context(), "the part", limit, args...)
		var e *shell.ExitError
		if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Error(), want) {
			t.Errorf("%v: %v, want code %d and %s", args, err, code, want)
		}
	}
	fails("the part: not done in 20ms", shell.ExitFailed, 20*time.Millisecond, "bench", "serve")
	fails("the part: unknown flag: --x", shell.ExitFailed, time.Minute, "bench", "serve", "--x")
	fails("the part: stat", shell.ExitDisk, time.Minute, "crawl", "http://127.0.0.1:1/", "-o", os.DevNull+"/x")
}

// Ctrl-C, before and in the middle: nothing is printed and nothing is left.
func TestBenchInterrupted(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	for _, at := range []string{"seen", "round"} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		ctx, cancel := context.WithCancel(t.Context())
		var out bytes.Buffer
		err := smallBench().bench(ctx, shell.Streams{Out: &out, Err: &out}, func(what string) {
			if strings.HasPrefix(what, at) {
				cancel()
			}
		})
		cancel()
		var e *shell.ExitError
		if !errors.As(err, &e) || e.Code != shell.ExitInterrupted || out.Len() > 0 {
			t.Errorf("%s: %v\n%s", at, err, out.String())
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v, %v", at, left, err)
		}
	}
}
