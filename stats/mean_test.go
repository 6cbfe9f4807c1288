package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: of 4 values 3 were drawn, 1, 2 and 3. Their mean is 2, their variance 1, the standard
// error √(1/3 · 1/4) = 0.2887; they do not lean.
func TestMeanOfByHand(t *testing.T) {
	i := MeanOf([]float64{1, 2, 3}, 4)
	if half := 1.96 * math.Sqrt(1.0/12); i.Estimate != 2 || math.Abs(i.Low-2+half) > 1e-4 || math.Abs(i.High-2-half) > 1e-4 {
		t.Errorf("%+v", i)
	}
	for _, c := range []struct {
		sample []float64
		n      float64
		want   Interval
	}{
		{nil, 9, Interval{}},
		{[]float64{4}, 9, Interval{4, 0, 8}},
		{[]float64{-4}, 9, Interval{-4, -8, 0}},
		{[]float64{3, 5}, 2, Interval{4, 4, 4}},
		{[]float64{5, 5, 5}, 10, Interval{5, 5, 5}},
	} {
		if got := MeanOf(c.sample, c.n); got != c.want {
			t.Errorf("%v of %v: %+v, want %+v", c.sample, c.n, got, c.want)
		}
	}
}

// Of a population that leans, the interval holds the mean for about 95 of 100 samples.
func TestMeanOfCovers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	population, truth := make([]float64, 2000), 0.0
	for i := range population {
		population[i] = rnd.ExpFloat64()
		truth += population[i] / 2000
	}
	covered := 0
	for range 1000 {
		rnd.Shuffle(len(population), func(i, j int) { population[i], population[j] = population[j], population[i] })
		if MeanOf(population[:100], 2000).Contains(truth) {
			covered++
		}
	}
	if covered < 920 || covered > 980 {
		t.Errorf("covered %d of 1000", covered)
	}
}
