package crawl_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/memweb"
)

// Pages that wait for memory keep no worker: hosts of small pages are served as if they were alone,
// those too that are only met when all workers are with large pages. Nothing is asked for twice,
// nothing is lost, and MaxPages holds.
func TestPagesThatWaitForMemoryKeepNobodyAway(t *testing.T) {
	const workers, heavyHosts, heavyPages, honestPages = 4, 6, 3, 40
	const delay, pause = 100 * time.Millisecond, 5 * time.Second
	half := "<!--" + strings.Repeat("-", 512<<10) + "-->"
	for _, c := range []struct {
		name     string
		heavy    int
		late     bool // the honest hosts are met on a heavy page
		maxPages int
		pressure bool
		most     time.Duration // for the honest pages
	}{
		{name: "alone", most: (honestPages + 5) * delay},
		{name: "beside heavy hosts", heavy: heavyHosts, most: (honestPages + 5) * delay},
		{name: "with a limit of memory", heavy: heavyHosts, pressure: true, most: (honestPages + 25) * delay},
		{name: "met late", heavy: heavyHosts, late: true, most: (honestPages + 5) * delay},
		{name: "a limit of pages", heavy: heavyHosts, maxPages: honestPages},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				asked := map[string]int{} // guarded by mu
				began := time.Now()
				var first, last time.Time // request to an honest host
				w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					asked[r.Host+r.URL.Path]++
					honest := strings.HasPrefix(r.Host, "honest")
					if honest {
						last = time.Now()
						if first.IsZero() {
							first = last
						}
					}
					mu.Unlock()
					page := 0
					fmt.Sscanf(r.URL.Path, "/%d", &page)
					w.Header().Set("Content-Type", "text/html")
					switch {
					case r.URL.Path == "/robots.txt":
						http.NotFound(w, r)
						return
					case honest && page+1 < honestPages || !honest && page+1 < heavyPages:
						fmt.Fprintf(w, "<a href=/%d>next</a>", page+1)
					}
					if honest {
						return
					}
					if page == 0 && c.late && strings.HasPrefix(r.Host, "heavy0") {
						fmt.Fprint(w, "<a href=http://honest0.example/0></a><a href=http://honest1.example/0></a>")
					}
					fmt.Fprint(w, half)
					w.(http.Flusher).Flush()
					time.Sleep(pause) // virtual
					fmt.Fprint(w, half)
				})})
				defer w.Close()
				var seeds []string
				for i := range c.heavy {
					seeds = append(seeds, fmt.Sprintf("http://heavy%d.example/0", i))
				}
				for i := range 2 {
					if !c.late {
						seeds = append(seeds, fmt.Sprintf("http://honest%d.example/0", i))
					}
				}
				n := &notes{}
				cfg := config(t, w, n, seeds...)
				cfg.Workers, cfg.PageMemory, cfg.MaxPages = workers, 3<<19, c.maxPages
				cfg.Gate.Frontier.Delay, cfg.Gate.Scope.Mode = delay, gate.ScopeAny
				if c.pressure {
					cfg.Pressure = func() float64 { return 0.1 }
				}
				res, err := crawl.Run(t.Context(), cfg)
				want := 2*honestPages + c.heavy*heavyPages
				if c.maxPages > 0 {
					want = c.maxPages
				}
				if err != nil || res.Fetched != want || len(n.pages) != want {
					t.Errorf("%d pages, %d recorded, want %d; error %v", res.Fetched, len(n.pages), want, err)
				}
				for u, times := range asked {
					if times > 1 {
						t.Errorf("%s was asked for %d times", u, times)
					}
				}
				if took := last.Sub(first); c.most > 0 && took > c.most {
					t.Errorf("the honest pages took %v, want at most %v; all took %v", took, c.most, time.Since(began))
				}
			})
		})
	}
}

// The memory in which the words of large pages were read is used for the next ones: grown anew,
// each page would take five times its words.
func TestLargePagesGrowTheirWordsOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector does not change what is allocated")
	}
	const pages, words = 200, 30_000
	text := strings.Repeat("abc ", words)
	w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			for i := range pages - 1 {
				fmt.Fprintf(w, "<a href=/%d>next</a>", i)
			}
		}
		io.WriteString(w, text)
	})})
	defer w.Close()
	n := &notes{}
	cfg := config(t, w, n, "http://a.example/")
	cfg.Gate.IgnoreRobots, cfg.Gate.Frontier.PerHost = true, 8
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := crawl.Run(t.Context(), cfg)
	runtime.ReadMemStats(&after)
	if err != nil || res.Fetched != pages {
		t.Fatalf("%d pages of %d, error %v", res.Fetched, pages, err)
	}
	each := (after.TotalAlloc - before.TotalAlloc) / pages
	t.Logf("%d bytes allocated a page", each)
	if each > 8*words {
		t.Errorf("%d bytes allocated a page, more than the %d of its words", each, 8*words)
	}
}
