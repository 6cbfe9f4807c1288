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
	flight  []flight                                // by when they end

	done  map[string]time.Duration // pages that were answered, or whose answer stands
	lost  []string                 // pages that were given up
	asked map[string][]time.Time   // starts of the requests, by host
	tries map[string][]time.Duration
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
	w.tries[u] = append(w.tries[u], w.now.Sub(epoch))
	o := w.answer(it, w.now.Sub(epoch))
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
	stands := fl.o.Kind == Answered || fl.o.Kind == Faulty && fl.it.LastFaulty || fl.o.Kind == Throttled && fl.it.Last
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
