package frontier

import "slices"

// turns numbers the records of a level in the order of their pushes, and tells which of
// the unread ones were leased before their turn. Only under an Order, or after a resume of
// a crawl that had one.
type turns struct {
	next  uint64   // number of the record that is read next
	taken []uint64 // numbers, ascending, from next on; at most maxTaken
}

// number begins to number the records of a level, if it has not begun.
func (l *level) number() {
	if l.turns == nil {
		l.turns = &turns{}
	}
}

// live returns how many URLs are queued in the level.
func (l *level) live() int {
	if l.turns == nil {
		return l.count
	}
	return l.count - len(l.turns.taken)
}

// take marks a record as leased before its turn. Cost: O(taken), some µs at most.
func (l *level) take(number uint64) {
	i, _ := slices.BinarySearch(l.turns.taken, number)
	l.turns.taken = slices.Insert(l.turns.taken, i, number)
}

// shed reads the records that come next and are taken. Each is read once, so it costs
// O(1) a lease in the mean. After an error, what is read stays read.
func (l *level) shed(host string, p *pager) error {
	for l.turns != nil && len(l.turns.taken) > 0 && l.turns.taken[0] == l.turns.next {
		if _, err := l.pop(host, p); err != nil {
			return err
		}
		l.turns.taken = l.turns.taken[1:]
	}
	return nil
}

// empty lets go of records that are all taken.
func (l *level) empty(p *pager) {
	l.count, l.tail = 0, nil
	*l.turns = turns{}
	if l.disk != nil {
		p.drop(l.disk)
	}
}

// drop takes all blocks as read.
func (p *pager) drop(s *stored) {
	if c := s.chunk; c != nil {
		p.room += c.taken
		for _, b := range c.ahead {
			p.room += len(b) + chunkSize
		}
	}
	s.used += uint32(s.next - s.head)
	s.head, s.count, s.off, s.via, s.chunk = s.next, 0, 0, 0, nil
}
