package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// rewatch is how long one watch on a table lasts: what a watch has missed, if it could, the next
// one brings.
const rewatch = 10 * time.Second

// tables is a node's view of the broker's tables. It may lag behind: what is decided by it takes
// effect by compare-and-swap alone, or is asked again.
type tables struct {
	crawl *Crawl

	mu     sync.Mutex
	want   State // guarded by mu, as all below
	known  bool
	shards map[int]Claim
	epochs map[int]uint64
	status map[int]Status
}

func newTables(c *Crawl) *tables {
	return &tables{crawl: c, shards: map[int]Claim{}, epochs: map[int]uint64{}, status: map[int]Status{}}
}

// run watches all tables until ctx ends.
func (t *tables) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { watch(ctx, t.crawl.conf, []string{keyState}, t.takeState) })
	all.Go(func() { watch(ctx, t.crawl.shards, []string{">"}, t.takeClaim) })
	all.Go(func() { watch(ctx, t.crawl.status, []string{">"}, t.takeStatus) })
	all.Wait()
}

// watch hands all entries of some keys to take, and all that come.
func watch(ctx context.Context, kv jetstream.KeyValue, keys []string, take func(jetstream.KeyValueEntry)) {
	for ctx.Err() == nil {
		one, cancel := context.WithTimeout(ctx, rewatch)
		w, err := kv.WatchFiltered(one, slices.Clone(keys)) // which are changed
		if err != nil {
			cancel()
			pause(ctx, retryAfter)
			continue
		}
		follow(one, w, take)
		w.Stop() // the subscription is gone in any case
		cancel()
	}
}

func follow(ctx context.Context, w jetstream.KeyWatcher, take func(jetstream.KeyValueEntry)) {
	for {
		select {
		case e, open := <-w.Updates():
			if !open {
				pause(ctx, retryAfter)
				return
			}
			if e != nil && e.Operation() == jetstream.KeyValuePut {
				take(e)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (t *tables) takeState(e jetstream.KeyValueEntry) {
	var s State
	if json.Unmarshal(e.Value(), &s) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.want, t.known = s, true
}

func (t *tables) takeClaim(e jetstream.KeyValueEntry) {
	s, ok := shardOfKey(e.Key())
	var c Claim
	if !ok || json.Unmarshal(e.Value(), &c) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Revision() > t.epochs[s] {
		t.shards[s], t.epochs[s] = c, e.Revision()
	}
}

func (t *tables) takeStatus(e jetstream.KeyValueEntry) {
	shard, ok := shardOfKey(e.Key())
	var s Status
	if !ok || json.Unmarshal(e.Value(), &s) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status[shard] = s
}

// state returns what the nodes are to do; known is false before the broker has said so.
func (t *tables) state() (s State, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.want, t.known
}

// claims returns all claims, with their revisions.
func (t *tables) claims() ([]Claim, []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	claims, revisions := make([]Claim, t.crawl.Settings.Shards), make([]uint64, t.crawl.Settings.Shards)
	for s := range claims {
		claims[s], revisions[s] = t.shards[s], t.epochs[s]
	}
	return claims, revisions
}

// statuses returns what all shards have said.
func (t *tables) statuses() []Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Status, t.crawl.Settings.Shards)
	for s := range all {
		all[s] = t.status[s]
	}
	return all
}

// background starts what runs beside Serve.
func (n *Node) background(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	all.Go(func() { n.lease.run(ctx) })
	all.Go(func() { n.tables.run(ctx) })
	if n.Read.Known != nil {
		all.Go(func() {
			if err := (&verification{node: n}).listen(ctx); err != nil {
				n.Log.Warn("this node does not answer cluster verify", "error", err)
			}
		})
	}
	all.Go(func() {
		tick := time.NewTicker(min(max(n.Crawl.Settings.Lease/8, leastTick), mostTick))
		defer tick.Stop()
		for {
			n.lease.look(ctx) // what was seen ages: see members
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return &all
}
