package stats

import (
	"math"
	"testing"
)

func TestExact(t *testing.T) {
	var e Exact
	if e.Distinct() != 0 || e.Total() != 0 || e.Surprise() != 0 || e.Count(1) != 0 {
		t.Error("the zero value is not empty")
	}
	e.AddAll([]uint64{5, 0, 5, math.MaxUint64})
	e.Add(5)
	if e.Distinct() != 3 || e.Total() != 5 || e.Surprise() != 11 || e.Count(5) != 3 || e.Count(4) != 0 {
		t.Errorf("%d different of %d, surprise %g, count %d, want 3, 5, 11, 3",
			e.Distinct(), e.Total(), e.Surprise(), e.Count(5))
	}
}

func TestMedians(t *testing.T) {
	for _, c := range []struct {
		values []float64
		median float64
		size   int
		groups float64
		spread float64
	}{
		{[]float64{3}, 3, 16, 3, 4.4478},
		{[]float64{4, 1, 2}, 2, 16, 7. / 3, 2.9652},
		{[]float64{4, 1, -2, 8}, 2.5, 2, 2.75, 4.4478},
		// Means 2, 15, 5; the last value fills no group.
		{[]float64{1, 3, 10, 20, 4, 6, 100}, 6, 2, 5, 8.8956},
	} {
		if got := groupMedian(append([]float64(nil), c.values...), c.size); got != c.groups {
			t.Errorf("group median of %v by %d is %g, want %g", c.values, c.size, got, c.groups)
		}
		if got := spread(c.values); math.Abs(got-c.spread) > 1e-9 {
			t.Errorf("spread of %v is %g, want %g", c.values, got, c.spread)
		}
		if got := median(c.values); got != c.median {
			t.Errorf("median of %v is %g, want %g", c.values, got, c.median)
		}
	}
	if got := groupMedian(nil, 16); got != 0 {
		t.Errorf("group median of nothing is %g", got)
	}
}
