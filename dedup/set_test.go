package dedup

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// agree fails unless s holds exactly what truth does, in ascending order.
func agree(t *testing.T, s *Set, truth map[uint64]bool) {
	t.Helper()
	if s.Len() != len(truth) {
		t.Fatalf("Len() = %d, want %d", s.Len(), len(truth))
	}
	if got, want := slices.Collect(s.All), slices.Sorted(maps.Keys(truth)); !slices.Equal(got, want) {
		t.Fatalf("All() has %d hashes, want %d sorted ones", len(got), len(want))
	}
}

func TestSetEqualsMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(30_000)
		var s Set
		truth := map[uint64]bool{}
		for range n {
			h := splitmix.Finish(r.Uint64N(uint64(n)))
			if r.IntN(100) == 0 {
				h = []uint64{0, 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 58}[r.IntN(5)]
			}
			if got := s.Has(h); got != truth[h] {
				t.Fatalf("seed %d: Has(%#x) = %v", seed, h, got)
			}
			if got := s.Add(h); got == truth[h] {
				t.Fatalf("seed %d: Add(%#x) = %v", seed, h, got)
			}
			truth[h] = true
		}
		agree(t, &s, truth)
	}
}

// Hashes that are anything but uniform make the set slow, never wrong and never
// large.
func TestSetOfCrowdedHashes(t *testing.T) {
	for name, at := range map[string]func(i uint64) uint64{
		"counting up":     func(i uint64) uint64 { return i },
		"counting down":   func(i uint64) uint64 { return 5000 - i },
		"from the top":    func(i uint64) uint64 { return math.MaxUint64 - i },
		"one table's end": func(i uint64) uint64 { return 1<<58 - 1 - i },
	} {
		var s Set
		truth := map[uint64]bool{}
		for i := range uint64(5000) {
			if !s.Add(at(i)) {
				t.Fatalf("%s: %d is there already", name, i)
			}
			truth[at(i)] = true
		}
		agree(t, &s, truth)
		if s.Bytes() > 5000*8*4 {
			t.Errorf("%s: %d bytes", name, s.Bytes())
		}
	}
}

// Memory stays near 8 bytes for each 0.78 of a hash at every size, and no
// single step of growth needs much.
func TestSetMemory(t *testing.T) {
	var s Set
	before := s.Bytes()
	for i := range 300_000 {
		s.Add(splitmix.Finish(uint64(i)))
		now := s.Bytes()
		if i > 20_000 {
			if perHash := float64(now) / float64(s.Len()); perHash > 12.5 || i > 200_000 && perHash > 10.7 {
				t.Fatalf("%.2f bytes a hash at %d", perHash, i)
			}
			if step := now - before; float64(step) > 0.01*float64(now) {
				t.Fatalf("grew by %d of %d bytes at once", step, now)
			}
		}
		before = now
	}
}

func TestSetAllStops(t *testing.T) {
	var s Set
	for i := range uint64(100) {
		s.Add(i << 57)
	}
	for stop := 1; stop <= 3; stop++ {
		n := 0
		for range s.All {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("stopped after %d of %d", n, stop)
		}
	}
}

func TestSetUnion(t *testing.T) {
	for seed := range uint64(20) {
		var a, b, want Set
		for i := range 3000 + 100*seed {
			if h := splitmix.Finish(seed<<32 + i); i%3 == 0 {
				a.Add(h)
				want.Add(h)
			}
			if h := splitmix.Finish(seed<<32 + i); i%4 == 0 {
				b.Add(h)
				want.Add(h)
			}
		}
		b.Add(0)
		want.Add(0)
		n := b.Len()
		a.Union(&b)
		b.Union(&b)
		if a.Len() != want.Len() || !slices.Equal(slices.Collect(a.All), slices.Collect(want.All)) {
			t.Errorf("seed %d: %d hashes, want %d", seed, a.Len(), want.Len())
		}
		if b.Len() != n {
			t.Errorf("seed %d: %d hashes became %d", seed, n, b.Len())
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<14)] // crowded hashes take quadratic time
		var s Set
		truth := map[uint64]bool{}
		for ; len(data) >= 8; data = data[8:] {
			h := binary.LittleEndian.Uint64(data)
			if s.Has(h) != truth[h] || s.Add(h) == truth[h] {
				t.Fatalf("%#x: wrong answer", h)
			}
			truth[h] = true
		}
		agree(t, &s, truth)
	})
}
