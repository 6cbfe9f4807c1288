package crawl

import (
	"fmt"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/store"
	"crawler/weburl"
)

// BenchmarkRestart is the restart of a filter over ten million URLs of a hundred
// thousand hosts, from the log on disk: how long the keeper works on it while the
// crawl goes on, and how long the crawl stands still when the new filter takes over
// with a full tail.
func BenchmarkRestart(b *testing.B) {
	if testing.Short() {
		b.Skip("ten million URLs take half a minute")
	}
	const urls = 10_000_000
	dir, err := store.Create(store.Disk(), b.TempDir()+"/crawl", store.Meta{}, true)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	cfg := Config{Store: dir, Dedup: dedup.Config{ExpectURLs: urls, Seed: 1}, Frontier: frontier.Config{Delay: frontier.NoDelay}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.keeper.sieve.Close()
	met := 0
	meet := func(n int) {
		for ; n > 0; n-- {
			u, err := weburl.Parse(fmt.Sprintf("https://www.host-%d.example/a/%d/%d.html", met%100_000, met/100_000%10, met))
			if err != nil {
				b.Fatal(err)
			}
			c.seen.Remember(u)
			met++
		}
	}
	for met < urls {
		meet(min(cfg.Tail, urls-met))
		batch := dir.DB().NewBatch()
		names, prefixes := c.seen.TakeFresh()
		upto := c.keeper.sieve.Journal(batch, names, prefixes)
		if err := c.keeper.commit(batch); err != nil {
			b.Fatal(err)
		}
		c.seen.Freeze()
		if err := c.keeper.sieve.Append(upto); err != nil {
			b.Fatal(err)
		}
		c.seen.Drop()
	}
	for b.Loop() {
		meanwhile := cfg.Tail - c.seen.TailLen()
		for c.rebuild = true; c.rebuild; {
			job := c.rebuilding()
			if err := job.do(); err != nil {
				b.Fatal(err)
			}
			if c.layer == c.layers() {
				b.StopTimer()
				meet(meanwhile)
				b.StartTimer()
			}
			job.then()
		}
	}
	b.ReportMetric(float64(c.result.Audit.LongestPause.Microseconds())/1000, "ms-longest-pause")
	b.ReportMetric(float64(urls), "URLs")
	if c.result.Audit.LongestPause > time.Second {
		b.Errorf("the crawl stood still for %s", c.result.Audit.LongestPause)
	}
}
