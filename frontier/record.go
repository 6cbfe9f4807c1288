package frontier

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"crawler/internal/binform"
)

// Queued URLs are records of bytes in blocks, which docs/format/frontier.md describes. The
// links of a page are pushed together, so the page's URL is written once per run.
const (
	flagHTTPS = 1 << iota
	flagVia
	flagFrom
	flagAttempt
	flagSitemap
	flagSince
	flagRank  // only of items: that of a record is its level's
	flagNewAt // the byte stands last

	flagsKnown = flagHTTPS | flagVia | flagFrom | flagAttempt | flagSitemap | flagSince | flagNewAt
)

// ErrDamaged is in the chain of every error about saved bytes that cannot be
// what this package wrote.
var ErrDamaged = errors.New("the saved frontier is damaged: restore the crawl's directory from a copy, or start a new crawl")

// appendRecord appends the record of an item, with its via or without.
func appendRecord(rec []byte, it Item, via bool) []byte {
	start := len(rec)
	rec = append(rec, it.flags())
	if it.URL.Scheme() == "https" {
		rec[start] |= flagHTTPS
	}
	rec = binform.AppendText(rec, it.URL.RequestURI())
	if via {
		rec[start] |= flagVia
		rec = binform.AppendText(rec, it.Via)
	}
	return it.appendRest(rec)
}

// flags returns the flags that records and items share.
func (it *Item) flags() (f byte) {
	if it.From != "" {
		f |= flagFrom
	}
	if it.Attempt > 0 {
		f |= flagAttempt
	}
	if it.Sitemap {
		f |= flagSitemap
	}
	if !it.Since.IsZero() {
		f |= flagSince
	}
	if it.NewAt != 0 {
		f |= flagNewAt
	}
	return f
}

// appendRest appends the fields that are there only with the flags from and attempt.
func (it *Item) appendRest(b []byte) []byte {
	if it.From != "" {
		b = binform.AppendText(b, it.From)
		b = binary.AppendUvarint(b, uint64(it.Hops))
		if it.Hops > 1 {
			b = binform.AppendText(b, it.First)
		}
	}
	if it.Attempt > 0 {
		b = binary.AppendUvarint(b, uint64(it.Attempt))
	}
	if !it.Since.IsZero() {
		b = appendTime(b, it.Since)
	}
	if it.NewAt != 0 {
		b = append(b, it.NewAt)
	}
	return b
}

// record is a record as read; its slices are the reader's memory.
type record struct {
	target, via, from, first []byte
	attempt                  int
	since                    time.Time
	hops                     uint16
	flags, newAt             byte
}

func (r *record) has(flag byte) bool { return r.flags&flag != 0 }

// item makes the item of a record, whose host and depth are given. It reports whether the
// parts are a canonical URL of that host.
func (r *record) item(host string, depth int, via string) (Item, bool) {
	scheme := "http://"
	if r.has(flagHTTPS) {
		scheme = "https://"
	}
	u, ok := canonical(scheme + host + string(r.target))
	if !ok || u.Host() != host {
		return Item{}, false
	}
	it := Item{URL: u, Via: via, Sitemap: r.has(flagSitemap), Hops: r.hops, Attempt: r.attempt, Since: r.since, NewAt: r.newAt}
	it.setLevel(depth)
	if r.has(flagFrom) {
		it.From, it.First = string(r.from), string(r.first)
	}
	return it, true
}

// reader decodes. The first field that cannot be read makes it bad and empty, so its user
// checks bad once, at the end.
type reader struct {
	buf []byte
	bad bool
}

func (r *reader) fail() { r.bad, r.buf = true, nil }

func (r *reader) byte() byte {
	if len(r.buf) == 0 {
		r.fail()
		return 0
	}
	b := r.buf[0]
	r.buf = r.buf[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.buf)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

// small reads a number that fits an int on every machine.
func (r *reader) small() int {
	v := r.uvarint()
	if v > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(v)
}

// bytes reads a string without copying it.
func (r *reader) bytes() []byte {
	b, rest, ok := binform.CutText(r.buf)
	if !ok {
		r.fail()
		return nil
	}
	r.buf = rest
	return b
}

// int64 reads eight bytes.
func (r *reader) int64() int64 {
	if len(r.buf) < 8 {
		r.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(r.buf)
	r.buf = r.buf[8:]
	return int64(v)
}

// record reads one record.
func (r *reader) record() (rec record) {
	rec.flags = r.byte()
	rec.target = r.bytes()
	if rec.has(flagVia) {
		rec.via = r.bytes()
	}
	r.rest(&rec)
	if rec.flags&^flagsKnown != 0 {
		r.fail()
	}
	return rec
}

// rest reads what appendRest wrote.
func (r *reader) rest(rec *record) {
	if rec.has(flagFrom) {
		rec.from = r.bytes()
		hops := r.small()
		if hops > math.MaxUint16 {
			r.fail()
			return
		}
		if rec.hops = uint16(hops); hops > 1 {
			rec.first = r.bytes()
		}
	}
	if rec.has(flagAttempt) {
		rec.attempt = r.small()
	}
	if rec.has(flagSince) {
		if rec.since = r.time(); rec.since.IsZero() {
			r.fail()
		}
	}
	if rec.has(flagNewAt) {
		if rec.newAt = r.byte(); rec.newAt == 0 {
			r.fail()
		}
	}
}
