package dedup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

var spectralMethods = []SpectralMethod{MinimumSelection, MinimalIncrease, RecurringMinimum}

func newTestSpectral(t testing.TB, c SpectralConfig) *Spectral {
	t.Helper()
	s, err := NewSpectral(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sameCounters reports whether two filters of one configuration count alike: the same lines,
// and the same values in their tables, wherever they stand there.
func sameCounters(a, b *Spectral) bool {
	for _, pair := range [][2]*tallies{{&a.first, &b.first}, {&a.second, &b.second}} {
		one, other := pair[0], pair[1]
		if !slices.Equal(one.lines, other.lines) || one.table.used != other.table.used {
			return false
		}
		for _, e := range one.table.slots {
			if e.id != 0 && *other.table.at(e.id - 1) != e.value {
				return false
			}
		}
	}
	return true
}

// checkTable fails unless the table has what the lines say.
func checkTable(t *testing.T, c *tallies) {
	t.Helper()
	high := 0
	for i := range c.lines {
		for p, v := range c.lines[i] {
			if v == inTable {
				high++
				if got := c.at(uint64(i), uint64(p)); got < inTable {
					t.Fatalf("line %d, counter %d: %d in the table", i, p, got)
				}
			}
		}
	}
	if high != c.table.used || 2*high > len(c.table.slots) && high > 0 {
		t.Fatalf("%d entries in %d slots, want %d", c.table.used, len(c.table.slots), high)
	}
}

// 002, "Spectral Bloom Filters (SBF)", the definition: in {A, A, B, C, C} A and
// C occur twice, B once.
func TestSource002MultisetAABCC(t *testing.T) {
	const a, b, c, absent = 0xa, 0xb, 0xc, 0xd
	for _, method := range spectralMethods {
		s := newTestSpectral(t, SpectralConfig{Method: method})
		for _, x := range []uint64{a, a, b, c, c} {
			s.Add(splitmix.Finish(x))
		}
		for x, want := range map[uint64]uint64{a: 2, b: 1, c: 2, absent: 0} {
			if got := s.Count(splitmix.Finish(x)); got != want {
				t.Errorf("%v: %x counted %d times, want %d", method, x, got, want)
			}
		}
	}
}

// at4 returns the mixed hash of a key whose counters are number w[0] of the
// first quarter of a line, w[1] of the second one and so on.
func at4(w ...uint64) (m uint64) {
	for i, x := range w {
		m |= x << (4 * i)
	}
	return m
}

// 002, "The Minimum Selection": x, y and z share counters so that one is no
// approximation of x or y, and the minimum is exact for x and for z. y has all
// its counters shared: the Bloom error.
func TestSource002MinimumSelectionWorkedExample(t *testing.T) {
	c := newTallies(1)
	x, y, z := at4(1, 1, 1, 1), at4(1, 1, 2, 2), at4(3, 3, 2, 2)
	for key, times := range map[uint64]uint64{x: 5, y: 3, z: 4} {
		for range times {
			c.add(0, key, 1)
		}
	}
	want := counterLine{1: 8, 3: 4, 16 + 1: 8, 16 + 3: 4, 32 + 1: 5, 32 + 2: 7, 48 + 1: 5, 48 + 2: 7}
	if c.lines[0] != want {
		t.Fatalf("counters %v, want %v", c.lines[0], want)
	}
	for key, want := range map[uint64]uint64{x: 5, y: 7, z: 4, at4(9, 1, 1, 1): 0} {
		if got := c.min(0, key); got != want {
			t.Errorf("key %x: minimum %d, want %d", key, got, want)
		}
	}
	for range 4 { // 003, "Deletion(x)"
		c.sub(0, z)
	}
	if got := [...]uint64{c.min(0, x), c.min(0, y), c.min(0, z)}; got != [...]uint64{5, 3, 0} {
		t.Errorf("minima after removing z: %d, want 5, 3, 0", got)
	}
}

// 002, "Recurring Minimum: insertion and deletion" and "lookup", by hand: x has
// a single minimum as soon as y, z and u share three of its counters.
func TestSource002RecurringMinimumWorkedExample(t *testing.T) {
	c := newTallies(1)
	x := at4(1, 1, 1, 1)
	c.add(0, x, 2)
	if !c.recurring(0, x) || c.min(0, x) != 2 {
		t.Error("four equal counters are no recurring minimum")
	}
	c.add(0, at4(1, 2, 2, 2), 1)
	c.add(0, at4(3, 1, 3, 3), 1)
	if !c.recurring(0, x) {
		t.Error("two of four counters are no recurring minimum")
	}
	c.add(0, at4(4, 4, 1, 4), 1)
	if c.recurring(0, x) || c.min(0, x) != 2 {
		t.Error("one of four counters is a recurring minimum")
	}
}

// spectralModel is the definition of the three methods on counters without limit, of
// which a key has four in each filter, by the places a Spectral gives it.
type spectralModel struct {
	s             *Spectral
	first, second map[uint64]uint64
}

func (m *spectralModel) counters(h uint64) (first, second [ways]uint64) {
	i, mix := m.s.place(h)
	for w := range uint64(ways) {
		first[w] = i*lineCounters + way(mix, w)
	}
	if m.s.method == RecurringMinimum {
		i, mix = m.s.placeSecond(mix)
		for w := range uint64(ways) {
			second[w] = i*lineCounters + way(mix, w)
		}
	}
	return first, second
}

// minimum returns the smallest of the counters and how many have it.
func minimum(of map[uint64]uint64, at [ways]uint64) (low uint64, times int) {
	low = math.MaxUint64
	for _, p := range at {
		low = min(low, of[p])
	}
	for _, p := range at {
		if of[p] == low {
			times++
		}
	}
	return low, times
}

func (m *spectralModel) add(h uint64) {
	first, second := m.counters(h)
	low, _ := minimum(m.first, first)
	for _, p := range first {
		if m.s.method != MinimalIncrease || m.first[p] == low {
			m.first[p]++
		}
	}
	low, times := minimum(m.first, first)
	if m.s.method != RecurringMinimum || times > 1 {
		return
	}
	by := uint64(1)
	if there, _ := minimum(m.second, second); there == 0 {
		by = low
	}
	for _, p := range second {
		m.second[p] += by
	}
}

func (m *spectralModel) remove(h uint64) {
	first, second := m.counters(h)
	for _, p := range first {
		m.first[p]--
	}
	if _, times := minimum(m.first, first); m.s.method != RecurringMinimum || times > 1 {
		return
	}
	if there, _ := minimum(m.second, second); there > 0 {
		for _, p := range second {
			m.second[p]--
		}
	}
}

func (m *spectralModel) count(h uint64) uint64 {
	first, second := m.counters(h)
	low, times := minimum(m.first, first)
	if m.s.method == RecurringMinimum && times == 1 {
		if there, _ := minimum(m.second, second); there > 0 {
			return there
		}
	}
	return low
}

// Every method against its definition, in filters so crowded that all counters
// are shared, with counts on both sides of what 8 bits hold.
func TestSpectralAsDefined(t *testing.T) {
	for seed := range uint64(40) {
		for _, method := range spectralMethods {
			r := rand.New(rand.NewPCG(seed, uint64(method)))
			s := newTestSpectral(t, SpectralConfig{Bytes: 192, Method: method, Seed: seed})
			m := &spectralModel{s, map[uint64]uint64{}, map[uint64]uint64{}}
			var keys [30]uint64
			for i := range keys {
				keys[i] = r.Uint64()
			}
			for range 200 {
				h := keys[r.IntN(len(keys))]
				n := r.Uint64N(4) * r.Uint64N(80)
				if low, _ := m.counters(h); r.IntN(3) == 0 && method != MinimalIncrease {
					there, _ := minimum(m.first, low)
					for range min(n, there) {
						m.remove(h)
						if err := s.Remove(h); err != nil {
							t.Fatal(err)
						}
					}
					continue
				}
				s.AddN(h, n)
				for range n {
					m.add(h)
				}
			}
			for i, h := range keys {
				if got, want := s.Count(h), m.count(h); got != want {
					t.Fatalf("%v, seed %d, key %d: %d, want %d", method, seed, i, got, want)
				}
			}
			checkTable(t, &s.first)
			checkTable(t, &s.second)
		}
	}
}

func TestSpectralCountsWithoutLimit(t *testing.T) {
	for _, method := range spectralMethods {
		s := newTestSpectral(t, SpectralConfig{Method: method})
		h, want := splitmix.Finish(1), uint64(0)
		for _, n := range []uint64{0, 253, 1, 1, 1, 1 << 40, 0, 1 << 62} {
			want += n
			if s.AddN(h, n); s.Count(h) != want {
				t.Fatalf("%v: %d, want %d", method, s.Count(h), want)
			}
		}
		s.AddN(h, math.MaxUint64-5)
		s.Add(h)
		if got := s.Count(h); got != math.MaxUint64 {
			t.Errorf("%v: %d beyond the limit", method, got)
		}
		if method == MinimalIncrease {
			continue
		}
		if err := s.Remove(h); err != nil || s.Count(h) != math.MaxUint64 {
			t.Errorf("%v: a counter at its limit came down to %d, %v", method, s.Count(h), err)
		}
	}
}

func TestSpectralMerge(t *testing.T) {
	stream, truth := linkStream(3000, 40_000, 8)
	for _, method := range spectralMethods[:2] {
		c := SpectralConfig{Keys: 2000, Method: method, Seed: 9}
		whole, a, b := newTestSpectral(t, c), newTestSpectral(t, c), newTestSpectral(t, c)
		for i, h := range stream {
			whole.Add(h)
			if i%3 == 0 {
				a.Add(h)
			} else {
				b.Add(h)
			}
		}
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		wrong, under, _ := errorsOf(a, truth)
		if under != 0 {
			t.Errorf("%v: merged counts are below the truth", method)
		}
		if method == MinimumSelection && !sameCounters(a, whole) {
			t.Error("the merged filter is not that of both streams")
		}
		if limit := whole.ExpectedErrorRate(); wrong > 1.1*limit {
			t.Errorf("%v: merged, %.2f %% of the counts are wrong, want at most %.2f", method, 100*wrong, 100*limit)
		}
		count := a.Count(stream[0])
		if err := a.Merge(a); err != nil || a.Count(stream[0]) != 2*count {
			t.Errorf("%v: merged with itself: %d, want %d, %v", method, a.Count(stream[0]), 2*count, err)
		}
	}
}

func TestSpectralMergeRefuses(t *testing.T) {
	base := SpectralConfig{Bytes: 1024, Seed: 1}
	for name, c := range map[string]struct {
		mine, other SpectralConfig
		want        error
	}{
		"another size":      {base, SpectralConfig{Bytes: 1025, Seed: 1}, ErrMismatch},
		"another seed":      {base, SpectralConfig{Bytes: 1024, Seed: 2}, ErrMismatch},
		"another method":    {base, SpectralConfig{Bytes: 1024, Seed: 1, Method: MinimalIncrease}, ErrMismatch},
		"recurring minimum": {SpectralConfig{Method: RecurringMinimum}, SpectralConfig{Method: RecurringMinimum}, ErrMethod},
	} {
		a, b := newTestSpectral(t, c.mine), newTestSpectral(t, c.other)
		a.Add(5)
		b.Add(5)
		before := fmt.Sprint(a)
		if err := a.Merge(b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if fmt.Sprint(a) != before {
			t.Errorf("%s: the filter was changed", name)
		}
	}
}

func TestSpectralConfig(t *testing.T) {
	for _, c := range []struct {
		config SpectralConfig
		bytes  int64 // 0: refused
	}{
		{SpectralConfig{}, DefaultURLs * 8},
		{SpectralConfig{Keys: 1000, BytesPerKey: 6.4}, 6400},
		{SpectralConfig{Keys: 1}, 64},
		{SpectralConfig{Bytes: 65}, 128},
		{SpectralConfig{Bytes: 6400, Method: RecurringMinimum}, 6400},
		{SpectralConfig{Bytes: 1, Method: RecurringMinimum}, 128},
		{SpectralConfig{Bytes: -1}, 0},
		{SpectralConfig{Bytes: maxCounters + 1}, 0},
		{SpectralConfig{Keys: -1}, 0},
		{SpectralConfig{Keys: MaxURLs + 1}, 0},
		{SpectralConfig{BytesPerKey: -1}, 0},
		{SpectralConfig{BytesPerKey: 257}, 0},
		{SpectralConfig{BytesPerKey: math.NaN()}, 0},
		{SpectralConfig{Method: 3}, 0},
	} {
		s, err := NewSpectral(c.config)
		if (err != nil) != (c.bytes == 0) {
			t.Errorf("%+v: %v", c.config, err)
		} else if err == nil && (s.Bytes() != c.bytes || s.Method() != c.config.Method) {
			t.Errorf("%+v: %d bytes, %v, want %d", c.config, s.Bytes(), s.Method(), c.bytes)
		}
	}
}

func TestSpectralBytesForIsTheSmallest(t *testing.T) {
	for _, keys := range []int64{1, 7, 1000, 123_456, 5e8} {
		for _, rate := range []float64{0.5, 0.1, 1e-2, 1e-3, 1e-4} {
			n := SpectralBytesFor(keys, rate)
			if got := SpectralRate(n, keys); n%64 != 0 || got > rate {
				t.Errorf("%d keys, %g: %d bytes have rate %g", keys, rate, n, got)
			}
			if n > 64 && SpectralRate(n-64, keys) <= rate {
				t.Errorf("%d keys, %g: one line less than %d bytes would do", keys, rate, n)
			}
		}
	}
	if got := SpectralBytesFor(1000, 0); got != 256*1000 {
		t.Errorf("no error wanted: %d bytes", got)
	}
	if got := SpectralBytesFor(0, 0.01); got != SpectralBytesFor(1, 0.01) {
		t.Errorf("no keys: %d bytes", got)
	}
	if SpectralRate(64, 1e12) != 1 || SpectralRate(64, 0) != 0 {
		t.Error("the rate of a full or an empty filter")
	}
}
