package frontier

import (
	"fmt"
	"testing"
)

// A host that is held waits for another of its leases to end, if there is one; other hosts do not.
func TestHold(t *testing.T) {
	for _, others := range []int{0, 1, 2} {
		f := New(Config{Delay: NoDelay, PerHost: 8})
		for _, url := range []string{"http://a/1", "http://a/2", "http://a/3", "http://a/4"}[3-others:] {
			f.Push(item(t, url, 0))
		}
		var out []Item
		for range others {
			it, _ := f.Next(epoch)
			out = append(out, it)
		}
		it, _ := f.Next(epoch)
		if f.Alone(it) != (others == 0) {
			t.Errorf("%d other leases: Alone is %t", others, f.Alone(it))
		}
		f.Hold(it)
		f.Push(item(t, "http://b/", 0))
		if it, ok := f.Next(epoch); !ok || others > 0 && it.URL.Host() != "b" {
			t.Errorf("%d other leases: Next is %s, %t", others, it.URL, ok)
		}
		if others == 0 {
			continue
		}
		if it, ok := f.Next(epoch); ok {
			t.Errorf("%d other leases: %s is leased", others, it.URL)
		}
		f.Done(out[0], epoch, Outcome{})
		if _, ok := f.Next(epoch); !ok {
			t.Errorf("%d other leases: nothing is leased after one has ended", others)
		}
	}
}

// What is held keeps its place among those of its rank and depth, and gives way to what comes
// before them; it may be exchanged like any that is leased for the first time.
func TestHoldKeepsThePlace(t *testing.T) {
	f := New(Config{Delay: NoDelay, PerHost: 8})
	push := func(url string, rank uint8) {
		it := item(t, url, 1)
		it.Rank = rank
		f.Push(it)
	}
	push("http://a/out", 0)
	push("http://a/1", 3)
	push("http://a/2", 3)
	out, _ := f.Next(epoch)
	first, _ := f.Next(epoch)
	f.Hold(first)
	push("http://a/new", 0)
	push("http://a/3", 3)
	f.Done(out, epoch, Outcome{})
	var order []string
	for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
		if it.Lease.Again {
			t.Errorf("%s was leased before", it.URL)
		}
		order = append(order, it.URL.Path())
		f.Done(it, epoch, Outcome{})
	}
	if got := fmt.Sprint(order); got != "[/new /1 /2 /3]" || !f.Idle() {
		t.Error(got)
	}
}
