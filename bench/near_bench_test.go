package bench

import (
	"math/bits"
	"slices"
	"testing"

	"crawler/dedup"
	"github.com/mfonda/simhash"
)

// nearPage is how many words a page has here, and nearTimes how often it is
// sketched at a time.
const nearPage, nearTimes = 1000, 200

// hashed is a feature whose hash is known.
type hashed uint64

func (h hashed) Sum() uint64 { return uint64(h) }
func (hashed) Weight() int   { return 1 }

// nearEntries returns what makes signatures of pages of 1,000 words, ours
// first: a key is a page. All are of the same shingles of three words.
func nearEntries(x *text) []*entry {
	n := min(nearPage, len(x.words))
	words, hashes := x.words[:n], x.hashes[:n]
	shingles := dedup.Shingles(nil, hashes, 3)
	features := make([]simhash.Feature, len(shingles))
	for i, h := range shingles {
		features[i] = hashed(h)
	}
	page := func(name string, run func()) *entry {
		return &entry{name: name, n: nearTimes, tries: tries, run: func() {
			for range nearTimes {
				run()
			}
		}}
	}
	m, crawls := must(dedup.NewMinHash(dedup.MinHashConfig{Seed: 1})), must(dedup.NewMinHash(dedup.PageSignature()))
	s, kept := m.SketchWords(dedup.Signature{}, hashes), crawls.SketchWords(dedup.Signature{}, hashes)
	return []*entry{
		page("dedup.MinHash, 1024 x 1, of words", func() { kept = crawls.SketchWords(kept, hashes) }),
		page("dedup.MinHash, 128 x 8, of words", func() { s = m.SketchWords(s, hashes) }),
		page("mfonda/simhash, of shingles", func() {
			sink += simhash.Fingerprint(simhash.Vectorize(features))
		}),
		page("mfonda/simhash, of bytes", func() {
			sink += simhash.SimhashBytes(simhash.Shingle(3, words))
		}),
	}
}

// sink keeps the compiler from dropping what is computed.
var sink uint64

// Both must tell a page with one word changed from another page, or the race is not one.
func TestSignaturesAreComparable(t *testing.T) {
	crawls := must(dedup.NewMinHash(dedup.PageSignature()))
	for name, distance := range map[string]func(a, b []uint64) int{
		"dedup": func(a, b []uint64) int {
			j := must(crawls.Sketch(dedup.Signature{}, a).Similarity(crawls.Sketch(dedup.Signature{}, b)))
			return int(64 * (1 - j))
		},
		"mfonda": func(a, b []uint64) int {
			var hashes [2]uint64
			for i, shingles := range [][]uint64{a, b} {
				features := make([]simhash.Feature, len(shingles))
				for i, h := range shingles {
					features[i] = hashed(h)
				}
				hashes[i] = simhash.Fingerprint(simhash.Vectorize(features))
			}
			return bits.OnesCount64(hashes[0] ^ hashes[1])
		},
	} {
		x := zipfText()
		near, far := 0, 0
		for i, page := range x.pages[:50] {
			changed := slices.Clone(page)
			changed[len(page)/2]++
			first := dedup.Shingles(nil, page, 3)
			near += distance(first, dedup.Shingles(nil, changed, 3))
			far += distance(first, dedup.Shingles(nil, x.pages[i+50], 3))
		}
		t.Logf("%s: 50 pages are %d of 64 away with a word changed, %d from other pages", name, near, far)
		if near*4 > far {
			t.Errorf("%s: %d away with a word changed, %d from other pages", name, near, far)
		}
	}
}

func BenchmarkNear(b *testing.B) {
	for _, e := range nearEntries(realText(b)) {
		b.Run(e.name, e.benchmark)
	}
}
