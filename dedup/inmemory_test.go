package dedup

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"crawler/weburl"
)

func mustInMemory(t testing.TB, cfg Config) *InMemory {
	t.Helper()
	s, err := NewSeenTest(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*InMemory)
}

// admits reports whether s admits u, and knows whether it surely did before.
func admits(s SeenTest, u weburl.URL) bool { return answer(s.Admit(u)) == New }
func knows(s SeenTest, u weburl.URL) bool  { return answer(s.Peek(u)) == Seen }
func answer(_ Pending, a Answer) Answer    { return a }

// audit compares an InMemory with a map and counts what its Stats should say.
type audit struct {
	t     *testing.T
	r     *InMemory
	truth map[weburl.URL]bool
	stats Stats
}

func newAudit(t *testing.T, cfg Config) *audit {
	return &audit{t: t, r: mustInMemory(t, cfg), truth: map[weburl.URL]bool{}}
}

func (a *audit) admit(u weburl.URL) {
	a.t.Helper()
	maybe := a.r.filter.Has(u)
	isNew := !a.truth[u]
	a.truth[u] = true
	a.stats.Asked++
	if knows(a.r, u) == isNew {
		a.t.Fatalf("question %d: Peek(%v) says that new is %v", a.stats.Asked, u, !isNew)
	}
	switch {
	case !isNew && !maybe:
		a.t.Fatalf("question %d: the filter lost %v", a.stats.Asked, u)
	case !isNew:
		a.stats.Seen++
	case maybe:
		a.stats.FalsePositives++
		a.stats.New++
	default:
		a.stats.New++
	}
	if p, got := a.r.Admit(u); (got == New) != isNew || got == Maybe || p != (Pending{}) || !knows(a.r, u) || a.r.admitted != a.stats.New {
		a.t.Fatalf("question %d: Admit(%v) = %v, %v; %d admitted", a.stats.Asked, u, p, got, a.r.admitted)
	}
}

// check compares the counts with the true ones.
func (a *audit) check() Stats {
	a.t.Helper()
	s := a.r.Stats()
	if s.Asked != a.stats.Asked || s.New != a.stats.New || s.Seen != a.stats.Seen || s.FalsePositives != a.stats.FalsePositives {
		a.t.Fatalf("counted asked %d, new %d, seen %d, false positives %d; truly %d, %d, %d, %d",
			s.Asked, s.New, s.Seen, s.FalsePositives,
			a.stats.Asked, a.stats.New, a.stats.Seen, a.stats.FalsePositives)
	}
	return s
}

// Every URL is admitted once and none twice, for any size of the filter and any
// rhythm of restarts, and the counted errors are the true ones.
func TestInMemoryIsExact(t *testing.T) {
	const n = 2000
	wrong := int64(0)
	for seed := range uint64(30) {
		w := newWeb(seed, 60)
		list := w.urls(n)
		a := newAudit(t, Config{
			ExpectURLs:   1 + w.r.IntN(n),
			FPRate:       0.5 * w.r.Float64(),
			RestartEvery: w.r.IntN(3) * (50 + w.r.IntN(n)),
			Layers:       1 + w.r.IntN(MaxLayers),
			Seed:         w.r.Uint64(),
		})
		for i := range list {
			a.admit(list[i])
			a.admit(list[w.r.IntN(i+1)]) // known
			a.admit(list[w.r.IntN(n)])   // known or new
		}
		if s := a.check(); s.New != n {
			t.Fatalf("seed %d: %d of %d admitted", seed, s.New, n)
		}
		wrong += a.stats.FalsePositives
	}
	if wrong < 1000 {
		t.Errorf("only %d false positives: the exact side was not tried", wrong)
	}
}

// With two bits a URL the filter calls nearly everything "maybe"; still nothing
// is lost and nothing admitted twice.
func TestInMemoryAtTwoBits(t *testing.T) {
	const n = 10_000
	for seed := range uint64(5) {
		list := newWeb(seed, 60).urls(n)
		a := newAudit(t, Config{ExpectURLs: n, BitsPerURL: 2, Seed: seed})
		for _, u := range list {
			a.admit(u)
		}
		for _, u := range list {
			a.admit(u)
		}
		s := a.check()
		if perURL := float64(s.Bits) / n; perURL < 1.9 || perURL > 2.1 {
			t.Errorf("seed %d: %.2f bits a URL", seed, perURL)
		}
		if s.New != n || s.Seen != n || s.FalsePositives < n/4 || s.Rate != float64(s.FalsePositives)/n {
			t.Errorf("seed %d: %+v", seed, s)
		}
	}
}

// A filter that starts far too small is the right one after its restarts:
// never expected to err more than asked, and with all it held.
func TestInMemoryGrows(t *testing.T) {
	const n, rate = 40_000, 1e-2
	list := newWeb(5, 300).urls(n)
	a := newAudit(t, Config{ExpectURLs: 10, FPRate: rate})
	for i, u := range list {
		a.admit(u)
		if i > 5000 && i%500 == 0 {
			if got := a.r.Stats().ExpectedRate; got > 1.2*rate {
				t.Fatalf("expects a rate of %g at %d URLs", got, i)
			}
		}
	}
	s := a.check()
	if want := int64(math.Ceil(math.Log2(n / 10.0))); s.Restarts != want {
		t.Errorf("%d restarts, want %d", s.Restarts, want)
	}
	if s.Expect < n || s.Expect > 2*n {
		t.Errorf("sized for %d of %d URLs", s.Expect, n)
	}
	if perURL := float64(s.Bits) / float64(s.Expect); perURL < 10 || perURL > 20 {
		t.Errorf("%.1f bits a URL", perURL)
	}
	atMost(t, "false positives", s.FalsePositives, n, 1.2*rate)
	for i, l := range s.Layers {
		if l.Prefixes > 1000 && (l.Fill < 0.2 || l.Fill > 0.56) {
			t.Errorf("layer %d is not sized for its %d prefixes: %+v", i+1, l.Prefixes, l)
		}
	}
	for _, u := range list {
		if !a.r.filter.Has(u) {
			t.Fatalf("the rebuilt filter lost %v", u)
		}
	}
}

// What one epoch confuses the next one does not, or hardly more often than by
// chance; and a URL once admitted stays so.
func TestRestartChangesTheErrors(t *testing.T) {
	const n = 5000
	list := newWeb(6, 50).urls(4 * n)
	r := mustInMemory(t, Config{ExpectURLs: n, FPRate: 0.1})
	for _, u := range list[:n] {
		r.Admit(u)
	}
	confused := map[weburl.URL]bool{}
	for _, u := range list[n:] {
		if r.filter.Has(u) {
			confused[u] = true
		}
	}
	bits := r.filter.last.Bits()
	r.restart(&r.log)
	again := 0
	for u := range confused {
		if r.filter.Has(u) {
			again++
		}
	}
	if len(confused) < 500 || again*4 > len(confused) {
		t.Errorf("of %d confused URLs %d are so again", len(confused), again)
	}
	if r.filter.last.Bits() != bits {
		t.Errorf("a filter for %d bits became one of %d without need", bits, r.filter.last.Bits())
	}
	for _, u := range list[:n] {
		if !r.filter.Has(u) || admits(r, u) {
			t.Fatalf("%v lost", u)
		}
	}
}

func TestRestartEvery(t *testing.T) {
	list := newWeb(5, 30).urls(1050)
	a := newAudit(t, Config{ExpectURLs: 100_000, RestartEvery: 100, FPRate: 0.5})
	bits := a.r.filter.Bits()
	for i, u := range list {
		a.admit(u)
		a.admit(list[0]) // known URLs do not count
		if got, want := a.r.Stats().Restarts, int64(i+1)/100; got != want {
			t.Fatalf("%d restarts after %d URLs", got, i+1)
		}
	}
	s := a.check()
	if s.Expect != 100_000 || a.r.filter.last.Bits() > bits {
		t.Errorf("it grew without need: %+v", s)
	}
}

// A layer that is full of false positives must not keep prefixes out of the
// log: the next filter, with sound layers, would deny all that is below them.
func TestPrefixLogIsExact(t *testing.T) {
	a := newAudit(t, Config{ExpectURLs: 100, Layers: 3})
	const hosts = 150
	prefixes := [3]map[string]bool{{}, {}, {}}
	for i := range a.r.filter.layers { // saturated: everything is known
		for j := range a.r.filter.layers[i].lines {
			for k := range a.r.filter.layers[i].lines[j] {
				a.r.filter.layers[i].lines[j][k] = math.MaxUint64
			}
		}
	}
	for i := range hosts {
		for _, path := range []string{"/a/b/c/d", "/a/b/c/e", "/a/x", "/y"} {
			u := mustParse("http://" + name(uint64(i), 3) + ".org" + path)
			a.admit(u)
			for j := range prefixes {
				if parts := strings.SplitAfter(u.String(), "/"); len(parts) > j+3 {
					prefixes[j][strings.Join(parts[:j+3], "")] = true
				}
			}
		}
	}
	s := a.check()
	if s.Restarts == 0 {
		t.Fatal("no restart: nothing was tested")
	}
	for i := range prefixes {
		if got, want := s.Layers[i].Prefixes, int64(len(prefixes[i])); got != want {
			t.Errorf("layer %d: %d prefixes in the log, want %d", i+1, got, want)
		}
	}
	for u := range a.truth {
		if !a.r.filter.Has(u) {
			t.Fatalf("the rebuilt filter lost %v", u)
		}
	}
}

func TestStatsOfLayers(t *testing.T) {
	r := mustInMemory(t, Config{Layers: 3})
	for _, s := range []string{
		"http://a/",      // the origin is new
		"http://a/b/c/d", // a/b is
		"http://a/b/c/e", // only the URL is
		"http://a/b/f/g", // a/b/f is
		"http://b/b/f/g", // the origin is
		"http://b/b/f/g", // nothing is
	} {
		r.Admit(mustParse(s))
	}
	s := r.Stats()
	var prefixes, misses []int64
	for _, l := range s.Layers {
		prefixes = append(prefixes, l.Prefixes)
		misses = append(misses, l.Misses)
	}
	if want := []int64{2, 2, 3}; !reflect.DeepEqual(prefixes, want) {
		t.Errorf("prefixes %v, want %v", prefixes, want)
	}
	if want := []int64{2, 1, 1}; !reflect.DeepEqual(misses, want) {
		t.Errorf("misses %v, want %v", misses, want)
	}
	if s.Asked != 6 || s.New != 5 || s.Seen != 1 || s.Expect != DefaultURLs {
		t.Errorf("%+v", s)
	}
}

// The layers deny what the last array wrongly knows, and grow when a crawl has
// more prefixes than usual: one URL a host has twenty times as many.
func TestLayersPrune(t *testing.T) {
	a := newAudit(t, Config{ExpectURLs: 5000, FPRate: 0.5})
	for i := range 5000 {
		a.admit(mustParse("http://" + name(uint64(i), 6) + ".org/" + name(uint64(i), 2)))
	}
	s := a.check()
	if s.Pruned < 20*s.FalsePositives || s.Pruned < 300 {
		t.Errorf("%d false positives, %d pruned; all URLs were on new hosts", s.FalsePositives, s.Pruned)
	}
	if origins := s.Layers[0]; s.Restarts != 0 || origins.Bits < 10*5000 || origins.Bits > 20*5000 || origins.Fill > 0.56 {
		t.Errorf("%d restarts, layer of origins %+v", s.Restarts, origins)
	}
}

func TestInMemoryLayerOfIsExact(t *testing.T) {
	r := mustInMemory(t, Config{ExpectURLs: 1000, BitsPerURL: 1, Layers: 3})
	list := newWeb(4, 20).urls(1000)
	for _, u := range list {
		r.Admit(u)
	}
	for _, c := range []struct {
		path string
		want int
	}{{"/new", 2}, {"/doc/new/x", 3}, {"/doc/api/new/x/y", 6}} {
		u := mustParse("http://known.org" + c.path)
		r.Admit(mustParse("http://known.org/doc/api/z"))
		if got := r.LayerOf(u); got != c.want {
			t.Errorf("LayerOf(%v) = %d, want %d", u, got, c.want)
		}
	}
	for i, u := range list {
		if got := r.LayerOf(u); got != 0 {
			t.Fatalf("LayerOf(%v) = %d", u, got)
		}
		if u := mustParse("http://h" + strconv.Itoa(i) + ".new" + u.Path()); r.LayerOf(u) != 1 {
			t.Fatalf("LayerOf(%v) = %d", u, r.LayerOf(u))
		}
	}
}

func TestStatsOfNothing(t *testing.T) {
	s := mustInMemory(t, Config{}).Stats()
	if s.Asked != 0 || s.Rate != 0 || s.RateLow != 0 || s.RateHigh != 1 || s.Fill != 0 || s.ExpectedRate != 0 {
		t.Errorf("%+v", s)
	}
	if s.FilterBytes+s.LogBytes > 350_000 {
		t.Errorf("an empty default filter and log take %d bytes", s.FilterBytes+s.LogBytes)
	}
}

func TestMemoryIsAsStated(t *testing.T) {
	const n = 50_000
	list := newWeb(5, 300).urls(n)
	r := mustInMemory(t, Config{ExpectURLs: n})
	for _, u := range list {
		r.Admit(u)
	}
	s := r.Stats()
	if s.FilterBytes != s.Bits/8 {
		t.Errorf("%d bits in %d bytes", s.Bits, s.FilterBytes)
	}
	known := float64(s.New)
	for _, l := range s.Layers {
		known += float64(l.Prefixes)
	}
	if perEntry := float64(s.LogBytes) / known; perEntry < 8 || perEntry > 12.5 {
		t.Errorf("%.1f bytes an entry of the log", perEntry)
	}
}

func TestSameSeedSameCourse(t *testing.T) {
	list := newWeb(8, 100).urls(5000)
	run := func(seed uint64) Stats {
		r := mustInMemory(t, Config{ExpectURLs: 100, FPRate: 0.1, Seed: seed})
		for _, u := range list {
			r.Admit(u)
		}
		return r.Stats()
	}
	if one, two := run(7), run(7); !reflect.DeepEqual(one, two) {
		t.Errorf("%+v\n%+v", one, two)
	}
	if one, other := run(7), run(8); one.FalsePositives == other.FalsePositives && one.Fill == other.Fill {
		t.Error("the seed changes nothing")
	}
}

func TestAdmitOfKnownAllocatesNothing(t *testing.T) {
	list := newWeb(1, 50).urls(2000)
	r := mustInMemory(t, Config{})
	for _, u := range list {
		r.Admit(u)
	}
	i := 0
	if n := testing.AllocsPerRun(len(list), func() {
		r.Admit(list[i%len(list)])
		i++
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestZeroURL(t *testing.T) {
	r := mustInMemory(t, Config{})
	if !admits(r, weburl.URL{}) || admits(r, weburl.URL{}) {
		t.Error("the zero URL is no exception")
	}
}

func FuzzAdmit(f *testing.F) {
	f.Add("http://a/b\nhttp://b/a\nhttp://a/b\nhttp://a/a/a\nhttp://a/", 1, 0, uint64(0))
	f.Add("https://x.org/1\nhttps://x.org/1/\nhttps://x.org/1?\nhttps://x.org//1", 2, 1, uint64(9))
	f.Fuzz(func(t *testing.T, lines string, expect, every int, seed uint64) {
		a := newAudit(t, Config{
			ExpectURLs:   1 + expect&1023,
			RestartEvery: every & 15,
			FPRate:       0.5,
			Layers:       1 + int(seed%MaxLayers),
			Seed:         seed,
		})
		for line := range strings.SplitSeq(lines, "\n") {
			if u, err := weburl.Parse(line); err == nil {
				a.admit(u)
			}
		}
		a.check()
	})
}

// The coverage of the interval, computed exactly: for every true rate, the
// probability that a binomial count gives an interval with the rate inside.
func TestShareCovers(t *testing.T) {
	for _, n := range []int64{1, 10, 100, 10_000, 1_000_000} {
		for mean := 0.01; mean < 200 && mean < float64(n); mean *= 1.1 {
			p := mean / float64(n)
			covered := 0.0
			for x := int64(0); x <= n && float64(x) < mean+20*math.Sqrt(mean)+30; x++ {
				got, low, high := share(x, n)
				if got != float64(x)/float64(n) || low < 0 || low > got || high < got || high > 1 {
					t.Fatalf("share(%d, %d) = %v, %v, %v", x, n, got, low, high)
				}
				if low <= p && p <= high {
					covered += binomial(n, x, p)
				}
			}
			if covered < 0.945 {
				t.Errorf("rate %g of %d: covered with probability %.4f", p, n, covered)
			}
		}
	}
	// And it is not so wide that it says nothing.
	if _, low, high := share(1000, 1_000_000); low < 0.93e-3 || high > 1.07e-3 {
		t.Errorf("1000 of a million: %g to %g", low, high)
	}
}

func binomial(n, x int64, p float64) float64 {
	lg := func(n int64) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return math.Exp(lg(n) - lg(x) - lg(n-x) + float64(x)*math.Log(p) + float64(n-x)*math.Log1p(-p))
}

// The interval of a crawl covers the rate that many crawls with other seeds
// have on average.
func TestReportedIntervalCovers(t *testing.T) {
	const n, crawls = 1500, 120
	list := newWeb(77, 40).urls(n)
	var all []Stats
	mean := 0.0
	for seed := range uint64(crawls) {
		r := mustInMemory(t, Config{ExpectURLs: n, FPRate: 0.02, Seed: seed})
		for _, u := range list {
			r.Admit(u)
		}
		all = append(all, r.Stats())
		mean += r.Stats().Rate / crawls
	}
	covered := 0
	for _, s := range all {
		if s.RateLow <= mean && mean <= s.RateHigh {
			covered++
		}
	}
	if covered < crawls*92/100 || mean == 0 || mean > 0.02 {
		t.Errorf("%d of %d intervals cover the mean rate %g", covered, crawls, mean)
	}
}

func TestCollisionProbability(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want float64
	}{
		{0, 0}, {1, 0},
		{2, 0x1p-64},
		{1e6, 2.71e-8},
		{1e8, 2.71e-4},
		{1e9, 2.67e-2},
		{1 << 32, 0.3935}, // 1 - e^-1/2
		{math.MaxInt64, 1},
	} {
		if got := CollisionProbability(c.n); math.Abs(got-c.want) > 0.002*c.want {
			t.Errorf("CollisionProbability(%d) = %g, want %g", c.n, got, c.want)
		}
	}
}

// A long crawl: millions of questions, with the filter asked alone as well.
func TestInMemoryLong(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	w := newWeb(123, 500)
	r := rand.New(rand.NewPCG(1, 1))
	f := mustInMemory(t, Config{ExpectURLs: 1000})
	list := w.urls(60_000)
	for i, u := range list {
		if !admits(f, u) {
			t.Fatalf("%v lost", u)
		}
		for range 5 {
			if j := r.IntN(i + 1); admits(f, list[j]) {
				t.Fatalf("%v admitted twice", list[j])
			}
		}
	}
	s := f.Stats()
	if s.Rate > 1.2e-3 || s.FalsePositives == 0 {
		t.Errorf("%+v", s)
	}
}
