package trap_test

import (
	"math"
	"testing"

	"crawler/trap"
)

// Two ranks are a halving of the chance, rounded down, and from the eighth on only every second one
// is used.
func TestRankIsTwoLogarithms(t *testing.T) {
	want := func(chance float32) uint8 {
		r := uint8(min(62, max(0, -2*math.Log2(2*float64(chance)))))
		if r > 8 {
			r += r & 1
		}
		return r
	}
	for _, chance := range []float32{1, 0.5, 0.36, 0.25, 0.125, 1. / 64, 1. / 4096, 1e-12, 1e-30, math.SmallestNonzeroFloat32, 0} {
		if got := trap.Rank(chance); got != want(chance) {
			t.Errorf("a chance of %g has rank %d, want %d", chance, got, want(chance))
		}
	}
	for chance := float32(trap.HighChance); chance > 1e-10; chance *= 0.9997 {
		if got := trap.Rank(chance); got != want(chance) {
			t.Fatalf("a chance of %g has rank %d, want %d", chance, got, want(chance))
		}
	}
}
