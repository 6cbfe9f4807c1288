package cluster

import (
	"context"
	"errors"
	"time"

	"crawler/crawl"
)

const (
	// leadEvery is how often the end and the limits are looked at.
	leadEvery = 200 * time.Millisecond
	// askingShard is what each shard adds to the time that a look may take: three questions, to a
	// broker that may be far away. In too little time the end would never be found.
	askingShard = 500 * time.Millisecond
)

// quiet is what the leader remembers between looks. Owned by Serve.
type quiet struct {
	next  time.Time
	doing chan struct{} // closed when the look under way is over; nil: there is none
}

// lead looks, beside Serve, whether the crawl has come to its end or to a limit. The node that has
// shard 0 does that. Two that believe so do no harm: what they decide is decided by what the
// tables say, and by compare-and-swap.
//
// The end takes three steps. First all shards say that they are idle, by the run that has the claim
// now, while its owner lives; then no stream has a message behind the position that its shard has
// said. A shard can only become busy by such a message, so nothing is left: Ending. Then each owner
// says that what it has is kept; and when all that still holds, the crawl has ended.
func (n *Node) lead(state State, claims []Claim, revisions []uint64, live map[string]bool) {
	if n.quiet.doing != nil {
		select {
		case <-n.quiet.doing:
			n.quiet.doing = nil
		default:
			return
		}
	}
	if time.Now().Before(n.quiet.next) {
		return
	}
	n.quiet.next = time.Now().Add(leadEvery)
	seen := n.tables.statuses()
	why := limit(n.Crawl.Settings, state, seen)
	if why == "" && !idle(seen, claims, revisions, live) {
		return
	}
	done := make(chan struct{})
	n.quiet.doing = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(n.ctx, asking+time.Duration(len(claims))*askingShard)
		defer cancel()
		if why != "" && n.reached(ctx, why) {
			n.Crawl.Change(ctx, func(s State) (State, bool) { return stopped(s, why) })
			return
		}
		n.finish(ctx, state, live)
	}()
}

// stopped is a state that ends by a limit.
func stopped(s State, why crawl.EndedBy) (State, bool) {
	if s.Want == End || s.Want == Stop {
		return s, false
	}
	s.Want, s.Why = Stop, why
	return s, true
}

// limit says which limit the crawl has come to, "" for none.
func limit(set Settings, state State, all []Status) crawl.EndedBy {
	pages, bytes, leased := 0, int64(0), 0
	for _, s := range all {
		pages, bytes, leased = pages+s.Pages, bytes+s.Bytes, leased+s.Leased
	}
	switch {
	case set.MaxPages > 0 && pages >= set.MaxPages && leased == 0:
		return crawl.ByMaxPages
	case set.MaxBytes > 0 && bytes >= set.MaxBytes:
		return crawl.ByMaxBytes
	case set.TimeLimit > 0 && time.Since(state.Began) >= set.TimeLimit:
		return crawl.ByTimeLimit
	}
	return ""
}

// reached asks again: a status may be an old run's, whose pages were rolled back.
func (n *Node) reached(ctx context.Context, why crawl.EndedBy) bool {
	if why != crawl.ByMaxPages {
		return true
	}
	pages := 0
	for s := range n.Crawl.Settings.Shards {
		st, err := n.Crawl.Status(ctx, s)
		claim, revision, err2 := n.Crawl.Claim(ctx, s)
		if err != nil || err2 != nil || claim.Node == "" || st.Epoch != revision {
			return false
		}
		pages += st.Pages
	}
	return pages >= n.Crawl.Settings.MaxPages
}

// idle reports whether all shards have nothing to do, by the runs that have them now.
func idle(all []Status, claims []Claim, revisions []uint64, live map[string]bool) bool {
	for s, st := range all {
		if !st.Idle || st.Epoch != revisions[s] || !live[claims[s].Node] {
			return false
		}
	}
	return true
}

// finish asks the broker itself whether all is done, and takes the next step to the end.
func (n *Node) finish(ctx context.Context, state State, live map[string]bool) {
	kept := true
	all := make([]Status, n.Crawl.Settings.Shards)
	for s := range all { // first what they say ...
		st, err := n.Crawl.Status(ctx, s)
		claim, revision, err2 := n.Crawl.Claim(ctx, s)
		if err != nil || err2 != nil || !st.Idle || st.Epoch != revision || !live[claim.Node] {
			n.Log.Debug("not at its end", "shard", s, "idle", st.Idle, "epoch", st.Epoch, "claim", revision, "error", errors.Join(err, err2))
			return
		}
		all[s] = st
		kept = kept && st.Kept
	}
	for s := range all { // ... then what the streams have
		if last, err := n.Crawl.last(ctx, s); err != nil || last > all[s].Position {
			n.Log.Debug("not at its end", "shard", s, "position", all[s].Position, "last", last, "error", err)
			return
		}
	}
	if !n.lease.safe() {
		return
	}
	to, err := n.Crawl.Change(ctx, func(s State) (State, bool) {
		switch {
		case s.Want == Run:
			s.Want = Ending
		case s.Want == Ending && state.Want == Ending && kept:
			s.Want, s.Why = End, crawl.Done
		default:
			return s, false
		}
		return s, true
	})
	n.Log.Debug("near the end", "state", string(to.Want), "kept", kept, "error", err)
}
