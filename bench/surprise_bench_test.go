package bench

import (
	"fmt"
	"testing"

	"crawler/stats"
	"github.com/apache/datasketches-go/count"
	"github.com/apache/datasketches-go/frequencies"
)

// surpriseEntries returns the second-moment sketches: no rival has one.
func surpriseEntries(x *text) []*entry {
	one, all := stats.NewSurprise(4096, 256, 1), stats.NewSurprise(4096, 256, 1)
	add := x.entry("stats.Surprise.Add", 0, func() {
		for _, h := range x.hashes {
			one.Add(h)
		}
	})
	addAll := x.entry("stats.Surprise.AddAll", 0, func() {
		for _, page := range x.pages {
			all.AddAll(page)
		}
	})
	add.bytes, addAll.bytes = int64(one.Bytes()), int64(all.Bytes())
	return []*entry{add, addAll}
}

// frequencyEntries returns the sketches of frequent words and of counts, ours
// first: 1,024 counters, and 5 rows of 4,096.
func frequencyEntries(x *text) []*entry {
	heavy, longs := stats.NewHeavyHitters(1024, 1), must(frequencies.NewLongsSketchWithMaxMapSize(2048))
	cs, cm := stats.NewCountSketch(5, 4096, 1), must(count.NewCountMinSketch(5, 4096, 1))
	entries := []*entry{
		x.entry("stats.HeavyHitters.AddAll", 0, func() {
			for _, page := range x.pages {
				heavy.AddAll(page)
			}
		}),
		x.entry("datasketches LongsSketch", 0, func() {
			for _, h := range x.hashes {
				_ = longs.Update(int64(h))
			}
		}),
		x.entry("stats.CountSketch.AddAll", 0, func() {
			for _, page := range x.pages {
				cs.AddAll(page)
			}
		}),
		x.entry("datasketches CountMinSketch", 5*4096*8, func() {
			for _, h := range x.hashes {
				_ = cm.UpdateUint64(h, 1)
			}
		}),
	}
	entries[0].bytes, entries[2].bytes = int64(heavy.Bytes()), int64(cs.Bytes())
	entries[1].bytes = int64(longs.GetMaximumMapCapacity()) * 4 / 3 * 18 // keys, values, states
	return entries
}

func BenchmarkSurprise(b *testing.B) {
	for _, x := range texts(b) {
		for _, e := range append(surpriseEntries(x), frequencyEntries(x)...) {
			b.Run(fmt.Sprintf("%s/%s", x.name, e.name), e.benchmark)
		}
	}
}
