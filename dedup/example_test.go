package dedup_test

import (
	"fmt"

	"crawler/dedup"
	"crawler/weburl"
)

func url(s string) weburl.URL {
	u, err := weburl.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// A crawl asks about every link it finds and fetches what is new.
func ExampleSeenTest() {
	seen, err := dedup.NewSeenTest(dedup.Config{
		ExpectURLs: 1_000_000,
		FPRate:     1e-3,
		Seed:       0x5ec7e7, // draw it from crypto/rand
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, link := range []string{
		"https://go.dev/doc/",
		"https://go.dev/doc/faq",
		"https://GO.dev:443/doc/#top", // the first one, spelled differently
		"https://go.dev/doc/faq?m=text",
	} {
		_, a := seen.Admit(url(link))
		fmt.Println(a == dedup.New, link)
	}
	s := seen.Stats()
	fmt.Printf("asked %d, new %d, seen %d, false positives %d\n", s.Asked, s.New, s.Seen, s.FalsePositives)
	// Output:
	// true https://go.dev/doc/
	// true https://go.dev/doc/faq
	// false https://GO.dev:443/doc/#top
	// true https://go.dev/doc/faq?m=text
	// asked 4, new 3, seen 1, false positives 0
}

// LayerOf says at which segment a URL leaves what is known.
func ExampleMultilayer_LayerOf() {
	filter, err := dedup.NewMultilayer(dedup.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.Add(url("https://go.dev/doc/tutorial/fuzz"))
	for _, s := range []string{
		"https://go.dev/doc/tutorial/fuzz",
		"https://go.dev/doc/tutorial/generics",
		"https://go.dev/blog/fuzz-beta",
		"https://pkg.go.dev/testing",
	} {
		fmt.Println(filter.LayerOf(url(s)), s)
	}
	// Output:
	// 0 https://go.dev/doc/tutorial/fuzz
	// 4 https://go.dev/doc/tutorial/generics
	// 2 https://go.dev/blog/fuzz-beta
	// 1 https://pkg.go.dev/testing
}

// Bloom takes 64-bit hashes of anything.
func ExampleBloom() {
	size := dedup.SizeFor(1000, 1e-6)
	filter := dedup.NewBloom(size, 1)
	const h = 0x9e3779b97f4a7c15
	fmt.Println(filter.Has(h), filter.Add(h), filter.Has(h), filter.Add(h))
	// Output: false true true false
}

// How much memory a rate costs.
func ExampleSizeFor() {
	const keys = 10_000_000
	for _, rate := range []float64{1e-2, 1e-3, 1e-4, 1e-6} {
		size := dedup.SizeFor(keys, rate)
		fmt.Printf("%g: %.1f MB, %.1f bits a key in %d line(s)\n",
			rate, float64(size.Bits)/8e6, float64(size.Bits)/keys, size.Lines)
	}
	// Output:
	// 0.01: 12.6 MB, 10.1 bits a key in 1 line(s)
	// 0.001: 19.7 MB, 15.7 bits a key in 1 line(s)
	// 0.0001: 25.2 MB, 20.2 bits a key in 2 line(s)
	// 1e-06: 39.3 MB, 31.4 bits a key in 2 line(s)
}

func ExampleCollisionProbability() {
	for _, n := range []int64{1e6, 1e8, 1e9} {
		fmt.Printf("%g URLs: %.1g\n", float64(n), dedup.CollisionProbability(n))
	}
	// Output:
	// 1e+06 URLs: 3e-08
	// 1e+08 URLs: 0.0003
	// 1e+09 URLs: 0.03
}

// The log by itself: an exact set of 64-bit hashes.
func ExampleSet() {
	var s dedup.Set
	for _, h := range []uint64{7 << 60, 1 << 60, 7 << 60} {
		fmt.Println(s.Add(h))
	}
	for h := range s.All {
		fmt.Printf("%#x\n", h)
	}
	// Output:
	// true
	// true
	// false
	// 0x1000000000000000
	// 0x7000000000000000
}
