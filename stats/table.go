package stats

// table counts words exactly: an open hash table with linear probing, keyed by
// mixed hashes, which are never 0.
type table struct {
	keys   []uint64
	counts []uint64
	used   int

	// hint is a bitmap of eight bits a slot, in a large table of 32, where few
	// bits are set by mistake. A word whose bit is clear is not in the table; to
	// find that out by searching takes three times as long. Removed words leave
	// their bits behind: stale counts them.
	hint  []uint64
	stale int
}

// minSlots is the number of slots of a new table, and largeSlots that of a table that may
// take a few bytes more a slot: one of a whole crawl, not of a site.
const (
	minSlots   = 32
	largeSlots = 1024
)

func newTable(slots int) table {
	hint := slots / 8
	if slots >= largeSlots {
		hint = slots / 2
	}
	return table{
		keys:   make([]uint64, slots),
		counts: make([]uint64, slots),
		hint:   make([]uint64, hint),
	}
}

// home returns the slot at which the search for a word begins.
func home(v uint64, slots int) int { return int(v>>20) & (slots - 1) }

// find returns the slot of v among keys, or the empty slot where it would go.
func find(keys []uint64, v uint64) (slot int, found bool) {
	i := home(v, len(keys))
	for keys[i] != v {
		if keys[i] == 0 {
			return i, false
		}
		i = (i + 1) & (len(keys) - 1)
	}
	return i, true
}

// hinted returns 1 for a word that is in the table, and for another seldom.
func (t *table) hinted(v uint64) int {
	return int(t.hint[int(v>>40)&(len(t.hint)-1)] >> (v >> 34 & 63) & 1)
}

// look returns the slot of v, if it is in the table.
func (t *table) look(v uint64) (slot int, found bool) {
	if t.hinted(v) == 0 {
		return 0, false
	}
	return find(t.keys, v)
}

// add counts v if it is in the table.
func (t *table) add(v uint64) bool {
	i, found := t.look(v)
	if found {
		t.counts[i]++
	}
	return found
}

// count returns what was counted for v.
func (t *table) count(v uint64) uint64 {
	i, _ := find(t.keys, v)
	return t.counts[i]
}

// put adds a word that is not in the table, which stays at most four fifths
// full.
func (t *table) put(v, count uint64) {
	if 5*(t.used+1) > 4*len(t.keys) {
		t.grow()
	}
	i, _ := find(t.keys, v)
	t.keys[i], t.counts[i] = v, count
	t.used++
	t.mark(v)
}

// grow doubles the number of slots.
func (t *table) grow() {
	old := *t
	*t = newTable(2 * len(old.keys))
	for i, v := range old.keys {
		if v != 0 {
			t.put(v, old.counts[i])
		}
	}
}

// mark sets the hint's bit for v.
func (t *table) mark(v uint64) {
	t.hint[int(v>>40)&(len(t.hint)-1)] |= 1 << (v >> 34 & 63)
}

// remove takes a word out and closes the gap, so that no search stops short
// (Knuth, volume 3, algorithm 6.4R).
func (t *table) remove(v uint64) {
	gap, found := find(t.keys, v)
	if !found {
		return
	}
	mask := len(t.keys) - 1
	for i := (gap + 1) & mask; t.keys[i] != 0; i = (i + 1) & mask {
		if (i-home(t.keys[i], len(t.keys)))&mask >= (i-gap)&mask {
			t.keys[gap], t.counts[gap] = t.keys[i], t.counts[i]
			gap = i
		}
	}
	t.keys[gap], t.counts[gap] = 0, 0
	t.used--
	t.forget()
}

// forget notes that a word has left, and makes the hint anew when it has grown
// stale.
func (t *table) forget() {
	if t.stale++; t.stale <= t.used/4 {
		return
	}
	t.stale = 0
	clear(t.hint)
	for _, v := range t.keys {
		if v != 0 {
			t.mark(v)
		}
	}
}

func (t *table) bytes() int { return 8 * (len(t.keys) + len(t.counts) + len(t.hint)) }
