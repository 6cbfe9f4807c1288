package frontier

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"
)

// weather is a web whose answers a test chooses, and a crawl of it in virtual time.
type weather struct {
	t       *testing.T
	f       *Frontier
	now     time.Time
	workers int
	answer  func(it Item, at time.Duration) Outcome // at: since the epoch
	robots  func(it Item, at time.Duration) Outcome // nil: as the page; asked for in an outage
	flight  []flight                                // by when they end

	done  map[string]time.Duration // pages that were answered, or whose answer stands
	lost  []string                 // pages that were given up
	asked map[string][]time.Time   // starts of the requests, by host
	tries map[string][]time.Duration

	probes int // for robots.txt that were answered
}

type flight struct {
	it   Item
	o    Outcome
	ends time.Time
}

func newWeather(t *testing.T, cfg Config, hosts, pages int, answer func(Item, time.Duration) Outcome) *weather {
	cfg.Slots = 64
	w := &weather{t: t, f: New(cfg), now: epoch, workers: 64, answer: answer,
		done: map[string]time.Duration{}, asked: map[string][]time.Time{}, tries: map[string][]time.Duration{}}
	for h := range hosts {
		for p := range pages {
			w.f.Push(item(t, fmt.Sprintf("http://h%d/%d", h, p), p/20))
		}
	}
	return w
}

// run crawls until all is done, and returns how long that took.
func (w *weather) run(most time.Duration) time.Duration {
	w.t.Helper()
	for !w.f.Idle() {
		for len(w.flight) < w.workers {
			it, ok := w.f.Next(w.now)
			if !ok {
				break
			}
			w.ask(it)
		}
		w.wait()
		if w.now.Sub(epoch) > most {
			w.t.Fatalf("after %v %d pages are done, %d lost, %d queued", most, len(w.done), len(w.lost), w.f.Queued())
		}
	}
	return w.now.Sub(epoch)
}

func (w *weather) ask(it Item) {
	u, h := it.URL.String(), it.URL.Host()
	if starts := w.asked[h]; len(starts) > 0 && w.f.cfg.PerHost == 1 && w.now.Sub(starts[len(starts)-1]) < w.f.cfg.Delay {
		w.t.Fatalf("%s asked %v after the request before", h, w.now.Sub(starts[len(starts)-1]))
	}
	w.asked[h] = append(w.asked[h], w.now)
	answer := w.answer
	if it.Lease.Outage && w.robots != nil {
		answer = w.robots
	} else {
		w.tries[u] = append(w.tries[u], w.now.Sub(epoch))
	}
	o := answer(it, w.now.Sub(epoch))
	o.Started = w.now
	took := 50 * time.Millisecond
	if o.Why == "timeout" {
		took = 10 * time.Second
	}
	fl := flight{it, o, w.now.Add(took)}
	i, _ := slices.BinarySearchFunc(w.flight, fl, func(a, b flight) int {
		return cmp.Or(a.ends.Compare(b.ends), -1) // behind those that end then, too
	})
	w.flight = slices.Insert(w.flight, i, fl)
}

// wait lets time pass until something happens.
func (w *weather) wait() {
	at, ok := w.f.Wake()
	if len(w.flight) > 0 && (!ok || len(w.flight) == w.workers || !w.flight[0].ends.After(at)) {
		fl := w.flight[0]
		w.flight = w.flight[1:]
		w.now = later(w.now, fl.ends)
		w.end(fl)
		return
	}
	if !ok {
		w.t.Fatalf("%d queued, and nothing is ever to happen", w.f.Queued())
	}
	w.now = later(w.now, at)
}

func (w *weather) end(fl flight) {
	if fl.it.Lease.Outage && w.robots != nil && fl.o.Kind == Answered {
		w.probes++
		if w.f.Heard(fl.it, fl.o.Started, w.now) {
			w.t.Fatalf("%s is closed", fl.it.URL.Host())
		}
		return
	}
	stands := fl.o.Kind == Answered || fl.o.Kind == Faulty && fl.it.Lease.LastFaulty || fl.o.Kind == Throttled && fl.it.Lease.Last
	d := w.f.Done(fl.it, w.now, fl.o)
	u := fl.it.URL.String()
	switch {
	case fl.o.Kind == Answered:
		w.done[u] = w.now.Sub(epoch)
	case !d.Again:
		if stands {
			u += " stands"
		}
		w.lost = append(w.lost, u)
	}
	if d.Closed {
		w.f.Drain(fl.it.URL.Host(), 1<<30, func(it Item) { w.lost = append(w.lost, it.URL.String()) })
	}
}

func good() Outcome { return Outcome{} }

var (
	refused  = Outcome{Kind: Failed, Retry: true, Why: "connect"}
	nxdomain = Outcome{Kind: Failed, Gone: true, Why: "no-host"}
	noRoute  = Outcome{Kind: Failed, Retry: true, Offline: true, Why: "connect"}
	busy     = Outcome{Kind: Throttled, Retry: true, Why: "503"}
	broken   = Outcome{Kind: Faulty, Retry: true, Why: "500"}
)

// between answers o from one moment to another.
func between(from, to time.Duration, o Outcome) func(Item, time.Duration) Outcome {
	return func(_ Item, at time.Duration) Outcome {
		if at >= from && at < to {
			return o
		}
		return good()
	}
}

// Whatever is away for a while is waited for: no page is lost, and when it is back, the
// crawl soon has its pace again.
func TestTroubleIsWaitedOut(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name         string
		cfg          Config
		hosts, pages int
		from, to     time.Duration
		o            Outcome
	}{
		{"connections are refused for five minutes", Config{}, 20, 60, 10 * s, 310 * s, refused},
		{"no route for five minutes", Config{}, 100, 30, 10 * s, 310 * s, noRoute},
		{"no such names for half a minute", Config{}, 20, 40, 10 * s, 40 * s, nxdomain},
		{"the resolver fails for five minutes", Config{}, 20, 40, 10 * s, 310 * s, noRoute},
		{"the resolver fails from the start", Config{}, 20, 40, 0, 300 * s, noRoute},
		{"no such names from the start", Config{}, 20, 40, 0, 30 * s, nxdomain},
		{"one host alone is away", Config{}, 1, 40, 10 * s, 310 * s, refused},
		{"one host with one page", Config{}, 1, 1, 0, 50 * s, refused},
		{"502 for a minute", Config{}, 10, 100, 10 * s, 70 * s, busy},
		{"503 for ten minutes", Config{}, 10, 3, 1 * s, 600 * s, busy},
		{"500 for ten seconds", Config{Delay: 100 * time.Millisecond}, 1, 289, 5 * s, 15 * s, broken},
		{"500 for five minutes", Config{}, 10, 30, 5 * s, 305 * s, broken},
		{"no delay, two connections", Config{Delay: NoDelay, PerHost: 2}, 20, 60, 60 * time.Millisecond, 90 * s, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Retries = 2
			w := newWeather(t, c.cfg, c.hosts, c.pages, between(c.from, c.to, c.o))
			alone := newWeather(t, c.cfg, c.hosts, c.pages, func(Item, time.Duration) Outcome { return good() }).run(time.Hour)
			took := w.run(2 * time.Hour)
			if len(w.done) != c.hosts*c.pages || len(w.lost) > 0 {
				t.Errorf("%d pages of %d, lost %v", len(w.done), c.hosts*c.pages, w.lost[:min(len(w.lost), 10)])
			}
			// A page may wait for as long again as the trouble took.
			if most := alone + 2*(c.to-c.from) + 2*time.Minute; took > most {
				t.Errorf("took %v, %v without the trouble", took, alone)
			}
		})
	}
}

// After a host's recovery it is asked at the allowed pace within a minute, and no sooner than
// that ever.
func TestPaceAfterTrouble(t *testing.T) {
	for _, o := range []Outcome{busy, refused, broken} {
		w := newWeather(t, Config{Retries: 2}, 10, 600, between(10*time.Second, 210*time.Second, o))
		w.run(2 * time.Hour)
		for h, starts := range w.asked {
			n := 0
			for _, at := range starts {
				if since := at.Sub(epoch); since >= 270*time.Second && since < 330*time.Second {
					n++
				}
			}
			if n < 58 {
				t.Errorf("%s: %s was asked %d times in the second minute after its recovery", o.Why, h, n)
			}
		}
	}
}

// During an outage of the network one host at a time is asked, ever more rarely, and
// afterwards they come back one at a time.
func TestOutageIsProbed(t *testing.T) {
	const from, to = 10 * time.Second, 310 * time.Second
	w := newWeather(t, Config{Retries: 2}, 50, 60, between(from, to, noRoute))
	w.run(time.Hour)
	var starts []time.Duration
	for _, list := range w.asked {
		for _, at := range list {
			if d := at.Sub(epoch); d >= from+4*time.Second && d < to {
				starts = append(starts, d)
			}
		}
	}
	slices.Sort(starts)
	if len(starts) < 15 || len(starts) > 30 {
		t.Errorf("%d requests in an outage of five minutes", len(starts))
	}
	for i := 6; i < len(starts); i++ {
		if gap := starts[i] - starts[i-1]; gap < maxPause {
			t.Errorf("probes %v apart", gap)
		}
	}
	for u, tries := range w.tries {
		if len(tries) > 8 {
			t.Errorf("%s was asked for at %v", u, tries)
		}
	}
}

// If the last pages of all hosts never answer, that is not the network: the hosts answer for
// something else. What these pages have against them stands, and they are given up in time.
func TestProbeAcquitsTheNetwork(t *testing.T) {
	for _, bad := range []int{1, 20} {
		w := newWeather(t, Config{Delay: time.Second, Retries: 2}, 4, 40, nil)
		w.answer = func(it Item, _ time.Duration) Outcome {
			var p int
			if fmt.Sscanf(it.URL.String(), "http://"+it.URL.Host()+"/%d", &p); p >= 40-bad {
				return refused
			}
			return good()
		}
		w.robots = func(Item, time.Duration) Outcome { return good() }
		took := w.run(time.Hour)
		if len(w.done) != 4*(40-bad) || len(w.lost) != 4*bad || took > DefaultPatience+10*time.Minute {
			t.Errorf("%d bad pages: %d pages are done, %d lost, after %v", bad, len(w.done), len(w.lost), took)
		}
		if w.probes == 0 || w.probes > 20*(bad+1) {
			t.Errorf("%d bad pages: %d probes", bad, w.probes)
		}
		for u, tries := range w.tries {
			if len(tries) > 8 {
				t.Errorf("%d bad pages: %s was asked for at %v", bad, u, tries)
			}
		}
	}
}

// A network that is away takes robots.txt with it: nothing counts, and nobody waits longer.
func TestProbesFailInAnOutage(t *testing.T) {
	away := between(10*time.Second, 310*time.Second, refused)
	w := newWeather(t, Config{Retries: 2}, 20, 60, away)
	w.robots = away
	took := w.run(time.Hour)
	if len(w.done) != 20*60 || w.probes != 1 || took > 8*time.Minute {
		t.Errorf("%d pages are done after %v, lost %v; %d probes were answered", len(w.done), took, w.lost, w.probes)
	}
}

// A host that had not answered yet when the outage began, nor when others answered again, is not
// given up for that.
func TestUnknownHostInAnOutage(t *testing.T) {
	for _, back := range []time.Duration{0, 2 * time.Second, 5 * time.Second} {
		w := newWeather(t, Config{Delay: NoDelay, Retries: 1}, 19, 60, nil)
		w.f.Push(item(t, "http://h19/", 0)) // a seed: nothing else of it is known
		w.answer = func(it Item, at time.Duration) Outcome {
			from, to := 500*time.Millisecond, 90*time.Second
			if it.URL.Host() == "h19" {
				from, to = 0, to+back
			}
			if at >= from && at < to {
				return refused
			}
			return good()
		}
		w.robots = w.answer
		w.run(time.Hour)
		if len(w.done) != 19*60+1 {
			t.Errorf("back %v later: %d pages of 1,141, lost %v", back, len(w.done), w.lost)
		}
	}
}

// The end of an outage does not become a crawl of one page at a time, because dead hosts
// stand before the living.
func TestDeadHostsAfterAnOutage(t *testing.T) {
	w := newWeather(t, Config{Retries: 2}, 5, 40, nil)
	for i := range 200 {
		w.f.Push(item(t, fmt.Sprintf("http://dead%d/", i), 1))
	}
	dead := Outcome{Kind: Failed, Retry: true, Why: "timeout"}
	away := between(5*time.Second, 60*time.Second, noRoute)
	w.answer = func(it Item, at time.Duration) Outcome {
		if it.URL.Host()[0] == 'd' && at > 5*time.Second {
			return dead
		}
		return away(it, at)
	}
	for i := range 200 { // their first turn comes with the outage
		w.f.host(fmt.Sprintf("dead%d", i)).notBefore = at(5 * time.Second)
	}
	w.run(time.Hour)
	last := time.Duration(0)
	for u, at := range w.done {
		if u[7] == 'h' {
			last = max(last, at)
		}
	}
	if len(w.done) != 200 || last > 5*time.Minute {
		t.Errorf("%d living pages, the last after %v", len(w.done), last)
	}
}

// Hosts that never answer cost what they did: three attempts for a page, or one if there is no
// such name, within seconds; also when the living have been asked for everything.
func TestDeadHostsAreGivenUpSoon(t *testing.T) {
	for _, o := range []Outcome{refused, nxdomain} {
		w := newWeather(t, Config{Retries: 2}, 10, 30, nil)
		for i := range 1000 {
			w.f.Push(item(t, fmt.Sprintf("http://dead%d/", i), 1))
		}
		w.answer = func(it Item, _ time.Duration) Outcome {
			if it.URL.Host()[0] == 'd' {
				return o
			}
			return good()
		}
		took := w.run(time.Hour)
		if len(w.done) != 300 || len(w.lost) != 1000 || took > 40*time.Second {
			t.Errorf("%s: %d pages, %d given up, after %v", o.Why, len(w.done), len(w.lost), took)
		}
		requests := 0
		for h, starts := range w.asked {
			if h[0] == 'd' {
				requests += len(starts)
			}
		}
		if requests > 3300 || o.Gone && requests > 1100 {
			t.Errorf("%s: %d requests for 1,000 dead hosts", o.Why, requests)
		}
	}
}

// A page's own trouble is the page's: its attempts lie a minute apart, other pages go first,
// and what it answers stands in the end.
func TestPageInTrouble(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   Config
		o     Outcome
		tries []time.Duration // seconds, at least
		lost  string
	}{
		{"an error", Config{Retries: 2}, broken, []time.Duration{0, 60, 120}, "http://h0/7 stands"},
		{"an error, and no retries", Config{}, broken, []time.Duration{0}, "http://h0/7 stands"},
		{"an error, and no patience", Config{Retries: 2, Patience: NoPatience}, broken, []time.Duration{0}, "http://h0/7 stands"},
		{"no time for it", Config{Retries: 2}, busy, []time.Duration{0, 60, 120}, "http://h0/7 stands"},
		{"no answer", Config{Retries: 2}, refused, []time.Duration{0, 60, 120, 240, 480, 960, 1800}, "http://h0/7"},
		{"no answer, and less patience", Config{Patience: 90 * time.Second}, refused, []time.Duration{0, 60, 90}, "http://h0/7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWeather(t, c.cfg, 1, 200, func(it Item, _ time.Duration) Outcome {
				if it.URL.Path() == "/7" {
					return c.o
				}
				return good()
			})
			w.run(time.Hour)
			if len(w.done) != 199 || !slices.Equal(w.lost, []string{c.lost}) {
				t.Errorf("%d pages, lost %v", len(w.done), w.lost)
			}
			tries := w.tries["http://h0/7"]
			if len(tries) != len(c.tries) {
				t.Fatalf("tried at %v", tries)
			}
			for i, at := range tries {
				if at -= tries[0]; at < c.tries[i]*time.Second || at > (c.tries[i]+20)*time.Second*21/20 {
					t.Errorf("tried at %v", tries)
				}
			}
		})
	}
}

// Two hundred broken pages in a row, and a hundred good ones behind them.
func TestBrokenPagesDoNotCloseTheirHost(t *testing.T) {
	w := newWeather(t, Config{Retries: 2}, 1, 300, func(it Item, _ time.Duration) Outcome {
		if len(it.URL.Path()) < 4 || it.URL.Path() < "/200" {
			return broken
		}
		return good()
	})
	took := w.run(2 * time.Hour)
	if len(w.done) != 100 || len(w.lost) != 200 || took > time.Hour {
		t.Errorf("%d good pages, %d broken, after %v", len(w.done), len(w.lost), took)
	}
}

// A host is given up when its trouble has lasted for Patience, and not before.
func TestHostIsGivenUp(t *testing.T) {
	for _, o := range []Outcome{busy, refused} {
		w := newWeather(t, Config{Retries: 2}, 3, 100, nil)
		w.answer = func(it Item, at time.Duration) Outcome {
			if it.URL.Host() == "h1" && at > 20*time.Second {
				return o
			}
			return good()
		}
		took := w.run(time.Hour)
		if len(w.lost) == 0 || len(w.done)+len(w.lost) != 300 || took < DefaultPatience || took > DefaultPatience+time.Minute {
			t.Errorf("%s: %d pages, %d given up, after %v", o.Why, len(w.done), len(w.lost), took)
		}
	}
	// The only seed is mistyped.
	w := newWeather(t, Config{Retries: 2}, 1, 5, func(Item, time.Duration) Outcome { return refused })
	if took := w.run(time.Hour); len(w.lost) != 5 || took < strangerPatience || took > strangerPatience+maxBackoff {
		t.Errorf("nobody answers: %d given up after %v", len(w.lost), took)
	}
}

// A host that did not answer for a while is asked at the allowed pace from its first answer on:
// that connections were refused says nothing about how often it may be asked. One that has asked
// for less is not.
func TestPaceFromTheFirstAnswer(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name     string
		from, to time.Duration
		first    Outcome // for half of the time
		then     Outcome
		atOnce   bool
	}{
		{"refused", 10 * s, 210 * s, refused, refused, true},
		{"unreachable", 10 * s, 210 * s, noRoute, noRoute, true},
		{"no such name", 10 * s, 210 * s, nxdomain, nxdomain, true},
		{"refused from the start", 0, 50 * s, refused, refused, true},
		{"throttled", 10 * s, 210 * s, busy, busy, false},
		{"broken", 10 * s, 210 * s, broken, broken, false},
		{"throttled, then refused", 10 * s, 210 * s, busy, refused, false},
		{"refused, then throttled", 10 * s, 210 * s, refused, busy, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWeather(t, Config{Retries: 2}, 2, 400, nil)
			// The other host answers throughout, so it is not the network's trouble; but if that
			// is so from the start, a host that never answered is soon given up.
			w.answer = func(it Item, at time.Duration) Outcome {
				switch {
				case at < c.from || at >= c.to || it.URL.Host() != "h0" && c.from > 0:
					return good()
				case at < (c.from+c.to)/2:
					return c.first
				}
				return c.then
			}
			w.run(2 * time.Hour)
			starts := w.asked["h0"]
			first := slices.IndexFunc(starts, func(at time.Time) bool { return at.Sub(epoch) >= c.to })
			if got := starts[first+10].Sub(starts[first]); (got == 10*time.Second) != c.atOnce {
				t.Errorf("the first ten requests after its first answer took %v", got)
			}
		})
	}
}

// The delay counts from the moment that a request was sent: a name server that takes its time
// does not bring two requests together.
func TestDelayCountsFromTheRequest(t *testing.T) {
	f := New(Config{Delay: time.Second})
	for p := range 3 {
		f.Push(item(t, fmt.Sprintf("http://h/%d", p), 0))
	}
	it, _ := f.Next(epoch)
	sent := epoch.Add(5 * time.Second)
	f.Done(it, sent.Add(10*time.Millisecond), Outcome{Started: epoch, Sent: sent})
	if at, _ := f.Wake(); at != sent.Add(time.Second) {
		t.Errorf("the next request is due %v after the one before was sent", at.Sub(sent))
	}
	it, _ = f.Next(sent.Add(time.Second))
	again := sent.Add(8 * time.Second)
	f.RobotsRead(it, (&Outcome{Started: sent.Add(time.Second), Sent: again}).Asked())
	if at, _ := f.Wake(); at != again.Add(time.Second) {
		t.Errorf("after robots.txt the next request is due %v after that was sent", at.Sub(again))
	}
}

// A wait as long as patience is granted, and nothing else of the host is asked meanwhile.
func TestRetryAfterWithinPatience(t *testing.T) {
	const wait = 25 * time.Minute
	plea := busy
	plea.RetryAfter = wait
	w := newWeather(t, Config{Retries: 2}, 2, 20, nil)
	first := true
	w.answer = func(it Item, at time.Duration) Outcome {
		if it.URL.Host() == "h0" && at >= 5*time.Second && first {
			first = false
			return plea
		}
		return good()
	}
	w.run(time.Hour)
	if len(w.done) != 40 {
		t.Errorf("%d pages of 40, lost %v", len(w.done), w.lost)
	}
	gap := time.Duration(0)
	for i, at := range w.asked["h0"][1:] {
		gap = max(gap, at.Sub(w.asked["h0"][i]))
	}
	if gap < wait || gap > wait+time.Minute {
		t.Errorf("the host was left alone for %v", gap)
	}
}

// A crawl that was stopped for longer than patience waits for its pages in trouble as long again
// as a new one does.
func TestPatienceBeginsAnew(t *testing.T) {
	for _, o := range []Outcome{refused, broken} {
		d := newMemDisk()
		f := New(Config{Disk: d, Retries: 2})
		f.Push(item(t, "http://h0/1", 0))
		f.Push(item(t, "http://h0/2", 0))
		it, _ := f.Next(epoch)
		f.Done(it, epoch, good())
		it, _ = f.Next(at(time.Second))
		f.Done(it, at(time.Second), o)
		commit(f, d)
		d.land()
		w := newWeather(t, Config{Retries: 2}, 0, 0, nil)
		w.now = epoch.Add(100 * time.Hour)
		w.f = restore(t, Config{Retries: 2}, d, w.now)
		until := w.now.Sub(epoch) + 50*time.Second
		w.answer = between(0, until, o)
		w.run(200 * time.Hour)
		if len(w.done) != 1 || len(w.lost) > 0 {
			t.Errorf("%s: lost %v", o.Why, w.lost)
		}
		if tries := w.tries["http://h0/2"]; len(tries) != 2 || tries[1]-tries[0] > 2*time.Minute {
			t.Errorf("%s: tried at %v", o.Why, tries)
		}
	}
}

// Three hosts that fall silent together are no outage while a fourth one is well, whose turn comes
// rarely: it is what is probed.
func TestSlowHostAcquitsTheNetwork(t *testing.T) {
	w := newWeather(t, Config{Retries: 2, MaxDelay: 30 * time.Second}, 4, 200, func(it Item, at time.Duration) Outcome {
		if it.URL.Host() != "h3" && at > 20*time.Second {
			return refused
		}
		return good()
	})
	w.f.SetDelay("h3", 10*time.Second)
	w.robots = w.answer
	for w.now.Sub(epoch) < 2*time.Hour && len(w.asked["h3"]) < 200 {
		for it, ok := w.f.Next(w.now); ok; it, ok = w.f.Next(w.now) {
			w.ask(it)
		}
		w.wait()
		if since, _, down := w.f.Outage(); down && w.now.Sub(since) > time.Minute {
			t.Fatalf("an outage since %v; h3 was asked %d times", since.Sub(epoch), len(w.asked["h3"]))
		}
	}
	if n := len(w.asked["h3"]); n < 200 {
		t.Errorf("h3 was asked %d times in two hours", n)
	}
}

// A request that was aborted, or failed here, is no answer of its host.
func TestReturnIsNoAnswer(t *testing.T) {
	f := New(Config{})
	f.Push(item(t, "http://dead/1", 0))
	it, _ := f.Next(epoch)
	f.Return(it, epoch)
	if h := f.host("dead"); h.answered || h.prompt || !f.network.heard.IsZero() {
		t.Errorf("answered %v, prompt %v, heard %v", h.answered, h.prompt, f.network.heard)
	}
}

// The wait that a host asks for outlives its answers to requests that were under way, good and
// bad.
func TestRetryAfterOutlivesWhatIsUnderWay(t *testing.T) {
	f := New(Config{PerHost: 8, Retries: 3})
	for i := range 30 {
		f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
	}
	now := epoch
	var items []Item
	for ; len(items) < 8; now = now.Add(time.Second) {
		if it, ok := f.Next(now); ok {
			f.Start(it, now)
			items = append(items, it)
		}
	}
	outcomes := []Outcome{{Kind: Throttled, RetryAfter: 300 * time.Second, Retry: true}, good(), good(), good(), good(), refused, refused, good()}
	var until time.Time
	for i, o := range outcomes {
		o.Started = epoch.Add(time.Duration(i) * time.Second)
		f.Done(items[i], now.Add(time.Duration(i)*10*time.Millisecond), o)
		if i == 0 {
			until = f.host("a").notBefore
		}
	}
	if at, _ := f.Wake(); at.Before(until) {
		t.Errorf("asked again %v too early", until.Sub(at))
	}
}

// Of a host that never answered it is said that it did not: a 503 is an answer.
func TestWaitingForWhatNeverAnswered(t *testing.T) {
	f := New(Config{Delay: NoDelay})
	for _, url := range []string{"https://busy.example/", "https://never.example/"} {
		for p := range 3 {
			f.Push(item(t, fmt.Sprint(url, p), 0))
		}
	}
	for now, n := epoch, 0; n < 4; n, now = n+1, now.Add(time.Minute) {
		it, ok := f.Next(now)
		if !ok {
			t.Fatalf("nothing to fetch, %+v", f.Waiting(9))
		}
		o := Outcome{Kind: Failed, Why: "connect", Retry: true, Started: now}
		if it.URL.Host() == "busy.example" {
			o.Kind, o.Why = Throttled, "503"
		}
		f.Done(it, now, o)
	}
	w := f.Waiting(9)
	for _, h := range w.Longest {
		if want := h.Host == "busy.example"; h.Answered != want || h.Until.Sub(h.Since) != DefaultPatience {
			t.Errorf("%+v", h)
		}
	}
	if len(w.Longest) != 2 {
		t.Errorf("%+v", w)
	}
}
