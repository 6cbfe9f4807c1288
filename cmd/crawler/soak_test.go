//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crawler/cmd/crawler/internal/shell"

	farm "crawler/internal/hostile"
)

// soakRetries is how often the soak's crawl tries a page again.
const soakRetries = 2

// TestSoak crawls a farm that misbehaves in every way at once, by a process of its own,
// and holds the outcome against what the farm's servers saw and its generator knows:
//
//   - the honest hosts are served in every interval until they have nothing left, at no
//     less than leastPace of the pace that politeness allows, and each of their pages is
//     fetched once and recorded as it is;
//   - every request is accounted for (see accounts);
//   - nothing forbidden is asked for, and no connection goes where no seed allows it;
//   - memory stays flat, and the crawl comes to its end by itself, with exit code 0 and
//     nothing on standard error.
//
// Without SOAK it is small, and the crawler is this test binary, so that the race detector
// watches it too. SOAK=1 (make soak) takes SOAK_TIME; SOAK_SEED repeats a farm, SOAK_HTTP=2 asks
// for HTTP/2, SOAK_MEMORY=256MiB is for --max-memory.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := newSoak(t)
	began := time.Now()
	p := startFor(t, s.limit()+time.Minute, s.bin, s.args()...)
	samples := s.watch(p)
	took := time.Since(began)
	if err := s.farm.Close(); err != nil {
		t.Error(err)
	}
	s.checkEnd(t, p, took)
	s.checkProgress(t, samples)
	s.checkMemory(t, samples)
	a := s.account(t)
	a.checkHonest(t)
	a.checkRequests(t)
	a.checkPace(t, s.cfg.Delay)
	a.checkTotals(t)
	for _, v := range s.farm.Violations() {
		t.Errorf("the crawler asked for %s", v)
	}
}

// soak is a farm and a crawl of it.
type soak struct {
	bin  string
	cfg  farm.Config
	farm *farm.Farm
	dir  string // of the crawl
	urls string // the file of seeds
	long bool
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{bin: "crawler", dir: filepath.Join(t.TempDir(), "out"), urls: filepath.Join(t.TempDir(), "seeds"), long: os.Getenv("SOAK") != ""}
	s.cfg = farm.Config{Last: 10 * time.Second, Delay: 500 * time.Millisecond, Timeout: 2 * time.Second, Links: 2000, Dead: 300}
	seed := 1 // a small farm may lack a kind of trouble, so this one is always the same
	if s.long {
		seed = int(rand.Uint64() >> 33)
		s.bin = shipped(t)
		s.cfg = farm.Config{Last: soakTime(t), Delay: 200 * time.Millisecond, Timeout: 12 * time.Second, Links: 100_000, Dead: 1000}
	}
	s.cfg.Seed = uint64(envNumber(t, "SOAK_SEED", seed))
	t.Logf("SOAK_SEED=%d repeats this farm", s.cfg.Seed)
	var err error
	if s.farm, err = farm.Open(s.cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.farm.Close() })
	if err := os.WriteFile(s.urls, []byte(strings.Join(s.farm.Seeds(), "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// soakTime reads SOAK_TIME.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SOAK_TIME")
	if text == "" {
		text = "10m"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 10*time.Second {
		t.Fatalf("SOAK_TIME=%s: want at least 10s", text)
	}
	return d
}

// limit is after what time the crawl must be over. It takes twice Config.Last where
// nothing else keeps the machine busy.
func (s *soak) limit() time.Duration { return 4*s.cfg.Last + time.Minute }

func (s *soak) args() []string {
	args := []string{"crawl", "--seeds", s.urls, "-o", s.dir, "--quiet", "--scope", "any", "--include", farm.Within,
		"--delay", s.cfg.Delay.String(), "--timeout", s.cfg.Timeout.String(), "--retries", strconv.Itoa(soakRetries), "--patience", "3s", "--max-size", "2MiB",
		"--max-pages-per-host", strconv.Itoa(s.cfg.HonestPages() + 2), "--time-limit", s.limit().String(), "--fail-on-limit"}
	if limit := os.Getenv("SOAK_MEMORY"); limit != "" {
		args = append(args, "--max-memory", limit)
	}
	if mode := os.Getenv("SOAK_HTTP"); mode != "" {
		args = append(args, "--http", mode)
	}
	for _, r := range s.farm.Resolve() {
		args = append(args, "--resolve", r)
	}
	return args
}

// sample is a look at the crawl.
type sample struct {
	at     time.Duration // since the first answer of an honest host, or 0
	served int           // answers of honest hosts
	rss    int64         // bytes
}

// lookEvery is the time between two looks.
const lookEvery = 500 * time.Millisecond

// watch looks at the crawl until it ends.
func (s *soak) watch(p *process) []sample {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var all []sample
	for began := time.Now(); ; {
		select {
		case <-p.ended:
			return all
		case <-tick.C:
		}
		served := s.farm.Served()
		if served == 0 {
			began = time.Now()
		}
		all = append(all, sample{time.Since(began), served, residentSet(p.Process.Pid)})
	}
}

// residentSet reads the VmRSS of a process in bytes, 0 where there is no /proc.
func residentSet(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmRSS:")
	var kb int64
	if _, err := fmt.Sscanf(after, "%d kB", &kb); err != nil {
		return 0
	}
	return kb << 10
}

// checkEnd holds the crawl to have ended by itself, in time and in order.
func (s *soak) checkEnd(t *testing.T, p *process, took time.Duration) {
	t.Helper()
	text := p.out.String()
	if code := p.ProcessState.ExitCode(); code != shell.ExitOK {
		t.Errorf("exit code %d after %v\n%s", code, took, text[max(0, len(text)-10_000):])
	}
	for _, bad := range []string{"goroutine ", "panic", "DATA RACE", "fatal error", "level=ERROR"} {
		if strings.Contains(text, bad) {
			t.Errorf("the output contains %q:\n%.10000s", bad, text)
		}
	}
	if by := loadReport(t, s.dir).EndedBy; by != "done" || took > s.limit() {
		t.Errorf("ended by %s after %v, want done within %v", by, took, s.limit())
	}
	t.Logf("%v; the crawler used %v of CPU", took.Round(time.Second/10), (p.ProcessState.UserTime() + p.ProcessState.SystemTime()).Round(time.Second/10))
}

// leastPace is the share of the pace that politeness allows which honest hosts must be
// served at on average, whatever the others do. A machine that is busy with other things
// slows them, too.
const leastPace = 0.2

// interval is how long honest hosts may go without an answer: a fortieth of the soak, but
// long enough for a busy machine.
func (s *soak) interval() time.Duration { return max(8*time.Second, s.cfg.Last/40) }

// checkProgress holds every interval to have served honest hosts while they had pages.
func (s *soak) checkProgress(t *testing.T, samples []sample) {
	t.Helper()
	total := 0
	for range s.farm.All() {
		total++
	}
	var last sample
	for _, now := range samples {
		if last.served >= total {
			break
		}
		if now.at-last.at < s.interval() {
			continue
		}
		if now.served == last.served {
			t.Errorf("no honest host was served from %v to %v, when %d of %d pages were done", last.at, now.at, now.served, total)
		}
		last = now
	}
	i := slices.IndexFunc(samples, func(s sample) bool { return s.served >= total })
	if i < 0 {
		t.Errorf("of %d pages of honest hosts, %d were served at the last look", total, samples[len(samples)-1].served)
		return
	}
	pace := float64(s.cfg.HonestPages()) * s.cfg.Delay.Seconds() / samples[i].at.Seconds()
	t.Logf("%d honest pages in %v, %.0f %% of the allowed pace", total, samples[i].at.Round(time.Second/10), 100*pace)
	if pace < leastPace {
		t.Errorf("honest hosts were served at %.0f %% of the allowed pace, want %.0f %%", 100*pace, 100*leastPace)
	}
}

// The most that the crawl may take, and by how much it may grow from one third of its
// time to the end, in bytes. A soak of every length has the same hosts.
const (
	soakMemory = 256 << 20
	soakGrowth = 32 << 20
)

// checkMemory holds memory to be flat once the crawl is warm. Under the race detector it
// is another program, so the short form looks at nothing.
func (s *soak) checkMemory(t *testing.T, samples []sample) {
	t.Helper()
	if !s.long || runtime.GOOS != "linux" {
		return
	}
	var x, y []float64
	peak := int64(0)
	for _, look := range samples[len(samples)/3:] {
		peak = max(peak, look.rss)
		x, y = append(x, look.at.Seconds()), append(y, float64(look.rss))
	}
	growth := int64(leastSquares(x, y) * (x[len(x)-1] - x[0]))
	t.Logf("memory: at most %.0f MiB, growing by %.1f MiB over two thirds of the time", mebi(peak), mebi(growth))
	if peak > soakMemory || growth > soakGrowth {
		t.Errorf("memory comes to %.0f MiB and grows by %.1f MiB, want at most %.0f and %.0f", mebi(peak), mebi(growth), mebi(soakMemory), mebi(soakGrowth))
	}
}
