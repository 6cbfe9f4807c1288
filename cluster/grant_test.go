package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"crawler/crawl"
)

// A limit of pages is reached exactly, and at no time overshot, with any number of shards, whatever
// work each has, and whoever is killed: what a run has fetched since its last commit is forgotten
// then, and an old run that lives on cannot change what the new one has.
func TestBudgetIsExact(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	_, nc := started(t)
	for _, shards := range []int{1, 3, 8} {
		const limit = 1000
		c := created(t, nc, Settings{Shards: shards, MaxPages: limit})
		rng := rand.New(rand.NewPCG(seed, uint64(shards)))
		runs := make([]budgetRun, shards)
		work := 0
		for s := range runs {
			runs[s].work = rng.IntN(2 * limit / shards)
			work += runs[s].work
			runs[s].begin(t, c, s)
		}
		runs[0].work += max(0, limit-work) + 50
		total := func() (n int) {
			for s := range runs {
				n += runs[s].done
			}
			return n
		}
		for step := 0; total() < limit; step++ {
			if step > 100_000 {
				t.Fatalf("%d shards: %d pages and no more", shards, total())
			}
			r := &runs[rng.IntN(shards)]
			switch rng.IntN(40) {
			case 0:
				r.kill(t, c)
			case 1, 2, 3:
				r.commit(t)
			default:
				r.fetch()
			}
			if n := total(); n > limit {
				t.Fatalf("%d shards: %d pages, at most %d may be", shards, n, limit)
			}
		}
		if b, err := c.Budget(context.Background()); err != nil || b.Left() < 0 {
			t.Errorf("%d shards: %+v (%v)", shards, b, err)
		}
	}
}

// budgetRun is a shard that only counts pages.
type budgetRun struct {
	shard     int
	epoch     uint64
	grant     *grant
	work      int // pages that it has in all
	done      int // of them
	committed int
}

func (r *budgetRun) begin(t *testing.T, c *Crawl, shard int) {
	t.Helper()
	var err error
	r.shard = shard
	r.epoch++
	if r.grant, err = newGrant(context.Background(), c, shard, r.epoch); err != nil {
		t.Fatal(err)
	}
	r.commit(t)
}

func (r *budgetRun) fetch() {
	for range 10 {
		if r.done < r.work && r.done < r.grant.pages() {
			r.done++
		}
	}
}

func (r *budgetRun) commit(t *testing.T) {
	t.Helper()
	r.committed = r.done
	r.grant.committed(crawl.Standing{Pages: r.done, Queued: r.work - r.done, Idle: r.done == r.work})
	if _, err := r.grant.settle(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// kill begins another run at the last commit. The old one tries to give back what it had.
func (r *budgetRun) kill(t *testing.T, c *Crawl) {
	t.Helper()
	old := r.grant
	r.done = r.committed
	r.begin(t, c, r.shard)
	old.committed(crawl.Standing{Pages: 0, Idle: true})
	if _, err := old.settle(context.Background()); !errors.Is(err, errSuperseded) {
		t.Errorf("an old run changes the budget: %v", err)
	}
}
