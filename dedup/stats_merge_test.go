package dedup

import (
	"math"
	"testing"
)

// Filters that share the URLs out say together what one filter of all of them says, as far as that
// is counted; the rate of false positives has its interval from all URLs.
func TestMergedStats(t *testing.T) {
	part := func(asked, fresh, wrong int64) Stats {
		s := Stats{Asked: asked, New: fresh, Seen: asked - fresh, FalsePositives: wrong, Bits: 8 * fresh, Fill: 0.5, ExpectedRate: 0.01, Hot: 3, Checked: 4, Restarts: 1}
		s.Rate, s.RateLow, s.RateHigh = share(wrong, fresh)
		return s
	}
	got := Merge([]Stats{part(1000, 400, 3), part(500, 100, 0), part(10, 0, 0)})
	want := part(1510, 500, 3)
	want.Hot, want.Checked, want.Restarts = 9, 12, 3
	if math.Abs(got.Fill-0.5) > 1e-12 || math.Abs(got.ExpectedRate-0.01) > 1e-12 {
		t.Errorf("fill %v, rate %v", got.Fill, got.ExpectedRate)
	}
	got.Fill, got.ExpectedRate = want.Fill, want.ExpectedRate
	if got.Asked != want.Asked || got.New != want.New || got.Seen != want.Seen || got.FalsePositives != 3 || got.Bits != want.Bits ||
		got.Hot != 9 || got.Checked != 12 || got.Restarts != 3 || got.Rate != want.Rate || got.RateLow != want.RateLow || got.RateHigh != want.RateHigh {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := Merge(nil); none.RateLow != 0 || none.RateHigh != 1 || none.RiskedBy != "" {
		t.Errorf("%+v", none)
	}
}

// What filters without a log may have lost adds up, and is known as badly as the worst of them.
func TestMergedRisk(t *testing.T) {
	a := Stats{New: 100, Risked: 0, RiskedHigh: 0, RiskedBy: ByCount, SampledURLs: 100}
	b := Stats{New: 300, Risked: 4, RiskedHigh: 9, RiskedBy: ByTheory, SampledURLs: 200, SampledLost: 2, Rate: 0.01, RateLow: 0.002, RateHigh: 0.04}
	got := Merge([]Stats{b, a})
	if got.Risked != 4 || got.RiskedHigh != 9 || got.RiskedBy != ByTheory || got.SampledURLs != 300 || got.SampledLost != 2 {
		t.Errorf("%+v", got)
	}
	if want := 0.01 * 304 / 404; math.Abs(got.Rate-want) > 1e-12 || got.RateLow > got.Rate || got.RateHigh < got.Rate {
		t.Errorf("rate %v from %v to %v, want %v", got.Rate, got.RateLow, got.RateHigh, want)
	}
	if got := Merge([]Stats{a, a}); got.RiskedBy != ByCount || got.Rate != 0 {
		t.Errorf("%+v", got)
	}
}
