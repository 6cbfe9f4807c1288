package graph

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// A dict gives keys numbers in the order of their first coming. It is a hash table with
// open addressing over one array of bytes, of a fixed size; when it is full, the keys go to
// disk and numbering continues, so that a key may have several numbers.
type dict struct {
	seed  maphash.Seed
	slots []uint64 // upper half: of the hash; lower half: entry + 1, or 0
	bytes []byte   // the keys
	ends  []uint32 // of the entries' keys
}

// newDict makes a dict of about memory bytes, at most 2 GiB of keys.
func newDict(memory int64) *dict {
	slots := 1 << 10
	for int64(slots)*2*8 <= memory/8 {
		slots *= 2
	}
	return &dict{
		seed:  maphash.MakeSeed(),
		slots: make([]uint64, slots),
		bytes: make([]byte, 0, min(memory*3/4, 1<<31-1)),
		ends:  make([]uint32, 0, slots*3/4),
	}
}

// full reports whether there may be no room for another key of that length.
func (d *dict) full(length int) bool {
	return len(d.ends) == cap(d.ends) || len(d.bytes)+length > cap(d.bytes)
}

// key returns the key of an entry.
func (d *dict) key(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.bytes[start:d.ends[i]]
}

// add returns the entry of a key, which must fit if it is new.
func (d *dict) add(key []byte) uint32 {
	hash := maphash.Bytes(d.seed, key)
	mask := uint64(len(d.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := d.slots[at]
		if slot == 0 {
			entry := uint32(len(d.ends))
			d.bytes = append(d.bytes, key...)
			d.ends = append(d.ends, uint32(len(d.bytes)))
			d.slots[at] = hash>>32<<32 | uint64(entry+1)
			return entry
		}
		if slot>>32 == hash>>32 && bytes.Equal(d.key(uint32(slot)-1), key) {
			return uint32(slot) - 1
		}
	}
}

// sorted returns the entries in the order of their keys. It reuses the table's memory,
// so that nothing but reset may follow.
func (d *dict) sorted() []uint64 {
	order := d.slots[:len(d.ends)]
	for i := range order {
		order[i] = uint64(i)
	}
	slices.SortFunc(order, func(a, b uint64) int { return bytes.Compare(d.key(uint32(a)), d.key(uint32(b))) })
	return order
}

// reset empties the dict.
func (d *dict) reset() {
	clear(d.slots)
	d.bytes, d.ends = d.bytes[:0], d.ends[:0]
}
