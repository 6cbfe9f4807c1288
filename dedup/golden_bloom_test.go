package dedup

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The numbers of the sources, computed again. What a source misprinted stands
// beside what is right.

// elevenBits returns the two positions of x: its bits with odd numbers from the
// right, read as a number, and those with even ones, both modulo 11.
func elevenBits(x uint64) (h1, h2 uint64) {
	for i := 0; x>>(2*i) != 0; i++ {
		h1 |= x >> (2 * i) & 1 << i
		h2 |= x >> (2*i + 1) & 1 << i
	}
	return h1 % 11, h2 % 11
}

func TestSource000Slide7ElevenBits(t *testing.T) {
	f := NewClassic(11, 2, 0)
	for _, c := range []struct {
		x, h1, h2 uint64
		filter    string
	}{
		{25, 5, 2, "00100100000"},
		{159, 7, 0, "10100101000"},
		{585, 9, 7, "10100101010"},
	} {
		h1, h2 := elevenBits(c.x)
		if h1 != c.h1 || h2 != c.h2 {
			t.Errorf("%d is at %d, %d, want %d, %d", c.x, h1, h2, c.h1, c.h2)
		}
		if !f.AddPositions(h1, h2) || f.String() != c.filter {
			t.Errorf("with %d: %v, want %s", c.x, f, c.filter)
		}
	}
	if f.Fill() != 5.0/11 || math.Abs(f.ExpectedRate()-25.0/121) > 1e-15 {
		t.Errorf("fill %v, rate %v", f.Fill(), f.ExpectedRate())
	}
	if h1, h2 := elevenBits(118); h1 != 3 || h2 != 5 || f.HasPositions(h1, h2) || !f.HasPositions(h2) {
		t.Errorf("118 is at %d, %d, want 3 (zero) and 5 (one)", h1, h2)
	}
}

// The filter of slide 7 asked about all ten-bit numbers. The slides do not count;
// by its fill it would err for 211.
func TestSource000Slide8FalsePositives(t *testing.T) {
	f := NewClassic(11, 2, 0)
	added := []uint64{25, 159, 585}
	for _, x := range added {
		h1, h2 := elevenBits(x)
		f.AddPositions(h1, h2)
	}
	seen := 0
	for x := range uint64(1024) {
		h1, h2 := elevenBits(x)
		if f.HasPositions(h1, h2) {
			seen++
		}
	}
	if wrong := seen - len(added); wrong != 222 {
		t.Errorf("%d false positives among %d absent numbers, want 222", wrong, 1024-len(added))
	}
}

func TestSource000Slide11Darts(t *testing.T) {
	for _, c := range []struct{ darts, targets float64 }{{1, 1000}, {1000, 1000}, {5e8, 1e9}, {3e4, 1e4}} {
		exact := -math.Expm1(c.darts * math.Log1p(-1/c.targets)) // 1 - (1 - 1/t)^d
		if got := Occupancy(c.darts, c.targets); math.Abs(got-exact) > 1/c.targets {
			t.Errorf("%g darts at %g targets hit %v, exactly %v", c.darts, c.targets, got, exact)
		}
	}
	if got := 1 - Occupancy(1e6, 1e6); math.Abs(got-1/math.E) > 1e-15 {
		t.Errorf("as many darts as targets leave %v, want 1/e", got)
	}
}

// The slide prints 0.00937, which is 0.393 to the fifth power.
func TestSource000Slide12BillionBits(t *testing.T) {
	const m, n, k = 1e9, 1e8, 5
	agrees(t, "zeros", ZeroShare(m, n, k), "0.6065")
	agrees(t, "ones", Occupancy(k*n, m), "0.3935")
	agrees(t, "false positives", ClassicRate(m/n, k), "0.00943")
	agrees(t, "the printed ones", math.Pow(0.393, k), "0.00937")
}

// agrees fails unless got, rounded to the digits of want, is want.
func agrees(t *testing.T, what string, got float64, want string) {
	t.Helper()
	_, decimals, _ := strings.Cut(want, ".")
	if s := strconv.FormatFloat(got, 'f', len(decimals), 64); s != want {
		t.Errorf("%s: %s (%v), want %s", what, s, got, want)
	}
}

// One hash function: the chance of a false positive is the share of ones, in the
// slide's array 2/24. It prints 2/23.
func TestSource001OneHashFunction(t *testing.T) {
	f := NewClassic(24, 1, 0)
	f.AddPositions(7)
	f.AddPositions(13)
	if f.String() != "000000010000010000000000" || f.ExpectedRate() != 2.0/24 {
		t.Errorf("%v: rate %v, want 2/24", f, f.ExpectedRate())
	}
}

// The slide prints 3.46 for 5 ln 2, which is 3.4657.
func TestSource001RateTable(t *testing.T) {
	for bits, row := range map[float64]string{
		2: "1.39 0.393 0.400",
		3: "2.08 0.283 0.237 0.253",
		4: "2.77 0.221 0.155 0.147 0.160",
		5: "3.47 0.181 0.109 0.092 0.0920 0.101",
		6: "4.16 0.154 0.0804 0.0609 0.0561 0.0578",
		7: "4.85 0.133 0.0618 0.0423 0.0359 0.0347",
		8: "5.55 0.118 0.0489 0.0306 0.024 0.0217",
	} {
		for k, want := range strings.Fields(row) {
			what := strconv.Itoa(int(bits)) + " bits a key, k = " + strconv.Itoa(k)
			if k == 0 {
				agrees(t, what+", the best", OptimalK(bits), want)
			} else {
				agrees(t, what, ClassicRate(bits, k), want)
			}
		}
	}
}

// What the table is for: the whole number of hash functions to take.
func TestSource001BestK(t *testing.T) {
	for bits, want := range map[float64]int{0.1: 1, 1: 1, 2: 1, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6, 10: 7, 16: 11, 24: 17, 1e6: MaxHashes} {
		if got := BestK(bits); got != want {
			t.Errorf("BestK(%v) = %d, want %d", bits, got, want)
		}
	}
	for bits := 1.5; bits < 90; bits += 0.01 {
		k := BestK(bits)
		best := ClassicRate(bits, k)
		if best > ClassicRate(bits, k+1) || k > 1 && best > ClassicRate(bits, k-1) {
			t.Fatalf("BestK(%v) = %d is not the best", bits, k)
		}
		if lower := BestRate(bits); best < lower*(1-1e-12) || best > 1.05*lower {
			t.Fatalf("%v bits: rate %v with %d hash functions, %v with the optimal number", bits, best, k, lower)
		}
	}
}

// The example counts positions from 1. Slides and notes share it.
func TestSource002ThreeHashes(t *testing.T) {
	positions := map[string][3]uint64{
		"ACG": {3, 6, 4}, "ATA": {2, 11, 10}, "CGA": {11, 9, 6}, "TTA": {1, 10, 9},
		"TTT": {6, 2, 1}, "CGC": {9, 3, 3}, "AAA": {4, 1, 2}, "TCT": {10, 4, 11},
	}
	at := func(key string) []uint64 {
		p := positions[key]
		return []uint64{p[0] - 1, p[1] - 1, p[2] - 1}
	}
	f := NewClassic(11, 3, 0)
	added := map[string]bool{"TTA": true, "TCT": true, "ATA": true}
	for key := range added {
		f.AddPositions(at(key)...)
	}
	if want := "11010000111"; f.String() != want { // 1, 2, 4, 9, 10, 11
		t.Errorf("the array is %v, want %s", f, want)
	}
	for key := range positions {
		if got, want := f.HasPositions(at(key)...), added[key] || key == "AAA"; got != want {
			t.Errorf("Has(%s) = %v", key, got)
		}
	}
}

// "m/n = 30 bits" and "4*10^-11" stand side by side; they are not of one filter.
func TestSource002ThirtyBits(t *testing.T) {
	if got := BestRate(30); math.Abs(got/5.5e-7-1) > 0.01 {
		t.Errorf("30 bits a key give %.3g, want 5.5e-7", got)
	}
	agrees(t, "bits for 4e-11", BitsFor(4e-11), "49.8")
	agrees(t, "the base", BestRate(1), "0.6185") // the slide prints 0.62
	for _, rate := range []float64{0.5, 1e-3, 4e-11, 1e-18} {
		if got := BestRate(BitsFor(rate)); math.Abs(got/rate-1) > 1e-9 {
			t.Errorf("BestRate(BitsFor(%g)) = %g", rate, got)
		}
	}
}

// 5*10^11 URLs of 1,000 bytes are 500 TB, not 500 PB; a thousandth of that is 4 Tbit, 8 bits a
// URL, not 500; and 500 Tbit are 62.5 TB, not 50. That as many disk accesses of 5 ms take 80
// years is right.
func TestSource002Terabits(t *testing.T) {
	const urls, urlBytes, access, year = 5e11, 1000, 5e-3, 365.25 * 24 * 3600
	agrees(t, "Tbit", urls*urlBytes/1000*8/1e12, "4")
	agrees(t, "TB of 500 Tbit", 500.0/8, "62.5")
	agrees(t, "TB", urls*urlBytes/1e12, "500")
	agrees(t, "years", urls*access/year, "79")
	if got := BestRate(500e12 / urls); got > 1e-200 {
		t.Errorf("500 Tbit would err with a chance of %g", got)
	}
}

// The source's optimum agrees with the others'; its rate of the multilayer filter
// is that of l layers in which every URL has new segments, without the last array.
func TestSource004Formulas(t *testing.T) {
	const m, n, k, layers = 16e6, 1e6, 3, 4
	agrees(t, "k = m ln 2 / n", OptimalK(m/n), "11.09")
	f := ClassicRate(m/n, k)
	want := math.Pow(1-ZeroShare(m, n, k), k*layers)
	if got := PublishedRateAsPrinted(m/n, k, layers); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("as printed %g, want %g", got, want)
	}
	four := []float64{f, f, f, f}
	for _, c := range []struct {
		name     string
		standing []float64
		want     float64
	}{
		{"all segments new", []float64{0, 0, 0, 0}, math.Pow(f, layers+1)},
		{"all known: the last array alone", []float64{1, 1, 1, 1}, f},
		{"known but for the last", []float64{1, 1, 1, 0.5}, f * (0.5 + 0.5*f)},
	} {
		if got := PublishedRate(c.standing, four, f); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// The column of the plain filter in the paper that 004 follows: false positives
// among as many absent keys as there are keys in the filter.
func TestSource004PlainColumn(t *testing.T) {
	const m, k = 16_829_152, 3
	for i, printed := range []float64{4380, 19374, 54041, 116710, 213640, 350513} {
		n := 1e6 + 5e5*float64(i)
		if got := n * ClassicRate(m/n, k); math.Abs(printed/got-1) > 0.0065 {
			t.Errorf("%.0f keys: %.0f false positives by theory, %.0f printed, %+.2f %%",
				n, got, printed, 100*(printed/got-1))
		}
	}
}
