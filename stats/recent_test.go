package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Words of one set: the first stays, the second place is the last one's, and no
// other word is taken to be here.
func TestRecentHoldsFirstAndLast(t *testing.T) {
	r := newRecent(64)
	const set = 5 << 16
	words := []uint64{set, 2<<32 | set, math.MaxUint32<<32 | set, 8<<40 | set, 10<<40 | set, 12<<50 | set}
	for i, x := range words {
		if r.differs(x) == 0 {
			t.Fatalf("word %d is here before it came", i)
		}
		r.note(x)
		for j, y := range words[:i+1] {
			if here := r.differs(y) == 0; here != (j == 0 || j == i) {
				t.Errorf("after word %d, word %d is here: %t", i, j, here)
			}
		}
	}
	if other := words[0] + 1<<16; r.differs(other) == 0 {
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
			x := mix(random.Uint64N(20_000)*random.Uint64N(3), 1)
			if r.differs(x) == 0 {
				held++
				if !seen[x] {
					t.Fatalf("n=%d: %#x is here and never came", n, x)
				}
			} else {
				r.note(x)
				seen[x] = true
				if r.differs(x) != 0 {
					t.Fatalf("n=%d: %#x is not here after it came", n, x)
				}
			}
		}
		if held < 30_000 { // the third that are one word
			t.Errorf("n=%d: only %d were here", n, held)
		}
	}
}

// Hashes that run in steps, of whatever size, are no random ones, but must not
// be taken for each other either. At 2^-29 a word, one of 170 choices of 50 seeds
// would fail.
func TestRecentOfHashesInSteps(t *testing.T) {
	for seed := range uint64(50) {
		for step := range 64 {
			r, odd := newRecent(64), keyOf(seed)|1
			for i := range min(1000, uint64(1)<<(63-step)) {
				x := i << step * odd
				if r.differs(x) == 0 {
					t.Fatalf("seed %d: word %d of step 2^%d is here before it came", seed, i, step)
				}
				r.note(x)
			}
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
