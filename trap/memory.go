package trap

import "math/bits"

// memory remembers the latest few hundred hashes of a pattern's pages: an 8-way
// set-associative table in which a new hash replaces the one unused for longest.
type memory struct {
	entries []entry // a power of two
	filled  int
}

// entry is the record of one hash. The zero entry is empty.
type entry struct {
	tag   uint32 // the hash, folded; never 0
	page  uint16 // the pattern's last page that had it, counted modulo 2^16
	run   uint8  // its latest sightings that were at most two pages apart
	times uint8  // pages that had it, at most 255
}

const (
	ways        = 8 // a cache line: of a table a quarter full hardly a set is full
	leastMemory = 64
	firstMemory = 256 // at most, for the sample of a first page
)

// sight is what a memory knows about a hash.
type sight struct {
	again bool   // it was already met on this page
	page  uint16 // the last page that had it
	times uint8
	run   uint8
}

// unmet reports whether no page before this one had the hash.
func (s sight) unmet() bool { return s.times == 0 || s.again && s.times == 1 }

// meet looks h up and remembers that the page has it. It returns what was known before.
func (m *memory) meet(h uint64, page uint16, most int) sight {
	if m.filled*2 >= len(m.entries) && len(m.entries) < most {
		m.grow()
	}
	tag := fold(h)
	set := m.set(tag)
	for i := range set {
		if set[i].tag == tag {
			return set[i].meet(page)
		}
	}
	oldest := &set[0]
	for i := range set {
		e := &set[i]
		if e.tag == 0 { // and all behind it
			oldest = e
			m.filled++
			break
		}
		if page-e.page > page-oldest.page {
			oldest = e
		}
	}
	*oldest = entry{tag: tag, page: page, times: 1}
	return sight{}
}

func (e *entry) meet(page uint16) sight {
	if e.page == page {
		return sight{again: true, times: e.times, run: e.run}
	}
	was := sight{page: e.page, times: e.times, run: e.run}
	if page-e.page <= 2 {
		e.run = min(e.run, 254) + 1
	} else {
		e.run /= 2
	}
	e.times = min(e.times, 254) + 1
	e.page = page
	return was
}

// reserve gives an empty table room for n hashes at once, if they are not many.
func (m *memory) reserve(n int) {
	if len(m.entries) == 0 && n > 0 {
		m.entries = make([]entry, min(firstMemory, max(leastMemory, 1<<bits.Len(uint(2*n-1)))))
	}
}

// touch reads something of the set of h, which may not be in the processor's cache: the sets that a
// page is going to need come faster all at once than one after the other. What it returns means
// nothing.
func (m *memory) touch(h uint64) uint32 {
	if len(m.entries) == 0 {
		return 0
	}
	return m.set(fold(h))[0].tag
}

// fold makes a hash a tag, which is never 0.
func fold(h uint64) uint32 { return uint32(h>>32) ^ uint32(h) | 1 }

// set returns the entries that a tag may be in.
func (m *memory) set(tag uint32) *[ways]entry {
	return (*[ways]entry)(m.entries[m.number(tag)*ways:])
}

// number is that of the set.
func (m *memory) number(tag uint32) int {
	hi, _ := bits.Mul32(tag*0x9e3779b1, uint32(len(m.entries)/ways))
	return int(hi)
}

// grow doubles the table: each set becomes two, in which the entries keep their sequence.
func (m *memory) grow() {
	old := m.entries
	m.entries = make([]entry, max(leastMemory, 2*len(old)))
	for ; len(old) > 0; old = old[ways:] {
		var filled [2]int
		for _, e := range old[:ways] {
			if e.tag == 0 {
				break
			}
			at := m.number(e.tag)
			m.entries[at*ways+filled[at&1]] = e
			filled[at&1]++
		}
	}
}

// place puts e into its set, and reports whether that has room and does not have e's tag.
func (m *memory) place(e entry) bool {
	set := m.set(e.tag)
	for i := range set {
		switch set[i].tag {
		case e.tag:
			return false
		case 0:
			set[i] = e
			m.filled++
			return true
		}
	}
	return false
}
