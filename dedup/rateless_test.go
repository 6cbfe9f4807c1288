package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// unlikeSets returns sets with the given numbers of keys in common, only in the first, and only
// in the second.
func unlikeSets(seed uint64, common, onlyA, onlyB int) (a, b, inA, inB []uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	next := func(n int) (keys []uint64) {
		for range n {
			keys = append(keys, r.Uint64())
		}
		return keys
	}
	both := next(common)
	inA, inB = next(onlyA), next(onlyB)
	a, b = slices.Concat(both, inA), slices.Concat(inB, both)
	for _, list := range [][]uint64{a, b} {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	slices.Sort(inA)
	slices.Sort(inB)
	return a, b, inA, inB
}

// reconcile runs the rateless method to its end and returns the bytes sent by one side.
func reconcile(t testing.TB, a, b []uint64) (onlyA, onlyB []uint64, symbols, rounds int) {
	t.Helper()
	ra, rb, d := NewRateless(a), NewRateless(b), NewDifference(len(a), len(b))
	for !d.Done() {
		n := d.Wanted()
		if n == 0 {
			t.Fatal("no more symbols are wanted, and nothing is known")
		}
		at := rb.At()
		sent := AppendForm(nil, rb.AppendSymbols(nil, n), at, len(b))
		got, err := ReadForm(sent, n, at, len(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Add(ra.AppendSymbols(nil, n), got); err != nil {
			t.Fatal(err)
		}
		rounds++
	}
	onlyA, onlyB = d.Keys()
	return onlyA, onlyB, d.Symbols(), rounds
}

func TestRatelessFindsAll(t *testing.T) {
	for i, c := range []struct{ common, a, b int }{
		{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {5, 3, 0}, {1000, 0, 0}, {1000, 1, 0}, {1000, 0, 2},
		{1000, 7, 7}, {0, 500, 400}, {10_000, 300, 0}, {10_000, 0, 1000}, {30_000, 2000, 1000}, {100, 5000, 3},
	} {
		a, b, inA, inB := unlikeSets(uint64(i), c.common, c.a, c.b)
		onlyA, onlyB, symbols, rounds := reconcile(t, a, b)
		if !slices.Equal(onlyA, inA) || !slices.Equal(onlyB, inB) {
			t.Errorf("%v: found %d and %d keys", c, len(onlyA), len(onlyB))
		}
		if most := FirstSymbols + 2*(c.a+c.b); symbols > most || rounds > 15 {
			t.Errorf("%v: %d symbols in %d rounds, at most %d in 15 may be", c, symbols, rounds, most)
		}
	}
}

// The paper has 1.35 symbols a differing key for many, up to 1.72 for few. What is asked for at a
// time adds to that.
func TestRatelessOverhead(t *testing.T) {
	for _, differing := range []int{4, 10, 30, 100, 1000, 10_000} {
		sum, rounds, runs := 0, 0, max(4, 2000/differing)
		for seed := range runs {
			a, b, _, _ := unlikeSets(uint64(seed), 2000, differing/2, differing-differing/2)
			_, _, n, r := reconcile(t, a, b)
			sum += n
			rounds += r
		}
		mean := float64(sum) / float64(runs)
		t.Logf("%d differing keys: %.1f symbols, %.2f a key, %.1f rounds", differing, mean, mean/float64(differing), float64(rounds)/float64(runs))
		if limit := 1.5*float64(differing) + 40; mean > limit {
			t.Errorf("%d differing keys take %.0f symbols, want at most %.0f", differing, mean, limit)
		}
	}
}

// The estimate is unbiased and as precise as its comment says.
func TestDifferenceEstimate(t *testing.T) {
	const runs, differing = 200, 1000
	sum, squares := 0.0, 0.0
	for seed := range runs {
		a, b, _, _ := unlikeSets(uint64(seed), 3000, differing/4, differing-differing/4)
		d := NewDifference(len(a), len(b))
		if err := d.Add(NewRateless(a).AppendSymbols(nil, FirstSymbols), NewRateless(b).AppendSymbols(nil, FirstSymbols)); err != nil {
			t.Fatal(err)
		}
		off := d.Estimate()/differing - 1
		sum += off
		squares += off * off
	}
	if mean, sd := sum/runs, squares/runs; mean < -0.06 || mean > 0.06 || sd > 0.3*0.3 {
		t.Errorf("the estimate is off by %+.3f on average, and by %.3f squared", mean, sd)
	}
}

// Symbols that cross between machines are these, on any processor and in any version: a
// change here is another protocol.
func TestRatelessGolden(t *testing.T) {
	walk := func(key uint64, n int) (at []uint32) {
		i, state := uint32(0), key*walkMul
		for range n {
			at = append(at, i)
			i, state = step(i, state)
		}
		return at
	}
	got := fmt.Sprint(walk(0, 12), walk(1, 12), walk(0x123456789abcdef, 12))
	const want = "[0 1 3 27 28 89 157 379 432 874 896 1424] [0 2 3 4 6 8 10 23 35 52 85 88] [0 1 2 3 8 10 14 15 45 136 248 725]"
	if got != want {
		t.Errorf("keys fall on %s, want %s", got, want)
	}
	var keys []uint64
	for i := range uint64(1000) {
		keys = append(keys, splitmix.Finish(i))
	}
	form := AppendForm(nil, NewRateless(keys).AppendSymbols(nil, 1000), 0, len(keys))
	h := uint64(0)
	for i := 0; i+8 <= len(form); i += 8 {
		h = splitmix.Finish(h ^ binary.LittleEndian.Uint64(form[i:]))
	}
	if len(form) != 13_000 || h != 0x18f020cca6774472 {
		t.Errorf("1,000 symbols of 1,000 keys are %d bytes that hash to %#x", len(form), h)
	}
}

// step takes the first j with (j+1)(j+2) >= (i+1)(i+2)/u, in exact numbers too: what floating
// point rounds does not matter but at a distance of 2^-40 from a border.
func TestStepIsTheInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		i, state := uint32(r.IntN(1<<uint(r.IntN(25)))), r.Uint64()
		j, next := step(i, state)
		if next != state+splitmix.Golden || j <= i {
			t.Fatalf("step(%d, %#x) = %d, %#x", i, state, j, next)
		}
		if j == math.MaxUint32 {
			continue
		}
		u := new(big.Int).SetUint64(splitmix.Finish(next)>>12<<1 | 1) // of 2^53
		want := new(big.Int).Lsh(big.NewInt(int64(i+1)*int64(i+2)), 53)
		reaches := func(j uint32) bool {
			return new(big.Int).Mul(big.NewInt(int64(j+1)*int64(j+2)), u).Cmp(want) >= 0
		}
		if !reaches(j) || j > i+1 && reaches(j-1) {
			t.Fatalf("step(%d, %#x) = %d, which is not the first", i, state, j)
		}
	}
}

// In symbol i a key is with probability 1/(1+i/2).
func TestRatelessDensity(t *testing.T) {
	const keys = 40_000
	list, _, _, _ := unlikeSets(3, keys, 0, 0)
	s := NewRateless(list).AppendSymbols(nil, 2000)
	for _, c := range []struct{ from, to int }{{0, 1}, {1, 2}, {2, 4}, {4, 10}, {10, 100}, {100, 1000}, {1000, 2000}} {
		sum, want := 0.0, 0.0
		for i := c.from; i < c.to; i++ {
			sum += float64(s[i].Count)
			want += keys / (1 + float64(i)/2)
		}
		if off := sum/want - 1; off < -0.02 || off > 0.02 {
			t.Errorf("symbols %d to %d have %.0f keys, want %.0f", c.from, c.to, sum, want)
		}
	}
}

// The windows in which symbols are made do not matter.
func TestRatelessWindows(t *testing.T) {
	a, _, _, _ := unlikeSets(5, 300, 0, 0)
	whole := NewRateless(a).AppendSymbols(nil, 500)
	r := NewRateless(a)
	var parts []Symbol
	for n := range 40 {
		parts = r.AppendSymbols(parts, n)
	}
	if !slices.Equal(parts[:500], whole) {
		t.Error("symbols differ by their windows")
	}
	if got := r.AppendSymbols(nil, -3); len(got) != 0 {
		t.Error("a negative number of symbols")
	}
}

// A peer may send anything: the end is an error or a difference, in bounded memory and time.
func TestHostileSymbols(t *testing.T) {
	a, b, _, _ := unlikeSets(1, 1000, 5, 5)
	sa, sb := NewRateless(a).AppendSymbols(nil, 400), NewRateless(b).AppendSymbols(nil, 400)
	for name, change := range map[string]func([]Symbol) []Symbol{
		"one fewer":       func(s []Symbol) []Symbol { return s[1:] },
		"none":            func([]Symbol) []Symbol { return nil },
		"another count":   func(s []Symbol) []Symbol { s[0].Count++; return s },
		"beyond any size": func([]Symbol) []Symbol { return make([]Symbol, 401) },
	} {
		if err := NewDifference(len(a), len(b)).Add(sa, change(slices.Clone(sb))); !errors.Is(err, ErrSymbols) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 200 {
		d := NewDifference(len(a), len(b))
		wrong := slices.Clone(sb)
		for i := range wrong {
			key := r.Uint64()
			switch round % 4 {
			case 0: // random
				wrong[i] = Symbol{key, r.Uint32(), int32(r.IntN(1000))}
			case 1: // every difference looks pure
				wrong[i] = sa[i].minus(Symbol{key, symbolCheck(key), 1})
			case 2: // the same key everywhere
				wrong[i] = sa[i].minus(Symbol{42, symbolCheck(42), int32(1 - 2*(i&1))})
			case 3:
				wrong[r.IntN(len(wrong))] = Symbol{key, symbolCheck(key), 1}
			}
		}
		wrong[0].Count = sb[0].Count
		err := d.Add(sa, wrong)
		if err == nil && d.Done() {
			t.Errorf("round %d: a difference of nothing", round)
		}
		if len(d.found) > 2*len(d.symbols) {
			t.Errorf("%d keys of %d symbols", len(d.found), len(d.symbols))
		}
	}
}

func FuzzReadForm(f *testing.F) {
	keys, _, _, _ := unlikeSets(1, 50, 0, 0)
	f.Add(AppendForm(nil, NewRateless(keys).AppendSymbols(nil, 9), 0, 50), 9, 0, 50)
	f.Add([]byte{}, 1, 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, count, at, n int) {
		at, n = at&0xffff, n&0xffff
		s, err := ReadForm(data, count, at, n)
		if err != nil {
			return
		}
		again, err := ReadForm(AppendForm(nil, s, at, n), count, at, n)
		if err != nil || !slices.Equal(again, s) {
			t.Fatalf("%v comes back as %v, %v", s, again, err)
		}
		d := NewDifference(n, n)
		d.Add(make([]Symbol, len(s)), s)
		d.Wanted()
		d.Keys()
	})
}

func BenchmarkRateless(b *testing.B) {
	for _, differing := range []int{10, 1000, 100_000} {
		x, y, inX, inY := unlikeSets(1, 1_000_000-differing/2, differing/2, differing/2)
		b.Run(fmt.Sprintf("1M/%d", differing), func(b *testing.B) {
			sent := 0
			for b.Loop() {
				onlyX, onlyY, symbols, _ := reconcile(b, x, y)
				if len(onlyX) != len(inX) || len(onlyY) != len(inY) {
					b.Fatal("not all found")
				}
				sent = symbols
			}
			b.ReportMetric(float64(sent), "symbols")
		})
	}
}
