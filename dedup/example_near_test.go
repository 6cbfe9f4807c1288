package dedup_test

import (
	"fmt"
	"strings"

	"crawler/dedup"

	"github.com/cespare/xxhash/v2"
)

// words returns what package parse would in Page.Words for plain ASCII text.
func words(text string) (hashes []uint64) {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		hashes = append(hashes, xxhash.Sum64String(w))
	}
	return hashes
}

const (
	fox  = "The quick brown fox jumps over the lazy dog while the sun goes down behind the hills and the owls wake up"
	cat  = "The quick brown fox jumps over the lazy cat while the sun goes down behind the hills and the owls wake up"
	poem = "Tyger Tyger burning bright in the forests of the night what immortal hand or eye could frame thy fearful symmetry"
)

func ExampleJaccard() {
	a := dedup.SortSet(dedup.Shingles(nil, words(fox), 3))
	b := dedup.SortSet(dedup.Shingles(nil, words(cat), 3))
	fmt.Printf("%d and %d shingles, resemblance %.2f\n", len(a), len(b), dedup.Jaccard(a, b))
	// Output:
	// 20 and 20 shingles, resemblance 0.74
}

// Signatures of 256 bytes give the resemblance to about 0.03.
func ExampleMinHash() {
	m, err := dedup.NewMinHash(dedup.MinHashConfig{Slots: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b, c := m.SketchWords(dedup.Signature{}, words(fox)), m.SketchWords(dedup.Signature{}, words(cat)),
		m.SketchWords(dedup.Signature{}, words(poem))
	near, _ := a.Similarity(b)
	far, _ := a.Similarity(c)
	fmt.Println(near > 0.6 && near < 0.85, far > -0.1 && far < 0.1)
	// Output:
	// true true
}

// An LSH finds what is similar without comparing with everything.
func ExampleLSH() {
	index, err := dedup.NewLSH(dedup.LSHConfig{Bands: 32, Rows: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := dedup.NewMinHash(index.Config().MinHash)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, text := range []string{fox, poem} {
		if err := index.Add(uint32(id), m.SketchWords(dedup.Signature{}, words(text))); err != nil {
			fmt.Println(err)
			return
		}
	}
	ids, err := index.Candidates(nil, m.SketchWords(dedup.Signature{}, words(cat)))
	fmt.Println(ids, err)
	// Output:
	// [0] <nil>
}

// What a crawl keeps of a page is 128 bytes; in how many slots two agree gives the resemblance.
func ExamplePageSignature() {
	cfg := dedup.PageSignature()
	m, err := dedup.NewMinHash(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	one, other := m.SketchWords(dedup.Signature{}, words(fox)), m.SketchWords(dedup.Signature{}, words(cat))
	kept := one.AppendSlots(nil)
	a, err := cfg.DecodeSlots(nil, kept)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := cfg.DecodeSlots(nil, other.AppendSlots(nil))
	r := cfg.Resemblance(cfg.Agreeing(a, b), 20)
	fmt.Printf("%d bytes, %.2f, from %.2f to %.2f\n", len(kept), r.Estimate, r.Low, r.High)
	// Output:
	// 128 bytes, 0.74, from 0.69 to 0.79
}

// How probable it is that pages of some resemblance are compared.
func ExampleCandidateRate() {
	bands, rows := dedup.BandsFor(dedup.MinHashConfig{Slots: 128, Bits: 8}, 0.8, 0.98)
	fmt.Println(bands, "bands of", rows)
	for _, j := range []float64{0.3, 0.5, 0.7, 0.8, 0.9} {
		fmt.Printf("%.1f: %.3f\n", j, dedup.CandidateRate(j, bands, rows))
	}
	// Output:
	// 18 bands of 7
	// 0.3: 0.004
	// 0.5: 0.132
	// 0.7: 0.787
	// 0.8: 0.986
	// 0.9: 1.000
}
