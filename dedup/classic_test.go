package dedup

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"crawler/internal/splitmix"
)

// long reports whether tests run at full size: DEDUP_LONG=1 makes them take
// minutes instead of seconds and print what they measured.
func long() bool { return os.Getenv("DEDUP_LONG") != "" }

func TestClassicForgetsNothing(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		keys := uint64(1 + r.IntN(1000))
		c := NewClassic(1+r.Int64N(20_000), 1+r.IntN(MaxHashes), seed)
		start, changed := r.Uint64(), 0
		for i := range keys {
			h := splitmix.Finish(start + i)
			had := c.Has(h)
			if c.Add(h) == had {
				t.Fatalf("seed %d: Has was %v and Add agreed not", seed, had)
			}
			if c.Add(h) {
				t.Fatalf("seed %d: added twice", seed)
			}
			if !had {
				changed++
			}
		}
		for i := range keys {
			if !c.Has(splitmix.Finish(start + i)) {
				t.Fatalf("seed %d, %d bits, k = %d: key %d lost", seed, c.Bits(), c.K(), i)
			}
		}
		if want := ones(c.words); c.ones != want || c.Fill() != float64(want)/float64(c.Bits()) {
			t.Fatalf("seed %d: %d ones counted, %d there", seed, c.ones, want)
		}
	}
}

// The measured rate is within five percent of the formula, and of what the fill
// promises, for the best k and for others, and when m is no multiple of 64.
// DEDUP_LONG=1 does all of it with a sampling error below one percent; otherwise the
// costly cases are left out, and chance is allowed four standard errors of 1.2 percent.
func TestClassicRate(t *testing.T) {
	for _, c := range []struct {
		bits float64
		k    int
	}{
		{10, 1}, {10, 4}, {10, 7}, {10, 16},
		{16, 2}, {16, 4}, {16, 11}, {16, 16},
		{24, 3}, {24, 8}, {24, 16},
	} {
		want := ClassicRate(c.bits, c.k)
		questions := 20_000 / want // 20,000 false positives: 0.7 percent
		if !long() {
			questions = 6_600 / want
			if c.bits == 24 || c.bits == 16 && c.k == 16 {
				continue
			}
		}
		t.Run(fmt.Sprintf("%gbits/k=%d", c.bits, c.k), func(t *testing.T) {
			const keys = 200_003 // the fill varies by less than 0.5 percent of the rate
			f := NewClassic(int64(c.bits*keys), c.k, 7)
			for i := range uint64(keys) {
				f.Add(splitmix.Finish(i))
			}
			wrong := int64(0)
			for i := range uint64(questions) {
				if f.Has(splitmix.Finish(1<<40 + i)) {
					wrong++
				}
			}
			got := float64(wrong) / math.Floor(questions)
			allowed := 0.05
			if !long() {
				allowed += 4 * math.Sqrt(1/(questions*want))
			}
			if math.Abs(got/want-1) > allowed || math.Abs(got/f.ExpectedRate()-1) > allowed {
				t.Errorf("rate %.4g, by the formula %.4g, by the fill %.4g", got, want, f.ExpectedRate())
			}
			t.Logf("rate %.4g, by the formula %.4g (%+.2f %%), by the fill %.4g", got, want, 100*(got/want-1), f.ExpectedRate())
		})
	}
}

// Why positions are not a + i*b mod m: in a small filter with many bits a key two
// hash functions make no sixteen.
func TestDoubleHashingErrsMore(t *testing.T) {
	const keys, bitsPerKey, k, filters, questions = 50, 24, 16, 100, 20_000
	fresh, double, promised := 0, 0, 0.0
	var p [k]uint64
	positions := func(h uint64) []uint64 {
		a, b := h, splitmix.Finish(h^splitmix.Golden)
		for i := range p {
			p[i], _ = bits.Mul64(a+uint64(i)*b, keys*bitsPerKey)
		}
		return p[:]
	}
	for seed := range uint64(filters) {
		one, two := NewClassic(keys*bitsPerKey, k, seed), NewClassic(keys*bitsPerKey, k, seed)
		for i := range uint64(keys) {
			h := splitmix.Finish(seed<<32 + i)
			one.Add(h)
			two.AddPositions(positions(h)...)
		}
		promised += one.ExpectedRate() / filters
		for i := range uint64(questions) {
			h := splitmix.Finish(1<<50 + seed<<32 + i)
			if one.Has(h) {
				fresh++
			}
			if two.HasPositions(positions(h)...) {
				double++
			}
		}
	}
	promised *= filters * questions
	t.Logf("%d filters of %d keys: %d false positives with fresh mixes, %d with double hashing, %.1f promised by the fill",
		filters, keys, fresh, double, promised)
	near(t, "with fresh mixes", int64(fresh), 1, promised, 0)
	if float64(double) < 5*promised {
		t.Errorf("double hashing: %d false positives, %.1f promised", double, promised)
	}
}

func TestClassicLimits(t *testing.T) {
	for _, c := range []struct {
		bits  int64
		k     int
		wantM int64
		wantK int
	}{
		{0, 0, 1, 1}, {-5, -5, 1, 1}, {1, 1, 1, 1}, {64, 64, 64, 64}, {65, 65, 65, 64},
	} {
		f := NewClassic(c.bits, c.k, 1)
		if f.Bits() != c.wantM || f.K() != c.wantK || int64(len(f.words)) != (c.wantM+63)/64 {
			t.Errorf("NewClassic(%d, %d): %d bits, k = %d", c.bits, c.k, f.Bits(), f.K())
		}
		f.Add(3)
		if f.Bits() == 1 && (f.Fill() != 1 || !f.Has(4) || f.ExpectedRate() != 1) {
			t.Errorf("one bit: fill %v", f.Fill())
		}
	}
}

func TestClassicPositions(t *testing.T) {
	f := NewClassic(70, 2, 0)
	if !f.HasPositions() || f.AddPositions() || f.Fill() != 0 {
		t.Error("no positions are no bits")
	}
	if !f.AddPositions(69, 70, 140) || f.AddPositions(0, 139) || f.Fill() != 2.0/70 {
		t.Errorf("positions are taken modulo 70: %v", f)
	}
	if !f.HasPositions(0, 69) || f.HasPositions(0, 1) {
		t.Error("wrong answer")
	}
}

// The same seed gives the same filter everywhere, another one another.
func TestClassicSeeds(t *testing.T) {
	build := func(seed uint64) *Classic {
		f := NewClassic(100, 3, seed)
		for i := range uint64(10) {
			f.Add(splitmix.Finish(i))
		}
		return f
	}
	const golden = "1000000000110001000100000000000100010101000001011000010001010100101000000010000101000000001001000111"
	if got := build(1).String(); got != golden {
		t.Errorf("seed 1 gives %s", got)
	}
	if build(1).String() == build(2).String() {
		t.Error("the seed changes nothing")
	}
}

func TestFiltersAllocateNothing(t *testing.T) {
	list := newWeb(1, 50).urls(1000)
	list = append(list, oddURLs()...)
	c := NewClassic(20_000, MaxHashes, 1)
	p := NewPublishedMultilayer(MaxLayers, 20_000, MaxHashes)
	s := NewSegmentBloom(20_000, 4)
	i := 0
	if n := testing.AllocsPerRun(2000, func() {
		u := list[i%len(list)]
		i++
		h := splitmix.Finish(uint64(i))
		c.Has(h)
		c.Add(h)
		c.AddPositions(h, h+1, h+2)
		c.HasPositions(h, h+1, h+2)
		p.Has(u)
		p.Add(u)
		s.Has(u)
		s.Add(u)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
