package archive_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"crawler/archive"
	"crawler/crawl"
	"crawler/store"
)

// counted is a site whose every answer has a number of its own, so that it can be found in an
// archive, or be missed there.
type counted struct {
	mu       sync.Mutex
	answered map[string][]int // numbers by path; guarded by mu
	n        int              // guarded by mu
	asked    func()           // called for each request; guarded by mu
}

// before has fn called for each request from now on. A request of a run that was cut short may
// still be on its way.
func (s *counted) before(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = fn
}

const countedPages = 60

func (s *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	asked()
	s.mu.Lock()
	s.n++
	n := s.n
	s.answered[r.URL.Path] = append(s.answered[r.URL.Path], n)
	first := len(s.answered[r.URL.Path]) == 1
	s.mu.Unlock()
	w.Header().Set("X-Number", strconv.Itoa(n))
	page, err := strconv.Atoi(r.URL.Path[1:])
	switch {
	case r.URL.Path != "/" && err != nil:
		http.NotFound(w, r)
	case page%10 == 7:
		http.Redirect(w, r, fmt.Sprintf("/%d", (page+1)%countedPages), http.StatusFound)
	case page%10 == 3 && first:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "text/html")
		for i := 1; i <= 3; i++ {
			fmt.Fprintf(w, "<a href=/%d>x</a> ", (3*page+i)%countedPages)
		}
		fmt.Fprint(w, text(page/2)) // two pages have one text
	}
}

// power is what ends in mid-crawl.
type power struct {
	mu    sync.Mutex
	left  int // requests or operations until it does; guarded by mu, and so is clone
	mem   *vfs.MemFS
	clone *vfs.MemFS
	stop  func()
	cfg   vfs.CrashCloneCfg
}

func (p *power) use() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 {
		return
	}
	if p.left--; p.left == 0 {
		p.clone = p.mem.CrashClone(p.cfg)
		p.stop()
	}
}

// cut is what was on disk when the power failed, nil if it did not.
func (p *power) cut() *vfs.MemFS {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clone
}

// atWrite uses power at every change of a file.
type atWrite struct{ p *power }

func (a atWrite) String() string { return "operations" }

func (a atWrite) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
		a.p.use()
	}
	return nil
}

// The power fails again and again, at any request or change of a file. Afterwards every answer that
// the site gave is there once, except those that were under way or behind the last commit when the
// power failed: for these another answer is there.
func TestNoAnswerIsLostOrTwiceAfterPowerCuts(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	base := rand.Uint64()
	for i := range rounds {
		seed := base + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { powerCuts(t, seed) })
		})
	}
}

func powerCuts(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	site := &counted{answered: map[string][]int{}, asked: func() {}}
	c := newCrawling(t, site)
	defer c.web.Close()
	c.archive = func(a *archive.Config) { a.Size = 20_000 }
	kills, lost := 0, 0
	var res crawl.Result
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		p := &power{mem: c.mem, stop: cancel, cfg: vfs.CrashCloneCfg{
			UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rand.New(rand.NewPCG(seed, uint64(run)+2)),
		}}
		c.open = func(m *vfs.MemFS) store.FS { return store.OnMem(m) }
		site.before(func() {})
		switch {
		case run >= 8:
		case run%2 == 0:
			p.left = 1 + rng.IntN(30)
			site.before(p.use)
		default:
			p.left = 1 + rng.IntN(120)
			c.open = func(m *vfs.MemFS) store.FS {
				return store.Wrap(errorfs.Wrap(m, atWrite{p}), store.OnMem(m).Truncate)
			}
		}
		var err error
		res, err = c.run(ctx)
		cancel()
		if err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		if left := p.cut(); left != nil {
			kills++
			c.mem = left
			continue
		}
		if res.EndedBy == crawl.Done {
			break
		}
	}
	times := map[string]int{}
	for _, r := range c.read() {
		if r.IsAnswer() {
			times[r.HTTP(t).Header.Get("X-Number")]++
		}
	}
	for path, numbers := range site.answered {
		kept := 0
		for _, n := range numbers {
			switch times[strconv.Itoa(n)] {
			case 0:
				lost++
			case 1:
				kept++
			default:
				t.Errorf("answer %d, to %s, is there %d times", n, path, times[strconv.Itoa(n)])
			}
		}
		if kept == 0 {
			t.Errorf("no answer to %s is there, of %d", path, len(numbers))
		}
	}
	if kills == 0 {
		t.Error("the power never failed")
	}
	t.Logf("%d answers, %d power cuts, %d answers under way or not committed", site.n, kills, lost)
}
