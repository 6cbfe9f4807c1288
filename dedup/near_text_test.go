package dedup

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShinglesByDefinition(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(1, 1)), 90, 50)
	for size := 1; size <= MaxShingle; size++ {
		for n := range len(words) {
			var want []uint64
			for i := 0; i < n && (i+size <= n || i == 0); i++ {
				h := uint64(0)
				for _, w := range words[i:min(i+size, n)] {
					h = h*polynomial + w
				}
				want = append(want, h)
			}
			got := Shingles([]uint64{7}, words[:n], size)
			if got[0] != 7 || !slices.Equal(got[1:], want) {
				t.Fatalf("%d words, shingles of %d: %d hashes, want %d", n, size, len(got)-1, len(want))
			}
		}
	}
	for given, used := range map[int]int{0: DefaultShingle, -1: 1, 1000: MaxShingle} {
		if !slices.Equal(Shingles(nil, words, given), Shingles(nil, words, used)) {
			t.Errorf("a size of %d is not taken for %d", given, used)
		}
	}
}

// Different runs of words must have different hashes, those of the same words
// in another order above all.
func TestShinglesAreTold(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(2, 1)), 12, 1<<30)
	seen := map[uint64][3]int{}
	for i, x := range words {
		for j, y := range words {
			for k, z := range words {
				h := Shingles(nil, []uint64{x, y, z}, 3)[0]
				if was, ok := seen[h]; ok {
					t.Fatalf("shingles %v and %v are one", was, [3]int{i, j, k})
				}
				seen[h] = [3]int{i, j, k}
			}
		}
	}
}

func TestJaccardByDefinition(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		var lists [2][]uint64
		in := map[uint64]int{}
		for i := range lists {
			for range r.IntN(60) {
				h := r.Uint64N(40)
				lists[i] = append(lists[i], h)
				in[h] |= 1 << i
			}
			lists[i] = SortSet(lists[i])
		}
		want, both := 1.0, 0
		for _, where := range in {
			both += where / 3
		}
		if len(in) > 0 {
			want = float64(both) / float64(len(in))
		}
		if got := Jaccard(lists[0], lists[1]); got != want {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
