package stats

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// sizes of the sketches that are merged: a head of 60, so one has no tail up to 60
// different words.
var mergeConfig = Config{Registers: 32, Head: 60, Width: 16, Seed: 3}

// inOrder returns the words of a stream in the order in which a merge takes
// them.
func inOrder(hashes []uint64, key uint64) []uint64 {
	known := knownBits(mergeConfig.Head)
	return slices.SortedFunc(slices.Values(hashes), func(a, b uint64) int {
		return replayOrder(mix(a, key)&known, mix(b, key)&known)
	})
}

// To merge a small sketch into another, or another into it, is to add its
// words: to the bit.
func TestMergeOfSmallIsAdding(t *testing.T) {
	const longestRun = 300
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
			if swap && a.surprise.tail.n > 0 { // else it is a's words that are added
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

// partsOf deals a stream out, in runs of so many words.
func partsOf(text []uint64, parts, run int) [][]uint64 {
	dealt := make([][]uint64, parts)
	i := 0
	for words := range slices.Chunk(text, run) {
		dealt[i%parts] = append(dealt[i%parts], words...)
		i++
	}
	return dealt
}

// A merged figure is as good as one from the whole stream: of 2 to 8 parts, merged in any order,
// the 95 % intervals hold the truth, of text, of made streams, and of parts that have little in
// common.
func TestMergedWordsAgainstTruth(t *testing.T) {
	text := english().text(60_000, 3)
	late := slices.Concat(rareWords(0, 9000), often(1, falling(30, 900, 0.9)...), text[:20_000])
	disjoint := slices.Concat(rareWords(0, 12_000), often(1, alike(6, 3000)...), often(2, falling(900, 40, 0.99)...), text[:12_000])
	for _, c := range []struct {
		name  string
		text  []uint64
		parts int
		run   int
		site  bool
	}{
		{"text", text, 2, 700, false}, {"text", text, 8, 700, false}, {"text", text, 5, 700, true},
		{"frequent words late", late, 3, 500, false}, {"frequent words late", late, 7, 4000, true},
		{"parts unlike each other", disjoint, 4, len(disjoint)/4 + 1, false}, {"parts unlike each other", disjoint, 6, len(disjoint)/6 + 1, true},
		{"one large, three small", slices.Concat(text[:50_000], rareWords(0, 300), text[:400]), 4, 17_000, true},
	} {
		truth := exactCounts(c.text)
		parts := partsOf(c.text, c.parts, c.run)
		var surprise, distinct tally
		for seed := range fewSeeds() {
			config := Config{Seed: 90 + seed}
			if c.site {
				config = SiteConfig(90 + seed)
			}
			r := rand.New(rand.NewPCG(seed, 11))
			var sketches []*Words
			for _, part := range parts {
				w := NewWords(config)
				w.AddAll(part)
				sketches = append(sketches, w)
			}
			for len(sketches) > 1 { // any two of them, until one is left
				r.Shuffle(len(sketches), func(i, j int) { sketches[i], sketches[j] = sketches[j], sketches[i] })
				if err := sketches[0].Merge(sketches[1]); err != nil {
					t.Fatal(err)
				}
				sketches = append(sketches[:1], sketches[2:]...)
			}
			w := sketches[0]
			if w.N() != uint64(len(c.text)) {
				t.Fatalf("%s: %d words of %d", c.name, w.N(), len(c.text))
			}
			surprise.add(w.Surprise(), truth.Surprise())
			distinct.add(w.Distinct(), float64(truth.Distinct()))
			if seed > 2 {
				continue
			}
			if err := new(Words).UnmarshalBinary(marshaled(t, w)); err != nil {
				t.Fatalf("%s: what was merged is not in order: %v", c.name, err)
			}
		}
		what := fmt.Sprintf("%s, %d parts, site %t", c.name, c.parts, c.site)
		t.Logf("%-45s surprise %s  distinct %s", what, &surprise, &distinct)
		surprise.checkBias(t, what)
		surprise.checkCoverageOf(t, what, 0.92, 1)
		distinct.checkBias(t, what)
		distinct.checkCoverageOf(t, what+", distinct", 0.92, 1)
	}
}

// A sketch that was merged continues as any other: by words, by pages, saved and loaded, and by
// deltas, of which the first is a full one.
func TestMergedWordsContinue(t *testing.T) {
	text := english().text(40_000, 3)
	a, b, k := NewWords(SiteConfig(1)), NewWords(SiteConfig(1)), kept{}
	a.AddAll(text[:12_000])
	b.AddAll(text[12_000:24_000])
	k.commit(a, false)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	k.commit(a, false)
	single, loaded := a.Clone(), new(Words)
	if err := loaded.UnmarshalBinary(marshaled(t, a)); err != nil {
		t.Fatal(err)
	}
	for page := range slices.Chunk(text[24_000:], 900) {
		a.AddAll(page)
		loaded.AddAll(page)
		for _, h := range page {
			single.Add(h)
		}
		k.commit(a, false)
	}
	for name, w := range map[string]*Words{"word by word": single, "loaded": loaded, "from deltas": k.restore(t)} {
		if !bytes.Equal(marshaled(t, w), marshaled(t, a)) {
			t.Errorf("%s: %v and %v, want %v and %v", name, w.Distinct(), w.Surprise(), a.Distinct(), a.Surprise())
		}
	}
	if most := 2 * len(a.surprise.front.pairs); !a.surprise.closed || a.surprise.heads >= most*3/4 {
		t.Errorf("%d words in the head, of at most %d; closed: %t", a.surprise.heads, most, a.surprise.closed)
	}
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
	for name, o := range map[string]*Words{
		"another seed":  unlike(func(c *Config) { c.Seed++ }),
		"another head":  unlike(func(c *Config) { c.Head++ }),
		"another width": unlike(func(c *Config) { c.Width *= 2 }),
	} {
		w := sketchOf(mergeConfig, 400)
		before, other := marshaled(t, w), marshaled(t, o)
		for _, err := range []error{w.Merge(o), w.surprise.Merge(&o.surprise)} {
			if !errors.Is(err, ErrMerge) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(marshaled(t, w), before) || !bytes.Equal(marshaled(t, o), other) {
			t.Errorf("%s: a refused merge changed a sketch", name)
		}
	}
	w := sketchOf(mergeConfig, 400)
	if err := w.Merge(unlike(func(c *Config) { c.Registers = 64 })); !errors.Is(err, ErrMerge) {
		t.Errorf("other registers: %v", err)
	}
	if err := w.Merge(w); err != nil || w.N() != 800 {
		t.Errorf("with itself: %d words, %v", w.N(), err)
	}
	headless := NewSurprise(0, 16, 1)
	headless.AddAll(words[:10])
	if err := headless.Merge(headless); err != nil || headless.Estimate().High < 40 {
		t.Errorf("without a head, with itself: %v, %v", headless.Estimate(), err)
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
