package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/dedup"
	"crawler/store"
	"crawler/weburl"
)

// durableCoordinator is one whose store is in memory, before its first commit.
func durableCoordinator(t *testing.T, seeds []weburl.URL) *coordinator {
	dir, err := store.Create(store.OnMem(vfs.NewMem()), "crawl", store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Store: dir, Dedup: dedup.Config{ExpectURLs: 1000, Seed: 1}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, seeds)
	if err != nil {
		t.Fatal(err)
	}
	_, c.abort = context.WithCancel(t.Context())
	t.Cleanup(func() {
		c.abort()
		if err := errors.Join(c.keeper.sieve.Close(), dir.Close()); err != nil {
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
		"store":    func(c *coordinator) { c.storeFailed(errors.New("no more room")) },
		"recorder": func(c *coordinator) { c.recorderFailed() },
	} {
		c := durableCoordinator(t, testSeeds(t, 1))
		c.sent(order{cut: true})
		fail(c)
		c.cameHome(home{cut: c.cfg.Store.DB().NewBatch()})
		if !c.over() {
			t.Errorf("%s failed: the crawl does not end, stage %d", name, c.stage)
		}
	}
}

// What every commit writes does not grow with the number of seeds.
func TestSeedsAreCommittedOnce(t *testing.T) {
	c := durableCoordinator(t, testSeeds(t, 1000))
	db := c.cfg.Store.DB()
	for commit := range 2 {
		b := db.NewBatch()
		if err := c.addState(b, false); err != nil {
			t.Fatal(err)
		}
		if n := b.Len(); commit > 0 && n > 4<<10 {
			t.Errorf("a commit without a change takes %d bytes", n)
		}
		if err := db.Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, res, err := Complete(c.cfg.Store); err != nil || len(res.Seeds) != 1000 {
		t.Errorf("%d seeds are left: %v", len(res.Seeds), err)
	}
}

// What is told survives, and when it begins afresh the records of before go.
func TestToldBeginsAfreshOnDiskToo(t *testing.T) {
	dir, err := store.Create(store.OnMem(vfs.NewMem()), "crawl", store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	before, seq := told{durable: true}, uint64(0)
	commit := func() {
		b := dir.DB().NewBatch()
		seq++
		before.commit(b, seq)
		if err := dir.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxTold + 1000 {
		before.first(fmt.Sprint(i))
		if i%50_000 == 0 {
			commit()
		}
	}
	before.forget(fmt.Sprint(maxTold + 3))
	commit()
	var after told
	records := 0
	err = dir.DB().Scan(stateKey(keyTold), func(_, events []byte) error {
		records++
		return after.replay(events)
	})
	if err != nil || records != 1 || !maps.Equal(before.keys, after.keys) {
		t.Errorf("%d of %d keys in %d records, want one: %v", len(after.keys), len(before.keys), records, err)
	}
}
