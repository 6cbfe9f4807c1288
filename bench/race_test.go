package bench

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// entry is one contestant in a race: what it does to n keys, timed as a whole.
type entry struct {
	name   string
	before func() // not timed; may be nil
	run    func()
	n      int
	bytes  int64 // of memory, if that is to be told

	tries  int       // runs in a round, of which the fastest counts; 0 means 1
	times  []float64 // ns a key, one of each round
	runs   int       // in all rounds
	allocs uint64    // in all runs
}

// tries is how often an entry runs in a round; the fastest counts, so that a
// round in which the machine had other things to do is not lost.
const tries = 3

// round times every entry. The order turns from round to round, so that nobody
// always comes after the same neighbour.
func round(entries []*entry) {
	runtime.LockOSThread() // the time is that of a thread
	defer runtime.UnlockOSThread()
	runtime.GC()
	turn := len(entries[0].times)
	for i := range entries {
		e := entries[(i+turn)%len(entries)]
		e.times = append(e.times, e.best())
	}
}

// best returns the least time for a key of some tries.
func (e *entry) best() float64 {
	best := math.Inf(1)
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	for range max(e.tries, 1) {
		if e.before != nil {
			e.before()
		}
		start := cpuTime()
		e.run()
		best = min(best, float64(cpuTime()-start)/float64(e.n))
		e.runs++
	}
	runtime.ReadMemStats(&is)
	e.allocs += is.Mallocs - was.Mallocs
	return best
}

// median returns the median time.
func (e *entry) median() float64 {
	t := slices.Sorted(slices.Values(e.times))
	return (t[(len(t)-1)/2] + t[len(t)/2]) / 2
}

// allocsPerKey returns the mean number of allocations a key.
func (e *entry) allocsPerKey() float64 {
	return float64(e.allocs) / float64(e.n*e.runs)
}

// ratio returns the median over the rounds of the times of e, each divided by
// other's in the same round: what the machine does meanwhile hits both.
func (e *entry) ratio(other *entry) float64 {
	r := make([]float64, len(e.times))
	for i := range r {
		r[i] = e.times[i] / other.times[i]
	}
	slices.Sort(r)
	return (r[(len(r)-1)/2] + r[len(r)/2]) / 2
}

// find returns the entry of that name.
func find(entries []*entry, name string) *entry {
	for _, e := range entries {
		if e.name == name {
			return e
		}
	}
	panic("no entry is called " + name)
}

// benchmark measures e alone.
func (e *entry) benchmark(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if e.before != nil {
			b.StopTimer()
			e.before()
			b.StartTimer()
		}
		e.run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*e.n), "ns/key")
}
