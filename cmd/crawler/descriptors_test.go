//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
	"crawler/report"
)

// A process that may have few descriptors crawls all the same, many hosts too, and says what it
// lacks; one that may have 12 says how to get more.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	const pages = 10 // of a host
	hosts := 800
	if testing.Short() {
		hosts = 40
	}
	_, port, seeds := manyHosts(t, hosts, pages)
	// With 24 the database must have tables enough for a compaction of many; connections are many
	// from the first page on.
	for limit, want := range map[int]struct{ code, pages int }{12: {code: shell.ExitDisk}, 24: {pages: pages}, 128: {pages: 3}, 1024: {pages: 3}} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			script := fmt.Sprintf("ulimit -n %d; exec crawler crawl --seeds %s --resolve '*:%s:127.0.0.1' -o %s --delay 10ms -c 600 --depth %d", limit, seeds, port, out, max(want.pages, 1)-1)
			p := startCrawler(t, "sh", "-c", script)
			<-p.ended
			text := p.out.String()
			if code := p.ProcessState.ExitCode(); code != want.code || !strings.Contains(text, "ulimit -n") {
				t.Fatalf("exit code %d, want %d\n%s", code, want.code, text)
			}
			if want.code != shell.ExitOK {
				return
			}
			if got := crawltest.ReadPages(t, filepath.Join(out, report.PagesFile)); len(got) != want.pages*hosts {
				t.Errorf("%d pages, want %d\n%s", len(got), want.pages*hosts, text)
			}
			if n := loadReport(t, out).Errors; len(n) > 0 {
				t.Errorf("failures: %v", n)
			}
		})
	}
}

// However many hosts there are, each keeps its connection until its next turn.
func TestConnectionsOfManyHosts(t *testing.T) {
	t.Parallel()
	const pages = 4
	hosts := 2000
	if testing.Short() {
		hosts = 300
	}
	// The server has as many, and connections may have half of a process's.
	if most := procinfo.Descriptors(); most < 4*hosts {
		t.Skipf("%d descriptors do not allow %d hosts", most, hosts)
	}
	conns, port, seeds := manyHosts(t, hosts, pages)
	out := filepath.Join(t.TempDir(), "out")
	p := startCrawler(t, "crawler", "crawl", "--seeds", seeds, "--resolve", "*:"+port+":127.0.0.1", "-o", out, "--delay", "100ms", "--quiet")
	<-p.ended
	if code := p.ProcessState.ExitCode(); code != shell.ExitOK {
		t.Fatalf("exit code %d\n%s", code, p.out.String())
	}
	if got := len(crawltest.ReadPages(t, filepath.Join(out, report.PagesFile))); got != pages*hosts {
		t.Errorf("%d pages, want %d", got, pages*hosts)
	}
	n := int(conns.Load())
	t.Logf("%d connections for %d requests to %d hosts", n, (pages+1)*hosts, hosts)
	if n > hosts+100 {
		t.Errorf("%d connections, want at most %d", n, hosts+100)
	}
}

// manyHosts serves hosts of pages that each link to the next, at one port of this machine, and
// counts connections. seeds is the file of their first pages.
func manyHosts(t *testing.T, hosts, pages int) (conns *atomic.Int64, port, seeds string) {
	t.Helper()
	conns = &atomic.Int64{}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		i, host := 0, 0
		fmt.Sscanf(r.URL.Path, "/%d", &i)
		fmt.Sscanf(r.Host, "h%d.", &host)
		rng := rand.New(rand.NewPCG(uint64(host), uint64(i)))
		for range 60 {
			fmt.Fprintf(w, " word%d", rng.IntN(5000))
		}
		if i+1 < pages {
			fmt.Fprintf(w, "<a href=\"/%d\">next</a>", i+1)
		}
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	port = srv.URL[strings.LastIndexByte(srv.URL, ':')+1:]
	seeds = filepath.Join(t.TempDir(), "seeds")
	var list strings.Builder
	for h := range hosts {
		fmt.Fprintf(&list, "http://h%d.example:%s/0\n", h, port)
	}
	if err := os.WriteFile(seeds, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return conns, port, seeds
}
