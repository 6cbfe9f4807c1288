package stats

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// A merged figure is as good as one from the whole stream. The order of a merge
// must not follow the arrivals at the registers; if it does, the martingale is
// low.
func TestMergedDistinctAgainstTruth(t *testing.T) {
	for _, c := range []struct {
		name  string
		words int
		merge func(t *testing.T, words []uint64, seed uint64) Interval
	}{
		{"registers of 4,096 with a list", 4148, func(t *testing.T, words []uint64, seed uint64) Interval {
			return merged(t, filled(4096, seed, words[:2100]), filled(4096, seed, words[2100:])).Estimate()
		}},
		{"a list with registers of 4,096", 4148, func(t *testing.T, words []uint64, seed uint64) Interval {
			return merged(t, filled(4096, seed, words[:2048]), filled(4096, seed, words[2048:])).Estimate()
		}},
		{"registers of 512 with a list", 513, func(t *testing.T, words []uint64, seed uint64) Interval {
			return merged(t, filled(512, seed, words[:257]), filled(512, seed, words[257:])).Estimate()
		}},
		{"lists of 2,000", 40_000, func(t *testing.T, words []uint64, seed uint64) Interval {
			d := NewDistinct(4096, seed)
			for list := range slices.Chunk(words, 2000) {
				merged(t, d, filled(4096, seed, list))
			}
			return d.Estimate()
		}},
		{"small Words", 40_000, func(t *testing.T, words []uint64, seed uint64) Interval {
			w := NewWords(Config{Seed: seed})
			for page := range slices.Chunk(words, 2500) {
				small := NewWords(Config{Seed: seed})
				small.AddAll(page)
				if err := w.Merge(small); err != nil {
					t.Fatal(err)
				}
			}
			return w.Distinct()
		}},
	} {
		words := different(c.words)
		var a tally
		for seed := range tableSeeds() {
			a.add(c.merge(t, words, seed), float64(c.words))
		}
		t.Logf("%-32s %s", c.name, &a)
		if b := math.Abs(a.meanError()); b > 0.003+4*a.rms()/math.Sqrt(a.n) {
			t.Errorf("%s: bias %.2f %%", c.name, 100*a.meanError())
		}
		a.checkCoverage(t, c.name)
	}
}

// merged returns d after a merge with o.
func merged(t *testing.T, d, o *Distinct) *Distinct {
	t.Helper()
	if err := d.Merge(o); err != nil {
		t.Fatal(err)
	}
	return d
}

// zipfText returns pages of 1,000 words by the law of Zipf: word r of 100,000 has
// weight r^-exponent.
func zipfText(pages int, exponent float64, seed uint64) [][]uint64 {
	weights := make([]float64, 100_000)
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -exponent)
	}
	return slices.Collect(slices.Chunk(newLanguage(weights).text(1000*pages, seed), 1000))
}

// A Words that is saved and loaded continues to the bit when its tail is long too,
// and its table has forgotten many words that the hint still knows.
func TestLoadedWordsGoesOnForLong(t *testing.T) {
	pages := 500
	if testing.Short() {
		pages = 100
	}
	text := zipfText(2*pages, 1, 1)
	for seed := range uint64(5) {
		through, loaded := NewWords(Config{Seed: seed}), new(Words)
		for _, page := range text[:pages] {
			through.AddAll(page)
		}
		if err := loaded.UnmarshalBinary(marshaled(t, through)); err != nil {
			t.Fatal(err)
		}
		for _, page := range text[pages:] {
			through.AddAll(page)
			loaded.AddAll(page)
		}
		if !bytes.Equal(marshaled(t, through), marshaled(t, loaded)) {
			t.Errorf("seed %d: %v, not saved %v", seed, loaded.Distinct(), through.Distinct())
		}
	}
}
