package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// The numbers of source 000, Ullman's slides on streams. A slide is named by
// the number printed on it.

// With m different words, P(R >= i) = 1 - (1 - 2^-i)^m, and nearly 1 -
// e^(-m/2^i): for m = 1000 and i = 10 it is 0.6236.
func TestSource000Slide26RunProbability(t *testing.T) {
	const m, i, golden = 1000, 10, 0.6236
	exact, near := 1-math.Pow(1-math.Ldexp(1, -i), m), 1-math.Exp(-m*math.Ldexp(1, -i))
	if math.Abs(exact-golden) > 5e-5 || math.Abs(near-golden) > 5e-4 {
		t.Errorf("P(R >= 10) = %.5f, nearly %.5f, want %.4f", exact, near, golden)
	}
	var long, all float64
	for seed := range uint64(8) {
		for _, run := range filled(MaxRegisters/8, 100+seed, different(m)).registers().run {
			all++
			if run >= i {
				long++
			}
		}
	}
	if p, sd := long/all, math.Sqrt(golden*(1-golden)/all); math.Abs(p-golden) > 4*sd {
		t.Errorf("of the registers %.4f hold 10 or more, want %.4f ± %.4f", p, golden, sd)
	}
}

// The source's combination, the median of means of groups of g values 2^R, is
// c(g) times too high. Here by drawing R from its distribution, without any
// sketch. The constants are means over an octave of n, as the median of powers
// of two goes in steps, and were measured: for g = 1 the median of R follows
// from its distribution, and c(1) = 1/(2 ln² 2) = 1.041, where 1.063 was found.
func TestSource000Slide29BiasOfGroups(t *testing.T) {
	golden := []struct {
		g int
		c float64
	}{{1, 1.063}, {4, 1.890}, {8, 2.364}, {16, 2.853}, {32, 3.361}, {64, 3.865}}
	const phases = 64
	draws := 9600
	if testing.Short() {
		draws = 2400
	}
	chance := 4 * 3.5 / math.Sqrt(float64(phases*draws)) // four times the error of all draws
	r := rand.New(rand.NewPCG(26, 29))
	for _, want := range golden {
		var sum float64
		values := make([]float64, draws+want.g) // so that the groups are odd in number
		for phase := range phases {
			n := math.Exp2(20 + (float64(phase)+0.5)/phases)
			for i := range values {
				values[i] = longestRun(r, n)
			}
			sum += groupMedian(values, want.g) / n
		}
		c := sum / phases
		t.Logf("c(%d) = %.3f, want %.3f", want.g, c, want.c)
		if math.Abs(c/want.c-1) > 0.01+chance {
			t.Errorf("c(%d) = %.3f, want %.3f", want.g, c, want.c)
		}
		if theory := 0.5 / (math.Ln2 * math.Ln2); want.g == 1 && math.Abs(c/theory-1) > chance {
			t.Errorf("c(1) = %.3f, theory says %.3f", c, theory)
		}
	}
}

// longestRun draws 2^R for n words: R is the largest i with n·2^-i at least an
// exponential variate.
func longestRun(r *rand.Rand, n float64) float64 {
	return math.Exp2(math.Floor(math.Log2(n / r.ExpFloat64())))
}

// The error of K registers is 3.5/√K by groups and 1.04/√K by maximum
// likelihood.
func TestSource000Slide29ErrorOfRegisters(t *testing.T) {
	words := different(20_000)
	for _, k := range []int{256, 1024, 4096} {
		var ml, group tally
		for seed := range seeds() {
			d := filled(k, 300+seed, words)
			ml.add(d.MaximumLikelihood(), 20_000)
			group.add(exactly(d.GroupMedian()/GroupBias), 20_000)
		}
		chance := 4 / math.Sqrt(2*ml.n) // four standard deviations of an rms
		a, b := ml.rms()*math.Sqrt(float64(k)), group.rms()*math.Sqrt(float64(k))
		t.Logf("K=%d: error x √K %.2f and %.2f, want 1.04 and 3.5", k, a, b)
		if math.Abs(a/1.04-1) > chance || math.Abs(b/3.5-1) > 0.1+chance {
			t.Errorf("K=%d: error x √K %.2f and %.2f, want 1.04 and 3.5", k, a, b)
		}
	}
}

// The graph of the slide, and the neighbourhoods of E by merging sketches along
// edges: n(u, d) is u and all n(v, d-1) of its neighbours v.
func TestSource000Slide32Neighbourhoods(t *testing.T) {
	near := map[rune]*Distinct{}
	of := func(nodes string) *Distinct {
		d := NewDistinct(64, 1)
		for _, u := range nodes {
			d.Add(splitmix.Finish(uint64(u)))
		}
		return d
	}
	for _, u := range "ABCDEFG" {
		near[u] = of(string(u))
	}
	for distance, want := range []string{"E", "DEF", "BDEFG", "ABCDEFG"} {
		if got := near['E'].Estimate(); got != exactly(float64(len(want))) {
			t.Errorf("n(E, %d) has %v nodes, want %d", distance, got, len(want))
		}
		if !slices.Equal(near['E'].sortedBy(replayOrder), of(want).sortedBy(replayOrder)) {
			t.Errorf("n(E, %d) is not {%s}", distance, want)
		}
		next := map[rune]*Distinct{}
		for u, d := range near {
			next[u] = d.clone()
		}
		for _, edge := range []string{"AB", "AC", "BC", "BD", "DE", "DF", "DG", "EF", "FG"} {
			u, v := rune(edge[0]), rune(edge[1])
			if err := next[u].Merge(near[v]); err != nil {
				t.Fatal(err)
			}
			if err := next[v].Merge(near[u]); err != nil {
				t.Fatal(err)
			}
		}
		near = next
	}
}

// The 0th moment is the number of different words, the 1st the length; the 2nd
// is 910 and 8,110 for the two streams of the slide.
func TestSource000Slide41Moments(t *testing.T) {
	for want, counts := range map[float64][]int{
		910:  {10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
		8110: {90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	} {
		hashes := stream(counts...)
		e, w := exactCounts(hashes), NewWords(SiteConfig(1))
		w.AddAll(hashes)
		if e.Distinct() != 11 || e.Total() != 100 || e.Surprise() != want {
			t.Errorf("exact moments %d, %d, %g, want 11, 100, %g", e.Distinct(), e.Total(), e.Surprise(), want)
		}
		if w.Distinct() != exactly(11) || w.N() != 100 || w.Surprise() != exactly(want) {
			t.Errorf("moments %v, %d, %v, want 11, 100, %g", w.Distinct(), w.N(), w.Surprise(), want)
		}
	}
}

// Over all n positions of any stream, the sum of X/n = (2c - 1) is the second
// moment: in integers, and so exactly. The variables of a reservoir that holds
// all positions are those.
func TestSource000Slide44Identity(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 44))
		hashes := make([]uint64, 1+r.IntN(400))
		for i, values := 0, 1+r.Uint64N(60); i < len(hashes); i++ {
			hashes[i] = splitmix.Finish(r.Uint64N(values))
		}
		sum, since := uint64(0), map[uint64]uint64{}
		for _, h := range slices.Backward(hashes) {
			since[h]++
			sum += 2*since[h] - 1
		}
		moment := exactCounts(hashes).Surprise()
		if float64(sum) != moment {
			t.Errorf("seed %d: the positions add up to %d, the squares to %g", seed, sum, moment)
		}
		s := NewReservoir(len(hashes), seed)
		s.AddAll(hashes)
		var sketched float64
		for _, x := range s.variables() {
			sketched += x / float64(len(hashes))
		}
		if math.Abs(sketched/moment-1) > 1e-12 { // x/n rounds
			t.Errorf("seed %d: the variables add up to %g, want %g", seed, sketched, moment)
		}
	}
}

// Each of the n positions so far is chosen with probability k/n, at every n: at
// the beginning all, and later no position more often than another.
func TestSource000Slide46EachPositionIsAsLikely(t *testing.T) {
	const k, rounds = MinReservoir, 2000
	lengths := []int{10, k, k + 1, 50, 300}
	words := different(lengths[len(lengths)-1])
	chosen := make([][]float64, len(lengths))
	for i, n := range lengths {
		chosen[i] = make([]float64, n)
	}
	for seed := range uint64(rounds) {
		s, n := NewReservoir(k, seed), 0
		position := map[uint64]int{}
		for i, h := range words {
			position[mix(h, s.key)] = i
		}
		for i, length := range lengths {
			s.AddAll(words[n:length])
			n = length
			for _, p := range s.chosen {
				chosen[i][position[p.word]]++
			}
		}
	}
	for i, n := range lengths {
		if n <= k {
			if slices.Min(chosen[i]) != rounds || slices.Max(chosen[i]) != rounds {
				t.Errorf("n=%d: not every position is chosen", n)
			}
			continue
		}
		p := k / float64(n)
		want, chi := rounds*p, 0.0
		for _, c := range chosen[i] {
			chi += (c - want) * (c - want) / (want * (1 - p))
		}
		if free := float64(n - 1); chi*free/float64(n) > free+5*math.Sqrt(2*free) {
			t.Errorf("n=%d: chi-square %.0f over %d positions", n, chi, n)
		}
	}
}

// Streams of known size with a fixed seed must give these registers on every
// processor, or sketches of two machines could not be merged. The hash is
// FNV-1a over the registers.
func TestGoldenStreams(t *testing.T) {
	for _, c := range []struct {
		n    int
		want uint64
	}{
		{1, 0xe056c3e10c8e2e8c},
		{10, 0x8e45bc6cb091ed47},
		{100, 0xc5fb5d419fbf4e97},
		{1000, 0x918789d89c965eda},
		{10_000, 0x2cb5bd18ca0cf251},
		{100_000, 0xd0feaf8b6402f4c7},
		{1_000_000, 0xbb7c887b0b130c87},
	} {
		if testing.Short() && c.n > 100_000 {
			continue
		}
		h, d := uint64(14695981039346656037), filled(DefaultRegisters, 2026, different(c.n))
		for _, run := range d.registers().run {
			h = (h ^ uint64(run)) * 1099511628211
		}
		if h != c.want {
			t.Errorf("n=%d: registers hash to %#x, want %#x", c.n, h, c.want)
		}
		if got := d.MaximumLikelihood(); math.Abs(got.Estimate/float64(c.n)-1) > 3*likelihoodError(c.n, DefaultRegisters) {
			t.Errorf("n=%d: %v", c.n, got)
		}
	}
}
