package dedup_test

import (
	"errors"
	"fmt"

	"crawler/dedup"
)

// Which pages do many links lead to? Nothing is removed, so minimal increase.
func ExampleSpectral() {
	links, err := dedup.NewSpectral(dedup.SpectralConfig{
		Keys:   100_000,
		Method: dedup.MinimalIncrease,
		Seed:   0x5ec7e7, // draw it from crypto/rand
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	const start, about, orphan = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb
	for range 300 {
		links.Add(start)
	}
	links.AddN(about, 2)
	fmt.Println(links.Count(start), links.Count(about), links.Count(orphan))
	fmt.Println(links.Method(), links.Bytes() > 8*100_000, links.ExpectedErrorRate() < 0.01)
	fmt.Println(links.Remove(about))
	// Output:
	// 300 2 0
	// minimal increase true true
	// dedup: the method does not allow it: minimal increase cannot remove
}

// How many URLs of a host wait? They are taken out when they are fetched, which
// minimum selection allows.
func ExampleSpectral_Remove() {
	waiting, err := dedup.NewSpectral(dedup.SpectralConfig{Keys: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	const host = 0x9e3779b97f4a7c15
	waiting.AddN(host, 2)
	for range 3 {
		fmt.Println(waiting.Count(host), waiting.Remove(host))
	}
	// Output:
	// 2 <nil>
	// 1 <nil>
	// 0 dedup: the key was not counted
}

// Two machines counted links; one filter has the counts of both.
func ExampleSpectral_Merge() {
	cfg := dedup.SpectralConfig{Keys: 1000, Seed: 0x5ec7e7} // the same on both
	one, err1 := dedup.NewSpectral(cfg)
	two, err2 := dedup.NewSpectral(cfg)
	if err := errors.Join(err1, err2); err != nil {
		fmt.Println(err)
		return
	}
	const page = 0x9e3779b97f4a7c15
	one.AddN(page, 200)
	two.AddN(page, 100)
	fmt.Println(one.Merge(two), one.Count(page))

	cfg.Seed++
	other, err := dedup.NewSpectral(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(one.Merge(other))
	// Output:
	// <nil> 300
	// dedup: they are made differently: another method, size or seed
}

// How much memory a share of wrong counts costs.
func ExampleSpectralBytesFor() {
	const keys = 1_000_000
	for _, rate := range []float64{0.1, 0.03, 0.01, 0.001} {
		n := dedup.SpectralBytesFor(keys, rate)
		fmt.Printf("%g: %.1f MB, %.2g expected\n", rate, float64(n)/1e6, dedup.SpectralRate(n, keys))
	}
	// Output:
	// 0.1: 5.2 MB, 0.1 expected
	// 0.03: 8.5 MB, 0.03 expected
	// 0.01: 12.9 MB, 0.01 expected
	// 0.001: 30.8 MB, 0.001 expected
}
