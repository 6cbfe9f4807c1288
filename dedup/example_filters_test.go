package dedup_test

import (
	"fmt"

	"crawler/dedup"
)

// A Classic is sized by formula: bits for the rate, then the best number of hash
// functions for them.
func ExampleClassic() {
	const keys, rate = 1000, 0.01
	perKey := dedup.BitsFor(rate)
	filter := dedup.NewClassic(int64(keys*perKey), dedup.BestK(perKey), 1)
	for i := range uint64(keys) {
		filter.Add((i + 1) * 0x9e3779b97f4a7c15)
	}
	fmt.Printf("%.2f bits a key, k = %d\n", perKey, filter.K())
	fmt.Printf("expected %.4f, by its fill %.4f\n", dedup.ClassicRate(perKey, filter.K()), filter.ExpectedRate())
	// Output:
	// 9.59 bits a key, k = 7
	// expected 0.0100, by its fill 0.0102
}

// Worked examples come with hash functions of their own: here bits of the number
// itself.
func ExampleClassic_AddPositions() {
	filter := dedup.NewClassic(11, 2, 0)
	filter.AddPositions(5, 2) // 25 = 11001: 101 and 10
	fmt.Println(filter)
	fmt.Println(filter.HasPositions(5, 2), filter.HasPositions(3, 5))
	// Output:
	// 00100100000
	// true false
}

// Two machines crawled; one filter knows what either has seen.
func ExampleBloom_Union() {
	size := dedup.SizeFor(1000, 1e-3)
	one, two := dedup.NewBloom(size, 1), dedup.NewBloom(size, 1)
	one.Add(0x9e3779b97f4a7c15)
	two.Add(0xd1b54a32d192ed03)
	fmt.Println(one.Union(two), one.Has(0xd1b54a32d192ed03))

	other := dedup.NewBloom(size, 2)
	fmt.Println(one.Union(other))
	// Output:
	// <nil> true
	// dedup: they are made differently: different seeds
}

// The published filter cannot tell swapped segments apart; Multilayer can.
func ExamplePublishedMultilayer() {
	published := dedup.NewPublishedMultilayer(4, 1<<20, 4)
	repaired, err := dedup.NewMultilayer(dedup.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []string{"http://go.dev/doc/blog/x", "http://go.dev/blog/doc/y"} {
		published.Add(url(s))
		repaired.Add(url(s))
	}
	swapped := url("http://go.dev/blog/doc/x")
	fmt.Println(published.Has(swapped), repaired.Has(swapped))
	// Output: true false
}

// All segments in one filter: any of them in any place is known.
func ExampleSegmentBloom() {
	filter := dedup.NewSegmentBloom(1<<16, 4)
	filter.Add(url("https://go.dev/doc/faq"))
	filter.Add(url("https://pkg.go.dev/testing"))
	for _, s := range []string{"https://go.dev/testing", "https://go.dev/blog"} {
		fmt.Println(filter.Has(url(s)), s)
	}
	// Output:
	// true https://go.dev/testing
	// false https://go.dev/blog
}

// A filter is saved and loaded with its seed in it.
func ExampleBloom_MarshalBinary() {
	filter := dedup.NewBloom(dedup.SizeFor(1000, 1e-3), 0x5ec7e7)
	filter.Add(0x9e3779b97f4a7c15)
	data, err := filter.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var loaded dedup.Bloom
	if err := loaded.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Has(0x9e3779b97f4a7c15), loaded.Has(0xbf58476d1ce4e5b9))
	// Output: true false
}

// The rates of the slides' table for 8 bits a key, and the best k.
func ExampleClassicRate() {
	for k := 1; k <= 6; k++ {
		fmt.Printf("%d: %.4f\n", k, dedup.ClassicRate(8, k))
	}
	fmt.Println(dedup.BestK(8))
	// Output:
	// 1: 0.1175
	// 2: 0.0489
	// 3: 0.0306
	// 4: 0.0240
	// 5: 0.0217
	// 6: 0.0216
	// 6
}
