package frontier

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"crawler/weburl"
)

const (
	benchHosts = 10_000
	benchURLs  = 1_000_000
)

// benchItems are a million URLs on ten thousand hosts, in runs of twenty from one
// page, as links come.
func benchItems(b *testing.B) []Item {
	items := make([]Item, benchURLs)
	for i := range items {
		host := (i / 20 * 7919) % benchHosts
		u, err := weburl.Parse(fmt.Sprintf("https://www.site-%d.example/docs/section-%d/page-%d.html", host, i%97, i))
		if err != nil {
			b.Fatal(err)
		}
		items[i] = Item{URL: u, Depth: 3 + i%3, Via: fmt.Sprintf("https://www.site-%d.example/docs/index-%d.html", host, i/20)}
	}
	return items
}

func full(items []Item) *Frontier {
	f := New(Config{Delay: time.Second})
	for _, it := range items {
		f.Push(it)
	}
	return f
}

func BenchmarkPush(b *testing.B) {
	items := benchItems(b)
	f := New(Config{})
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		f.Push(items[i%len(items)])
		i++
	}
}

// BenchmarkNextDone is one page's way through a frontier of 10,000 hosts and a
// million URLs.
func BenchmarkNextDone(b *testing.B) {
	f := full(benchItems(b))
	now := epoch
	b.ReportAllocs()
	for b.Loop() {
		w, _ := f.Wake()
		now = later(now, w)
		it, ok := f.Next(now)
		if !ok {
			b.Fatal("empty")
		}
		f.Done(it, now, Outcome{Started: now})
		it.Attempt = 0
		f.Push(it)
	}
}

// BenchmarkNextDoneLocated is the same way where each host's address is known: its own, or one of
// a hundred, which answer in 50 ms each.
func BenchmarkNextDoneLocated(b *testing.B) {
	items := benchItems(b)
	for _, addresses := range []int{benchHosts, 100} {
		b.Run(fmt.Sprintf("%d addresses", addresses), func(b *testing.B) {
			f := full(items)
			for i := range benchHosts {
				it, _ := f.Next(epoch)
				n := i % addresses
				f.Located(it, netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)}))
				it, _ = f.Next(epoch)
				f.Done(it, epoch, Outcome{Started: epoch})
			}
			now := epoch
			b.ReportAllocs()
			for b.Loop() {
				w, _ := f.Wake()
				now = later(now, w)
				it, ok := f.Next(now)
				if !ok {
					b.Fatal("empty")
				}
				o := Outcome{Started: now, Latency: 50 * time.Millisecond}
				f.Answered(it, now, o)
				f.Done(it, now, o)
				it.Attempt = 0
				f.Push(it)
			}
		})
	}
}

// BenchmarkNextDoneOnDisk is the same way with a disk, which is a map here, ten thousand
// hosts and 200,000 URLs; a commit every 256 pages is part of it.
func BenchmarkNextDoneOnDisk(b *testing.B) {
	d := newMemDisk()
	f := New(Config{Disk: d, Delay: time.Second})
	commit := func() {
		f.Commit(d)
		d.land()
	}
	for i, it := range benchItems(b)[:200_000] {
		f.Push(it)
		if i%25_600 == 25_599 {
			commit()
		}
	}
	commit()
	now, n := epoch, 0
	b.ReportAllocs()
	for b.Loop() {
		w, _ := f.Wake()
		now = later(now, w)
		it, ok := f.Next(now)
		if !ok {
			b.Fatal("empty", f.Err())
		}
		f.Done(it, now, Outcome{Started: now})
		it.Attempt = 0
		f.Push(it)
		if n++; n%256 == 0 {
			commit()
		}
	}
}

// BenchmarkDepths is a link between known pages under a depth limit: nearly every link
// of a crawl is one.
func BenchmarkDepths(b *testing.B) {
	const pages, perPage = 20_000, 50
	items := benchItems(b)[:pages]
	d := NewDepths(20)
	d.Seed(items[0].URL)
	for i := range pages {
		for j := range perPage {
			d.Link(items[i].URL, items[(i*7+j*i+j)%pages].URL, 1)
		}
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		from, j := i/perPage%pages, i%perPage
		d.Link(items[from].URL, items[(from*7+j*from+j)%pages].URL, 1)
		i++
	}
}

// BenchmarkQueuedMemory prints what a queued URL takes, hosts included, beside the
// length of its path.
func BenchmarkQueuedMemory(b *testing.B) {
	items := benchItems(b)
	path := 0
	for _, it := range items {
		path += len(it.URL.RequestURI())
	}
	for b.Loop() {
		before := heapInUse()
		f := full(items)
		after := heapInUse()
		b.ReportMetric(float64(after-before)/benchURLs, "B/URL")
		b.ReportMetric(float64(path)/benchURLs, "pathB/URL")
		runtime.KeepAlive(f)
	}
	runtime.KeepAlive(items)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkCredit is a page with fifty links, half of them to pages that are queued, among
// 100,000 candidates.
func BenchmarkCredit(b *testing.B) {
	f := New(Config{Order: OPICInLinks})
	items := benchItems(b)[:200_000]
	for _, it := range items[:100_000] {
		f.Push(it)
	}
	page, links := 0, make([]weburl.URL, 50)
	b.ReportAllocs()
	for b.Loop() {
		for i := range links {
			links[i] = items[(page*7919+i*4001)%len(items)].URL
		}
		f.Credit(items[page%len(items)], slices.Values(links))
		page++
	}
}
