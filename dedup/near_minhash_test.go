package dedup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nearSeeds is over how many permutations estimators are averaged.
const nearSeeds = 200

// mustMinHash returns a MinHash of a configuration that is right.
func mustMinHash(t testing.TB, cfg MinHashConfig) *MinHash {
	t.Helper()
	m, err := NewMinHash(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// twoSets returns sets of hashes with the given number in both, and in each
// alone.
func twoSets(r *rand.Rand, both, alone int) (a, b []uint64) {
	for range both {
		h := r.Uint64()
		a, b = append(a, h), append(b, h)
	}
	for range alone {
		a, b = append(a, r.Uint64()), append(b, r.Uint64())
	}
	return a, b
}

// minHashErrors estimates the resemblance of two sets under many permutations and
// returns the mean error and the mean square error in units of the squared
// standard error that is stated.
func minHashErrors(t *testing.T, cfg MinHashConfig, both, alone int, seeds uint64) (mean, ratio float64) {
	t.Helper()
	truth := float64(both) / float64(both+2*alone)
	var sum, squares float64
	var sigs [2]Signature
	for seed := range seeds {
		cfg.Seed = seed
		m := mustMinHash(t, cfg)
		a, b := twoSets(rand.New(rand.NewPCG(seed, uint64(both))), both, alone)
		sigs[0], sigs[1] = m.Sketch(sigs[0], a), m.Sketch(sigs[1], b)
		j, err := sigs[0].Similarity(sigs[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += j - truth
		squares += (j - truth) * (j - truth)
		cfg = m.Config()
	}
	e := cfg.StandardError(truth)
	if e == 0 {
		if squares > 0 {
			t.Errorf("%+v: equal sets have not 1", cfg)
		}
		return 0, 0
	}
	n := float64(seeds)
	return sum / n, squares / n / (e * e)
}

// The estimate against the truth, for sets of 1 to 2,000 shingles that have
// from nothing to all in common. It must be unbiased; its mean square error, in
// units of the stated one, is 1 at most for many shingles and 2 for few, with
// what 200 permutations leave to chance.
func TestMinHashAgainstTruth(t *testing.T) {
	for _, cfg := range []MinHashConfig{{}, {Slots: 256}, {Slots: 64, Bits: 1}} {
		cfg, err := cfg.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 5, 20, 100, 400, 2000} {
			if cfg.Bits == 1 && size > 100 {
				continue // says nothing that 8 bits do not, and takes its time
			}
			ratio, n := checkBias(t, cfg, size)
			limit := 1.0
			if size < max(cfg.Slots, DefaultSlots) {
				limit = 2
			}
			// A mean square over 200 trials is off by 1/10, over ten of them by 0.03.
			if ratio > limit*(1+5*math.Sqrt(2/(nearSeeds*n))) {
				t.Errorf("%+v, %d shingles: mean square error %.2f of the stated, limit %.1f", cfg, size, ratio, limit)
			}
			if size == 2000 && ratio < 0.8 {
				t.Errorf("%+v: the stated error is too large: %.2f", cfg, ratio)
			}
		}
	}
}

// checkBias fails where the mean estimate is off, for J from 0 to 1, and returns
// the mean square error in units of the stated one, over n resemblances.
func checkBias(t *testing.T, cfg MinHashConfig, size int) (ratio, n float64) {
	t.Helper()
	var row string
	for tenth := 0; tenth <= 10; tenth++ {
		both := tenth * size / 10
		alone := (size - both + 1) / 2
		truth := float64(both) / float64(both+2*alone)
		mean, square := minHashErrors(t, cfg, both, alone, nearSeeds)
		row += fmt.Sprintf(" %6.3f", mean)
		if limit := 5 * cfg.StandardError(truth) * math.Sqrt(2.0/nearSeeds); math.Abs(mean) > limit {
			t.Errorf("%+v, %d shingles, J = %.2f: bias %.4f, limit %.4f", cfg, size, truth, mean, limit)
		}
		if square > 0 {
			ratio += square
			n++
		}
	}
	ratio /= max(n, 1)
	t.Logf("%d slots of %d bits, %4d shingles: bias%s, mean square error %.2f of the stated",
		cfg.Slots, cfg.Bits, size, row, ratio)
	return ratio, max(n, 1)
}

func TestStandardError(t *testing.T) {
	for _, c := range []struct {
		cfg  MinHashConfig
		j    float64
		want float64
	}{
		{MinHashConfig{Slots: 128, Bits: 8}, 0.5, 0.0444},
		{MinHashConfig{Slots: 256, Bits: 8}, 0.5, 0.0314},
		{MinHashConfig{Slots: 256, Bits: 8}, 0.8, 0.0251},
		{MinHashConfig{Slots: 256, Bits: 1}, 0, 0.0625},
		{MinHashConfig{Slots: 256, Bits: 16}, 1, 0},
	} {
		if got := c.cfg.StandardError(c.j); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%+v at %.1f: %.4f, want %.4f", c.cfg, c.j, got, c.want)
		}
	}
}

// What is made of words on the fly equals what is made of their shingles.
func TestSketchWordsEqualsSketch(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(1, 4)), 1000, 3000)
	for _, size := range []int{1, 2, 3, 4, 9, MaxShingle} {
		for _, bits := range []int{1, 8, 16} {
			m := mustMinHash(t, MinHashConfig{Shingle: size, Bits: bits, Seed: 3})
			var fused, plain Signature
			for _, n := range []int{1000, 0, 1, 2, 3, 4, 63, 64, 65, 255, 256, 257, 258, 319, 320, 512, 513} {
				fused = m.SketchWords(fused, words[:n])
				plain = m.Sketch(plain, Shingles(nil, words[:n], size))
				if fused.empty != plain.empty || !slices.Equal(fused.lanes, plain.lanes) || fused.cfg != m.cfg {
					t.Fatalf("%d words, shingles of %d, %d bits: the signatures differ", n, size, bits)
				}
				if fused.Empty() != (n == 0) {
					t.Errorf("%d words: empty is %v", n, fused.Empty())
				}
			}
		}
	}
}

// Repetition and order of the hashes do not matter, the seed does.
func TestSketchIsOfASet(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for _, n := range []int{1, 10, 100, 1000} {
		a, _ := twoSets(r, n, 0)
		m := mustMinHash(t, MinHashConfig{})
		one := m.Sketch(Signature{}, a)
		a = append(a, a...)
		r.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
		if two := m.Sketch(Signature{}, a); !slices.Equal(one.lanes, two.lanes) {
			t.Errorf("%d hashes: shuffled twice they have another signature", n)
		}
		other := mustMinHash(t, MinHashConfig{Seed: 1}).Sketch(Signature{}, a)
		if agreeing(one.lanes, other.lanes, 8) > 10 {
			t.Errorf("%d hashes: seeds 0 and 1 give about the same signature", n)
		}
	}
}

func TestAgreeingByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for width := 1; width <= MaxBits; width *= 2 {
		for range 200 {
			a, b := make([]uint64, 4), make([]uint64, 4)
			want := 0
			for i := range 256 / width {
				x := r.Uint64() & (1<<width - 1)
				y := x ^ (1<<r.IntN(width))*r.Uint64N(2) // equal, or one bit off
				a[i*width/64] |= x << (i * width % 64)
				b[i*width/64] |= y << (i * width % 64)
				if x == y {
					want++
				}
			}
			if got := agreeing(a, b, width); got != want {
				t.Fatalf("%d bits: %d agree, want %d", width, got, want)
			}
		}
	}
}

// The low bits of a signature lane must be those of its slot's value.
func TestPackByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for width := 1; width <= MaxBits; width *= 2 {
		values := make([]uint64, 128)
		for i := range values {
			values[i] = r.Uint64()
		}
		s := Signature{cfg: MinHashConfig{Slots: 128, Bits: width}}
		s.pack(values)
		for i, v := range values {
			if got, want := bitsAt(s.lanes, i*width, width), v>>slotBits&(1<<width-1); got != want {
				t.Fatalf("%d bits, slot %d: %#x, want %#x", width, i, got, want)
			}
		}
	}
}

func TestSimilarityOfUnlike(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(6, 4)), 100, 3000)
	s := mustMinHash(t, MinHashConfig{}).SketchWords(Signature{}, words)
	for _, cfg := range []MinHashConfig{{Slots: 256}, {Bits: 16}, {Shingle: 2}, {Seed: 1}} {
		o := mustMinHash(t, cfg).SketchWords(Signature{}, words)
		if _, err := s.Similarity(o); !errors.Is(err, ErrMismatch) {
			t.Errorf("%+v compares with the default: %v", cfg, err)
		}
	}
	if _, err := (Signature{}).Similarity(Signature{}); !errors.Is(err, ErrMismatch) {
		t.Errorf("signatures of nothing compare: %v", err)
	}
	empty := mustMinHash(t, MinHashConfig{}).SketchWords(Signature{}, nil)
	if j, err := empty.Similarity(empty); j != 1 || err != nil {
		t.Errorf("two pages without words: %v, %v", j, err)
	}
	if j, err := empty.Similarity(s); j != 0 || err != nil {
		t.Errorf("one page without words: %v, %v", j, err)
	}
}

func TestMinHashConfig(t *testing.T) {
	for _, cfg := range []MinHashConfig{
		{Slots: 32}, {Slots: 100}, {Slots: 2048}, {Slots: -1}, {Bits: 3}, {Bits: 32}, {Bits: -1}, {Shingle: -1}, {Shingle: 65},
	} {
		if _, err := NewMinHash(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
	want := MinHashConfig{Slots: DefaultSlots, Bits: DefaultBits, Shingle: DefaultShingle, Seed: 5}
	if got := mustMinHash(t, MinHashConfig{Seed: 5}).Config(); got != want {
		t.Errorf("defaults are %+v", got)
	}
}

func TestNearAllocatesNothing(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(7, 4)), 1000, 3000)
	m := mustMinHash(t, MinHashConfig{})
	s := m.SketchWords(Signature{}, words)
	index, err := NewLSH(LSHConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Add(1, s); err != nil {
		t.Fatal(err)
	}
	buf, ids, found := make([]uint64, 0, 1000), make([]uint32, 0, 8), make([]Match, 0, 8)
	for name, op := range map[string]func(){
		"Shingles":    func() { Shingles(buf, words, 3) },
		"SketchWords": func() { s = m.SketchWords(s, words) },
		"Sketch":      func() { s = m.Sketch(s, words[:9]) },
		"Similarity":  func() { _, err = s.Similarity(s) },
		"Candidates":  func() { ids, err = index.Candidates(ids[:0], s) },
		"Similar":     func() { found, err = index.Similar(found[:0], s, 0.8) },
	} {
		if n := testing.AllocsPerRun(10, op); n > 0 || err != nil {
			t.Errorf("%s allocates %v times, %v", name, n, err)
		}
	}
}
