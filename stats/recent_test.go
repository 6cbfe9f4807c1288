package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Four words of one set: the first three stay, the fourth place is the last
// one's, and no other word is held to be here.
func TestRecentHoldsFirstAndLast(t *testing.T) {
	r := newRecent(64)
	const set = 5 << 20
	words := []uint64{set | 1, 2<<32 | set | 1, math.MaxUint32<<32 | set, 7<<40 | set, 9<<40 | set, 11<<50 | set}
	for i, v := range words {
		if r.holds(v) != 0 {
			t.Fatalf("word %d is here before it came", i)
		}
		r.note(v)
		for j, w := range words[:i+1] {
			if here := r.holds(w) != 0; here != (j < 3 || j == i) {
				t.Errorf("after word %d, word %d is here: %t", i, j, here)
			}
		}
	}
	if other := words[0] + 1<<20; r.holds(other) != 0 {
		t.Error("a word of another set is here")
	}
}

// What it holds must have come, whatever the order: else a word would be lost.
func TestRecentAgainstSet(t *testing.T) {
	for _, n := range []int{2, 16, 4096} {
		r, seen := newRecent(n), map[uint64]bool{}
		random := rand.New(rand.NewPCG(uint64(n), 1))
		held := 0
		for range 100_000 {
			v := mix(random.Uint64N(20_000)*random.Uint64N(3), 1)
			if r.holds(v) != 0 {
				held++
				if !seen[v] {
					t.Fatalf("n=%d: %#x is here and never came", n, v)
				}
			} else {
				r.note(v)
				seen[v] = true
				if r.holds(v) == 0 {
					t.Fatalf("n=%d: %#x is not here after it came", n, v)
				}
			}
		}
		if held < 30_000 { // the third that are one word
			t.Errorf("n=%d: only %d were here", n, held)
		}
	}
}

// Registers that no real stream fills still answer, in finite numbers or not,
// but in order.
func TestRegistersAtTheirEnd(t *testing.T) {
	run := make([]uint8, 64)
	for _, low := range []uint8{0, 1, 47, 48, maxRun} {
		for i := range run {
			run[i] = maxRun
		}
		run[7] = low
		d := NewDistinct(64, 1)
		d.AddAll(different(33))
		d.reg = registersOf(run)
		d.pass = d.reg.pass
		d.AddAll(different(10_000))
		var loaded Distinct
		if err := loaded.UnmarshalBinary(marshaled(t, d)); err != nil {
			t.Fatal(err)
		}
		d.martingale.step(d.reg.chance)
		for _, i := range []Interval{d.MaximumLikelihood(), loaded.MaximumLikelihood(), d.Estimate(), loaded.Estimate()} {
			if !(0 < i.Low && i.Low <= i.Estimate && i.Estimate <= i.High) || math.IsInf(i.Estimate, 0) {
				t.Errorf("lowest register %d: %v", low, i)
			}
		}
	}
}
