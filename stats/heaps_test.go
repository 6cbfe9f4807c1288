package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lawful returns texts that follow a law, with residuals of the given standard
// deviation.
func lawful(k, beta, deviation float64, lengths ...float64) (points []Point) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths {
		points = append(points, Point{n, k * math.Pow(n, beta) * math.Exp(deviation*r.NormFloat64())})
	}
	return points
}

func TestFitHeapsFindsTheLaw(t *testing.T) {
	spam := []Point{{1e6, 40}, {2e5, 2e5}}
	lengths := []float64{1e3, 5e3, 2e4, 1e5, 1e6, 3e6}
	for _, c := range []struct {
		name             string
		points           []Point
		k, beta          float64
		tolerance        float64 // of beta
		spread, spreadTo float64
	}{
		{"exact", lawful(8, 0.55, 0, lengths...), 8, 0.55, 1e-9, 0, 1e-9},
		{"exact and steep", lawful(3, 0.8, 0, lengths...), 3, 0.8, 1e-9, 0, 1e-9},
		{"with spam", append(lawful(8, 0.6, 0, lengths...), spam...), 8, 0.6, 1e-9, 0, 1e-9},
		{"noisy", lawful(8, 0.6, 0.2, 1e3, 2e3, 5e3, 1e4, 3e4, 1e5, 3e5, 1e6, 2e6), 8, 0.6, 0.12, 0.1, 0.4},
		{"equal lengths", lawful(10, 0.5, 0, 1e4, 1e4, 1e4, 1e4), 10 * math.Pow(1e4, 0.5-usualBeta), usualBeta, 0, 0, 1e-9},
		{"one text", []Point{{1e4, 1000}}, 1000 / math.Pow(1e4, usualBeta), usualBeta, 0, 0, 0},
		{"empty texts too", append(lawful(8, 0.6, 0, lengths...), Point{0, 0}, Point{100, 0}), 8, 0.6, 1e-9, 0, 1e-9},
	} {
		h, ok := FitHeaps(c.points)
		if !ok || math.Abs(h.Beta-c.beta) > c.tolerance || c.tolerance < 1e-6 && math.Abs(h.K/c.k-1) > 1e-6 {
			t.Errorf("%s: %+v, %t, want K = %g, β = %g", c.name, h, ok, c.k, c.beta)
		}
		if h.Spread < c.spread || h.Spread > c.spreadTo {
			t.Errorf("%s: spread %g, want %g to %g", c.name, h.Spread, c.spread, c.spreadTo)
		}
	}
	for _, points := range [][]Point{nil, {{0, 0}}, {{5, 0}}} {
		if h, ok := FitHeaps(points); ok {
			t.Errorf("a law from %v: %+v", points, h)
		}
	}
}

func TestHeapsResidual(t *testing.T) {
	h := Heaps{K: 10, Beta: 0.5}
	for _, c := range []struct {
		p    Point
		want float64
	}{{Point{10_000, 1000}, 0}, {Point{10_000, 2000}, math.Ln2}, {Point{1e6, 5000}, -math.Ln2}} {
		if got := h.Residual(c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("residual of %v is %g, want %g", c.p, got, c.want)
		}
	}
}

// Eight of eleven texts decide, whatever the others are.
func TestFitHeapsBreakdown(t *testing.T) {
	for seed := range seeds() {
		r := rand.New(rand.NewPCG(seed, 3))
		var points []Point
		for range 8 {
			n := math.Exp(7 + 7*r.Float64())
			points = append(points, Point{n, 8 * math.Pow(n, 0.55) * math.Exp(0.1*r.NormFloat64())})
		}
		for range 3 {
			n := math.Exp(7 + 7*r.Float64())
			points = append(points, Point{n, max(1, n*math.Exp(-7*r.Float64()*r.Float64()))})
		}
		h, _ := FitHeaps(points)
		for _, p := range points[:8] {
			if math.Abs(h.Residual(p)) > 1.2 {
				t.Fatalf("seed %d: %+v leaves a residual of %.2f for %v among %v", seed, h, h.Residual(p), p, points)
			}
		}
	}
}
