package dedup

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"crawler/internal/splitmix"
	"crawler/stats"
	"crawler/weburl"
)

// lose asks about all of list, each twice, and returns how many were lost.
func lose(t *testing.T, r *FilterOnly, list []weburl.URL) (lost int64) {
	for _, u := range list {
		peeked := answer(r.Peek(u))
		_, a := r.Admit(u)
		switch {
		case a == Maybe || a != peeked:
			t.Fatalf("Admit(%v) = %d with no log to answer, Peek %d", u, a, peeked)
		case a == Seen:
			lost++
		}
		if _, again := r.Admit(u); again != Seen {
			t.Fatalf("%v was admitted twice", u)
		}
	}
	return lost
}

func mustFilterOnly(t testing.TB, cfg Config) *FilterOnly {
	t.Helper()
	cfg.FilterOnly = true
	s, err := NewDurable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*FilterOnly)
}

// Over many seeds: the interval of the sample covers the true rate, the bound that
// theory gives is kept, and its mean is the true one. The filter is filled far beyond
// its size, so that its rate changes all the time.
func TestRiskIsReported(t *testing.T) {
	const n, crawls = 2000, 240
	list := newWeb(5, 40).urls(n)
	covered, bounded, risked, truly := 0, 0, 0.0, 0.0
	for seed := range uint64(crawls) {
		r := mustFilterOnly(t, Config{ExpectURLs: []int{n, n / 2, n / 4}[seed%3], FPRate: 0.03, Seed: seed})
		r.risk.all, r.risk.lost = stats.NewSample(400, 1, seed), stats.NewSample(400, 1, seed)
		lost := lose(t, r, list)
		s := r.Stats()
		if s.New != n-lost || s.Asked != 2*n || s.Restarts != 0 {
			t.Fatalf("seed %d: %d lost, %+v", seed, lost, s)
		}
		if s.SampledURLs > 400 || s.SampledURLs < 50 || s.SampledLost > s.SampledURLs {
			t.Fatalf("seed %d: %d of %d sampled URLs lost", seed, s.SampledLost, s.SampledURLs)
		}
		if rate := float64(lost) / n; s.RateLow <= rate && rate <= s.RateHigh {
			covered++
		}
		if float64(lost) <= s.RiskedHigh {
			bounded++
		}
		risked, truly = risked+s.Risked, truly+float64(lost)
	}
	if covered < crawls*93/100 || bounded < crawls*95/100 {
		t.Errorf("of %d intervals %d cover the truth, of the bounds %d hold", crawls, covered, bounded)
	}
	if ratio := risked / truly; ratio < 0.93 || ratio > 1.07 || truly < 1000 {
		t.Errorf("%.1f URLs expected to be lost, truly %.0f", risked, truly)
	}
}

// A filter that is wholly full admits nothing and can say no more of its rate; what it
// may have lost is bounded by the questions.
func TestRiskOfAFullFilter(t *testing.T) {
	const n = 3000
	for seed := range uint64(5) {
		r := mustFilterOnly(t, Config{ExpectURLs: 20, FPRate: 0.05, Seed: seed})
		lost := float64(lose(t, r, newWeb(8, 40).urls(n)))
		if s := r.Stats(); s.ExpectedRate < 1 || s.RiskedBy != ByCount || s.Risked != lost || s.RiskedHigh != lost || s.Rate != lost/n {
			t.Errorf("%.0f lost, %+v", lost, s)
		}
	}
}

// With more URLs than the sample keeps, and each asked about many times, what was lost is
// estimated from the sample: right on average, and the bound holds.
func TestRiskOfAFullFilterBySample(t *testing.T) {
	const n, crawls, times = 3000, 60, 6
	list := newWeb(8, 40).urls(n)
	bounded, ratio := 0, 0.0
	for seed := range uint64(crawls) {
		r := mustFilterOnly(t, Config{ExpectURLs: 300, FPRate: 0.05, Seed: seed})
		r.risk.all, r.risk.lost = stats.NewSample(500, 1, seed), stats.NewSample(500, 1, seed)
		lose(t, r, list)
		for range times {
			for _, u := range list {
				r.Admit(u)
			}
		}
		s := r.Stats()
		lost := float64(n) - float64(s.New) // some were admitted at last
		if s.RiskedBy != BySample || s.ExpectedRate < tellingRate {
			t.Fatalf("%+v", s)
		}
		if lost <= s.RiskedHigh {
			bounded++
		}
		ratio += s.Risked / lost / crawls
	}
	if bounded < crawls*93/100 || math.Abs(ratio-1) > 0.04 {
		t.Errorf("the bound holds %d times of %d, estimates are %.3f of the truth", bounded, crawls, ratio)
	}
}

// As long as the sample holds all URLs its rate is the true one.
func TestSmallCrawlKnowsItsRate(t *testing.T) {
	const n = 3000
	r := mustFilterOnly(t, Config{ExpectURLs: 500, FPRate: 0.1})
	lost := lose(t, r, newWeb(8, 40).urls(n))
	if s := r.Stats(); s.SampledURLs != n || s.SampledLost != lost || s.Rate != float64(lost)/n || lost == 0 {
		t.Errorf("%d lost, %+v", lost, s)
	}
}

// Above the sample's limit the lists of both samples stay within it.
func TestRiskSampleIsBounded(t *testing.T) {
	k := newRisk(1)
	for i := range uint64(50_000) {
		k.refused(splitmix.Finish(i))
	}
	var s Stats
	k.report(&s)
	if k.all.Len() > sampleLimit || s.SampledLost != s.SampledURLs || s.SampledURLs < sampleLimit/4 || s.Rate != 1 {
		t.Errorf("%+v", s)
	}
}

// What was saved and rebuilt from the lists is the same filter, so what was lost stays
// lost, and the account continues.
func TestFilterOnlyGoesOn(t *testing.T) {
	list := newWeb(10, 60).urls(6000)
	one := mustFilterOnly(t, Config{ExpectURLs: 2000, FPRate: 0.05, Seed: 3})
	lose(t, one, list[:3000])
	log := make(modelLog, one.cfg.Layers+1)
	log.add(one.TakeNew())
	reopened := must(Reopen(must(one.AppendAccount(nil))))
	for i, fps := range log {
		reopened.Add(i-1, fps)
	}
	two := reopened.Open(nil).(*FilterOnly)
	if !reflect.DeepEqual(one.filter.last, two.filter.last) || !reflect.DeepEqual(one.filter.layers, two.filter.layers) {
		t.Error("the filter is another one")
	}
	if x, y := lose(t, one, list[3000:]), lose(t, two, list[3000:]); x != y || x == 0 {
		t.Errorf("%d lost, and %d", x, y)
	}
	if x, y := one.Stats(), two.Stats(); !reflect.DeepEqual(x, y) {
		t.Errorf("%+v\n%+v", x, y)
	}
	if !bytes.Equal(must(one.AppendAccount(nil)), must(two.AppendAccount(nil))) {
		t.Error("the accounts differ")
	}
}

func TestFilterOnlyAdmit(t *testing.T) {
	r := mustFilterOnly(t, Config{})
	u := mustParse("http://a/b")
	if knows(r, u) || !admits(r, u) || admits(r, u) || !knows(r, u) || r.Stats().New != 1 || r.Stats().LogBytes != 0 {
		t.Errorf("%+v", r.Stats())
	}
	if _, err := NewSeenTest(Config{FilterOnly: true, RestartEvery: 5}); err == nil {
		t.Error("restarts without a log")
	}
}

func TestPoissonHigh(t *testing.T) {
	for _, c := range []struct{ mean, want float64 }{
		{0, 0}, {0.02, 0}, {0.03, 1}, {1, 3}, {5, 10}, {10, 17}, {100, 120}, {499, 543},
	} {
		if got := poissonHigh(c.mean); got != c.want {
			t.Errorf("poissonHigh(%v) = %v, want %v", c.mean, got, c.want)
		}
	}
	if below, above := poissonHigh(500), poissonHigh(500.001); math.Abs(below-above) > 1 {
		t.Errorf("%v and %v at 500", below, above)
	}
}
