package stats

import (
	"math"
	"slices"
	"testing"
	"time"
)

// The benchmarks read generated text, or STATS_TEXT, in pages of 1,000 words.
// They report the mean and the best time for a word over all rounds; on a
// machine with other work to do the best is the one to compare.

func benchText(b *testing.B) [][]uint64 {
	text := realText(b)
	if text == nil {
		text = english().text(1<<18, 1)
	}
	return slices.Collect(slices.Chunk(text[:min(len(text), 1<<18)], 1000))
}

// perWord measures round, which adds all pages.
func perWord(b *testing.B, pages [][]uint64, round func()) {
	words := 0
	for _, page := range pages {
		words += len(page)
	}
	best := time.Duration(math.MaxInt64)
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		round()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
	b.ReportMetric(float64(best.Nanoseconds())/float64(words), "best-ns/word")
}

// steady measures add when it has seen all pages before.
func steady(b *testing.B, add func(page []uint64)) {
	pages := benchText(b)
	round := func() {
		for _, page := range pages {
			add(page)
		}
	}
	round()
	perWord(b, pages, round)
}

// each turns a method for one word into one for a page.
func each(add func(h uint64)) func(page []uint64) {
	return func(page []uint64) {
		for _, h := range page {
			add(h)
		}
	}
}

func BenchmarkDistinctAdd(b *testing.B)    { steady(b, each(NewDistinct(4096, 1).Add)) }
func BenchmarkDistinctAddAll(b *testing.B) { steady(b, NewDistinct(4096, 1).AddAll) }
func BenchmarkSurpriseAdd(b *testing.B)    { steady(b, each(NewSurprise(4096, 512, 1).Add)) }
func BenchmarkSurpriseAddAll(b *testing.B) { steady(b, NewSurprise(4096, 512, 1).AddAll) }
func BenchmarkWordsOfCrawl(b *testing.B)   { steady(b, NewWords(Config{Seed: 1}).AddAll) }
func BenchmarkWordsOfSite(b *testing.B)    { steady(b, NewWords(SiteConfig(1)).AddAll) }

// What the crawler does: every word into the sketches of the crawl and of its
// site.
func BenchmarkWordsOfCrawlAndSite(b *testing.B) {
	crawl, site := NewWords(Config{Seed: 1}), NewWords(SiteConfig(1))
	var bag Bag
	steady(b, func(page []uint64) { bag.AddAll(page, crawl, site) })
}

// The same in a crawl of four sites by turns, three thousand pages of 100 to 2,700
// words: more than the caches hold. The sketches are full.
func BenchmarkWordsOfFourSites(b *testing.B) {
	text := realText(b)
	if text == nil {
		text = english().text(1<<22, 1)
	}
	var pages [][]uint64
	for n := 100; len(text) > 0 && len(pages) < 3000; n = 100 + (n+900)%2600 {
		pages = append(pages, text[:min(n, len(text))])
		text = text[min(n, len(text)):]
	}
	crawl := NewWords(Config{Seed: 1})
	var sites [4]*Words
	for i := range sites {
		sites[i] = NewWords(SiteConfig(1))
	}
	var bag Bag
	round := func() {
		for i, page := range pages {
			bag.AddAll(page, crawl, sites[i%len(sites)])
		}
	}
	round()
	perWord(b, pages, round)
}

// The same without Words: four sketches that know nothing of each other.
func BenchmarkFourSketches(b *testing.B) {
	d, s := NewDistinct(4096, 1), NewSurprise(4096, 512, 1)
	siteD, siteS := NewDistinct(512, 1), NewSurprise(384, 128, 1)
	steady(b, func(page []uint64) {
		d.AddAll(page)
		s.AddAll(page)
		siteD.AddAll(page)
		siteS.AddAll(page)
	})
}

func BenchmarkExact(b *testing.B) { steady(b, new(Exact).AddAll) }

// New sites of 20 pages each, from nothing.
func BenchmarkWordsOfNewSites(b *testing.B) {
	pages := benchText(b)
	perWord(b, pages, func() {
		for site := range slices.Chunk(pages, 20) {
			w := NewWords(SiteConfig(1))
			for _, page := range site {
				w.AddAll(page)
			}
		}
	})
}

func BenchmarkEstimates(b *testing.B) {
	w := NewWords(SiteConfig(1))
	w.AddAll(english().text(100_000, 1))
	b.ReportAllocs()
	for b.Loop() {
		w.Distinct()
		w.Surprise()
	}
}

func BenchmarkMaximumLikelihood(b *testing.B) {
	d := NewDistinct(4096, 1)
	d.AddAll(different(100_000))
	b.ReportAllocs()
	for b.Loop() {
		d.MaximumLikelihood()
	}
}

// The deltas of new sites, each of 20 pages of 2,600 words, one for each page but the first.
func BenchmarkDeltasOfNewSites(b *testing.B) {
	text := slices.Concat(benchText(b)...)
	pages := slices.Collect(slices.Chunk(text, 2600))
	var base Base
	var out []byte
	var spent time.Duration
	deltas, bytes := 0, 0
	for b.Loop() {
		for site := range slices.Chunk(pages, 20) {
			w := NewWords(SiteConfig(1))
			w.AddAll(site[0])
			for _, page := range site[1:] {
				start := time.Now()
				w.Mark(&base)
				spent += time.Since(start)
				w.AddAll(page)
				start = time.Now()
				out = w.AppendDelta(out[:0], &base)
				spent += time.Since(start)
				deltas++
				bytes += len(out)
			}
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(deltas), "ns/delta")
	b.ReportMetric(float64(bytes)/float64(deltas), "bytes/delta")
}
