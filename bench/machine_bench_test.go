package bench

import (
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// BenchmarkMachine is work that no change to the crawler touches: what it takes today,
// beside what the baseline says, is how much faster or slower the machine is today.
// docs/benchmarks.md tells how to read it.
func BenchmarkMachine(b *testing.B) {
	b.Run("hash", func(b *testing.B) { // arithmetic in registers and the first cache
		buf := make([]byte, 16<<10)
		for i := range buf {
			buf[i] = byte(i * i)
		}
		b.ReportAllocs()
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			xxhash.Sum64(buf)
		}
	})
	b.Run("chase", func(b *testing.B) { // one cache miss after the other, in 32 MiB
		const steps = 1000
		next := cycle(1 << 23)
		at := uint32(0)
		b.ReportAllocs()
		for b.Loop() {
			for range steps {
				at = next[at]
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/miss")
	})
}

// cycle is a random permutation of n numbers in one cycle (Sattolo's algorithm), the
// same each time.
func cycle(n int) []uint32 {
	rng := rand.New(rand.NewPCG(1, 2))
	next := make([]uint32, n)
	for i := range next {
		next[i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := rng.IntN(i)
		next[i], next[j] = next[j], next[i]
	}
	return next
}
