package dedup

import (
	"math"
	"slices"
	"testing"
)

// The worked example of the lecture has 7 keys on 64 places, as 64 is the least power of two
// above 7^2. By hand, for 1, 9, 22, 25, 40, 54 and 57, bits before and behind the branches:
//
//	0----- : 00---- has 001 (1) and 001001 (9); 01---- has 22 (010110) and 25 (011001)
//	1----- : 10---- has 40 alone, so 1----- branches into 40 and 11----, with 54 and 57
//
// so 6 inner nodes, and depths of 3, 3, 3, 3 and 2, 3, 3.
func TestMerkleTreeGolden(t *testing.T) {
	if got := MerklePlaces(7, 5); 1<<got != 64 {
		t.Errorf("7 keys get 2^%d places, want 64", got)
	}
	keys := []uint64{54, 1, 40, 25, 9, 57, 22}
	a := MerkleTreeAt(6, keys...)
	if a.Len() != 7 || a.Nodes() != 13 || a.Depth() != 3 || math.Abs(a.MeanDepth()-20.0/7) > 1e-12 {
		t.Errorf("%d keys, %d nodes, depth %d, on average %v", a.Len(), a.Nodes(), a.Depth(), a.MeanDepth())
	}
	if MerkleTreeAt(6, 1, 9, 22, 25, 40, 54, 57).Root() != a.Root() {
		t.Error("the order of the keys matters")
	}
	// B has 30 besides, and lacks 40. Below the root: 0----- differs, 01---- differs, 011---
	// branches, 22 and 25 are known, 30 is missing in A. In the other half 11---- is known. Against
	// A's tree, 25 is asked for twice, beside 011--- and beside 25, and 1----- once, beside 11----.
	b := MerkleTreeAt(6, 1, 9, 22, 25, 30, 54, 57)
	missing, visited := b.Missing(a.Filter(64, 64), 0)
	if !slices.Equal(missing, []uint64{30}) || visited != 9 {
		t.Errorf("%v, %d nodes visited", missing, visited)
	}
	if missing, asked, rounds := b.MissingIn(a); !slices.Equal(missing, []uint64{30}) || asked != 9 || rounds != 5 {
		t.Errorf("tree against tree: %v, %d nodes asked for in %d rounds", missing, asked, rounds)
	}
	if missing, _, _ := a.MissingIn(b); !slices.Equal(missing, []uint64{40}) {
		t.Errorf("tree against tree: %v", missing)
	}
	// Trees of one key and of none.
	one, none := MerkleTreeAt(6, 5), MerkleTreeAt(6)
	if m, _, _ := one.MissingIn(none); !slices.Equal(m, []uint64{5}) || none.Root() != 0 || none.Depth() != 0 {
		t.Error("a tree without keys")
	}
	if m, _ := one.Missing(none.Filter(8, 8), 0); !slices.Equal(m, []uint64{5}) {
		t.Error("a filter without keys")
	}
	if m, visited := none.Missing(one.Filter(8, 8), 3); len(m) != 0 || visited != 0 {
		t.Error("a walk of nothing")
	}
}

func TestMerkleK(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 4: 1, 5: 2, 16: 2, 17: 3, 256: 3, 257: 4, 65536: 4, 65537: 5, 1 << 30: 5} {
		if got := MerkleK(n); got != want {
			t.Errorf("%d keys: k = %d, want %d", n, got, want)
		}
	}
	for _, c := range []struct{ a, b, want int }{{0, 0, 0}, {1, 1, 0}, {2, 1, 2}, {3, 0, 4}, {8, 8, 6}, {9, 8, 7}, {1 << 31, 3, 62}, {1 << 32, 3, 64}, {1<<32 + 1, 0, 64}} {
		if got := MerklePlaces(c.a, c.b); got != c.want {
			t.Errorf("%d and %d keys: 2^%d places, want 2^%d", c.a, c.b, got, c.want)
		}
	}
}

// Shuffled onto the square, the tree is balanced: the deepest of the pairs is the nearest, at
// about 2 log2 n; a key is at log2 n + 0.577/ln 2 - 1/2 on average (Knuth, volume 3, 6.3).
func TestMerkleDepth(t *testing.T) {
	for _, n := range []int{100, 1000, 10_000, 50_000} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(i) // no hashes: the shuffle makes them so
		}
		tree := NewMerkleTree(keys, MerklePlaces(n, n), 5)
		log := math.Log2(float64(n))
		t.Logf("%d keys: depth %d, on average %.2f", n, tree.Depth(), tree.MeanDepth())
		if off := tree.MeanDepth() - log - 0.33; off < -0.1 || off > 0.1 {
			t.Errorf("%d keys: mean depth %.2f, want %.2f", n, tree.MeanDepth(), log+0.33)
		}
		if d := float64(tree.Depth()); d < log+2 || d > 2*log+8 {
			t.Errorf("%d keys: depth %.0f", n, d)
		}
	}
}

// Tree against tree finds all; the filter finds a share that grows with correction and with
// boosting, and visits nodes in proportion to the difference and the depth.
func TestMerkleMissing(t *testing.T) {
	const n = 20_000
	for i, c := range []struct{ common, a, b int }{{n, 0, 0}, {n, 5, 5}, {n, 0, 50}, {n, 50, 0}, {n, 500, 500}, {0, 30, 40}, {1, 1, 1}} {
		a, b, _, inB := unlikeSets(uint64(i), c.common, c.a, c.b)
		places := MerklePlaces(len(a), len(b))
		ta, tb := NewMerkleTree(a, places, 9), NewMerkleTree(b, places, 9)
		exact, asked, _ := tb.MissingIn(ta)
		slices.Sort(exact)
		if !slices.Equal(exact, inB) {
			t.Errorf("%v: tree against tree finds %d of %d", c, len(exact), len(inB))
		}
		differing := float64(c.a + c.b)
		if limit := 2*differing*(tb.MeanDepth()+2) + 2; float64(asked) > limit {
			t.Errorf("%v: %d nodes asked for, at most %.0f", c, asked, limit)
		}
		last := -1
		for _, correction := range []int{0, 1, 3, 5} {
			f := ta.Filter(8, 8)
			missing, visited := tb.Missing(f, correction)
			slices.Sort(missing)
			if extra, _ := cancel(slices.Clone(missing), slices.Clone(inB)); len(extra) > 0 {
				t.Fatalf("%v: %d keys found that are there", c, len(extra))
			}
			if len(missing) < last {
				t.Errorf("%v: correction %d finds %d, less than %d", c, correction, len(missing), last)
			}
			last = len(missing)
			// Below each known node at the edge up to 2^(correction+1) are visited.
			if limit := (differing + 1) * (tb.MeanDepth() + 3) * float64(int(2)<<correction); float64(visited) > limit && c.common > 0 {
				t.Errorf("%v: correction %d visits %d nodes, at most %.0f", c, correction, visited, limit)
			}
		}
		if want := 0.95 * float64(len(inB)); float64(last) < want-1 {
			t.Errorf("%v: correction 5 finds %d of %d", c, last, len(inB))
		}
	}
}

// A leaf is found with the chance (1-e)^d. Boosting by further seeds finds what the others miss.
func TestMerkleBoosting(t *testing.T) {
	a, b, _, inB := unlikeSets(3, 20_000, 0, 400)
	k := MerkleK(len(a))
	places := MerklePlaces(len(a), len(b))
	found := map[uint64]bool{}
	for seed := range uint64(4) {
		f := NewMerkleTree(a, places, seed).Filter(MerkleBits(k), MerkleBits(k))
		missing, _ := f.Tree(b).Missing(f, 0)
		if seed == 0 {
			e := math.Exp2(-float64(k))
			want := math.Pow(1-e, math.Log2(20_000)+2)
			share := float64(len(missing)) / float64(len(inB))
			t.Logf("k = %d: finds %.2f, (1-e)^d = %.2f", k, share, want)
			if share < want-0.15 || share > want+0.25 {
				t.Errorf("k = %d finds a share of %.2f, want about %.2f", k, share, want)
			}
		}
		before := len(found)
		for _, key := range missing {
			found[key] = true
		}
		if seed > 0 && len(found) <= before {
			t.Errorf("seed %d finds nothing more than %d", seed, before)
		}
	}
	if len(found) < 300 {
		t.Errorf("four seeds find %d of %d", len(found), len(inB))
	}
}

// Several keys at one place are distinguished by further levels.
func TestMerkleOnePlace(t *testing.T) {
	a, b, _, inB := unlikeSets(4, 40, 0, 2)
	f := NewMerkleTree(a, 2, 1).Filter(64, 64)
	missing, _ := f.Tree(b).Missing(f, 0)
	slices.Sort(missing)
	if !slices.Equal(missing, inB) {
		t.Errorf("found %v, want %v", missing, inB)
	}
}
