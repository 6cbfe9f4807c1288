package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"crawler/crawl"
)

// How a shard asks for pages of the crawl's budget.
const (
	// grantPages is how many it asks for at most, and grantAhead how many pages before it needs
	// them.
	grantPages = 256
	grantAhead = 64
)

// Budget is how many pages the crawl may fetch, and which shard may fetch how many of them: the
// record in the broker.
type Budget struct {
	Limit  int           `json:"limit"` // 0 for none
	Shards map[int]Share `json:"shards"`
}

// Share is what a shard may fetch, in all runs. A run of an older epoch can no longer change it.
type Share struct {
	Pages int    `json:"pages"`
	Epoch uint64 `json:"epoch"`
}

// Left is how many pages no shard has.
func (b *Budget) Left() int {
	left := b.Limit
	for _, s := range b.Shards {
		left -= s.Pages
	}
	return left
}

// errSuperseded means that another run of the shard has begun.
var errSuperseded = errors.New("another node has this shard")

// createBudget makes the record, unless it is there.
func (c *Crawl) createBudget(ctx context.Context) error {
	data, err := json.Marshal(Budget{Limit: c.Settings.MaxPages, Shards: map[int]Share{}})
	if err != nil {
		return err
	}
	if _, err = c.conf.Create(ctx, keyBudget, data); err != nil && !conflict(err) {
		return fmt.Errorf("budget: %w", err)
	}
	return nil
}

// Budget returns the record.
func (c *Crawl) Budget(ctx context.Context) (Budget, error) {
	b, _, err := c.budget(ctx)
	return b, err
}

func (c *Crawl) budget(ctx context.Context) (b Budget, revision uint64, err error) {
	e, err := c.conf.Get(ctx, keyBudget)
	if err != nil {
		return b, 0, fmt.Errorf("budget: %w", err)
	}
	if err := json.Unmarshal(e.Value(), &b); err != nil {
		return b, 0, fmt.Errorf("budget: %w", err)
	}
	if b.Shards == nil {
		b.Shards = map[int]Share{}
	}
	return b, e.Revision(), nil
}

// changeBudget makes the budget what change does of it; false leaves it as it is.
func (c *Crawl) changeBudget(ctx context.Context, change func(*Budget) (bool, error)) (Budget, error) {
	for range casTries {
		b, revision, err := c.budget(ctx)
		if err != nil {
			return b, err
		}
		if changed, err := change(&b); err != nil || !changed {
			return b, err
		}
		data, err := json.Marshal(b)
		if err != nil {
			return b, err
		}
		if _, err = c.conf.Update(ctx, keyBudget, data, revision); err == nil {
			return b, nil
		}
		if !conflict(err) {
			return b, fmt.Errorf("budget: %w", err)
		}
	}
	return Budget{}, errors.New("budget: too many others change it")
}

// grant is a run's share of the crawl's budget. may is asked before each page; whoever changes the
// share in the broker lowers may before, and raises it afterwards.
type grant struct {
	crawl *Crawl
	shard int
	epoch uint64
	ask   chan struct{} // one place: there is something to ask for, or to give back

	mu    sync.Mutex
	may   int            // pages, -1 for no limit; guarded by mu, as all below
	stand crawl.Standing // of the last commit
	seen  bool           // there was one
}

// newGrant takes the shard's share over for this epoch.
func newGrant(ctx context.Context, c *Crawl, shard int, epoch uint64) (*grant, error) {
	g := &grant{crawl: c, shard: shard, epoch: epoch, ask: make(chan struct{}, 1), may: -1}
	if c.Settings.MaxPages == 0 {
		return g, nil
	}
	b, err := c.changeBudget(ctx, func(b *Budget) (bool, error) {
		was := b.Shards[shard]
		if was.Epoch > epoch {
			return false, errSuperseded
		}
		b.Shards[shard] = Share{was.Pages, epoch}
		return was.Epoch != epoch, nil
	})
	g.may = b.Shards[shard].Pages
	return g, err
}

// pages is how many may have been fetched.
func (g *grant) pages() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.may
}

// committed takes a shard's standing. An idle shard gives back what it does not need.
func (g *grant) committed(s crawl.Standing) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.may < 0 {
		return
	}
	g.stand, g.seen = s, true
	if need := s.Pages + s.Leased; (s.Idle || s.Last) && g.may > need {
		g.may = need
	}
	select {
	case g.ask <- struct{}{}:
	default:
	}
}

// want is how many pages the share should have, by the last standing.
func (g *grant) want(left, shards int) (share int, changes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stand
	if !g.seen || g.may < 0 {
		return 0, false
	}
	if s.Idle || s.Last {
		return g.may, true
	}
	if s.Pages+s.Leased+grantAhead <= g.may || s.Queued+s.Leased == 0 {
		return g.may, false
	}
	// Near the end each takes a little, so that all come to it at about the same time.
	return g.may + min(grantPages, max(1, left/(2*shards)), left), true
}

// settle brings the share in the broker in line with what the shard needs. It reports whether the
// shard may fetch more than before.
func (g *grant) settle(ctx context.Context) (more bool, err error) {
	to := 0
	b, err := g.crawl.changeBudget(ctx, func(b *Budget) (bool, error) {
		mine := b.Shards[g.shard]
		if mine.Epoch != g.epoch {
			return false, errSuperseded
		}
		share, changes := g.want(max(0, b.Left()), g.crawl.Settings.Shards)
		to = share
		if !changes || share == mine.Pages {
			return false, nil
		}
		b.Shards[g.shard] = Share{share, g.epoch}
		return true, nil
	})
	if err != nil {
		return false, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := b.Shards[g.shard].Pages
	if to == now && now > g.may && !g.stand.Idle && !g.stand.Last {
		g.may = now
		return true, nil
	}
	return false, nil
}

// run keeps the share in line until ctx ends; woken is called when there is more of it.
func (g *grant) run(ctx context.Context, woken func()) {
	if g.pages() < 0 {
		return
	}
	again := time.NewTicker(time.Second) // for what others give back
	defer again.Stop()
	for {
		select {
		case <-g.ask:
		case <-again.C:
		case <-ctx.Done():
			return
		}
		one, cancel := context.WithTimeout(ctx, asking)
		more, err := g.settle(one)
		cancel()
		if more {
			woken()
		}
		if errors.Is(err, errSuperseded) {
			return
		}
	}
}
