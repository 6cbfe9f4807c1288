package bsp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The sums of Apostol's tables and direct summation.
func TestHurwitz(t *testing.T) {
	for _, c := range []struct{ a, q, want float64 }{
		{2, 1, math.Pi * math.Pi / 6}, {4, 1, math.Pow(math.Pi, 4) / 90}, {3, 1, 1.2020569031595942},
		{2, 2, math.Pi*math.Pi/6 - 1}, {1.5, 1, 2.612375348685488}, {1.01, 1, 100.57794333849687},
	} {
		if got := hurwitz(c.a, c.q); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("ζ(%v, %v) = %.12f, want %.12f", c.a, c.q, got, c.want)
		}
	}
}

// drawn draws from a power law on integers from x up, by inverting its distribution, with
// n/4 values below that are spread evenly.
func drawn(n int, x uint32, upTo []float64, r *rand.Rand) (values []uint32) {
	for range n {
		u, low, high := r.Float64(), 0, len(upTo)-1
		for low < high {
			if mid := (low + high) / 2; upTo[mid] < u {
				low = mid + 1
			} else {
				high = mid
			}
		}
		values = append(values, x+uint32(low))
	}
	for range n / 4 {
		values = append(values, uint32(r.IntN(int(x))))
	}
	return values
}

// sums returns the distribution from x on.
func sums(exponent float64, x uint32) (upTo []float64) {
	all, sum := hurwitz(exponent, float64(x)), 0.0
	for i := range 200_000 {
		sum += math.Pow(float64(x)+float64(i), -exponent) / all
		upTo = append(upTo, sum)
	}
	return upTo
}

func TestPowerLawOfSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	covered, all := 0, 0
	for _, exponent := range []float64{1.8, 2.1, 2.7, 3.5} {
		for _, from := range []uint32{1, 6} {
			upTo := sums(exponent, from)
			for seed := range uint64(max(10/raceScale, 2)) {
				law, ok := FitPowerLaw(drawn(4000, from, upTo, rand.New(rand.NewPCG(seed, 3))))
				if !ok || math.Abs(law.Exponent.Estimate-exponent) > 0.4 {
					t.Fatalf("%v from %d, seed %d: %+v", exponent, from, seed, law)
				}
				if all++; law.Exponent.Contains(exponent) {
					covered++
				}
				if law.Distance > 2/math.Sqrt(float64(law.Tail)) || law.Tail < minTail {
					t.Errorf("%v from %d, seed %d: far from the law it was drawn from: %+v", exponent, from, seed, law)
				}
			}
		}
	}
	if t.Logf("the interval covered the exponent %d times of %d", covered, all); covered*10 < all*9 {
		t.Errorf("the interval covered the exponent %d times of %d", covered, all)
	}
}

func TestPowerLawNeedsATail(t *testing.T) {
	same := make([]uint32, 1000)
	for i := range same {
		same[i] = 7
	}
	for name, degrees := range map[string][]uint32{"none": nil, "zeros": make([]uint32, 100), "same": same, "few": {1, 2, 3, 4, 9}} {
		if law, ok := FitPowerLaw(degrees); ok {
			t.Errorf("%s: %+v", name, law)
		}
	}
	// Values spread evenly are no power law, and the distance says so.
	even := make([]uint32, 100_000)
	for i := range even {
		even[i] = uint32(i%300 + 1)
	}
	if law, ok := FitPowerLaw(even); ok && law.Distance < 3/math.Sqrt(float64(law.Tail)) {
		t.Errorf("even values: %+v", law)
	}
}

// Samples of a power law pass for one as often as the level says, and are at most 0.6/√n from the
// law fitted to them on average, 0.76/√n in one of 20: 1/√n is far. Values of other laws do not
// pass.
func TestPowerLawPValue(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	const n, rounds = 1500, 60
	trials := 40 * long()
	var low, sum, far, large float64
	upTo := sums(2.3, 1)
	for seed := range uint64(trials) {
		degrees := drawn(n, 1, upTo, rand.New(rand.NewPCG(seed, 8)))
		law, ok := FitPowerLaw(degrees)
		if !ok {
			t.Fatal("no law")
		}
		p, err := law.PValue(t.Context(), degrees, rounds, seed)
		if err != nil {
			t.Fatal(err)
		}
		sum += p / float64(trials)
		if p <= 0.1 {
			low++
		}
		d := law.Distance * math.Sqrt(float64(law.Tail))
		far += d / float64(trials)
		if d > 0.76 {
			large++
		}
	}
	t.Logf("of %d samples of a law %.0f have p <= 0.1, p is %.2f on average; D√n %.2f, %.0f above 0.76", trials, low, sum, far, large)
	if most := 0.1*float64(trials) + 4*math.Sqrt(0.09*float64(trials)); low > most || math.Abs(sum-0.5) > 4*0.29/math.Sqrt(float64(trials)) {
		t.Errorf("%.0f of %d samples of a law are ruled out, p is %.2f on average", low, trials, sum)
	}
	if far > 0.6 || large > 0.05*float64(trials)+4*math.Sqrt(0.05*float64(trials)) {
		t.Errorf("D√n is %.2f, and above 0.76 in %.0f of %d samples", far, large, trials)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for name, value := range map[string]func() uint32{
		"even":        func() uint32 { return uint32(r.IntN(300) + 1) },
		"exponential": func() uint32 { return uint32(r.ExpFloat64()*20 + 1) },
		"two kinds":   func() uint32 { return uint32(1 + 40*r.IntN(2) + int(r.ExpFloat64()*3)) },
	} {
		degrees := make([]uint32, 6000)
		for i := range degrees {
			degrees[i] = value()
		}
		law, ok := FitPowerLaw(degrees)
		if !ok {
			continue
		}
		p, err := law.PValue(t.Context(), degrees, rounds, 1)
		if t.Logf("%s: %+v, p = %.2f", name, law, p); err != nil || p > 0.1 && law.Tail > 500 {
			t.Errorf("%s: %+v passes with p = %.2f", name, law, p)
		}
	}
}

// Newton's steps end where halving does, on tails of several shapes, two of which follow no law.
func TestFitTailEqualsHalving(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2009))
	for round := range 600 {
		n, a, from := 60+r.IntN(400), 1.02+4*r.Float64(), 1+r.IntN(30)
		degrees := make([]uint32, n)
		for i := range degrees {
			x := float64(from + r.IntN(2))
			switch round % 3 {
			case 0:
				x = float64(from) * math.Pow(r.Float64(), -1/(a-1))
			case 1:
				x = float64(from) + 5*r.ExpFloat64()
			}
			degrees[i] = uint32(min(x, 1e9))
		}
		values, counts := histogram(degrees)
		logs := 0.0
		for i, x := range values {
			logs += float64(counts[i]) * math.Log(float64(x))
		}
		want := halved(float64(values[0]), float64(n), logs)
		got, ok := fitTail(values, counts, float64(n), logs, math.Inf(1))
		if inside := want >= 1.011 && want <= 9.999; ok != inside || ok && math.Abs(got.Exponent.Estimate-want) > 1e-8 {
			t.Errorf("round %d: exponent %.9f, %t; by halving %.9f", round, got.Exponent.Estimate, ok, want)
		}
	}
}

// halved is the exponent between 1.01 and 10 at which the likelihood is greatest.
func halved(from, n, logs float64) float64 {
	const step = 1e-4
	zeta := func(a float64) float64 { return math.Log(hurwitz(a, from)) }
	low, high := 1.01, 10.0
	for range 40 {
		a := (low + high) / 2
		if -n*(zeta(a+step)-zeta(a-step))/(2*step) > logs {
			low = a
		} else {
			high = a
		}
	}
	return (low + high) / 2
}
