package frontier

import "slices"

// outOfOrder numbers the records of a level in the sequence of their pushes, and knows
// which of the unread ones were leased out of order. Only under an Order, or after a
// resume of a crawl that had one.
type outOfOrder struct {
	next   uint64   // number of the record that is read next
	leased []uint64 // numbers, ascending, from next on; at most maxOutOfOrder
}

// number starts to number the records of a level, unless it has started already.
func (l *level) number() {
	if l.outOfOrder == nil {
		l.outOfOrder = &outOfOrder{}
	}
}

// unleased returns how many URLs are queued in the level.
func (l *level) unleased() int {
	if l.outOfOrder == nil {
		return l.count
	}
	return l.count - len(l.outOfOrder.leased)
}

// markLeased marks a record as leased out of order. Cost: O(records marked), some µs at
// most.
func (l *level) markLeased(number uint64) {
	i, _ := slices.BinarySearch(l.outOfOrder.leased, number)
	l.outOfOrder.leased = slices.Insert(l.outOfOrder.leased, i, number)
}

// skipLeased reads past the next records as far as they are leased. Each is read once, so
// its mean cost is O(1) per lease. After an error, records that were read stay read.
func (l *level) skipLeased(host string, p *pager) error {
	for l.outOfOrder != nil && len(l.outOfOrder.leased) > 0 && l.outOfOrder.leased[0] == l.outOfOrder.next {
		if _, err := l.pop(host, p); err != nil {
			return err
		}
		l.outOfOrder.leased = l.outOfOrder.leased[1:]
	}
	return nil
}

// empty drops the records of a level, all of which are leased.
func (l *level) empty(p *pager) {
	l.count, l.tail = 0, nil
	*l.outOfOrder = outOfOrder{}
	if l.disk != nil {
		p.drop(l.disk)
	}
}

// drop marks all blocks as read.
func (p *pager) drop(s *stored) {
	if c := s.chunk; c != nil {
		p.room += c.charged
		for _, b := range c.ahead {
			p.room += len(b) + chunkSize
		}
	}
	s.used += uint32(s.next - s.head)
	s.head, s.count, s.off, s.via, s.chunk = s.next, 0, 0, 0, nil
}
