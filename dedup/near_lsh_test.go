package dedup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// mustLSH returns an index of a configuration that is right.
func mustLSH(t testing.TB, cfg LSHConfig) *LSH {
	t.Helper()
	l, err := NewLSH(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The table of Mining of Massive Datasets, section 3.4.2, figure 3.8: 20 bands
// of 5 rows.
func TestCandidateRateOfTheBook(t *testing.T) {
	for s, want := range map[float64]float64{
		0.2: 0.006, 0.3: 0.047, 0.4: 0.186, 0.5: 0.470, 0.6: 0.802, 0.7: 0.975, 0.8: 0.9996,
	} {
		if got := CandidateRate(s, 20, 5); math.Abs(got-want) > 0.0006 {
			t.Errorf("at %.1f: %.4f, want %.4f", s, got, want)
		}
	}
	for _, p := range []float64{0, 1} {
		if got := CandidateRate(p, 20, 5); got != p {
			t.Errorf("at %v: %v", p, got)
		}
	}
}

func TestBandsFor(t *testing.T) {
	for _, slots := range []int{64, 128, 256, 1024} {
		for _, bits := range []int{1, 8, 16} {
			for _, j := range []float64{0.3, 0.5, 0.8, 0.9, 1} {
				cfg := MinHashConfig{Slots: slots, Bits: bits}
				bands, rows := BandsFor(cfg, j, DefaultRecall)
				if bands*rows > slots || rows*bits < minBandBits || bands < 1 {
					t.Fatalf("%+v, J=%v: %d bands of %d", cfg, j, bands, rows)
				}
				rate := CandidateRate(cfg.Chance(j), bands, rows)
				if rate < DefaultRecall && rows > max(1, minBandBits/bits) {
					t.Errorf("%+v, J=%v: %d bands of %d find %.3f", cfg, j, bands, rows, rate)
				}
				if more := rows + 1; more <= slots && CandidateRate(cfg.Chance(j), slots/more, more) >= DefaultRecall {
					t.Errorf("%+v, J=%v: %d bands of %d, but %d rows would do", cfg, j, bands, rows, more)
				}
			}
		}
	}
	for _, zero := range []MinHashConfig{{}, {Slots: DefaultSlots}, {Bits: DefaultBits}} {
		if bands, rows := BandsFor(zero, DefaultThreshold, DefaultRecall); bands != 18 || rows != 7 {
			t.Errorf("%+v: %d bands of %d", zero, bands, rows)
		}
		full := MinHashConfig{Slots: DefaultSlots, Bits: DefaultBits}
		if zero.StandardError(0.5) != full.StandardError(0.5) || zero.Chance(0.5) != full.Chance(0.5) {
			t.Errorf("%+v: standard error %v, chance %v", zero, zero.StandardError(0.5), zero.Chance(0.5))
		}
	}
	if l := mustLSH(t, LSHConfig{}); l.cfg.Bands != 18 || l.cfg.Rows != 7 {
		t.Errorf("by default %d bands of %d", l.cfg.Bands, l.cfg.Rows)
	}
	if l := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: 256}}); l.cfg.Bands != 28 || l.cfg.Rows != 9 {
		t.Errorf("of 256 slots %d bands of %d", l.cfg.Bands, l.cfg.Rows)
	}
}

// How often pairs of known resemblance become candidates, against the curve,
// and how many of those of resemblance 0.8 are found.
func TestCandidatesFollowTheCurve(t *testing.T) {
	const pairs = 2 * nearSeeds
	for _, slots := range []int{128, 256} {
		for _, both := range []int{500, 600, 700, 800, 900} {
			truth := float64(both) / 1000
			l := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: slots}})
			found, want := int64(0), 0.0
			for seed := range uint64(pairs) {
				cfg := l.cfg
				cfg.MinHash.Seed = seed
				m, one := mustMinHash(t, cfg.MinHash), mustLSH(t, cfg)
				a, b := twoSets(rand.New(rand.NewPCG(seed, uint64(both))), both, (1000-both)/2)
				if err := one.Add(7, m.Sketch(Signature{}, a)); err != nil {
					t.Fatal(err)
				}
				ids, err := one.Candidates(nil, m.Sketch(Signature{}, b))
				if err != nil {
					t.Fatal(err)
				}
				found += int64(len(ids))
				want = CandidateRate(cfg.MinHash.Chance(truth), cfg.Bands, cfg.Rows)
			}
			t.Logf("%d slots, %d bands of %d, J = %.1f: %.3f found, %.3f expected",
				slots, l.cfg.Bands, l.cfg.Rows, truth, float64(found)/pairs, want)
			near(t, fmt.Sprintf("candidates of %d slots at J = %.1f", slots, truth), found, pairs, want, 0)
			if truth >= DefaultThreshold {
				near(t, "pairs missed", pairs-found, pairs, 1-want, 0)
			}
		}
	}
}

// clusters returns the signatures of documents of which many resemble others.
func clusters(t testing.TB, cfg MinHashConfig, n int) []Signature {
	m := mustMinHash(t, cfg)
	r := rand.New(rand.NewPCG(uint64(n), 5))
	sigs := make([]Signature, n)
	var words []uint64
	for i := range sigs {
		if i%10 == 0 {
			words = randomWords(r, 200, 1<<30)
		}
		words = slices.Clone(words)
		for range r.IntN(4) {
			words[r.IntN(len(words))] = r.Uint64()
		}
		sigs[i] = m.SketchWords(Signature{}, words)
	}
	return sigs
}

// bandMates returns which of the first n documents a search for s must find:
// those that equal it in a band and were among the first limit to do so.
func bandMates(cfg LSHConfig, sigs []Signature, s Signature) []uint32 {
	mates := map[uint32]bool{}
	width := cfg.Rows * cfg.MinHash.Bits
	for i := range cfg.Bands {
		count := 0
		for doc, other := range sigs {
			same := true
			for at := i * width; at < (i+1)*width && same; at++ {
				same = bitsAt(s.lanes, at, 1) == bitsAt(other.lanes, at, 1)
			}
			if same && count < cfg.BucketLimit {
				mates[uint32(doc)] = true
				count++
			}
		}
	}
	var ids []uint32
	for id := range mates {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Candidates against a comparison of all bands of all documents.
func TestCandidatesByDefinition(t *testing.T) {
	for _, cfg := range []LSHConfig{
		{},
		{Bands: 5, Rows: 25}, // of 200 bits
		{MinHash: MinHashConfig{Bits: 1, Slots: 64}, Bands: 3, Rows: 19, BucketLimit: 5},
		{MinHash: MinHashConfig{Bits: 16}, Bands: 100, Rows: 1, BucketLimit: 3},
	} {
		l := mustLSH(t, cfg)
		sigs := clusters(t, l.cfg.MinHash, 300)
		several := 0
		for i, s := range sigs {
			got, err := l.Candidates([]uint32{9}, s)
			if err != nil {
				t.Fatal(err)
			}
			if want := bandMates(l.cfg, sigs[:i], s); got[0] != 9 || !slices.Equal(got[1:], want) {
				t.Fatalf("%+v, document %d: %v, want %v", l.cfg, i, got[1:], want)
			}
			if len(got) > 3 {
				several++
			}
			if err := l.Add(uint32(i), s); err != nil {
				t.Fatal(err)
			}
		}
		if several < 50 || l.Len() != len(sigs) {
			t.Errorf("%+v: only %d documents of %d with several candidates", l.cfg, several, l.Len())
		}
	}
}

// Similar weeds out by the estimate that Similarity gives.
func TestSimilarByDefinition(t *testing.T) {
	l := mustLSH(t, LSHConfig{})
	sigs := clusters(t, l.cfg.MinHash, 300)
	for i, s := range sigs {
		ids, err := l.Candidates(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		var want []Match
		for _, id := range ids {
			if j, err := s.Similarity(sigs[id]); err != nil {
				t.Fatal(err)
			} else if j >= 0.9 {
				want = append(want, Match{id, j})
			}
		}
		slices.SortStableFunc(want, func(a, b Match) int {
			switch {
			case a.Similarity > b.Similarity:
				return -1
			case a.Similarity < b.Similarity:
				return 1
			}
			return 0
		})
		got, err := l.Similar([]Match{{1, 2}}, s, 0.9)
		if err != nil || !slices.Equal(got[1:], want) {
			t.Fatalf("document %d: %v, %v, want %v", i, got, err, want)
		}
		if err := l.Add(uint32(i), s); err != nil {
			t.Fatal(err)
		}
	}
}

// Many copies of one page: the first are found, and no more.
func TestBucketLimit(t *testing.T) {
	l := mustLSH(t, LSHConfig{})
	s := clusters(t, l.cfg.MinHash, 1)[0]
	for i := range uint32(2000) {
		if err := l.Add(i, s); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := l.Candidates(nil, s)
	if err != nil || len(ids) != DefaultBucketLimit || ids[0] != 0 || ids[DefaultBucketLimit-1] != DefaultBucketLimit-1 {
		t.Errorf("%d candidates: %v, %v", len(ids), ids, err)
	}
}

func TestLSHMerge(t *testing.T) {
	all, one, two := mustLSH(t, LSHConfig{BucketLimit: 4}), mustLSH(t, LSHConfig{BucketLimit: 4}), mustLSH(t, LSHConfig{BucketLimit: 4})
	sigs := clusters(t, all.cfg.MinHash, 200)
	add := func(l *LSH, i int) {
		if err := l.Add(uint32(i), sigs[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range sigs {
		add(all, i)
		add([]*LSH{one, two}[i*2/len(sigs)], i)
	}
	if err := one.Merge(two); err != nil {
		t.Fatal(err)
	}
	sameIndex(t, "merged", one, all, sigs)
	other := mustLSH(t, LSHConfig{})
	if err := one.Merge(other); !errors.Is(err, ErrMismatch) {
		t.Errorf("an index with another limit merges: %v", err)
	}
	sameIndex(t, "after a refused merge", one, all, sigs)
	if err := one.Merge(one); err != nil || one.Len() != 400 {
		t.Errorf("merged with itself: %d documents, %v", one.Len(), err)
	}
}

// sameIndex fails unless both indexes have the same candidates for all of sigs.
func sameIndex(t *testing.T, what string, got, want *LSH, sigs []Signature) {
	t.Helper()
	if got.Len() != want.Len() || got.cfg != want.cfg {
		t.Errorf("%s: %d documents of %+v, want %d of %+v", what, got.Len(), got.cfg, want.Len(), want.cfg)
	}
	for i, s := range sigs {
		a, err1 := got.Candidates(nil, s)
		b, err2 := want.Candidates(nil, s)
		if err1 != nil || err2 != nil || !slices.Equal(a, b) {
			t.Fatalf("%s, document %d: %v, want %v (%v, %v)", what, i, a, b, err1, err2)
		}
	}
}

func TestLSHRefuses(t *testing.T) {
	for _, cfg := range []LSHConfig{
		{MinHash: MinHashConfig{Slots: 1}}, {Bands: 10}, {Rows: 5}, {Bands: 19, Rows: 7}, {Bands: 1, Rows: 129},
		{Bands: 20, Rows: 1}, {Bands: -1, Rows: 7}, {BucketLimit: -1}, {BucketLimit: MaxBucketLimit + 1},
	} {
		if _, err := NewLSH(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
	l := mustLSH(t, LSHConfig{})
	other := clusters(t, MinHashConfig{Seed: 1}, 1)[0]
	_, err1 := l.Candidates(nil, other)
	_, err2 := l.Similar(nil, other, 0)
	for _, err := range []error{l.Add(1, other), l.Add(1, Signature{}), err1, err2} {
		if !errors.Is(err, ErrMismatch) {
			t.Errorf("a signature of another seed is taken: %v", err)
		}
	}
	empty := mustMinHash(t, MinHashConfig{}).Sketch(Signature{}, nil)
	if err := l.Add(1, empty); err != nil || l.Len() != 0 {
		t.Errorf("a page without words: %v, %d documents", err, l.Len())
	}
	if ids, err := l.Candidates(nil, empty); err != nil || len(ids) > 0 {
		t.Errorf("a page without words has candidates %v, %v", ids, err)
	}
}

func TestBitsAt(t *testing.T) {
	words := []uint64{0x0123456789abcdef, 0xfedcba9876543210, 0xdeadbeefcafef00d}
	for n := 1; n <= 64; n++ {
		for at := 0; at+n <= 64*len(words); at++ {
			want := uint64(0)
			for i := range n {
				want |= words[(at+i)/64] >> ((at + i) % 64) & 1 << i
			}
			if got := bitsAt(words, at, n); got != want {
				t.Fatalf("%d bits at %d: %#x, want %#x", n, at, got, want)
			}
		}
	}
}
