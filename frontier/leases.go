package frontier

import "slices"

// leases remembers the items that are handed out, a list for each host, in memory
// that is used again. Only with a disk: what is leased at a commit is part of it.
type leases struct {
	slots []lease // numbered from 1
	free  int32   // the first unused one, 0 for none
}

type lease struct {
	it   Item
	next int32 // leased before, of the same host; or unused; 0 for none
}

// take puts an item in front of the list and returns the list's new head.
func (l *leases) take(head int32, it Item) int32 {
	n := l.free
	if n == 0 {
		l.slots = append(l.slots, lease{})
		n = int32(len(l.slots))
	} else {
		l.free = l.slots[n-1].next
	}
	l.slots[n-1] = lease{it: it, next: head}
	return n
}

// drop removes the item with its URL and returns the list's new head.
func (l *leases) drop(head int32, it *Item) int32 {
	for at := &head; *at != 0; at = &l.slots[*at-1].next {
		n := *at
		if l.slots[n-1].it.URL == it.URL {
			*at = l.slots[n-1].next
			l.slots[n-1] = lease{next: l.free}
			l.free = n
			break
		}
	}
	return head
}

// all appends the items of a list, the longest leased first.
func (l *leases) all(items []Item, head int32) []Item {
	start := len(items)
	for n := head; n != 0; n = l.slots[n-1].next {
		items = append(items, l.slots[n-1].it)
	}
	slices.Reverse(items[start:])
	return items
}
