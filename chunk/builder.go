package chunk

import (
	"math"

	"github.com/cespare/xxhash/v2"

	"crawler/dedup"
)

// Sizes says how large chunks and their filters are.
type Sizes struct {
	Records int     // a chunk ends when it has this many
	Keys    int     // or this many different keys
	Rate    float64 // the share of absent keys that a filter may answer with "maybe"
}

// The sizes in use. `crawler lab chunks` has the figures that they were chosen by.
var (
	URLs  = Sizes{Records: 256, Keys: 256, Rate: 0.001}
	Words = Sizes{Records: 64, Keys: 1700, Rate: 0.003}
)

// OfURL is the key of a canonical URL; that of a word is parse.HashWord.
func OfURL(url string) uint64 { return xxhash.Sum64String(url) }

const (
	// A chunk with more than most times Sizes.Keys keys no longer remembers them. It makes a
	// filter for expected times Sizes.Keys at once, which is folded when the chunk ends.
	most     = 16
	expected = 512

	maxFilter = 4 << 20 // bits of a filter, so that its entry can be written
)

// Builder makes the filters of one file of records while it is appended to. Make it with
// NewBuilder.
//
// It remembers the keys of the chunk, so the filter is as large as they need; of a record with
// very many keys it makes a large filter at once, which is folded. A key takes 5 to 15 ns, a new
// one 30 more. Memory: 50 to 100 bytes for each of Sizes.Keys, and up to 1,000 while a record has
// very many.
type Builder struct {
	sizes Sizes
	lines float64      // of a filter, for a key
	entry Entry        // in the making; Keys and Filter are set when it is closed
	keys  []uint64     // the different ones, if large is nil
	table []uint64     // of them, where they are looked up; 0 is empty
	zero  bool         // 0 is among keys
	large *dedup.Bloom // instead of keys
}

// NewBuilder returns a Builder for the named file, which is covered up to byte from.
func NewBuilder(sizes Sizes, file string, from int64) *Builder {
	const many = 1 << 16 // so that rounding to whole lines does not count
	full := dedup.SizeFor(many, max(sizes.Rate, leastRate))
	b := &Builder{sizes: sizes, lines: float64(full.Bits) / lineBits / many}
	b.Begin(file, from)
	return b
}

const lineBits = 512 // of a dedup.Bloom

// Begin starts a chunk at byte from of the named file. The chunk so far is forgotten.
func (b *Builder) Begin(file string, from int64) {
	slots := 16
	for slots < 2*b.sizes.Keys {
		slots *= 2
	}
	if len(b.table) == slots {
		clear(b.table)
	} else {
		b.table, b.keys = make([]uint64, slots), nil
	}
	b.entry, b.keys, b.large, b.zero = Entry{File: file, From: from, To: from}, b.keys[:0], nil, false
}

// File returns the name of the file of records.
func (b *Builder) File() string { return b.entry.File }

// End returns up to where the file of records was added.
func (b *Builder) End() int64 { return b.entry.To }

// Add adds a record that ends at byte to, with its keys, and reports whether the chunk is full:
// then Close it. A key may come more than once.
func (b *Builder) Add(to int64, keys ...uint64) (full bool) { return b.Extend(to, true, keys...) }

// Extend is Add of what may belong to the record before: counts says whether it is another one.
func (b *Builder) Extend(to int64, counts bool, keys ...uint64) (full bool) {
	for _, k := range keys {
		if b.large != nil {
			if b.large.Add(k) {
				b.entry.Keys++
			}
		} else if b.isNew(k) {
			b.remember(k)
		}
	}
	b.entry.To = to
	if counts || b.entry.Records == 0 {
		b.entry.Records++
	}
	return b.entry.Records >= b.sizes.Records || b.large != nil || len(b.keys) >= b.sizes.Keys
}

// longest is how many slots are looked at for a key. Whoever chooses words can have their hashes
// crowd: such a key may count twice, which costs room in the filter and no time.
const longest = 64

// isNew puts a key into the table and reports whether it was missing.
func (b *Builder) isNew(k uint64) bool {
	if k == 0 {
		was := b.zero
		b.zero = true
		return !was
	}
	mask := uint64(len(b.table) - 1)
	for i := range uint64(longest) {
		switch slot := &b.table[(k+i)&mask]; *slot {
		case k:
			return false
		case 0:
			*slot = k
			return true
		}
	}
	return true
}

// remember appends a new key, and makes room for more.
func (b *Builder) remember(k uint64) {
	b.keys = append(b.keys, k)
	switch {
	case len(b.keys) > most*b.sizes.Keys:
		b.enlarge()
	case 4*len(b.keys) > 3*len(b.table):
		b.table, b.zero = make([]uint64, 2*len(b.table)), false
		for _, k := range b.keys {
			b.isNew(k)
		}
	}
}

// enlarge goes over to a large filter.
func (b *Builder) enlarge() {
	size := dedup.Size{Bits: int64(b.lines*float64(b.sizes.Keys)+1) * lineBits * expected, Lines: 1}
	b.large, b.entry.Keys = dedup.NewBloom(size, seed), len(b.keys)
	for _, k := range b.keys {
		b.large.Add(k)
	}
	b.keys, b.table = nil, nil
}

// Close ends the chunk, if it has a record, appends the line of its entry to dst, and starts the
// next chunk behind it.
func (b *Builder) Close(dst []byte) ([]byte, error) {
	if b.entry.Records == 0 {
		return dst, nil
	}
	b.entry.Filter = b.filter()
	dst, err := b.entry.AppendLine(dst)
	b.Begin(b.entry.File, b.entry.To)
	return dst, err
}

// filter makes the filter of the chunk.
func (b *Builder) filter() *dedup.Bloom {
	if b.large != nil {
		b.large.Shrink(b.sizes.Rate)
		for b.large.Bits() > maxFilter && b.large.Fold() == nil {
		}
		return b.large
	}
	b.entry.Keys = len(b.keys)
	// The rate depends on how many keys there are to a line.
	size := dedup.Size{Bits: int64(math.Ceil(b.lines*float64(len(b.keys)))) * lineBits, Lines: 1}
	f := dedup.NewBloom(size, seed)
	for _, k := range b.keys {
		f.Add(k)
	}
	return f
}

// leastRate keeps a key in one line, as filters that are folded have it.
const leastRate = 0.0004
