package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"crawler/internal/crawltest"
	"crawler/report"
)

func TestMain(m *testing.M) {
	crawltest.Main(m, main, crawltest.Program{Name: "broker", Run: brokerMain})
}

// TestScripts runs the program as a user does: the scripts in testdata/script that crawl.
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, func(name string) bool { return !slices.Contains(quietScripts, name) })
}

// TestQuietScripts runs those that begin no crawl, or are about what one has left behind.
func TestQuietScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds in the other scripts whatever it could in these")
	}
	t.Parallel()
	runScripts(t, func(name string) bool { return slices.Contains(quietScripts, name) })
}

var quietScripts = []string{
	"archive", "badinput", "bench", "config", "damaged", "exitcodes", "habits", "help", "near", "older", "output", "sample", "why",
}

// runScripts runs the scripts whose names are wanted.
func runScripts(t *testing.T, wanted func(name string) bool) {
	t.Helper()
	site, err := filepath.Abs("../../testdata/site")
	if err != nil {
		t.Fatal(err)
	}
	older, err := filepath.Abs("testdata/older")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../configs")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	scripts = slices.DeleteFunc(scripts, func(name string) bool { return !wanted(strings.TrimSuffix(filepath.Base(name), ".txtar")) })
	if len(scripts) == 0 {
		t.Fatal("no scripts")
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SITE", site)
			e.Setenv("CONFIGS", examples)
			e.Setenv("OLDER", older)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a second for every command otherwise
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serve, "exits": exits, "requests": requests, "lines": lines, "appears": appears, "once": eachOnce,
		},
	})
}

// running holds the server of each script by the script's name.
var running sync.Map

func handler(ts *testscript.TestScript, kind string) http.Handler {
	switch kind {
	case "files":
		return http.FileServer(http.Dir(ts.Getenv("SITE")))
	case "missing", "closed":
		return http.NotFoundHandler()
	case "forbidden":
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
		})
	case "ill":
		return ill(ts.MkAbs("well"))
	case "dates":
		return http.HandlerFunc(dates)
	case "slow":
		return http.HandlerFunc(crawltest.Slow)
	}
	ts.Fatalf("serve: unknown kind %s", kind)
	return nil
}

// dates is a calendar without end and without events.
func dates(w http.ResponseWriter, r *http.Request) {
	var year, month int
	w.Header().Set("Content-Type", "text/html")
	switch _, err := fmt.Sscanf(r.URL.Path, "/calendar/%d/%d", &year, &month); {
	case r.URL.Path == "/":
		fmt.Fprint(w, `our events are in the <a href="/calendar/2026/1">calendar</a>`)
	case err != nil:
		http.NotFound(w, r)
	default:
		fmt.Fprintf(w, `monday tuesday wednesday thursday friday saturday sunday <a href="/calendar/%d/%d">next</a>`, year+month/12, month%12+1)
	}
}

// ill is a site some of whose pages answer badly until there is a file of that name: one with
// an error, one with nothing, one behind a redirect, others between them, so that the host
// is not suspected. Each page has words of its own.
func ill(well string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := os.Stat(well)
		switch path := r.URL.Path; {
		case path == "/":
			fmt.Fprint(w, `<a href="/error,">e</a> <a href="/a">a</a> <a href="/moved">m</a> <a href="/b">b</a> <a href="/nothing">n</a> <a href="/c">c</a>`)
		case path == "/robots.txt":
			http.NotFound(w, r)
		case path == "/moved":
			http.Redirect(w, r, "/busy", http.StatusFound)
		case err != nil && path == "/error,":
			http.Error(w, "broken", http.StatusInternalServerError)
		case err != nil && path == "/busy":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case err != nil && path == "/nothing":
			panic(http.ErrAbortHandler)
		case strings.HasPrefix(path, "/behind/"):
			fmt.Fprintf(w, "this is %s", path)
		default:
			fmt.Fprintf(w, `<a href="/behind%s">on</a> words of %[1]s`, path)
		}
	})
}

// requests N waits until the server has seen N requests.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	v, ok := running.Load(ts.Name())
	if !ok {
		ts.Fatalf("requests: nothing is served")
	}
	v.(*crawltest.Server).Wait(n)
}

// exits N COMMAND... runs the command and checks its exit code, which its help has to name.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if !inTable(args[2:], got) {
		ts.Fatalf("exit code %d does not stand in the help", got)
	}
}

// lines FILE N checks the number of lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d", args[0], got, want)
	}
}

// appears FILE N waits until a file that is being written has N lines. It looks now and then: who
// looks all the time takes from the crawl the processor that it needs to write them.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	name := ts.MkAbs(args[0])
	for begun := time.Now(); time.Since(begun) < longestRun; time.Sleep(time.Millisecond) {
		if data, _ := os.ReadFile(name); strings.Count(string(data), "\n") >= want {
			return
		}
	}
	ts.Fatalf("%s does not come to %d lines", args[0], want)
}

// once FILE checks that no two page records are of one URL.
func eachOnce(ts *testscript.TestScript, neg bool, args []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var p report.PageRecord
		ts.Check(json.Unmarshal([]byte(line), &p))
		if seen[p.URL] {
			ts.Fatalf("%s has %s twice", args[0], p.URL)
		}
		seen[p.URL] = true
	}
}

// The schema of report.json is a promise: exactly these keys at the top.
func TestReportKeys(t *testing.T) {
	dir := t.TempDir()
	r := &report.Report{Near: &report.Near{}}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, l := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(l, `  "`) {
			keys = append(keys, strings.Split(l, `"`)[1])
		}
	}
	want := "version seeds started finished ended_by runs seeds_done pages skipped errors given_up failures traps refused robots_pages requests dedup words sites other_sites near frontier resources checksum"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}

// serve KIND serves a web on loopback and puts its address into $URL: files ($SITE),
// forbidden (robots.txt closes all), slow (pages without end, 20 ms each), missing
// (404 everywhere), closed (a port nobody listens on).
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve files|forbidden|slow|missing|closed")
	}
	s := crawltest.NewServer()
	srv := httptest.NewServer(s.Counting(handler(ts, args[0])))
	ts.Setenv("URL", srv.URL)
	if args[0] == "closed" {
		srv.Close()
		return
	}
	ts.Defer(srv.Close)
	running.Store(ts.Name(), s)
}
