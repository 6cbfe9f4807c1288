package lab

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"crawler/dedup"
	"crawler/near"
	"crawler/parse"
)

// treeEnv names directories of HTML files, separated as in PATH, on which the near-duplicates
// found are compared with the exact resemblance of all pairs.
const treeEnv = "CRAWLER_HTML_TREES"

// What must be true on any tree: of the pairs of 0.85 and more 98 % are called near, of those
// called near 1 % are below 0.75, and none once they are confirmed; intervals hold for 93 to 97 %.
func TestNearOnTrees(t *testing.T) {
	trees := os.Getenv(treeEnv)
	if trees == "" {
		t.Skip("set " + treeEnv + " to directories of HTML files")
	}
	for _, dir := range filepath.SplitList(trees) {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkTree(t, dir) })
	}
}

func checkTree(t *testing.T, dir string) {
	d := newNearDocuments()
	files := documents{html: true}
	var words [][]uint64
	err := files.each(context.Background(), dir, func(name string, page *parse.Page) error {
		if len(page.Words) > 0 {
			words = append(words, slices.Clone(page.Words))
		}
		return d.add(name, page)
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.exact, err = allPairs(context.Background(), d.sets); err != nil {
		t.Fatal(err)
	}
	cfg := dedup.PageSignature()
	sigs, err := d.slots(0)
	if err != nil {
		t.Fatal(err)
	}
	mean, asCrawled, unequal := d.intervals(t, words)
	called, err := candidates(sigs, lsh(cfg, dedup.DefaultThreshold), cfg.SlotsFor(near.Bar))
	if err != nil {
		t.Fatal(err)
	}
	s := d.judge(called, 0.85)
	confirmed, err := d.confirmed(sigs, cfg, dedup.DefaultThreshold)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d pairs of %.1f and more; of %d of 0.85 and more %.2f %% are called near; of %d called near %.3f %% are below 0.75; "+
		"of %d of 0.8 and more %.2f %% are confirmed, and %d below; intervals hold for %.2f %% of %d, %.2f %% with a crawl's permutation",
		len(d.names), len(d.exact.keys), lowestNear, s.wanted, ofAll(s.found, s.wanted), s.called, ofAll(s.low, s.called),
		confirmed.wanted, ofAll(confirmed.found, confirmed.wanted), confirmed.low, mean, unequal, asCrawled)
	if s.wanted >= 100 && ofAll(s.found, s.wanted) < 98 {
		t.Errorf("of the pairs of 0.85 and more %.2f %% are called near", ofAll(s.found, s.wanted))
	}
	if s.called >= 100 && ofAll(s.low, s.called) > 1 || confirmed.low > 0 {
		t.Errorf("of those called near %.2f %% are below 0.75; of those confirmed %d", ofAll(s.low, s.called), confirmed.low)
	}
	if confirmed.wanted >= 100 && ofAll(confirmed.found, confirmed.wanted) < 98 {
		t.Errorf("of the pairs of 0.8 and more %.2f %% are confirmed", ofAll(confirmed.found, confirmed.wanted))
	}
	if unequal >= 1000 && (mean < 93 || mean > 97) {
		t.Errorf("intervals hold for %.2f %%", mean)
	}
}

// permutations is over how many the intervals are averaged: the errors of pages made by one
// template go together, so one permutation is one throw of the dice.
const permutations = 16

// intervals returns for how many of 100 pairs the interval holds, over several permutations and
// with that of a crawl. Pairs of 1 are left out.
func (d *nearDocuments) intervals(t *testing.T, words [][]uint64) (mean, asCrawled float64, unequal int) {
	cfg := dedup.PageSignature()
	for seed := range uint64(permutations) {
		cfg.Seed = seed
		hash, err := dedup.NewMinHash(cfg)
		if err != nil {
			t.Fatal(err)
		}
		sigs := make([][]uint64, len(words))
		for i, w := range words {
			if sigs[i], err = cfg.DecodeSlots(nil, hash.SketchWords(dedup.Signature{}, w).AppendSlots(nil)); err != nil {
				t.Fatal(err)
			}
		}
		held := 0
		unequal = 0
		for i := range d.exact.keys {
			a, b := d.exact.at(i)
			if j := float64(d.exact.resemblance[i]); j < 1 {
				unequal++
				if holds(cfg.Resemblance(cfg.Agreeing(sigs[a], sigs[b]), d.shinglesOf(a, b)), j) {
					held++
				}
			}
		}
		mean += ofAll(held, unequal) / permutations
		if seed == 0 {
			asCrawled = ofAll(held, unequal)
		}
	}
	return mean, asCrawled, unequal
}

func ofAll(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// All pairs are found that a comparison of everything with everything finds.
func TestAllPairs(t *testing.T) {
	d := newNearDocuments()
	add := func(words ...uint64) {
		if err := d.add("x", &parse.Page{Words: words}); err != nil {
			t.Fatal(err)
		}
	}
	x := uint64(1)
	for i := range 60 {
		var words []uint64
		for k := range 3 + i%17 {
			x = x*6364136223846793005 + 1442695040888963407
			words = append(words, uint64(k)+x>>60&1)
		}
		add(words...)
	}
	exact, err := allPairs(context.Background(), d.sets)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range d.sets {
		for k := range i {
			j := dedup.Jaccard(d.sets[i], d.sets[k])
			at := exact.find(uint32(i), uint32(k))
			if (at >= 0) != (j >= lowestNear) || at >= 0 && exact.resemblance[at] != float32(j) {
				t.Errorf("texts %d and %d: J = %v, found at %d", i, k, j, at)
			}
			if at >= 0 {
				n++
			}
		}
	}
	if n != len(exact.keys) || n < 10 {
		t.Errorf("%d pairs, %d listed", n, len(exact.keys))
	}
}
