package trap

import "math/bits"

// cuckoo remembers the hashes of all pages: a cuckoo table in which each has two sets of ways
// entries, and is in the second only if the first is full, so that what is not known takes one
// cache line most of the time. It is up to 7/8 full. Once it cannot grow the one of both sets that
// was unused for longest makes room.
type cuckoo struct {
	sets   [][ways]entry // a power of two
	filled int
}

// meet looks h up and remembers that the page has it. It returns what was known before.
func (c *cuckoo) meet(h uint64, page uint16) sight {
	tag := fold(h)
	if e := c.find(tag); e != nil {
		return e.meet(page)
	}
	c.add(entry{tag: tag, page: page, times: 1})
	return sight{}
}

// put records that h was on the given number of pages, and that the last of them was page.
func (c *cuckoo) put(h uint64, page uint16, times uint8) {
	tag := fold(h)
	if e := c.find(tag); e != nil {
		e.page, e.times = page, times
		return
	}
	c.add(entry{tag: tag, page: page, times: times})
}

// times returns how many pages had h, 255 at most, as far as is remembered.
func (c *cuckoo) times(h uint64) int {
	if e := c.find(fold(h)); e != nil {
		return int(e.times)
	}
	return 0
}

// lastOf returns the number of the last page with h, 0 if h is not remembered.
func (c *cuckoo) lastOf(h uint64) uint16 {
	if e := c.find(fold(h)); e != nil {
		return e.page
	}
	return 0
}

// has reports whether h is remembered.
func (c *cuckoo) has(h uint64) bool { return c.find(fold(h)) != nil }

// touch reads something of the first set of h, which may not be in the processor's cache: the sets
// that a page is going to need come faster all at once than one after the other. What it returns
// means nothing.
func (c *cuckoo) touch(h uint64) uint32 {
	if len(c.sets) == 0 {
		return 0
	}
	return c.sets[c.first(fold(h))][0].tag
}

func (c *cuckoo) find(tag uint32) *entry {
	if len(c.sets) == 0 {
		return nil
	}
	set := &c.sets[c.first(tag)]
	for i := range set {
		if set[i].tag == tag {
			return &set[i]
		}
	}
	if !full(set) {
		return nil
	}
	set = &c.sets[c.second(tag)]
	for i := range set {
		if set[i].tag == tag {
			return &set[i]
		}
	}
	return nil
}

// first and second are the numbers of the sets that a tag may be in.
func (c *cuckoo) first(tag uint32) int  { return c.number(tag * 0x9e3779b1) }
func (c *cuckoo) second(tag uint32) int { return c.number(tag * 0x85ebca77) }

func (c *cuckoo) number(spread uint32) int {
	hi, _ := bits.Mul32(spread, uint32(len(c.sets)))
	return int(hi)
}

// full reports whether a set has no room: sets fill from the front, and never lose an entry but for
// another.
func full(set *[ways]entry) bool { return set[ways-1].tag != 0 }

// add puts an entry into the table that is not in it.
func (c *cuckoo) add(e entry) {
	for {
		first, second := c.first(e.tag), c.second(e.tag)
		last := len(c.sets)*ways >= mostTexts
		if last || 8*c.filled < 7*ways*len(c.sets) {
			if c.push(first, e) || c.push(second, e) || c.swap(first, e) || c.swap(second, e) {
				return
			}
		}
		if last {
			c.replace(first, second, e)
			return
		}
		c.grow()
	}
}

// push adds an entry to a set that has room.
func (c *cuckoo) push(at int, e entry) bool {
	set := &c.sets[at]
	for i := range set {
		if set[i].tag == 0 {
			set[i] = e
			c.filled++
			return true
		}
	}
	return false
}

// swap puts an entry in the place of one whose other set has room. Only from its first set may
// one move.
func (c *cuckoo) swap(at int, e entry) bool {
	set := &c.sets[at]
	for i := range set {
		if tag := set[i].tag; c.first(tag) == at && c.push(c.second(tag), set[i]) {
			set[i] = e
			return true
		}
	}
	return false
}

// replace puts an entry in the place of the one that was unused for longest.
func (c *cuckoo) replace(first, second int, e entry) {
	oldest := &c.sets[first][0]
	for _, at := range [...]int{first, second} {
		set := &c.sets[at]
		for i := range set {
			if e.page-set[i].page > e.page-oldest.page {
				oldest = &set[i]
			}
		}
	}
	*oldest = e
}

// grow doubles the table.
func (c *cuckoo) grow() {
	old := c.sets
	c.sets, c.filled = make([][ways]entry, max(leastMemory/ways, 2*len(old))), 0
	for i := range old {
		for _, e := range old[i] {
			if e.tag != 0 {
				c.add(e)
			}
		}
	}
}
