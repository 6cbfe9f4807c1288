package frontier

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// server is a machine that answers so many requests at a time, each in its time, and has the
// others wait.
type server struct {
	free    []time.Time // when each of its places is free
	service func(it Item) time.Duration

	starts  []time.Time // of the requests that it got
	waits   []time.Duration
	longest time.Duration // most that a request has waited for a place
	flying  int
	most    int // requests at a time
}

func newServer(places int, service func(Item) time.Duration) *server {
	return &server{free: make([]time.Time, places), service: service}
}

// answer returns how long the answer to a request takes that comes now.
func (s *server) answer(it Item, now time.Time) time.Duration {
	first := 0
	for i := range s.free {
		if s.free[i].Before(s.free[first]) {
			first = i
		}
	}
	begin := later(s.free[first], now)
	s.free[first] = begin.Add(s.service(it))
	s.starts = append(s.starts, now)
	s.waits = append(s.waits, begin.Sub(now))
	s.longest = max(s.longest, begin.Sub(now))
	s.flying++
	s.most = max(s.most, s.flying)
	return s.free[first].Sub(now)
}

// hosting is a crawl in virtual time of hosts that are at the addresses of servers.
type hosting struct {
	t       *testing.T
	f       *Frontier
	now     time.Time
	workers int
	server  func(host string) (*server, netip.Addr)
	flights flights
	located map[string]bool
	asked   map[string]time.Time
	done    int
	last    time.Time                        // the last answer of a page
	outcome func(it Item, o Outcome) Outcome // nil: as it should be
	again   int                              // leases whose page has another attempt
	closed  int                              // pages of hosts that were closed
}

type arrival struct {
	it    Item
	began time.Time
	ends  time.Time
	at    *server // nil: the host is being located
	where netip.Addr
}

type flights []arrival

func (q flights) Len() int           { return len(q) }
func (q flights) Less(i, j int) bool { return q[i].ends.Before(q[j].ends) }
func (q flights) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *flights) Push(x any)        { *q = append(*q, x.(arrival)) }
func (q *flights) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func newHosting(t *testing.T, cfg Config, server func(host string) (*server, netip.Addr)) *hosting {
	return &hosting{t: t, f: New(cfg), now: epoch, workers: 10_000, server: server, located: map[string]bool{}, asked: map[string]time.Time{}}
}

func (w *hosting) push(hosts, pages int, name string) {
	for p := range pages {
		for h := range hosts {
			w.f.Push(item(w.t, fmt.Sprintf("http://%s%d.example/%d", name, h, p), 0))
		}
	}
}

// run crawls for so long, or until all is done, and returns how long that took to the last answer.
func (w *hosting) run(most time.Duration) time.Duration {
	w.t.Helper()
	end := w.now.Add(most)
	began := w.now
	for !w.f.Idle() && !w.now.After(end) {
		for len(w.flights) < w.workers {
			it, ok := w.f.Next(w.now)
			if !ok {
				break
			}
			w.lease(it)
		}
		next := end.Add(1)
		if at, ok := w.f.Wake(); ok && len(w.flights) < w.workers {
			next = at
		}
		if len(w.flights) > 0 && !w.flights[0].ends.After(next) {
			w.now = w.flights[0].ends
			w.end(heap.Pop(&w.flights).(arrival))
			continue
		}
		if next.Before(w.now) {
			w.t.Fatalf("woken at %v for %v", w.now, next)
		}
		w.now = next
	}
	return w.last.Sub(began)
}

func (w *hosting) lease(it Item) {
	host := it.URL.Host()
	s, at := w.server(host)
	if it.Lease.Locate != (w.f.cfg.shares() && !w.located[host]) {
		w.t.Fatalf("%s: to be located: %v; was located: %v", host, it.Lease.Locate, w.located[host])
	}
	if it.Lease.Locate {
		heap.Push(&w.flights, arrival{it: it, began: w.now, ends: w.now.Add(2 * time.Millisecond), where: at})
		return
	}
	if last, ok := w.asked[host]; ok && w.f.cfg.PerHost == 1 && w.now.Sub(last) < w.f.cfg.Delay {
		w.t.Fatalf("%s asked %v after the request before", host, w.now.Sub(last))
	}
	w.asked[host] = w.now
	heap.Push(&w.flights, arrival{it: it, began: w.now, ends: w.now.Add(s.answer(it, w.now)), at: s})
}

func (w *hosting) end(a arrival) {
	if a.at == nil {
		w.located[a.it.URL.Host()] = true
		w.f.Located(a.it, a.where)
		return
	}
	a.at.flying--
	w.done++
	w.last = w.now
	o := Outcome{Started: a.began, Latency: w.now.Sub(a.began)}
	if w.outcome != nil {
		o = w.outcome(a.it, o)
	}
	w.f.Answered(a.it, w.now, o)
	d := w.f.Done(a.it, w.now, o)
	if d.Again {
		w.done--
		w.again++
	}
	if d.Closed {
		w.closed += w.f.Drain(a.it.URL.Host(), math.MaxInt, func(Item) {})
	}
}

func fixed(d time.Duration) func(Item) time.Duration { return func(Item) time.Duration { return d } }

// varied is a service whose times differ tenfold: log-normal about d.
func varied(rng *rand.Rand, d time.Duration) func(Item) time.Duration {
	return func(Item) time.Duration { return time.Duration(float64(d) * math.Exp(0.7*rng.NormFloat64())) }
}

func quantile(ds []time.Duration, q float64) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[min(int(q*float64(len(ds))), len(ds)-1)]
}

// varies is how much longer the mean of varied is than d.
var varies = math.Exp(0.7 * 0.7 / 2)

var oneAddress = netip.MustParseAddr("192.0.2.1")

// atOne has all hosts at one server.
func atOne(s *server) func(string) (*server, netip.Addr) {
	return func(string) (*server, netip.Addr) { return s, oneAddress }
}

// A small server behind 500 names, whatever it is that it can do, is left room for others: when the
// crawl has found its pace most requests do not wait there, and it is never flooded.
func TestSmallServerBehindManyNames(t *testing.T) {
	const ms = time.Millisecond
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3
	}
	for name, c := range map[string]struct {
		places  int
		service time.Duration
	}{
		"one process, 20 ms":         {1, 20 * ms},
		"one process, 200 ms":        {1, 200 * ms},
		"five processes, 100 ms":     {5, 100 * ms},
		"five processes, 400 ms":     {5, 400 * ms},
		"thirty processes, 500 ms":   {30, 500 * ms},
		"ten processes, two seconds": {10, 2000 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			smallServer(t, c.places, c.service, fixed(c.service))
			for seed := range seeds {
				mean := time.Duration(float64(c.service) * varies)
				smallServer(t, c.places, mean, varied(rand.New(rand.NewPCG(seed, 1)), c.service))
			}
		})
	}
}

func smallServer(t *testing.T, places int, mean time.Duration, service func(Item) time.Duration) {
	const found, end = 2 * time.Minute, 6 * time.Minute
	s := newServer(places, service)
	w := newHosting(t, Config{Delay: time.Second}, atOne(s))
	w.push(500, 60, "h")
	w.run(found)
	before := len(s.waits)
	w.run(end - found)
	can := float64(places) / mean.Seconds()
	does := float64(len(s.waits)-before) / (end - found).Seconds()
	half, most := quantile(s.waits[before:], 0.5), quantile(s.waits[before:], 0.9)
	if t.Logf("%.2f of what it can; half wait %v, nine of ten %v, most of all %v; %d at a time", does/can, half, most, s.longest, s.most); does > 0.85*can || does < 0.3*can {
		t.Errorf("it is asked %.2f times a second and can %.2f", does, can)
	}
	if half > mean/4 || most > max(7*mean/2, 2*unfelt) {
		t.Errorf("half of the requests wait for %v, nine of ten for %v, and an answer takes %v", half, most, mean)
	}
	if s.most > 4*max(firstSize, places) {
		t.Errorf("%d requests at a time, and it can do %d", s.most, places)
	}
}

// An address in front of a thousand sites does not become the crawl's pace.
func TestAddressOfManySites(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		took := map[int]time.Duration{}
		for _, perIP := range []int{0, NoPerIP} {
			s := newServer(1000, varied(rand.New(rand.NewPCG(seed, 1)), 100*time.Millisecond))
			w := newHosting(t, Config{Delay: time.Second, PerIP: perIP}, atOne(s))
			w.push(1000, 120, "h")
			took[perIP] = w.run(time.Hour)
			if w.done != 1000*120 {
				t.Errorf("%d of %d pages", w.done, 1000*120)
			}
			if perIP == 0 && s.most > DefaultPerIP {
				t.Errorf("%d requests at a time", s.most)
			}
		}
		share := took[NoPerIP].Seconds() / took[0].Seconds()
		if t.Logf("%v, without a window %v: %.3f", took[0], took[NoPerIP], share); share < 0.97 {
			t.Errorf("seed %d: %.3f of the pace that politeness to hosts allows", seed, share)
		}
	}
}

// Nor when everything takes five times as long now and then, for a reason that is none of the
// crawl: half of the time, in spells of some seconds.
func TestAddressWithSpells(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		plain := varied(rng, 20*time.Millisecond)
		var w *hosting
		until, slow := epoch, false
		s := newServer(1000, func(it Item) time.Duration {
			for !w.now.Before(until) {
				until, slow = until.Add(time.Duration(rng.ExpFloat64()*float64(1500*time.Millisecond))), !slow
			}
			if slow {
				return 5 * plain(it)
			}
			return plain(it)
		})
		w = newHosting(t, Config{Delay: time.Second}, atOne(s))
		w.push(1000, 60, "h")
		took := w.run(time.Hour)
		if t.Logf("%v", took); took > 64*time.Second {
			t.Errorf("seed %d: 60 pages of each host took %v", seed, took)
		}
	}
}

// The least gap is held at the address whatever its hosts are and do, nothing is lost, and other
// addresses do not wait.
func TestIPDelay(t *testing.T) {
	const gap = 300 * time.Millisecond
	shared, other := newServer(1000, fixed(40*time.Millisecond)), newServer(1000, fixed(40*time.Millisecond))
	w := newHosting(t, Config{Delay: time.Second, IPDelay: gap}, func(host string) (*server, netip.Addr) {
		if host[0] == 'o' {
			return other, netip.MustParseAddr("192.0.2.2")
		}
		return shared, oneAddress
	})
	w.push(20, 10, "h")
	w.push(1, 60, "other")
	took := w.run(time.Hour)
	if w.done != 260 || took < 199*gap || took > 202*gap {
		t.Errorf("%d pages in %v", w.done, took)
	}
	for i := range shared.starts[1:] {
		if d := shared.starts[i+1].Sub(shared.starts[i]); d < gap {
			t.Fatalf("request %d came %v after the one before", i+1, d)
		}
	}
	if d := other.starts[59].Sub(other.starts[0]); d > 61*time.Second {
		t.Errorf("a host alone at its address took %v", d)
	}
}

// A host alone at its address keeps the gap, too, if that is longer than its delay.
func TestIPDelayOfOneHost(t *testing.T) {
	s := newServer(10, fixed(time.Millisecond))
	w := newHosting(t, Config{Delay: 100 * time.Millisecond, IPDelay: time.Second, PerIP: NoPerIP}, atOne(s))
	w.push(1, 10, "h")
	if took := w.run(time.Hour); took < 9*time.Second || took > 9100*time.Millisecond {
		t.Errorf("took %v", took)
	}
}

// Whatever the settings and the hosts' trouble, every page comes to an end once, no address has
// more requests than it may, and nobody is asked too soon.
func TestAddressesAtRandom(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 7))
		cfg := Config{
			Delay: time.Duration(1+rng.IntN(1000)) * time.Millisecond, PerHost: 1 + rng.IntN(3), Retries: rng.IntN(3),
			PerIP: 1 + rng.IntN(20), Slots: rng.IntN(2) * 16, Order: Order(rng.IntN(int(orders))), Patience: time.Minute,
		}
		if rng.IntN(2) == 0 {
			cfg.IPDelay = time.Duration(rng.IntN(50)) * time.Millisecond
		}
		servers := make([]*server, 1+rng.IntN(4))
		for i := range servers {
			servers[i] = newServer(1+rng.IntN(20), varied(rng, time.Duration(1+rng.IntN(500))*time.Millisecond))
		}
		w := newHosting(t, cfg, func(host string) (*server, netip.Addr) {
			n := len(host) % len(servers)
			return servers[n], netip.AddrFrom4([4]byte{192, 0, 2, byte(n)})
		})
		w.workers = 16
		bad := rng.IntN(10)
		w.outcome = func(it Item, o Outcome) Outcome {
			dead := len(it.URL.Host()) == 9 && bad == 0 // h0.example and the like
			if dead || rng.IntN(100) < bad {
				o.Kind, o.Retry = []OutcomeKind{Throttled, Failed, Faulty}[rng.IntN(3)], true
			}
			return o
		}
		hosts, pages := 1+rng.IntN(120), 1+rng.IntN(12)
		w.push(hosts, pages, "h")
		w.run(100 * time.Hour)
		if w.done+w.closed != hosts*pages || !w.f.Idle() {
			t.Fatalf("seed %d: %d pages came to an end, %d were closed, of %d; %d are queued", seed, w.done, w.closed, hosts*pages, w.f.Queued())
		}
		for i, s := range servers {
			if s.most > cfg.PerIP {
				t.Fatalf("seed %d: %d requests at once at address %d, which may have %d", seed, s.most, i, cfg.PerIP)
			}
			for j := 1; j < len(s.starts) && cfg.IPDelay > 0; j++ {
				if d := s.starts[j].Sub(s.starts[j-1]); d < cfg.IPDelay {
					t.Fatalf("seed %d: a request to address %d came %v after the one before, not %v", seed, i, d, cfg.IPDelay)
				}
			}
		}
	}
}

// After a resume nothing is known of addresses: what was at its full pace begins as a new crawl
// does, and all hosts being due at once is no burst.
func TestResumedCrawlBeginsSmall(t *testing.T) {
	s := newServer(1000, fixed(50*time.Millisecond))
	d := newMemDisk()
	w := newHosting(t, Config{Delay: time.Second, Disk: d}, atOne(s))
	w.push(500, 100, "h")
	w.run(20 * time.Second)
	if full := len(s.starts) - 500*15; full < 0 {
		t.Fatalf("%d requests in 20 s", len(s.starts))
	}
	commit(w.f, d)
	d.land()
	s = newServer(1000, fixed(50*time.Millisecond))
	r := newHosting(t, Config{}, atOne(s))
	r.f, r.now = restore(t, Config{Delay: time.Second}, d, w.now), w.now
	r.run(time.Second + 10*firstGap)
	if n := len(s.starts); n < 5 || n > 15 {
		t.Errorf("%d requests in the first %v", n, 10*firstGap)
	}
	for i := range s.starts[1:] {
		if d := s.starts[i+1].Sub(s.starts[i]); d < firstGap/gapGrowth {
			t.Errorf("request %d came %v after the one before", i+1, d)
		}
	}
}

// Rate limits by address, which hosters have, answer 429 to all names there: the window shrinks
// until most are answered.
func TestAddressThatAnswers429(t *testing.T) {
	good, refused := limitedByAddress(t, 0)
	_, before := limitedByAddress(t, NoPerIP)
	t.Logf("%d answered, %d refused; without a window %d refused", good, refused, before)
	if refused > good/8 || good < 20*300 || refused > before/2 {
		t.Errorf("%d answered, %d refused; without a window %d refused", good, refused, before)
	}
}

// limitedByAddress crawls for five minutes 500 hosts of an address that answers 30 requests a
// second.
func limitedByAddress(t *testing.T, perIP int) (good, refused int) {
	w := newHosting(t, Config{Delay: time.Second, PerIP: perIP}, atOne(newServer(1000, fixed(50*time.Millisecond))))
	bucket, last := 0.0, epoch
	w.outcome = func(_ Item, o Outcome) Outcome {
		bucket = min(bucket+30*w.now.Sub(last).Seconds(), 60)
		last = w.now
		if bucket < 1 {
			refused++
			o.Kind, o.Retry = Throttled, true
			return o
		}
		bucket--
		good++
		return o
	}
	w.push(500, 40, "h")
	w.run(5 * time.Minute)
	return good, refused
}

// A lease that sends no request gives the gap of its address back.
func TestGapIsGivenBack(t *testing.T) {
	f := New(Config{Delay: time.Second, IPDelay: time.Minute})
	now := epoch
	for i := range 4 {
		f.Push(item(t, fmt.Sprintf("http://h%d/%d", i%2, i), 0))
	}
	first, _ := f.Next(now)
	second, _ := f.Next(now)
	f.Located(first, oneAddress)
	f.Located(second, oneAddress)
	for _, unasked := range []func(Item){
		func(it Item) { f.Return(it, time.Time{}) },
		func(it Item) { f.Postpone(it) },
		func(it Item) { f.Hold(it) },
	} {
		it, ok := f.Next(now)
		if !ok {
			t.Fatal("the gap was not given back")
		}
		unasked(it)
	}
	if it, ok := f.Next(now); !ok {
		t.Error("the gap was not given back")
	} else {
		f.Done(it, now, Outcome{Started: now})
	}
	if at, _ := f.Wake(); at != now.Add(time.Minute) {
		t.Errorf("the next request is %v after the first", at.Sub(now))
	}
}

// Hosts are located as their turn comes, and asked at once: else the names of a long list of seeds
// would all be looked up before the first of them is asked.
func TestLocatedHostsGoFirst(t *testing.T) {
	f := New(Config{Delay: time.Second})
	for i := range 1000 {
		f.Push(item(t, fmt.Sprintf("http://h%d/", i), 0))
	}
	for i := range 1000 {
		it, _ := f.Next(epoch)
		if !it.Lease.Locate {
			t.Fatalf("lease %d is of a host that was located", 2*i)
		}
		f.Located(it, netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}))
		if again, ok := f.Next(epoch); !ok || again.URL != it.URL || again.Lease.Locate {
			t.Fatalf("after %s was located %s is leased, to be located: %v", it.URL, again.URL, again.Lease.Locate)
		}
	}
}

func TestNetworkOf(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.1":         "192.0.2.1",
		"::ffff:192.0.2.1":  "192.0.2.1",
		"2001:db8:1:2:3::4": "2001:db8:1:2::",
		"2001:db8:1:2::5":   "2001:db8:1:2::",
		"2001:db8:1:3::5":   "2001:db8:1:3::",
		"fe80::1%eth0":      "fe80::",
	} {
		if got := networkOf(netip.MustParseAddr(ip)); got.String() != want {
			t.Errorf("%s: %s, not %s", ip, got, want)
		}
	}
}
