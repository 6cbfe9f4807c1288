package frontier

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"crawler/weburl"
)

// process is a Frontier on a disk with a model of what it holds and has asked.
type process struct {
	outage bool // said by the last lease
	f      *Frontier
	d      *memDisk
	now    time.Time
	queued map[string]Item
	leased map[string]Item
	asked  map[string]time.Time // last request to each host, whatever crashed since
	pushed int
}

// saved is what the model was at a commit that landed.
type saved struct {
	d        *memDisk
	items    map[string]Item // queued or leased
	leased   int
	rest     map[string]time.Time
	admitted map[string]int
	failures map[string]int
	closed   map[string]bool
}

// One life after the other, each crashing at a random moment after a commit: what
// comes out of the next is what was queued or leased at that commit, each once and
// with all its fields; budgets, failures and closed hosts stand; and no host is
// asked sooner than it may be.
func TestCrash(t *testing.T) {
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 5))
		delay := time.Duration(rng.IntN(3)) * time.Second
		if delay == 0 {
			delay = NoDelay
		}
		cfg := Config{Delay: delay, PerHost: 1 + rng.IntN(2), Retries: 2, MaxFailures: 3, Window: []int{1, 10_000}[rng.IntN(2)]}
		crash(t, rng, cfg)
	}
}

func crash(t *testing.T, rng *rand.Rand, cfg Config) {
	t.Helper()
	p := &process{d: newMemDisk(), now: epoch, queued: map[string]Item{}, leased: map[string]Item{}, asked: map[string]time.Time{}}
	cfg.Disk = p.d
	p.f = New(cfg)
	for range 4 {
		p.live(t, rng, 100)
		s := p.save()
		p.live(t, rng, rng.IntN(100)) // the last commit's blocks are not on p.d yet
		p.restart(t, cfg, s)
	}
	p.finish(t)
}

// live does random things.
func (p *process) live(t *testing.T, rng *rand.Rand, steps int) {
	t.Helper()
	for range steps {
		switch op := rng.IntN(10); {
		case op < 3:
			for range rng.IntN(30) {
				p.pushed++
				if it := randomItem(t, rng, p.pushed); !p.f.Closed(it.URL) {
					p.f.Push(it)
					p.queued[it.URL.String()] = it
				}
			}
		case op < 6:
			p.lease(t)
		case op < 9 && len(p.leased) > 0:
			p.end(rng, anyOf(rng, p.leased))
		default:
			p.now = p.now.Add(time.Duration(rng.IntN(2000)) * time.Millisecond)
		}
	}
}

func (p *process) lease(t *testing.T) {
	t.Helper()
	it, ok := p.f.Next(p.now)
	if !ok {
		return
	}
	u, h := it.URL.String(), it.URL.Host()
	if it.Lease.Locate && p.f.turn%2 == 0 { // some stay unknown
		p.f.Located(it, oneAddress)
		return
	}
	p.outage = it.Lease.Outage
	it.Lease, it.cash = Lease{}, 0
	if want, ok := p.queued[u]; !ok || it != want {
		t.Fatalf("leased %+v, queued is %+v", it, want)
	}
	delete(p.queued, u)
	p.leased[u] = it
	if last, ok := p.asked[h]; ok && p.now.Sub(last) < p.f.cfg.Delay {
		t.Fatalf("%s asked after %v, want %v", h, p.now.Sub(last), p.f.cfg.Delay)
	}
	p.asked[h] = p.now
}

func (p *process) end(rng *rand.Rand, it Item) {
	u := it.URL.String()
	delete(p.leased, u)
	if p.f.steer != nil {
		p.f.Credit(it, func(yield func(weburl.URL) bool) {
			for _, to := range p.queued {
				if !yield(to.URL) || rng.IntN(5) == 0 {
					return
				}
			}
		})
	}
	closed := false
	if p.outage && rng.IntN(2) == 0 {
		closed = p.f.Heard(it, p.now, p.now)
		p.queued[u] = it
	} else if rng.IntN(5) == 0 {
		closed = p.f.RobotsRead(it, p.now)
		p.queued[u] = it
	} else {
		s := p.f.Done(it, p.now, Outcome{Kind: []OutcomeKind{Answered, Throttled, Failed}[rng.IntN(3)], Retry: rng.IntN(2) == 0, Started: p.now, RetryAfter: time.Duration(rng.IntN(20)) * time.Second})
		closed = s.Closed
		if s.Again {
			p.queued[u] = p.waiting(it)
		}
		for _, h := range p.f.hosts { // the end of an outage excuses their failures
			for _, d := range h.delayed() {
				p.queued[d.URL.String()] = d.Item
			}
		}
	}
	if closed {
		p.f.Drain(it.URL.Host(), 1<<30, func(it Item) { delete(p.queued, it.URL.String()) })
	}
}

func (p *process) save() saved {
	commit(p.f, p.d)
	s := saved{d: p.d.crash(), items: maps.Clone(p.queued), leased: len(p.leased),
		rest: map[string]time.Time{}, admitted: map[string]int{}, failures: map[string]int{}, closed: map[string]bool{}}
	s.d.pending = p.d.pending
	s.d.land()
	maps.Copy(s.items, p.leased)
	for name, h := range p.f.hosts {
		s.rest[name], s.admitted[name], s.failures[name], s.closed[name] = h.backoffUntil(), h.admitted, failuresOf(h), h.closed
	}
	return s
}

func (p *process) restart(t *testing.T, cfg Config, s saved) {
	t.Helper()
	f := restore(t, cfg, s.d, p.now)
	if f.Queued() != len(s.items) || f.Leased() != 0 {
		t.Fatalf("restored %d queued, %d leased, saved were %d", f.Queued(), f.Leased(), len(s.items))
	}
	listed, leased := 0, 0
	for name, h := range f.hosts {
		if h.admitted != s.admitted[name] || failuresOf(h) != s.failures[name] || h.closed != s.closed[name] {
			t.Fatalf("%s: %d admitted, %d failures, closed %v; saved were %d, %d, %v", name, h.admitted, failuresOf(h), h.closed, s.admitted[name], s.failures[name], s.closed[name])
		}
		if h.backoffUntil().Before(s.rest[name]) {
			t.Fatalf("%s rests until %v, saved was %v", name, h.backoffUntil(), s.rest[name])
		}
		state, err := ReadHost(name, s.d.hosts[name])
		if err != nil || state.Queued != h.queued()-state.Leased {
			t.Fatalf("ReadHost: %d queued, %d leased, %v; want %d together", state.Queued, state.Leased, err, h.queued())
		}
		leased += state.Leased
		listed += list(t, s, name)
	}
	if listed != len(s.items) || leased != s.leased {
		t.Fatalf("Queue listed %d, %d of them leased, want %d and %d", listed, leased, len(s.items), s.leased)
	}
	p.f, p.d, p.queued, p.leased = f, s.d, s.items, map[string]Item{}
}

// waiting returns an item as it waits for its next attempt: outside its level, unless its
// host has never answered.
func (p *process) waiting(it Item) Item {
	h := p.f.host(it.URL.Host())
	for _, d := range h.delayed() {
		if d.URL == it.URL {
			return d.Item
		}
	}
	for _, w := range h.front {
		if w.URL == it.URL {
			return w
		}
	}
	it.Attempt++
	return it
}

func failuresOf(h *host) int {
	if h.trouble == nil {
		return 0
	}
	return h.trouble.failures
}

// list checks Queue against the model and against what a Frontier serves.
func list(t *testing.T, s saved, name string) int {
	t.Helper()
	var want []Item
	f := restore(t, Config{Delay: NoDelay, Patience: time.Hour}, s.d.crash(), epoch.Add(1000*time.Hour))
	f.Drain(name, 1<<30, func(it Item) { want = append(want, it) })
	var got []Item
	err := Queue(name, s.d.hosts[name], s.d, func(pos int, it Item) bool {
		if pos != len(got) || it != s.items[it.URL.String()] {
			t.Fatalf("Queue lists %+v at %d, saved was %+v", it, pos, s.items[it.URL.String()])
		}
		got = append(got, it)
		return true
	})
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("Queue lists %d, served are %d: %v", len(got), len(want), err)
	}
	return len(got)
}

// finish leases all that is left.
func (p *process) finish(t *testing.T) {
	t.Helper()
	for len(p.queued) > 0 {
		p.now = p.now.Add(time.Second)
		for before := -1; before != len(p.queued); {
			before = len(p.queued)
			p.lease(t)
		}
		for _, it := range p.leased {
			p.f.Done(it, p.now, Outcome{Started: p.now})
		}
		clear(p.leased)
	}
	if !p.f.Idle() {
		t.Errorf("the model is empty, the frontier has %d", p.f.Queued())
	}
}

func TestRestoredHostWaits(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  Config
		after   Config
		crawl   time.Duration // Crawl-delay
		outcome Outcome
		want    time.Duration // from the restart, 10 s after the request
	}{
		{"spacing from now", Config{}, Config{}, 0, Outcome{}, time.Second},
		{"changed delay", Config{}, Config{Delay: 3 * time.Second}, 0, Outcome{}, 3 * time.Second},
		{"Crawl-delay stands", Config{Delay: 5 * time.Second}, Config{Delay: time.Second}, 2 * time.Second, Outcome{}, 2 * time.Second},
		{"changed cap of it", Config{MaxDelay: time.Second}, Config{}, 20 * time.Second, Outcome{}, 20 * time.Second},
		{"no sooner than it was to be", Config{Delay: time.Minute}, Config{}, 0, Outcome{}, 50 * time.Second},
		{"Retry-After", Config{}, Config{}, 0, Outcome{Kind: Throttled, RetryAfter: 5 * time.Minute}, 5 * time.Minute},
		{"Retry-After as long as patience", Config{}, Config{}, 0, Outcome{Kind: Throttled, RetryAfter: DefaultPatience}, DefaultPatience},
		{"never more than patience", Config{}, Config{Patience: 12 * time.Minute}, 0, Outcome{Kind: Throttled, RetryAfter: 25 * time.Minute}, 12 * time.Minute},
		{"Interval", Config{Delay: NoDelay}, Config{Delay: NoDelay, Interval: 4 * time.Second}, 0, Outcome{}, 4 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newMemDisk()
			c.before.Disk = d
			f := New(c.before)
			f.Push(item(t, "http://a/1", 0))
			f.Push(item(t, "http://a/2", 0))
			it, _ := f.Next(epoch)
			f.SetDelay("a", c.crawl)
			c.outcome.Started = epoch
			f.Done(it, epoch, c.outcome)
			commit(f, d)
			d.land()
			now := at(10 * time.Second)
			f = restore(t, c.after, d, now)
			if w, ok := f.Wake(); !ok || w.Sub(now) != c.want {
				t.Errorf("asked again %v after the restart, want %v", w.Sub(now), c.want)
			}
		})
	}
}

func TestClosedHostSurvives(t *testing.T) {
	d := newMemDisk()
	f := New(Config{Delay: NoDelay, MaxFailures: 1, MaxPerHost: 5, Disk: d})
	for i := range 5 {
		f.Push(item(t, fmt.Sprintf("http://dead/%d", i), 0))
	}
	it, _ := f.Next(epoch)
	f.Done(it, epoch, Outcome{Kind: Throttled, RetryAfter: time.Hour})
	f.Drain("dead", 2, func(Item) {})
	commit(f, d)
	d.land()
	f = restore(t, Config{Delay: NoDelay, MaxPerHost: 5}, d, at(time.Hour))
	if !f.Closed(it.URL) || f.HasRoom(it.URL) {
		t.Errorf("closed %v, room %v; want true, false", f.Closed(it.URL), f.HasRoom(it.URL))
	}
	if _, ok := f.Wake(); ok {
		t.Error("a closed host is still to be asked")
	}
	if !f.HostClosed("dead") || f.HostClosed("other") {
		t.Error("HostClosed is wrong")
	}
	if n := f.Drain("dead", 10, func(Item) {}); n != 2 || !f.Idle() {
		t.Errorf("drained %d, want the 2 left", n)
	}
}
