package frontier

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/weburl"
)

// pages is a tiny web: who links to whom.
type pages map[string]string

// served crawls it and returns the order.
func (p pages) served(t *testing.T, cfg Config) string {
	t.Helper()
	cfg.Delay = NoDelay
	f := New(cfg)
	known := map[string]bool{"a": true}
	f.Push(item(t, "http://h/a", 0))
	var order []string
	for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
		name := strings.TrimPrefix(it.URL.RequestURI(), "/")
		order = append(order, name)
		var links []weburl.URL
		for _, to := range strings.Fields(p[name]) {
			u := mustParse(t, "http://h/"+to)
			links = append(links, u)
			if !known[to] {
				known[to] = true
				f.Push(Item{URL: u, Via: it.URL.String(), Depth: it.Depth + 1})
			}
		}
		f.Credit(it, slices.Values(links))
		f.Done(it, epoch, Outcome{Started: epoch})
	}
	if !f.Idle() {
		t.Errorf("%d left", f.Queued())
	}
	return strings.Join(order, " ")
}

func TestOrders(t *testing.T) {
	web := pages{
		"a": "b c d",     // 1/3 each
		"b": "e f g h i", // 1/15 each
		"c": "j",         // 1/3
		"d": "i i",       // 1/3 more for i
		"e": "h", "f": "h", "g": "h",
	}
	for o, want := range map[Order]string{
		BreadthFirst: "a b c d e f g h i j",
		OPIC:         "a b c j d i e h f g",
		InLinks:      "a b c d i e h f g j",
		OPICInLinks:  "a b c j d i e h f g",
	} {
		if got := web.served(t, Config{Order: o}); got != want {
			t.Errorf("%v serves %s, want %s", o, got, want)
		}
		if o != BreadthFirst {
			// One candidate: the newest, and what it has no room for comes breadth-first.
			if got := web.served(t, Config{Order: o, OrderPages: 1}); len(got) != len(want) {
				t.Errorf("%v with one candidate serves %s", o, got)
			}
		}
	}
}

func TestOrderNames(t *testing.T) {
	for o := range orders {
		if got, err := ParseOrder(o.String()); err != nil || got != o {
			t.Errorf("%v is read as %v, %v", o, got, err)
		}
	}
	if _, err := ParseOrder("best"); err == nil || !strings.Contains(err.Error(), "opic+inlinks") {
		t.Errorf("an unknown order: %v", err)
	}
}

// Of the hosts that may be asked now the one with the best page is, and none before its
// time.
func TestBestHostFirst(t *testing.T) {
	f := New(Config{Order: OPIC, Delay: time.Second})
	for _, host := range []string{"s", "x", "y", "z"} {
		f.Push(Item{URL: mustParse(t, "http://"+host+"/"), Depth: 1, Via: "http://s/"})
	}
	from := Item{URL: mustParse(t, "http://s/0"), cash: 1}
	links := func(hosts ...string) {
		f.Credit(from, func(yield func(weburl.URL) bool) {
			for _, h := range hosts {
				yield(mustParse(t, h))
			}
		})
	}
	links("http://y/", "http://y/", "http://z/", "http://s/")
	next := func(now time.Time, want string) {
		t.Helper()
		it, ok := f.Next(now)
		if ok != (want != "") || ok && it.URL.Host() != want {
			t.Errorf("leased %v, %v, want %q", it.URL, ok, want)
		}
		if ok {
			f.Push(Item{URL: mustParse(t, it.URL.String()+"x"), Depth: 2, Via: "http://s/"})
			f.Done(it, now, Outcome{Started: now})
		}
	}
	now := epoch
	next(now, "y")
	links("http://x/") // becomes the best while it waits
	next(now, "x")
	next(now, "s")
	next(now, "z")
	next(now, "")
	if w, ok := f.Wake(); !ok || w.Sub(now) != time.Second {
		t.Errorf("wakes at %v", w.Sub(now))
	}
	links("http://z/x")
	next(at(999*time.Millisecond), "")
	next(at(time.Second), "z")
	f.SetDelay("y", 10*time.Second)
	f.SetDelay("x", 10*time.Second)
	// Longest since its last turn; a longer delay counts from the next request.
	next(at(time.Second), "y")
}

// As TestCrash, with candidates for some or all, and marks for few or many.
func TestCrashUnderOrder(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 8))
		cfg := Config{Delay: NoDelay, PerHost: 1 + rng.IntN(2), Retries: 2, MaxFailures: 3, Window: []int{1, 10_000}[rng.IntN(2)],
			Order: OPIC + Order(rng.IntN(3)), OrderPages: []int{5, 50, 10_000}[rng.IntN(3)]}
		crash(t, rng, cfg)
	}
}

// deep is a frontier on a disk with a level of n records, the last of which is best.
func deep(t *testing.T, n int, cfg Config) (*Frontier, *memDisk) {
	t.Helper()
	d := newMemDisk()
	cfg.Disk, cfg.Delay, cfg.Window = d, NoDelay, 1
	f := New(cfg)
	for i := range n {
		f.Push(Item{URL: mustParse(t, fmt.Sprintf("http://h/%d", i)), Depth: 1, Via: "http://h/"})
	}
	commit(f, d)
	d.land()
	f.Landed()
	for i := range n {
		f.Credit(Item{cash: float32(i)}, slices.Values([]weburl.URL{mustParse(t, fmt.Sprintf("http://h/%d", i))}))
	}
	return f, d
}

func leaseAll(t *testing.T, f *Frontier, most int) (got []string) {
	t.Helper()
	for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
		got = append(got, it.URL.RequestURI()[1:])
		f.Done(it, epoch, Outcome{Started: epoch})
		if len(got) == most {
			break
		}
	}
	return got
}

// What is deep in the queue on disk comes forward, reads nothing, and stands neither in
// the queue after a resume nor on the disk in the end.
func TestDeepPageComesForward(t *testing.T) {
	f, d := deep(t, 2000, Config{Order: OPIC})
	if got := strings.Join(leaseAll(t, f, 3), " "); got != "1999 1998 1997" || d.reads > 0 {
		t.Errorf("leased %s after %d reads", got, d.reads)
	}
	commit(f, d)
	d.land()
	s, err := ReadHost("h", d.hosts["h"])
	if err != nil || s.Queued != 1997 || d.hosts["h"][0] != stateOutOfOrder {
		t.Errorf("saved are %d queued, %v", s.Queued, err)
	}
	for _, o := range []Order{BreadthFirst, OPIC} { // scores are not saved
		f := restore(t, Config{Order: o, Delay: NoDelay}, d.crash(), epoch)
		got := leaseAll(t, f, -1)
		if len(got) != 1997 || got[0] != "0" || got[1996] != "1996" || !f.Idle() {
			t.Errorf("%v: %d leased after a resume, %v...", o, len(got), got[:3])
		}
	}
	leaseAll(t, f, -1)
	commit(f, d)
	d.land()
	if len(d.blocks) > 0 || d.hosts["h"][0] != stateInOrder {
		t.Errorf("%d blocks are left of an empty queue", len(d.blocks))
	}
}

// Past the limit of marks a level is served in turn until the marks are behind.
func TestMarksAreBounded(t *testing.T) {
	f, _ := deep(t, 1000, Config{Order: OPIC})
	f.steer.marks = 10
	seen := map[string]bool{}
	for range 100 {
		for _, name := range leaseAll(t, f, 10) {
			seen[name] = true
		}
		for _, l := range f.hosts["h"].levels {
			if n := len(l.outOfOrder.leased); n > 10 {
				t.Fatalf("%d records are marked", n)
			}
		}
	}
	if len(seen) != 1000 || !f.Idle() {
		t.Errorf("%d leased", len(seen))
	}
}

// A full house of candidates keeps the good ones; URLs without one are not starved.
func TestCandidatesAreBounded(t *testing.T) {
	f, _ := deep(t, 1000, Config{Order: OPIC, OrderPages: 100})
	if n := len(f.steer.index); n != 100 || len(f.steer.slots) != 100 {
		t.Fatalf("%d candidates in %d slots", n, len(f.steer.slots))
	}
	first := leaseAll(t, f, 40)
	if plain := slices.Index(first, "0"); plain < 0 || plain > plainEvery {
		t.Errorf("the first URL that is no candidate is leased as number %d", plain)
	}
	if n := len(f.steer.index); n < 60 || n > 65 { // of the five plain leases, some had one
		t.Errorf("of 100 candidates %d are left after 40 leases, one in eight of them in turn", n)
	}
	best := func() (names []string) {
		c := slices.Clone(f.steer.slots)
		slices.SortFunc(c, func(a, b candidate) int { return cmp.Compare(b.it.cash, a.it.cash) })
		for _, c := range c[:10] {
			names = append(names, c.it.URL.String())
		}
		return names
	}
	before := best()
	for i := range 200 { // without cash: they may drive out what is bad only
		f.Push(Item{URL: mustParse(t, fmt.Sprintf("http://h/new%d", i)), Depth: 1, Via: "http://h/"})
	}
	if n := len(f.steer.index); n != 100 || !slices.Equal(best(), before) {
		t.Errorf("%d candidates, the best are %v, were %v", n, best(), before)
	}
	if got := len(leaseAll(t, f, -1)); got != 1160 || len(f.steer.index) != 0 || !f.Idle() {
		t.Errorf("%d leased, %d candidates left", got, len(f.steer.index))
	}
}

// Closing a host takes its candidates along, and its clock still holds for the others.
func TestDrainUnderOrder(t *testing.T) {
	f, _ := deep(t, 50, Config{Order: OPICInLinks, MaxFailures: 1})
	it, _ := f.Next(epoch)
	if s := f.Done(it, epoch, Outcome{Kind: Throttled, Started: epoch}); !s.Closed {
		t.Fatal("not closed")
	}
	if _, ok := f.Next(at(time.Hour)); ok {
		t.Error("a closed host is asked")
	}
	if n := f.Drain("h", 100, func(Item) {}); n != 49 || len(f.steer.index) != 0 || !f.Idle() {
		t.Errorf("%d drained, %d candidates left", n, len(f.steer.index))
	}
}

// Sixteen registers are nearly exact for a few, and a fifth off for many; the mean over
// many is right.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const runs = 2000
	for n, deviation := range map[int]float64{1: 0, 4: 0.14, 16: 0.17, 100: 0.21, 1000: 0.23, 20_000: 0.23} {
		runs := min(runs, 4_000_000/n)
		var sum, square float64
		for range runs {
			var d distinct
			for range n {
				h := rng.Uint64()
				d.add(h)
				d.add(h) // again: no other
			}
			relative := float64(d.estimate)/float64(n) - 1
			sum += relative
			square += relative * relative
		}
		mean := sum / float64(runs)
		if got := square / float64(runs); mean*mean > 16*(got+1e-9)/float64(runs) || got > deviation*deviation {
			t.Errorf("%d hashes: mean %+.3f, deviation %.3f squared %.4f, want below %.2f", n, mean, deviation, got, deviation)
		}
	}
}
