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

// A crawl asks of every page whether its text was seen before. With Shingles,
// near-duplicates are certain; here the texts are kept, so they can be asked.
func ExampleDuplicates() {
	texts := []string{fox, poem, strings.ToUpper(fox), cat}
	seen, err := dedup.NewDuplicates(dedup.DuplicatesConfig{
		Threshold: 0.7,
		Shingles: func(id uint32) []uint64 {
			return dedup.SortSet(dedup.Shingles(nil, words(texts[id]), 0))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, text := range texts {
		found, err := seen.Add(uint32(id), words(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d: %v", id, found.Verdict)
		if found.Verdict != dedup.NewText {
			fmt.Printf(", of %d, similarity %.2f", found.Of, found.Similarity)
		}
		fmt.Println()
	}
	// Output:
	// 0: new
	// 1: new
	// 2: same, of 0, similarity 1.00
	// 3: near, of 0, similarity 0.74
}

// Spaces, case and punctuation are not part of a text; the order of words is.
func ExampleDigest() {
	fmt.Println(dedup.Digest(words("Hello world")) == dedup.Digest(words("  hello   WORLD ")))
	fmt.Println(dedup.Digest(words("Hello world")) == dedup.Digest(words("world hello")))
	// Output:
	// true
	// false
}

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

// A signature goes into a file and comes back.
func ExampleSignature_MarshalBinary() {
	m, err := dedup.NewMinHash(dedup.MinHashConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := m.SketchWords(dedup.Signature{}, words(fox))
	data, err := s.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var back dedup.Signature
	if err := back.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(data), "bytes")
	fmt.Println(back.Similarity(s))
	// Output:
	// 167 bytes
	// 1 <nil>
}

// A few words more hardly move a Simhash.
func ExampleSimhash() {
	text := words(strings.Repeat(fox+" "+poem+" ", 5))
	edited := append(words("Once upon a time"), text...)
	var index dedup.HammingIndex
	if err := index.Add(1, dedup.Simhash(text)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dedup.HammingDistance(dedup.Simhash(text), dedup.Simhash(words(poem))) > 10)
	fmt.Println(index.Find(nil, dedup.Simhash(edited), dedup.MaxHamming))
	// Output:
	// true
	// [1]
}

// A HammingIndex finds all fingerprints within three bits.
func ExampleHammingIndex() {
	var index dedup.HammingIndex
	for id, hash := range []uint64{0xffff0000ffff0000, 0xffff0000ffff0007, 0xffff0000ffff000f} {
		if err := index.Add(uint32(id), hash); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(index.Find(nil, 0xffff0000ffff0000, 3))
	fmt.Println(index.Find(nil, 0xffff0000ffff0007, 0))
	// Output:
	// [0 1]
	// [1]
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
