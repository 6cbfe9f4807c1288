package frontier

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"crawler/weburl"
)

// void is a disk from which nothing is read.
type void struct{}

func (void) Block(string, int, uint64) ([]byte, error) { panic("read") }
func (void) PutBlock(string, int, uint64, []byte)      {}
func (void) DeleteBlocks(string, int, uint64, uint64)  {}
func (void) PutHost(_ string, _ []byte)                {}

// pushed is a Frontier with n URLs on the given number of hosts, committed as a
// crawl of pages with a hundred links would.
func pushed(t testing.TB, cfg Config, hosts, n int) *Frontier {
	f := New(cfg)
	names := make([]string, hosts)
	for i := range names {
		names[i] = fmt.Sprintf("https://www.site-%d.example/docs/page-", i)
	}
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("%s%d.html", names[i/100%hosts], i))
		if err != nil {
			t.Fatal(err)
		}
		f.Push(Item{URL: u, Depth: 3})
		if cfg.Disk != nil && i%25_600 == 25_599 {
			f.Commit(void{})
		}
	}
	if cfg.Disk != nil {
		f.Commit(void{})
		f.Commit(void{}) // so that nothing is in flight
	}
	return f
}

// slope returns the bytes of heap that one more of something costs.
func slope(t testing.TB, from, to int, build func(n int) *Frontier) float64 {
	var used [2]float64
	for i, n := range []int{from, to} {
		before := heapInUse()
		f := build(n)
		used[i] = float64(heapInUse()) - float64(before)
		runtime.KeepAlive(f)
	}
	return (used[1] - used[0]) / float64(to-from)
}

func TestMemoryDoesNotGrowWithTheQueue(t *testing.T) {
	cfg := Config{Disk: void{}, Window: 64 << 10}
	if got := slope(t, 100_000, 200_000, func(n int) *Frontier { return pushed(t, cfg, 1000, n) }); got > 0.5 {
		t.Errorf("a queued URL takes %.2f bytes of memory beside the disk", got)
	}
}

func TestMemoryPerHost(t *testing.T) {
	known := func(n int) *Frontier {
		f := pushed(t, Config{Disk: void{}, Window: 1, Delay: NoDelay}, n, 100*n)
		return f
	}
	if got := slope(t, 200, 1200, known); got > 550 {
		t.Errorf("a host with a queue on disk takes %.0f bytes of memory", got)
	}
	done := func(n int) *Frontier { // each at an address of its own
		f := New(Config{Disk: void{}})
		for i := range n {
			f.Push(item(t, fmt.Sprintf("https://www.site-%d.example/", i), 0))
			it, _ := f.Next(epoch)
			f.Located(it, netip.AddrFrom4([4]byte{192, byte(i >> 16), byte(i >> 8), byte(i)}))
			it, _ = f.Next(epoch)
			f.Done(it, epoch, Outcome{Started: epoch})
			if i%256 == 0 {
				f.Commit(void{})
			}
		}
		f.Commit(void{})
		f.Commit(void{})
		return f
	}
	got := slope(t, 1000, 15_000, done)
	t.Logf("a known host: %.0f B", got)
	if got > 480 {
		t.Errorf("a known host takes %.0f bytes of memory", got)
	}
}

// What a disk adds to pushing and leasing allocates nothing of its own.
func TestAllocations(t *testing.T) {
	run := func(cfg Config) float64 {
		f := pushed(t, cfg, 1, 1000)
		it := item(t, "https://www.site-0.example/docs/page-0.html", 3)
		it.Via = "https://www.site-0.example/docs/"
		return testing.AllocsPerRun(5000, func() {
			f.Push(it)
			got, _ := f.Next(epoch)
			f.Done(got, epoch, Outcome{})
		})
	}
	d := newMemDisk()
	inMemory, onDisk := run(Config{Delay: NoDelay}), run(Config{Delay: NoDelay, Disk: d})
	if onDisk > inMemory {
		t.Errorf("a URL's way allocates %.0f times, %.0f without a disk", onDisk, inMemory)
	}
}

// BenchmarkQueuedOnDisk prints what ten million queued URLs and their ten thousand
// hosts take in memory beside a disk, and what pushing and committing them costs.
func BenchmarkQueuedOnDisk(b *testing.B) {
	const urls, hosts = 10_000_000, 10_000
	for b.Loop() {
		before := heapInUse()
		f := pushed(b, Config{Disk: void{}}, hosts, urls)
		b.ReportMetric(float64(heapInUse()-before)/urls, "B/URL")
		b.ReportMetric(float64(heapInUse()-before)/(1<<20), "MiB")
		runtime.KeepAlive(f)
	}
}

// What an Order knows of a queued URL, of some 45 bytes here, stays within what Config
// says, and so does the whole with a small OrderPages.
func TestCandidateMemory(t *testing.T) {
	cfg := Config{Disk: void{}, Window: 64 << 10, Order: OPICInLinks}
	build := func(n int) *Frontier { return pushed(t, cfg, 100, n) } // 100 hosts
	if got := slope(t, 10_000, 40_000, build); got > 310 {
		t.Errorf("a candidate takes %.0f bytes", got)
	}
	cfg.OrderPages = 5_000
	if got := slope(t, 10_000, 40_000, build); got > 2 {
		t.Errorf("beyond the bound, a queued URL takes %.2f bytes", got)
	}
}
