package crawl_test

import (
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/memweb"
)

// manualTree is a manual of a thousand pages, each of which leads to the next one (Debian's
// postgresql-doc-15).
const manualTree = "/usr/share/doc/postgresql-doc-15/html"

// With several requests in flight a site is crawled breadth-first as with one, although the first
// of its pages wait until the guard against traps knows what they are like.
func TestSeveralInFlightAreBreadthFirst(t *testing.T) {
	if _, err := os.Stat(manualTree); err != nil {
		t.Skipf("needs the package postgresql-doc-15: %v", err)
	}
	if testing.Short() {
		t.Skip("an order, of 1,169 pages twice")
	}
	files := http.FileServer(http.Dir(manualTree))
	mean := func(perHost int) float64 {
		sum, n, deepest := 0, 0, 0
		synctest.Test(t, func(t *testing.T) {
			w := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Duration(1+len(r.URL.Path)%4) * time.Millisecond) // virtual
				files.ServeHTTP(rw, r)
			})})
			defer w.Close()
			cfg := config(t, w, &notes{}, "http://manual.example/")
			cfg.Gate.FollowTraps, cfg.Gate.Frontier.PerHost, cfg.Workers = false, perHost, 8
			cfg.Recorder = recorderFunc(func(v *crawl.Visit) error {
				sum, n, deepest = sum+v.Depth, n+1, max(deepest, v.Depth)
				return nil
			})
			if _, err := crawl.Run(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%d in flight: %d pages, mean depth %.2f, at most %d", perHost, n, float64(sum)/float64(n), deepest)
		return float64(sum) / float64(n)
	}
	one := mean(1)
	if several := mean(4); several > 1.05*one {
		t.Errorf("mean depth %.2f with 4 in flight, %.2f with one", several, one)
	}
}

// recorderFunc is a Recorder of pages.
type recorderFunc func(v *crawl.Visit) error

func (f recorderFunc) Page(v *crawl.Visit) error { return f(v) }
func (recorderFunc) Redirect(*crawl.Visit) error { return nil }
func (recorderFunc) Skip(gate.Skip) error        { return nil }
func (recorderFunc) Flush() error                { return nil }
