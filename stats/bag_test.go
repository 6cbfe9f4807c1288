package stats

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// pagesFor returns texts that a Bag takes in differently: short ones, ones with more
// words or more different words than there is room for, and ones whose words share
// slots.
func pagesFor(seed uint64) (pages [][]uint64) {
	random := rand.New(rand.NewPCG(seed, 8))
	text := english().text(80_000, seed)
	for len(text) > 0 {
		n := min(len(text), 1+random.IntN(bagText)*random.IntN(3))
		pages = append(pages, text[:n])
		text = text[n:]
	}
	sharing := make([]uint64, 3*bagSize)
	for i := range sharing {
		sharing[i] = uint64(random.IntN(300))<<52 | 7<<20 // one slot for all
	}
	pages = append(pages, sharing, different(5*bagSize), slices.Repeat([]uint64{11}, 2*bagText+1), nil, []uint64{0})
	random.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	return pages
}

// Whatever the pages, a Bag must leave the sketches as if each word had been added
// alone.
func TestBagIsAdding(t *testing.T) {
	for seed := range uint64(2) {
		var bag Bag
		configs := []Config{{Seed: seed}, SiteConfig(seed), {Registers: 16, Head: 1, Width: 16, Seed: 9}}
		var folded, single []*Words
		for _, c := range configs {
			folded, single = append(folded, NewWords(c)), append(single, NewWords(c))
		}
		pages := pagesFor(seed)
		for i, page := range pages {
			bag.AddAll(page, folded...)
			for j, w := range single {
				for _, h := range page {
					w.Add(h)
				}
				if last := i == len(pages)-1; (last || i%3 == 0) && !bytes.Equal(marshaled(t, w), marshaled(t, folded[j])) {
					t.Fatalf("seed %d, %+v: after page %d of %d words, %v and %v, one by one %v and %v", seed, configs[j],
						i, len(page), folded[j].Distinct(), folded[j].Surprise(), w.Distinct(), w.Surprise())
				}
			}
		}
	}
}

// Folded beforehand, by another Bag and into one Folded for all, texts must leave the sketches as
// AddAll does.
func TestFoldedIsAdding(t *testing.T) {
	for seed := range uint64(2) {
		var bag, other, apart Bag
		var f Folded
		configs := []Config{{Seed: seed}, SiteConfig(seed), {Registers: 16, Head: 1, Width: 16, Seed: seed}}
		var folded, single []*Words
		for _, c := range configs {
			folded, single = append(folded, NewWords(c)), append(single, NewWords(c))
		}
		for i, page := range pagesFor(seed) {
			bag.AddAll(page, single...)
			apart.Fold(page, seed, &f)
			other.AddFolded(&f, folded...)
			for j := range single {
				if !bytes.Equal(marshaled(t, folded[j]), marshaled(t, single[j])) {
					t.Fatalf("seed %d, %+v: page %d of %d words", seed, configs[j], i, len(page))
				}
			}
			if f.Bytes() == 0 && len(page) > 0 {
				t.Fatalf("%d words in %d bytes", len(page), f.Bytes())
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("sketches of another seed take the text")
		}
	}()
	var bag Bag
	var f Folded
	bag.Fold([]uint64{1, 2, 3}, 1, &f)
	bag.AddFolded(&f, NewWords(Config{Seed: 2}))
}

// A bag must hold the words of the text: each different one once, or seldom twice, in the order in
// which they come first.
func TestBagHoldsText(t *testing.T) {
	var b Bag
	for i, page := range pagesFor(5) {
		for left := page; len(left) > 0; {
			text := left
			left = b.fill(text)
			text = text[:len(text)-len(left)]
			want, got := exactCounts(text), map[uint64]uint64{}
			var first []uint64
			for at, h := range b.words[:b.n] {
				if got[h] == 0 {
					first = append(first, h)
				}
				got[h] += uint64(b.counts[at])
			}
			if b.length != len(text) || !maps.Equal(got, want.counts) || !slices.Equal(first, inOrderOfFirst(text)) {
				t.Fatalf("page %d: the bag holds other words", i)
			}
			if len(left) > 0 && b.length < bagText && b.n < noPlace {
				t.Fatalf("page %d: the bag ends after %d words, %d of them different", i, b.length, b.n)
			}
			if d := int(exactCounts(text).Distinct()); b.n < d {
				t.Fatalf("page %d: %d places for %d words", i, b.n, d)
			}
		}
	}
	page := english().text(2000, 6)
	b.fill(page)
	if d := int(exactCounts(page).Distinct()); b.n > d+d/5 {
		t.Errorf("%d places for %d words", b.n, d)
	}
}

// inOrderOfFirst returns the different words of a text.
func inOrderOfFirst(text []uint64) (words []uint64) {
	seen := map[uint64]bool{}
	for _, h := range text {
		if !seen[h] {
			seen[h] = true
			words = append(words, h)
		}
	}
	return words
}

func TestBagDoesNotAllocate(t *testing.T) {
	w, page := NewWords(Config{}), english().text(5000, 7)
	var bag Bag
	bag.AddAll(english().text(200_000, 8), w)
	if n := testing.AllocsPerRun(10, func() { bag.AddAll(page, w) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
