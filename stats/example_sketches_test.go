package stats_test

import (
	"fmt"

	"crawler/stats"
)

// A tenth of the hosts, the same tenth on every machine. Values are kept beside.
func ExampleSample() {
	const secret = 20240229
	s := stats.NewSample(1000, 0.1, secret)
	bytes := map[uint64]int{} // of the pages of each host in the sample
	for page := range uint64(100_000) {
		host := page % 20_000 // its hash, properly
		s.Add(host)
		if s.Accepts(host) {
			bytes[host] += 4096
		}
	}
	for host := range bytes {
		if !s.Accepts(host) {
			delete(bytes, host) // given up since
		}
	}
	fmt.Println(s.Len() <= s.Limit(), len(bytes) == s.Len())
	fmt.Printf("%.1f %% of the hosts\n", 100*s.Share())
	fmt.Printf("about %.0f thousand of them, %.0f pages of each\n",
		s.Distinct().Estimate/1000, s.Total().Estimate/s.Distinct().Estimate)
	// Output:
	// true true
	// 5.4 % of the hosts
	// about 18 thousand of them, 5 pages of each
}

func ExampleSample_Merge() {
	here, there := stats.NewSample(100, 1, 7), stats.NewSample(100, 1, 7)
	here.AddAll(hashes("the quick brown fox"))
	there.AddAll(hashes("the lazy dog"))
	if err := here.Merge(there); err != nil {
		fmt.Println(err)
	}
	fmt.Println(here.Len(), "different words")
	fmt.Printf("%.2f of them once\n", here.Unique().Estimate)
	// Output:
	// 6 different words
	// 0.83 of them once
}

func ExampleHeavyHitters() {
	s := stats.NewHeavyHitters(100, 1)
	for n := range uint64(10_000) {
		s.Add(n)     // once each
		s.Add(n % 3) // 0, 1 and 2 a third of the time
	}
	for _, w := range s.Top(3) {
		fmt.Println(w.Count-w.Error >= 3000, w.Count, w.Error)
	}
	fmt.Println("error at most", s.N()/100, s.Count(77).Error == s.MaxError())
	fmt.Println("fits in 16 KiB:", s.Bytes() <= 16<<10)

	other := stats.NewHeavyHitters(100, 2)
	other.Add(1)
	fmt.Println(s.Merge(other), s.N(), s.Count(1).Count)
	// Output:
	// true 3335 0
	// true 3334 0
	// true 3334 0
	// error at most 200 true
	// fits in 16 KiB: true
	// <nil> 20001 3335
}

func ExampleCountSketch() {
	monday, tuesday := stats.NewCountSketch(5, 4096, 1), stats.NewCountSketch(5, 4096, 1)
	monday.AddAll(hashes("a rose is a rose"))
	tuesday.AddAll(hashes("is a rose"))
	if err := monday.Merge(tuesday); err != nil {
		fmt.Println(err)
	}
	rose := hashes("rose")[0]
	fmt.Println(monday.Count(rose), monday.Surprise().Estimate)
	monday.AddN(rose, -1)
	fmt.Println(monday.Count(rose), monday.Surprise().Estimate)
	monday.Add(rose)
	fmt.Println(monday.Count(rose), monday.Surprise().Estimate)
	// Output:
	// 3 22
	// 2 17
	// 3 22
}

// A sketch is sent to the machine that merges.
func ExampleCountSketch_MarshalBinary() {
	there := stats.NewCountSketch(5, 4096, 1)
	there.AddAll(hashes("a rose is a rose"))
	sent, err := there.MarshalBinary()
	if err != nil {
		fmt.Println(err)
	}
	var received stats.CountSketch
	fmt.Println(received.UnmarshalBinary(sent), received.Count(hashes("rose")[0]))
	// Output:
	// <nil> 2
}
