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
			for seed := range uint64(max(10/scale, 2)) {
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
