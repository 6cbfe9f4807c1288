package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"crawler/crawl"
	"crawler/report"
)

// TestClusterCost measures, with CLUSTER_COST=1 (make cluster-cost), what several nodes cost more
// than one with as many shards, what a link to another shard takes in the broker, and what the
// shard has to carry that has a domain with half of all pages.
func TestClusterCost(t *testing.T) {
	if os.Getenv("CLUSTER_COST") == "" {
		t.Skip("CLUSTER_COST=1 measures what a cluster costs (make cluster-cost)")
	}
	bin := shipped(t)
	pages := envNumber(t, "CLUSTER_PAGES", 12_000)
	setup := clusterSetup{shards: 8, lease: 5 * time.Second, delay: time.Millisecond, shared: true, external: true, args: []string{"--checkpoint-every", "0"}}
	web := newClusterWeb(t, 400, pages)
	sum := map[int]time.Duration{}
	for range envNumber(t, "ROUNDS", 3) {
		for _, nodes := range []int{1, 4} {
			setup.nodes = nodes
			c, links := measured8(t, bin, web, setup)
			cpu := time.Duration(0)
			for _, n := range c.nodes {
				cpu += n.ProcessState.UserTime() + n.ProcessState.SystemTime()
			}
			sum[nodes] += cpu
			c.own.kill()
			broker := c.own.ProcessState.UserTime() + c.own.ProcessState.SystemTime()
			t.Logf("%d nodes, %d shards: %.2f CPU-s, broker %.2f; %d links to other shards in %d messages, %.1f bytes a link; the first node's peak memory is %.0f MiB",
				nodes, setup.shards, cpu.Seconds(), broker.Seconds(), links.offers, links.messages, links.each(), float64(links.peak)/(1<<20))
			if links.each() > 25 {
				t.Errorf("missed: %.1f bytes a link, the goal is 25", links.each())
			}
		}
	}
	ratio := sum[4].Seconds() / sum[1].Seconds()
	if t.Logf("4 nodes cost %.2f of what 1 costs", ratio); ratio > 1.15 {
		t.Errorf("missed: 4 nodes cost %.2f of what 1 costs, the goal is 1.15", ratio)
	}
	big := newClusterWeb(t, 400, pages)
	big.big = true
	setup.nodes = 1
	c, links := measured8(t, bin, big, setup)
	t.Logf("one domain has half: the node's peak memory is %.0f MiB", float64(links.peak)/(1<<20))
	for _, dir := range c.shards() {
		rep, err := report.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := rep.Pages.Fetched
		t.Logf("one domain has half: shard %s has %d pages, %d hosts, %.0f pages/s, %.1f MiB on disk, %.0f bytes a page",
			filepath.Base(dir), n, rep.Frontier.Hosts, rep.Resources.PagesPerSecond, float64(bytesBelow(t, dir))/(1<<20), float64(bytesBelow(t, dir))/float64(max(n, 1)))
	}
}

// measured8 is a crawl whose links in the broker were counted.
func measured8(t *testing.T, bin string, web *clusterWeb, setup clusterSetup) (*clusterRun, *linkCount) {
	t.Helper()
	c := &clusterRun{T: t, bin: bin, web: web, setup: setup, home: t.TempDir()}
	c.broker = "nats://" + freePorts(t, 1)[0]
	c.startBroker()
	links := countLinks(t, c.broker)
	web.begin()
	first := c.start("").process
	peak := make(chan int64, 1)
	go func() { peak <- watchRSS(first) }()
	for range setup.nodes - 1 {
		c.join("")
	}
	c.finish()
	if got := c.read(c.shards()); got.twice > 0 || len(got.pages) < web.pages {
		t.Errorf("%d pages of %d, %d records twice", len(got.pages), web.pages, got.twice)
	}
	links.mu.Lock() // nobody sends any more
	links.peak = <-peak
	return c, links
}

// linkCount counts the messages with links that a broker gets.
type linkCount struct {
	mu                      sync.Mutex
	messages, bytes, offers int
	peak                    int64 // bytes of memory of the first node
}

func (l *linkCount) each() float64 { return float64(l.bytes) / float64(max(l.offers, 1)) }

func countLinks(t *testing.T, broker string) *linkCount {
	t.Helper()
	nc, err := nats.Connect(broker)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &linkCount{}
	_, err = nc.Subscribe("c.*.links.*", func(m *nats.Msg) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.messages++
		l.bytes += len(m.Data)
		_, n := binary.Uvarint(m.Data[1:])
		raw, err := dec.DecodeAll(m.Data[1+n:], nil)
		offers, _ := crawl.DecodeOffers(raw)
		if l.offers += len(offers); err != nil || len(offers) == 0 {
			t.Errorf("a message of %d bytes has no links: %v", len(m.Data), err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
