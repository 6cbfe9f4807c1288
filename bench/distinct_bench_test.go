package bench

import (
	"fmt"
	"math"
	"testing"

	"crawler/stats"
	"github.com/apache/datasketches-go/cpc"
	"github.com/apache/datasketches-go/hll"
	"github.com/axiomhq/hyperloglog"
)

// must returns v; the arguments of constructors here are constants.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// distinctCounters returns the counters of different words, ours first.
func distinctCounters(x *text) []counter {
	return []counter{
		{"stats.Distinct.Add, 4096", func() (func(), func() int) {
			d := stats.NewDistinct(4096, 1)
			return x.each(d.Add), d.Bytes
		}},
		{"stats.Distinct.AddAll, 4096", func() (func(), func() int) {
			d := stats.NewDistinct(4096, 1)
			return x.eachPage(d.AddAll), d.Bytes
		}},
		{"axiomhq, 2^14", func() (func(), func() int) {
			s := hyperloglog.New()
			return x.each(func(h uint64) { s.InsertHash(h) }), size(1 << 14)
		}},
		{"axiomhq, 2^14 dense", func() (func(), func() int) {
			s := must(hyperloglog.NewSketch(14, false))
			return x.each(func(h uint64) { s.InsertHash(h) }), size(1 << 14)
		}},
		{"axiomhq, 2^12 dense", func() (func(), func() int) {
			s := must(hyperloglog.NewSketch(12, false))
			return x.each(func(h uint64) { s.InsertHash(h) }), size(1 << 12)
		}},
		{"axiomhq, 2^14, of bytes", func() (func(), func() int) {
			s := hyperloglog.New()
			return func() {
				for _, w := range x.words {
					s.Insert(w)
				}
			}, size(1 << 14)
		}},
		{"datasketches HLL_8, 2^12", func() (func(), func() int) {
			s := must(hll.NewHllSketch(12, hll.TgtHllTypeHll8))
			return x.each(func(h uint64) { _ = s.UpdateUInt64(h) }), size(1 << 12)
		}},
		{"datasketches HLL_4, 2^12", func() (func(), func() int) {
			s := must(hll.NewHllSketchWithDefault())
			return x.each(func(h uint64) { _ = s.UpdateUInt64(h) }), size(1 << 11)
		}},
		{"datasketches CPC, 2^11", func() (func(), func() int) {
			s := must(cpc.NewCpcSketchWithDefault(11))
			return x.each(func(h uint64) { _ = s.UpdateUint64(h) }), size(0)
		}},
	}
}

// estimators returns what each counter says of the keys 0 to n-1 by the hash
// given.
var estimators = []struct {
	name     string
	estimate func(n int, hash func(i int) uint64) float64
}{
	{"stats.Distinct, 4096, martingale", func(n int, hash func(int) uint64) float64 {
		d := stats.NewDistinct(4096, 1)
		for i := range n {
			d.Add(hash(i))
		}
		return d.Estimate().Estimate
	}},
	{"stats.Distinct, 4096, maximum likelihood", func(n int, hash func(int) uint64) float64 {
		d := stats.NewDistinct(4096, 1)
		for i := range n {
			d.Add(hash(i))
		}
		return d.MaximumLikelihood().Estimate
	}},
	{"axiomhq, 2^14", func(n int, hash func(int) uint64) float64 {
		return axiomhqEstimate(hyperloglog.New(), n, hash)
	}},
	{"axiomhq, 2^12 dense", func(n int, hash func(int) uint64) float64 {
		return axiomhqEstimate(must(hyperloglog.NewSketch(12, false)), n, hash)
	}},
	{"datasketches HLL_8, 2^12", func(n int, hash func(int) uint64) float64 {
		s := must(hll.NewHllSketch(12, hll.TgtHllTypeHll8))
		for i := range n {
			_ = s.UpdateUInt64(hash(i))
		}
		return must(s.GetEstimate())
	}},
	{"datasketches CPC, 2^11", func(n int, hash func(int) uint64) float64 {
		s := must(cpc.NewCpcSketchWithDefault(11))
		for i := range n {
			_ = s.UpdateUint64(hash(i))
		}
		return s.GetEstimate()
	}},
}

func axiomhqEstimate(s *hyperloglog.Sketch, n int, hash func(int) uint64) float64 {
	for i := range n {
		s.InsertHash(hash(i))
	}
	return float64(s.Estimate())
}

// TestDistinctAccuracy prints the root mean square error of each counter, so
// that times are compared knowing what they buy. Ours is held to what its
// documentation promises; the others' errors are theirs.
func TestDistinctAccuracy(t *testing.T) {
	const n, seeds = 100_000, 20
	for _, e := range estimators {
		sum := 0.0
		for seed := range uint64(seeds) {
			off := e.estimate(n, func(i int) uint64 { return mix(uint64(i) + seed<<40) }) - n
			sum += off * off / n / n
		}
		rms := math.Sqrt(sum / seeds)
		t.Logf("%-42s rms error %.2f %% of %d different keys, %d seeds", e.name, 100*rms, n, seeds)
		// 1.02/sqrt(4096), and three standard errors of an rms of 20 values.
		if limit := 1.02 / 64 * (1 + 3/math.Sqrt(2*seeds)); e.name[:5] == "stats" && rms > limit {
			t.Errorf("%s: more than %.4f", e.name, limit)
		}
	}
}

// mix is the finaliser of splitmix64: a hash of a number.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func BenchmarkDistinct(b *testing.B) {
	for _, x := range texts(b) {
		for _, e := range x.entries(false, distinctCounters(x)) {
			b.Run(fmt.Sprintf("%s/%s", x.name, e.name), e.benchmark)
		}
	}
}
