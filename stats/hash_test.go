package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogarithmsByIntegers(t *testing.T) {
	for i, l := range lnTable {
		want := math.Log1p(float64(i)/256) * (1 << 48)
		if math.Abs(float64(l[0])-want) > 1 {
			t.Errorf("ln(1 + %d/256) is off by %g", i, float64(l[0])-want)
		}
		if i > 0 && lnTable[i-1][0]+lnTable[i-1][1] != l[0] {
			t.Errorf("the step before entry %d is wrong", i)
		}
	}
	if last := lnTable[255]; last[0]+last[1] != ln2 && last[0]+last[1] != ln2+1 {
		t.Errorf("ln 2 is %#x by the table", last[0]+last[1])
	}
	for i := 1; i < len(tails); i++ {
		want := -math.Log1p(-math.Pow(2, -float64(i)))
		if got := math.Ldexp(float64(tails[i]), -64); math.Abs(got/want-1) > 1e-15*math.Exp2(max(0, float64(i)-12)) {
			t.Errorf("tails[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestExponential(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	check := func(v uint64) {
		want := -math.Log1p(-math.Ldexp(float64(v), -64))
		got := math.Ldexp(float64(exponential(v)), -48)
		if math.Abs(got-want) > 2e-4*want+0x1p-47 {
			t.Errorf("exponential(%#x) = %g, want %g", v, got, want)
		}
		if v < math.MaxUint64 && exponential(v) > exponential(v+1) {
			t.Errorf("exponential falls after %#x", v)
		}
	}
	for shift := range 64 {
		for range 1000 {
			check(r.Uint64() >> shift)
		}
		check(1 << shift)
		check(1<<shift - 1)
	}
	if got := math.Ldexp(float64(exponential(math.MaxUint64)), -48); got < 43 || got > 46 {
		t.Errorf("exponential of the largest number is %g", got)
	}
	var sum, squares float64
	const n = 1 << 18
	for range n {
		x := math.Ldexp(float64(exponentialGap(r.Uint64())), -48)
		sum += x
		squares += x * x
	}
	if m := sum / n; math.Abs(m-1) > 5/math.Sqrt(n) {
		t.Errorf("mean %g, want 1", m)
	}
	if m := squares / n; math.Abs(m-2) > 5*math.Sqrt(20)/math.Sqrt(n) {
		t.Errorf("mean square %g, want 2", m)
	}
}

// pass is what lets most words be dismissed: it must not dismiss one that could
// raise a register.
func TestPassIsExact(t *testing.T) {
	for _, k := range []int{16, 4096, MaxRegisters} {
		reg := newRegisters(k)
		for _, v := range different(100_000) {
			reg.scatter(v, noLimit)
			limit := reg.reach(reg.least + 1)
			if exponential(reg.pass) > limit || reg.pass < math.MaxUint64 && exponential(reg.pass+1) <= limit {
				t.Fatalf("k=%d, least %d: pass %#x is not where the arrivals reach %#x", k, reg.least, reg.pass, limit)
			}
		}
	}
}
