package crawl_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/report"
	"crawler/weburl"
)

// cluster is a simulation: shards that crawl one web over a bus, and die.
type cluster struct {
	t    *testing.T
	seed uint64
	web  *shardWeb
	site *site
	net  *memweb.Web
	bus  *bus
	runs sync.WaitGroup // of crawl.Run, those of the dead too

	mu       sync.Mutex // guards all below
	rng      *rand.Rand
	disks    []*vfs.MemFS // of the present owners
	copies   []*vfs.MemFS // checkpoints; nil for none
	killed   []chan *vfs.MemFS
	left     int // requests before the next death
	deaths   int
	lost     int // disks
	problems []string
}

// outcome is what a simulation has seen.
type outcome struct {
	problems                                []string
	deaths, lost, pages, again, sent, bytes int
}

const (
	lease    = time.Second
	mostDead = 12
	patience = 20 * time.Minute // of virtual time, in which any crawl has ended
)

// simulate crawls a web of its own in several shards and alone, and compares.
func simulate(t *testing.T, seed uint64, p plant) (o outcome) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(seed, 77))
		w := newShardWeb(rng)
		if seed%6 == 5 && p == noPlant {
			w.budget = 1 + rng.IntN(len(w.names))
		}
		c := &cluster{t: t, seed: seed, web: w, rng: rng, site: w.site(), left: 1 + rng.IntN(10),
			disks: make([]*vfs.MemFS, w.shards), copies: make([]*vfs.MemFS, w.shards), killed: make([]chan *vfs.MemFS, w.shards)}
		c.bus = newBus(w.shards, rand.New(rand.NewPCG(seed, 78)), p)
		c.bus.budget = w.budget
		c.bus.idled = func() { c.event(true) }
		c.bus.fails = c.lose
		c.site.asked = func() { c.event(false) }
		c.net = memweb.New(c.site.hosts())
		defer c.net.Close()
		if c.crawl() {
			c.compare(c.alone())
		}
		o = c.outcome()
	})
	return o
}

// crawl runs all shards to their end, and reports whether they end.
func (c *cluster) crawl() bool {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	var shards sync.WaitGroup
	for i := range c.disks {
		c.disks[i] = vfs.NewCrashableMem()
		c.killed[i] = make(chan *vfs.MemFS, 1)
	}
	for i := range c.disks {
		shards.Go(func() { c.own(ctx, i) })
	}
	done := make(chan struct{})
	go func() { shards.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
		c.fault("the shards do not end: " + c.bus.state())
	}
	cancel()
	c.runs.Wait()
	c.bus.busy.Wait()
	<-done
	return len(c.problems) == 0
}

// own runs one shard, again whenever it has died.
func (c *cluster) own(ctx context.Context, i int) {
	for ctx.Err() == nil {
		c.mu.Lock()
		mem := c.disks[i]
		c.mu.Unlock()
		life, end := context.WithCancel(ctx)
		port := c.bus.open(life, i)
		ended := make(chan crawl.EndedBy, 1)
		c.runs.Go(func() {
			defer end()
			ended <- c.run(life, port, mem)
		})
		select {
		case disk := <-c.killed[i]:
			c.die(port, end)
			c.bus.pause(4000)
			time.Sleep(lease)
			c.mu.Lock()
			c.disks[i] = disk
			c.mu.Unlock()
		case by := <-ended:
			if by != crawl.Done && by != crawl.ByMaxPages && ctx.Err() == nil {
				c.fault(fmt.Sprintf("shard %d ended by %q", i, by))
			}
			return
		}
	}
}

// die takes the lease from a run. Half of them are gone, the others go on for a while.
func (c *cluster) die(p *port, end context.CancelFunc) {
	c.mu.Lock()
	zombie := time.Duration(c.rng.IntN(3000)) * time.Millisecond
	gone := c.rng.IntN(2) == 0
	c.mu.Unlock()
	if gone {
		c.bus.kill(p.shard, true)
		end()
		return
	}
	c.bus.kill(p.shard, false)
	time.AfterFunc(zombie, end)
}

// run is one run of a shard.
func (c *cluster) run(ctx context.Context, p *port, mem *vfs.MemFS) crawl.EndedBy {
	d := &durable{t: c.t, mem: mem, site: c.site, web: c.net, seed: c.web.seeds[0]}
	d.cfg = func(cfg *crawl.Config) {
		c.web.configure(cfg)
		cfg.Shard = p
		cfg.Grace = -1
		cfg.Gate.Dedup = dedup.Config{ExpectURLs: 1 + int(c.seed%100), BitsPerURL: 2, Seed: c.seed}
	}
	res, _, err := d.run(ctx)
	if err != nil {
		c.fault(fmt.Sprintf("shard %d: %v", p.shard, err))
	}
	return res.EndedBy
}

// event is a request, or a shard that is idle: at some of these a disk is copied, or a shard dies
// with none, half or all of what it had not synced. The end is near when shards are idle, and most
// is lost when a disk is lost then.
func (c *cluster) event(idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.rng.IntN(len(c.disks)); c.rng.IntN(8) == 0 && !idle && c.bus.mortal(k) {
		c.copies[k] = c.disks[k].CrashClone(vfs.CrashCloneCfg{})
	}
	if idle && c.rng.IntN(4) > 0 {
		return
	}
	if c.left--; !idle && c.left > 0 || c.deaths >= mostDead {
		return
	}
	i := c.rng.IntN(len(c.disks))
	if len(c.killed[i]) > 0 || !c.bus.mortal(i) {
		return
	}
	c.left = 1 + c.rng.IntN(16)
	c.deaths++
	disk := c.disks[i].CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.rng.IntN(3) * 50, RNG: c.rng})
	if c.copies[i] != nil && (idle || c.rng.IntN(4) == 0) {
		disk = c.copies[i].CrashClone(vfs.CrashCloneCfg{})
		c.lost++
	}
	c.killed[i] <- disk
}

// lose has a shard die that is dead for all others already, and takes its disk if there is a copy.
func (c *cluster) lose(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.killed[i]) > 0 {
		return
	}
	c.deaths++
	disk := c.copies[i]
	if disk == nil {
		disk = c.disks[i]
	} else {
		c.lost++
	}
	c.killed[i] <- disk.CrashClone(vfs.CrashCloneCfg{})
}

// mortal reports whether a shard has an owner that may die: there is a last checkpoint of each
// before the end is declared.
func (b *bus) mortal(shard int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.ports[shard]
	return b.ended == "" && p != nil && p.begun && !p.dead
}

// state describes who waits for what.
func (b *bus) state() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var text strings.Builder
	fmt.Fprintf(&text, "ended %q, granted %v", b.ended, b.granted)
	for i, s := range b.says {
		fmt.Fprintf(&text, "; shard %d of %d messages, epoch %d, dead %t: %+v", i, len(b.streams[i]), b.epoch[i], b.ports[i].dead, s)
	}
	return text.String()
}

func (c *cluster) fault(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems = append(c.problems, what)
}

// findings is what a crawl has recorded.
type findings struct {
	pages     map[string]int    // URL -> records
	redirects map[string]string // URL -> target
	skipped   map[string]gate.Reason
	twice     []string
}

func (f *findings) read(t *testing.T, mem *vfs.MemFS) {
	for _, p := range lines[report.PageRecord](t, mem, report.PagesFile) {
		if f.pages[p.URL]++; f.pages[p.URL] > 1 {
			f.twice = append(f.twice, p.URL)
		}
	}
	for _, r := range lines[report.RedirectRecord](t, mem, report.RedirectsFile) {
		if _, ok := f.redirects[r.URL]; ok {
			f.twice = append(f.twice, r.URL)
		}
		f.redirects[r.URL] = r.Target
	}
	for _, s := range lines[gate.Skip](t, mem, report.SkippedFile) {
		if _, ok := f.skipped[s.URL]; ok {
			f.twice = append(f.twice, s.URL)
		}
		f.skipped[s.URL] = s.Reason
	}
}

func newFindings() *findings {
	return &findings{pages: map[string]int{}, redirects: map[string]string{}, skipped: map[string]gate.Reason{}}
}

// alone is what one crawl of the same web finds.
func (c *cluster) alone() *findings {
	s := c.web.site()
	net := memweb.New(s.hosts())
	defer net.Close()
	d := &durable{t: c.t, mem: vfs.NewCrashableMem(), site: s, web: net, seed: c.web.seeds[0], cfg: c.web.configure}
	if _, _, err := d.run(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	f := newFindings()
	f.read(c.t, d.mem)
	return f
}

// compare holds what the shards have recorded together against what one crawl has.
func (c *cluster) compare(want *findings) {
	got := newFindings()
	for i, mem := range c.disks {
		before := maps.Clone(got.pages)
		got.read(c.t, mem)
		for url := range got.pages {
			if u, err := weburl.Parse(url); err != nil || before[url] == 0 && c.bus.of(u) != i {
				c.problems = append(c.problems, url+" is recorded by another shard than its owner")
			}
		}
	}
	for _, url := range got.twice {
		c.problems = append(c.problems, url+" is recorded twice")
	}
	if c.web.budget > 0 {
		c.compareBudget(want, got)
	} else {
		c.problems = append(c.problems, differ("page", want.pages, got.pages)...)
		c.problems = append(c.problems, differ("redirect", want.redirects, got.redirects)...)
		c.problems = append(c.problems, differ("skipped", want.skipped, got.skipped)...)
	}
	last := map[string]time.Time{}
	for _, h := range c.site.hits {
		host, _, _ := strings.Cut(h.url, "/")
		if at, ok := last[host]; ok && h.at.Sub(at) < c.web.delay {
			c.problems = append(c.problems, fmt.Sprintf("%s was asked after %s, not %s", h.url, h.at.Sub(at), c.web.delay))
		}
		last[host] = h.at
	}
}

// compareBudget holds the pages of a crawl with a limit against the limit.
func (c *cluster) compareBudget(want, got *findings) {
	count := func(f *findings) (n int) {
		for url := range f.pages {
			if !strings.HasSuffix(url, ".xml") {
				n++
			}
			if want.pages[url] == 0 {
				c.problems = append(c.problems, url+" is not found alone")
			}
		}
		return n
	}
	if n, most := count(got), min(c.web.budget, count(want)); n != most {
		c.problems = append(c.problems, fmt.Sprintf("%d pages, want %d", n, most))
	}
}

// differ returns what two maps differ in.
func differ[V comparable](kind string, want, got map[string]V) (list []string) {
	for _, url := range slices.Sorted(maps.Keys(want)) {
		if v, ok := got[url]; !ok {
			list = append(list, fmt.Sprintf("%s %s (%v) was lost", kind, url, want[url]))
		} else if v != want[url] {
			list = append(list, fmt.Sprintf("%s %s is %v, want %v", kind, url, v, want[url]))
		}
	}
	for _, url := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[url]; !ok {
			list = append(list, fmt.Sprintf("%s %s (%v) is too much", kind, url, got[url]))
		}
	}
	return list
}

func (c *cluster) outcome() outcome {
	f := newFindings()
	for _, mem := range c.disks {
		if _, err := mem.Stat(crawlDir); err == nil {
			f.read(c.t, mem)
		}
	}
	return outcome{problems: c.problems, deaths: c.deaths, lost: c.lost, pages: len(f.pages), again: len(c.site.requests()), sent: c.bus.sent, bytes: c.bus.bytes}
}

// simulations are the seeds to try: 60, or SHARDS many from SHARDS_FROM on: make shards-long.
func simulations(t *testing.T) iter.Seq[uint64] {
	from, n := uint64(0), fewer(60)
	for name, v := range map[string]*uint64{"SHARDS_FROM": &from, "SHARDS": &n} {
		if text := os.Getenv(name); text != "" {
			if _, err := fmt.Sscan(text, v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return func(yield func(uint64) bool) {
		for seed := from; seed < from+n && yield(seed); seed++ {
		}
	}
}

// Several shards crawl one web over a broker that delays messages, gives some twice and in any
// sequence. Shards die and begin again, some with an older disk, and some that are taken for dead
// go on. All of them together record what one crawl does, each URL once.
func TestShardsLoseNothing(t *testing.T) {
	var sum outcome
	webs := 0
	for seed := range simulations(t) {
		webs++
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := simulate(t, seed, noPlant)
			for _, p := range o.problems {
				t.Error(p)
			}
			sum.deaths += o.deaths
			sum.lost += o.lost
			sum.pages += o.pages
			sum.again += o.again
			sum.sent += o.sent
			sum.bytes += o.bytes
		})
	}
	t.Logf("%d deaths, %d disks lost, %d pages, %d requests, %d offers of %d bytes", sum.deaths, sum.lost, sum.pages, sum.again, sum.sent, sum.bytes)
	if sum.deaths < 4*webs || 2*sum.lost < webs {
		t.Errorf("only %d deaths and %d lost disks in %d webs", sum.deaths, sum.lost, webs)
	}
}

// plants are the faults that the simulation must find.
var plants = []plant{plantDropped, plantUnsent, plantAhead, plantTooSoon, plantZombie}

// Each fault that a shard or a broker could have is found, so finding none means something: in a
// tenth of the webs, with SHARDS.
func TestShardsFindPlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the same code as in TestShardsLoseNothing, but for faults in the test itself")
	}
	most, enough, least := uint64(60), 1, uint64(0)
	if os.Getenv("SHARDS") != "" {
		most, enough, least = 200, 200, 10
	}
	for _, p := range plants {
		t.Run(string(p), func(t *testing.T) {
			found, tried := 0, uint64(0)
			for ; tried < most && found < enough; tried++ {
				if o := simulate(t, 1000+tried, p); len(o.problems) > 0 {
					found++
				}
			}
			t.Logf("found in %d of %d webs", found, tried)
			if found == 0 || uint64(found)*100 < tried*least {
				t.Errorf("found in %d of %d webs, from seed 1000 on", found, tried)
			}
		})
	}
}
