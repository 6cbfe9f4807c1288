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

// filled returns a sketch that has seen the hashes.
func filled(k int, seed uint64, hashes []uint64) *Distinct {
	d := NewDistinct(k, seed)
	d.AddAll(hashes)
	return d
}

func TestDistinctExactWhileFew(t *testing.T) {
	for _, k := range []int{16, 1024, 4096} {
		d := NewDistinct(k, 1)
		if got := d.Estimate(); got != exactly(0) {
			t.Errorf("k=%d: an empty sketch says %v", k, got)
		}
		words := different(k / 2)
		for i, h := range words {
			d.Add(h)
			d.Add(words[i/2])
			if got := d.Estimate(); got != exactly(float64(i+1)) {
				t.Fatalf("k=%d: %v after %d words", k, got, i+1)
			}
		}
		d.AddAll(different(k/2 + 2))
		if got := d.MaximumLikelihood(); d.reg == nil || got.Low < float64(k/2+1) {
			t.Errorf("k=%d: %v after %d words were counted exactly", k, got, k/2+1)
		}
		d.AddAll(different(8 * k))
		if got := d.Estimate(); got.Exact() || d.reg == nil {
			t.Errorf("k=%d: still exact, %v, after %d words", k, got, 8*k)
		}
	}
}

func TestDistinctAgainstTruth(t *testing.T) {
	sizes := upTo()
	words := different(sizes[len(sizes)-1])
	for _, c := range []struct {
		k              int
		ml, martingale float64 // limits of the rms error
		fewer          int     // sizes
	}{
		{512, 0.050, 0.040, 1},
		{1024, 0.036, 0.028, 1},
		{4096, 0.018, 0.014, 0},
	} {
		ml, martingale := make([]tally, len(sizes)), make([]tally, len(sizes))
		for seed := range seeds() {
			d, n := NewDistinct(c.k, seed), 0
			for i, size := range sizes[:len(sizes)-c.fewer] {
				d.AddAll(words[n:size])
				n = size
				if d.reg != nil {
					ml[i].add(d.MaximumLikelihood(), float64(n))
				}
				martingale[i].add(d.Estimate(), float64(n))
			}
		}
		t.Logf("%8s %10s | maximum likelihood: bias, rms, coverage | martingale", "K", "n")
		var mlAll, martingaleAll tally
		for i, size := range sizes[:len(sizes)-c.fewer] {
			a, b := ml[i], martingale[i]
			if size <= c.k/2 {
				if b.rms() != 0 || b.coverage() != 1 {
					t.Errorf("k=%d, n=%d: not exact", c.k, size)
				}
				continue
			}
			t.Logf("%8d %10d | %6.2f %% %6.2f %% %5.1f %% | %6.2f %% %6.2f %% %5.1f %%", c.k, size,
				100*a.meanError(), 100*a.rms(), 100*a.coverage(), 100*b.meanError(), 100*b.rms(), 100*b.coverage())
			what := fmt.Sprintf("k=%d, n=%d", c.k, size)
			a.checkRMS(t, what+", maximum likelihood", c.ml)
			a.checkBias(t, what+", maximum likelihood")
			a.checkCoverage(t, what+", maximum likelihood")
			b.checkRMS(t, what+", martingale", c.martingale)
			b.checkBias(t, what+", martingale")
			b.checkCoverage(t, what+", martingale")
			mlAll.merge(a)
			martingaleAll.merge(b)
		}
		mlAll.checkCoverage(t, "maximum likelihood")
		martingaleAll.checkCoverage(t, "martingale")
	}
}

// Before there are registers, the likelihood of those the list would fill must
// do as well, from one word on.
func TestMaximumLikelihoodOfFewWords(t *testing.T) {
	// One word says less of itself: the registers that hold 0 say nothing.
	for n, limit := range map[int]float64{1: 0.026, 2: 0.021, 5: 0.018, 20: 0.018, 100: 0.018, 1000: 0.018} {
		var a tally
		for seed := range seeds() {
			a.add(filled(4096, seed, different(n)).MaximumLikelihood(), float64(n))
		}
		t.Logf("n=%d: bias %.2f %%, rms %.2f %%, coverage %.1f %%", n, 100*a.meanError(), 100*a.rms(), 100*a.coverage())
		a.checkRMS(t, fmt.Sprint(n), limit)
		a.checkBias(t, fmt.Sprint(n))
		a.checkCoverage(t, fmt.Sprint(n))
	}
}

// Slide 24 of 000: P(R >= i) = 1 - (1 - 2^-i)^m, here with m = 1000 and i = 10.
func TestSlide24RunProbability(t *testing.T) {
	const golden = 0.6236
	if p := -math.Expm1(-1000 * math.Ldexp(float64(tails[10]), -64)); math.Abs(p-golden) > 5e-5 {
		t.Errorf("by tails P(R >= 10) = %.4f, want %.4f", p, golden)
	}
	var long, all float64
	for seed := range seeds()/20 + 1 {
		for run, many := range filled(MaxRegisters, seed, different(1000)).registers().many {
			all += float64(many)
			if run >= 10 {
				long += float64(many)
			}
		}
	}
	if p, sd := long/all, math.Sqrt(golden*(1-golden)/all); math.Abs(p-golden) > 4*sd {
		t.Errorf("of the registers %.4f hold 10 or more, want %.4f ± %.4f", p, golden, sd)
	}
}

// Registers filled by arrivals must be distributed as by K hash functions:
// P(R <= i) = (1 - 2^-(i+1))^n.
func TestRegistersAreMaxima(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 50_000} {
		reg := newRegisters(MaxRegisters)
		for i, v := range different(n) {
			if i%2 == 0 {
				reg.scatter(v|1, noLimit)
			} else {
				reg.scatterAll([]uint64{v | 1})
			}
		}
		var chi float64
		cells := 0
		for i, many := range reg.many {
			p := math.Pow(1-math.Pow(2, -float64(i+1)), float64(n)) - math.Pow(1-math.Pow(2, -float64(i)), float64(n))
			if want := p * MaxRegisters; want >= 10 {
				chi += (float64(many) - want) * (float64(many) - want) / want
				cells++
			}
		}
		if limit := float64(cells) + 5*math.Sqrt(2*float64(cells)); chi > limit {
			t.Errorf("n=%d: chi-square %.0f over %d lengths", n, chi, cells)
		}
	}
}

// To add many words at once must give the registers that one by one gives.
func TestScatterAll(t *testing.T) {
	for _, k := range []int{16, 512, 4096} {
		for n := 1; n <= 20_000; n *= 3 {
			words := different(n)
			together, single := newRegisters(k), newRegisters(k)
			together.scatterAll(words)
			for _, v := range words {
				single.scatter(v, noLimit)
			}
			if !slices.Equal(together.run, single.run) || together.chance != single.chance || together.pass != single.pass {
				t.Errorf("k=%d, n=%d: registers differ", k, n)
			}
		}
	}
}

func TestDistinctDependsOnTheSetOnly(t *testing.T) {
	words := different(30_000)
	a := filled(1024, 5, words)
	shuffled := slices.Concat(words, words[:20_000], words[5:])
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	b := NewDistinct(1024, 5)
	for _, h := range shuffled {
		b.Add(h)
	}
	if !slices.Equal(a.reg.run, b.reg.run) {
		t.Error("order and repetition changed the registers")
	}
	before := b.Estimate()
	b.AddAll(shuffled)
	if after := b.Estimate(); after != before {
		t.Errorf("a second reading changed %v to %v", before, after)
	}
	if c := filled(1024, 6, words); slices.Equal(a.reg.run, c.reg.run) {
		t.Error("another seed gave the same registers")
	}
}

// AddAll looks at a page as a whole and in another order than Add: none of that
// may show, while most words pass the mark and when few do.
func TestDistinctAddAllEqualsAdd(t *testing.T) {
	for _, n := range []int{500, 3000, 100_000} {
		text := english().text(n, 7)
		for _, words := range [][]uint64{text, different(n), slices.Concat(text, different(n), text)} {
			single := NewDistinct(256, 3)
			for _, h := range words {
				single.Add(h)
			}
			if all := filled(256, 3, words); !bytes.Equal(marshaled(t, all), marshaled(t, single)) {
				t.Errorf("n=%d: AddAll gives %v, Add %v", n, all.Estimate(), single.Estimate())
			}
		}
	}
}

// These registers must come out the same on every processor.
func TestRegistersGolden(t *testing.T) {
	h := uint64(14695981039346656037)
	for _, run := range filled(4096, 42, different(100_000)).reg.run {
		h = (h ^ uint64(run)) * 1099511628211
	}
	if want := uint64(0x49122cdca9496c31); h != want {
		t.Errorf("registers hash to %#x, want %#x", h, want)
	}
}

func TestMergeEqualsUnion(t *testing.T) {
	words := different(40_000)
	for _, c := range []struct{ from, to, from2, to2 int }{
		{0, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 0, 100}, // lists
		{0, 400, 300, 500}, {0, 400, 400, 800}, // two lists, a list or registers as union
		{0, 100, 50, 5000}, {0, 5000, 50, 5100}, // one list
		{0, 20_000, 20_000, 40_000}, {0, 20_000, 10_000, 30_000}, {0, 5000, 0, 5000}, // registers
	} {
		a, b := filled(1024, 9, words[c.from:c.to]), filled(1024, 9, words[c.from2:c.to2])
		both := filled(1024, 9, slices.Concat(words[c.from:c.to], words[c.from2:c.to2]))
		other := slices.Clone(b.registers().run)
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.registers().run, both.registers().run) {
			t.Errorf("%v: registers differ from those of the union", c)
		}
		if got, want := a.MaximumLikelihood(), both.MaximumLikelihood(); got != want {
			t.Errorf("%v: %v, of the union %v", c, got, want)
		}
		if !slices.Equal(b.registers().run, other) {
			t.Errorf("%v: the other sketch was changed", c)
		}
		if (a.reg == nil) != (both.reg == nil) || a.reg == nil && a.Estimate() != both.Estimate() {
			t.Errorf("%v: %v, of the union %v", c, a.Estimate(), both.Estimate())
		}
		if err := a.Merge(filled(1024, 9, words)); err != nil || a.Estimate().Contains(20_000) {
			t.Errorf("%v: %v, %v after a merge with all words", c, a.Estimate(), err)
		}
		a.AddAll(words)
		if !slices.Equal(a.reg.run, filled(1024, 9, words).reg.run) {
			t.Errorf("%v: words added after the merge were not counted", c)
		}
	}
}

func TestMergedMartingaleEnds(t *testing.T) {
	words := different(30_000)
	a, b := filled(256, 1, words[:20_000]), filled(256, 1, words[10_000:])
	if _, ok := a.Martingale(); !ok {
		t.Fatal("no martingale before the merge")
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Martingale(); ok {
		t.Error("a martingale after a merge of two sketches with registers")
	}
	if got := a.Estimate(); got != a.MaximumLikelihood() || !got.Contains(30_000) {
		t.Errorf("Estimate %v, maximum likelihood %v", got, a.MaximumLikelihood())
	}
	c := filled(256, 1, words[:100])
	if err := c.Merge(b); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Martingale(); !ok {
		t.Error("a list merged with registers lost the martingale")
	}
}

func TestMergeConditions(t *testing.T) {
	d := filled(64, 1, different(50))
	before := d.Estimate()
	for _, o := range []*Distinct{filled(128, 1, different(60)), filled(64, 2, different(60))} {
		if err := d.Merge(o); !errors.Is(err, ErrMerge) {
			t.Errorf("merge of unlike sketches: %v", err)
		}
	}
	if d.Estimate() != before {
		t.Error("a refused merge changed the sketch")
	}
}

func TestDistinctSizes(t *testing.T) {
	for _, c := range []struct{ ask, want int }{
		{-1, DefaultRegisters}, {0, DefaultRegisters}, {1, MinRegisters}, {17, 32}, {1000, 1024},
		{4096, 4096}, {1 << 20, MaxRegisters},
	} {
		d := filled(c.ask, 1, different(40_000))
		if got := len(d.registers().run); got != c.want {
			t.Errorf("NewDistinct(%d) has %d registers, want %d", c.ask, got, c.want)
		}
	}
}

// SKETCHES.md, later findings: the group mean is biased by c(g).
func TestGroupMedianBias(t *testing.T) {
	want := map[int]float64{1: 1.063, 4: 1.890, 8: 2.364, 16: 2.853, 32: 3.361, 64: 3.865}
	sums := map[int]float64{}
	const steps = 8 // over an octave, as medians of powers of two wobble with n
	words := different(16_000)
	rounds := seeds() / 2
	for seed := range rounds {
		d, n := NewDistinct(4096, seed), 0
		for step := range steps {
			size := int(8000 * math.Pow(2, float64(step)/steps))
			d.AddAll(words[n:size])
			n = size
			for g := range want {
				sums[g] += d.reg.groupMedian(g) / float64(n) / float64(steps*rounds)
			}
		}
	}
	tolerance := 0.02 + 3*3.5/math.Sqrt(4096*float64(rounds))
	for g, c := range want {
		t.Logf("c(%d) = %.3f, want %.3f", g, sums[g], c)
		if math.Abs(sums[g]/c-1) > tolerance {
			t.Errorf("c(%d) = %.3f, want %.3f", g, sums[g], c)
		}
	}
	if want[groupSize] != GroupBias {
		t.Error("GroupBias is not that of groupSize")
	}
}

func TestGroupMedianOfEmptySketch(t *testing.T) {
	if got := NewDistinct(64, 1).GroupMedian(); got != 0 {
		t.Errorf("%v", got)
	}
}
