package crawlcmd

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/report"
)

// How often progress is shown: a live block on a terminal, a line in a log.
const (
	liveEvery = 500 * time.Millisecond
	logEvery  = 10 * time.Second
)

// screen is standard error: on a terminal a live block of lines that is drawn over
// again and again, with log lines scrolling by above it; elsewhere plain lines.
type screen struct {
	mu     sync.Mutex
	w      io.Writer
	live   bool
	size   func() (columns, lines int) // of the terminal: what does not fit would not be drawn over
	vivid  bool                        // in colours
	memory func() uint64               // that the process holds, in bytes
	lines  int                         // of the block that stands there; guarded by mu
	last   crawl.Progress              // guarded by mu

	// What the runs before fetched, for rates are those of this run. Set before the
	// crawl begins.
	before crawl.Progress
}

// resumes sets how far the crawl was when this run began.
func (s *screen) resumes(last crawl.Result) {
	s.before = crawl.Progress{Fetched: last.Fetched, Bytes: last.Bytes}
	s.last = s.before
}

func newScreen(o *options, w io.Writer) *screen {
	s := &screen{w: w, memory: memory}
	t := shell.TerminalOf(w)
	if t != nil && !o.Quiet && !o.NoLive && !o.Verbose && o.LogFormat.Value == "text" {
		s.live, s.size, s.vivid = true, t.Size, t.Colours && !o.NoColor
	}
	return s
}

// Write writes log lines, in place of the block, which comes back below them.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	_, err := io.WriteString(s.w, report.Printable(string(p)))
	return len(p), err
}

// clear takes the block away.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *screen) erase() {
	if s.lines > 0 {
		fmt.Fprintf(s.w, "\r\x1b[%dA\x1b[J", s.lines)
		s.lines = 0
	}
}

// progress returns what shows the progress of a crawl, and how often to call it: the
// live block, or a log line with the columns of Heritrix's progress-statistics.
func (s *screen) progress(o *options, log *slog.Logger) (func(crawl.Progress), time.Duration) {
	if o.Quiet {
		return nil, 0
	}
	began := time.Now() // of this run
	show, every := func(p crawl.Progress) { logProgress(log, p, s.before) }, logEvery
	if s.live {
		show, every = s.show, liveEvery
	}
	outage := false
	return func(p crawl.Progress) {
		p.Elapsed = time.Since(began)
		if w := &p.Waiting; w.Outage != outage {
			if outage = w.Outage; outage {
				log.Warn("no host answers, it may be this machine's network: one at a time is asked", "since", clock(w.Since), "until", clock(w.Until))
			} else {
				log.Info("hosts answer again")
			}
		}
		show(p)
	}, every
}

func logProgress(log *slog.Logger, p, before crawl.Progress) {
	s := p.Elapsed.Seconds()
	log.Info("progress",
		"discovered", p.Admitted, "queued", p.Queued, "downloaded", p.Fetched,
		"pages/s", round(float64(p.Fetched-before.Fetched)/s), "KiB/s", round(float64(p.Bytes-before.Bytes)/1024/s), "failures", p.Failed,
		"seeds_done", p.SeedsDone, "skipped", p.Skipped, "busy", p.Leased, "hosts", p.Hosts, "hosts_in_trouble", p.Waiting.Hosts, "pages_in_trouble", p.Waiting.Pages,
		"pages_until", lastTry(&p.Waiting), "longest_trouble", longestTrouble(&p.Waiting), "mem_MiB", memory()>>20)
}

// longestTrouble is the host that has been in trouble for longest, why, and until when it is
// waited for: a name with a slip in it must not look like a crawl that makes no progress.
func longestTrouble(w *frontier.Waiting) string {
	if len(w.Longest) == 0 {
		return "-"
	}
	h := &w.Longest[0]
	return fmt.Sprintf("%s: %s, given up %s", h.Host, h.Why, givenUp(h))
}

// givenUp says when a host in trouble is given up. One that never answered mostly is much sooner.
func givenUp(h *frontier.HostTrouble) string {
	if !h.Answered {
		return "by " + clock(h.Until) + " at the latest"
	}
	return clock(h.Until)
}

// lastTry is when pages in trouble are waited for at the latest.
func lastTry(w *frontier.Waiting) string {
	if w.Pages == 0 {
		return "-"
	}
	return clock(w.Last)
}

func round(f float64) float64 { return float64(int64(f*10+0.5)) / 10 }

// memory is what the Go runtime holds, in bytes.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// show draws the present state over the one before.
func (s *screen) show(p crawl.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	columns, most := s.size()
	var lines []string
	for _, line := range describe(p, s.last, s.before, s.memory()) {
		lines = append(lines, shell.Fold(report.Printable(line), max(columns-1, 1))...)
	}
	lines = lines[:max(min(len(lines), most-1), 1)]
	s.lines, s.last = len(lines), p
	if s.vivid {
		lines[0] = bold + lines[0] + plain
		for i, line := range lines {
			if strings.Contains(line, "in trouble") || strings.HasPrefix(line, "no host answers") {
				lines[i] = yellow + line + plain
			}
		}
	}
	io.WriteString(s.w, strings.Join(lines, "\n")+"\n")
}

// Colours of the block.
const (
	bold   = "\x1b[1m"
	yellow = "\x1b[33m"
	plain  = "\x1b[m"
)

// describe puts the state into a few lines, with the rate since the last look and that
// since the run began, before which there was something already. held is the memory that
// the process holds, in bytes.
func describe(p, last, before crawl.Progress, held uint64) []string {
	now := p.Elapsed - last.Elapsed
	rate := 0.0
	if now > 0 {
		rate = float64(p.Fetched-last.Fetched) / now.Seconds()
	}
	state := p.Elapsed.Round(time.Second).String()
	if eta := remaining(p, before); eta > 0 {
		state += ", at most " + eta.Round(time.Second).String() + " to go"
	}
	if p.Stopping {
		state += ", stopping"
	}
	lines := []string{
		fmt.Sprintf("pages %-9d %7.1f/s now %7.1f/s mean   %s", p.Fetched, rate, float64(p.Fetched-before.Fetched)/p.Elapsed.Seconds(), state),
		fmt.Sprintf("queued %-8d in flight %-5d failed %-6d skipped %-7d hosts %d", p.Queued, p.Leased, p.Failed, p.Skipped, p.Hosts),
		fmt.Sprintf("bodies %-8s memory %s", shell.SizeText(p.Bytes), shell.SizeText(int64(held))),
	}
	if p.Seeds > 1 {
		lines = append(lines, fmt.Sprintf("seeds %.1f %%, %s of %s", 100*float64(p.SeedsDone)/float64(p.Seeds), shell.Commas(p.SeedsDone), shell.Commas(p.Seeds)))
	}
	for _, h := range p.Busiest {
		lines = append(lines, fmt.Sprintf("  %-44s %8d queued, every %s", shell.Clip(h.Host, 44), h.Queued, h.Spacing))
	}
	return append(lines, waiting(&p.Waiting)...)
}

// waiting says what the crawl waits for, and until when.
func waiting(w *frontier.Waiting) (lines []string) {
	if w.Outage {
		lines = append(lines, fmt.Sprintf("no host answers since %s: next try %s, until %s", clock(w.Since), clock(w.Probe), clock(w.Until)))
	} else if w.Hosts > 0 {
		lines = append(lines, fmt.Sprintf("%s in trouble:", shell.Counted(w.Hosts, "host")))
		for _, h := range w.Longest {
			lines = append(lines, fmt.Sprintf("  %-32s %s; next try %s, given up %s", shell.Clip(h.Host, 32), shell.Clip(h.Why, 28), clock(h.Next), givenUp(&h)))
		}
	}
	if w.Pages > 0 {
		lines = append(lines, fmt.Sprintf("%s to be tried again, the first %s, all by %s", shell.Counted(w.Pages, "page"), clock(w.Next), clock(w.Last)))
	}
	return lines
}

// clock is a time of day.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// remaining is the time a limit leaves, where one makes it foreseeable.
func remaining(p, before crawl.Progress) time.Duration {
	var eta time.Duration
	if p.TimeLimit > 0 {
		eta = max(p.TimeLimit-p.Elapsed, 0)
	}
	if done := p.Fetched - before.Fetched; p.MaxPages > 0 && done > 0 {
		byPages := time.Duration(float64(p.Elapsed) / float64(done) * float64(p.MaxPages-p.Fetched))
		if eta == 0 || byPages < eta {
			eta = byPages
		}
	}
	return eta
}
