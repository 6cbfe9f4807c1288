package stats

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// sizes of the sketches that are merged: a head of 60, so one is small up to 40
// different words.
var mergeConfig = Config{Registers: 32, Head: 60, Reservoir: 16, Seed: 3}

// inOrder returns the words of a stream in the order in which replay takes
// them.
func inOrder(hashes []uint64, key uint64) []uint64 {
	return slices.SortedFunc(slices.Values(hashes), func(a, b uint64) int { return replayOrder(mix(a, key), mix(b, key)) })
}

// To merge a small sketch into another, or another into it, is to add its
// words: to the bit.
func TestMergeOfSmallIsAdding(t *testing.T) {
	const longestRun = 300 // passes many chosen positions at once
	words := different(5000)
	for _, c := range []struct{ large, from, to int }{
		{0, 0, 0}, {0, 0, 40}, {30, 0, 40}, {30, 30, 60}, {30, 35, 75}, {40, 40, 80},
		{41, 20, 60}, {41, 50, 90}, {150, 0, 40}, {150, 130, 170}, {5000, 0, 3}, {5000, 4970, 5000}, {5000, 140, 180},
	} {
		large := slices.Concat(words[:c.large], words[c.large/2:c.large])
		var small []uint64
		for i, h := range words[c.from:c.to] {
			small = append(small, slices.Repeat([]uint64{h}, 1+i*i%longestRun)...)
		}
		for _, swap := range []bool{false, true} {
			want, a, b := NewWords(mergeConfig), NewWords(mergeConfig), NewWords(mergeConfig)
			a.AddAll(large)
			b.AddAll(small)
			want.AddAll(large)
			for _, h := range inOrder(small, b.surprise.key) {
				want.Add(h)
			}
			other := marshaled(t, b)
			if swap && !a.surprise.small() { // else it is a's words that are added
				a, b, other = b, a, marshaled(t, a)
			}
			if err := a.Merge(b); err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if !bytes.Equal(marshaled(t, a), marshaled(t, want)) {
				t.Errorf("%v, swapped %t: %v and %v, by adding %v and %v", c, swap, a.Distinct(), a.Surprise(), want.Distinct(), want.Surprise())
			}
			if !bytes.Equal(marshaled(t, b), other) {
				t.Errorf("%v: the other was changed", c)
			}
			a.AddAll(words)
			want.AddAll(words)
			if a.Surprise() != want.Surprise() || !bytes.Equal(marshaled(t, b), other) {
				t.Errorf("%v: merged sketches continue differently, or share memory", c)
			}
		}
	}
}

// While both heads find room in one, the merged figure is exact.
func TestMergedSurpriseIsExact(t *testing.T) {
	a, b := NewSurprise(100, 16, 1), NewSurprise(100, 16, 1)
	one, two := stream(10, 20, 30, 1, 1, 1), stream(0, 5, 0, 0, 3, 1, 9, 70_000)
	a.AddAll(one)
	b.AddAll(two)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	want := exactCounts(slices.Concat(one, two))
	if got := a.Estimate(); got != exactly(want.Surprise()) || a.N() != want.Total() {
		t.Errorf("%v of %d words, want %g of %d", got, a.N(), want.Surprise(), want.Total())
	}
}

// A merged figure is as good as one from the whole stream: 95 % intervals hold
// the truth, without bias, over many seeds.
func TestMergedSurpriseAgainstTruth(t *testing.T) {
	text := english().text(20_000, 3)
	small := english().text(300, 4)
	want := exactCounts(slices.Concat(text, small)).Surprise()
	var all tally
	for seed := range seeds() {
		a, b := NewSurprise(300, 64, seed), NewSurprise(300, 64, seed)
		a.AddAll(text)
		b.AddAll(small)
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		all.add(a.Estimate(), want)
	}
	t.Logf("bias %.2f %%, rms %.2f %%, coverage %.1f %%", 100*all.meanError(), 100*all.rms(), 100*all.coverage())
	all.checkBias(t, "merged")
	all.checkCoverage(t, "merged")
}

func TestSurpriseMergeConditions(t *testing.T) {
	words := different(500)
	sketchOf := func(c Config, n int) *Words {
		w := NewWords(c)
		w.AddAll(words[:n])
		return w
	}
	unlike := func(change func(c *Config)) *Words {
		c := mergeConfig
		change(&c)
		return sketchOf(c, 5)
	}
	for name, c := range map[string]struct {
		o    *Words
		want error
	}{
		"another seed":      {unlike(func(c *Config) { c.Seed++ }), ErrMerge},
		"another head":      {unlike(func(c *Config) { c.Head++ }), ErrMerge},
		"another reservoir": {unlike(func(c *Config) { c.Reservoir++ }), ErrMerge},
		"two fronts":        {sketchOf(mergeConfig, 41), ErrTails},
		"two tails":         {sketchOf(mergeConfig, 500), ErrTails},
	} {
		w := sketchOf(mergeConfig, 400)
		before, other := marshaled(t, w), marshaled(t, c.o)
		for _, err := range []error{w.Merge(c.o), w.surprise.Merge(&c.o.surprise)} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		if !bytes.Equal(marshaled(t, w), before) || !bytes.Equal(marshaled(t, c.o), other) {
			t.Errorf("%s: a refused merge changed a sketch", name)
		}
	}
	w := sketchOf(mergeConfig, 400)
	if err := w.Merge(unlike(func(c *Config) { c.Registers = 64 })); !errors.Is(err, ErrMerge) {
		t.Errorf("other registers: %v", err)
	}
	headless := NewSurprise(0, 16, 1)
	headless.AddAll(words[:10])
	if err := headless.Merge(headless); !errors.Is(err, ErrTails) {
		t.Errorf("two tails without heads: %v", err)
	}
}

func TestExactMerge(t *testing.T) {
	var e, o Exact
	o.AddAll(stream(1, 2))
	e.Merge(&o)
	e.AddAll(stream(0, 0, 4))
	e.Merge(&o)
	want := exactCounts(stream(2, 4, 4))
	if !bytes.Equal(marshaled(t, &e), marshaled(t, want)) || o.Total() != 3 {
		t.Errorf("%d different of %d, surprise %g, want 3, 10, 36", e.Distinct(), e.Total(), e.Surprise())
	}
	e.Merge(&e)
	if e.Total() != 20 || e.Surprise() != 4*36 {
		t.Errorf("merged with itself: %d words, surprise %g", e.Total(), e.Surprise())
	}
}
