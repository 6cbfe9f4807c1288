package dedup

import (
	"math/rand/v2"
	"testing"

	"crawler/internal/splitmix"
)

func TestSimhashTextIsSimhashOfShingles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	words := make([]uint64, 600)
	for i := range words {
		words[i] = uint64(r.IntN(40)) * splitmix.Golden
	}
	for n := range words {
		if got, want := SimhashText(words[:n]), Simhash(Shingles(nil, words[:n], 0)); got != want {
			t.Fatalf("%d words: %x, by way of the shingles %x", n, got, want)
		}
	}
	if got := testing.AllocsPerRun(10, func() { SimhashText(words); SimhashText(words[:1]) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkSimhashText(b *testing.B) {
	words := make([]uint64, 1000)
	for i := range words {
		words[i] = uint64(i) * splitmix.Golden
	}
	shingles := make([]uint64, 0, len(words))
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			SimhashText(words)
		}
	})
	b.Run("shingles kept", func(b *testing.B) {
		for b.Loop() {
			shingles = Shingles(shingles[:0], words, 0)
			Simhash(shingles)
		}
	})
}
