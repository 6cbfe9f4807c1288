package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"crawler/crawl"
	"crawler/weburl"
)

const (
	// inbox is how many messages the client reads ahead of a shard.
	inbox = 32
	// tellEvery is how often a busy shard says how it stands; a change to idle it says at once.
	tellEvery = time.Second
)

// port is crawl.Shard for one run of a shard.
type port struct {
	node  *Node
	shard int
	epoch uint64
	ctx   context.Context // of the run
	fail  context.CancelCauseFunc
	grant *grant

	owners *Owners // the coordinator's
	in     chan crawl.Inbound
	over   chan crawl.EndedBy
	woken  chan struct{}
	nudge  chan struct{} // one place: there is something to tell
	work   sync.WaitGroup

	mu     sync.Mutex
	status Status // guarded by mu, as all below
	told   Status
	toldAt time.Time
	asked  bool // to end
}

var _ crawl.Shard = (*port)(nil)

func newPort(ctx context.Context, n *Node, shard int, epoch uint64, fail context.CancelCauseFunc) (*port, error) {
	g, err := newGrant(ctx, n.Crawl, shard, epoch)
	if err != nil {
		return nil, err
	}
	p := &port{
		node: n, shard: shard, epoch: epoch, ctx: ctx, fail: fail, grant: g, owners: NewOwners(n.Crawl.Settings.Shards),
		in: make(chan crawl.Inbound), over: make(chan crawl.EndedBy, 1), woken: make(chan struct{}, 1), nudge: make(chan struct{}, 1),
	}
	p.status.Epoch, p.status.Node = epoch, n.Me.Name
	p.work.Go(func() { g.run(ctx, p.wake) })
	p.work.Go(p.tell)
	p.work.Go(p.watch)
	n.batches.join(1)
	return p, nil
}

// close ends what the port has begun; its ctx has ended.
func (p *port) close() {
	p.node.batches.join(-1)
	p.work.Wait()
}

func (p *port) Mine(u weburl.URL) bool     { return p.owners.Of(u) == p.shard }
func (p *port) In() <-chan crawl.Inbound   { return p.in }
func (p *port) Over() <-chan crawl.EndedBy { return p.over }
func (p *port) Woken() <-chan struct{}     { return p.woken }
func (p *port) Grant() int                 { return p.grant.pages() }
func (p *port) MayFetch() bool             { return p.node.mayFetch() }
func (p *port) Publish(ctx context.Context, offers []crawl.Offer) error {
	return p.node.batches.publish(ctx, p.node.ctx, offers)
}

// Begin asks for the messages behind pos.
func (p *port) Begin(pos uint64) error {
	before, err := p.node.Crawl.Status(p.ctx, p.shard)
	if err == nil && !before.At.IsZero() && time.Since(before.At) > linksAge {
		return fmt.Errorf("shard %d was last run %s ago: links for it may have been dropped after %s", p.shard, time.Since(before.At).Round(time.Hour), linksAge)
	}
	consumer, err := p.consumer(pos)
	if err != nil {
		return fmt.Errorf("shard %d: links: %w", p.shard, err)
	}
	taking, err := consumer.Consume(p.take, jetstream.PullMaxMessages(inbox))
	if err != nil {
		return fmt.Errorf("shard %d: links: %w", p.shard, err)
	}
	context.AfterFunc(p.ctx, taking.Stop)
	return nil
}

// consumer makes an ordered one, which the client makes again when the broker has lost it.
func (p *port) consumer(pos uint64) (c jetstream.Consumer, err error) {
	for p.ctx.Err() == nil {
		one, cancel := context.WithTimeout(p.ctx, asking)
		c, err = p.node.Crawl.js.OrderedConsumer(one, p.node.Crawl.names.links(), jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{p.node.Crawl.names.linksTo(p.shard)},
			DeliverPolicy:  jetstream.DeliverByStartSequencePolicy, OptStartSeq: pos + 1,
		})
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrStreamNotFound) {
			return c, err
		}
		pause(p.ctx, retryAfter)
	}
	return nil, p.ctx.Err()
}

// take hands a message to the engine. One that cannot be read is set aside, and the position
// moves on; one of a newer version ends the run.
func (p *port) take(m jetstream.Msg) {
	meta, err := m.Metadata()
	if err != nil {
		p.fail(fmt.Errorf("shard %d: %w", p.shard, err))
		return
	}
	offers, err := p.node.pack.unpack(m.Data())
	if errors.Is(err, ErrNewer) {
		p.fail(fmt.Errorf("shard %d: %w", p.shard, err))
		return
	}
	if err != nil && !p.setAside(m, meta.Sequence.Stream, err) {
		return
	}
	select {
	case p.in <- crawl.Inbound{Seq: meta.Sequence.Stream, Offers: offers}:
	case <-p.ctx.Done():
	}
}

// setAside keeps a message that cannot be read in a stream of its own. It returns false if the run
// ends before that is done.
func (p *port) setAside(m jetstream.Msg, seq uint64, why error) bool {
	c := p.node.Crawl
	dead := &nats.Msg{Subject: c.names.deadOf(p.shard), Data: m.Data(), Header: nats.Header{"Crawler-Sequence": {fmt.Sprint(seq)}, "Crawler-Error": {why.Error()}}}
	for p.ctx.Err() == nil {
		one, cancel := context.WithTimeout(p.ctx, publishing)
		// By its number the broker knows it again, should its answer be lost or come too late.
		_, err := c.js.PublishMsg(one, dead, jetstream.WithMsgID(fmt.Sprint(seq)))
		cancel()
		if err == nil {
			break
		}
		if errors.Is(err, nats.ErrMaxPayload) { // with its headers it is too long: keep a part
			dead.Data = dead.Data[:len(dead.Data)/2]
			continue
		}
		pause(p.ctx, retryAfter)
	}
	if p.ctx.Err() != nil {
		return false
	}
	p.node.Log.Warn("a message cannot be read and was set aside", "shard", p.shard, "sequence", seq, "error", why.Error(), "stream", c.names.dead())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.Dead++
	return true
}

// Committed notes what a commit says, for tell.
func (p *port) Committed(s crawl.Standing) {
	p.grant.committed(s)
	p.mu.Lock()
	was := p.status
	now := statusOf(s)
	now.Node, now.Epoch, now.Dead, now.Checkpoint, now.Lacks = was.Node, was.Epoch, was.Dead, was.Checkpoint, was.Lacks
	now.Kept = was.Kept && was.Commit == now.Commit
	p.status = now
	p.mu.Unlock()
	p.speak()
}

// standing is what the last commit said; ok is false before the first one.
func (p *port) standing() (s Status, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status, p.status.Commit > 0
}

// update changes what is told.
func (p *port) update(change func(*Status)) {
	p.mu.Lock()
	change(&p.status)
	p.mu.Unlock()
	p.speak()
}

func (p *port) speak() {
	select {
	case p.nudge <- struct{}{}:
	default:
	}
}

// wake has the engine look again at what it may do.
func (p *port) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// end has the engine end, once.
func (p *port) end(why crawl.EndedBy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked {
		p.asked = true
		p.over <- why
	}
}

// watch wakes the engine when the lease has ended or stands again.
func (p *port) watch() {
	tick := time.NewTicker(p.node.Crawl.Settings.Lease / 8)
	defer tick.Stop()
	for may := true; ; {
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
		if now := p.MayFetch(); now != may {
			may = now
			p.wake()
		}
	}
}

// tell writes the status into the broker: at once when the shard becomes idle, each second
// otherwise, and again now and then, as an older run may have written over it.
func (p *port) tell() {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.nudge:
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
		if s, due := p.due(); due {
			p.put(p.ctx, s)
		}
	}
}

// due returns the status, and whether it must be told now.
func (p *port) due() (s Status, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s = p.status
	s.Stuck = p.node.batches.stuck()
	since := time.Since(p.toldAt)
	if s.Commit == 0 {
		return s, false
	}
	changed := s != p.told
	urgent := s.Idle && (s.Position != p.told.Position || !p.told.Idle || s.Kept != p.told.Kept)
	return s, urgent || changed && since >= tellEvery || since >= retell
}

// retell is after what time a status that has not changed is told again.
const retell = 4 * time.Second

func (p *port) put(ctx context.Context, s Status) {
	out := s
	out.At = time.Now().UTC()
	data, err := json.Marshal(out)
	if err != nil {
		panic("cluster: a status has no form: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	if _, err := p.node.Crawl.status.Put(ctx, shardKey(p.shard), data); err != nil {
		return // the next tick tries again
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told, p.toldAt = s, time.Now()
}
