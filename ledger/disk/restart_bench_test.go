package disk_test

import (
	"fmt"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/ledger"
	"crawler/ledger/disk"
	"crawler/store"
	"crawler/weburl"
)

// nothing is an owner without a State of its own, and Checks that none wait for.
type nothing struct{}

func (nothing) Commit(ledger.Batch, uint64, bool) error { return nil }
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
	l, err := ledger.Open(ledger.Config{Store: disk.Of(dir), Layers: dedup.DefaultLayers, Tail: tail}, nothing{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	// The filter is sized for what it gets, and restarts when a tail more has come.
	admits, err := dedup.NewDurable(dedup.Config{ExpectURLs: urls, Seed: 1, RestartEvery: urls})
	if err != nil {
		b.Fatal(err)
	}
	l.Begin(admits, 0)
	keeper := make(chan struct{})
	go func() { defer close(keeper); l.Run() }()
	defer func() { l.Stop(); <-keeper }()
	met := 0
	meet := func(n int) {
		for ; n > 0; n-- {
			u, err := weburl.Parse(fmt.Sprintf("https://www.host-%d.example/a/%d/%d.html", met%100_000, met/100_000%10, met))
			if err != nil {
				b.Fatal(err)
			}
			if p, a := admits.Admit(u); a == dedup.Maybe && !admits.(*dedup.Logged).NotFound(p) {
				b.Fatalf("%s is not new", u)
			}
			met++
		}
	}
	// commit has what was admitted committed, and all that follows from it done.
	commit := func() {
		l.CutSent()
		if err := l.Seal(disk.Of(dir).NewBatch()); err != nil {
			b.Fatal(err)
		}
		for l.Work(nothing{}); !l.Idle(); l.Work(nothing{}) {
			if err := l.Take(<-l.Done()); err != nil {
				b.Fatal(err)
			}
		}
	}
	for met < urls-tail {
		meet(tail)
		commit()
	}
	for b.Loop() {
		b.StopTimer()
		meet(urls - met%urls) // which makes a restart due
		b.StartTimer()
		commit()
	}
	longest := l.Restarts().LongestPause
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest-pause")
	b.ReportMetric(float64(urls), "URLs")
	if longest > time.Second {
		b.Errorf("the crawl stood still for %s", longest)
	}
}
