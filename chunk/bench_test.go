package chunk

import (
	"math/rand/v2"
	"testing"
)

// What the filters cost of a page: one URL, and a thousand words, of which half were in the chunk
// before.
func BenchmarkURLs(b *testing.B) {
	rnd, builder, line, at := rand.New(rand.NewPCG(1, 2)), NewBuilder(URLs, "f", 0), []byte(nil), int64(0)
	for b.Loop() {
		at += 500
		if builder.Add(at, rnd.Uint64()) {
			line, _ = builder.Close(line[:0])
		}
	}
}

func BenchmarkWords(b *testing.B) {
	rnd, builder, line, at := rand.New(rand.NewPCG(1, 2)), NewBuilder(Words, "f", 0), []byte(nil), int64(0)
	often := rand.NewZipf(rnd, 1.15, 8, 200_000)
	pages := make([][]uint64, 64)
	for i := range pages {
		for range 1000 {
			pages[i] = append(pages[i], often.Uint64()*0x9e3779b97f4a7c15)
		}
	}
	for n := 0; b.Loop(); n++ {
		at += 5000
		if builder.Add(at, pages[n%len(pages)]...) {
			line, _ = builder.Close(line[:0])
		}
	}
}
