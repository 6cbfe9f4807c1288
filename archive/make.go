package archive

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"hash"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/warc"
)

// records are those of one exchange, compressed.
type records struct {
	data  []byte
	parts []part
	err   error

	date       time.Time
	status     int
	mediaType  string
	digest     warc.Digest // of the payload; zero if that is cut off
	payload    payloadKey
	identified bool        // the payload is whole, and not empty: it may have been there before
	header     warc.Header // of the response record
	head       []byte      // of the answer itself, for a revisit
	words      []uint64    // the different ones of a page, for its filter
}

// part is one record in data.
type part struct {
	kind string
	end  int
}

// maxKept bounds what is kept of a large exchange's memory for another one.
const maxKept = 256 << 10

// maker makes records. It belongs to one goroutine at a time.
type maker struct {
	a          *Archive
	compressor *warc.Compressor
	sha        hash.Hash
	secret     *xxhash.Digest
	block      []byte
	fields     warc.Header
	seen       []uint64 // scratch of different
}

func (a *Archive) newMaker() (*maker, error) {
	c, err := warc.NewCompressor(a.cfg.Compression, a.cfg.Dictionary)
	return &maker{a: a, compressor: c, sha: sha1.New(), secret: xxhash.New()}, err
}

func (a *Archive) put(r *records) {
	if cap(r.data) <= maxKept && 8*cap(r.words) <= maxKept {
		a.records.Put(r)
	}
}

// PrepareExchange makes the records of an exchange; see crawl.ExchangePreparer. It takes some
// 150 µs for a page of 13 KiB.
func (a *Archive) PrepareExchange(v *crawl.Visit, x *crawl.Exchange) (bytes int64) {
	if x.Response == nil {
		return 0
	}
	r, ok := a.records.Get().(*records)
	if !ok {
		r = new(records)
	}
	*r = records{data: r.data[:0], parts: r.parts[:0], header: r.header[:0], head: r.head[:0], words: r.words[:0]}
	x.Prepared = r
	m, ok := a.makers.Get().(*maker)
	if !ok {
		if m, r.err = a.newMaker(); r.err != nil {
			return 0
		}
	}
	r.err = m.make(r, v, x)
	if m.a.cfg.Written != nil && hasWords(r.status) && x.URL == v.URL && !isRobots(x.URL.String()) {
		r.words = m.different(r.words, v.Page.Words)
	}
	if cap(m.block) > maxKept {
		m.block = nil
	}
	if 8*cap(m.seen) > maxKept {
		m.seen = nil
	}
	a.makers.Put(m)
	return int64(cap(r.data) + cap(r.head) + 8*cap(r.words))
}

// maxTries bounds how many slots are looked at for a word.
const maxTries = 64

// different appends the words of a page to dst, each once, so that the recorder has fewer of them
// to put into the filter.
func (m *maker) different(dst, words []uint64) []uint64 {
	slots := 1 << bits.Len(uint(2*len(words)))
	if slots > cap(m.seen) {
		m.seen = make([]uint64, slots)
	}
	seen, mask := m.seen[:slots], uint64(slots-1)
	clear(seen)
	for _, w := range words {
		// Whoever chooses words can have their hashes crowd: such a word comes more than once.
		at, tries := w&mask, 0
		for seen[at] != 0 && seen[at] != w && tries < maxTries {
			at, tries = (at+1)&mask, tries+1
		}
		if seen[at] != w || w == 0 {
			dst = append(dst, w)
		}
		seen[at] = w
	}
	return dst
}

// make makes all records of an exchange.
func (m *maker) make(r *records, v *crawl.Visit, x *crawl.Exchange) error {
	res := x.Response
	r.date, r.status, r.mediaType = res.Started.Truncate(time.Microsecond), res.Status, res.MediaType
	response, request := newID(), newID()
	message, exact := m.answer(res)
	n, _ := warc.Head(message)
	r.head = append(r.head, message[:n]...)
	m.identify(r, message)
	r.header = append(r.header,
		warc.Field{Name: warc.FieldType, Value: warc.Response},
		warc.Field{Name: warc.FieldRecordID, Value: response},
	)
	r.header = m.describe(r.header, x, r.date, exact)
	r.header = append(r.header,
		warc.Field{Name: warc.FieldContentType, Value: warc.TypeResponse},
		warc.Field{Name: warc.FieldTruncated, Value: truncated(r, x)},
	)
	if r.digest != (warc.Digest{}) {
		r.header = append(r.header, warc.Field{Name: warc.FieldPayloadDigest, Value: r.digest.String()})
	}
	if err := m.add(r, warc.Response, r.header, message, isCompressed(res)); err != nil {
		return err
	}
	left, err := m.request(r, x, request, response)
	if err != nil {
		return err
	}
	return m.metadata(r, v, x, response, exact, left)
}

// leastCompressed is how long a block must be to be compressed: to make a code for each of the two
// short records of a page takes a quarter of the time for all three, and saves 300 bytes.
const leastCompressed = 512

// add appends a record, whose digest it computes.
func (m *maker) add(r *records, kind string, h warc.Header, block []byte, stored bool) (err error) {
	m.fields = append(append(m.fields[:0], h...), warc.Field{Name: warc.FieldBlockDigest, Value: warc.DigestOf(block).String()})
	r.data, err = m.compressor.Append(r.data, m.fields, block, stored || len(block) < leastCompressed)
	r.parts = append(r.parts, part{kind, len(r.data)})
	return err
}

// newID returns a new WARC-Record-ID.
func newID() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())
	binary.LittleEndian.PutUint64(b[8:], rand.Uint64())
	return warc.RecordID(b)
}

// identify computes by what the answer's payload is known, if that is whole.
func (m *maker) identify(r *records, message []byte) {
	m.sha.Reset()
	m.secret.ResetWithSeed(m.a.state.secret)
	n := 0
	whole, _ := warc.Parts(message, func(part []byte) {
		n += len(part)
		m.sha.Write(part)
		m.secret.Write(part)
	})
	if whole {
		m.sha.Sum(r.digest[:0])
		r.payload, r.identified = keyOf(r.digest, m.secret.Sum64()), n > 0
	}
}

// truncated says why an answer is not whole, and "" if it is. Of one that is not the payload's
// digest is not known.
func truncated(r *records, x *crawl.Exchange) string {
	if x.Err == nil && !x.Response.Truncated || r.digest != (warc.Digest{}) && tellsItsEnd(r, x) {
		return ""
	}
	r.digest, r.identified = warc.Digest{}, false
	return reason(x.Err)
}

// reason is why reading stopped.
func reason(err error) string {
	var fe *fetch.Error
	switch {
	case err == nil:
		return warc.TruncatedLength
	case !errors.As(err, &fe):
		return warc.TruncatedUnspecified
	}
	switch fe.Reason {
	case fetch.ReasonTimeout, fetch.ReasonSlow:
		return warc.TruncatedTime
	case fetch.ReasonBody, fetch.ReasonReset:
		return warc.TruncatedDisconnect
	case fetch.ReasonBomb:
		return warc.TruncatedLength
	}
	return warc.TruncatedUnspecified
}

// revisit makes the response record in r one that refers to the first of the same payload.
func (m *maker) revisit(r *records, first origin) error {
	rest := r.parts[0].end
	h := warc.Header{{Name: warc.FieldType, Value: warc.Revisit}}
	h = append(h, r.header[1:]...)
	h = append(h,
		warc.Field{Name: warc.FieldProfile, Value: warc.ProfileIdentical},
		warc.Field{Name: warc.FieldRefersToURI, Value: first.url},
		warc.Field{Name: warc.FieldRefersToDate, Value: warc.Date(time.UnixMicro(first.date))},
	)
	var short records
	if err := m.add(&short, warc.Revisit, h, r.head, false); err != nil {
		return err
	}
	moved := len(short.data) - rest
	data := append(short.data, r.data[rest:]...)
	r.data = append(r.data[:0], data...)
	r.parts[0].kind = warc.Revisit
	for i := range r.parts {
		r.parts[i].end += moved
	}
	return nil
}

// warcinfo makes the record that a file begins with.
func (m *maker) warcinfo(name string, now time.Time) ([]byte, error) {
	var r records
	err := m.add(&r, warc.Warcinfo, warc.Header{
		{Name: warc.FieldType, Value: warc.Warcinfo},
		{Name: warc.FieldRecordID, Value: newID()},
		{Name: warc.FieldDate, Value: warc.Date(now)},
		{Name: warc.FieldFilename, Value: name},
		{Name: warc.FieldContentType, Value: warc.TypeFields},
	}, warc.AppendFields(nil, m.a.cfg.Info), false)
	return r.data, err
}
