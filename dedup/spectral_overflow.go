package dedup

import "crawler/internal/splitmix"

// overflow holds the values of the counters that 8 bits cannot hold: an
// open-addressing table with linear probing, at most half full. It has at most
// one entry a counter, and as each stands for 255 occurrences or more, at most
// 4n/255 for n occurrences. It grows by doubling and does not shrink.
type overflow struct {
	slots []overflowed // a power of two, or none
	used  int
}

// overflowed is one entry. Ids are indices of counters plus one, so that the
// zero value is an empty slot.
type overflowed struct{ id, value uint64 }

// minOverflow is the number of slots of the first table.
const minOverflow = 16

// home returns the slot where the search for an id begins. The counters of a
// line are neighbours, those of one quarter the same: so the four of a key are
// at hand after one cache miss.
func (t *overflow) home(id uint64) int {
	line, w := (id-1)/lineCounters, (id-1)/quarter%ways
	return int(line*splitmix.Golden>>32+w) & (len(t.slots) - 1)
}

// find returns the slot of the id, or the empty one where it would go. There
// must be slots.
func (t *overflow) find(id uint64) int {
	i := t.home(id)
	for t.slots[i].id != id && t.slots[i].id != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// at returns the value of a counter, which must be in the table, to be read or
// raised.
func (t *overflow) at(counter uint64) *uint64 { return &t.slots[t.find(counter+1)].value }

// put sets the value of a counter, in the table or not.
func (t *overflow) put(counter, value uint64) {
	if 2*(t.used+1) > len(t.slots) {
		t.resize(max(minOverflow, 2*len(t.slots)))
	}
	at := &t.slots[t.find(counter+1)]
	if at.id == 0 {
		t.used++
	}
	*at = overflowed{counter + 1, value}
}

// resize moves the entries to a table of n slots.
func (t *overflow) resize(n int) {
	old := t.slots
	t.slots = make([]overflowed, n)
	for _, e := range old {
		if e.id != 0 {
			t.slots[t.find(e.id)] = e
		}
	}
}

// remove takes a counter out, which must be in the table, and closes the gap so
// that no search stops short (Knuth, volume 3, algorithm 6.4R).
func (t *overflow) remove(counter uint64) {
	gap, mask := t.find(counter+1), len(t.slots)-1
	for i := (gap + 1) & mask; t.slots[i].id != 0; i = (i + 1) & mask {
		if (i-t.home(t.slots[i].id))&mask >= (i-gap)&mask {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = overflowed{}
	t.used--
}
