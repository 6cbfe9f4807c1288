package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Three of a tenth, worth 1, 2 and 3: 60 in all. The deviation is sqrt(14 * 0.9) / 0.1 = 35.5.
func TestTotalByHand(t *testing.T) {
	i := TotalOf([]float64{1, 2, 3}, 0.1)
	if math.Abs(i.Estimate-60) > 1e-9 || i.Low < 6 || i.Low > 60-35 || i.High < 60+1.96*35.5 {
		t.Errorf("%+v", i)
	}
	for _, c := range []struct {
		values []float64
		share  float64
		want   Interval
	}{
		{nil, 0.1, Interval{}}, {[]float64{0, 0}, 0.1, Interval{}}, {[]float64{4, 5}, 1, exactly(9)},
	} {
		if got := TotalOf(c.values, c.share); got != c.want {
			t.Errorf("TotalOf(%v, %v) = %+v, want %+v", c.values, c.share, got, c.want)
		}
	}
	if got := CountOf(7, 1); got != exactly(7) {
		t.Errorf("all of 7: %+v", got)
	}
	if got := CountOf(0, 0.01); got.Estimate != 0 || got.Low != 0 || got.High < 300 || got.High > 400 {
		t.Errorf("none of a hundredth: %+v", got)
	}
	if got := TotalOf([]float64{5}, 0.01); got.Estimate != 500 || got.Low < 5 || !(got.High > 1000) {
		t.Errorf("one of a hundredth: %+v", got)
	}
}

// Over many seeds the total's estimate has no bias, and its interval holds the truth, for
// populations that are even, that lean, and of every share.
func TestTotalIsUnbiasedAndHolds(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		share float64
		value func(r *rand.Rand) float64
		least float64
	}{
		{"alike", 400, 0.1, func(*rand.Rand) float64 { return 3 }, 0.92},
		{"uniform", 400, 0.1, func(r *rand.Rand) float64 { return r.Float64() }, 0.92},
		{"exponential", 400, 0.1, (*rand.Rand).ExpFloat64, 0.92},
		{"exponential, half", 400, 0.5, (*rand.Rand).ExpFloat64, 0.92},
		{"exponential, most", 400, 0.9, (*rand.Rand).ExpFloat64, 0.92},
		{"squares", 1000, 0.2, func(r *rand.Rand) float64 { v := r.ExpFloat64(); return v * v }, 0.9},
	} {
		r := rand.New(rand.NewPCG(7, 7))
		all, truth := make([]float64, c.n), 0.0
		for i := range all {
			all[i] = c.value(r)
			truth += all[i]
		}
		const seeds = 2000
		held, counted, sum, squares := 0, 0, 0.0, 0.0
		for range seeds {
			var sample []float64
			for _, v := range all {
				if r.Float64() < c.share {
					sample = append(sample, v)
				}
			}
			i := TotalOf(sample, c.share)
			if i.Contains(truth) {
				held++
			}
			if CountOf(len(sample), c.share).Contains(float64(c.n)) {
				counted++
			}
			d := i.Estimate - truth
			sum += d
			squares += d * d
		}
		if bias, noise := sum/seeds, math.Sqrt(squares)/seeds; math.Abs(bias) > 4*noise {
			t.Errorf("%s: biased by %v ± %v", c.name, bias, noise)
		}
		if rate := float64(held) / seeds; rate < c.least {
			t.Errorf("%s: the interval holds for %.3f", c.name, rate)
		}
		if rate := float64(counted) / seeds; rate < 0.92 {
			t.Errorf("%s: the count's interval holds for %.3f", c.name, rate)
		}
	}
}
