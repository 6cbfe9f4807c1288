package trap

import "math/bits"

// memory remembers hashes that a pattern's pages have shown, the latest few hundred: a
// 4-way set-associative table of which a newcomer takes the place unused for longest.
type memory struct {
	entries []entry // a power of two
	filled  int
}

// entry is what is known of one hash. The zero entry is empty.
type entry struct {
	print uint32 // the hash, folded; never 0
	page  uint16 // the pattern's page, counted modulo 2^16, that had it last
	run   uint8  // of its latest sightings, those hardly a page apart
	times uint8  // pages that had it, at most 255
}

const (
	ways        = 4
	leastMemory = 64
)

// sight is what a memory says of a hash.
type sight struct {
	again bool // it was already met on this very page
	times uint8
	run   uint8
}

// meet looks h up and remembers that the page has it. What it returns is from before.
func (m *memory) meet(h uint64, page uint16, most int) sight {
	if m.filled*4 >= len(m.entries)*3 && len(m.entries) < most {
		m.grow()
	}
	print := fold(h)
	set := m.set(print)
	oldest := &set[0]
	for i := range set {
		e := &set[i]
		if e.print == print {
			return e.meet(page)
		}
		if e.print == 0 {
			oldest = e
			break
		}
		if page-e.page > page-oldest.page {
			oldest = e
		}
	}
	if oldest.print == 0 {
		m.filled++
	}
	*oldest = entry{print: print, page: page, times: 1}
	return sight{}
}

func (e *entry) meet(page uint16) sight {
	if e.page == page {
		return sight{again: true, times: e.times, run: e.run}
	}
	was := sight{times: e.times, run: e.run}
	if page-e.page <= 2 {
		e.run = min(e.run, 254) + 1
	} else {
		e.run /= 2
	}
	e.times = min(e.times, 254) + 1
	e.page = page
	return was
}

// has reports whether h is remembered.
func (m *memory) has(h uint64) bool {
	if len(m.entries) == 0 {
		return false
	}
	print := fold(h)
	for _, e := range m.set(print) {
		if e.print == print {
			return true
		}
	}
	return false
}

// fold makes a hash a fingerprint, which is never 0.
func fold(h uint64) uint32 { return uint32(h>>32) ^ uint32(h) | 1 }

// set is where a fingerprint may stand.
func (m *memory) set(print uint32) []entry {
	sets := uint32(len(m.entries) / ways)
	hi, _ := bits.Mul32(print*0x9e3779b1, sets)
	return m.entries[hi*ways : hi*ways+ways]
}

// grow doubles the table. Entries are spread by their fingerprints.
func (m *memory) grow() {
	old := m.entries
	m.entries = make([]entry, max(leastMemory, 2*len(old)))
	m.filled = 0
	for _, e := range old {
		if e.print != 0 {
			m.place(e)
		}
	}
}

// place puts e, which is not there, into its set and reports whether that has room.
func (m *memory) place(e entry) bool {
	set := m.set(e.print)
	for i := range set {
		switch set[i].print {
		case e.print:
			return false
		case 0:
			set[i] = e
			m.filled++
			return true
		}
	}
	return false
}
