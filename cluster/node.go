package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"crawler/crawl"
	"crawler/store"
)

// How often a node looks at who should have what: eight times in a lease, within these bounds.
const (
	leastTick = 50 * time.Millisecond
	mostTick  = 500 * time.Millisecond
	// holdOff is for how long a node leaves a shard alone that it could not open.
	holdOff = 2 * time.Second
	// unavailable is the code of a broker's answer that another attempt may change.
	unavailable = 503
)

// Node is a process that crawls its part of the shards. Its exported fields are set before Serve.
type Node struct {
	Crawl *Crawl
	Me    Member
	Log   *slog.Logger
	// Run makes the engine of a shard and runs it to its end. It returns nil when the crawl or ctx
	// has ended and all that was done is committed, and waits while another process has the
	// directory. Any error ends the node.
	Run func(ctx context.Context, j *Job) error
	// Read reads shards' directories for Verify; without, the node does not answer it.
	Read Reader
	// Checkpoints is where copies of shards are: see FolderOf and Crawl.Objects.
	Checkpoints Blobs

	ctx     context.Context // of what the node does, beyond the one that asks it to leave
	lease   *lease
	batches *batcher
	pack    *packer
	tables  *tables
	paused  atomic.Bool
	members atomic.Pointer[[]Member]
	keepers sync.Map // of the shards whose engines run, by number: *keeper

	// Owned by Serve.
	own      map[int]*holding
	finished chan ended
	notYet   map[int]time.Time // shards that could not be opened lately: when to try again
	leaving  bool
	failure  error
	quiet    quiet
}

// Job is a shard for Run.
type Job struct {
	Shard int
	Dir   string // the crawl's directory, which is made if it is not there
	Port  crawl.Shard
	// Sharing is about how many shards this node has: they share what the process may use.
	Sharing int
	// Opened must be called once the directory is open. It gives a way to have the running shard
	// copied.
	Opened func(Snapshot)
}

// holding is a shard that this node has, or is about to have.
type holding struct {
	cancel context.CancelFunc
	epoch  atomic.Uint64 // the claim's last revision
	port   atomic.Pointer[port]
}

// ended is what becomes of a holding.
type ended struct {
	shard int
	err   error
}

// Serve runs the node until the crawl ends or is stopped, ctx ends, which has it hand its shards
// over, or something fails. Its leases have a connection of their own. It returns what state the
// crawl was in.
func (n *Node) Serve(ctx context.Context, leases *nats.Conn) (State, error) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	n.ctx = inner
	n.own, n.notYet, n.finished = map[int]*holding{}, map[int]time.Time{}, make(chan ended, n.Crawl.Settings.Shards)
	var err error
	if n.pack, err = newPacker(); err != nil {
		return State{}, err
	}
	n.batches = newBatcher(n.Crawl, n.pack, n.Log)
	if n.lease, err = newLease(inner, leases, n.Crawl, n.Me); err != nil {
		return State{}, err
	}
	n.tables = newTables(n.Crawl)
	workers := n.background(inner)
	defer func() {
		cancel()
		workers.Wait()
	}()
	return n.serve(ctx)
}

func (n *Node) serve(ctx context.Context) (State, error) {
	tick := time.NewTicker(min(max(n.Crawl.Settings.Lease/8, leastTick), mostTick))
	defer tick.Stop()
	asked := ctx.Done()
	for {
		select {
		case <-tick.C:
		case <-asked:
			asked = nil
			n.leaving = true
		case e := <-n.finished:
			n.ended(e)
			continue
		}
		state, known := n.tables.state()
		if n.step(state, known) {
			release, cancel := context.WithTimeout(n.ctx, n.Crawl.Settings.Lease/2)
			n.lease.release(release) // else it expires
			cancel()
			return state, n.failure
		}
	}
}

// step does what is due, and reports whether the node is done.
func (n *Node) step(state State, known bool) (done bool) {
	n.paused.Store(state.Want == Pause)
	switch {
	case state.Want == End:
		n.endAll(crawl.Done)
		return len(n.own) == 0
	case state.Want == Stop:
		n.endAll(state.Why)
		return len(n.own) == 0
	case n.leaving:
		n.cancelAll()
		return len(n.own) == 0
	case !n.lease.safe(): // nobody knows any more that they are ours
		n.cancelAll()
		return false
	case !known:
		return false
	}
	live, certain := n.lease.members()
	if len(live) == 0 {
		return false
	}
	n.members.Store(&live)
	claims, revisions := n.tables.claims()
	want := Assign(claims, live)
	isLive := map[string]bool{}
	for _, m := range live {
		isLive[m.Name] = true
	}
	for s := range claims {
		mayTake := claims[s].Node == "" || claims[s].Node == n.Me.Name || certain && !isLive[claims[s].Node]
		n.tend(s, claims[s], revisions[s], want[s], mayTake, len(live))
	}
	if h := n.own[0]; h != nil && h.port.Load() != nil {
		n.lead(state, claims, revisions, isLive)
	}
	return false
}

// tend takes a shard that should be this node's, and gives up one that should not, or that another
// has taken, or that this node has not, though the broker says so.
func (n *Node) tend(s int, claim Claim, revision uint64, want string, mayTake bool, nodes int) {
	h := n.own[s]
	switch {
	case h != nil && revision < h.epoch.Load(): // the table lags behind
	case h != nil && (want != n.Me.Name || claim.Node != n.Me.Name && h.port.Load() != nil):
		h.cancel()
	case h == nil && want == n.Me.Name && mayTake && time.Now().After(n.notYet[s]):
		ctx, cancel := context.WithCancel(n.ctx)
		h = &holding{cancel: cancel}
		h.epoch.Store(revision)
		n.own[s] = h
		go func() {
			n.finished <- ended{s, n.hold(ctx, s, claim, revision, h, nodes)}
		}()
	case h == nil && want != n.Me.Name && claim.Node == n.Me.Name:
		// The broker has a claim whose answer never came, or not that it was given back. Nobody
		// else takes the shard while this node lives.
		h = &holding{cancel: func() {}}
		h.epoch.Store(revision)
		n.own[s] = h
		go func() {
			n.giveBack(s, Claim{At: claim.At}, revision)
			n.finished <- ended{shard: s}
		}()
	}
}

// ended notes that a shard is this node's no more.
func (n *Node) ended(e ended) {
	n.own[e.shard].cancel()
	delete(n.own, e.shard)
	switch {
	case e.err == nil:
	case errors.Is(e.err, errUnreachable):
		n.notYet[e.shard] = time.Now().Add(holdOff)
	case passing(e.err):
		n.Log.Warn("a shard could not be taken and is tried again", "shard", e.shard, "error", e.err)
		n.notYet[e.shard] = time.Now().Add(holdOff)
	default:
		n.Log.Error("a shard cannot be crawled here: this node leaves", "shard", e.shard, "error", e.err)
		if n.failure == nil {
			n.failure = fmt.Errorf("shard %d: %w", e.shard, e.err)
		}
		n.leaving = true
	}
}

// passing reports whether an error is of a broker that is away, or of a process that has stopped
// and still locks its directory: neither says that this node cannot crawl.
func passing(err error) bool {
	for _, one := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting,
		context.DeadlineExceeded, jetstream.ErrNoStreamResponse, store.ErrLocked,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == unavailable
}

func (n *Node) cancelAll() {
	for _, h := range n.own {
		h.cancel()
	}
}

// endAll has all engines end; a shard that has none yet is left alone.
func (n *Node) endAll(why crawl.EndedBy) {
	for _, h := range n.own {
		if p := h.port.Load(); p != nil {
			p.end(why)
		} else {
			h.cancel()
		}
	}
}

// mayFetch reports whether this node's shards may send requests.
func (n *Node) mayFetch() bool { return !n.paused.Load() && n.lease.safe() }

// hold claims a shard, opens it, runs it, and gives it back.
func (n *Node) hold(ctx context.Context, s int, was Claim, revision uint64, h *holding, nodes int) error {
	epoch, err := n.Crawl.setClaim(ctx, s, Claim{Node: n.Me.Name, At: was.At}, revision)
	if err != nil {
		return nil // somebody was quicker, or the broker is away: the next look says
	}
	h.epoch.Store(epoch)
	place, err := n.place(ctx, s, was, epoch)
	if err == nil && place.at != was.At {
		epoch, err = n.Crawl.setClaim(ctx, s, Claim{Node: n.Me.Name, At: place.at, Restored: place.restored}, epoch)
		h.epoch.Store(max(epoch, h.epoch.Load()))
	}
	if err != nil {
		n.giveBack(s, Claim{At: was.At}, h.epoch.Load())
		if conflict(err) || ctx.Err() != nil {
			return nil
		}
		return err
	}
	err = n.run(ctx, s, place, epoch, h, nodes)
	n.giveBack(s, Claim{At: place.at}, epoch)
	return err
}

// run runs a shard's engine, and keeps copies of the shard meanwhile.
func (n *Node) run(ctx context.Context, s int, place place, epoch uint64, h *holding, nodes int) error {
	inner, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	p, err := newPort(inner, n, s, epoch, fail)
	if err != nil {
		if errors.Is(err, errSuperseded) || ctx.Err() != nil {
			return nil
		}
		return err
	}
	keep := &keeper{node: n, port: p, shard: s, epoch: epoch, dir: place.dir, base: place.base}
	h.port.Store(p)
	n.keepers.Store(s, keep)
	defer n.keepers.Delete(s)
	share := (n.Crawl.Settings.Shards + nodes - 1) / nodes
	err = n.Run(inner, &Job{Shard: s, Dir: place.dir, Port: p, Sharing: share, Opened: func(take Snapshot) { keep.begin(inner, take) }})
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // it was given up before it had begun
	}
	if cause := context.Cause(inner); err == nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	last, committed := p.standing()
	fail(nil)
	p.close()
	keep.end(n.ctx, err == nil)
	if committed {
		p.put(n.ctx, last) // what the run has said at its end
	}
	return err
}

// giveBack says that a shard is free, or will be when the lease expires.
func (n *Node) giveBack(s int, c Claim, epoch uint64) {
	ctx, cancel := context.WithTimeout(n.ctx, asking)
	defer cancel()
	n.Crawl.setClaim(ctx, s, c, epoch) // fails if another has it
}
