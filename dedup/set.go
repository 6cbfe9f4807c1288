package dedup

import "math/bits"

// Set is an exact set of 64-bit hashes in memory, at about 10 bytes each: the
// log that a filter is rebuilt from and checked against. The zero Set is empty.
//
// It is 64 open-addressing tables, chosen by a hash's first bits, in which the
// home of a hash is proportional to its value and runs are kept in ascending
// order (Amble and Knuth 1974, "Ordered hash tables"). So a search ends as soon
// when the hash is missing as when it is found, All yields the hashes sorted,
// and a table grows by one pass from front to back. Tables grow one at a time
// and by a quarter, between 70 and 88 percent full, from different first sizes:
// growth needs one 64th of the memory beside, never as much again.
//
// The hashes must be uniformly distributed, otherwise it is correct but slow.
// A Set is not safe for concurrent use.
type Set struct {
	tables [1 << tableBits]table
	n      int
	zero   bool // 0 is in the set; in a table it marks an empty slot
}

const tableBits = 6

// table holds the hashes of one 64th of the range in ascending order, with
// gaps. Its last slot is always empty, so that every search ends.
type table struct {
	slots []uint64 // homes, then room for the last run to grow
	homes uint64
	used  int
}

// room is how many slots a table has at least behind its homes. A run of
// uniform hashes seldom grows beyond; if it does, the table is rebuilt.
const room = 32

// Add adds h and reports whether it was missing.
func (s *Set) Add(h uint64) bool {
	if h == 0 {
		added := !s.zero
		s.zero = true
		return s.count(added)
	}
	i := h >> (64 - tableBits)
	t := &s.tables[i]
	if uint64(t.used)*8 >= t.homes*7 {
		// First sizes of 16 to 32 spread the moments of growth evenly.
		t.rebuild(max(t.homes+t.homes/4, 16+i/4))
	}
	return s.count(t.add(h))
}

// count counts a hash if it was added.
func (s *Set) count(added bool) bool {
	if added {
		s.n++
	}
	return added
}

// Has reports whether h is in the set.
func (s *Set) Has(h uint64) bool {
	if h == 0 {
		return s.zero
	}
	t := &s.tables[h>>(64-tableBits)]
	if t.used == 0 {
		return false
	}
	return t.slots[t.search(h)] == h
}

// Union adds all hashes of o, in ascending order: about 30 ns for each. Sets need
// no more than that to be merged.
func (s *Set) Union(o *Set) {
	for h := range o.All {
		s.Add(h)
	}
}

// Len returns how many hashes are in the set.
func (s *Set) Len() int { return s.n }

// Bytes returns how much memory the set takes.
func (s *Set) Bytes() int64 {
	n := int64(16 + len(s.tables)*40)
	for i := range s.tables {
		n += int64(cap(s.tables[i].slots)) * 8
	}
	return n
}

// All yields the hashes in ascending order.
func (s *Set) All(yield func(uint64) bool) {
	if s.zero && !yield(0) {
		return
	}
	for i := range s.tables {
		for _, h := range s.tables[i].slots {
			if h != 0 && !yield(h) {
				return
			}
		}
	}
}

// home returns the slot where h would be if no other were there.
func (t *table) home(h uint64) uint64 {
	i, _ := bits.Mul64(h<<tableBits, t.homes)
	return i
}

// search returns where h is, or where it would have to be inserted.
func (t *table) search(h uint64) uint64 {
	i := t.home(h)
	for t.slots[i]-1 < h-1 { // neither empty (0-1 is the largest) nor h or above
		i++
	}
	return i
}

// add inserts h in its run, moving what is larger, and reports whether it was
// missing.
func (t *table) add(h uint64) bool {
	i := t.search(h)
	if t.slots[i] == h {
		return false
	}
	gap := i
	for t.slots[gap] != 0 {
		gap++
	}
	if gap == uint64(len(t.slots)-1) { // the last slot must stay empty
		t.rebuild(t.homes)
		return t.add(h)
	}
	copy(t.slots[i+1:gap+1], t.slots[i:gap])
	t.slots[i] = h
	t.used++
	return true
}

// rebuild moves the hashes to a table with the given number of homes.
func (t *table) rebuild(homes uint64) {
	old := t.slots
	t.homes = homes
	end := t.place(old, nil)
	// A tail that outgrew its room gets as much again, so that even hashes that
	// are not uniform move it seldom.
	t.slots = make([]uint64, max(homes, 2*end-min(end, homes))+room)
	t.place(old, t.slots)
}

// place writes the ascending hashes of old to their slots in new, if it is not
// nil, and returns the slot behind the last.
func (t *table) place(old, new []uint64) uint64 {
	next := uint64(0)
	for _, h := range old {
		if h == 0 {
			continue
		}
		i := max(next, t.home(h))
		if new != nil {
			new[i] = h
		}
		next = i + 1
	}
	return next
}
