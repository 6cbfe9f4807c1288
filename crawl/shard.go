package crawl

import (
	"context"
	"errors"
	"time"

	"crawler/frontier"
	"crawler/gate"
	"crawler/weburl"
)

// Shard joins this crawl to others that crawl the other hosts of the same web: each has a
// directory and a run of its own, and together they find what one crawl would.
//
// The shard that owns a URL decides all about it: scope, nofollow, depth, budget, whether it was
// admitted before, and where a refusal is reported. What a page of this shard leads to elsewhere
// is only offered there. Two rules keep an offer from being lost, whoever dies:
//
//   - Offers leave by an outbox in this shard's own commit, the one that counts their page as
//     done. They are published after it, and a later commit forgets them. A run that begins
//     again publishes what its outbox has.
//   - Offers arrive as messages of a stream, and what they have led to is in the same commit as
//     the position in that stream. A run that begins again asks for the messages behind it.
//
// So an offer may come twice, and offers may overtake one another: all that they do is to
// add to a set of URLs and to lower a depth, where neither matters.
//
// A Shard serves one run. Its methods are called by the coordinator, one at a time, and must be
// quick, but Publish, which has a goroutine of its own.
type Shard interface {
	// Mine reports whether this shard owns u. It is called for each link, and allocates nothing.
	// All hosts of a registrable domain (weburl.URL.Domain) have the same owner, for good: seeds
	// widen the scope and traps are recognized by domain.
	Mine(u weburl.URL) bool

	// Begin is called once, before anything else: In is to give the messages behind pos, the
	// Seq of the last one that the last commit has settled, 0 for none. An error ends the run.
	Begin(pos uint64) error

	// In gives the messages of this shard's stream with Seq ascending; there may be gaps.
	In() <-chan Inbound

	// Publish returns when all offers are safe in the streams of their owners. It is called
	// after the commit whose outbox has them, and not again before it has returned. It tries
	// until ctx ends, which it does when the run is to end. Any error ends the run, and the
	// outbox keeps the offers.
	Publish(ctx context.Context, offers []Offer) error

	// Committed is called after each commit, the run's last one too, and after one at its
	// beginning.
	Committed(s Standing)

	// Grant is how many pages may have been fetched in all runs together, those under way
	// included, -1 for no limit. It is asked for before each page. It may become smaller: pages
	// under way are fetched nevertheless, and Standing has them. So what is above Pages + Leased
	// of a Standing can be given to another shard once Grant has stopped to allow it, before or
	// during Committed.
	Grant() int

	// MayFetch reports whether this run may still send requests: it must not when another may
	// have taken its place. It is asked before each page.
	MayFetch() bool

	// Over gives one value when the crawl as a whole has ended: Done if all shards are idle and
	// no message waits, or why all of them stop now. After Done the run ends when it is idle.
	Over() <-chan EndedBy

	// Woken gives a value when Grant or MayFetch may have changed, also because of the time: a
	// page that waits for a free worker is looked at again then, and every ProgressEvery.
	Woken() <-chan struct{}
}

// shardEvery is how soon after a change a shard commits: what its pages lead to on other shards
// leaves after the commit, and they may have nothing else to do.
const shardEvery = 100 * time.Millisecond

// validateShard returns an error about a setting that a shard cannot have.
func (c *Config) validateShard() error {
	switch {
	case c.Shard == nil:
		return nil
	case c.Store == nil || !c.Store.Durable():
		return errors.New("crawl: a Shard needs a durable Store, which has its outbox and position")
	case c.Gate.Frontier.Order != frontier.BreadthFirst:
		return errors.New("crawl: with a Shard, Gate.Frontier.Order must be BreadthFirst: any other needs the links of all shards")
	case c.MaxPages > 0 || c.MaxBytes > 0 || c.TimeLimit > 0:
		return errors.New("crawl: with a Shard, leave out MaxPages, MaxBytes and TimeLimit: its Grant and Over limit all shards together")
	case c.Inbox != nil:
		return errors.New("crawl: with a Shard there is no Inbox: a seed would have to widen the scope of all shards")
	}
	return nil
}

// Inbound is a message: URLs that this shard owns and others have met.
type Inbound struct {
	Seq    uint64 // its place in the stream, from 1
	Offers []Offer
}

// Standing is what a commit of a shard says.
type Standing struct {
	Commit   uint64 // its number
	Position uint64 // Seq of the last message that is settled in it
	Idle     bool   // nothing is left to do or to publish, until a message behind Position comes
	Last     bool   // the run has ended

	Pages  int   // fetched in all runs, as Grant counts them: without sitemaps
	Bytes  int64 // of their bodies, decoded
	Leased int   // pages under way now
	Queued int
	Outbox int // offers that wait to be published
}

// Offer is a URL on its way from the shard that has met it to its owner.
type Offer = gate.Offer

// AppendOffer appends the binary form of an offer, for DecodeOffers; docs/format/engine.md
// describes the bytes. One takes the length of its URL and of that of its page, and some 5 more.
func AppendOffer(b []byte, o Offer) []byte { return gate.AppendOffer(b, o) }

// DecodeOffers reads forms of AppendOffer, one after the other. It allocates at most some 20
// bytes for each byte of b.
func DecodeOffers(b []byte) ([]Offer, error) { return gate.DecodeOffers(b) }
