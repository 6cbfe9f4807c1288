package stats

// addBag counts the words of a bag and returns those that are not in the head and
// may be new, in order, as the martingale of a Words depends on that.
func (s *Surprise) addBag(b *Bag) (tail []uint64) {
	s.pass(b.length)
	rest := b.rest[:s.front.sift(b)]
	if s.open() {
		return b.tail[:s.countOpen(b, rest)]
	}
	return b.tail[:s.countClosed(b, rest)]
}

// countOpen counts the words that the front left, and lets words into the head. It returns how
// many are not in the head.
func (s *Surprise) countOpen(b *Bag, rest []uint16) (n int) {
	heads := s.heads
	for _, i := range rest {
		v, count := b.mixed[i]&s.known, uint64(b.counts[i])
		if s.heads != heads && s.front.addRun(v, count) {
			continue // let in since the sift
		}
		if at, found := s.back.look(v); found {
			s.back.counts[at] += count
			continue
		}
		if s.admit(v, count) {
			continue
		}
		s.tail.open()
		s.tail.add(v, int64(count))
		b.tail[n] = v
		n++
	}
	return n
}

// countClosed is countOpen for when the head is closed: the usual case before long.
// Most words are then in no table, and are separated from the others without a branch.
func (s *Surprise) countClosed(b *Bag, rest []uint16) (n int) {
	m := 0
	for k, i := range rest {
		b.hinted[m&(bagSize-1)] = uint16(k)
		m += s.back.hinted(b.mixed[i&(bagSize-1)])
	}
	for _, k := range b.hinted[:m] {
		i := rest[k]
		if at, found := find(s.back.keys, b.mixed[i]&s.known); found {
			s.back.counts[at] += uint64(b.counts[i])
			rest[k] = noPlace
		}
	}
	if len(rest) > 0 {
		s.tail.open()
	}
	for _, i := range rest {
		v := b.mixed[i&(bagSize-1)] & s.known
		b.tail[n&(bagSize-1)] = v
		s.tail.add(v, int64(b.counts[i&(bagSize-1)])) // 0 at noPlace
		if v != 0 {
			n++
		}
	}
	return n
}
