package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const benchURLs = 10_000_000

// benchFps returns n ascending fingerprints, spread as random ones are, without sorting.
func benchFps(seed uint64, n int) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	fps := make([]uint64, n)
	step := math.MaxUint64 / uint64(n)
	for i := range fps {
		fps[i] = uint64(i)*step + rng.Uint64N(step)
	}
	return fps
}

// benchLog writes a log of 10 million URLs in the given runs to a directory of the disk.
// The database is not needed to read it.
func benchLog(b *testing.B, sizes []int) *Sieve {
	b.Helper()
	if testing.Short() {
		b.Skip("it writes 80 MB")
	}
	dir := b.TempDir()
	s := &Sieve{fs: Disk(), dir: dir, next: 1}
	for i, n := range sizes {
		r := writeNames(b, dir, uint32(i+1), benchFps(uint64(i), n))
		b.Cleanup(func() { r.file.Close() })
		s.runs = append(s.runs, r)
	}
	return s
}

// tiers is how a crawl of 10 million URLs that appends 100,000 at a time would have
// them just before a merge: as many runs as it ever has.
func tiers() []int {
	var sizes []int
	left := benchURLs
	for _, n := range []int{1_600_000, 400_000, 100_000} {
		for range 3 {
			sizes = append(sizes, n)
			left -= n
		}
	}
	return append([]int{left}, sizes...)
}

// A batch of fingerprints, half of them in a log of 10 million on disk (in the page cache after
// the first batches).
func BenchmarkSieveCheck(b *testing.B) {
	for name, sizes := range map[string][]int{"runs=1": {benchURLs}, "runs=10": tiers()} {
		s := benchLog(b, sizes)
		for _, size := range []int{64, 1 << 10, 1 << 14, 1 << 16} {
			b.Run(fmt.Sprintf("%s/batch=%d", name, size), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				known := benchFps(0, sizes[0])
				batches := make([][]uint64, 8)
				for i := range batches {
					for j := range size {
						x := rng.Uint64()
						if j%2 == 0 {
							x = known[rng.IntN(len(known))]
						}
						batches[i] = append(batches[i], x)
					}
					slices.Sort(batches[i])
				}
				found := make([]bool, size)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if err := s.Check(batches[i%len(batches)], found); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64(i*size)/b.Elapsed().Seconds()/1e6, "Mchecks/s")
				b.ReportMetric(float64(s.Bytes())/benchURLs, "B/URL")
			})
		}
	}
}

// Four runs of 2.5 million merged into one, synced; and the same read in order.
func BenchmarkSieveMerge(b *testing.B) {
	s := benchLog(b, []int{benchURLs / 4, benchURLs / 4, benchURLs / 4, benchURLs / 4})
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			w, err := s.create()
			if err != nil {
				b.Fatal(err)
			}
			r, err := mergeRuns(b.Context(), w, s.runs)
			if err != nil {
				b.Fatal(err)
			}
			r.file.Close()
			if err := s.fs.Remove(r.path); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchURLs, "ns/URL")
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			if err := s.Each(-1, func([]uint64) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchURLs, "ns/URL")
	})
}
