package stats_test

import (
	"errors"
	"fmt"

	"crawler/internal/binform"
	"crawler/stats"
)

// A crawl that is interrupted saves its counts and continues from there.
func ExampleWords_MarshalBinary() {
	words := stats.NewWords(stats.SiteConfig(7))
	words.AddAll(hashes("it was the best of times"))
	saved, err := words.MarshalBinary()
	if err != nil {
		fmt.Println(err)
	}

	var loaded stats.Words
	if err := loaded.UnmarshalBinary(saved); err != nil {
		fmt.Println(err)
	}
	loaded.AddAll(hashes("it was the worst of times"))
	fmt.Println(loaded.N(), "words,", loaded.Distinct().Estimate, "different, surprise", loaded.Surprise().Estimate)
	// Output:
	// 12 words, 7 different, surprise 22
}

// Bytes that are no form are refused, and change nothing.
func ExampleDistinct_UnmarshalBinary() {
	d := stats.NewDistinct(64, 1)
	d.AddAll(hashes("the quick brown fox"))
	damaged, _ := stats.NewDistinct(64, 1).MarshalBinary()
	damaged[20] ^= 1
	fmt.Println(errors.Is(d.UnmarshalBinary(damaged), binform.ErrFormat), d.Estimate().Estimate)
	// Output:
	// true 4
}

// Sketches of two machines that count what each link leads to.
func ExampleDistinct_AppendBinary() {
	here, there := stats.NewDistinct(256, 1), stats.NewDistinct(256, 1)
	for n := range uint64(30_000) {
		here.Add(n)
		there.Add(n + 20_000)
	}
	sent, _ := there.AppendBinary(nil)

	var received stats.Distinct
	if err := received.UnmarshalBinary(sent); err != nil {
		fmt.Println(err)
	}
	if err := here.Merge(&received); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(sent), "bytes sent;", here.Estimate().Contains(50_000))
	// Output:
	// 314 bytes sent; true
}

// Sketches of the same sizes and seed merge, such as those of two machines.
func ExampleSurprise_Merge() {
	small, here, there := stats.NewSurprise(10, 512, 1), stats.NewSurprise(10, 512, 1), stats.NewSurprise(10, 512, 1)
	small.AddAll(hashes("a rose is a rose is a rose"))
	for n := range uint64(3000) {
		here.Add(n % 500)
		there.Add(n % 1000)
	}
	fmt.Println(here.Merge(small), here.N())
	fmt.Println(here.Merge(there), here.N(), here.Estimate().Contains(500*9*9+500*3*3+3*3+3*3+2*2))
	// Output:
	// <nil> 3008
	// <nil> 6008 true
}

func ExampleExact_Merge() {
	var monday, tuesday stats.Exact
	monday.AddAll(hashes("to be or not to be"))
	tuesday.AddAll(hashes("to sleep"))
	monday.Merge(&tuesday)
	fmt.Println(monday.Total(), monday.Distinct(), monday.Surprise())
	// Output:
	// 8 5 16
}
