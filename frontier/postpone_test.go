package frontier

import "testing"

// A host that is held waits for another of its leases to end, if there is one; other hosts do not.
func TestPostponeHolds(t *testing.T) {
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
		f.Postpone(it, true)
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
