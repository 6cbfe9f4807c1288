package gate

import (
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/frontier"
	"crawler/weburl"
)

// Offer is a URL on its way from the shard that has met it to the shard that owns it: see
// crawl.Shard. From a URL that redirects there, From is set; a link has a Depth above 0; an entry
// of a sitemap or feed has none, and a Sitemap says that it is one. None is a seed: Via or From
// is there.
type Offer struct {
	frontier.Item
	Nofollow bool // the link says so, and the crawl obeys
	Declined bool // the link is not to be followed; see parse.Link
	Nearer   bool // a way that was offered before has become shorter: nothing but Depth is new
}

// AppendOffer appends the binary form of an offer: see docs/format/engine.md.
func AppendOffer(b []byte, o Offer) []byte { return appendOffer(b, o.internal()) }

// DecodeOffers reads the forms that AppendOffer wrote one after the other, and makes at most
// 20 bytes of each byte of theirs. An offer that is a seed is an error, since seeds pass every
// scope, and so is one that was met on no URL.
func DecodeOffers(b []byte) (list []Offer, err error) {
	for len(b) > 0 {
		var o offer
		if o, b, err = readOffer(b); err == nil {
			err = o.arrives()
		}
		if err != nil {
			return nil, fmt.Errorf("offer %d: %w", len(list), err)
		}
		list = append(list, o.public())
	}
	return list, nil
}

// The errors of an offer that no shard sends here.
var (
	errSeed    = errors.New("it was met on no page")
	errForeign = errors.New("another shard owns it")
)

// arrives returns an error about an offer that no shard has sent.
func (o *offer) arrives() error {
	if o.seed() {
		return errSeed
	}
	for _, text := range [...]string{o.Via, o.From, o.First} {
		if text == "" {
			continue
		}
		if _, err := weburl.Parse(text); err != nil {
			return err
		}
	}
	return nil
}

func (o Offer) internal() offer {
	return offer{Item: o.Item, nofollow: o.Nofollow, declined: o.Declined, nearer: o.Nearer}
}

func (o *offer) public() Offer {
	return Offer{Item: o.Item, Nofollow: o.nofollow, Declined: o.declined, Nearer: o.nearer}
}

// border is where the URLs of other shards leave. Its zero value has every URL stay.
type border struct {
	journal Journal
	mine    func(weburl.URL) bool // nil if there is no other shard
	out     []Offer               // since TakeExports
	recent  recent
}

// foreign reports whether another shard decides about u.
func (b *border) foreign(u weburl.URL) bool { return b.mine != nil && !b.mine(u) }

// send exports an offer.
func (b *border) send(o *offer) {
	o.URL = o.URL.Clone()
	b.out = append(b.out, o.public())
	b.journal.Changed(0)
}

// sendNew exports an offer unless it was exported lately. What is the same but for page and depth
// is the same.
func (b *border) sendNew(o *offer) {
	if b.recent.add(o.fingerprint()) {
		b.send(o)
	}
}

// fingerprint is that of the URL and the ways of offering it that its owner tells apart.
func (o *offer) fingerprint() uint64 {
	how := uint64(o.Hops) << 4
	if o.nofollow {
		how |= 1
	}
	if o.declined {
		how |= 2
	}
	if o.Sitemap {
		how |= 4
	}
	if o.Depth == 0 {
		how |= 8
	}
	return xxhash.Sum64String(o.URL.String()) ^ how*isFinal
}

// export sends a URL to its owner, which passes it through all rules. Under a depth limit what
// is followed goes by way of the depths, so that it is sent again when from has come nearer.
func (a *admitter) export(from weburl.URL, o offer) {
	switch {
	case o.Hops > MaxRedirects:
		a.exportTooLong(o)
	case a.depths == nil || o.nofollow || o.declined || !o.link() && o.From == "":
		a.border.sendNew(&o)
	default:
		a.exportWay(from, o)
	}
}

// exportWay sends a URL by a way that the depths keep, and what has come nearer behind from.
func (a *admitter) exportWay(from weburl.URL, o offer) {
	nearer := false
	for _, it := range a.met(from, &o) {
		if it.URL == o.URL {
			nearer = true
			continue
		}
		a.further(it)
	}
	if !o.Sitemap {
		o.Depth = a.depths.Depth(o.URL)
	}
	if fresh := a.border.recent.add(o.fingerprint()); fresh || nearer {
		a.border.send(&o)
	}
}

// further takes what the depths return beside the URL that was offered: it is admitted, or its
// owner hears of the shorter way.
func (a *admitter) further(it frontier.Item) {
	if o := (offer{Item: it, nearer: true}); a.border.foreign(it.URL) {
		a.border.send(&o)
	} else {
		a.admit(offer{Item: it})
	}
}

// exportTooLong sends the URL behind a chain of redirects that is too long, whose last hop is
// owned here: so it is this shard that hears of a shorter way there.
func (a *admitter) exportTooLong(o offer) {
	if way, ok := a.shorter(o); ok {
		a.offer(way.foundOn(), way)
		return
	}
	a.border.sendNew(&o)
	if d := (deferral{offer: o, reason: RedirectLimit}); !a.final && a.deferred.takes(&d) {
		d.URL = d.URL.Clone()
		a.deferred.add(d)
	}
}

// Border is the part of a Gate that other shards speak to; see crawl.Shard.
type Border struct{ a *admitter }

// Border returns where URLs come in that other shards have met, and leave that are theirs.
func (g *Gate) Border() Border { return Border{&g.admitter} }

// Arrive takes URLs that other shards have met. One that is not owned here is an error, after
// which the state is of no use: the shards do not agree about who owns what.
func (b Border) Arrive(offers []Offer) error {
	for i := range offers {
		o := offers[i].internal()
		err := o.arrives()
		if err == nil && b.a.border.foreign(o.URL) {
			err = errForeign
		}
		if err != nil {
			return fmt.Errorf("%s was offered to this shard: %w", o.URL, err)
		}
		o.Attempt, o.Since, o.Rank, o.NewAt = 0, time.Time{}, 0, 0 // these are its owner's to say
		b.a.offer(o.foundOn(), o)
	}
	return nil
}

// Leaving returns how many URLs of other shards TakeExports would return.
func (b Border) Leaving() int { return len(b.a.border.out) }

// TakeExports returns the URLs of other shards since the last call, in the sequence of meeting
// them. They must be in the next commit: the pages that lead to them are.
func (b Border) TakeExports() []Offer {
	list := b.a.border.out
	b.a.border.out = nil
	return list
}

// recent remembers fingerprints, of each place in a table the latest.
type recent struct {
	table []uint64
	used  int
}

// leastRecent and mostRecent are how many places the table has: 8 bytes each.
const (
	leastRecent = 1 << 8
	mostRecent  = 1 << 16
)

// add remembers a fingerprint and reports whether it was not remembered.
func (r *recent) add(fp uint64) bool {
	if fp == 0 {
		return true
	}
	if 2*r.used >= len(r.table) && len(r.table) < mostRecent {
		r.grow()
	}
	place := &r.table[fp&uint64(len(r.table)-1)]
	if *place == fp {
		return false
	}
	if *place == 0 {
		r.used++
	}
	*place = fp
	return true
}

func (r *recent) grow() {
	old := r.table
	*r = recent{table: make([]uint64, max(leastRecent, 4*len(old)))}
	for _, fp := range old {
		if fp != 0 {
			r.add(fp)
		}
	}
}
