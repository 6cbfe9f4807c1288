package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"crawler/dedup"
)

// signer makes signatures of sets of shingles.
type signer struct {
	hash *dedup.MinHash
	last dedup.Signature
}

func newSigner(t testing.TB, seed uint64) *signer {
	t.Helper()
	cfg := dedup.PageSignature()
	cfg.Seed = seed
	hash, err := dedup.NewMinHash(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{hash: hash}
}

func (s *signer) slots(t testing.TB, set []uint64) []uint64 {
	t.Helper()
	s.last = s.hash.Sketch(s.last, set)
	slots, err := dedup.PageSignature().DecodeSlots(nil, s.last.AppendSlots(nil))
	if err != nil {
		t.Fatal(err)
	}
	return slots
}

// numbers are n shingles that no other call gives.
func numbers(r *rand.Rand, n int) []uint64 {
	set := make([]uint64, n)
	for i := range set {
		set[i] = r.Uint64()
	}
	return set
}

// like is a set of that resemblance to another one of the same size.
func like(r *rand.Rand, set []uint64, resemblance float64) []uint64 {
	both := int(math.Round(2 * resemblance / (1 + resemblance) * float64(len(set))))
	return append(slices.Clone(set[:both]), numbers(r, len(set)-both)...)
}

func finder(t testing.TB, cfg Config, sigs [][]uint64) *Finder {
	t.Helper()
	cfg.Dir = t.TempDir()
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sigs {
		if err := f.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(cfg.Dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return f
}

func found(t testing.TB, f *Finder) []Cluster {
	t.Helper()
	clusters, err := f.Find()
	if err != nil {
		t.Fatal(err)
	}
	return clusters
}

// Made pairs: of those of 0.85 and more at least 98 % are called near, of those of 0.75 at most
// 1 %, for short texts and long ones; and none of 0.65 and less.
func TestMadePairs(t *testing.T) {
	const pairs = 1000
	for _, size := range []int{100, 300, 1000, 4000} {
		row, found85, pairs85 := "", 0, 0
		for _, j := range []float64{0.3, 0.5, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95} {
			s := newSigner(t, uint64(size))
			r := rand.New(rand.NewPCG(uint64(size), uint64(j*100)))
			var sigs [][]uint64
			for range pairs {
				set := numbers(r, size)
				sigs = append(sigs, s.slots(t, set), s.slots(t, like(r, set, j)))
			}
			near := 0
			for _, c := range found(t, finder(t, Config{}, sigs)) {
				if len(c) != 2 || c[0].Page/2 != c[1].Page/2 || c[0].Like != c[1].Page || c[1].Like != c[0].Page {
					t.Errorf("%d shingles, J = %.2f: cluster %v", size, j, c)
				}
				near++
			}
			share := float64(near) / pairs
			row += fmt.Sprintf("  %.2f: %5.1f %%", j, 100*share)
			if j >= 0.85 {
				found85, pairs85 = found85+near, pairs85+pairs
			}
			if j >= 0.85 && share < 0.95 || j <= 0.75 && share > 0.01 || j <= 0.65 && share > 0 {
				t.Errorf("%d shingles, J = %.2f: %.1f %% are near", size, j, 100*share)
			}
		}
		if share := float64(found85) / float64(pairs85); share < 0.98 {
			t.Errorf("%d shingles: %.2f %% of the pairs of 0.85 and more are near", size, 100*share)
		}
		t.Logf("%4d shingles, called near by resemblance:%s", size, row)
	}
}

// web makes pages in clusters of known members: family i has i%5 + 1 pages of 0.95 and more to
// each other, some of them copies.
func web(t testing.TB, families int) (sigs [][]uint64, want []Cluster) {
	r, s := rand.New(rand.NewPCG(5, 6)), newSigner(t, 0)
	for i := range families {
		set := numbers(r, 400)
		var c Cluster
		for range i%5 + 1 {
			page := slices.Clone(set)
			if r.IntN(3) > 0 {
				page[r.IntN(len(page))] = r.Uint64()
			}
			c = append(c, Member{Page: uint32(len(sigs))})
			sigs = append(sigs, s.slots(t, page))
		}
		if len(c) > 1 {
			want = append(want, c)
		}
	}
	slices.SortStableFunc(want, func(a, b Cluster) int { return len(b) - len(a) })
	return sigs, want
}

// pagesOf drops what is not who is in which cluster.
func pagesOf(clusters []Cluster) (out [][]uint32) {
	for _, c := range clusters {
		var pages []uint32
		for _, m := range c {
			pages = append(pages, m.Page)
		}
		out = append(out, pages)
	}
	return out
}

// The clusters are those that were made, wherever signatures are kept.
func TestFindsWhatWasMade(t *testing.T) {
	sigs, want := web(t, 300)
	var before []Cluster
	for _, memory := range []int64{0, 1, 128 * 100} { // all, none and the first hundred in memory
		got := found(t, finder(t, Config{Memory: memory}, sigs))
		if !reflect.DeepEqual(pagesOf(got), pagesOf(want)) {
			t.Fatalf("memory %d: %d clusters, want %d", memory, len(got), len(want))
		}
		if before != nil && !reflect.DeepEqual(got, before) {
			t.Errorf("memory %d: other likenesses than with all in memory", memory)
		}
		before = got
		for _, c := range got {
			for _, m := range c {
				if n := dedup.PageSignature().Agreeing(sigs[m.Page], sigs[m.Like]); m.Page == m.Like || n != int(m.Agreeing) {
					t.Fatalf("memory %d: %+v agree in %d slots", memory, m, n)
				}
			}
		}
	}
}

// A crowd of pages that share their bands is compared with its neighbours only; true
// near-duplicates within it are found nevertheless, copies in any number.
func TestCrowd(t *testing.T) {
	r, s := rand.New(rand.NewPCG(7, 8)), newSigner(t, 0)
	template := numbers(r, 600)
	var sigs [][]uint64
	for range 2000 {
		sigs = append(sigs, s.slots(t, like(r, template, 0.68))) // and so to each other
	}
	for range 300 {
		sigs = append(sigs, sigs[0])
	}
	twin := like(r, template, 0.68)
	sigs = append(sigs, s.slots(t, twin), s.slots(t, like(r, twin, 0.97)))
	got := found(t, finder(t, Config{Window: 16}, sigs))
	if len(got) != 2 || len(got[0]) != 301 || got[0][0].Page != 0 || len(got[1]) != 2 || got[1][0].Page != 2300 {
		t.Errorf("%d clusters, %v", len(got), got[min(1, len(got)):])
	}
}

// A long chain falls into clusters.
func TestChain(t *testing.T) {
	r, s := rand.New(rand.NewPCG(9, 10)), newSigner(t, 0)
	set := numbers(r, 1000)
	var sigs [][]uint64
	for range 20 {
		sigs = append(sigs, s.slots(t, set))
		set = append(set[50:], numbers(r, 50)...) // 0.905 to the one before, 0.82 to the next
	}
	cfg := dedup.PageSignature()
	clusters := found(t, finder(t, Config{}, sigs))
	pages := 0
	for _, c := range clusters {
		pages += len(c)
		first, last := c[0].Page, c[len(c)-1].Page
		if j := cfg.Resemblance(cfg.Agreeing(sigs[first], sigs[last]), 1000); j.Estimate < 0.25 {
			t.Errorf("pages %d and %d are in one cluster: %+v", first, last, j)
		}
	}
	if len(clusters) < 3 || pages < 18 {
		t.Errorf("%d clusters of %d pages", len(clusters), pages)
	}
}

func TestNothing(t *testing.T) {
	s := newSigner(t, 0)
	for n := range 3 {
		var sigs [][]uint64
		for i := range n {
			sigs = append(sigs, s.slots(t, numbers(rand.New(rand.NewPCG(uint64(i), 1)), 10)))
		}
		if got := found(t, finder(t, Config{}, sigs)); len(got) > 0 {
			t.Errorf("%d pages: %v", n, got)
		}
	}
	f := finder(t, Config{}, nil)
	if err := f.Add(make([]uint64, 15)); err == nil {
		t.Error("a short signature is taken")
	}
	for _, cfg := range []Config{{Memory: -1}, {Window: -1}, {Bar: 1.5}, {Bar: math.NaN()}, {LSH: dedup.LSHConfig{Rows: 1}}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
	if f, err := New(Config{Memory: 1, Dir: "/nowhere/at/all"}); err != nil || f.Add(s.slots(t, []uint64{1})) == nil {
		t.Errorf("no directory for the temporary file: %v", err)
	}
}

// BenchmarkFind is the end of a crawl of 100,000 pages, of which four of five resemble others.
func BenchmarkFind(b *testing.B) {
	sigs, want := web(b, 33_334)
	for _, memory := range []int64{0, 1} {
		b.Run(fmt.Sprintf("memory=%d", memory), func(b *testing.B) {
			for b.Loop() {
				f, err := New(Config{Memory: memory, Dir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				for _, s := range sigs {
					f.Add(s)
				}
				if got := found(b, f); len(got) != len(want) {
					b.Fatalf("%d clusters, want %d", len(got), len(want))
				}
				f.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(sigs)), "ns/page")
		})
	}
}
