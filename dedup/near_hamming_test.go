package dedup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// simhashByDefinition counts +1 and -1 for every bit of every feature.
func simhashByDefinition(hashes []uint64) (h uint64) {
	for j := range 64 {
		sum := 0
		for _, f := range hashes {
			sum += int(fold(f, mulFirst)>>j&1)*2 - 1
		}
		if sum > 0 {
			h |= 1 << j
		}
	}
	return h
}

func TestSimhashByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for n := range 600 {
		hashes := randomWords(r, n, 1+n/2)
		if n%7 == 0 && n > 0 { // one feature outweighs all others
			hashes = append(hashes, slices.Repeat(hashes[:1], n)...)
		}
		if got, want := Simhash(hashes), simhashByDefinition(hashes); got != want {
			t.Fatalf("%d features: %#x, want %#x", n, got, want)
		}
	}
}

// Charikar 2002, section 3: bits differ with probability angle/pi. 64 counters
// are sums of the same features under different signs, nearly independent.
func TestSimhashMeasuresTheAngle(t *testing.T) {
	for _, both := range []int{0, 50, 80, 95} {
		differ, angle := int64(0), math.Acos(float64(10*both)/1001)
		for seed := range uint64(nearSeeds) {
			a, b := twoSets(rand.New(rand.NewPCG(seed, 7)), 10*both, 1001-10*both) // odd: no ties
			differ += int64(HammingDistance(Simhash(a), Simhash(b)))
		}
		t.Logf("cosine 0.%02d: distance %.2f, expected %.2f", both, float64(differ)/nearSeeds, 64*angle/math.Pi)
		near(t, "bits that differ", differ, 64*nearSeeds, angle/math.Pi, 0)
	}
}

// Find against a comparison with every fingerprint: while the index grows
// through many sizes, at all distances.
func TestHammingIndexByDefinition(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 8))
		var x HammingIndex
		var hashes []uint64
		checkFind(t, &x, hashes, r)
		for range 6000 {
			h := r.Uint64()
			if len(hashes) > 0 && r.IntN(3) > 0 { // near an earlier one
				h = flipped(r, hashes[r.IntN(len(hashes))], r.IntN(6))
			}
			if seed == 4 {
				h &= 0xff0000ff // crowds two tables
			}
			if err := x.Add(uint32(len(hashes)), h); err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, h)
			if r.IntN(20) == 0 {
				checkFind(t, &x, hashes, r)
			}
		}
		if x.Len() != len(hashes) || x.sorted == x.Len() || x.sorted == 0 {
			t.Errorf("seed %d: %d of %d documents sorted", seed, x.sorted, x.Len())
		}
	}
}

// flipped returns h with n different bits flipped.
func flipped(r *rand.Rand, h uint64, n int) uint64 {
	for _, i := range r.Perm(64)[:n] {
		h ^= 1 << i
	}
	return h
}

// checkFind searches near one of hashes, which x holds under their indexes.
func checkFind(t *testing.T, x *HammingIndex, hashes []uint64, r *rand.Rand) {
	t.Helper()
	h := r.Uint64()
	if len(hashes) > 0 {
		h = flipped(r, hashes[r.IntN(len(hashes))], r.IntN(5))
	}
	for distance := -1; distance <= MaxHamming+1; distance++ {
		var want []uint32
		for i, other := range hashes {
			if HammingDistance(h, other) <= min(max(distance, 0), MaxHamming) {
				want = append(want, uint32(i))
			}
		}
		got := x.Find([]uint32{9}, h, distance)
		if got[0] != 9 {
			t.Fatal("what was in dst is lost")
		}
		got = got[1:]
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d documents, distance %d: %v, want %v", len(hashes), distance, got, want)
		}
	}
}

func TestHammingIndexMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	var one, two HammingIndex
	var hashes []uint64
	for i := range 1000 {
		x := []*HammingIndex{&one, &two}[i/600]
		hashes = append(hashes, r.Uint64())
		if err := x.Add(uint32(i), hashes[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Merge(&two); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		checkFind(t, &one, hashes, r)
	}
	if err := one.Merge(&one); err != nil || len(one.Find(nil, hashes[3], 0)) != 2 {
		t.Errorf("merged with itself, a document is there %d times, %v", len(one.Find(nil, hashes[3], 0)), err)
	}
	var empty HammingIndex
	if err := empty.Merge(&HammingIndex{}); err != nil || len(empty.Find(nil, 0, 3)) != 0 {
		t.Errorf("nothing merged with nothing: %v", err)
	}
	if err := empty.Add(1, 2); err != nil || len(empty.Find(nil, 2, 3)) != 1 {
		t.Errorf("added after merging nothing: %v", err)
	}
}
