package bench

import (
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
// first: a key is a page. Simhashes are of the same shingles of three words.
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
	m := must(dedup.NewMinHash(dedup.MinHashConfig{Seed: 1}))
	s := m.SketchWords(dedup.Signature{}, hashes)
	room := slices.Clone(shingles)
	return []*entry{
		page("dedup.MinHash, of words", func() { s = m.SketchWords(s, hashes) }),
		page("dedup.Simhash, of words", func() {
			room = dedup.Shingles(room[:0], hashes, 3)
			sink += dedup.Simhash(room)
		}),
		page("dedup.Simhash, of shingles", func() { sink += dedup.Simhash(shingles) }),
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

// The two simhashes differ, because ours mixes the hashes it is given; but both
// must tell a page with one word changed from another page, or the race is not
// one.
func TestSimhashesAreComparable(t *testing.T) {
	simhashes := map[string]func(shingles []uint64) uint64{
		"dedup": dedup.Simhash,
		"mfonda": func(shingles []uint64) uint64 {
			features := make([]simhash.Feature, len(shingles))
			for i, h := range shingles {
				features[i] = hashed(h)
			}
			return simhash.Fingerprint(simhash.Vectorize(features))
		},
	}
	x := zipfText()
	for name, hash := range simhashes {
		near, far := 0, 0
		for i, page := range x.pages[:50] {
			changed := slices.Clone(page)
			changed[len(page)/2]++
			h := hash(dedup.Shingles(nil, page, 3))
			near += dedup.HammingDistance(h, hash(dedup.Shingles(nil, changed, 3)))
			far += dedup.HammingDistance(h, hash(dedup.Shingles(nil, x.pages[i+50], 3)))
		}
		t.Logf("%s: %d bits of 50 pages change with a word, %d with the page", name, near, far)
		if near == 0 || near*4 > far {
			t.Errorf("%s: %d bits change with a word, %d with the page", name, near, far)
		}
	}
}

func BenchmarkNear(b *testing.B) {
	for _, e := range nearEntries(realText(b)) {
		b.Run(e.name, e.benchmark)
	}
}
