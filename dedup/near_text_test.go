package dedup

import (
	"encoding/binary"
	"encoding/hex"
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

// The slide of source 002 that asks whether a page is new names three ways to
// find it is not: its URL, its text, or nearly its text was seen before. The
// second and the third:
func TestSource002ThisPageIsANewOne(t *testing.T) {
	d, err := NewDuplicates(DuplicatesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	page := randomWords(rand.New(rand.NewPCG(3, 1)), 500, 5000)
	nearly := slices.Clone(page)
	nearly[250] = 1
	for i, c := range []struct {
		words []uint64
		want  Finding
	}{
		{page, Finding{NewText, 0, 0}},
		{randomWords(rand.New(rand.NewPCG(4, 1)), 500, 5000), Finding{NewText, 0, 0}},
		{page, Finding{SameText, 0, 1}},
		{nearly, Finding{NearText, 0, 494.0 / 500}}, // about: 3 of 498 shingles differ
	} {
		got, err := d.Add(uint32(i), c.words)
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != c.want.Verdict || got.Of != c.want.Of || got.Similarity < c.want.Similarity-0.06 || got.Similarity > 1 {
			t.Errorf("page %d: %+v, want %+v", i, got, c.want)
		}
	}
	if d.Texts() != 3 {
		t.Errorf("%d texts, want 3", d.Texts())
	}
}

// Digests are stored: they must not change.
func TestDigestIsFixed(t *testing.T) {
	for _, c := range []struct {
		words []uint64
		want  string
	}{
		{nil, "8ae8ed883a8a6e103e7f0316534c8992"},
		{[]uint64{0}, "2ad68929a9699e708fd9cf7985706ec4"},
		{[]uint64{1, 2, 3}, "ed06c6d6cdaef952045d7c0c3cff7983"},
		{[]uint64{3, 2, 1}, "36b8f537c927637d2758eed47e7aa57f"},
	} {
		got := Digest(c.words)
		if hex.EncodeToString(got[:]) != c.want {
			t.Errorf("%v: %x, want %s", c.words, got, c.want)
		}
	}
}

// Texts that differ little, over words whose hashes are small numbers, differ
// in both halves of their digests.
func TestDigestTellsApart(t *testing.T) {
	type text struct{ a, b, c, n int }
	halves := [2]map[uint64]text{{}, {}}
	add := func(words []uint64, which text) {
		d := Digest(words)
		for i, half := range halves {
			h := binary.LittleEndian.Uint64(d[8*i:])
			if was, ok := half[h]; ok {
				t.Fatalf("half %d of %v is that of %v", i, which, was)
			}
			half[h] = which
		}
	}
	for n := range 200 { // of one word, n times
		add(make([]uint64, n), text{n: n})
	}
	words := make([]uint64, 40)
	for a := range 40 {
		for b := range 40 {
			for c := 1; c <= 64; c++ {
				clear(words)
				words[a] += uint64(c)
				if a < b { // two words differ, by powers of two
					words[b] = 1 << (c - 1)
				} else if b > 0 {
					continue
				}
				add(words, text{a, b, c, 40})
			}
		}
	}
	if n := len(halves[0]); n < 50_000 {
		t.Errorf("only %d texts", n)
	}
}

// Every bit of every word moves half of the digest's bits.
func TestDigestAvalanche(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(5, 1)), 20, 1000)
	base := Digest(words)
	flips, total := [128]int{}, 0
	for i := range words {
		for bit := range 64 {
			words[i] ^= 1 << bit
			d := Digest(words)
			words[i] ^= 1 << bit
			total++
			for j := range flips {
				flips[j] += int((d[j/8] ^ base[j/8]) >> (j % 8) & 1)
			}
		}
	}
	for _, n := range flips {
		near(t, "flips of a bit of the digest", int64(n), total, 0.5, 0)
	}
}

func TestDuplicatesVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	original := randomWords(r, 2000, 5000)
	changed := func(words []uint64, n int) []uint64 { // n words far apart
		words = slices.Clone(words)
		for i := range n {
			words[i*len(words)/n] = r.Uint64()
		}
		return words
	}
	first := changed(original, 40)  // J = 0.88: 40 of 2,000 words take 3 shingles each
	second := changed(first, 60)    // 0.83 to first, 0.73 to the original
	distant := changed(second, 400) // 0.25
	sets := [][]uint64{}
	pages := [][]uint64{original, first, second, distant, original, nil, nil}
	for _, p := range pages {
		sets = append(sets, SortSet(Shingles(nil, p, 0)))
	}
	exact := func(a, b int) float64 { return Jaccard(sets[a], sets[b]) }
	confirm := func(id uint32) []uint64 { return sets[id] }
	for name, c := range map[string]struct {
		cfg  DuplicatesConfig
		want []Finding
	}{
		"all": {DuplicatesConfig{Shingles: confirm}, []Finding{
			{}, {NearText, 0, exact(0, 1)}, {NearText, 1, exact(1, 2)}, {}, {SameText, 0, 1}, {}, {SameText, 5, 1}}},
		"leaders only": {DuplicatesConfig{Shingles: confirm, LeadersOnly: true}, []Finding{
			{}, {NearText, 0, exact(0, 1)}, {}, {}, {SameText, 0, 1}, {}, {SameText, 5, 1}}},
		"a higher threshold": {DuplicatesConfig{Shingles: confirm, Threshold: 0.85}, []Finding{
			{}, {NearText, 0, exact(0, 1)}, {}, {}, {SameText, 0, 1}, {}, {SameText, 5, 1}}},
		"a lower threshold": {DuplicatesConfig{Shingles: confirm, Threshold: 0.2}, []Finding{
			{}, {NearText, 0, exact(0, 1)}, {NearText, 1, exact(1, 2)}, {NearText, 2, exact(2, 3)}, {SameText, 0, 1}, {}, {SameText, 5, 1}}},
	} {
		d, err := NewDuplicates(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pages {
			if got, err := d.Add(uint32(i), p); err != nil || got != c.want[i] {
				t.Errorf("%s, page %d: %+v, %v, want %+v", name, i, got, err, c.want[i])
			}
		}
	}
}

func TestDuplicatesConfig(t *testing.T) {
	for _, cfg := range []DuplicatesConfig{
		{Threshold: -0.1}, {Threshold: 1.1}, {BucketLimit: -1}, {MinHash: MinHashConfig{Slots: 100}},
	} {
		if _, err := NewDuplicates(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
	d, err := NewDuplicates(DuplicatesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Config(); c.Threshold != DefaultThreshold || c.MinHash.Slots != DefaultSlots || c.BucketLimit != DefaultBucketLimit {
		t.Errorf("defaults are %+v", c)
	}
	for _, v := range []Verdict{NewText, NearText, SameText} {
		if s := v.String(); s != map[Verdict]string{NewText: "new", NearText: "near", SameText: "same"}[v] {
			t.Errorf("verdict %d is %q", v, s)
		}
	}
}
