package gate

import (
	"fmt"
	"net/netip"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/trap"
	"crawler/weburl"
)

// Gate decides what becomes of URLs. See the package comment.
type Gate struct {
	cfg      Config
	journal  Journal
	queue    queue
	admitter admitter
	traps    traps
}

// New returns the Gate of a new crawl that does not survive its process. Seeds begins it.
func New(cfg Config) (*Gate, error) {
	seen, err := dedup.NewSeenTest(cfg.Dedup)
	if err != nil {
		return nil, fmt.Errorf("crawl: %w", err)
	}
	return newGate(cfg, forgetful{}, seen), nil
}

// NewDurable returns the Gate of a new crawl that survives, and what it will admit, to be
// put into the log on disk. Config.Frontier.Disk holds the queue.
func NewDurable(cfg Config, j Journal) (*Gate, dedup.Durable, error) {
	seen, err := dedup.NewDurable(cfg.Dedup)
	if err != nil {
		return nil, nil, fmt.Errorf("crawl: %w", err)
	}
	g := newGate(cfg, j, seen)
	g.admitter.keepEvents()
	g.traps.keepEvents()
	return g, seen, nil
}

func newGate(cfg Config, j Journal, seen dedup.SeenTest) *Gate {
	cfg.Dedup = seen.Config()
	cfg.Frontier.OrderSeed = cfg.Dedup.Seed
	f := frontier.New(cfg.Frontier)
	g := &Gate{
		cfg: cfg, journal: j, traps: newTraps(&cfg),
		queue:    queue{frontier: f, journal: j, permits: permits{}, credits: cfg.Frontier.Order != frontier.BreadthFirst},
		admitter: newAdmitter(&cfg, j, f, seen),
	}
	if cfg.MaxDepth != 0 {
		g.admitter.depths = frontier.NewDepths(max(0, cfg.MaxDepth))
		g.admitter.depths.Foreign = g.admitter.border.foreign
		g.admitter.deferred.least = map[string]int{}
	}
	return g
}

// Task is a URL that was leased, and what is known about fetching it.
type Task struct {
	frontier.Item
	Permission *Permission // nil if robots.txt must still be asked
	Probe      bool        // tests a closed pattern of a trap
	lease      trap.Lease  // the guard's
}

// Unread reports whether the guard against traps does not want to read the page.
func (t *Task) Unread() bool { return t.lease.Unread }

// maxJudged is how many URLs Next refuses or postpones before everything else has its turn.
const maxJudged = 64

// Next leases the next URL that may be fetched at the moment now, if there is one. It
// refuses URLs of traps by what is known now, not by what was known when they were found.
func (g *Gate) Next(now time.Time) (t Task, ok bool) {
	for n := 0; n < maxJudged && !g.Crowded(); n++ {
		if t, ok = g.queue.lease(now); !ok {
			return Task{}, false
		}
		v := g.traps.judge(&t)
		switch {
		case v.Kind != "":
			g.refuseTrapped(t.Item, v, now)
			continue
		case v.Rank > t.Rank: // others of its host come first
			t.Rank = v.Rank
			g.queue.postpone(&t)
			continue
		case v.Wait && !g.queue.frontier.Alone(t.Item):
			g.queue.hold(&t)
			continue
		}
		t, v = g.traps.lookBack(&g.queue, t, v, now)
		if depths := g.admitter.depths; depths != nil && !t.Sitemap {
			t.Depth = depths.Depth(t.URL)
		}
		g.traps.lease(&t, v)
		return t, true
	}
	return Task{}, false
}

// refuseTrapped ends the lease of a URL that belongs to a trap. The host was not asked, and
// the page takes no place in its budget.
func (g *Gate) refuseTrapped(it frontier.Item, v trap.Verdict, now time.Time) {
	g.queue.done(&Task{Item: it}, now, frontier.Outcome{Kind: frontier.Unasked, NoPage: true})
	g.journal.Changed(1)
	g.traps.count(v, 1)
	it.URL, it.Lease = it.URL.Clone(), frontier.Lease{}
	g.admitter.deferAdmitted(deferral{offer: offer{Item: it}, reason: Trapped(v.Kind), trap: v})
	g.returnBudget(it.URL)
}

// Refuse ends the lease of a URL that brought neither page nor redirect. Unless there will
// be another attempt, s is reported.
func (g *Gate) Refuse(t *Task, now time.Time, o frontier.Outcome, s Skip) (again bool) {
	g.traps.came(&t.lease)
	g.traps.ended(t.lease)
	if again = g.queue.done(t, now, o); again {
		g.journal.Changed(0)
	} else {
		g.admitter.refusals.add(s)
		if s.GivenUp {
			g.admitter.givenUps.note(givenUp{offer: offer{Item: t.Item}, reason: s.Reason, admitted: true, charged: !o.NoPage})
		}
	}
	if o.NoPage {
		g.returnBudget(t.URL)
	}
	return again
}

// Return ends a lease as if it had never been, and puts the URL back to the front of its
// queue. A request that was sent nevertheless is charged from started, if that is not zero.
func (g *Gate) Return(t *Task, started time.Time) {
	g.traps.ended(t.lease)
	g.queue.giveBack(t, started)
}

// Prepared ends the lease of a Task that its host must be prepared for first, and puts the URL back
// to the front of its queue: of an Outage, now that the host has answered a request sent at asked,
// or to be located, and the host is at this address.
func (g *Gate) Prepared(t *Task, at netip.Addr, asked, now time.Time) {
	g.traps.ended(t.lease)
	g.queue.prepared(t, at, asked, now)
}

// Drain refuses URLs that are queued on closed hosts, as many as the recorder can keep up
// with.
func (g *Gate) Drain() {
	for !g.Crowded() && g.queue.drain(maxBacklog, func(it frontier.Item) {
		o := offer{Item: it}
		g.admitter.refusals.add(o.refused(HostClosed))
		g.admitter.givenUps.note(givenUp{offer: o, reason: HostClosed, admitted: true, charged: true})
	}) {
	}
}

// returnBudget gives up u's place in its host's budget, since u is no page but a redirect or
// forbidden: the place goes to a URL that was refused for lack of one.
func (g *Gate) returnBudget(u weburl.URL) {
	for g.queue.frontier.HasRoom(u) {
		d, ok := g.admitter.takeHost(u.Host())
		if !ok {
			return
		}
		g.admitter.admit(d.offer)
	}
}

// Reconsider queues again, when nothing is left, the URLs that were deferred as a trap's and are
// no longer refused. If there are none, some of each closed pattern are fetched as probes. It
// reports whether there is anything to do.
func (g *Gate) Reconsider() (any bool) {
	if g.readmit() {
		return true
	}
	list := g.admitter.deferred.takeProbes(g.traps.probe)
	g.requeue(list)
	return len(list) > 0
}

// readmit queues again the URLs that are no longer refused as a trap's: one deferred by a
// domain-wide pattern may since have been cleared by its own.
func (g *Gate) readmit() (any bool) {
	list := g.admitter.deferred.takeTrapped(g.traps.refuses)
	g.requeue(list)
	return len(list) > 0
}

// requeue queues URLs that were taken for a trap's. They were admitted before. They have no rank
// until they are judged again: what probes lead to would come before the others that may be probes.
func (g *Gate) requeue(list []deferral) {
	for _, d := range list {
		d.Rank = 0
		g.traps.count(d.trap, -1)
		if r := g.admitter.full(&d.offer); r != "" {
			g.admitter.refusals.add(d.refused(r))
			if r == HostClosed { // its place went back when it was refused as a trap's
				g.admitter.givenUps.note(givenUp{offer: d.offer, reason: r, admitted: true})
			}
			continue
		}
		g.queue.frontier.Push(d.Item)
	}
}

// Queue is the part of the frontier that its owner may use beside the Gate; the methods are
// frontier.Frontier's.
type Queue interface {
	Ready(it frontier.Item, now time.Time) bool
	Start(it frontier.Item, now time.Time)
	Pause(until time.Time)
	Answered(it frontier.Item, now time.Time, o frontier.Outcome)
	Wake() (time.Time, bool)
	Queued() int
	Leased() int
	Hosts() int
	Busiest(n int) []frontier.HostLoad
	Waiting(n int) frontier.Waiting
	Outage() (since, probe time.Time, down bool)
	Reserve(r *frontier.Reservation, now time.Time)
	Unreserve(r *frontier.Reservation, asked time.Time)
	SetSlots(now, kept int)
	Away(it frontier.Item) bool
	NumAway() int
	Landed()
	Err() error
}

// Queue returns the queue of admitted URLs.
func (g *Gate) Queue() Queue { return g.queue.frontier }

// Idle reports whether no URL is queued, leased or waiting for the log.
func (g *Gate) Idle() bool { return g.queue.frontier.Idle() && g.admitter.pending.len() == 0 }

// Finish makes all refusals final, and reports the deferred ones and the URLs that stayed
// beyond the depth limit. Afterwards checks may wait for an answer. Of a crawl that survives,
// URLs that wait for the log already stay undecided, since they are committed as such.
func (g *Gate) Finish(survives bool) {
	if survives {
		g.admitter.pending = pendingChecks{}
	}
	g.admitter.finish()
}
