package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// Streams that are made to be hard for an exact head: what comes late is what matters. Those of
// "tuned" were looked at while the estimators were made. Those of "held" were written at the same
// time and not looked at until the end.
type madeStream struct {
	half, name string
	words      func() []uint64
}

// rareWords returns the hashes of words from..to, each once.
func rareWords(from, to int) (hashes []uint64) {
	for i := from; i < to; i++ {
		hashes = append(hashes, splitmix.Finish(uint64(i)|1<<40))
	}
	return hashes
}

// often returns a shuffled stream in which word i of a kind occurs counts[i] times.
func often(kind uint64, counts ...int) (hashes []uint64) {
	for i, count := range counts {
		for range count {
			hashes = append(hashes, splitmix.Finish(uint64(i)|kind<<48))
		}
	}
	r := rand.New(rand.NewPCG(kind, 9))
	r.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
	return hashes
}

// alike returns n times a count.
func alike(n, count int) []int { return slices.Repeat([]int{count}, n) }

// falling returns n counts, each a share of the one before.
func falling(n, first int, share float64) (counts []int) {
	for c := float64(first); len(counts) < n; c *= share {
		counts = append(counts, max(1, int(c)))
	}
	return counts
}

// bursts puts into a text, every so many words, so many occurrences of one new word.
func bursts(text []uint64, every, length int) (hashes []uint64) {
	burst := uint64(0)
	for part := range slices.Chunk(text, every) {
		burst++
		hashes = append(hashes, part...)
		hashes = append(hashes, slices.Repeat([]uint64{splitmix.Finish(burst | 3<<48)}, length)...)
	}
	return hashes
}

func madeStreams() []madeStream {
	made := []madeStream{
		{"tuned", "rare words first", func() []uint64 { return slices.Concat(rareWords(0, 20_000), english().text(80_000, 7)) }},
		{"tuned", "frequent words late", func() []uint64 {
			return slices.Concat(english().text(60_000, 8), often(1, falling(30, 4000, 0.8)...), english().text(20_000, 9))
		}},
		{"tuned", "one word only", func() []uint64 { return slices.Concat(rareWords(0, 12_000), often(1, 60_000)) }},
		{"tuned", "one word and six others", func() []uint64 {
			return slices.Concat(rareWords(0, 9000), often(1, append(alike(6, 500), 5000)...))
		}},
		{"tuned", "one word and twenty others", func() []uint64 {
			return slices.Concat(rareWords(0, 9000), often(1, append(alike(20, 500), 5000)...))
		}},
		{"tuned", "all different", func() []uint64 { return rareWords(0, 150_000) }},
		{"tuned", "bursts", func() []uint64 { return bursts(english().text(100_000, 10), 5000, 700) }},
		{"held", "rare words first", func() []uint64 {
			return slices.Concat(rareWords(0, 9000), rareWords(0, 9000), slices.Concat(zipfText(90, 1.1, 3)...))
		}},
		{"held", "frequent words late", func() []uint64 {
			return slices.Concat(slices.Concat(zipfText(40, 0.7, 4)...), often(1, falling(200, 500, 0.97)...), often(2, 900, 900, 5000))
		}},
		{"held", "one word only", func() []uint64 { return often(1, 90_000) }},
		{"held", "one word among different ones", func() []uint64 {
			return often(1, append([]int{2500}, alike(60_000, 1)...)...)
		}},
		{"held", "all different, then all again", func() []uint64 { return slices.Repeat(rareWords(0, 50_000), 2) }},
		{"held", "bursts", func() []uint64 { return bursts(rareWords(0, 40_000), 2000, 300) }},
		{"held", "few words, each half as frequent", func() []uint64 {
			return slices.Concat(rareWords(0, 15_000), often(1, falling(10, 8000, 0.5)...))
		}},
	}
	for _, k := range []int{2, 4, 8, 16, 32, 64} {
		made = append(made, madeStream{"tuned", fmt.Sprintf("%d equal words behind rare ones", k), func() []uint64 {
			return slices.Concat(rareWords(0, 12_000), often(1, alike(k, 40_000/k)...))
		}})
	}
	for _, k := range []int{3, 5, 6, 7, 12, 24, 48} {
		made = append(made, madeStream{"held", fmt.Sprintf("%d equal words behind rare ones", k), func() []uint64 {
			return slices.Concat(rareWords(0, 30_000), often(1, alike(k, 400)...), rareWords(30_000, 40_000))
		}})
	}
	return made
}

// Wherever a stream ends, the intervals of both figures hold for 92 of 100 seeds at least.
func TestWordsOfMadeStreamsAgainstTruth(t *testing.T) {
	worst := map[string]float64{}
	for _, made := range madeStreams() {
		text := made.words()
		var sizes []int
		for _, share := range []int{25, 50, 75, 100} {
			sizes = append(sizes, len(text)*share/100)
		}
		rows := wordsTruth(text, sizes, fewSeeds())
		for i, size := range sizes {
			what := fmt.Sprintf("%s: %s, n=%d", made.half, made.name, size)
			t.Logf("%-58s %s", what, &rows[i])
			rows[i].check(t, what)
			for name, a := range rows[i].all() {
				key := made.half + " " + name
				if c, seen := worst[key]; !seen || a.coverage() < c {
					worst[key] = a.coverage()
				}
			}
		}
	}
	t.Logf("least coverage: %v", worst)
}

// wordsRow is how the figures of a crawl and of a site do at one length of a text.
type wordsRow struct{ crawlDistinct, crawlSurprise, siteDistinct, siteSurprise tally }

func (r *wordsRow) all() map[string]tally {
	return map[string]tally{"crawl, distinct": r.crawlDistinct, "crawl, surprise": r.crawlSurprise,
		"site, distinct": r.siteDistinct, "site, surprise": r.siteSurprise}
}

func (r *wordsRow) String() string {
	return fmt.Sprintf("distinct: crawl %s site %s surprise: crawl %s site %s", &r.crawlDistinct, &r.siteDistinct, &r.crawlSurprise, &r.siteSurprise)
}

// check allows for chance: 200 seeds vary by 3 points.
func (r *wordsRow) check(t *testing.T, what string) {
	t.Helper()
	for name, a := range r.all() {
		a.checkCoverageOf(t, what+", "+name, 0.92, 1)
	}
}

// wordsTruth tries the sketches of a crawl and of a site on the beginnings of a text.
func wordsTruth(text []uint64, sizes []int, seeds uint64) []wordsRow {
	rows, truths := make([]wordsRow, len(sizes)), truthsOf(text, sizes)
	var bag Bag
	for seed := range seeds {
		crawl, site, n := NewWords(Config{Seed: 7000 + seed}), NewWords(SiteConfig(7000+seed)), 0
		for i, size := range sizes {
			bag.AddAll(text[n:size], crawl, site)
			n = size
			rows[i].crawlDistinct.add(crawl.Distinct(), truths[i].Distinct)
			rows[i].siteDistinct.add(site.Distinct(), truths[i].Distinct)
			rows[i].crawlSurprise.add(crawl.Surprise(), truths[i].Surprise)
			rows[i].siteSurprise.add(site.Surprise(), truths[i].Surprise)
		}
	}
	return rows
}
