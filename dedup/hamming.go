package dedup

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrFull is in the chain of the error of an index that takes no more
// documents.
var ErrFull = errors.New("dedup: the index is full")

const (
	// MaxHamming is the largest distance that a HammingIndex finds.
	MaxHamming = hammingBlocks - 1

	hammingBlocks = 4
	blockBits     = 64 / hammingBlocks
	maxHashes     = 1<<31 - 1
	// minRecent and recentShare are how many recent hashes may be outside the
	// sorted tables: one in eight.
	minRecent   = 64
	recentShare = 8
)

// HammingIndex finds the fingerprints that differ from a given one in at most
// three bits, all of them and no others (Manku, Jain and Das Sarma 2007,
// "Detecting Near-Duplicates for Web Crawling", section 3). Three bits lie in at
// most three of the four 16-bit blocks of a hash, so one block at least is the
// same: there is a table for each block, and Find looks at what shares one. The
// zero HammingIndex is empty and ready.
//
// A table is sorted by its block and holds 32 of the other 48 bits beside the
// number of the document, so a bucket is read in sequence, and the document
// itself only if it almost certainly matches. The documents added last, at most one in
// eight, are in chains until they are sorted in with the rest.
//
// A document takes 32 bytes in the tables, 12 for its hash and id, and up to 18
// for buckets and chains: 48 in all with a million. Add costs 0.5 µs on average;
// one in n/8 sorts everything again. Find reads 4/65536 of the fingerprints if
// there are 131,072 or more, eight of each table below: less than a microsecond
// with a million. Only growth allocates.
//
// Since nothing may be missed, nothing is left out of a crowded bucket: a
// million equal fingerprints make each Find cost a million steps. So add what
// Find found at distance 0 only if all of it is wanted. At most 2^31 - 1
// documents fit in.
//
// Find may be called concurrently with itself, not with Add.
type HammingIndex struct {
	hashes []uint64
	ids    []uint32
	shift  int // a bucket is the first 16 - shift bits of a block
	tables [hammingBlocks]blockTable
	sorted int         // how many documents are in the tables
	recent [][4]uint32 // the others: for each table, the one before in its bucket, + 1
}

// blockTable is what one block gives.
type blockTable struct {
	buckets []bucket     // and one more, which starts where the last one ends
	entries []blockEntry // sorted by bucket
}

type bucket struct {
	start uint32 // in entries
	head  uint32 // the last recent document, + 1
}

type blockEntry struct {
	rest uint32 // the 32 bits behind the block, circularly
	doc  uint32
}

// Len returns how many documents were added.
func (x *HammingIndex) Len() int { return len(x.hashes) }

// Bytes returns how much memory the index takes.
func (x *HammingIndex) Bytes() int64 {
	n := cap(x.hashes)*8 + cap(x.ids)*4 + cap(x.recent)*16
	for i := range x.tables {
		t := &x.tables[i]
		n += cap(t.buckets)*8 + cap(t.entries)*8
	}
	return int64(n)
}

// Add adds a document with its fingerprint. An id may be added with several
// fingerprints. The error wraps ErrFull.
func (x *HammingIndex) Add(id uint32, hash uint64) error {
	if len(x.hashes) >= maxHashes {
		return fmt.Errorf("%w: %d fingerprints", ErrFull, len(x.hashes))
	}
	x.hashes = append(x.hashes, hash)
	x.ids = append(x.ids, id)
	if x.sorted == 0 || len(x.hashes)-x.sorted > max(minRecent, x.sorted/recentShare) {
		x.sort()
	} else {
		x.link(hash)
	}
	return nil
}

// link puts the newest document, which has this hash, before the chains of its
// buckets.
func (x *HammingIndex) link(hash uint64) {
	var before [hammingBlocks]uint32
	for i := range x.tables {
		head := &x.tables[i].buckets[x.bucket(hash, i)].head
		before[i], *head = *head, uint32(len(x.hashes))
	}
	x.recent = append(x.recent, before)
}

// bucket returns the bucket of a hash in table i.
func (x *HammingIndex) bucket(hash uint64, i int) uint64 {
	return bits.RotateLeft64(hash, blockBits*i) >> (64 - blockBits + x.shift)
}

// sort puts all documents into the tables; if they do not fit their number of
// buckets any more, into more.
func (x *HammingIndex) sort() {
	x.sorted = len(x.hashes)
	x.shift = blockBits - min(max(bits.Len(uint(len(x.hashes)))-2, 0), blockBits)
	x.recent = x.recent[:0]
	for i := range x.tables {
		x.tables[i].sort(x, i)
	}
}

// sort fills the table of block i by counting.
func (t *blockTable) sort(x *HammingIndex, i int) {
	n := 1 << (blockBits - x.shift)
	t.buckets = make([]bucket, n+1)
	t.entries = make([]blockEntry, len(x.hashes))
	for _, h := range x.hashes {
		t.buckets[x.bucket(h, i)+1].start++
	}
	for b := range n {
		t.buckets[b+1].start += t.buckets[b].start
	}
	for doc, h := range x.hashes { // heads count what is filled in
		b := &t.buckets[x.bucket(h, i)]
		t.entries[b.start+b.head] = blockEntry{restOf(h, i), uint32(doc)}
		b.head++
	}
	for b := range t.buckets {
		t.buckets[b].head = 0
	}
}

// restOf returns the 32 bits that follow block i.
func restOf(hash uint64, i int) uint32 {
	return uint32(bits.RotateLeft64(hash, blockBits*i) >> (64 - blockBits - 32))
}

// Find appends the ids of the documents whose fingerprints are at most distance
// away, in no particular order, each as often as it was added. Distance is
// clamped to 0..MaxHamming. A smaller one needs fewer tables: with one bit
// wrong, one block of any two is right.
func (x *HammingIndex) Find(dst []uint32, hash uint64, distance int) []uint32 {
	if len(x.hashes) == 0 {
		return dst
	}
	distance = min(max(distance, 0), MaxHamming)
	var at [hammingBlocks][]bucket
	for i := range distance + 1 { // all first, so that their cache misses overlap
		b := x.bucket(hash, i)
		at[i] = x.tables[i].buckets[b : b+2]
	}
	for i := range distance + 1 {
		rest := restOf(hash, i)
		for _, e := range x.tables[i].entries[at[i][0].start:at[i][1].start] {
			if bits.OnesCount32(e.rest^rest) <= distance && x.finds(e.doc, hash, i, distance) {
				dst = append(dst, x.ids[e.doc])
			}
		}
		for next := at[i][0].head; next != 0; next = x.recent[int(next)-1-x.sorted][i] {
			if x.finds(next-1, hash, i, distance) {
				dst = append(dst, x.ids[next-1])
			}
		}
	}
	return dst
}

// finds reports whether a document is near enough, and table i is the first in
// which it shares a bucket with hash: later tables must not report it again.
func (x *HammingIndex) finds(doc uint32, hash uint64, i, distance int) bool {
	h := x.hashes[doc]
	if HammingDistance(h, hash) > distance {
		return false
	}
	for j := range i {
		if x.bucket(h, j) == x.bucket(hash, j) {
			return false
		}
	}
	return true
}

// Merge adds all that o holds. It is refused, with an error that wraps ErrFull,
// if both together are too many.
func (x *HammingIndex) Merge(o *HammingIndex) error {
	if len(x.hashes)+len(o.hashes) > maxHashes {
		return fmt.Errorf("%w: %d fingerprints and %d more", ErrFull, len(x.hashes), len(o.hashes))
	}
	x.hashes = append(x.hashes, o.hashes...)
	x.ids = append(x.ids, o.ids...)
	x.sort()
	return nil
}
