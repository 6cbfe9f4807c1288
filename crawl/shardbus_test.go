package crawl_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/weburl"
)

// plant is a fault that the simulation of shards must find.
type plant string

const (
	noPlant      plant = ""
	plantDropped plant = "a message is dropped"
	plantUnsent  plant = "a publish is lost after its commit"
	plantAhead   plant = "the position is one ahead"
	plantTooSoon plant = "the end is declared without comparing positions"
	plantZombie  plant = "an old owner's idle is believed"
)

// bus is a broker in memory: a stream a shard, and what the shards have said. It delays messages,
// gives some twice, and those of different shards in any sequence.
type bus struct {
	plant  plant
	shards int
	budget int             // pages in all, 0 for no limit
	idled  func()          // a shard is idle
	fails  func(shard int) // so that its owner dies, in the last moment before the end
	busy   sync.WaitGroup  // goroutines

	mu      sync.Mutex // guards all below
	rng     *rand.Rand
	streams [][][]byte // by shard, then by Seq-1
	says    []crawl.Standing
	epoch   []int
	granted []int
	ports   []*port // the present owners
	ended   crawl.EndedBy
	sent    int // offers
	late    int // deaths in the last moment
	bytes   int
}

func newBus(n int, rng *rand.Rand, p plant) *bus {
	return &bus{plant: p, shards: n, rng: rng, streams: make([][][]byte, n), says: make([]crawl.Standing, n), epoch: make([]int, n),
		granted: make([]int, n), ports: make([]*port, n)}
}

// of is the shard that owns u.
func (b *bus) of(u weburl.URL) int { return int(xxhash.Sum64String(u.Domain()) % uint64(b.shards)) }

// port is one run of a shard.
type port struct {
	*bus
	shard, epoch int
	ctx          context.Context
	in           chan crawl.Inbound
	over         chan crawl.EndedBy
	woken        chan struct{}
	arrived      chan struct{} // a message may have

	// Guarded by bus.mu.
	dead, mute bool // another owns the shard; and what this one sends is lost
	begun      bool // before that its disk is being opened, which vfs.MemFS.CrashClone may block
	committed  bool
}

// open makes a run the owner of its shard.
func (b *bus) open(ctx context.Context, shard int) *port {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch[shard]++
	if b.plant != plantZombie {
		b.says[shard] = crawl.Standing{} // the run may begin with an older state than the last had
	}
	p := &port{bus: b, shard: shard, epoch: b.epoch[shard], ctx: ctx, in: make(chan crawl.Inbound),
		over: make(chan crawl.EndedBy, 1), woken: make(chan struct{}, 1), arrived: make(chan struct{}, 1)}
	b.ports[shard] = p
	if b.ended != "" {
		p.over <- b.ended
	}
	return p
}

// kill ends the ownership of a shard. Nobody else owns it until the next open.
func (b *bus) kill(shard int, mute bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bury(b.ports[shard], mute)
}

func (b *bus) bury(p *port, mute bool) {
	p.dead, p.mute = true, mute
	if b.plant != plantZombie {
		b.says[p.shard] = crawl.Standing{}
	}
}

func (b *bus) pause(most int) {
	b.mu.Lock()
	d := time.Duration(b.rng.IntN(most)) * time.Millisecond
	b.mu.Unlock()
	time.Sleep(d)
}

func (p *port) Mine(u weburl.URL) bool     { return p.of(u) == p.shard }
func (p *port) In() <-chan crawl.Inbound   { return p.in }
func (p *port) Over() <-chan crawl.EndedBy { return p.over }
func (p *port) Woken() <-chan struct{}     { return p.woken }

func (p *port) MayFetch() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.dead
}

func (p *port) Grant() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.budget == 0 {
		return -1
	}
	return p.granted[p.shard]
}

func (p *port) Begin(pos uint64) error {
	if p.plant == plantAhead && p.epoch > 1 {
		pos++
	}
	p.mu.Lock()
	p.begun = true
	p.mu.Unlock()
	p.busy.Go(func() { p.deliver(pos) })
	return nil
}

// deliver gives the run the messages behind pos.
func (p *port) deliver(pos uint64) {
	for {
		m, ok := p.message(pos)
		if !ok {
			select {
			case <-p.arrived:
				continue
			case <-p.ctx.Done():
				return
			}
		}
		p.pause(300)
		pos++
		offers, err := crawl.DecodeOffers(m)
		if err != nil {
			panic(err)
		}
		select {
		case p.in <- crawl.Inbound{Seq: pos, Offers: offers}:
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *port) message(pos uint64) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.streams[p.shard]; pos < uint64(len(s)) {
		return s[pos], true
	}
	return nil, false
}

func (p *port) Publish(ctx context.Context, offers []crawl.Offer) error {
	batches := make([][]byte, p.shards)
	for _, o := range offers {
		to := p.of(o.URL)
		batches[to] = crawl.AppendOffer(batches[to], o)
	}
	p.mu.Lock()
	lost := p.plant == plantUnsent && p.epoch > 1 && !p.committed // an earlier run's outbox
	sequence := p.rng.Perm(p.shards)
	p.mu.Unlock()
	if lost {
		return nil
	}
	for _, to := range sequence {
		if len(batches[to]) > 0 {
			p.pause(1000)
			p.post(to, batches[to])
		}
	}
	p.mu.Lock()
	p.sent += len(offers)
	p.mu.Unlock()
	return nil
}

// post puts a message into a stream, now and then twice: the first acknowledgement was lost.
func (p *port) post(to int, batch []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mute || p.plant == plantDropped && p.rng.IntN(8) == 0 {
		return
	}
	for range 1 + p.rng.IntN(10)/9 {
		p.streams[to] = append(p.streams[to], batch)
		p.bytes += len(batch)
	}
	if owner := p.ports[to]; owner != nil {
		signal(owner.arrived)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (p *port) Committed(s crawl.Standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.committed = true
	if (p.dead || p.epoch != p.bus.epoch[p.shard]) && p.plant != plantZombie {
		return
	}
	p.says[p.shard] = s
	if p.budget > 0 {
		p.share(p.shard)
	}
	if s.Idle {
		p.busy.Go(p.idled)
	}
	if p.allIdle() {
		p.lastMoment(p.shard)
	}
	if p.allIdle() {
		p.end(crawl.Done)
	}
}

// lastMoment has another shard than this die now and then, of which others have heard that it is
// idle.
func (b *bus) lastMoment(this int) {
	i := b.rng.IntN(b.shards)
	p := b.ports[i]
	if b.late == 3 || i == this || p.dead || b.ended != "" || b.rng.IntN(3) == 0 {
		return
	}
	b.late++
	b.bury(p, true)
	b.busy.Go(func() { b.fails(i) })
}

// share takes back what an idle shard has been granted and not used, while its Committed runs,
// and gives others a few pages more.
func (b *bus) share(of int) {
	if says := b.says[of]; says.Idle {
		b.granted[of] = says.Pages
	}
	left, fetched := b.budget, 0
	for i := range b.granted {
		left -= b.granted[i]
		fetched += b.says[i].Pages
	}
	for i, says := range b.says {
		if more := min(3, left); more > 0 && says.Queued > 0 && says.Pages+says.Leased+1 >= b.granted[i] {
			b.granted[i] += more
			left -= more
			signal(b.ports[i].woken)
		}
	}
	if fetched >= b.budget {
		b.end(crawl.ByMaxPages)
	}
}

// allIdle reports whether nothing can happen any more: all are idle, and no message waits.
func (b *bus) allIdle() bool {
	for i, s := range b.says {
		if !s.Idle || b.plant != plantTooSoon && s.Position != uint64(len(b.streams[i])) {
			return false
		}
	}
	return true
}

// end tells all shards that the crawl has ended.
func (b *bus) end(by crawl.EndedBy) {
	if b.ended != "" {
		return
	}
	b.ended = by
	for _, p := range b.ports {
		if p != nil {
			p.over <- by
		}
	}
}
