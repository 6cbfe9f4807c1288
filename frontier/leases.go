package frontier

import "slices"

// leases records the items that are leased, in one linked list per host, in memory that
// is reused. Only with a disk: what is leased at a commit is part of it.
type leases struct {
	slots []lease // numbered from 1
	free  int32   // the first unused slot, 0 for none
}

type lease struct {
	it   Item
	next int32 // the lease of the same host before this one, or the next unused slot; 0 for none
}

// add puts an item in front of the list and returns the list's new head.
func (l *leases) add(head int32, it Item) int32 {
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

// remove removes the item with the URL of it and returns the list's new head.
func (l *leases) remove(head int32, it *Item) int32 {
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
