package dedup

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"crawler/internal/splitmix"
)

// near fails unless count is within five standard deviations and the given
// relative tolerance of what n trials of probability p give.
func near(t *testing.T, what string, count int64, n int, p, tolerance float64) {
	t.Helper()
	want := float64(n) * p
	if off := math.Abs(float64(count) - want); off > tolerance*want+5*math.Sqrt(want)+1 {
		t.Errorf("%s: %d of %d, want about %.1f", what, count, n, want)
	}
}

// atMost fails if count is above what n trials of probability p give, within
// five standard deviations.
func atMost(t *testing.T, what string, count int64, n int, p float64) {
	t.Helper()
	want := float64(n) * p
	if float64(count) > want+5*math.Sqrt(want)+1 {
		t.Errorf("%s: %d of %d, want at most about %.1f", what, count, n, want)
	}
}

func TestBloomForgetsNothing(t *testing.T) {
	const keys = 20_000
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := sizeOf(keys*int64(1+r.IntN(30)), 1+int(seed%2))
		b := NewBloom(size, seed)
		start := r.Uint64()
		for i := range uint64(keys) {
			b.Add(splitmix.Finish(start + i))
		}
		for i := range uint64(keys) {
			if !b.Has(splitmix.Finish(start + i)) {
				t.Fatalf("seed %d, %+v: key %d lost", seed, size, i)
			}
		}
	}
}

func TestBloomAddTellsWhatHasWould(t *testing.T) {
	for _, lines := range []int{1, 2} {
		b := NewBloom(sizeOf(50_000, lines), 3)
		changed := 0
		for i := range uint64(20_000) {
			h := splitmix.Finish(i)
			had := b.Has(h)
			if b.Add(h) == had {
				t.Fatalf("%d lines, key %d: Has said %v and Add agreed not", lines, i, had)
			}
			if !had {
				changed++
			}
			if b.Add(h) {
				t.Fatalf("%d lines, key %d: added twice", lines, i)
			}
		}
		if changed == 20_000 || changed == 0 {
			t.Errorf("%d lines: no false positive among %d in a crowded filter", lines, changed)
		}
		ones := int64(0)
		for _, l := range b.lines {
			for _, w := range l {
				ones += int64(bits.OnesCount64(w))
			}
		}
		if got := b.Fill() * float64(b.Bits()); math.Abs(got-float64(ones)) > 0.5 {
			t.Errorf("%d lines: Fill says %.1f ones, there are %d", lines, got, ones)
		}
	}
}

// The formula, the rate computed from the fill, and what is measured agree.
func TestBloomRate(t *testing.T) {
	const keys, questions = 100_000, 500_000
	for _, perKey := range []int64{2, 10, 16, 24} {
		for _, lines := range []int{1, 2} {
			t.Run(fmt.Sprintf("%dbits/%dlines", perKey, lines), func(t *testing.T) {
				size := sizeOf(keys*perKey, lines)
				b := NewBloom(size, 7)
				for i := range uint64(keys) {
					b.Add(splitmix.Finish(i))
				}
				wrong := int64(0)
				for i := range uint64(questions) {
					if b.Has(splitmix.Finish(1<<40 + i)) {
						wrong++
					}
				}
				near(t, "false positives by the formula", wrong, questions, size.Rate(keys), 0.05)
				near(t, "false positives by the fill", wrong, questions, b.ExpectedRate(), 0.05)
			})
		}
	}
}

func TestExpectedRateOfASample(t *testing.T) {
	const lines = 2*sampledLines + 3
	for _, perKey := range []int{1, 2} {
		b := NewBloom(sizeOf(lines*lineBits, perKey), 1)
		for i := range uint64(lines * 8) {
			b.Add(splitmix.Finish(i))
		}
		want := b.size().Rate(lines * 8)
		if got := b.ExpectedRate(); math.Abs(got/want-1) > 0.05 {
			t.Errorf("%d lines a key: sampled %g, formula %g", perKey, got, want)
		}
	}
}

func (b *Bloom) size() Size {
	return Size{Bits: b.Bits(), Lines: 1 + int(min(b.reach, 1))}
}

func TestBloomIsAligned(t *testing.T) {
	for n := range int64(80) {
		b := NewBloom(Size{Bits: n * lineBits}, 0)
		if at := uintptr(unsafe.Pointer(&b.lines[0])); at%64 != 0 {
			t.Errorf("%d lines lie at %#x", n, at)
		}
		if want := max(n, 1); b.Bits() != want*lineBits || int64(len(b.lines)) != want {
			t.Errorf("%d lines: %d bits in %d", n, b.Bits(), len(b.lines))
		}
	}
}

// Ascending hashes must touch memory in ascending order, whatever the seed: a
// rebuild from the sorted log depends on it.
func TestBloomWritesInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := NewBloom(sizeOf(r.Int64N(1<<24), 2), r.Uint64())
		last := uint64(0)
		for h := uint64(0); h < 1<<64-1<<52; h += r.Uint64N(1 << 52) {
			i := b.first(h)
			if i < last || i >= uint64(len(b.lines)) {
				t.Fatalf("hash %#x is in line %d of %d, behind %d", h, i, len(b.lines), last)
			}
			last = i
			j := b.second(i, fold(h^b.seed, mulFirst))
			if gap := (j + uint64(len(b.lines)) - i) % uint64(len(b.lines)); gap < 1 || gap > maxReach {
				t.Fatalf("second line %d, %d behind the first", j, gap)
			}
		}
	}
}

// SKETCHES, later findings: the errors of two epochs coincide only 2.1 times as
// often as those of independent filters would (the crowded lines stay crowded).
func TestEpochsErrOnDifferentKeys(t *testing.T) {
	const keys, questions = 100_000, 2_000_000
	size := Size{Bits: keys * 10, Lines: 1}
	one, two := NewBloom(size, 1), NewBloom(size, 2)
	for i := range uint64(keys) {
		one.Add(splitmix.Finish(i))
		two.Add(splitmix.Finish(i))
	}
	wrong, both := int64(0), int64(0)
	for i := range uint64(questions) {
		h := splitmix.Finish(1<<40 + i)
		if one.Has(h) {
			wrong++
			if two.Has(h) {
				both++
			}
		}
	}
	rate := float64(wrong) / questions
	ratio := float64(both) / (questions * rate * rate)
	if ratio < 1.2 || ratio > 3 {
		t.Errorf("%d wrong, %d in both epochs: %.2f times as many as by chance", wrong, both, ratio)
	}
}

// AddAll and HasAll are Add and Has for each key in turn, however many there
// are, whether they stand in one group twice, and with one line and two.
func TestBloomInBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for n := range 5 * groupKeys {
		for _, lines := range []int{1, 2} {
			size := sizeOf(lineBits+r.Int64N(20_000), lines)
			each, all := NewBloom(size, 1), NewBloom(size, 1)
			for range 8 {
				hashes := make([]uint64, n)
				for i := range hashes {
					hashes[i] = splitmix.Finish(r.Uint64N(500))
				}
				found := make([]bool, n+1)
				all.HasAll(hashes, found)
				changed := 0
				for i, h := range hashes {
					if each.Has(h) != found[i] {
						t.Fatalf("%d lines, key %d of %d: HasAll says %v", lines, i, n, found[i])
					}
				}
				for _, h := range hashes {
					if each.Add(h) {
						changed++
					}
				}
				if got := all.AddAll(hashes); got != changed {
					t.Fatalf("%d lines: AddAll of %d keys changed the filter %d times, Add %d", lines, n, got, changed)
				}
			}
			if !slices.Equal(each.lines, all.lines) || each.ones() != all.ones() {
				t.Fatalf("%d lines, %d keys: AddAll made another filter than Add", lines, n)
			}
		}
	}
}

func TestBloomHasAllWantsRoom(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewBloom(sizeOf(1000, 1), 1).HasAll(make([]uint64, 3), make([]bool, 2))
}

func TestBloomAllocatesNothing(t *testing.T) {
	hashes, found := make([]uint64, 100), make([]bool, 100)
	for i := range hashes {
		hashes[i] = splitmix.Finish(uint64(i))
	}
	for _, lines := range []int{1, 2} {
		b := NewBloom(sizeOf(5000, lines), 1)
		if n := testing.AllocsPerRun(10, func() {
			b.Add(hashes[0])
			b.Has(hashes[1])
			b.AddAll(hashes)
			b.HasAll(hashes, found)
		}); n != 0 {
			t.Errorf("%d lines: %v allocations", lines, n)
		}
	}
}

func TestBloomClear(t *testing.T) {
	b := NewBloom(sizeOf(5000, 2), 1)
	b.Add(splitmix.Finish(1))
	b.Clear()
	if b.Fill() != 0 || b.Has(splitmix.Finish(1)) || !b.Add(splitmix.Finish(1)) {
		t.Error("keys are left")
	}
}

func TestBloomReset(t *testing.T) {
	size := Size{Bits: 1 << 20, Lines: 1}
	b := NewBloom(size, 1)
	b.Add(splitmix.Finish(1))
	before := &b.lines[0]
	b.reset(size, 2)
	if b.Fill() != 0 || b.Has(splitmix.Finish(1)) || &b.lines[0] != before {
		t.Error("reset to the same size must empty the filter and keep its memory")
	}
	b.reset(Size{Bits: 1 << 21, Lines: 2}, 3)
	if b.Bits() != 1<<21 || b.reach == 0 {
		t.Errorf("reset to another size: %d bits, reach %d", b.Bits(), b.reach)
	}
}
