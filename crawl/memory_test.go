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
