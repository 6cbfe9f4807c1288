package crawl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"crawler/gate"
	"crawler/ledger"
)

// membership is the coordinator's side of a Shard. Without one it does nothing.
type membership struct {
	Shard           // nil if the crawl is alone
	position uint64 // of the last message taken in
	outbox   outbox
	sealing  Standing // of the commit under way
	told     Standing // of the last commit; zero before the first of this run
	quiet    bool     // nothing was left to do, and no message has come since
	ended    bool     // all shards are idle
	err      error
}

// maxOutbox is how many offers may wait for their owners, some 200 bytes each, before no page is
// fetched. Messages are taken in nevertheless, or two shards could wait for each other.
const maxOutbox = 16 << 10

// maxPublish is how many offers are published at once, if not one commit alone has more.
const maxPublish = 4 << 10

// outbox are the offers on their way to their owners.
type outbox struct {
	next    uint64      // number of the next record
	records []outRecord // that are committed
	sealed  []outRecord // in the commit under way
	offers  int         // in both
	sending int         // so many of the records are being published
	jobs    chan []Offer
	done    chan error // of Publish
}

// outRecord is what one commit sends.
type outRecord struct {
	number uint64
	offers []Offer
}

func positionKey() []byte { return []byte("mposition") }
func outboxKey() []byte   { return []byte("moutbox/") }

func (r *outRecord) key() []byte { return binary.BigEndian.AppendUint64(outboxKey(), r.number) }

func newMembership(s Shard) membership {
	return membership{Shard: s, outbox: outbox{jobs: make(chan []Offer), done: make(chan error, 1)}}
}

// begin asks for the messages behind the position of the last commit, and has one made that says
// where this run begins.
func (m *membership) begin(l *ledger.Ledger) error {
	if m.Shard == nil {
		return nil
	}
	if err := m.Begin(m.position); err != nil {
		return fmt.Errorf("crawl: shard: %w", err)
	}
	l.Changed(0)
	return nil
}

// restore restores position and outbox of the last commit.
func (m *membership) restore(r gate.Reader) error {
	if m.Shard == nil {
		return nil
	}
	data, err := r.Get(positionKey())
	if err != nil || data == nil { // before the first commit of a shard
		return err
	}
	position, n := binary.Uvarint(data)
	if n != len(data) {
		return fmt.Errorf("the crawl's state is damaged: record position has %d bytes", len(data))
	}
	m.position = position
	return eachOutRecord(r, func(rec outRecord) error {
		m.outbox.records = append(m.outbox.records, rec)
		m.outbox.offers += len(rec.offers)
		m.outbox.next = rec.number + 1
		return nil
	})
}

// eachOutRecord gives fn the records of an outbox.
func eachOutRecord(r gate.Reader, fn func(outRecord) error) error {
	return r.Scan(outboxKey(), func(key, value []byte) error {
		offers, err := DecodeOffers(value)
		if err == nil && len(key) != len(outboxKey())+8 {
			err = fmt.Errorf("its key has %d bytes", len(key))
		}
		if err != nil {
			return fmt.Errorf("the crawl's state is damaged: record outbox: %w", err)
		}
		return fn(outRecord{binary.BigEndian.Uint64(key[len(outboxKey()):]), offers})
	})
}

// Outbox gives fn the offers of a shard's last commit that may not have left yet, until fn fails.
func Outbox(r gate.Reader, fn func(Offer) error) error {
	return eachOutRecord(r, func(rec outRecord) error {
		for _, o := range rec.offers {
			if err := fn(o); err != nil {
				return err
			}
		}
		return nil
	})
}

// run publishes what work hands over, until there is no more.
func (m *membership) run(ctx context.Context) {
	for offers := range m.outbox.jobs {
		m.outbox.done <- m.Publish(ctx, offers)
	}
}

// work has the next offers published, if none are.
func (m *membership) work() {
	o := &m.outbox
	if o.sending > 0 || len(o.records) == 0 {
		return
	}
	offers := o.records[0].offers
	for o.sending = 1; o.sending < len(o.records); o.sending++ {
		more := o.records[o.sending].offers
		if len(offers)+len(more) > maxPublish {
			break
		}
		offers = append(offers[:len(offers):len(offers)], more...)
	}
	o.jobs <- offers // run waits for nothing else
}

// published notes that the owners have what was published: the next commit forgets it.
func (m *membership) published(err error, l *ledger.Ledger) error {
	o := &m.outbox
	n := o.sending
	o.sending = 0
	if errors.Is(err, context.Canceled) {
		return nil // the run ends; the outbox keeps the offers
	}
	if err != nil {
		return m.fail(err)
	}
	for i := range o.records[:n] {
		l.Note(o.records[i].key(), nil)
		o.offers -= len(o.records[i].offers)
	}
	clear(o.records[:n])
	if o.records = o.records[n:]; len(o.records) == 0 {
		o.records = nil
	}
	return nil
}

// lastPublished takes what was published last, after run has ended.
func (m *membership) lastPublished(l *ledger.Ledger) {
	select {
	case err := <-m.outbox.done:
		_ = m.published(err, l) // the crawl has ended, for this error or another reason
	default:
	}
}

// fail notes the first error.
func (m *membership) fail(err error) error {
	if m.err == nil {
		m.err = fmt.Errorf("crawl: shard: %w", err)
	}
	return m.err
}

// arrive takes in a message.
func (m *membership) arrive(in Inbound, g *gate.Gate, l *ledger.Ledger) error {
	if in.Seq <= m.position {
		return nil // settled before
	}
	m.position, m.quiet = in.Seq, false
	l.Changed(0)
	if err := g.Border().Arrive(in.Offers); err != nil {
		return m.fail(fmt.Errorf("message %d: %w", in.Seq, err))
	}
	return nil
}

// inbound returns the channel of messages if there is a Shard, ready for them, else nil.
func (m *membership) inbound(ready bool) <-chan Inbound {
	if !ready || m.ended {
		return nil
	}
	return m.In()
}

// signals returns the channels of the whole crawl's end and of wake-ups, nil for a crawl alone.
func (m *membership) signals() (over <-chan EndedBy, woken <-chan struct{}) {
	if m.Shard == nil {
		return nil, nil
	}
	return m.Over(), m.Woken()
}

// end takes in that the crawl as a whole has ended.
func (m *membership) end(by EndedBy, stop func(EndedBy)) {
	if m.ended = by == Done; !m.ended {
		stop(by)
	}
}

// mayFetch reports whether requests may be sent at all.
func (m *membership) mayFetch() bool { return m.Shard == nil || m.MayFetch() }

// allows reports whether another page may be fetched: so many were, or are under way.
func (m *membership) allows(pages int, g *gate.Gate) bool {
	if m.Shard == nil {
		return true
	}
	if !m.MayFetch() || m.outbox.offers+g.Border().Leaving() >= maxOutbox {
		return false
	}
	most := m.Grant()
	return most < 0 || pages < most
}

// over reports whether the crawl is over now that this shard has nothing left to do. If it is
// not, the others must hear that this one is idle, which a commit says.
func (m *membership) over(l *ledger.Ledger, g *gate.Gate) bool {
	if m.Shard == nil {
		return true
	}
	if m.quiet = true; m.outbox.offers+g.Border().Leaving() > 0 {
		return false
	}
	if !m.ended && (!m.told.Idle || m.told.Position != m.position) {
		l.Changed(0)
	}
	return m.ended
}

// commit adds position and exports to a commit.
func (m *membership) commit(b Batch, seq uint64, last bool, c *coordinator) {
	if m.Shard == nil {
		return
	}
	o := &m.outbox
	if offers := c.gate.Border().TakeExports(); len(offers) > 0 {
		rec := outRecord{o.next, offers}
		var form []byte
		for _, offer := range offers {
			form = AppendOffer(form, offer)
		}
		b.Put(rec.key(), form)
		o.sealed = append(o.sealed, rec)
		o.offers += len(offers)
		o.next++
	}
	b.Put(positionKey(), binary.AppendUvarint(nil, m.position))
	queue := c.gate.Queue()
	m.sealing = Standing{
		Commit: seq, Position: m.position, Last: last, Idle: m.quiet && c.gate.Idle() && o.offers == 0,
		Pages: c.result.Pages(), Bytes: c.result.Bytes, Leased: queue.Leased(), Queued: queue.Queued(), Outbox: o.offers,
	}
}

// landed lets what a commit has made safe go out.
func (m *membership) landed() {
	if m.Shard == nil {
		return
	}
	m.outbox.records = append(m.outbox.records, m.outbox.sealed...)
	m.outbox.sealed = nil
	m.told = m.sealing
	m.Committed(m.told)
}
