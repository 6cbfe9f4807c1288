package dedup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"crawler/internal/splitmix"
)

// randomWords returns the hashes of n words of a text over a vocabulary of that
// many words, as skewed as text is.
func randomWords(r *rand.Rand, n, vocabulary int) []uint64 {
	zipf := rand.NewZipf(r, 1.1, 3, uint64(vocabulary-1))
	words := make([]uint64, n)
	for i := range words {
		words[i] = splitmix.Finish(zipf.Uint64() + 1)
	}
	return words
}

// BenchmarkNear measures what a page of 1,000 words costs. The hashes alone are
// given as shingles where the name says so; the words where it does not.
func BenchmarkNear(b *testing.B) {
	words := randomWords(rand.New(rand.NewPCG(1, 1)), 1000, 5000)
	shingles := Shingles(nil, words, 3)
	run := func(name string, op func() uint64) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink += op()
			}
		})
	}
	buf := make([]uint64, 0, 1000)
	run("shingles", func() uint64 { return Shingles(buf, words, 3)[7] })
	run("shingles5", func() uint64 { return Shingles(buf, words, 5)[7] })
	for _, cfg := range []MinHashConfig{{Slots: 128}, {Slots: 256}, {Slots: 512, Bits: 2}, PageSignature()} {
		m, err := NewMinHash(cfg)
		if err != nil {
			b.Fatal(err)
		}
		var s Signature
		run(fmt.Sprintf("minhash/slots=%d", cfg.Slots), func() uint64 {
			s = m.SketchWords(s, words)
			return s.lanes[0]
		})
		run(fmt.Sprintf("minhash-of-shingles/slots=%d", cfg.Slots), func() uint64 {
			s = m.Sketch(s, shingles)
			return s.lanes[0]
		})
		for _, n := range []int{10, 100, 300} {
			run(fmt.Sprintf("minhash-of-%d-words/slots=%d", n, cfg.Slots), func() uint64 {
				s = m.SketchWords(s, words[:n])
				return s.lanes[0]
			})
		}
		o := m.SketchWords(Signature{}, words[500:])
		run(fmt.Sprintf("similarity/slots=%d", cfg.Slots), func() uint64 {
			j, _ := s.Similarity(o)
			return uint64(j * 1000)
		})
	}
	a, c := SortSet(Shingles(nil, words, 3)), SortSet(Shingles(nil, words[100:], 3))
	run("jaccard", func() uint64 { return uint64(Jaccard(a, c) * 1000) })
}

// BenchmarkLSH measures an index of 100,000 documents, no two of them alike.
func BenchmarkLSH(b *testing.B) {
	const n = 100_000
	m, err := NewMinHash(MinHashConfig{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	pages := make([]Signature, 2*n)
	for i := range pages {
		var hashes [400]uint64
		for j := range hashes {
			hashes[j] = splitmix.Finish(uint64(i*1000 + j))
		}
		pages[i] = m.Sketch(Signature{}, hashes[:])
	}
	full, err := NewLSH(LSHConfig{MinHash: m.Config()})
	if err != nil {
		b.Fatal(err)
	}
	for i, s := range pages[:n] {
		if err := full.Add(uint32(i), s); err != nil {
			b.Fatal(err)
		}
	}
	var found []Match
	run := func(name string, op func(i int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				op(i * 7919 % n)
				i++
			}
		})
	}
	run("hit", func(i int) {
		if found, err = full.Similar(found[:0], pages[i], 0.8); err != nil || len(found) != 1 {
			b.Fatal(err, len(found))
		}
	})
	run("miss", func(i int) {
		if found, err = full.Similar(found[:0], pages[n+i], 0.8); err != nil || len(found) > 0 {
			b.Fatal(err, len(found))
		}
	})
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		var l *LSH
		i := 0
		for b.Loop() {
			if i%n == 0 {
				l, _ = NewLSH(full.cfg)
			}
			if err := l.Add(uint32(i), pages[i%n]); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.ReportMetric(float64(full.Bytes())/n, "B/document")
	})
}
