package crawl

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/dedup"
	"crawler/gate"
	"crawler/ledger/disk"
	"crawler/store"
	"crawler/weburl"
)

// durableCoordinator is one whose store is in memory, before its first commit.
func durableCoordinator(t *testing.T, seeds []weburl.URL) *coordinator {
	dir, err := store.Create(store.OnMem(vfs.NewMem()), "crawl", store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Store: disk.Of(dir), Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: 1000, Seed: 1}}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, seeds, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, c.abort = context.WithCancel(t.Context())
	t.Cleanup(func() {
		c.abort()
		if err := errors.Join(c.ledger.Close(), dir.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func testSeeds(t *testing.T, n int) (seeds []weburl.URL) {
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("https://www.site-%d.example/", i))
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, u)
	}
	return seeds
}

// A cut that was on its way home when store or recorder failed begins no commit: none
// could be carried out, and the crawl would wait for it for ever.
func TestALateCutBeginsNoCommit(t *testing.T) {
	for name, fail := range map[string]func(*coordinator){
		"store":    func(c *coordinator) { c.ledger.Fail(errors.New("no more room")); c.stop(ByStoreError) },
		"recorder": func(c *coordinator) { c.ledger.Shut(); c.stop(ByRecordError) },
	} {
		c := durableCoordinator(t, testSeeds(t, 1))
		c.sent(recorderCmd{cut: true})
		fail(c)
		c.receive(recorded{cut: c.cfg.Store.NewBatch()})
		if !c.over(true) {
			t.Errorf("%s failed: the crawl does not end", name)
		}
	}
}

// What every commit writes does not grow with the number of seeds.
func TestSeedsAreCommittedOnce(t *testing.T) {
	c := durableCoordinator(t, testSeeds(t, 1000))
	for commit := range 2 {
		b := c.cfg.Store.NewBatch()
		if err := c.ledger.Last(b); err != nil {
			t.Fatal(err)
		}
		if n := b.(*store.Batch).Len(); commit > 0 && n > 4<<10 {
			t.Errorf("a commit without a change takes %d bytes", n)
		}
	}
	if _, res, err := Complete(c.cfg.Store); err != nil || len(res.Seeds) != 1000 {
		t.Errorf("%d seeds are left: %v", len(res.Seeds), err)
	}
}
