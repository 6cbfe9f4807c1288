package dedup

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: of 12 bits neighbours fall on each other, so positions 2, 3 and 11 become 1 and 5.
func TestFoldByHand(t *testing.T) {
	f := NewClassic(12, 1, 0)
	f.AddPositions(2, 3, 11)
	if f.String() != "001100000001" {
		t.Fatal(f)
	}
	if err := f.Fold(); err != nil || f.String() != "010001" || f.Fill() != 2.0/6 {
		t.Errorf("%v, fill %v, %v", f, f.Fill(), err)
	}
	if err := f.Fold(); err != nil || f.String() != "101" {
		t.Errorf("%v, %v", f, err)
	}
	if err := f.Fold(); !errors.Is(err, ErrMismatch) || f.String() != "101" {
		t.Errorf("three bits fold to %v, %v", f, err)
	}
}

// A folded filter is the one that would have been made half as large, whatever its size.
func TestFoldIsTheSmallerFilter(t *testing.T) {
	for _, bits := range []int64{2, 130, 1 << 10, 999_998} {
		for seed := range uint64(3) {
			folded, small := NewClassic(bits, 5, seed), NewClassic(bits/2, 5, seed)
			for key := range uint64(300) {
				folded.Add(key * key)
				small.Add(key * key)
			}
			if err := folded.Fold(); err != nil || folded.String() != small.String() || folded.Fill() != small.Fill() {
				t.Errorf("%d bits: they differ, %v", bits, err)
			}
		}
	}
}

// By hand: the upper half of the hash chooses the line, so of four lines 0 and 1, and 2 and 3,
// fall on each other.
func TestFoldBloomByHand(t *testing.T) {
	f := NewBloom(Size{Bits: 4 * lineBits, Lines: 1}, 7)
	for i := range uint64(4) {
		f.lines[i] = line{1 << i}
	}
	if err := f.Fold(); err != nil || f.Bits() != 2*lineBits || f.lines[0] != (line{3}) || f.lines[1] != (line{12}) {
		t.Fatalf("%v, %v", f.lines, err)
	}
	if err := f.Fold(); err != nil || f.Bits() != lineBits || f.lines[0] != (line{15}) {
		t.Fatalf("%v, %v", f.lines, err)
	}
	if err := f.Fold(); !errors.Is(err, ErrMismatch) || f.lines[0] != (line{15}) {
		t.Errorf("one line folds to %v, %v", f.lines, err)
	}
	for _, odd := range []*Bloom{NewBloom(Size{Bits: 3 * lineBits, Lines: 1}, 7), NewBloom(Size{Bits: 4 * lineBits, Lines: 2}, 7), {}} {
		if err := odd.Fold(); !errors.Is(err, ErrMismatch) || odd.Shrink(1) != 0 {
			t.Errorf("%d lines, reach %d: %v", len(odd.lines), odd.reach, err)
		}
	}
}

// A folded block filter is, to the byte, the one that would have been built half as large, or an
// eighth, whatever the seed, the size and the number of keys.
func TestFoldedBloomIsTheOneBuiltSmall(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		small := int64(1 + rnd.IntN(40))
		folds := 1 + rnd.IntN(4)
		folded := NewBloom(Size{Bits: small << folds * lineBits, Lines: 1}, seed)
		built := NewBloom(Size{Bits: small * lineBits, Lines: 1}, seed)
		for range rnd.IntN(3000) {
			h := rnd.Uint64()
			folded.Add(h)
			built.Add(h)
		}
		for range folds {
			if err := folded.Fold(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		got, err1 := folded.MarshalBinary()
		want, err2 := built.MarshalBinary()
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %d lines folded %d times differ from those built small, %v", seed, small<<folds, folds, err)
		}
	}
}

// Whatever number of keys comes, a filter made for 64 times as many keeps every key, keeps the
// stated rate, measured on absent keys, and would not keep it at half the size.
func TestShrinkKeepsTheRate(t *testing.T) {
	const rate = 0.01
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		keys := 50 + rnd.IntN(5000)
		f := NewBloom(Size{Bits: 2048 * lineBits, Lines: 1}, seed)
		var in []uint64
		for range keys {
			in = append(in, rnd.Uint64())
			f.Add(in[len(in)-1])
		}
		times := f.Shrink(rate)
		if f.Bits() != 2048*lineBits>>times || f.ExpectedRate() > rate {
			t.Fatalf("seed %d: %d bits after %d folds, rate %v", seed, f.Bits(), times, f.ExpectedRate())
		}
		for _, h := range in {
			if !f.Has(h) {
				t.Fatalf("seed %d: a key is lost", seed)
			}
		}
		wrong, asked := 0, 40_000
		for range asked {
			if f.Has(rnd.Uint64()) {
				wrong++
			}
		}
		expected := f.ExpectedRate() * float64(asked)
		if math.Abs(float64(wrong)-expected) > 5*math.Sqrt(expected)+5 {
			t.Errorf("seed %d: %d of %d wrong, %.0f expected", seed, wrong, asked, expected)
		}
		if err := f.Fold(); err == nil && f.ExpectedRate() <= rate {
			t.Errorf("seed %d: it could have been folded once more", seed)
		}
	}
}
