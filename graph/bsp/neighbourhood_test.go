package bsp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"crawler/internal/splitmix"
	"crawler/stats"
)

// golden graph of source 000, slide 30: nodes A..G, undirected.
func slideGraph() Lists {
	g := make(Lists, 7)
	for _, edge := range []string{"AB", "AC", "BC", "BD", "DE", "DF", "DG", "EF", "FG"} {
		v, w := uint32(edge[0]-'A'), uint32(edge[1]-'A')
		g[v] = append(g[v], w)
		g[w] = append(g[w], v)
	}
	return sorted(g)
}

func TestSlide30Neighbourhood(t *testing.T) {
	g, e := slideGraph(), uint32('E'-'A')
	n, err := Neighbourhoods(context.Background(), Config{}, g, g, Sketch{Registers: 1024, Nodes: []uint32{e}})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{1, 3, 5, 7}
	if len(n.Sizes[0]) != len(want) || !n.Whole {
		t.Fatalf("n(E, d) = %v, want %v", n.Sizes[0], want)
	}
	exact, all, err := Reach(context.Background(), g, e, 0)
	if err != nil || !all || len(exact) != len(want) {
		t.Fatal(exact, all, err)
	}
	for d, size := range n.Sizes[0] {
		if math.Round(size.Estimate) != want[d] || !size.Contains(want[d]) {
			t.Errorf("n(E, %d) = %v, want %v", d, size, want[d])
		}
		if float64(exact[d]) != want[d] {
			t.Errorf("exactly, n(E, %d) = %d, want %v", d, exact[d], want[d])
		}
	}
}

// long is how many times as many seeds to try: 20 with BSP_LONG set.
func long() int {
	if os.Getenv("BSP_LONG") != "" {
		return 20
	}
	return 1
}

// coverage counts how often an interval covered the truth.
type coverage struct {
	covered, of  int
	bias, square float64
}

func (c *coverage) add(i stats.Interval, truth float64) {
	if c.of++; i.Contains(truth) {
		c.covered++
	}
	x := i.Estimate/truth - 1
	c.bias += x
	c.square += x * x
}

func (c *coverage) String() string {
	n := float64(c.of)
	return fmt.Sprintf("%6d cases, bias %+6.2f %%, rms %5.2f %%, covered %.1f %%", c.of, 100*c.bias/n, 100*math.Sqrt(c.square/n), 100*float64(c.covered)/n)
}

// known returns a sketch of nodes 0..size-1.
func known(c *counters, size int) []uint64 {
	sketch, single := make([]uint64, c.words), make([]uint64, c.words)
	for v := range size {
		clear(single)
		c.start(single, v)
		join(sketch, single)
	}
	return sketch
}

// Sets of known size: the estimator and its interval by themselves, over many seeds.
func TestCountersAgainstTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	sizes := []int{1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 300, 500, 1000, 3000}
	for _, m := range []int{16, 32, 64, 256, 1024} {
		c, err := newCounters(m, 0, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		var all coverage
		for _, size := range sizes {
			var one coverage
			for seed := range uint64(800_000 * long() / min(raceScale, 10) / (2000 + size)) {
				c.seed = splitmix.Finish(seed + splitmix.Golden)
				i := c.interval(known(c, size))
				one.add(i, float64(size))
				all.add(i, float64(size))
			}
			t.Logf("m=%d n=%d: %v, theory %.2f %%", m, size, &one, 100*c.relative(float64(size)))
			// Four standard deviations of a share of 95 %, and of a mean and a variance.
			n, e := float64(one.of), c.relative(float64(size))
			if share := float64(one.covered) / n; share < 0.95-4*math.Sqrt(0.95*0.05/n) {
				t.Errorf("m=%d n=%d: covered %.3f", m, size, share)
			}
			if size < 100 && raceScale > 1 {
				continue // errors are rare and large there: a few seeds tell nothing of their mean
			}
			if bias := one.bias / n; math.Abs(bias) > 4*e/math.Sqrt(n)+0.3/float64(m) {
				t.Errorf("m=%d n=%d: bias %.4f", m, size, bias)
			}
			if rms := math.Sqrt(one.square / n); rms > e*(1+4/math.Sqrt(2*n)) {
				t.Errorf("m=%d n=%d: error %.4f, by theory %.4f", m, size, rms, e)
			}
		}
		if all.covered*100 < all.of*95 {
			t.Errorf("m=%d: %v", m, &all)
		}
	}
}

// Neighbourhoods of sampled nodes at all distances, over several seeds.
func TestNeighbourhoodsAgainstExact(t *testing.T) {
	for _, c := range []struct {
		name  string
		g     Lists
		seeds int
	}{
		{"small web", web(3000/min(raceScale, 3), 1), 8},
		{"pieces", pieces(2000/min(raceScale, 2), 3), 6},
		{"large web", web(100_000/raceScale, 2), 1},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		var nodes []uint32
		var truth [][]float64
		for range 60 {
			v := uint32(r.IntN(len(c.g)))
			nodes, truth = append(nodes, v), append(truth, ballSizes(c.g, v))
		}
		back := transposed(t, c.g)
		for _, m := range []int{16, 64} {
			var covered coverage
			for seed := range c.seeds * long() {
				k := Sketch{Registers: m, Seed: uint64(seed), Nodes: nodes, Distance: 25}
				n, err := Neighbourhoods(context.Background(), Config{}, c.g, back, k)
				if err != nil {
					t.Fatal(err)
				}
				for i := range nodes {
					for d, size := range n.Sizes[i] {
						covered.add(size, truth[i][min(d, len(truth[i])-1)])
					}
				}
			}
			if t.Logf("%s, m=%d: %v", c.name, m, &covered); covered.covered*100 < covered.of*95 {
				t.Errorf("%s, m=%d: %v", c.name, m, &covered)
			}
		}
	}
}

// The neighbourhood function and the effective diameter against all searches.
func TestNeighbourhoodFunction(t *testing.T) {
	g := web(1000, 4)
	exact := make([]float64, 60) // the sum of ballSizes, each going on as it ended
	for v := range g {
		sizes := ballSizes(g, uint32(v))
		for d := range exact {
			exact[d] += sizes[min(d, len(sizes)-1)]
		}
	}
	truth := Neighbourhood{}
	for _, x := range exact {
		truth.Function = append(truth.Function, exactly(x))
	}
	var covered coverage
	for seed := range uint64(10) {
		n, err := Neighbourhoods(context.Background(), Config{}, g, transposed(t, g), Sketch{Seed: seed})
		if err != nil || !n.Whole || n.Function[0] != exactly(1000) {
			t.Fatal(n, err)
		}
		for d, pairs := range n.Function {
			covered.add(pairs, exact[min(d, len(exact)-1)])
		}
		if got, want := n.EffectiveDiameter(0.9), truth.EffectiveDiameter(0.9); math.Abs(got.Estimate-want.Estimate) > 1.2 {
			t.Errorf("seed %d: effective diameter %v, exactly %v", seed, got, want)
		}
	}
	if t.Log(&covered); covered.covered*100 < covered.of*95 {
		t.Error(&covered)
	}
}

// The intervals of the neighbourhood function, of the effective diameter and of the mean distance,
// over seeds, on webs that are unlike each other: they hold, and are not much wider than they must
// be.
func TestNeighbourhoodIntervals(t *testing.T) {
	for _, c := range []struct {
		name  string
		g     Lists
		seeds int
	}{
		{"web of 1,000", web(1000, 4), 60}, {"web of 12,000", web(12_000/min(raceScale, 10), 5), 12}, {"pieces", pieces(2000, 3), 40}, {"chain", chain(300), 40},
		{"star", star(1500), 60},
	} {
		truth, err := Pairs(t.Context(), Config{}, c.g)
		if err != nil {
			t.Fatal(err)
		}
		back := transposed(t, c.g)
		for _, m := range []int{16, 64} {
			var pairs, diameter, mean coverage
			wide := 0.0
			for seed := range max(2, c.seeds*long()/raceScale) {
				n, err := Neighbourhoods(t.Context(), Config{}, c.g, back, Sketch{Seed: uint64(seed), Registers: m})
				if err != nil {
					t.Fatal(err)
				}
				for d := 1; d < len(n.Function); d++ {
					x := truth.Function[min(d, len(truth.Function)-1)].Estimate
					pairs.add(n.Function[d], x)
					wide += (n.Function[d].High - n.Function[d].Low) / 2 / x
				}
				diameter.add(n.EffectiveDiameter(0.9), truth.EffectiveDiameter(0.9).Estimate)
				mean.add(n.MeanDistance(), truth.MeanDistance().Estimate)
			}
			t.Logf("%s, m=%d: pairs: %v, half-width %.1f %%", c.name, m, &pairs, 100*wide/float64(pairs.of))
			t.Logf("%s, m=%d: effective diameter: %v", c.name, m, &diameter)
			t.Logf("%s, m=%d: mean distance: %v", c.name, m, &mean)
			if raceScale > 1 {
				continue
			}
			for what, a := range map[string]coverage{"pairs": pairs, "effective diameter": diameter, "mean distance": mean} {
				if float64(a.covered) < 0.85*float64(a.of) { // those of one seed belong together
					t.Errorf("%s, m=%d: %s: %v", c.name, m, what, &a)
				}
			}
		}
	}
}

// star links its first node with all others, both ways.
func star(n int) Lists {
	g := make(Lists, n)
	for v := 1; v < n; v++ {
		g[0] = append(g[0], uint32(v))
		g[v] = []uint32{0}
	}
	return g
}

// All pairs by one search after the other.
func TestPairs(t *testing.T) {
	for name, g := range map[string]Lists{"slide": slideGraph(), "web": web(700, 2), "pieces": pieces(300, 1), "chain": chain(130),
		"star": star(65), "none": {}, "one": {nil}, "itself": {{0}, {0, 1}}} {
		want := make([]float64, len(g)+1)
		for v := range g {
			sizes := ballSizes(g, uint32(v))
			for d := range want {
				want[d] += sizes[min(d, len(sizes)-1)]
			}
		}
		for workers := range 3 {
			got, err := Pairs(t.Context(), Config{Workers: workers}, g)
			if err != nil || !got.Whole {
				t.Fatalf("%s: %v", name, err)
			}
			for d, x := range want {
				if at := min(d, len(got.Function)-1); got.Function[at] != exactly(x) {
					t.Errorf("%s: %v pairs within %d, want %v", name, got.Function[at], d, x)
				}
			}
		}
	}
	if _, err := Pairs(t.Context(), Config{}, make(Lists, MaxPairs+1)); err == nil {
		t.Error("too many nodes are taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pairs(ctx, Config{}, web(700, 2)); err == nil {
		t.Error("a search that was given up has an answer")
	}
}

// Chains give distances that are known: 0.9 of the pairs of a path of 11 nodes.
func TestEffectiveDiameter(t *testing.T) {
	for _, c := range []struct {
		pairs []float64
		want  float64
	}{
		{nil, 0}, {[]float64{5}, 0}, {[]float64{10, 20}, 0.8}, {[]float64{1, 3, 5, 7}, 2.65}, {[]float64{10, 20, 20}, 0.8},
	} {
		var n Neighbourhood
		for _, x := range c.pairs {
			n.Function = append(n.Function, exactly(x))
		}
		if got := n.EffectiveDiameter(0.9); math.Abs(got.Estimate-c.want) > 1e-9 || !got.Exact() {
			t.Errorf("%v: %v, want %v", c.pairs, got, c.want)
		}
	}
}

func TestSketchConfig(t *testing.T) {
	for _, k := range []Sketch{{Registers: 8}, {Registers: 48}, {Registers: 2048}, {Registers: -1}, {Nodes: []uint32{3}}} {
		if _, err := Neighbourhoods(context.Background(), Config{}, chain(3), nil, k); err == nil {
			t.Errorf("%+v: no error", k)
		}
	}
	n, err := Neighbourhoods(context.Background(), Config{}, chain(30), nil, Sketch{Distance: 4})
	if err != nil || len(n.Function) != 5 || n.Whole {
		t.Errorf("%+v %v", n, err)
	}
}

// join is the larger of each two bytes.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		const low = 0x3f3f3f3f3f3f3f3f
		x, y := r.Uint64()&low, r.Uint64()&low
		if r.IntN(2) == 0 {
			y ^= r.Uint64() & r.Uint64() & r.Uint64() & low
		}
		a := []uint64{x}
		join(a, []uint64{y})
		for at := 0; at < 64; at += 8 {
			if want := max(x>>at&255, y>>at&255); a[0]>>at&255 != want {
				t.Fatalf("join of %#x and %#x is %#x", x, y, a[0])
			}
		}
	}
}
