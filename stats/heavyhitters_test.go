package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// checkHeavy holds a sketch's bounds against the exact counts, and its lists
// against each other.
func checkHeavy(t *testing.T, what string, s *HeavyHitters, e *Exact) {
	t.Helper()
	checkGroups(t, what, s)
	if s.N() != e.Total() || len(s.counters) > s.k || s.MaxError() > s.N()/uint64(s.k) {
		t.Fatalf("%s: %d words, want %d; %d counters of %d; an error of %d", what, s.N(), e.Total(), len(s.counters), s.k, s.MaxError())
	}
	for h, truth := range e.counts {
		w := s.Count(h)
		if w.Key != h || w.Count < truth || w.Count-w.Error > truth || w.Error > s.MaxError() {
			t.Fatalf("%s: %+v, truth %d, error at most %d", what, w, truth, s.MaxError())
		}
		if has := s.slots[s.find(splitmix.Finish(h^s.key))].counter != 0; !has && truth > s.N()/uint64(s.k) {
			t.Fatalf("%s: no counter for a word of %d in %d", what, truth, s.N())
		}
	}
	top := s.Top(s.k + 1)
	if len(top) != len(s.counters) || !slices.IsSortedFunc(top, heavier) {
		t.Fatalf("%s: %d words at the top, not %d in order", what, len(top), len(s.counters))
	}
	for _, w := range top {
		if w != s.Count(w.Key) || e.Count(w.Key) == 0 {
			t.Fatalf("%s: %+v, Count says %+v", what, w, s.Count(w.Key))
		}
	}
}

// checkGroups checks that groups, order, counters and slots agree.
func checkGroups(t *testing.T, what string, s *HeavyHitters) {
	t.Helper()
	used := 0
	for i := 0; i < len(s.ranked); {
		id := s.counters[s.ranked[i]].group
		g := s.groups[id]
		if int(g.begin) != i || g.end <= g.begin || slices.Contains(s.spare, id) {
			t.Fatalf("%s: group %+v at %d", what, g, i)
		}
		for ; i < int(g.end); i++ {
			c := s.counters[s.ranked[i]]
			if c.group != id || int(c.at) != i || s.slots[s.find(c.mixed)].counter != s.ranked[i]+1 {
				t.Fatalf("%s: counter %+v at %d in group %d", what, c, i, id)
			}
		}
		if i < len(s.ranked) && s.groups[s.counters[s.ranked[i]].group].count >= g.count {
			t.Fatalf("%s: groups out of order", what)
		}
		used++
	}
	slots := 0
	for _, e := range s.slots {
		if e.counter != 0 {
			slots++
		}
	}
	if slots != len(s.counters) || used+len(s.spare) != len(s.groups) || len(s.groups) > s.k+1 {
		t.Fatalf("%s: %d slots, %d groups in use, %d spare of %d; %d counters",
			what, slots, used, len(s.spare), len(s.groups), len(s.counters))
	}
}

// skewed returns a stream of n words drawn by a power law.
func skewed(r *rand.Rand, n int, exponent float64) (hashes []uint64) {
	z := rand.NewZipf(r, exponent, 1, 10_000)
	for range n {
		hashes = append(hashes, splitmix.Finish(z.Uint64()))
	}
	return hashes
}

func TestHeavyHittersBounds(t *testing.T) {
	for seed := range seeds() {
		r := rand.New(rand.NewPCG(seed, 1))
		k := []int{2, 3, 10, 100, 1000}[seed%5]
		stream := skewed(r, 2000, []float64{1.01, 1.2, 2}[seed%3])
		s := NewHeavyHitters(k, seed)
		s.AddAll(stream[:1000])
		checkHeavy(t, fmt.Sprintf("seed %d, half", seed), s, exactCounts(stream[:1000]))
		s.AddAll(stream[1000:])
		checkHeavy(t, fmt.Sprintf("seed %d, k=%d", seed, k), s, exactCounts(stream))
		if len(s.counters) == k {
			var sum uint64
			for _, w := range s.Top(k) {
				sum += w.Count
			}
			if sum != s.N() {
				t.Errorf("seed %d: counts sum up to %d of %d words", seed, sum, s.N())
			}
		}
	}
}

// Orders made to hurt: only new words, words that come just after they were driven
// out, the heavy ones last or spread as far as can be.
func TestHeavyHittersAdversarialStreams(t *testing.T) {
	const k = 50
	heavy := slices.Repeat(different(10), 100)
	light := different(2000)[1000:]
	spread := make([]uint64, 0, 2000)
	for i, h := range heavy {
		spread = append(spread, light[i], h)
	}
	for name, stream := range map[string][]uint64{
		"all new":      light,
		"round robin":  slices.Repeat(different(k+1), 60),
		"back again":   slices.Repeat(append(different(k+1), different(k)...), 40),
		"heavy last":   append(slices.Clone(light), heavy...),
		"heavy first":  append(slices.Clone(heavy), light...),
		"spread":       spread,
		"sorted":       slices.Sorted(slices.Values(heavy)),
		"rising":       stream(1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
		"one word":     slices.Repeat(different(1), 5000),
		"0 and others": append(make([]uint64, 100), light...),
	} {
		s := NewHeavyHitters(k, 1)
		for i, h := range stream {
			if s.Add(h); i%97 == 0 {
				checkGroups(t, name, s)
			}
		}
		checkHeavy(t, name, s, exactCounts(stream))
	}
	// What was driven out comes next, always.
	s, e := NewHeavyHitters(k, 1), new(Exact)
	words := different(k + 1)
	for range 3000 {
		next := words[slices.IndexFunc(words, func(h uint64) bool { return s.slots[s.find(splitmix.Finish(h^s.key))].counter == 0 })]
		s.Add(next)
		e.Add(next)
	}
	checkHeavy(t, "driven out", s, e)
}

func TestHeavyHittersExactWhileFew(t *testing.T) {
	text := english().text(20_000, 1)
	e := exactCounts(text)
	s := NewHeavyHitters(e.Distinct(), 5)
	s.AddAll(text)
	for h, truth := range e.counts {
		if got := s.Count(h); got != (Heavy{h, truth, 0}) {
			t.Fatalf("%+v, want %d exactly", got, truth)
		}
	}
	if got := s.Count(1); got != (Heavy{1, s.MaxError(), s.MaxError()}) {
		t.Errorf("a word that never came: %+v", got)
	}
}

// On text the ten most frequent words come out in order with 1,024 counters.
func TestHeavyHittersTopOfText(t *testing.T) {
	name, text := longText(t, 500_000)
	e := exactCounts(text)
	s := NewHeavyHitters(0, 1)
	s.AddAll(text)
	checkHeavy(t, name, s, e)
	truth := make([]Heavy, 0, e.Distinct())
	for h, n := range e.counts {
		truth = append(truth, Heavy{Key: h, Count: n})
	}
	slices.SortFunc(truth, heavier)
	for i, w := range s.Top(10) {
		t.Logf("%s: %+v, truth %d", name, w, e.Count(w.Key))
		if e.Count(w.Key) != truth[i].Count {
			t.Errorf("place %d: a word of %d, want %d", i+1, e.Count(w.Key), truth[i].Count)
		}
	}
	if len(s.Top(0)) != 0 || len(s.Top(-1)) != 0 || len(s.Top(3)) != 3 {
		t.Error("Top returns another number of words")
	}
}

func TestHeavyHittersMerge(t *testing.T) {
	for seed := range seeds() {
		r := rand.New(rand.NewPCG(seed, 2))
		k := []int{2, 10, 100, 1000}[seed%4]
		stream := skewed(r, 3000, 1.1)
		whole, s := exactCounts(stream), NewHeavyHitters(k, seed)
		for _, part := range [][]uint64{stream[:1000], stream[1000:1100], stream[1100:2500]} {
			o := NewHeavyHitters(k, seed+7)
			o.AddAll(part)
			if err := s.Merge(o); err != nil {
				t.Fatal(err)
			}
		}
		checkHeavy(t, fmt.Sprintf("seed %d, k=%d, merged", seed, k), s, exactCounts(stream[:2500]))
		s.AddAll(stream[2500:])
		checkHeavy(t, fmt.Sprintf("seed %d, k=%d, merged and on", seed, k), s, whole)
		before := fmt.Sprint(s)
		if err := s.Merge(NewHeavyHitters(k+1, seed)); !errors.Is(err, ErrMerge) || fmt.Sprint(s) != before {
			t.Errorf("another k: %v", err)
		}
		if err := s.Merge(s); err != nil {
			t.Fatal(err)
		}
		checkHeavy(t, "merged with itself", s, exactCounts(append(stream, stream...)))
	}
}

func TestNewHeavyHittersArguments(t *testing.T) {
	for _, c := range [][2]int{{0, DefaultHeavy}, {-5, DefaultHeavy}, {1, MinHeavy}, {7, 7}, {math.MaxInt, MaxHeavy}} {
		s := NewHeavyHitters(c[0], 1)
		if s.k != c[1] || len(s.counters) != 0 || s.MaxError() != 0 || len(s.Top(5)) != 0 {
			t.Errorf("NewHeavyHitters(%d): %d counters, want %d", c[0], s.k, c[1])
		}
		if s.Bytes() > 2000 {
			t.Errorf("NewHeavyHitters(%d): %d bytes when empty", c[0], s.Bytes())
		}
	}
}

func TestHeavyHittersAddDoesNotAllocate(t *testing.T) {
	s := NewHeavyHitters(500, 1)
	s.AddAll(english().text(20_000, 1))
	next := uint64(1 << 40)
	if n := testing.AllocsPerRun(5000, func() { s.Add(splitmix.Finish(next)); s.Add(splitmix.Finish(next % 64)); next++ }); n != 0 {
		t.Errorf("%v allocations a word", n)
	}
}
