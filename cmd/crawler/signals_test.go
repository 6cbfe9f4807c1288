//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
	"crawler/report"
)

// A first signal ends the crawl gracefully, with the report and exit code 130.
func TestFirstSignal(t *testing.T) {
	t.Parallel()
	s, url := crawltest.ServeAndCount(t, crawltest.Slow)
	cmd := crawltest.Tie(exec.Command("crawler", "crawl", url, "-o", t.TempDir()+"/out", "--delay", "0", "-q"))
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Wait(5)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != shell.ExitInterrupted || !strings.Contains(out.String(), "interrupted,") {
		t.Errorf("%v, exit code %d, report:\n%s", err, code, out.String())
	}
}

// A second one that comes later ends the process at once, though a page may still take its
// time, and says how to continue.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	s, url := crawltest.ServeAndCount(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	cmd := crawltest.Tie(exec.Command("crawler", "crawl", url, "-o", t.TempDir()+"/out", "--grace", "1h", "--timeout", "1h"))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Wait(1)
	cmd.Process.Signal(os.Interrupt)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "stopping") {
	}
	ended := make(chan bool)
	go func() {
		said := false
		for lines.Scan() {
			said = said || strings.HasPrefix(lines.Text(), "quit:")
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		ended <- said
	}()
	// The first of them count as one with the signal before.
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for waiting := true; waiting; {
		select {
		case <-again.C:
			cmd.Process.Signal(os.Interrupt)
		case said := <-ended:
			if waiting = false; !said {
				t.Error("it does not say how to continue")
			}
		}
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != shell.ExitInterrupted {
		t.Errorf("%v, exit code %d", err, code)
	}
}

// SIGTERM and SIGHUP are the graceful stop; nohup's crawl outlives its terminal.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		before string
		want   int
		endsBy string
	}{
		{syscall.SIGTERM, "", shell.ExitInterrupted, "interrupted"},
		{syscall.SIGHUP, "", shell.ExitInterrupted, "interrupted"},
		{syscall.SIGHUP, "trap '' HUP;", shell.ExitOK, "max-pages"},
	} {
		url, reached := chain(t, 1<<40, 20)
		out := filepath.Join(t.TempDir(), "out")
		pages := "1000000"
		if c.want == shell.ExitOK {
			pages = "300"
		}
		p := startCrawler(t, "sh", "-c", c.before+"exec crawler crawl "+url+" -o "+out+" --delay 0 --grace 0 --max-pages "+pages)
		select {
		case <-reached:
		case <-p.ended:
		}
		for range 2 { // as timeout(1) does: to the process, and to its group
			if err := p.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
		}
		<-p.ended
		rep, err := report.Load(out)
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.signal, err, p.out.String())
		}
		if code := p.ProcessState.ExitCode(); code != c.want || rep.EndedBy != c.endsBy {
			t.Errorf("%s%v: exit code %d, ended by %s; want %d and %s", c.before, c.signal, code, rep.EndedBy, c.want, c.endsBy)
		}
	}
}

// chain serves pages that each link to the next two, n of them, and closes reached when
// that many were requested.
func chain(t *testing.T, n, reach int64) (url string, reached <-chan struct{}) {
	t.Helper()
	var asked atomic.Int64
	there := make(chan struct{})
	_, url = crawltest.ServeAndCount(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == reach {
			close(there)
		}
		var i int64
		fmt.Sscanf(r.URL.Path, "/%d", &i)
		w.Header().Set("Content-Type", "text/html")
		crawltest.Prose(w, i)
		for _, next := range []int64{2*i + 1, 2*i + 2} {
			if next < n {
				fmt.Fprintf(w, "<a href=\"/%d\">%d</a>", next, next)
			}
		}
	})
	return url + "/0", there
}

// Readers that go away end no crawl before its report is on disk, and descriptors that
// are closed from the start are not taken for files of the crawl.
func TestClosedOutputs(t *testing.T) {
	t.Parallel()
	url, _ := chain(t, 40, 0)
	for name, c := range map[string]struct {
		redirect string
		jsonl    bool
		want     int
	}{
		"all closed":     {"<&- >&- 2>&-", false, shell.ExitOK},
		"stdout closed":  {">&-", true, shell.ExitOK},
		"broken stderr":  {"2>&3", false, shell.ExitOK},
		"broken stdout":  {">&3", false, shell.ExitDisk},
		"broken records": {">&3", true, shell.ExitInterrupted}, // as by head
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close() // nobody reads
			defer w.Close()
			flags := "-v --delay 0"
			if c.jsonl { // records come at most 0.1 s late: the crawl must take longer
				flags = "--jsonl --delay 20ms"
			}
			cmd := crawltest.Tie(exec.CommandContext(t.Context(), "sh", "-c", "exec crawler crawl "+url+" -o "+out+" "+flags+" "+c.redirect))
			cmd.ExtraFiles = []*os.File{w}
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
			var text bytes.Buffer
			cmd.Stdout, cmd.Stderr = &text, &text
			cmd.Run() // ProcessState has the outcome
			if code := cmd.ProcessState.ExitCode(); code != c.want {
				t.Errorf("exit code %d, want %d\n%s", code, c.want, text.String())
			}
			for file, begin := range map[string]string{report.JSONFile: "{", report.PagesFile: `{"url":`, "crawl.json": "{"} {
				data, err := os.ReadFile(filepath.Join(out, file))
				if err != nil || !bytes.HasPrefix(data, []byte(begin)) || bytes.Contains(data, []byte("level=")) {
					t.Errorf("%s: %.100q, %v", file, data, err)
				}
			}
		})
	}
}
