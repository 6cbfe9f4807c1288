package dedup

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGolomb(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 7, 100, 5000} {
		for _, width := range []int{1, 8, 13, 24, 40, 63, 64} {
			var keys []uint64
			for range n {
				keys = append(keys, r.Uint64())
			}
			if n == 7 { // the ends of the range
				keys[0], keys[1], keys[2] = 0, ^uint64(0), ^uint64(0)-1
			}
			g := NewGolomb(keys, width)
			data := must(g.MarshalBinary())
			var again Golomb
			if err := again.UnmarshalBinary(data); err != nil {
				t.Fatalf("%d keys of %d bits: %v", n, width, err)
			}
			if !slices.Equal(g.Values(), again.Values()) || again.Exact() != (width == 64) {
				t.Errorf("%d keys of %d bits came back changed", n, width)
			}
			for _, k := range keys {
				if !again.Has(k) {
					t.Errorf("%d keys of %d bits: one is missing", n, width)
				}
			}
			for cut := range min(len(data), 40) {
				if err := new(Golomb).UnmarshalBinary(data[:cut]); err == nil && cut < len(data) {
					t.Errorf("%d keys of %d bits: the first %d bytes of %d pass", n, width, cut, len(data))
				}
			}
		}
	}
}

// False positives and size are those of the comment, and below a plain filter's of that size.
func TestGolombRate(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(2, 2))
	var keys []uint64
	for range n {
		keys = append(keys, r.Uint64())
	}
	for _, rarity := range []int{4, 8, 12} {
		g := NewGolomb(keys, GolombBits(n, rarity))
		false0, asked := 0, 400_000
		for range asked {
			if g.Has(r.Uint64()) {
				false0++
			}
		}
		rate := float64(false0) / float64(asked)
		each := 8 * float64(len(must(g.MarshalBinary()))) / n
		want := float64(n) / float64(uint64(1)<<GolombBits(n, rarity))
		t.Logf("%.2f bits a key, rate %.2e, a Bloom filter of that size %.2e", each, rate, BestRate(each))
		if rate > 1.2*want+1e-4 || rate > BestRate(each) {
			t.Errorf("rarity %d: rate %.2e, want %.2e", rarity, rate, want)
		}
		if each > float64(rarity)+2.2 {
			t.Errorf("rarity %d: %.2f bits a key", rarity, each)
		}
	}
}

// By hand: 3 of 8 places, 1, 2 and 6. 3 values of 3 bits have gaps of 1 low bit; the gaps, less
// one but for the first, are 1, 0, 3: 0 1, 0 0, 10 1.
func TestGolombGolden(t *testing.T) {
	g := NewGolomb([]uint64{6 << 61, 1 << 61, 2 << 61}, 3)
	if data := must(g.MarshalBinary()); !bytes.Equal(data, []byte{3, 3, 0b01001010}) {
		t.Errorf("%08b", data)
	}
}

func FuzzGolomb(f *testing.F) {
	f.Add([]byte{3, 3, 0b01001010})
	f.Add([]byte{64, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<14)]
		g := &Golomb{values: []uint64{5}, bits: 9}
		var err error
		if n := allocated(func() { err = g.UnmarshalBinary(data) }); n > uint64(1<<12+64*len(data)) {
			t.Fatalf("%d bytes allocated for a form of %d", n, len(data))
		}
		if err != nil {
			if g.bits != 9 || len(g.values) != 1 {
				t.Fatal("an error changed the receiver")
			}
			return
		}
		if !slices.IsSorted(g.values) || len(slices.Compact(slices.Clone(g.values))) != len(g.values) {
			t.Fatal("values that do not ascend")
		}
		var again Golomb
		if err := again.UnmarshalBinary(must(g.MarshalBinary())); err != nil || !slices.Equal(again.values, g.values) {
			t.Fatalf("%v comes back as %v, %v", g.values, again.values, err)
		}
	})
}
