package ledger

import (
	"fmt"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/store"
	"crawler/weburl"
)

// nothing is an owner without a State of its own, and Checks that none wait for.
type nothing struct{}

func (nothing) Commit(*store.Batch, uint64, bool) error { return nil }
func (nothing) Landed()                                 {}
func (nothing) Waiting() int                            { return 0 }
func (nothing) Take() []uint64                          { return nil }
func (nothing) Answer([]bool)                           {}
func (nothing) Open(func(dedup.Pending) bool)           {}

// BenchmarkRestart is the restart of a filter over ten million URLs of a hundred
// thousand hosts, from the log on disk: how long the keeper works on it while the
// crawl goes on, and how long the crawl stands still when the new filter takes over
// with a full tail.
func BenchmarkRestart(b *testing.B) {
	if testing.Short() {
		b.Skip("ten million URLs take half a minute")
	}
	const (
		urls = 10_000_000
		tail = 1 << 17
	)
	dir, err := store.Create(store.Disk(), b.TempDir()+"/crawl", store.Meta{}, true)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	l, err := Open(Config{Store: dir, Layers: dedup.DefaultLayers, Tail: tail}, nothing{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	admits, err := dedup.NewDurable(dedup.Config{ExpectURLs: urls, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	l.Begin(admits, 0)
	met := 0
	meet := func(n int) {
		for ; n > 0; n-- {
			u, err := weburl.Parse(fmt.Sprintf("https://www.host-%d.example/a/%d/%d.html", met%100_000, met/100_000%10, met))
			if err != nil {
				b.Fatal(err)
			}
			if p, a := admits.Admit(u); a == dedup.Maybe && !l.log.urls.NotFound(p) {
				b.Fatalf("%s is not new", u)
			}
			met++
		}
	}
	work := func() (done bool) {
		j := l.next(nothing{})
		if j == nil {
			return true
		}
		if j.err = j.do(); l.Take(j) != nil {
			b.Fatal(j.err)
		}
		return false
	}
	for met < urls {
		meet(min(tail, urls-met))
		l.CutSent()
		if err := l.Seal(dir.DB().NewBatch()); err != nil {
			b.Fatal(err)
		}
		for !work() {
		}
	}
	for b.Loop() {
		meanwhile := tail - l.log.urls.TailLen()
		l.log.rebuild = &rebuild{layer: -1}
		for l.log.rebuild != nil {
			if l.log.rebuild.layer == l.log.layers-1 {
				b.StopTimer()
				meet(meanwhile)
				b.StartTimer()
			}
			work()
		}
	}
	longest := l.Restarts().LongestPause
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest-pause")
	b.ReportMetric(float64(urls), "URLs")
	if longest > time.Second {
		b.Errorf("the crawl stood still for %s", longest)
	}
}
