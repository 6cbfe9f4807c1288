package archive

import (
	"encoding/binary"
	"fmt"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/store"
	"crawler/warc"
)

// payloadKey is what a payload is known by in the index: its digest, and a hash that depends on a
// secret, so that nobody can make two payloads that count as one, which SHA-1 alone permits.
type payloadKey [len(warc.Digest{}) + 8]byte

func keyOf(d warc.Digest, secret uint64) (k payloadKey) {
	binary.LittleEndian.PutUint64(k[copy(k[:], d[:]):], secret)
	return k
}

// hash is uniform, and depends on the secret.
func (k *payloadKey) hash() uint64 { return binary.LittleEndian.Uint64(k[len(warc.Digest{}):]) }

// origin is the record that a revisit refers to.
type origin struct {
	date int64 // in microseconds of Unix time
	url  string
}

// index finds the payloads that were written before. They are in the crawl's state; in memory are
// those of the present commit and the one before, and filters that answer for most payloads that
// are new, which grow to 16 MiB in all at 11 million payloads. It belongs to the recorder.
type index struct {
	db                 *store.DB // nil: there is none, and only maxRecent payloads are known
	recent, committing map[payloadKey]origin
	filters            []*dedup.Bloom
	left               int64 // that the last filter has room for
	key, value         []byte
}

const (
	firstFilter = 64 << 10 // bytes; each has twice the bytes of the one before
	lastFilter  = 8 << 20  // it takes what comes, and more of them must be looked up
	keyBits     = 12       // a payload in a filter: one of 200 new ones is looked up
	maxRecent   = 1 << 15  // without a database: some 6 MiB
)

// openIndex reads the payloads that the state has into filters.
func openIndex(db *store.DB) (*index, error) {
	x := &index{db: db, recent: map[payloadKey]origin{}}
	if db == nil {
		return x, nil
	}
	err := db.Scan([]byte(keyDigest), func(key, _ []byte) error {
		var k payloadKey
		if len(key) != len(keyDigest)+len(k) {
			return fmt.Errorf("%w: a digest of %d bytes", errState, len(key))
		}
		copy(k[:], key[len(keyDigest):])
		x.filter(k.hash())
		return nil
	})
	return x, err
}

// filter adds a payload to the filters.
func (x *index) filter(hash uint64) {
	if x.left == 0 {
		bytes := int64(firstFilter) << len(x.filters)
		if bytes <= lastFilter {
			x.filters = append(x.filters, dedup.NewBloom(dedup.Size{Bits: 8 * bytes, Lines: 1}, uint64(len(x.filters))))
		}
		x.left = 8 * bytes / keyBits
	}
	x.filters[len(x.filters)-1].Add(hash)
	x.left--
}

// find returns the first record of a payload.
func (x *index) find(k payloadKey) (first origin, found bool, err error) {
	if first, found = x.recent[k]; found {
		return first, true, nil
	}
	if first, found = x.committing[k]; found || x.db == nil || !x.maybe(k.hash()) {
		return first, found, nil
	}
	x.key = append(append(x.key[:0], keyDigest...), k[:]...)
	value, err := x.db.Get(x.key)
	if value == nil || err != nil {
		return first, false, err
	}
	date, n := binary.Varint(value)
	if n <= 0 {
		return first, false, fmt.Errorf("%w: a payload without a date", errState)
	}
	return origin{date, string(value[n:])}, true, nil
}

// maybe reports whether a payload may be in the state.
func (x *index) maybe(hash uint64) bool {
	for _, f := range x.filters {
		if f.Has(hash) {
			return true
		}
	}
	return false
}

// add notes a payload that is new.
func (x *index) add(k payloadKey, first origin) {
	if x.db == nil && len(x.recent) == maxRecent {
		clear(x.recent)
	}
	x.recent[k] = first
	if x.db != nil {
		x.filter(k.hash())
	}
}

// cut puts the payloads that are new into b. Those of the cut before are in the state by now.
func (x *index) cut(b crawl.Batch) {
	for k, first := range x.recent {
		x.key = append(append(x.key[:0], keyDigest...), k[:]...)
		x.value = append(binary.AppendVarint(x.value[:0], first.date), first.url...)
		b.Put(x.key, x.value)
	}
	x.recent, x.committing = x.committing, x.recent
	if clear(x.recent); x.recent == nil {
		x.recent = map[payloadKey]origin{}
	}
}
