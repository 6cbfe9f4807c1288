package frontier

import (
	"encoding/binary"

	"crawler/weburl"
)

// level is the queue of one host at one depth: records in blocks of bytes, first
// in first out. A record is
//
//	flags       1 byte
//	target      uvarint length, path and query
//	via         uvarint length, bytes   if flagVia; else as in the record before
//	from, hops  uvarint length, bytes, uvarint   if flagFrom
//	attempt     uvarint                 if flagAttempt
//
// Links of one page are pushed together, so the page's URL stands once per run.
type level struct {
	depth   int
	count   int
	blocks  [][]byte // the first is read at off, the last is appended to
	off     int
	written string // via of the last record written
	read    string // via of the last record read
}

const (
	flagHTTPS = 1 << iota
	flagVia
	flagFrom
	flagAttempt
	flagSitemap
)

// Blocks grow from the first size to the last by doubling, so that ten thousand
// hosts with one URL each stay small.
const (
	firstBlock = 64
	lastBlock  = 32 << 10
	maxRecord  = 4 << 10 // a longer record's buffer is not kept
)

func (l *level) push(it Item, buf []byte) []byte {
	rec := append(buf[:0], 0)
	if it.URL.Scheme() == "https" {
		rec[0] |= flagHTTPS
	}
	rec = appendString(rec, it.URL.RequestURI())
	if it.Via != l.written || l.count == 0 {
		rec[0] |= flagVia
		rec = appendString(rec, it.Via)
		l.written = it.Via
	}
	if it.From != "" {
		rec[0] |= flagFrom
		rec = appendString(rec, it.From)
		rec = binary.AppendUvarint(rec, uint64(it.Hops))
	}
	if it.Attempt > 0 {
		rec[0] |= flagAttempt
		rec = binary.AppendUvarint(rec, uint64(it.Attempt))
	}
	if it.Sitemap {
		rec[0] |= flagSitemap
	}
	l.store(rec)
	l.count++
	return rec
}

// store appends the record to the last block, or to a new one if it does not fit:
// records never span blocks.
func (l *level) store(rec []byte) {
	n := len(l.blocks)
	if n == 0 || len(l.blocks[n-1])+len(rec) > cap(l.blocks[n-1]) {
		size := firstBlock
		if n > 0 {
			size = min(2*cap(l.blocks[n-1]), lastBlock)
		}
		l.blocks = append(l.blocks, make([]byte, 0, max(size, len(rec))))
		n++
	}
	l.blocks[n-1] = append(l.blocks[n-1], rec...)
}

// pop takes the oldest record of a level that has one.
func (l *level) pop(host string) Item {
	r := reader{buf: l.blocks[0][l.off:]}
	flags := r.buf[0]
	r.buf = r.buf[1:]
	it := Item{Depth: l.depth, Sitemap: flags&flagSitemap != 0}
	target := r.bytes()
	it.URL = rebuild(host, flags&flagHTTPS != 0, target)
	if flags&flagVia != 0 {
		l.read = string(r.bytes())
	}
	it.Via = l.read
	if flags&flagFrom != 0 {
		it.From = string(r.bytes())
		it.Hops = int(r.uvarint())
	}
	if flags&flagAttempt != 0 {
		it.Attempt = int(r.uvarint())
	}
	l.off = len(l.blocks[0]) - len(r.buf)
	l.count--
	l.trim()
	return it
}

// trim lets go of the first block once it has been read to its end.
func (l *level) trim() {
	if l.off < len(l.blocks[0]) {
		return
	}
	l.off = 0
	if len(l.blocks) == 1 {
		l.blocks[0] = l.blocks[0][:0]
		return
	}
	l.blocks[0] = nil
	l.blocks = l.blocks[1:]
}

// rebuild makes the URL from its parts. They came from a canonical URL, so a
// failure is a bug here and not bad input.
func rebuild(host string, https bool, target []byte) weburl.URL {
	scheme := "http://"
	if https {
		scheme = "https://"
	}
	u, err := weburl.Parse(scheme + host + string(target))
	if err != nil {
		panic("frontier: a queued URL no longer parses: " + err.Error())
	}
	return u
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// reader decodes records this package wrote in memory, so it trusts them.
type reader struct{ buf []byte }

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.buf)
	r.buf = r.buf[n:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	b := r.buf[:n]
	r.buf = r.buf[n:]
	return b
}
