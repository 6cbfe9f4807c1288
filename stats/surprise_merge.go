package stats

import (
	"maps"
	"slices"
)

// Merge makes s a sketch of both streams together. It needs the same sizes and seed, otherwise it
// returns ErrMerge and changes nothing; o is never changed.
//
// Rows add up, counter by counter. While one of the two has no tail it knows each of its words and
// how often it came, and they are added to the other. Otherwise a word that is in one head only
// may have come in the other's tail: it leaves the head, and its count is added to the rows, so
// the head has what was in both from then on, and nothing is let in any more. Parts of one text
// have their frequent words in common, so that little is lost. The parts may be merged in any
// order; the figures differ within their intervals.
func (s *Surprise) Merge(o *Surprise) error {
	if !s.like(o) {
		return ErrMerge
	}
	if s == o {
		c := o.clone()
		o = &c
	}
	s.merge(o, nil, nil)
	return nil
}

// like reports whether the sketches have the same sizes and seed.
func (s *Surprise) like(o *Surprise) bool {
	return s.key == o.key && s.limit == o.limit && s.tail.width == o.tail.width
}

// merge makes s a sketch of both streams. Of a Words, whose Distinct d has seen the words of the
// tail only, other is that of o: d becomes that of both.
func (s *Surprise) merge(o *Surprise, d, other *Distinct) {
	rewritten := s.rewritten + 1
	switch {
	case o.tail.n == 0:
		s.addRuns(o.words(), d)
	case s.tail.n == 0:
		mine := s.words()
		*s = o.clone()
		if d != nil {
			*d = *other.clone()
		}
		s.addRuns(mine, d)
	default:
		s.mergeTails(o, d, other)
	}
	s.rewritten = rewritten
}

// mergeTails keeps those words in the head that are in both.
func (s *Surprise) mergeTails(o *Surprise, d, other *Distinct) {
	theirs := o.words()
	leaving := s.intersect(theirs)
	s.closed = true
	s.n += o.n
	s.tail.merge(&o.tail)
	if d != nil {
		d.join(other)
	}
	for _, w := range leaving {
		s.push(w.word, w.count, d)
	}
}

// intersect takes the words out of the head that are not among the given ones, and adds the counts
// of those that are. It returns the words of one of both.
func (s *Surprise) intersect(with []counted) (leaving []counted) {
	counts := make(map[uint64]uint64, len(with))
	for _, w := range with {
		counts[w.word] = w.count
	}
	for _, w := range s.words() {
		count, both := counts[w.word]
		if !both {
			leaving = append(leaving, w)
			s.remove(w.word)
			continue
		}
		s.inHead(w.word, count)
		delete(counts, w.word)
	}
	for _, w := range with {
		if _, left := counts[w.word]; left {
			leaving = append(leaving, w)
		}
	}
	return leaving
}

// words returns the words of the head, in an order that depends on neither the history of the
// tables nor what the words do in the registers.
func (s *Surprise) words() (words []counted) {
	for i := range 2 * len(s.front.pairs) {
		if tag, count := s.front.slot(i); count > 0 {
			words = append(words, counted{tag | uint64(i/2)<<1 | 1, count})
		}
	}
	words = s.back.appendSorted(words)
	slices.SortFunc(words, func(a, b counted) int { return replayOrder(a.word, b.word) })
	return words
}

// addRuns adds the words of a sketch without a tail, and to d those that are not in the head.
func (s *Surprise) addRuns(words []counted, d *Distinct) {
	for _, w := range words {
		s.n += w.count
		if !s.inHead(w.word, w.count) && !s.admit(w.word, w.count) {
			s.push(w.word, w.count, d)
		}
	}
}

// inHead counts a word of the head so often, and reports false for another.
func (s *Surprise) inHead(v, count uint64) bool {
	if slot, found := s.front.find(v); found {
		s.front.keepAside(slot, count)
		return true
	}
	at, found := s.back.look(v)
	if found {
		s.back.counts[at] += count
	}
	return found
}

// push adds a word to the tail, and to d.
func (s *Surprise) push(v, count uint64, d *Distinct) {
	s.tail.open()
	s.tail.add(v, int64(count))
	if d != nil {
		d.take(v)
	}
}

// remove takes a word out of the head.
func (s *Surprise) remove(v uint64) {
	s.heads--
	if slot, found := s.front.find(v); found {
		s.front.remove(slot)
	} else {
		s.back.remove(v)
	}
}

func (s *Surprise) clone() Surprise {
	c := *s
	c.front, c.back = s.front.clone(), s.back.clone()
	c.tail.cells = slices.Clone(s.tail.cells)
	return c
}

// Merge makes w the sketches of both streams together. It needs the same sizes and seed, otherwise
// it returns ErrMerge and changes nothing; o is never changed. Surprise.Merge says what becomes of
// the head; the number of different words is then estimated by maximum likelihood, as
// Distinct.Merge says.
func (w *Words) Merge(o *Words) error {
	if !w.surprise.like(&o.surprise) || w.tail.k != o.tail.k || w.tail.cache != o.tail.cache {
		return ErrMerge
	}
	if w == o {
		o = o.Clone()
	}
	w.surprise.merge(&o.surprise, &w.tail, &o.tail)
	return nil
}

// find returns the slot of v, if it is in the front.
func (f *front) find(v uint64) (slot int, found bool) {
	if len(f.pairs) == 0 {
		return 0, false
	}
	for i, slot := range f.pair(v) {
		if slot^v <= countMask {
			return 2*f.number(v) + i, true
		}
	}
	return 0, false
}

// keepAside adds to what is counted for a slot, without looking at the slot.
func (f *front) keepAside(slot int, count uint64) {
	if f.carry == nil {
		f.carry = make(map[int]uint64)
	}
	f.carry[slot] += count
}

// remove empties a slot. The first of a pair is never empty beside a full second.
func (f *front) remove(slot int) {
	f.free++
	delete(f.carry, slot)
	p := &f.pairs[slot/2]
	p[slot%2] = 0
	if slot%2 == 1 || p[1] == 0 {
		return
	}
	p[0], p[1] = p[1], 0
	if count, there := f.carry[slot+1]; there {
		f.carry[slot] = count
		delete(f.carry, slot+1)
	}
}

func (f *front) clone() front { return front{slices.Clone(f.pairs), f.free, maps.Clone(f.carry)} }

func (t *table) clone() table {
	return table{slices.Clone(t.keys), slices.Clone(t.counts), t.used, slices.Clone(t.hint), t.stale}
}
