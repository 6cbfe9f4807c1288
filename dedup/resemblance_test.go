package dedup

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// Signatures stand in pages.jsonl: they must not change.
func TestPageSignatureIsFixed(t *testing.T) {
	m := mustMinHash(t, PageSignature())
	words := randomWords(rand.New(rand.NewPCG(1, 8)), 5000, 3000)
	for n, want := range map[int]uint64{
		1: 0xe4bd3c18361cb51d, 2: 0xd492e53b7517f625, 3: 0xd0d77c1d768dd654,
		30: 0xe4ab2a8fea97fdb0, 400: 0x49464fd1c0521fb1, 5000: 0x35ec5c30e4a4feca,
	} {
		slots := m.SketchWords(Signature{}, words[:n]).AppendSlots(nil)
		if got := xxhash.Sum64(slots); got != want || len(slots) != 128 {
			t.Errorf("%d words: %#x of %d bytes, want %#x: %s...", n, got, len(slots), want, hex.EncodeToString(slots[:8]))
		}
	}
	if slots := m.SketchWords(Signature{}, nil).AppendSlots(nil); len(slots) > 0 {
		t.Errorf("a page without words has %d bytes", len(slots))
	}
}

// The permutations of the rounds are permutations, and one of them is a single cycle.
func TestDensifierRounds(t *testing.T) {
	for slots := MinSlots; slots <= MaxSlots; slots *= 2 {
		var d densifier
		d.init(slots)
		for round := range d.lenders {
			seen := make([]bool, slots)
			for i, from := range d.lenders[round][:slots] {
				if seen[from] || int(d.borrowers[round][from]) != i {
					t.Fatalf("%d slots, round %d: slot %d borrows from %d", slots, round, i, from)
				}
				seen[from] = true
			}
		}
		at, steps := uint16(0), 0
		for last := d.lenders[densifyRounds-1]; steps == 0 || at != 0; steps++ {
			at = last[at]
		}
		if steps != slots {
			t.Errorf("%d slots: the last round has a cycle of %d", slots, steps)
		}
	}
}

// A round pushed and a round pulled are one: what is filled, against the definition.
func TestDensifyByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, slots := range []int{MinSlots, 256, MaxSlots} {
		var d densifier
		d.init(slots)
		for full := 1; full < slots; full += 1 + full/3 {
			var kept [MaxSlots]uint64
			for _, i := range r.Perm(slots)[:full] {
				kept[i] = r.Uint64() | 1
			}
			want := slices.Clone(kept[:slots])
			for round := 0; slices.Contains(want, noShingle); round++ {
				before := slices.Clone(want)
				for i, from := range d.lenders[round%densifyRounds][:slots] {
					if before[i] == noShingle && before[from] != noShingle {
						want[i] = borrowed(before[from], uint16(i))
					}
				}
			}
			if !d.fill(&kept) || !slices.Equal(kept[:slots], want) {
				t.Fatalf("%d of %d full: filled otherwise", full, slots)
			}
		}
		if d.fill(new([MaxSlots]uint64)) {
			t.Errorf("%d empty slots are said to have something", slots)
		}
	}
}

// The interval of the resemblance holds for 93 to 97 of 100 made pairs over all sizes, and for
// each size and resemblance as nearly as 400 pairs can show.
func TestResemblanceInterval(t *testing.T) {
	const pairs = 2 * nearSeeds
	cfg := PageSignature()
	m := mustMinHash(t, cfg)
	var a, b Signature
	all, held := 0, 0
	for _, size := range []int{20, 60, 150, 400, 1000, 4000} {
		for _, j := range []float64{0.3, 0.5, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95} {
			both := int(math.Round(2 * j / (1 + j) * float64(size)))
			truth := float64(both) / float64(2*size-both)
			within := 0
			for seed := range uint64(pairs) {
				x, y := twoSets(rand.New(rand.NewPCG(seed, uint64(size))), both, size-both)
				a, b = m.Sketch(a, x), m.Sketch(b, y)
				got := cfg.Resemblance(cfg.Agreeing(a.lanes, b.lanes), size)
				if got.Low <= truth && truth <= got.High {
					within++
				}
				if !(0 <= got.Low && got.Low <= got.Estimate && got.Estimate <= got.High && got.High <= 1) {
					t.Fatalf("%+v", got)
				}
			}
			all, held = all+pairs, held+within
			if share := float64(within) / pairs; share < 0.90 {
				t.Errorf("%d shingles, J = %.3f: the interval holds for %.1f %%", size, truth, 100*share)
			}
		}
	}
	share := float64(held) / float64(all)
	t.Logf("intervals hold for %.2f %%", 100*share)
	if share < 0.93 || share > 0.97 {
		t.Errorf("intervals hold for %.2f %%, want 93 to 97", 100*share)
	}
}

func TestSlotsFor(t *testing.T) {
	for _, cfg := range []MinHashConfig{PageSignature(), {}, {Slots: 256, Bits: 4}} {
		cfg = cfg.filled()
		for n := range cfg.Slots + 1 {
			r := cfg.Resemblance(n, 1000)
			if r.Estimate > 0 && cfg.SlotsFor(r.Estimate) != n {
				t.Errorf("%+v: %d slots give %v, which takes %d", cfg, n, r.Estimate, cfg.SlotsFor(r.Estimate))
			}
		}
		if got := cfg.SlotsFor(2); got != cfg.Slots {
			t.Errorf("more than 1 takes %d slots of %d", got, cfg.Slots)
		}
	}
}

// What is no signature is refused; what is one comes back.
func FuzzDecodeSlots(f *testing.F) {
	cfg := PageSignature()
	f.Add([]byte{})
	f.Add(make([]byte, 127))
	f.Add(bytes.Repeat([]byte{0xff}, 128))
	f.Fuzz(func(t *testing.T, data []byte) {
		lanes, err := cfg.DecodeSlots(nil, data)
		if (err == nil) != (len(data) == 128) {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
		if err != nil {
			return
		}
		if back := (Signature{cfg: cfg, lanes: lanes}).AppendSlots(nil); !bytes.Equal(back, data) {
			t.Errorf("%x came back as %x", data, back)
		}
		if n := cfg.Agreeing(lanes, lanes); n != cfg.Slots {
			t.Errorf("it agrees with itself in %d slots", n)
		}
	})
}
