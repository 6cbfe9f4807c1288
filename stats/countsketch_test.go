package stats

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// countsOf adds each word of a stream with its count, which is the same and faster.
func countsOf(s *CountSketch, e *Exact) *CountSketch {
	for h, n := range e.counts {
		s.AddN(h, int64(n))
	}
	return s
}

// 000, slide 41: the surprise numbers 910 and 8,110, exact where no words meet.
func TestSource000Slide41CountSketch(t *testing.T) {
	for _, c := range []struct {
		hashes []uint64
		want   float64
	}{
		{stream(10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9), 910},
		{stream(90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 8110},
	} {
		s := NewCountSketch(5, 1<<14, 1)
		s.AddAll(c.hashes)
		if got := s.Surprise(); got.Estimate != c.want || !got.Contains(c.want) {
			t.Errorf("%v, want %g", got, c.want)
		}
		for h, n := range exactCounts(c.hashes).counts {
			if got := s.Count(h); got != int64(n) {
				t.Errorf("counted %d, want %d", got, n)
			}
		}
	}
}

// A row's estimate of a count is right on average, with the variance
// (F2 - f²)/width; the median of rows stays within it.
func TestCountSketchCountAgainstTruth(t *testing.T) {
	e := exactCounts(occurring(rand.New(rand.NewPCG(1, 6)), 0, 1500, 700, 300, 100, 50))
	words := slices.Sorted(func(yield func(uint64) bool) {
		for h := range e.counts {
			if !yield(h) {
				return
			}
		}
	})
	for _, c := range []struct{ depth, width int }{{1, 256}, {5, 256}, {5, 2048}, {9, 128}} {
		var n, bias, square float64
		row := math.Sqrt(e.Surprise() / float64(c.width))
		far := 0
		for seed := range seeds() {
			s := countsOf(NewCountSketch(c.depth, c.width, seed), e)
			for _, h := range words[:min(100, len(words))] {
				f := float64(e.Count(h))
				off := float64(s.Count(h)) - f
				sd := math.Sqrt((e.Surprise() - f*f) / float64(c.width))
				n++
				bias += off / sd
				square += off / sd * off / sd
				if math.Abs(off) > 3*row {
					far++
				}
			}
		}
		rms := math.Sqrt(square / n)
		t.Logf("%dx%d: row deviation %.2f; bias %.3f, rms %.3f of it, beyond three times %.2f %%",
			c.depth, c.width, row, bias/n, rms, 100*float64(far)/n)
		if math.Abs(bias/n) > 5/math.Sqrt(n/20) { // the words of a seed err together
			t.Errorf("%dx%d: bias %.3f deviations", c.depth, c.width, bias/n)
		}
		if want := math.Sqrt(medianShare(c.depth)); rms > 1.1*want || c.width < 1000 && rms < 0.9*want {
			t.Errorf("%dx%d: rms error %.3f deviations of a row, want %.3f, or less in a sparse row", c.depth, c.width, rms, want)
		}
		if limit := math.Exp(-0.46 * float64(c.depth)); float64(far)/n > limit {
			t.Errorf("%dx%d: %.3f of the counts are far off, limit %.3f", c.depth, c.width, float64(far)/n, limit)
		}
	}
}

// The second moment over many seeds, its interval, and the error theory gives.
func TestCountSketchSurpriseAgainstTruth(t *testing.T) {
	name, text := longText(t, 200_000)
	flat := occurring(rand.New(rand.NewPCG(2, 2)), 0, 5000, 5000)
	onePeak := append(slices.Repeat(different(1), 3000), flat...)
	var all tally
	for _, c := range []struct {
		name   string
		stream []uint64
	}{{name, text}, {"even counts", flat}, {"one frequent word", onePeak}} {
		e := exactCounts(c.stream)
		var f4 float64
		for _, n := range e.counts {
			f4 += math.Pow(float64(n), 4)
		}
		f2 := e.Surprise()
		for _, size := range []struct{ depth, width int }{{1, 16384}, {5, 4096}, {3, 1024}, {7, 1024}, {9, 256}, {15, 256}} {
			var a tally
			for seed := range seeds() {
				a.add(countsOf(NewCountSketch(size.depth, size.width, seed), e).Surprise(), f2)
			}
			want := math.Sqrt(2 / float64(size.width) * (1 - f4/f2/f2) * medianShare(size.depth))
			t.Logf("%-20s %2dx%-6d bias %5.2f %%, rms %5.2f %%, theory %5.2f %%, covered %5.1f %%", c.name, size.depth,
				size.width, 100*a.meanError(), 100*a.rms(), 100*want, 100*a.coverage())
			// Rows are nearly normal where no word stands out; else the median is better.
			a.checkRMS(t, c.name, want*1.1)
			if c.name == "even counts" && a.rms() < want*(1-4/math.Sqrt(2*a.n)) {
				t.Errorf("%s, %dx%d: rms error %.4f, theory %.4f", c.name, size.depth, size.width, a.rms(), want)
			}
			a.checkBias(t, c.name)
			if c.name == name && size.depth < 5 {
				a.checkCoverageOf(t, c.name, 0.92, 0.995) // it says 99 %
			} else {
				a.checkCoverage(t, c.name)
			}
			all.merge(a)
		}
	}
	all.checkCoverage(t, "all together")
}

// Where few words leave most counters at 0, a figure may look certain that is not:
// words that meet look like one. Only if all counters are 0 is it a point.
func TestCountSketchOfFewWords(t *testing.T) {
	trials := uint64(2000)
	if testing.Short() {
		trials = 200
	}
	for _, size := range []struct{ depth, width int }{{1, 16}, {3, 16}, {5, 16}} {
		for _, counts := range [][]int{{1}, {10, 1}, {7, 5}, {100, 99}} {
			e := exactCounts(stream(counts...))
			var a tally
			for seed := range trials {
				s := countsOf(NewCountSketch(size.depth, size.width, seed), e)
				got := s.Surprise()
				a.add(got, e.Surprise())
				if got.Exact() || !(got.Low <= got.Estimate && got.Estimate <= got.High) {
					t.Fatalf("%v, counts %v, seed %d: %v", size, counts, seed, got)
				}
			}
			t.Logf("%v, counts %v: %s", size, counts, &a)
			a.checkCoverageOf(t, fmt.Sprintf("%v, counts %v", size, counts), 0.92, 1)
		}
	}
}

// medianShare returns the variance of the median of d normal variates, in shares of
// that of one, by numerical integration of its density,
// d!/(m!)² Φ(x)^m (1-Φ(x))^m φ(x) with m = (d-1)/2.
func medianShare(d int) (share float64) {
	m := float64(d / 2)
	logFactor, _ := math.Lgamma(2*m + 2)
	half, _ := math.Lgamma(m + 1)
	for x := -8.0; x < 8; x += 1e-2 {
		phi := 0.5 * math.Erfc(-x/math.Sqrt2)
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		share += x * x * math.Exp(logFactor-2*half) * math.Pow(phi*(1-phi), m) * density * 1e-2
	}
	return share
}

func TestMedianOfThree(t *testing.T) {
	if got := medianShare(3); math.Abs(got-medianOfThree) > 2e-5 || math.Abs(medianShare(1)-1) > 2e-5 {
		t.Errorf("the median of three has %.5f of the variance, the constant is %v", got, medianOfThree)
	}
}

// medianInterval covers the median of any distribution as it says.
func TestMedianIntervalCoverage(t *testing.T) {
	const rounds = 8000
	for depth := 5; depth <= MaxDepth; depth += 2 {
		for name, draw := range map[string]func(r *rand.Rand) float64{
			"normal":   (*rand.Rand).NormFloat64,
			"powers":   func(r *rand.Rand) float64 { return math.Pow(r.NormFloat64(), 5) },
			"lopsided": func(r *rand.Rand) float64 { return r.ExpFloat64() - math.Ln2 },
		} {
			r := rand.New(rand.NewPCG(uint64(depth), 8))
			covered := 0
			for range rounds {
				x := make([]float64, depth)
				for i := range x {
					x[i] = draw(r)
				}
				slices.Sort(x)
				i := medianInterval(x)
				if i.Contains(0) {
					covered++
				}
				if i.Estimate != x[depth/2] || !i.Contains(i.Estimate) {
					t.Fatalf("%v of %v", i, x)
				}
			}
			// The interpolation assumes a density without a peak at the median.
			want, off := 0.95, 0.015
			if name == "powers" {
				off = 0.03
			}
			if depth == 5 {
				want, off = 0.9375, 0.015
			}
			if c := float64(covered) / rounds; math.Abs(c-want) > off {
				t.Errorf("%d values, %s: covered %.2f %%, want %.2f", depth, name, 100*c, 100*want)
			}
		}
	}
}

func TestCountSketchIsLinear(t *testing.T) {
	text := english().text(5000, 1)
	whole, parts, each := NewCountSketch(3, 512, 9), NewCountSketch(3, 512, 9), NewCountSketch(3, 512, 9)
	whole.AddAll(text)
	other := NewCountSketch(3, 512, 9)
	parts.AddAll(text[:1234])
	other.AddAll(text[1234:])
	if err := parts.Merge(other); err != nil || !slices.Equal(parts.cells, whole.cells) {
		t.Errorf("merged: another sketch, %v", err)
	}
	for _, h := range text {
		each.Add(h)
	}
	if !slices.Equal(each.cells, whole.cells) {
		t.Error("Add and AddAll differ")
	}
	for _, h := range text {
		each.AddN(h, -1)
	}
	if got := each.Surprise(); slices.Max(each.cells) != 0 || slices.Min(each.cells) != 0 || got != exactly(0) {
		t.Errorf("all taken back: %v", got)
	}
	for what, o := range map[string]*CountSketch{
		"depth": NewCountSketch(5, 512, 9), "width": NewCountSketch(3, 1024, 9), "seed": NewCountSketch(3, 512, 8),
	} {
		before := mustForm(whole)
		if err := whole.Merge(o); !errors.Is(err, ErrMerge) || !bytes.Equal(before, mustForm(whole)) {
			t.Errorf("another %s: %v", what, err)
		}
	}
}

func TestNewCountSketchArguments(t *testing.T) {
	for _, c := range [][4]int{
		{0, 0, DefaultDepth, DefaultWidth}, {-1, -1, DefaultDepth, DefaultWidth}, {1, 1, 1, MinWidth},
		{2, 17, 3, 32}, {99, 1000, MaxDepth, 1024}, {1, math.MaxInt, 1, MaxWidth},
	} {
		s := NewCountSketch(c[0], c[1], 1)
		if s.depth != c[2] || s.width != c[3] || s.Count(1) != 0 {
			t.Errorf("NewCountSketch(%d, %d) is %dx%d", c[0], c[1], s.depth, s.width)
		}
	}
}

func TestCountSketchDoesNotAllocate(t *testing.T) {
	s, page := NewCountSketch(0, 0, 1), different(300)
	if n := testing.AllocsPerRun(100, func() { s.AddAll(page); s.Add(1); s.AddN(2, 5); s.Count(7) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCountSketchLargeCounts(t *testing.T) {
	s := NewCountSketch(1, 16, 1)
	s.AddN(1, 1<<62)
	if got := s.Surprise(); got.Estimate != math.Ldexp(1, 124) || s.Count(1) != 1<<62 {
		t.Errorf("2^62 times one word: %v, %d", got, s.Count(1))
	}
}
