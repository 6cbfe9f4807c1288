package frontier

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/weburl"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return epoch.Add(d) }

func mustParse(t testing.TB, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func item(t testing.TB, url string, depth int) Item {
	return Item{URL: mustParse(t, url), Depth: depth}
}

// drainAll leases and finishes everything, jumping from one ready time to the next.
func drainAll(t *testing.T, f *Frontier, now time.Time) (urls []string, times []time.Time) {
	t.Helper()
	for !f.Idle() {
		wake, ok := f.Wake()
		if !ok {
			t.Fatalf("nothing to wait for, but %d queued and %d leased", f.Queued(), f.Leased())
		}
		now = later(now, wake)
		it, ok := f.Next(now)
		if !ok {
			t.Fatalf("Wake said %v, Next has nothing then", wake)
		}
		urls, times = append(urls, it.URL.String()), append(times, now)
		f.Done(it, now, Outcome{Started: now})
	}
	return urls, times
}

func TestShallowFirstThenInOrder(t *testing.T) {
	f := New(Config{Delay: NoDelay})
	for _, p := range []struct {
		url   string
		depth int
	}{{"http://a/3", 3}, {"http://a/1a", 1}, {"http://a/2", 2}, {"http://a/1b", 1}, {"http://a/0", 0}} {
		f.Push(item(t, p.url, p.depth))
	}
	got, _ := drainAll(t, f, epoch)
	want := []string{"http://a/0", "http://a/1a", "http://a/1b", "http://a/2", "http://a/3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHostsTakeTurns(t *testing.T) {
	f := New(Config{Delay: time.Second})
	for i := range 3 {
		for _, h := range []string{"a", "b", "c"} {
			f.Push(item(t, fmt.Sprintf("http://%s/%d", h, i), 0))
		}
	}
	got, times := drainAll(t, f, epoch)
	for i := range got {
		if want := fmt.Sprintf("/%d", i/3); !strings.HasSuffix(got[i], want) {
			t.Errorf("page %d is %s, want one ending in %s: a host was served twice before another", i, got[i], want)
		}
		if want := at(time.Duration(i/3) * time.Second); !times[i].Equal(want) {
			t.Errorf("page %d at %v, want %v", i, times[i], want)
		}
	}
}

func TestEveryFieldSurvivesTheQueue(t *testing.T) {
	f := New(Config{Delay: NoDelay})
	long := "http://long.example/" + strings.Repeat("x", 7000) + "?q=1"
	in := []Item{
		{URL: mustParse(t, "http://a.example/?"), Via: "http://a.example/via", Depth: 2},
		{URL: mustParse(t, "https://a.example/tls"), Via: "http://a.example/via", Depth: 2},
		{URL: mustParse(t, "http://a.example/no-via"), Depth: 2},
		{URL: mustParse(t, "http://a.example/hop"), Via: "http://b.example/", From: "http://a.example/old", Hops: 3, Depth: 2, Attempt: 1, Sitemap: true, Since: epoch, NewAt: 131},
		{URL: mustParse(t, "http://a.example/new"), Depth: 2, NewAt: 1},
		{URL: mustParse(t, "http://a.example/last"), Via: "http://b.example/", Depth: 2},
		{URL: mustParse(t, long), Via: "http://long.example/", Depth: 1},
		{URL: mustParse(t, "http://[2001:db8::1]:8080/v6"), Depth: 0},
	}
	for _, it := range in {
		f.Push(it)
	}
	got := map[string]Item{}
	for range in {
		it, ok := f.Next(epoch)
		if !ok {
			t.Fatal("Next has nothing")
		}
		f.Done(it, epoch, Outcome{})
		it.Lease = Lease{}
		got[it.URL.String()] = it
	}
	for _, want := range in {
		if g := got[want.URL.String()]; !reflect.DeepEqual(g, want) {
			t.Errorf("%s came out as\n%+v, went in as\n%+v", want.URL, g, want)
		}
	}
}

// Fifty hosts with random numbers of pages, durations, delays and throttling: the
// starts of two requests to one host are never closer than its spacing, and the
// crawl takes no longer than the busiest host makes it.
func TestPolitenessToTheNanosecond(t *testing.T) {
	const hosts = 50
	rng := rand.New(rand.NewPCG(1, 2))
	delay := 250 * time.Millisecond
	f := New(Config{Delay: delay})
	spacing, last, pages := map[string]time.Duration{}, map[string]time.Time{}, map[string]int{}
	for h := range hosts {
		name := fmt.Sprintf("h%d.example", h)
		spacing[name] = delay
		if h%3 == 0 {
			spacing[name] = time.Duration(300+rng.IntN(700)) * time.Millisecond
			f.SetDelay(name, spacing[name])
		}
		for p := range 1 + rng.IntN(20) {
			f.Push(item(t, fmt.Sprintf("http://%s/%d", name, p), rng.IntN(3)))
			pages[name]++
		}
	}
	running := map[time.Time][]Item{} // by end
	now := epoch
	for !f.Idle() {
		for it, ok := f.Next(now); ok; it, ok = f.Next(now) {
			h := it.URL.Host()
			if prev, ok := last[h]; ok && now.Sub(prev) < spacing[h] {
				t.Fatalf("%s asked after %v, want at least %v", h, now.Sub(prev), spacing[h])
			}
			last[h] = now
			end := now.Add(time.Duration(rng.IntN(600)) * time.Millisecond)
			running[end] = append(running[end], it)
		}
		next := time.Time{}
		if w, ok := f.Wake(); ok {
			next = w
		}
		for end := range running {
			if next.IsZero() || end.Before(next) {
				next = end
			}
		}
		now = later(now, next)
		for _, it := range running[now] {
			f.Done(it, now, Outcome{Started: last[it.URL.Host()]})
		}
		delete(running, now)
	}
	bound := time.Duration(0)
	for h, n := range pages {
		bound = max(bound, time.Duration(n)*max(spacing[h], 600*time.Millisecond))
	}
	if took := now.Sub(epoch); took > bound {
		t.Errorf("took %v, but the busiest host needs at most %v: a slow host held another", took, bound)
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	f := New(Config{Delay: 100 * time.Millisecond, Retries: 3})
	f.Push(item(t, "http://a/", 0))
	it, _ := f.Next(epoch)
	s := f.Done(it, at(50*time.Millisecond), Outcome{Kind: Throttled, Retry: true, Started: epoch, RetryAfter: 7 * time.Second})
	if !s.Again || s.Closed {
		t.Fatalf("got %+v, want another try", s)
	}
	if w, _ := f.Wake(); !w.Equal(at(7*time.Second + 50*time.Millisecond)) {
		t.Errorf("next request at %v after the start, want 7.05 s", w.Sub(epoch))
	}
	if _, ok := f.Next(at(7 * time.Second)); ok {
		t.Error("asked before Retry-After had passed")
	}
}

func TestBackoffGrowsAndRecovers(t *testing.T) {
	f := New(Config{Delay: 100 * time.Millisecond, Retries: 100})
	for i := range 40 {
		f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
	}
	step := func(k OutcomeKind) time.Duration {
		now, _ := f.Wake()
		it, ok := f.Next(now)
		if !ok {
			t.Fatal("nothing to do")
		}
		f.Done(it, now, Outcome{Kind: k, Started: now})
		w, _ := f.Wake()
		return w.Sub(now)
	}
	var got []time.Duration
	for _, k := range []OutcomeKind{Answered, Throttled, Throttled, Throttled, Answered, Answered, Answered, Answered, Answered, Answered} {
		got = append(got, step(k))
	}
	ms := time.Millisecond
	// The wait after an answer was fixed when the request began, so recovery shows
	// one page later.
	want := []time.Duration{100 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 4000 * ms, 2000 * ms, 1000 * ms, 500 * ms, 250 * ms, 125 * ms}
	if !slices.Equal(got, want) {
		t.Errorf("spacings %v, want %v", got, want)
	}
}

func TestPatienceEnds(t *testing.T) {
	t.Run("failures", func(t *testing.T) {
		f := New(Config{Delay: NoDelay, MaxFailures: 3})
		for i := range 10 {
			f.Push(item(t, fmt.Sprintf("http://dead/%d", i), 0))
		}
		closed := 0
		for n := 1; closed == 0; n++ {
			now, _ := f.Wake()
			it, _ := f.Next(now)
			if f.Done(it, now, Outcome{Kind: Failed, Started: now}).Closed {
				closed = n
			}
		}
		if closed != 3 {
			t.Errorf("closed after %d failures, want 3", closed)
		}
		if _, ok := f.Wake(); ok {
			t.Error("a closed host is still to be asked")
		}
		if n := f.Drain("dead", 1<<30, func(Item) {}); n != 7 || !f.Idle() {
			t.Errorf("drained %d, idle %v; want 7, true", n, f.Idle())
		}
		if !f.Closed(mustParse(t, "http://dead/x")) || f.Closed(mustParse(t, "http://other/")) {
			t.Error("Closed is wrong")
		}
	})
	t.Run("a wait as long as patience", func(t *testing.T) {
		f := New(Config{Patience: time.Minute, Retries: 5})
		f.Push(item(t, "http://a/", 0))
		it, _ := f.Next(epoch)
		if s := f.Done(it, epoch, Outcome{Kind: Throttled, Retry: true, RetryAfter: time.Minute}); s.Closed || !s.Again {
			t.Errorf("got %+v, want another try", s)
		}
		if at, ok := f.Wake(); !ok || at != epoch.Add(time.Minute) {
			t.Errorf("the host is asked at %v (%v), want in a minute", at, ok)
		}
	})
	t.Run("a wait of ten minutes, whatever patience is", func(t *testing.T) {
		for _, patience := range []time.Duration{NoPatience, time.Second} {
			for wait, closed := range map[time.Duration]bool{leastLongest: false, leastLongest + time.Second: true} {
				f := New(Config{Patience: patience, Retries: 5})
				f.Push(item(t, "http://a/1", 0))
				f.Push(item(t, "http://a/2", 0))
				it, _ := f.Next(epoch)
				if s := f.Done(it, epoch, Outcome{Kind: Throttled, Retry: true, RetryAfter: wait}); s.Closed != closed {
					t.Errorf("patience %v, asked to wait %v: got %+v, want closed %v", patience, wait, s, closed)
				}
				if at, ok := f.Wake(); ok == closed || ok && at != epoch.Add(wait) {
					t.Errorf("patience %v: the host is asked at %v (%v), want in %v", patience, at, ok, wait)
				}
			}
		}
	})
	t.Run("a wait beyond patience", func(t *testing.T) {
		f := New(Config{Patience: time.Minute, Retries: 5})
		f.Push(item(t, "http://a/", 0))
		it, _ := f.Next(epoch)
		if s := f.Done(it, epoch, Outcome{Kind: Throttled, Retry: true, RetryAfter: time.Hour}); !s.Closed || s.Again {
			t.Errorf("got %+v, want the host closed and no other try", s)
		}
	})
	t.Run("throttling for ever", func(t *testing.T) {
		f := New(Config{Delay: NoDelay})
		for i := range 1000 {
			f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
		}
		for now := epoch; ; now, _ = f.Wake() {
			it, _ := f.Next(now)
			if f.Done(it, now, Outcome{Kind: Throttled, Retry: true, Started: now}).Closed {
				if took := now.Sub(epoch); took < DefaultPatience || took > DefaultPatience+DefaultPatience/16 {
					t.Errorf("closed after %v of throttled answers, want %v", took, DefaultPatience)
				}
				break
			}
		}
	})
}

func TestRetriesHaveABudget(t *testing.T) {
	f := New(Config{Delay: NoDelay, Retries: 2})
	f.Push(item(t, "http://a/", 0))
	for try, now := 0, epoch; ; try++ {
		it, ok := f.Next(now)
		if !ok {
			t.Fatal("no item")
		}
		if it.Attempt != try || it.Lease.LastFaulty != (try == 2) || it.Lease.Last {
			t.Errorf("try %d: Attempt %d, Last %v, LastFaulty %v", try, it.Attempt, it.Lease.Last, it.Lease.LastFaulty)
		}
		if !f.Done(it, now, Outcome{Kind: Faulty, Retry: true}).Again {
			if try != 2 {
				t.Errorf("gave up after try %d, want 2", try)
			}
			break
		}
		now, _ = f.Wake()
	}
	if !f.Idle() {
		t.Error("not idle after the last try")
	}
}

func TestUnaskedCostsNoTime(t *testing.T) {
	f := New(Config{Delay: time.Hour})
	f.Push(item(t, "http://a/forbidden", 0))
	f.Push(item(t, "http://a/allowed", 0))
	it, _ := f.Next(epoch)
	f.Done(it, epoch, Outcome{Kind: Unasked})
	if _, ok := f.Next(epoch); !ok {
		t.Error("a URL that was refused without asking made the host wait")
	}
}

func TestReturnGoesToTheFrontAndChargesWhatWasSent(t *testing.T) {
	f := New(Config{Delay: time.Second})
	f.Push(item(t, "http://a/1", 0))
	f.Push(item(t, "http://a/2", 0))
	it, _ := f.Next(epoch)
	f.Return(it, epoch)
	if _, ok := f.Next(at(999 * time.Millisecond)); ok {
		t.Error("the robots.txt request was not charged")
	}
	again, ok := f.Next(at(time.Second))
	if !ok || again.URL != it.URL || again.Attempt != 0 {
		t.Errorf("got %v %v, want %v with no try counted", again, ok, it.URL)
	}
}

func TestConnectionsPerHost(t *testing.T) {
	for _, limit := range []int{1, 3} {
		f := New(Config{Delay: NoDelay, PerHost: limit})
		for i := range 10 {
			f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
		}
		n := 0
		for _, ok := f.Next(epoch); ok; _, ok = f.Next(epoch) {
			n++
		}
		if n != limit {
			t.Errorf("leased %d at a time, want %d", n, limit)
		}
	}
}

// With several connections the clock counts from the hand-over, not from the lease.
func TestStartMovesTheClock(t *testing.T) {
	f := New(Config{Delay: time.Second, PerHost: 2})
	f.Push(item(t, "http://a/1", 0))
	f.Push(item(t, "http://a/2", 0))
	it, _ := f.Next(epoch)
	f.Start(it, at(500*time.Millisecond))
	if _, ok := f.Next(at(1400 * time.Millisecond)); ok {
		t.Error("second request 0.9 s after the first really began")
	}
	if _, ok := f.Next(at(1500 * time.Millisecond)); !ok {
		t.Error("no second request 1 s after the first began")
	}
}

func TestBudgetPerHost(t *testing.T) {
	f := New(Config{MaxPerHost: 2})
	u := mustParse(t, "http://a/x")
	for i := range 2 {
		if !f.HasRoom(u) {
			t.Fatalf("no room after %d", i)
		}
		f.Push(Item{URL: u})
	}
	if f.HasRoom(u) || !f.HasRoom(mustParse(t, "http://b/")) {
		t.Error("the budget is not per host")
	}
}

// What turns out to be no page, as a redirect, gives its place back.
func TestBudgetIsOfPages(t *testing.T) {
	for _, noPage := range []bool{true, false} {
		f := New(Config{MaxPerHost: 1})
		f.Push(item(t, "http://a/", 0))
		it, _ := f.Next(epoch)
		f.Done(it, epoch, Outcome{NoPage: noPage})
		if got := f.HasRoom(mustParse(t, "http://a/x")); got != noPage {
			t.Errorf("NoPage %v: there is room: %v", noPage, got)
		}
	}
}

func TestIntervalHoldsOverAllHosts(t *testing.T) {
	f := New(Config{Delay: NoDelay, Interval: 100 * time.Millisecond})
	for i := range 5 {
		f.Push(item(t, fmt.Sprintf("http://h%d/", i), 0))
	}
	_, times := drainAll(t, f, epoch)
	for i, got := range times {
		if want := at(time.Duration(i) * 100 * time.Millisecond); !got.Equal(want) {
			t.Errorf("request %d at %v, want %v", i, got.Sub(epoch), want.Sub(epoch))
		}
	}
}

func TestCrawlDelayIsCappedAndNeverShortens(t *testing.T) {
	for _, c := range []struct{ asked, want time.Duration }{
		{10 * time.Second, 10 * time.Second}, {time.Hour, 30 * time.Second}, {time.Millisecond, time.Second},
	} {
		f := New(Config{Delay: time.Second})
		f.SetDelay("a", c.asked)
		f.Push(item(t, "http://a/1", 0))
		f.Push(item(t, "http://a/2", 0))
		_, times := drainAll(t, f, epoch)
		if got := times[1].Sub(times[0]); got != c.want {
			t.Errorf("Crawl-delay %v: spacing %v, want %v", c.asked, got, c.want)
		}
	}
}

func TestBusiest(t *testing.T) {
	f := New(Config{})
	for h, n := range map[string]int{"a": 3, "b": 9, "c": 1, "d": 5} {
		for i := range n {
			f.Push(item(t, fmt.Sprintf("http://%s/%d", h, i), 0))
		}
	}
	var got []string
	for _, l := range f.Busiest(3) {
		got = append(got, fmt.Sprintf("%s%d", l.Host, l.Queued))
	}
	if want := []string{"b9", "d5", "a3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Random operations against a plain model: whatever happens, every URL pushed comes
// out exactly once per try and the counts are exact.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f := New(Config{Delay: time.Duration(rng.IntN(3)) * time.Second, PerHost: 1 + rng.IntN(3), Retries: rng.IntN(3), MaxFailures: 1 + rng.IntN(6)})
		queued, leased, pushed := map[string]bool{}, map[string]Item{}, 0
		now := epoch
		for step := 0; step < 400 || !f.Idle(); step++ {
			switch op := rng.IntN(10); {
			case op < 4 && step < 400:
				it := item(t, fmt.Sprintf("http://h%d/%d", rng.IntN(5), pushed), rng.IntN(4))
				pushed++
				if !f.Closed(it.URL) {
					f.Push(it)
					queued[it.URL.String()] = true
				}
			case op < 7:
				it, ok := f.Next(now)
				if !ok {
					break
				}
				if u := it.URL.String(); !queued[u] {
					t.Fatalf("seed %d: %s was leased but is not queued", seed, u)
				} else {
					delete(queued, u)
					leased[u] = it
				}
			case len(leased) > 0:
				it := anyOf(rng, leased)
				delete(leased, it.URL.String())
				closed := false
				if rng.IntN(5) == 0 {
					closed = f.Return(it, time.Time{})
					queued[it.URL.String()] = true
				} else {
					s := f.Done(it, now, Outcome{Kind: OutcomeKind(rng.IntN(5)), Retry: rng.IntN(2) == 0, Started: now})
					closed = s.Closed
					if s.Again {
						queued[it.URL.String()] = true
					}
				}
				if closed {
					f.Drain(it.URL.Host(), 1<<30, func(it Item) { delete(queued, it.URL.String()) })
				}
			default:
				now = now.Add(time.Duration(rng.IntN(5000)) * time.Millisecond)
			}
			if f.Queued() != len(queued) || f.Leased() != len(leased) || f.Idle() != (len(queued)+len(leased) == 0) {
				t.Fatalf("seed %d, step %d: queued %d leased %d idle %v, the model has %d and %d", seed, step, f.Queued(), f.Leased(), f.Idle(), len(queued), len(leased))
			}
		}
	}
}

func anyOf(rng *rand.Rand, m map[string]Item) Item {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return m[keys[rng.IntN(len(keys))]]
}
