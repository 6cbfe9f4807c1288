package dedup

import (
	"fmt"
	"math"
	"testing"
)

// The figures measured for the design, SKETCHES section 1: a blocked filter's
// rate at 10, 16 and 24 bits a key, and two lines at 24.
func TestSizeRateGolden(t *testing.T) {
	const keys = 1_000_000
	for _, c := range []struct {
		bits  int64
		lines int
		want  float64
	}{
		{10, 1, 1.05e-2},
		{16, 1, 9.1e-4},
		{24, 1, 9.1e-5},
		{24, 2, 1.78e-5},
	} {
		got := Size{Bits: keys * c.bits, Lines: c.lines}.Rate(keys)
		if math.Abs(got/c.want-1) > 0.01 {
			t.Errorf("%d bits, %d lines: rate %.3g, want %.3g", c.bits, c.lines, got, c.want)
		}
	}
}

func TestSizeForIsTheSmallest(t *testing.T) {
	for _, keys := range []int64{1, 7, 1000, 123_456, 1e9} {
		for _, rate := range []float64{0.5, 0.1, 1e-2, 1e-3, 4e-4, 3.9e-4, 1e-6, 1e-9} {
			s := SizeFor(keys, rate)
			name := fmt.Sprintf("SizeFor(%d, %g) = %+v", keys, rate, s)
			if wantTwo := rate < 4e-4; wantTwo != (s.Lines == 2) {
				t.Errorf("%s: wrong lines", name)
			}
			if s.Bits%512 != 0 || s.Bits < int64(s.Lines)*512 {
				t.Errorf("%s: not whole lines", name)
			}
			if got := s.Rate(keys); got > rate {
				t.Errorf("%s: rate %g", name, got)
			}
			smaller := Size{Bits: s.Bits - 512, Lines: s.Lines}
			if smaller.Bits >= int64(s.Lines)*512 && smaller.Rate(keys) <= rate {
				t.Errorf("%s: one line less would do", name)
			}
		}
	}
}

// With the bits of the classic formula a blocked filter errs 1.6 times
// as often as asked: the reason why SizeFor has one of its own.
func TestClassicSizeIsTooSmall(t *testing.T) {
	const keys, rate = 1_000_000, 1e-3
	classic := keys * math.Log(rate) / math.Log(0.6185)
	if got := SizeWithin(keys, int64(classic)).Rate(keys); got < 1.5*rate {
		t.Errorf("rate %g with %.0f bits", got, classic)
	}
	if s := SizeFor(keys, rate); float64(s.Bits) < 1.05*classic || float64(s.Bits) > 1.15*classic {
		t.Errorf("SizeFor takes %d bits, the classic formula %.0f", s.Bits, classic)
	}
}

func TestSizeWithinChoosesTheBetter(t *testing.T) {
	const keys = 100_000
	for bits := int64(1); bits <= 64; bits++ {
		got := SizeWithin(keys, keys*bits)
		other := Size{Bits: got.Bits, Lines: 3 - got.Lines}
		// Between 16 and 18 bits both are about as good, and one line is faster.
		if got.Rate(keys) > 1.7*other.Rate(keys) {
			t.Errorf("%d bits: %+v errs with %g, %+v with %g", bits, got, got.Rate(keys), other, other.Rate(keys))
		}
		if got.Bits < keys*bits || got.Bits >= keys*bits+1024 {
			t.Errorf("%d bits a key: %d bits in all", bits, got.Bits)
		}
	}
}

func TestSizeLimits(t *testing.T) {
	for _, c := range []struct {
		got, want Size
	}{
		{SizeFor(0, 1e-3), SizeFor(1, 1e-3)},
		{SizeFor(-5, 1e-3), SizeFor(1, 1e-3)},
		{SizeFor(1<<50, 1e-3), Size{Bits: maxBits, Lines: 1}},
		{SizeFor(1000, 0), Size{Bits: 256 * 1000, Lines: 2}}, // the limit of bits a key
		{SizeWithin(1000, 0), Size{Bits: 512, Lines: 1}},
		{SizeWithin(1, 1), Size{Bits: 1024, Lines: 2}},
	} {
		if c.got != c.want {
			t.Errorf("got %+v, want %+v", c.got, c.want)
		}
	}
	if got := (Size{Bits: 512, Lines: 1}).Rate(1e12); got != 1 {
		t.Errorf("an absurdly full filter has rate %v", got)
	}
	if got := (Size{Bits: 512, Lines: 1}).Rate(0); got != 0 {
		t.Errorf("an empty filter has rate %v", got)
	}
}
