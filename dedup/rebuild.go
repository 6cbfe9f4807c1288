package dedup

import (
	"iter"

	"crawler/weburl"
)

// Rebuild is the next generation of a Logged's filter while it is filled from the log on
// disk. From Logged.Rebuild to Adopt it belongs to whoever calls Add, in any goroutine.
type Rebuild struct {
	owner  *Logged
	filter *Multilayer // nil: it was adopted
	expect int64       // URLs that the filter is sized for
}

// Add adds fingerprints from the log: of URLs if layer is negative, else of the prefixes
// in that layer, counted from 0. Order and repetition do not matter, but sorted ones take
// a third of the time. After Adopt it does nothing.
func (b *Rebuild) Add(layer int, fps []uint64) {
	if b.filter != nil {
		b.filter.addHashes(layer, fps)
	}
}

// Adopt ends the restart, in the goroutine that owns the Logged: it adds the tail, which
// takes 15 to 30 ns for each URL in it, and puts the filter in its place. open, which may
// be nil, has the pending checks, answered with Maybe and neither Found nor NotFound since:
// they stay open, so that every false positive is counted, even if the new filter knows
// that the URL is new. The next Adopt forgets them. A second call does nothing.
func (b *Rebuild) Adopt(open iter.Seq[Pending]) {
	l := b.owner
	if l.next != b {
		return
	}
	l.tail.addTo(b.filter)
	l.frozen.addTo(b.filter)
	l.retired.addTo(b.filter)
	l.filter, l.expect = b.filter, b.expect
	l.epoch++
	l.began = l.admitted
	l.next, l.retired, b.filter = nil, nil, nil
	l.open = openQuestions(open)
}

// Reopened is a Durable between two runs of its crawl: its account was read, and its
// filter is being filled from what was logged. Add must get everything that TakeNew ever
// returned, or that is in the log on disk, before Open ends it.
type Reopened struct {
	account
	hash   *hasher
	filter *Multilayer // made when it is needed: a single question to the log does without
	risk   *risk       // with Config.FilterOnly
}

// Reopen returns what AppendAccount saved. An error wraps binform.ErrFormat.
func Reopen(account []byte) (*Reopened, error) {
	d, err := open(account, kindAccount)
	if err != nil {
		return nil, err
	}
	r := &Reopened{account: decodeAccount(d)}
	if d.OK() && r.cfg.FilterOnly {
		r.risk = decodeRisk(d, r.cfg.Seed)
		d.Check(r.risk.exposed <= r.admitted, "%d URLs below known prefixes of %d", r.risk.exposed, r.admitted)
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	r.hash = newHasher(r.cfg.Seed)
	return r, nil
}

// Pending returns the question about u, for one that was open when the account was taken,
// or to look u up in the log.
func (r *Reopened) Pending(u weburl.URL) Pending { return Pending{r.hash.fingerprint(u), u} }

// Add adds fingerprints that were logged: of URLs if layer is negative, else of the
// prefixes in that layer, counted from 0. Order and repetition do not matter, but sorted
// ones take a third of the time.
func (r *Reopened) Add(layer int, fps []uint64) {
	r.made().addHashes(layer, fps)
}

// made returns the filter. It has the seed it had, so this is no restart; that of a
// Logged may be larger.
func (r *Reopened) made() *Multilayer {
	if r.filter == nil {
		var room []int64 // nil: as at the crawl's beginning
		if !r.cfg.FilterOnly {
			r.expect, room = r.grown(), r.prefixRoom()
		}
		r.filter = emptyFilter(r.hash, r.cfg.Layers)
		r.filter.reset(r.cfg, r.expect, room, uint64(r.epoch))
	}
	return r.filter
}

// Open ends r, which must not be used any more, and returns the Logged, or with
// Config.FilterOnly the FilterOnly, that continues the crawl. open is as in Rebuild.Adopt;
// a FilterOnly never has open questions.
func (r *Reopened) Open(open iter.Seq[Pending]) Durable {
	filter := r.made()
	c := core{account: r.account, hash: r.hash, filter: filter}
	if r.cfg.FilterOnly {
		return &FilterOnly{core: c, risk: r.risk, lists: keepLists(r.cfg.Layers)}
	}
	l := newLogged(c)
	l.recent, l.spilled, l.open = newRecent(r.cfg.Layers), true, openQuestions(open)
	return l
}
