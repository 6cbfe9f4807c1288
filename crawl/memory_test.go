package crawl_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/internal/memweb"
)

// Memory that runs short lets fewer pages be under way, never none; what there is of it
// decides how soon they become more.
func TestMemoryBoundsWhatIsUnderWay(t *testing.T) {
	for _, tt := range []struct {
		name        string
		pressure    func(time.Duration) float64
		least, most int64 // pages under way at a time, from the second second on
	}{
		{"plenty", func(time.Duration) float64 { return 0.2 }, 16, 16},
		{"enough", func(time.Duration) float64 { return 0.5 }, 8, 16},
		{"short from the beginning", func(time.Duration) float64 { return 0.7 }, 1, 1},
		{"too much", func(time.Duration) float64 { return 2 }, 1, 1},
		{"short later", func(now time.Duration) float64 {
			if now < time.Second {
				return 0
			}
			return 0.75
		}, 8, 8},
		{"enough again", func(now time.Duration) float64 {
			if now < time.Second {
				return 2
			}
			return 0
		}, 16, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int64
				began := time.Now()
				w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
					if n := now.Add(1); time.Since(began) > 2*time.Second {
						most.Store(max(most.Load(), n))
					}
					time.Sleep(100 * time.Millisecond) // virtual
					now.Add(-1)
				})})
				defer w.Close()
				n := &notes{}
				var seeds []string
				for i := range 700 {
					seeds = append(seeds, fmt.Sprintf("http://h%d.example/", i))
				}
				cfg := config(t, w, n, seeds...)
				cfg.Workers, cfg.Gate.IgnoreRobots = 16, true
				asked := 0
				cfg.Pressure = func() float64 { asked++; return tt.pressure(time.Since(began)) }
				res, err := crawl.Run(t.Context(), cfg)
				if err != nil || res.Fetched != len(seeds) {
					t.Errorf("%d pages of %d, error %v", res.Fetched, len(seeds), err)
				}
				if got := most.Load(); got < tt.least || got > tt.most {
					t.Errorf("%d pages under way at a time, want %d to %d", got, tt.least, tt.most)
				}
				if took := time.Since(began); asked == 0 || asked > 2+int(took/(50*time.Millisecond)) {
					t.Errorf("asked %d times in %v", asked, took)
				}
			})
		})
	}
}

// Hosts that never answer do not stop a crawl, whatever memory is in use, and however few pages may
// be under way.
func TestHangingHostsUnderALimitOfMemory(t *testing.T) {
	const pages, delay = 40, 250 * time.Millisecond
	took := func(t *testing.T, pressure func() float64) (took time.Duration, fetched int) {
		synctest.Test(t, func(t *testing.T) {
			hosts := map[string]http.Handler{}
			var seeds []string
			for i := range 4 {
				name := fmt.Sprintf("a%d.example", i)
				hosts[name] = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
				seeds = append(seeds, "http://"+name+"/")
			}
			for i := range 4 {
				name := fmt.Sprintf("b%d.example", i)
				hosts[name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/robots.txt" {
						http.NotFound(w, r)
						return
					}
					n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
					w.Header().Set("Content-Type", "text/html")
					if n+1 < pages {
						fmt.Fprintf(w, "<a href=/%d>next</a> page %d of %s", n+1, n, r.Host)
					}
				})
				seeds = append(seeds, "http://"+name+"/")
			}
			w := memweb.New(hosts)
			defer w.Close()
			cfg := config(t, w, &notes{}, seeds...)
			cfg.Workers, cfg.Pressure = 16, pressure
			cfg.Gate.Frontier.Delay = delay
			cfg.TimeLimit = 2 * time.Minute
			began := time.Now()
			var last atomic.Int64 // nanoseconds after that
			cfg.OnPage = func(*crawl.Visit) error { last.Store(int64(time.Since(began))); return nil }
			res, err := crawl.Run(t.Context(), cfg)
			if err != nil {
				t.Error(err)
			}
			took, fetched = time.Duration(last.Load()), res.Fetched
		})
		return took, fetched
	}
	without, n := took(t, nil)
	if n != 4*pages {
		t.Fatalf("%d pages without a limit", n)
	}
	for _, p := range []float64{0, 0.29, 0.5, 0.59} {
		with, n := took(t, func() float64 { return p })
		if n != 4*pages || with > without+5*time.Second {
			t.Errorf("at %v of the memory: %d pages in %v, without a limit in %v", p, n, with, without)
		}
	}
	for _, p := range []float64{0.61, 0.89, 2} { // one page at a time
		with, n := took(t, func() float64 { return p })
		if n != 4*pages || with > 2*without {
			t.Errorf("at %v of the memory: %d pages in %v, without a limit in %v", p, n, with, without)
		}
	}
}

// spared is a Fetcher that counts how often memory was short.
type spared struct {
	crawl.Fetcher
	times atomic.Int64
}

func (s *spared) Spare() { s.times.Add(1) }

// What the crawl can do without goes first when memory is short, and not when it is not.
func TestCachesShrinkFirst(t *testing.T) {
	for pressure, want := range map[float64]bool{0.5: false, 0.7: true} {
		synctest.Test(t, func(t *testing.T) {
			w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(100 * time.Millisecond) // virtual
				fmt.Fprint(w, "ok")
			})})
			defer w.Close()
			cfg := config(t, w, &notes{}, "http://a.example/", "http://b.example/")
			client, err := fetch.New(cfg.Fetch)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			s := &spared{Fetcher: client}
			cfg.Fetcher, cfg.Pressure = s, func() float64 { return pressure }
			if _, err := crawl.Run(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			if n := s.times.Load(); n > 0 != want || n > 3 {
				t.Errorf("at %v of the memory the caches were emptied %d times", pressure, n)
			}
		})
	}
}
