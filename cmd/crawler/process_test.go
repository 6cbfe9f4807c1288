package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
	"crawler/report"
)

// process is a crawler at work as a process of its own.
type process struct {
	*exec.Cmd
	out    bytes.Buffer  // what it prints; to be read when it has ended
	ended  chan struct{} // closed when it has
	cancel context.CancelFunc
}

// longestRun bounds every process: one that hangs must print what its goroutines do,
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
	p := &process{Cmd: crawltest.Tie(exec.CommandContext(ctx, bin, args...)), ended: make(chan struct{}), cancel: cancel}
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
		p.Wait() // ProcessState has the outcome
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is SIGKILL, for what the process has started, too, and waits for the end.
func (p *process) kill() {
	select {
	case <-p.ended: // the number may be another's by now
	default:
		crawltest.Kill(p.Cmd)
		<-p.ended
	}
}

// succeed waits for exit code 0.
func (p *process) succeed(t *testing.T) {
	t.Helper()
	<-p.ended
	if p.ProcessState == nil || !p.ProcessState.Success() {
		t.Fatalf("crawler %v: %v\n%s", p.Args[1:], p.ProcessState, p.out.String())
	}
}

// complete reports whether a process ended by itself because the crawl came to its end,
// or had done so in the run before, which was killed on its last metres.
func (p *process) complete() bool { return p.ProcessState.Success() || p.refused() }

// refused reports whether a process did nothing because the crawl is complete.
func (p *process) refused() bool {
	return p.ProcessState.ExitCode() == shell.ExitUsage && strings.Contains(p.out.String(), "is complete")
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	return output(t, exec.Command(name, args...))
}

// output runs cmd and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := crawltest.Tie(cmd).Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, stderr.String())
	}
	return string(out)
}

// shipped builds the program as make build does, but from what the tests are built from, too: with
// -trimpath all packages would be compiled again.
func shipped(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "crawler")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	output(t, cmd)
	return bin
}

// crawlWorkers is the number of pages that a crawl of crawlArgs fetches at a time.
const crawlWorkers = 16

// crawlArgs are those of a crawl as fast as it can be.
func crawlArgs(url, dir string) []string {
	return []string{"crawl", url + "/", "-o", dir, "--delay", "0", "--per-host", "8", "-c", strconv.Itoa(crawlWorkers), "--quiet"}
}

func loadReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	rep, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// envNumber reads a number from the environment.
func envNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		t.Fatalf("%s=%s: want a number", name, s)
	}
	return n
}
