package dedup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// linkStream returns a stream of n occurrences or a little more, in which the keys
// occur as pages are linked to: by a power law, most of them once or twice, a
// few of them ten thousand times; and how often each one does.
func linkStream(keys int, n int, seed uint64) (stream []uint64, truth map[uint64]uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	truth = make(map[uint64]uint64, keys)
	for len(truth) < keys {
		truth[r.Uint64()] = uint64(min(math.Pow(1-r.Float64(), -1/1.1), 20_000))
	}
	all := slices.Sorted(func(yield func(uint64) bool) {
		for h := range truth {
			if !yield(h) {
				return
			}
		}
	})
	for _, h := range all {
		for range truth[h] {
			stream = append(stream, h)
		}
	}
	for len(stream) < n { // the rest to anyone
		h := all[int(float64(keys)*r.Float64()*r.Float64())]
		stream = append(stream, h)
		truth[h]++
	}
	r.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
	return stream, truth
}

// errorsOf are the shares of a filter's counts that are wrong, and below the
// truth, and by how much the others are above it on average.
func errorsOf(s *Spectral, truth map[uint64]uint64) (wrong, under, over float64) {
	for h, want := range truth {
		switch got := s.Count(h); {
		case got > want:
			wrong++
			over += float64(got - want)
		case got < want:
			wrong++
			under++
		}
	}
	n := float64(len(truth))
	return wrong / n, under / n, over / n
}

// The three methods at equal memory on counts of links. DEDUP_LONG=1 takes 2
// million occurrences of 125,000 keys instead of a tenth.
func TestSpectralMethodsAtEqualMemory(t *testing.T) {
	keys := 12_500
	if long() {
		keys = 125_000
	}
	stream, truth := linkStream(keys, 16*keys, 1)
	t.Logf("%d occurrences of %d keys", len(stream), len(truth))
	t.Logf("%12s %18s %8s %8s %8s %10s", "bytes a key", "method", "wrong", "formula", "too few", "mean excess")
	for _, per := range []float64{4, 8, 16} {
		var wrong, under, over [3]float64
		for _, method := range spectralMethods {
			s := newTestSpectral(t, SpectralConfig{Keys: int64(keys), BytesPerKey: per, Method: method, Seed: 3})
			for _, h := range stream {
				s.Add(h)
			}
			wrong[method], under[method], over[method] = errorsOf(s, truth)
			size := int64(len(s.first.lines)) * lineCounters
			t.Logf("%12g %18v %7.2f%% %7.2f%% %7.2f%% %10.3f", per, method, 100*wrong[method],
				100*SpectralRate(size, int64(keys)), 100*under[method], over[method])
		}
		if under[MinimumSelection] != 0 || under[MinimalIncrease] != 0 {
			t.Errorf("%g bytes a key: counts below the truth: %v", per, under)
		}
		ms, mi := MinimumSelection, MinimalIncrease
		if wrong[mi] > 0.75*wrong[ms] || over[mi] > 0.3*over[ms] {
			t.Errorf("%g bytes a key: minimal increase errs for %g by %g, minimum selection for %g by %g",
				per, wrong[mi], over[mi], wrong[ms], over[ms])
		}
		if under[RecurringMinimum] == 0 {
			t.Errorf("%g bytes a key: recurring minimum never counted too few", per)
		}
	}
}

// The theorem: a count is wrong by minimum selection as often as a Bloom filter
// of this layout errs, and so is that of a key never added, by any method.
func TestSpectralErrorIsTheBloomError(t *testing.T) {
	const keys = 2000
	for _, per := range []float64{4, 8, 16} {
		var wrong, phantoms [3]int64
		var expected float64
		seeds := uint64(50)
		for seed := range seeds {
			for _, method := range spectralMethods[:2] {
				s := newTestSpectral(t, SpectralConfig{Keys: keys, BytesPerKey: per, Method: method, Seed: seed})
				r := rand.New(rand.NewPCG(seed, 7))
				var list [keys]uint64
				for i := range list {
					list[i] = r.Uint64()
					s.AddN(list[i], uint64(1+i%300))
				}
				for i, h := range list {
					if s.Count(h) != uint64(1+i%300) {
						wrong[method]++
					}
					if s.Count(r.Uint64()) != 0 {
						phantoms[method]++
					}
				}
				expected += s.ExpectedErrorRate() / float64(2*seeds)
			}
		}
		rate, n := SpectralRate(int64(per*keys), keys), int(seeds*keys)
		if math.Abs(expected/rate-1) > 0.02 {
			t.Errorf("%g bytes a key: ExpectedErrorRate %g, formula %g", per, expected, rate)
		}
		// 4 % besides chance: the keys of a line err together.
		near(t, fmt.Sprintf("%g bytes a key: wrong by minimum selection", per), wrong[0], n, rate, 0.04)
		near(t, fmt.Sprintf("%g bytes a key: absent keys, minimum selection", per), phantoms[0], n, rate, 0.04)
		near(t, fmt.Sprintf("%g bytes a key: absent keys, minimal increase", per), phantoms[1], n, rate, 0.04)
		atMost(t, fmt.Sprintf("%g bytes a key: wrong by minimal increase", per), wrong[1], n, rate)
	}
}

func TestSpectralRemoveTakesBackWhatWasAdded(t *testing.T) {
	stream, truth := linkStream(2000, 20_000, 5)
	s := newTestSpectral(t, SpectralConfig{Keys: 1000})
	empty := newTestSpectral(t, SpectralConfig{Keys: 1000})
	for i, h := range stream {
		s.Add(h)
		if i%2 == 0 {
			truth[h]-- // below, every other occurrence goes
		}
	}
	for i, h := range stream {
		if i%2 == 0 {
			if err := s.Remove(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, under, _ := errorsOf(s, truth); under != 0 {
		t.Errorf("%.2f %% of the counts are below the truth after removals", 100*under)
	}
	for i, h := range stream {
		if i%2 == 1 {
			if err := s.Remove(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !sameCounters(s, empty) {
		t.Error("something is left when everything was removed")
	}
	if err := s.Remove(stream[0]); !errors.Is(err, ErrNotCounted) {
		t.Errorf("removed from an empty filter: %v", err)
	}
}

// Why MinimalIncrease cannot remove: lowering all counters of the keys that go
// leaves keys that stay with less than they have, and some with nothing.
func TestMinimalIncreaseCannotRemove(t *testing.T) {
	stream, truth := linkStream(5000, 50_000, 6)
	s := newTestSpectral(t, SpectralConfig{Keys: 5000, Method: MinimalIncrease})
	for _, h := range stream {
		s.Add(h)
	}
	before := fmt.Sprint(s)
	if err := s.Remove(stream[0]); !errors.Is(err, ErrMethod) {
		t.Fatalf("Remove: %v", err)
	}
	if fmt.Sprint(s) != before {
		t.Error("a refused removal changed the filter")
	}
	for h, n := range truth {
		if h%2 == 0 {
			delete(truth, h)
			for i, m := s.place(h); n > 0 && s.first.min(i, m) > 0; n-- {
				s.first.sub(i, m)
			}
		}
	}
	lost := 0
	for h := range truth {
		if s.Count(h) == 0 {
			lost++
		}
	}
	_, under, _ := errorsOf(s, truth)
	t.Logf("half of the keys removed: of the %d others %.1f %% have too few, %d none", len(truth), 100*under, lost)
	if under < 0.01 || lost == 0 {
		t.Error("removal did no harm; so why is it refused?")
	}
}
