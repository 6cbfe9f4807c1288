package stats

import (
	"math"
	"testing"

	"crawler/internal/binform"
)

// What is written in a rice code is read again, whatever the expectation, and a number far from it
// takes no more than a gamma code and 15 bits.
func TestRice(t *testing.T) {
	numbers := []uint64{0, 1, 2, 3, 14, 15, 16, 17, 1000, 1 << 20, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1}
	for k := range uint(64) {
		var w bitWriter
		var bits []uint
		for _, v := range numbers {
			before := 8*uint(len(w.buf)) + w.n
			w.rice(v, k)
			bits = append(bits, 8*uint(len(w.buf))+w.n-before)
		}
		r := reread(t, &w)
		for i, v := range numbers {
			if got := r.rice(k); got != v || !r.from.OK() {
				t.Fatalf("rice of %d: %d, want %d", k, got, v)
			}
			var gamma bitWriter
			if gamma.gamma(v >> k); bits[i] > 8*uint(len(gamma.buf))+gamma.n+k+mostOnes {
				t.Errorf("rice of %d: %d takes %d bits", k, v, bits[i])
			}
			if q := v >> k; q < mostOnes && bits[i] != riceBits(v, k) {
				t.Errorf("rice of %d: %d takes %d bits, want %d", k, v, bits[i], riceBits(v, k))
			}
		}
	}
}

// A rice code that would be beyond 64 bits is refused.
func TestRiceTooLarge(t *testing.T) {
	var w bitWriter
	w.rice(math.MaxInt64-1, 0)
	w.bits(0, 64)
	r := reread(t, &w)
	if r.rice(7); r.from.OK() {
		t.Error("a number of 2^70 was taken")
	}
}

// reread reads the bits that were written.
func reread(t *testing.T, w *bitWriter) *bitReader {
	t.Helper()
	e := binform.Begin(nil, deltaKind, deltaVersion)
	e.Raw(w.close())
	from, _, err := binform.Open(e.Close(), deltaKind, deltaVersion)
	if err != nil {
		t.Fatal(err)
	}
	return &bitReader{from: from, rest: from.Raw(from.Left())}
}

func TestZigzag(t *testing.T) {
	for v, want := range map[int64]uint64{0: 0, -1: 1, 1: 2, -2: 3, 2: 4, maxLength: 2 * maxLength, -maxLength: 2*maxLength - 1} {
		if got := zigzag(v); got != want || zagzig(got) != v {
			t.Errorf("%d: %d, and back %d; want %d", v, got, zagzig(got), want)
		}
	}
}
