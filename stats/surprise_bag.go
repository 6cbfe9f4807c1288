package stats

// addBag counts the words of a bag and returns those that are not in the head and
// may be new, in order, as the martingale of a Words depends on that.
func (s *Surprise) addBag(b *Bag) (tail []uint64) {
	s.pass(b.length)
	clear(b.mark[:b.n])
	rest := b.rest[:s.front.sift(b)]
	var t tailOf
	if s.heads < s.limit || s.front.free > 0 {
		t = s.countOpen(b, rest)
	} else {
		t = s.countClosed(b, rest)
	}
	if t.length < s.tail.next-s.tail.n {
		s.tail.n += t.length
		for _, i := range b.hinted[:t.chosen] {
			at, _ := find(s.back.keys, b.mixed[i])
			s.back.counts[at] += uint64(b.counts[i])
		}
	} else {
		s.passText(b)
	}
	return b.tail[:t.others]
}

// tailOf is what a bag has for the tail of a sketch. Its places are marked.
type tailOf struct {
	length uint64 // positions of the text
	chosen int    // words of chosen positions: their places are in hinted
	others int    // other words: in tail
}

// countOpen counts the words of the head among those that the front left, and lets
// words into the head.
func (s *Surprise) countOpen(b *Bag, rest []uint16) (t tailOf) {
	heads := s.heads
	for _, i := range rest {
		v, count := b.mixed[i], uint64(b.counts[i])
		if s.heads != heads && s.front.addRun(v, count) {
			continue // let in since the sift
		}
		at, found := s.back.look(v)
		switch {
		case found && s.back.counts[at] < tailWord:
			s.back.counts[at] += count
			continue
		case found:
			b.hinted[t.chosen] = i
			t.chosen++
		case s.admit(v, count):
			continue
		default:
			b.tail[t.others] = v
			t.others++
		}
		b.mark[i] = 1
		t.length += count
	}
	return t
}

// countClosed is countOpen for when the head is closed: the usual case before long.
// Most words are then in no table, and are separated from the others without a branch.
func (s *Surprise) countClosed(b *Bag, rest []uint16) (t tailOf) {
	m := 0
	for k, i := range rest {
		b.hinted[m&(bagSize-1)] = uint16(k)
		m += s.back.hinted(b.mixed[i&(bagSize-1)])
	}
	for _, k := range b.hinted[:m] {
		i := rest[k]
		at, found := find(s.back.keys, b.mixed[i])
		if !found {
			continue
		}
		rest[k] = noPlace
		if count := uint64(b.counts[i]); s.back.counts[at] < tailWord {
			s.back.counts[at] += count
		} else {
			b.hinted[t.chosen] = i // t.chosen is not ahead of the loop
			t.chosen++
			b.mark[i] = 1
			t.length += count
		}
	}
	for _, i := range rest {
		v := b.mixed[i&(bagSize-1)]
		b.tail[t.others&(bagSize-1)] = v
		b.mark[i&(bagSize-1)] = 1
		t.length += uint64(b.counts[i&(bagSize-1)]) // 0 at noPlace
		if v != 0 {
			t.others++
		}
	}
	return t
}

// passText goes through the tail's words in the order of the text, as one of their
// positions at least must be chosen.
func (s *Surprise) passText(b *Bag) {
	var marked [batch]uint16
	for text := b.text[:b.length]; len(text) > 0; {
		part := text[:min(batch, len(text))]
		text = text[len(part):]
		n := 0
		for _, i := range part {
			marked[n&(batch-1)] = i // n is not ahead of the loop
			n += int(b.mark[i&(bagSize-1)])
		}
		for _, i := range marked[:n] {
			v := b.mixed[i&(bagSize-1)]
			s.back.add(v)
			s.passTail(v)
		}
	}
}
