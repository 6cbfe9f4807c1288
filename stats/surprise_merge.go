package stats

import (
	"errors"
	"maps"
	"slices"
)

// ErrTails is returned when two sketches of counts cannot be merged because
// neither knows all of its words.
var ErrTails = errors.New("stats: both sketches hold more words than they know, and cannot be merged")

// Merge makes s a sketch of both streams together, as if the words of the one
// had been added after those of the other. It needs the same sizes and seed,
// otherwise it returns ErrMerge; and one of the two must be small, with no more than
// two thirds of its head in use, otherwise it returns ErrTails. If it returns an
// error it changes nothing; o is never changed.
//
// A small sketch knows each of its words and how often it came, and the second
// moment does not ask in which order; so its words are added to the other, by
// their counts, in time proportional to the different words. Two large ones
// have no such way. A chosen position counts its word from there to the end of
// the stream, so one of the first stream would have to know how often its word
// came in the second; the second knows that of its head and of its own chosen
// words only, and to take the others for absent drops 2·a·b from the sum for
// each word that came a and b times. A word of one head may hide in the other's
// tail in the same way. What can be said of two such streams are bounds: the
// moment of both together lies between the sum of the moments and twice that.
// CountSketch merges without conditions.
func (s *Surprise) Merge(o *Surprise) error {
	switch {
	case !s.like(o):
		return ErrMerge
	case o.small():
		s.replay(o, nil)
	case s.small():
		merged := o.clone()
		merged.replay(s, nil)
		*s = merged
	default:
		return ErrTails
	}
	return nil
}

// like reports whether the sketches have the same sizes and seed.
func (s *Surprise) like(o *Surprise) bool {
	return s.key == o.key && s.limit == o.limit && s.tail.size == o.tail.size
}

// small reports whether every word is in the table. The front does not hold
// all bits of its words.
func (s *Surprise) small() bool { return len(s.front.pairs) == 0 && s.tail.n == 0 }

// replay adds the words of a small sketch, and those that are not in the head
// to d, if there is one. They come in replayOrder, so that the outcome does not
// depend on the history of o's table.
func (s *Surprise) replay(o *Surprise, d *Distinct) {
	for _, w := range o.back.sortedBy(replayOrder) {
		s.n += w.count
		if s.addRun(w.word, w.count) && d != nil {
			d.take(w.word)
		}
	}
}

// addRun takes a word that comes count times in a row, at least once. It
// reports whether the word is not in the head.
func (s *Surprise) addRun(v, count uint64) (tail bool) {
	if slot, found := s.front.find(v); found {
		s.front.keepAside(slot, count)
		return false
	}
	if i, found := find(s.back.keys, v); found && s.back.counts[i] < tailWord {
		s.back.counts[i] += count
		return false
	} else if !found && s.admit(v, count) {
		return false
	}
	s.passRun(v, count)
	return true
}

// passRun advances by count positions of the tail, which all hold v. It takes
// one turn for each of them that is chosen.
func (s *Surprise) passRun(v, count uint64) {
	for count > 0 {
		step := min(count, s.tail.next-s.tail.n)
		if i, found := find(s.back.keys, v); found {
			s.back.counts[i] += step
		}
		s.tail.n += step
		count -= step
		if s.tail.n == s.tail.next {
			s.choose(v)
		}
	}
}

func (s *Surprise) clone() Surprise {
	c := *s
	c.front, c.back = s.front.clone(), s.back.clone()
	c.tail.chosen = slices.Clone(s.tail.chosen)
	return c
}

// Merge makes w the sketches of both streams together, under the conditions of
// Surprise.Merge and the same number of registers: one of the two must be
// small, since the head of one is what its Distinct has not seen. If it returns
// an error it changes nothing; o is never changed.
func (w *Words) Merge(o *Words) error {
	switch {
	case !w.surprise.like(&o.surprise) || w.tail.k != o.tail.k || w.tail.cache != o.tail.cache:
		return ErrMerge
	case o.surprise.small():
		w.surprise.replay(&o.surprise, &w.tail)
	case w.surprise.small():
		merged := o.Clone()
		merged.surprise.replay(&w.surprise, &merged.tail)
		*w = *merged
	default:
		return ErrTails
	}
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

func (f *front) clone() front { return front{slices.Clone(f.pairs), f.free, maps.Clone(f.carry)} }

func (t *table) clone() table {
	return table{slices.Clone(t.keys), slices.Clone(t.counts), t.used, slices.Clone(t.hint), t.stale}
}
