package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestInterval(t *testing.T) {
	i := Interval{10, 8, 12}
	for x, want := range map[float64]bool{7.9: false, 8: true, 10: true, 12: true, 12.1: false} {
		if i.Contains(x) != want {
			t.Errorf("%v contains %g: %t", i, x, !want)
		}
	}
	if i.Exact() || !exactly(3).Exact() || !exactly(3).Contains(3) {
		t.Error("Exact")
	}
	data, err := json.Marshal(i)
	if want := `{"estimate":10,"low":8,"high":12}`; err != nil || string(data) != want {
		t.Errorf("%s, %v, want %s", data, err, want)
	}
}

// unlean undoes Hall's transformation, and leaves the normal case alone.
func TestUnlean(t *testing.T) {
	for _, lean := range []float64{-0.5, -0.01, 1e-9, 0.01, 0.3, 1} {
		for _, x := range []float64{-3, -1, 0, 1, 3} {
			y := x + lean*(x*x/3+1./6) + lean*lean*x*x*x/27
			if got := unlean(y, lean); math.Abs(got-x) > 1e-4 {
				t.Errorf("unlean(%g, %g) = %g, want %g", y, lean, got, x)
			}
		}
	}
}

// Samples of a population that leans far to the right, where mean ± 1.96
// standard errors would cover about 91 %.
func TestMeanIntervalOfSkewedPopulation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	population := make([]float64, 100_000)
	for i := range population {
		population[i] = math.Exp(1.2 * r.NormFloat64())
	}
	truth := mean(population)
	var hall, usual tally
	sample := make([]float64, 128)
	for range 20 * seeds() {
		for i := range sample {
			sample[i] = population[r.IntN(len(population))]
		}
		hall.add(meanInterval(sample, float64(len(population))), truth)
		m, square := mean(sample), 0.0
		for _, v := range sample {
			square += (v - m) * (v - m)
		}
		d := z95 * math.Sqrt(square/127/128)
		usual.add(Interval{m, m - d, m + d}, truth)
	}
	t.Logf("coverage %.1f %%, of the usual interval %.1f %%", 100*hall.coverage(), 100*usual.coverage())
	hall.checkCoverage(t, "Hall's interval")
	if usual.coverage() > hall.coverage() {
		t.Error("the usual interval would do")
	}
	if got := meanInterval([]float64{2, 2, 2}, 10); got != exactly(2) {
		t.Errorf("interval %v without spread", got)
	}
}
