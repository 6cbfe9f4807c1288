package dedup

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"crawler/stats"
	"crawler/weburl"
)

// lose asks about all of list, each twice, and returns how many were lost.
func lose(t *testing.T, r *Restarting, list []weburl.URL) (lost int64) {
	for _, u := range list {
		_, a := r.Ask(u)
		switch a {
		case New:
			r.Remember(u)
		case Seen:
			lost++
		default:
			t.Fatalf("Ask(%v) = %d with no log to settle it", u, a)
		}
		if _, again := r.Ask(u); again != Seen {
			t.Fatalf("%v was admitted twice", u)
		}
	}
	return lost
}

// Over many seeds: the interval of the sample covers the true rate, the bound that
// theory gives is kept, and its mean is the true one. The filter is filled far beyond
// its size, so that its rate changes all the time.
func TestRiskIsTold(t *testing.T) {
	const n, crawls = 2000, 240
	list := newWeb(5, 40).urls(n)
	covered, bounded, risked, truly := 0, 0, 0.0, 0.0
	for seed := range uint64(crawls) {
		r := mustRestarting(t, Config{ExpectURLs: []int{n, n / 2, n / 4}[seed%3], FPRate: 0.03, Seed: seed, FilterOnly: true})
		r.risk.all, r.risk.lost = stats.NewSample(400, 1, seed), stats.NewSample(400, 1, seed)
		lost := lose(t, r, list)
		s := r.Stats()
		if s.New != n-lost || s.Asked != 2*n || s.Restarts != 0 || r.TailLen() != 0 || r.Freeze() != nil {
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
		r := mustRestarting(t, Config{ExpectURLs: 20, FPRate: 0.05, Seed: seed, FilterOnly: true})
		lost := float64(lose(t, r, newWeb(8, 40).urls(n)))
		if s := r.Stats(); s.ExpectedRate < 1 || s.RiskedHigh < lost || s.RiskedHigh < s.Risked || s.RiskedHigh > float64(s.Seen) {
			t.Errorf("%.0f lost, %+v", lost, s)
		}
	}
}

// As long as the sample holds all URLs its rate is the true one.
func TestSmallCrawlKnowsItsRate(t *testing.T) {
	const n = 3000
	r := mustRestarting(t, Config{ExpectURLs: 500, FPRate: 0.1, FilterOnly: true})
	lost := lose(t, r, newWeb(8, 40).urls(n))
	if s := r.Stats(); s.SampledURLs != n || s.SampledLost != lost || s.Rate != float64(lost)/n || lost == 0 {
		t.Errorf("%d lost, %+v", lost, s)
	}
}

// Above the sample's limit the lists of both samples stay within it.
func TestRiskSampleIsBounded(t *testing.T) {
	k := newRisk(1)
	for i := range uint64(50_000) {
		k.refused(scatter(i))
	}
	var s Stats
	k.tell(&s)
	if k.all.Len() > sampleLimit || s.SampledLost != s.SampledURLs || s.SampledURLs < sampleLimit/4 || s.Rate != 1 {
		t.Errorf("%+v", s)
	}
}

// What was saved and rebuilt from the lists is the same filter, so what was lost stays
// lost, and the account goes on.
func TestFilterOnlyGoesOn(t *testing.T) {
	list := newWeb(10, 60).urls(6000)
	one := mustRestarting(t, Config{ExpectURLs: 2000, FPRate: 0.05, FilterOnly: true, Seed: 3})
	one.KeepFresh()
	lose(t, one, list[:3000])
	log := make(modelLog, one.cfg.Layers+1)
	log.add(one.TakeFresh())
	two := must(Reopen(must(one.AppendAccount(nil))))
	if _, a := two.Ask(list[0]); a != Maybe || two.Admit(list[1]) {
		t.Errorf("answer %d without a filter", a)
	}
	two.asked -= 2
	b := two.Rebuild()
	for i, names := range log {
		b.Add(i-1, names)
	}
	two.Adopt(b)
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
	r := mustRestarting(t, Config{FilterOnly: true})
	u := mustParse("http://a/b")
	if !r.Admit(u) || r.Admit(u) || !r.Has(u) || r.Admitted() != 1 || r.LayerOf(u) != 0 || r.Due() {
		t.Errorf("%+v", r.Stats())
	}
	if _, err := r.MarshalBinary(); err == nil {
		t.Error("a form with a log that is not there")
	}
	if _, err := NewRestarting(Config{FilterOnly: true, RestartEvery: 5}); err == nil {
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
