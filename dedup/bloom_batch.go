package dedup

// groupKeys is how many keys AddAll and HasAll look up at a time: about as many
// reads of memory as a processor has under way.
const groupKeys = 16

// group is what AddAll and HasAll know of the keys they are looking up.
type group struct {
	at   [groupKeys]uint64 // index of the line
	mix  [groupKeys]uint64 // which bits of it
	seen uint64            // a word of each line, so that the reads are not dropped
}

// AddAll adds the keys with these hashes and returns how many of them changed
// the filter, as Add for each in turn would. It reads the lines of 16 keys
// before it writes the first, so that their cache misses overlap: a filter much
// larger than the caches takes a third of Add's time for a key.
func (b *Bloom) AddAll(hashes []uint64) int {
	var g group
	changed := 0
	for len(hashes) > 0 {
		n := min(len(hashes), groupKeys)
		b.look(&g, hashes[:n])
		if b.reach != 0 {
			b.lookBehind(&g, n)
		}
		changed += b.addGroup(&g, n)
		hashes = hashes[n:]
	}
	return changed
}

// HasAll sets found[i] to what Has answers for hashes[i], in half of Has's time
// for a filter much larger than the caches (see AddAll). It panics if found is
// shorter than hashes.
func (b *Bloom) HasAll(hashes []uint64, found []bool) {
	found = found[:len(hashes)]
	var g group
	for len(hashes) > 0 {
		n := min(len(hashes), groupKeys)
		b.look(&g, hashes[:n])
		b.hasGroup(&g, found[:n])
		hashes, found = hashes[n:], found[n:]
	}
}

// addAll adds all hashes of s, in order.
func (b *Bloom) addAll(s *Set) {
	var few [4 * groupKeys]uint64
	n := 0
	for h := range s.All {
		few[n] = h
		if n++; n == len(few) {
			b.AddAll(few[:])
			n = 0
		}
	}
	b.AddAll(few[:n])
}

// look finds the first lines of at most groupKeys keys and reads a word of
// each. No read waits for another.
func (b *Bloom) look(g *group, hashes []uint64) {
	seen := uint64(0)
	for i, h := range hashes {
		at := b.first(h)
		g.at[i], g.mix[i] = at, fold(h^b.seed, mulFirst)
		seen |= b.lines[at][0]
	}
	g.seen = seen
}

// lookBehind reads a word of each second line.
func (b *Bloom) lookBehind(g *group, n int) {
	for i, m := range g.mix[:n] {
		g.seen |= b.lines[b.second(g.at[i], m)][0]
	}
}

// addGroup adds the first n keys of g in order and returns how many changed the filter.
func (b *Bloom) addGroup(g *group, n int) (changed int) {
	for i, m := range g.mix[:n] {
		set := uint64(0)
		if b.reach != 0 {
			set = b.addTwo(g.at[i], m)
		} else {
			set = b.addTo(g.at[i], m)
		}
		if set != 0 {
			changed++
		}
	}
	return changed
}

// hasGroup answers for the first keys of g.
func (b *Bloom) hasGroup(g *group, found []bool) {
	for i := range found {
		found[i] = b.lines[g.at[i]].has(g.mix[i])
	}
	if b.reach != 0 {
		b.hasSecond(g, found)
	}
}

// hasSecond takes back the answers that the second lines deny. It reads a word
// of each before it waits for the first.
func (b *Bloom) hasSecond(g *group, found []bool) {
	seen := uint64(0)
	for i, maybe := range found {
		if maybe {
			g.at[i] = b.second(g.at[i], g.mix[i])
			seen |= b.lines[g.at[i]][0]
		}
	}
	g.seen = seen
	for i, maybe := range found {
		if maybe {
			found[i] = b.lines[g.at[i]].has(fold(g.mix[i], mulSecond))
		}
	}
}
