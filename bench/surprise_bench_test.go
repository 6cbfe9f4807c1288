package bench

import (
	"fmt"
	"testing"

	"crawler/stats"
	"github.com/apache/datasketches-go/count"
	"github.com/apache/datasketches-go/frequencies"
)

// surpriseCounters returns the second-moment sketches: no rival has one.
func surpriseCounters(x *text) []counter {
	return []counter{
		{"stats.Surprise.Add", func() (func(), func() int) {
			s := stats.NewSurprise(4096, 512, 1)
			return x.each(s.Add), s.Bytes
		}},
		{"stats.Surprise.AddAll", func() (func(), func() int) {
			s := stats.NewSurprise(4096, 512, 1)
			return x.eachPage(s.AddAll), s.Bytes
		}},
	}
}

// frequencyCounters returns the sketches of frequent words and of counts, ours
// first: 1,536 counters, as many as LongsSketch keeps in a map of 2,048, and 5
// rows of 4,096.
func frequencyCounters(x *text) []counter {
	return []counter{
		{"stats.HeavyHitters.AddAll", func() (func(), func() int) {
			s := stats.NewHeavyHitters(1536, 1)
			return x.eachPage(s.AddAll), s.Bytes
		}},
		{"datasketches LongsSketch", func() (func(), func() int) {
			s := must(frequencies.NewLongsSketchWithMaxMapSize(2048))
			return x.each(func(h uint64) { _ = s.Update(int64(h)) }), func() int {
				return s.GetMaximumMapCapacity() * 4 / 3 * 18 // keys, values, states
			}
		}},
		{"stats.CountSketch.AddAll", func() (func(), func() int) {
			s := stats.NewCountSketch(5, 4096, 1)
			return x.eachPage(s.AddAll), s.Bytes
		}},
		{"datasketches CountMinSketch", func() (func(), func() int) {
			s := must(count.NewCountMinSketch(5, 4096, 1))
			return x.each(func(h uint64) { _ = s.UpdateUint64(h, 1) }), size(5 * 4096 * 8)
		}},
	}
}

func BenchmarkSurprise(b *testing.B) {
	for _, x := range texts(b) {
		for _, e := range x.entries(false, append(surpriseCounters(x), frequencyCounters(x)...)) {
			b.Run(fmt.Sprintf("%s/%s", x.name, e.name), e.benchmark)
		}
	}
}
