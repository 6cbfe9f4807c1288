package crawl_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/internal/memweb"
)

// Memory that runs short lets fewer pages be under way, never none, and the crawl goes on
// as before when there is enough again.
func TestMemoryBoundsWhatIsUnderWay(t *testing.T) {
	for _, tt := range []struct {
		pressure float64
		most     int64
	}{{0, 16}, {0.6, 16}, {0.75, 8}, {0.89, 1}, {2, 1}} {
		t.Run(fmt.Sprint(tt.pressure), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int64
				hosts := map[string]http.Handler{"*": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					most.Store(max(most.Load(), now.Add(1)))
					time.Sleep(100 * time.Millisecond)
					now.Add(-1)
				})}
				w := memweb.New(hosts)
				defer w.Close()
				n := &notes{}
				var seeds []string
				for i := range 64 {
					seeds = append(seeds, fmt.Sprintf("http://h%d.example/", i))
				}
				cfg := config(t, w, n, seeds...)
				cfg.Workers, cfg.IgnoreRobots = 16, true
				asked, began := 0, time.Now()
				cfg.Pressure = func() float64 {
					asked++
					if time.Since(began) > 10*time.Second {
						return 0
					}
					return tt.pressure
				}
				res, err := crawl.Run(t.Context(), cfg)
				if err != nil || res.Fetched != 64 {
					t.Errorf("%d pages of 64, error %v", res.Fetched, err)
				}
				if most.Load() != tt.most {
					t.Errorf("%d pages under way at a time, want %d", most.Load(), tt.most)
				}
				if took := time.Since(began); asked == 0 || asked > 2+int(took/(50*time.Millisecond)) {
					t.Errorf("asked %d times in %v", asked, took)
				}
			})
		})
	}
}
