package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crawler/internal/sheet"
	"crawler/internal/splitmix"
	"crawler/ring"
)

// RingConfig configures Ring. Zero values mean the defaults.
type RingConfig struct {
	Split *Split // what is divided among crawlers
	Keys  int    // of which the balance is measured; default 200,000
	Nodes []int  // how many crawlers; default 3, 10, 30, 100
	Seed  uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Limits of a RingConfig.
const (
	DefaultRingKeys = 200_000
	MaxRingKeys     = 10_000_000
	maxRingNodes    = 1000
)

func (c RingConfig) withDefaults() (RingConfig, error) {
	c.Keys, c.Seed = cmp.Or(c.Keys, DefaultRingKeys), cmp.Or(c.Seed, 1)
	if len(c.Nodes) == 0 {
		c.Nodes = []int{3, 10, 30, 100}
	}
	switch {
	case c.Split == nil:
		return c, fmt.Errorf("lab: RingConfig.Split is missing")
	case c.Keys < 1 || c.Keys > MaxRingKeys:
		return c, fmt.Errorf("lab: RingConfig.Keys is %d, want 1 to %d, or 0 for %d", c.Keys, MaxRingKeys, DefaultRingKeys)
	}
	for _, n := range c.Nodes {
		if n < 2 || n > maxRingNodes {
			return c, fmt.Errorf("lab: RingConfig.Nodes has %d, want 2 to %d", n, maxRingNodes)
		}
	}
	return c, nil
}

// Ring compares ways to divide a crawl among crawlers: how evenly, what moves when one
// leaves or joins, and what it means to divide by URL, by host or by domain.
func Ring(ctx context.Context, c RingConfig) (*sheet.Sheet, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	balance, err := c.balance(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := c.Split.table(ctx, c.Progress)
	if err != nil {
		return nil, err
	}
	return &sheet.Sheet{
		Title: "A crawl divided among crawlers",
		Intro: []string{
			"What it teaches: when a machine leaves or joins, little more than its own share need move, and the rest can still be even; that takes many " +
				"points a machine on the circle, or a fixed number of shards that stay where they are unless they must move.",
			"Machines and keys stand on a circle by their hashes, and a key belongs to the first machine from it on (consistent hashing, as 002 has it). Beside it, " +
				"a key belongs to the machine with which its hash is highest (rendezvous), and a fixed number of shards is divided among the machines: " +
				"each shard by rendezvous, by rendezvous with a limit for each machine (bounded), and bounded so that a shard stays where it is unless it must move (sticky).",
		},
		Config: []sheet.Setting{{Name: "keys", Value: c.Keys}, {Name: "data", Value: c.Split.Source}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{
			{Title: "The source's example", Notes: []string{"Four servers and five items on the circle; items behind the last server belong to the first one. Then server 0.60 goes down, " +
				"and a new one appears at 0.75: only the items of the arcs before them move."}, Table: ringExample()},
			{Title: "Balance and movement", Notes: ringNotes(c.Keys), Table: balance},
			{ID: "division", Title: "By URL, by host, by domain", Notes: splitNotes(c.Split), Table: keys},
		},
	}, nil
}

// ringExample is the unit circle with places in hundredths.
func ringExample() *sheet.Table {
	at := func(place float64) uint64 { return uint64(place * 0x1p64) }
	build := func(places ...float64) func(uint64) string {
		var points []ring.Point
		for i, p := range places {
			points = append(points, ring.Point{At: at(p), Node: i})
		}
		r := ring.At(points)
		return func(key uint64) string { return fmt.Sprintf("%.2f", places[r.Owner(key)]) }
	}
	now, down, more := build(0.10, 0.35, 0.60, 0.85), build(0.10, 0.35, 0.85), build(0.10, 0.35, 0.60, 0.75, 0.85)
	t := &sheet.Table{Columns: []sheet.Column{{Name: "item at", Format: "%.2f"}, {Name: "server"}, {Key: "down", Name: "without 0.60"}, {Key: "joined", Name: "with 0.75"}}}
	for _, item := range []float64{0.05, 0.10, 0.50, 0.70, 0.95} {
		t.Rows = append(t.Rows, []sheet.Cell{item, now(at(item)), down(at(item)), more(at(item))})
	}
	return t
}

func ringNotes(keys int) []string {
	return []string{
		fmt.Sprintf("%s keys, such as domains. Most/mean is the load of the fullest machine. What moves is a share of all keys: when one leaves, the mean over each of them (at most 30) in turn; "+
			"\"least\" is what has to move for even shares. Needless is what moves between machines that stay.", sheet.Group(int64(keys))),
		"The source gives each of S machines log S points: an item goes to a machine with a chance of at most O(1)/S, and no machine gets more than (1/S) log S of the items, with high probability.",
	}
}

// placement says for each key which machine has it, given the machines that there are and, for
// what is sticky, who had it.
type placement struct {
	name string
	// start returns the machine of each key for the first n machines. The function that it
	// returns does the same for other machines.
	start func(keys []uint64, nodes []ring.Node) (owner []ring.Node, then func([]ring.Node) []ring.Node)
}

// stateless is a placement that knows nothing of who had a key.
func stateless(name string, owner func(nodes []ring.Node) func(key uint64) int) placement {
	return placement{name, func(keys []uint64, nodes []ring.Node) ([]ring.Node, func([]ring.Node) []ring.Node) {
		place := func(nodes []ring.Node) []ring.Node {
			of := owner(nodes)
			list := make([]ring.Node, len(keys))
			for i, k := range keys {
				list[i] = nodes[of(k)]
			}
			return list
		}
		return place(nodes), place
	}}
}

// sharded is a placement of shards.
func sharded(name string, shards int, assign func(shards int, nodes, owners []ring.Node) []int) placement {
	return placement{name, func(keys []uint64, nodes []ring.Node) ([]ring.Node, func([]ring.Node) []ring.Node) {
		place := func(nodes, owners []ring.Node) (list, now []ring.Node) {
			for _, i := range assign(shards, nodes, owners) {
				now = append(now, nodes[i])
			}
			list = make([]ring.Node, len(keys))
			for i, k := range keys {
				list[i] = now[ring.Shard(k, shards)]
			}
			return list, now
		}
		list, owners := place(nodes, nil)
		return list, func(nodes []ring.Node) []ring.Node {
			list, _ := place(nodes, owners)
			return list
		}
	}}
}

func byRendezvous(shards int, nodes, _ []ring.Node) []int {
	to := make([]int, shards)
	for s := range to {
		to[s] = ring.Rendezvous(nodes, uint64(s))
	}
	return to
}

// forgetful is ring.Assign without stickiness.
func forgetful(shards int, nodes, _ []ring.Node) []int { return ring.Assign(shards, nodes, nil) }

// placements are those that are compared for n machines: with shards, at least eight a machine
// as far as there are so many.
func placements(n int) []placement {
	list := []placement{
		stateless("modulo", func(nodes []ring.Node) func(uint64) int {
			return func(k uint64) int { return int(k % uint64(len(nodes))) }
		}),
		stateless("ring, 1 point", func(nodes []ring.Node) func(uint64) int { return ring.New(nodes, 1).Owner }),
		stateless("ring, log S points", func(nodes []ring.Node) func(uint64) int { return ring.New(nodes, ring.LogPoints(n)).Owner }),
		stateless("ring, 1,024 points", func(nodes []ring.Node) func(uint64) int { return ring.New(nodes, 1024).Owner }),
		stateless("rendezvous", func(nodes []ring.Node) func(uint64) int {
			return func(k uint64) int { return ring.Rendezvous(nodes, k) }
		}),
	}
	for _, shards := range []int{64, 256, 1024} {
		if shards < 2*n {
			continue
		}
		list = append(list,
			sharded(fmt.Sprintf("%d shards, rendezvous", shards), shards, byRendezvous),
			sharded(fmt.Sprintf("%d shards, bounded", shards), shards, forgetful),
			sharded(fmt.Sprintf("%d shards, bounded and sticky", shards), shards, ring.Assign))
	}
	return list
}

// leaves is how many machines leave in turn, at most.
const leaves = 30

func (c *RingConfig) balance(ctx context.Context) (*sheet.Table, error) {
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "machines"}, {Name: "placement"}, {Key: "balance", Name: "most/mean", Format: "%.3f"},
		{Name: "one leaves", Unit: "moved", Format: "%.3f"}, {Key: "leaves_least", Name: "least", Format: "%.3f"},
		{Name: "one joins", Unit: "moved", Format: "%.3f"}, {Key: "joins_least", Name: "least", Format: "%.3f"},
		{Name: "needless", Unit: "moved", Format: "%.3f"}, {Key: "after", Name: "most/mean after", Format: "%.3f"},
	}}
	keys := make([]uint64, c.Keys)
	for i := range keys {
		keys[i] = splitmix.Finish(c.Seed*splitmix.Golden + uint64(i))
	}
	for _, n := range c.Nodes {
		nodes := make([]ring.Node, n+1)
		for i := range nodes {
			nodes[i] = ring.Node(splitmix.Finish(c.Seed ^ uint64(i+1)<<40))
		}
		for _, p := range placements(n) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if c.Progress != nil {
				c.Progress(fmt.Sprintf("%d machines, %s", n, p.name))
			}
			before, then := p.start(keys, nodes[:n])
			joined := then(nodes)
			join, needless := moved(before, joined, nodes[n])
			after := most(joined, n+1)
			left, out := 0.0, min(n, leaves)
			for gone := range out {
				rest := slices.Delete(slices.Clone(nodes[:n]), gone, gone+1)
				share, extra := movedFrom(before, then(rest), nodes[gone])
				left += share / float64(out)
				needless = max(needless, extra)
			}
			t.Rows = append(t.Rows, []sheet.Cell{n, p.name, most(before, n), left, 1 / float64(n), join, 1 / float64(n+1), needless, after})
		}
	}
	return t, nil
}

// most is the load of the fullest of n machines, over the mean.
func most(owner []ring.Node, n int) float64 {
	load := map[ring.Node]int{}
	for _, o := range owner {
		load[o]++
	}
	full := 0
	for _, l := range load {
		full = max(full, l)
	}
	return float64(full) * float64(n) / float64(len(owner))
}

// moved returns the share of keys that move when one joins, and the share that moves to others
// than it.
func moved(before, after []ring.Node, joins ring.Node) (share, needless float64) {
	for i := range before {
		if before[i] != after[i] {
			share++
			if after[i] != joins {
				needless++
			}
		}
	}
	return share / float64(len(before)), needless / float64(len(before))
}

// movedFrom is the same when one leaves: what it did not have need not move.
func movedFrom(before, after []ring.Node, leaves ring.Node) (share, needless float64) {
	for i := range before {
		if before[i] != after[i] {
			share++
			if before[i] != leaves {
				needless++
			}
		}
	}
	return share / float64(len(before)), needless / float64(len(before))
}

// excess is how much fuller the fullest is than the mean, 0 if there is nothing.
func excess(load []float64) float64 {
	sum := 0.0
	for _, l := range load {
		sum += l
	}
	if sum == 0 {
		return math.NaN()
	}
	return slices.Max(load) * float64(len(load)) / sum
}
