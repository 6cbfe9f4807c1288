package frontier

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"
)

// crowd is a crawl of a list of hosts, as far as the frontier matters: what an answer takes is
// known beforehand, and handing out a page takes a share of a second, as it does where there are
// more hosts than the machine has time for.
type crowd struct {
	slots, leasesPerSecond int
	hosts                  []crowdHost
	of                     map[string][]time.Duration // when pages came, by kind of host
}

// crowdHost has pages, of which the first is a seed that links to the others.
type crowdHost struct {
	name  string
	takes time.Duration // for an answer
	dead  bool          // nobody answers; takes is the time to find that out
	pages int
}

// ending is the end of a lease.
type ending struct {
	it   Item
	at   time.Time
	sent time.Time
	host *crowdHost
}

type endings []ending

func (q endings) Len() int           { return len(q) }
func (q endings) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q endings) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *endings) Push(x any)        { *q = append(*q, x.(ending)) }
func (q *endings) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

// run crawls for so long, and returns when each page came.
func (c *crowd) run(t *testing.T, cfg Config, long time.Duration) (came []time.Duration) {
	t.Helper()
	cfg.Slots, c.of = c.slots, map[string][]time.Duration{}
	f := New(cfg)
	byName, robots, done := map[string]*crowdHost{}, map[string]bool{}, map[string]bool{}
	for i := range c.hosts {
		h := &c.hosts[i]
		byName[h.name] = h
		f.Push(item(t, "http://"+h.name+"/0", 0))
	}
	perLease := time.Second / time.Duration(c.leasesPerSecond)
	var q endings
	located := 0
	now, end := epoch, epoch.Add(long)
	settle := func(e ending) {
		h := e.host
		switch {
		case e.it.Lease.Locate:
			located++
			f.Located(e.it, netip.AddrFrom4([4]byte{10, byte(located >> 16), byte(located >> 8), byte(located)}))
			return
		case h.dead && e.it.Lease.Brief:
			f.Return(e.it, e.sent)
			return
		case h.dead:
			f.Done(e.it, e.at, Outcome{Kind: Failed, Retry: true, Started: e.sent})
			return
		case !robots[h.name]:
			robots[h.name] = true
			f.RobotsRead(e.it, e.sent)
			return
		}
		came = append(came, e.at.Sub(epoch))
		kind := h.name[:4]
		c.of[kind] = append(c.of[kind], came[len(came)-1])
		f.Done(e.it, e.at, Outcome{Started: e.sent})
		if !done[h.name] {
			done[h.name] = true
			for p := 1; p < h.pages; p++ {
				f.Push(item(t, fmt.Sprintf("http://%s/%d", h.name, p), 1))
			}
		}
	}
	for now.Before(end) {
		for len(q) > 0 && !q[0].at.After(now) {
			settle(heap.Pop(&q).(ending))
		}
		if len(q) < c.slots {
			if it, ok := f.Next(now); ok {
				h := byName[it.URL.Host()]
				takes := h.takes
				switch {
				case it.Lease.Locate:
					takes = 0
				case it.Lease.Brief && h.dead:
					takes = min(takes, 2*time.Second)
				}
				heap.Push(&q, ending{it, now.Add(takes), now, h})
				now = now.Add(perLease)
				continue
			}
		}
		next, ok := end, len(q) > 0
		if ok {
			next = q[0].at
		}
		if at, waits := f.Wake(); waits && len(q) < c.slots && at.Before(next) {
			next = at
		}
		if f.Idle() {
			break
		}
		now = later(now, next)
	}
	return came
}

func within(came []time.Duration, most time.Duration) (n int) {
	for _, at := range came {
		if at <= most {
			n++
		}
	}
	return n
}

// lists are the lists of hosts of these tests, by where the hosts that answer at once stand.
func lists(other, live []crowdHost) map[string][]crowdHost {
	mixed := slices.Concat(other, live)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	half := len(other) / 2
	return map[string][]crowdHost{
		"last": slices.Concat(other, live), "first": slices.Concat(live, other),
		"amid": slices.Concat(other[:half], live, other[half:]), "mixed": mixed,
	}
}

// named returns so many hosts like h, numbered.
func named(n int, h crowdHost) (hosts []crowdHost) {
	for i := range n {
		next := h
		next.name = fmt.Sprintf("%s%d.example", h.name, i)
		hosts = append(hosts, next)
	}
	return hosts
}

// A long list of hosts starts at once: pages come while most hosts were not asked yet, and both get
// ahead. CROWD=1 takes a list of 100,000 hosts and a minute.
func TestLongListStartsAtOnce(t *testing.T) {
	hosts, long := 20_000, 10*time.Second
	if os.Getenv("CROWD") != "" {
		hosts, long = 100_000, time.Minute
	}
	for _, takes := range []time.Duration{time.Millisecond, 50 * time.Millisecond} {
		c := crowd{slots: 256, leasesPerSecond: 5000, hosts: named(hosts, crowdHost{name: "live", takes: takes, pages: int(long/time.Second) + 2})}
		came := c.run(t, Config{Delay: time.Second}, long)
		t.Logf("%d hosts of %v: the first page after %v, %d after 10 s, %d after %v", hosts, takes, came[0], within(came, 10*time.Second), len(came), long)
		// Of 50,000 leases, three in four are of pages, but for the first second.
		if n := within(came, 10*time.Second); came[0] > 1500*time.Millisecond || n < 25_000 {
			t.Errorf("%v: the first page came after %v, %d in 10 s; want a second and 25,000", takes, came[0], n)
		}
	}
}

// Hosts that answer at once are found and crawled beside ten times as many that are dead, or slow,
// wherever they stand in the list.
func TestLivingAnywhereInAList(t *testing.T) {
	live := named(100, crowdHost{name: "live", takes: 50 * time.Millisecond, pages: 30})
	for _, x := range []struct {
		other crowdHost
		most  time.Duration // for the last page of the living, with 64 slots; alone it is 31 s
	}{
		// 48 slots that each try a host for two seconds take 46 s for 1,100 hosts, and 230 s
		// for 10 s each.
		{crowdHost{name: "dead", takes: 10 * time.Second, dead: true}, 90 * time.Second},
		{crowdHost{name: "slow", takes: 2500 * time.Millisecond, pages: 1}, 120 * time.Second},
	} {
		for stand, hosts := range lists(named(1000, x.other), live) {
			c := crowd{slots: 64, leasesPerSecond: 5000, hosts: hosts}
			came := c.run(t, Config{Delay: time.Second, Retries: 2, Patience: time.Minute}, 10*time.Minute)
			pages := c.of["live"]
			t.Logf("%s, the living %s: their first page after %v, half after %v, the last after %v; %d of all in 10 s, %d in 60 s", x.other.name, stand,
				pages[0], pages[len(pages)/2], pages[len(pages)-1], within(came, 10*time.Second), within(came, time.Minute))
			if len(pages) != 3000 || pages[len(pages)-1] > x.most {
				t.Errorf("%s, the living %s: %d pages of 3000, the last after %v, want %v", x.other.name, stand, len(pages), pages[len(pages)-1], x.most)
			}
		}
	}
}
