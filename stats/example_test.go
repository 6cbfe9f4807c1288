package stats_test

import (
	"fmt"
	"hash/fnv"
	"strings"

	"crawler/stats"
)

// hashes returns a 64-bit hash for every word of a text.
func hashes(text string) (all []uint64) {
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(word))
		all = append(all, h.Sum64())
	}
	return all
}

func Example() {
	const secret = 20240229 // drawn at random, once per crawl
	crawl := stats.NewWords(stats.Config{Seed: secret})
	site := stats.NewWords(stats.SiteConfig(secret))

	stats.AddAll(hashes("A rose is a rose is a rose"), crawl, site)
	stats.AddAll(hashes("Rose was her name and would her name had been Rose"), crawl)

	for _, w := range []*stats.Words{crawl, site} {
		fmt.Println(w.N(), "words,", w.Distinct().Estimate, "different, surprise", w.Surprise().Estimate)
	}
	// Output:
	// 19 words, 10 different, surprise 51
	// 8 words, 3 different, surprise 22
}

func ExampleBag() {
	var bag stats.Bag // for all pages
	crawl := stats.NewWords(stats.Config{Seed: 1})
	here, there := stats.NewWords(stats.SiteConfig(1)), stats.NewWords(stats.SiteConfig(1))
	bag.AddAll(hashes("a rose is a rose"), crawl, here)
	bag.AddAll(hashes("a flower"), crawl, there)
	fmt.Println(crawl.Distinct().Estimate, here.Distinct().Estimate, there.Surprise().Estimate)
	// Output: 4 3 2
}

func ExampleDistinct() {
	d := stats.NewDistinct(4096, 42)
	for n := range uint64(1_000_000) {
		d.Add(n % 250_000)
	}
	e := d.Estimate()
	fmt.Printf("%.0f thousand different words\n", e.Estimate/1000)
	fmt.Printf("between %.0f and %.0f thousand with 95 %% confidence\n", e.Low/1000, e.High/1000)
	// Output:
	// 246 thousand different words
	// between 240 and 252 thousand with 95 % confidence
}

func ExampleDistinct_Merge() {
	here, there := stats.NewDistinct(64, 1), stats.NewDistinct(64, 1)
	here.AddAll(hashes("the quick brown fox"))
	there.AddAll(hashes("the lazy dog"))
	if err := here.Merge(there); err != nil {
		fmt.Println(err)
	}
	fmt.Println(here.Estimate().Estimate)
	fmt.Println(here.Merge(stats.NewDistinct(64, 2)))
	// Output:
	// 6
	// stats: sketches differ in size or seed and cannot be merged
}

func ExampleSurprise() {
	even, uneven := stats.NewSurprise(4096, 512, 1), stats.NewSurprise(4096, 512, 1)
	for i := range uint64(100) {
		even.Add(i % 11)
		uneven.Add(max(i, 89) % 89) // 90 times 0
	}
	fmt.Println(even.Estimate().Estimate, uneven.Estimate().Estimate)
	// Output:
	// 910 8110
}

func ExampleExact() {
	var e stats.Exact
	e.AddAll(hashes("to be or not to be"))
	fmt.Println(e.Total(), e.Distinct(), e.Surprise())
	// Output:
	// 6 4 10
}

func ExampleFitHeaps() {
	law, _ := stats.FitHeaps([]stats.Point{
		{Words: 1_000, Distinct: 400}, {Words: 4_000, Distinct: 900}, {Words: 10_000, Distinct: 1_600},
		{Words: 40_000, Distinct: 3_600}, {Words: 100_000, Distinct: 6_400}, {Words: 1_000_000, Distinct: 25_600},
		{Words: 500_000, Distinct: 90}, // spam
	})
	fmt.Printf("V = %.1f n^%.2f\n", law.K, law.Beta)
	fmt.Printf("500,000 words should hold %.0f different ones\n", law.Predict(500_000))
	// Output:
	// V = 6.4 n^0.60
	// 500,000 words should hold 16532 different ones
}

func ExampleOutliers() {
	sites := []stats.Figures{
		{Words: 12_000, Distinct: 1_900, Surprise: 1.2e6},
		{Words: 90_000, Distinct: 5_800, Surprise: 6.8e7},
		{Words: 40_000, Distinct: 60, Surprise: 1.1e8}, // the same few words over and over
		{Words: 25_000, Distinct: 2_700, Surprise: 5.1e6},
		{Words: 300_000, Distinct: 11_000, Surprise: 7.4e8},
	}
	for _, o := range stats.Outliers(sites) {
		fmt.Printf("site %d: %s %.3g, expected about %.2g\n", o.Site, o.Measure, o.Value, o.Expected)
	}
	// Output:
	// site 2: distinct 60, expected about 3.6e+03
	// site 2: surprise 1.1e+08, expected about 1.3e+07
}
