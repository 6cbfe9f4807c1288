package frontier

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// leased leases what may be leased at the moment now, up to 99.
func leased(f *Frontier, now time.Time) (items []Item) {
	for it, ok := f.Next(now); ok && len(items) < 99; it, ok = f.Next(now) {
		items = append(items, it)
	}
	return items
}

// Unproven hosts never have the slots that prompt hosts could use, and have all when
// there are no prompt ones. All are served in the end.
func TestSlotsAreKeptForPromptHosts(t *testing.T) {
	for _, c := range []struct {
		name          string
		slots, others int
		outcome       Outcome // of the other hosts' first page
		took          time.Duration
		want          int // leases of unproven hosts
	}{
		{"none prompt", 16, 0, Outcome{}, 0, 16},
		{"a few prompt", 16, 2, Outcome{}, time.Second, 14},
		{"many prompt", 16, 10, Outcome{}, time.Second, 12},
		{"throttled, but prompt", 16, 10, Outcome{Kind: Throttled}, time.Second, 12},
		{"slow", 16, 10, Outcome{}, 6 * time.Second, 16},
		{"failed", 16, 10, Outcome{Kind: Failed}, time.Second, 16},
		{"no limit", 0, 10, Outcome{}, time.Second, 50},
		{"too few to keep any", 3, 10, Outcome{}, time.Second, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New(Config{Delay: time.Hour, Slots: c.slots})
			for i := range c.others {
				f.Push(item(t, fmt.Sprintf("http://other%d/0", i), 0))
				f.Push(item(t, fmt.Sprintf("http://other%d/1", i), 0))
				it, _ := f.Next(epoch)
				c.outcome.Started = epoch
				f.Done(it, at(c.took), c.outcome)
			}
			for i := range 50 {
				f.Push(item(t, fmt.Sprintf("http://dead%d/", i), 0))
			}
			dead := leased(f, at(time.Minute)) // the others are not to be asked yet
			if len(dead) != c.want {
				t.Fatalf("%d leases of unproven hosts, want %d", len(dead), c.want)
			}
			now := at(24 * time.Hour)
			if n := len(leased(f, now)); c.slots > c.want && n != c.others {
				t.Errorf("%d leases of prompt hosts, want %d", n, c.others)
			}
			served := len(dead)
			for ; len(dead) > 0; served += len(dead) {
				for _, it := range dead {
					f.Done(it, now, Outcome{Kind: Failed, Started: now})
				}
				dead = leased(f, now)
			}
			if f.Queued() != 0 {
				t.Errorf("%d of 50 unproven hosts were served, %d URLs are left", served, f.Queued())
			}
		})
	}
}

// A host whose robots.txt was read is prompt, and one that fails then is not; the leases
// it has follow it, and it is parked no longer.
func TestPromptnessFollowsTheLastTry(t *testing.T) {
	f := New(Config{Delay: NoDelay, PerHost: 3, Slots: 3, Retries: 5})
	for p := range 5 {
		f.Push(item(t, fmt.Sprintf("http://a/%d", p), 0))
	}
	items := leased(f, epoch)
	f.Push(item(t, "http://b/", 0))
	if _, ok := f.Wake(); ok || len(items) != 3 || len(f.slots.parked[unproven]) != 1 || f.slots.unproven != 3 {
		t.Fatalf("%d hosts are parked, %d leases of unproven hosts; want 1 and 3", len(f.slots.parked[unproven]), f.slots.unproven)
	}
	f.RobotsRead(items[0], epoch)
	if f.slots.unproven != 0 || f.slots.prompt != 1 {
		t.Errorf("after robots.txt: %d leases of unproven hosts, %d prompt hosts", f.slots.unproven, f.slots.prompt)
	}
	f.Done(items[1], at(time.Second), Outcome{Kind: Failed, Started: epoch})
	f.Done(items[2], at(time.Second), Outcome{Kind: Unasked})
	if f.slots.prompt != 0 || f.slots.unproven != 0 || f.Leased() != 0 {
		t.Errorf("after a failure: %d prompt hosts, %d leases, %d of unproven hosts", f.slots.prompt, f.Leased(), f.slots.unproven)
	}
	for now := at(time.Minute); !f.Idle(); {
		for _, it := range leased(f, now) {
			f.Done(it, now, Outcome{Started: now})
		}
	}
	if f.slots.prompt != 0 || f.slots.unproven != 0 || len(f.slots.parked[unproven]) != 0 {
		t.Errorf("at the end: %+v", f.slots)
	}
}

// A page that waits for memory has no slot, as many as there are slots; and a host that had such a
// page is not asked again while a quarter of the slots wait, though others are.
func TestPagesThatWaitForMemoryHaveNoSlot(t *testing.T) {
	const slots = 8
	for _, perIP := range []int{NoPerIP, slots} {
		f := New(Config{Delay: NoDelay, Slots: slots, PerIP: perIP})
		push := func(kind string, hosts, pages int) {
			for p := range pages {
				for h := range hosts {
					f.Push(item(t, fmt.Sprintf("http://%s%d/%d", kind, h, p), 0))
				}
			}
		}
		push("heavy", 20, 3)
		var away, kept []Item
		for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
			if it.Lease.Locate && perIP > 0 {
				f.Located(it, netip.MustParseAddr(fmt.Sprintf("192.0.2.%d", 1+len(away)+len(kept))))
				continue
			}
			if it.Lease.Away = f.Away(it); it.Lease.Away {
				away = append(away, it)
			} else {
				kept = append(kept, it)
			}
		}
		if len(away) != slots || len(kept) != slots || f.NumAway() != slots || f.slots.unproven != slots {
			t.Fatalf("PerIP %d: %d pages gave up their slots, %d did not; %d and %d are counted; want %d each",
				perIP, len(away), len(kept), f.NumAway(), f.slots.unproven, slots)
		}
		for _, it := range kept {
			f.Done(it, epoch, Outcome{Started: epoch, Heavy: true})
		}
		push("light", 20, 1)
		served := map[string]int{}
		for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
			if it.Lease.Locate && perIP > 0 {
				f.Located(it, netip.MustParseAddr("198.51.100.1"))
				continue
			}
			served[strings.TrimRight(it.URL.Hostname(), "0123456789")+strings.TrimLeft(it.URL.Path(), "/")]++
			f.Done(it, epoch, Outcome{Started: epoch})
		}
		// The four heavy hosts that were never asked are unknown.
		if served["light0"] != 20 || served["heavy0"] != 4 || served["heavy1"] > 4 || len(served) > 4 {
			t.Errorf("PerIP %d: while pages wait, %v were served", perIP, served)
		}
		for _, it := range away {
			f.Done(it, epoch, Outcome{Started: epoch, Heavy: true})
		}
		for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
			f.Done(it, epoch, Outcome{Started: epoch})
		}
		if !f.Idle() || f.NumAway() != 0 || f.slots.unproven != 0 || f.slots.prompt != 0 {
			t.Errorf("PerIP %d: at the end %d URLs are queued, slots %+v", perIP, f.Queued(), f.slots)
		}
		for c := range f.slots.parked {
			if n := len(f.slots.parked[c]); n > 0 {
				t.Errorf("PerIP %d: at the end %d hosts are parked", perIP, n)
			}
		}
	}
}
