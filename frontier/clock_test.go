package frontier

import (
	"fmt"
	"testing"
	"time"
)

// stepped is a crawl whose first request left at epoch, took so long and had this outcome,
// that was committed then and is taken up again when the wall clock says now.
func stepped(t *testing.T, cfg Config, took time.Duration, o Outcome, now time.Time) *Frontier {
	d := newMemDisk()
	before := cfg
	before.Disk = d
	f := New(before)
	for i := range 50 {
		f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
	}
	it, _ := f.Next(epoch)
	o.Started = epoch
	f.Done(it, at(took), o)
	commit(f, d)
	d.land()
	return restore(t, cfg, d, now)
}

// A wall clock that was set between two runs, a day or ten years either way, neither has
// a host asked early nor makes it wait for longer than what it had asked for.
func TestClockSetBetweenRuns(t *testing.T) {
	const backoff = 5 * time.Minute
	for _, step := range []time.Duration{0, time.Minute, 24 * time.Hour, 87_600 * time.Hour, -time.Minute, -24 * time.Hour, -87_600 * time.Hour} {
		now := epoch.Add(step)
		f := stepped(t, Config{}, 0, Outcome{Kind: Throttled, RetryAfter: backoff}, now)
		w, ok := f.Wake()
		if wait := w.Sub(now); !ok || wait < backoff || wait > f.longest() {
			t.Errorf("stepped by %v: asked again after %v, want %v to %v", step, wait, backoff, f.longest())
		}
	}
}

// Nor does it keep failures from being counted: a dead host is given up after the usual
// number of tries, ever further apart, also if it was found dead at a time yet to come.
func TestClockSetBackCountsFailures(t *testing.T) {
	for _, step := range []time.Duration{time.Minute, 0, -5 * time.Minute, -24 * time.Hour} {
		now := epoch.Add(step)
		f := stepped(t, Config{Delay: NoDelay, MaxFailures: 5}, 30*time.Second, Outcome{Kind: Failed}, now)
		first, tries := time.Time{}, 1
		for closed := false; !closed; tries++ {
			now, _ = f.Wake()
			it, ok := f.Next(now)
			if !ok || tries == 10 {
				t.Fatalf("stepped by %v: not given up after %d tries", step, tries)
			}
			if first.IsZero() {
				first = now
			}
			closed = f.Done(it, now, Outcome{Kind: Failed, Started: now}).Closed
		}
		if tries != 5 || now.Sub(first) != (1+2+4)*time.Second {
			t.Errorf("stepped by %v: given up after %d tries in %v", step, tries, now.Sub(first))
		}
	}
}

// Within a run every clock of a host has a monotonic reading, which steps of the wall
// clock do not touch; also the clocks that come from disk.
func TestClocksAreMonotonic(t *testing.T) {
	now := time.Now()
	f := stepped(t, Config{Interval: time.Second}, 0, Outcome{Kind: Throttled, RetryAfter: 5 * time.Minute}, now)
	check := func(what string, u time.Time) {
		t.Helper()
		if u == u.Round(0) { // Round strips the reading
			t.Errorf("%s, %v, is of the wall clock alone", what, u)
		}
	}
	all := func(when string) {
		t.Helper()
		h := f.host("a")
		for name, u := range map[string]time.Time{"notBefore": h.notBefore, "backoffUntil": h.backoffUntil(), "slowed": h.troubled().slowed, "global": f.global} {
			check(when+": "+name, u)
		}
		if w, ok := f.Wake(); ok {
			check(when+": Wake", w)
		}
	}
	all("restored")
	for _, k := range []OutcomeKind{Answered, Failed, Failed, Throttled} {
		now, _ = f.Wake()
		it, ok := f.Next(now)
		if !ok {
			t.Fatal("nothing to lease")
		}
		f.Start(it, now)
		f.Done(it, now, Outcome{Kind: k, Started: now})
		all(fmt.Sprintf("after %d", k))
	}
	f.Pause(now.Add(time.Hour))
	check("paused", f.paused)
}
