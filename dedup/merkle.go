package dedup

import (
	"math"
	"math/bits"
	"slices"

	"crawler/internal/binform"
	"crawler/internal/splitmix"
)

// MerkleTree is a Patricia tree whose nodes have hashes of all that is below them: equal
// hashes, equal sets of keys. Keys are shuffled by a hash under a seed onto the numbers from
// 0 to 2^Places-1, its places, which a level halves; nodes with a single child are left out.
// With as many places as the square of the number of keys the tree is balanced: log2 n
// + 0.33 levels on average, and at most about 2 log2 n (MeanDepth, Depth). Where two keys come
// to one place, the tree has further levels by the bits below.
//
// A tree of n keys takes 40 bytes a key and some 300 ns to make. It is read only.
type MerkleTree struct {
	keys   []uint64 // in the order of their places
	at     []uint64 // those places, in the upper bits
	hashes []uint64 // of the nodes, each before its children, the left one next
	right  []uint32 // the node's right child, 0 for a leaf
	places int
	seed   uint64
}

// MerklePlaces returns how many bits the places have for sets of a and b keys: the least for
// which there are as many places as the square of the larger has, 64 at most.
func MerklePlaces(a, b int) int {
	hi, lo := bits.Mul64(uint64(max(a, b, 1)), uint64(max(a, b, 1)))
	if hi > 0 {
		return 64
	}
	return bits.Len64(lo - 1)
}

// NewMerkleTree returns the tree of the keys, which must be distinct.
func NewMerkleTree(keys []uint64, places int, seed uint64) *MerkleTree {
	at := make([]uint64, len(keys))
	for i, k := range keys {
		at[i] = splitmix.Finish(k ^ seed)
	}
	return newMerkleTree(keys, at, places, seed)
}

// MerkleTreeAt returns the tree of keys that stand at places of the caller's choice, for
// worked examples. The places are the keys.
func MerkleTreeAt(places int, keys ...uint64) *MerkleTree {
	at := make([]uint64, len(keys))
	for i, k := range keys {
		at[i] = k << (64 - places)
	}
	return newMerkleTree(keys, at, places, 0)
}

func newMerkleTree(keys, at []uint64, places int, seed uint64) *MerkleTree {
	t := &MerkleTree{places: places, seed: seed}
	order := make([]keyAt, len(keys))
	for i, k := range keys {
		order[i] = keyAt{at[i], k}
	}
	slices.SortFunc(order, func(a, b keyAt) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	n := len(keys)
	t.keys = make([]uint64, n)
	for i, p := range order {
		t.keys[i] = p.key
		at[i] = p.at
	}
	t.at = at
	if n > 0 {
		t.hashes, t.right = make([]uint64, 0, 2*n-1), make([]uint32, 0, 2*n-1)
		t.build(at)
	}
	return t
}

// keyAt is a key with its place, which is in the upper bits.
type keyAt struct{ at, key uint64 }

// Hashes of leaves and of inner nodes are made in different ways: neither passes for the other.
func leafHash(at uint64) uint64 { return splitmix.Finish(at + mulFirst) }

func innerHash(left, right uint64) uint64 {
	return splitmix.Finish(bits.RotateLeft64(left*mulSecond, 31) + right*mulFirst)
}

// build adds the tree of the sorted places and returns its hash.
func (t *MerkleTree) build(at []uint64) uint64 {
	node := len(t.hashes)
	t.hashes, t.right = append(t.hashes, 0), append(t.right, 0)
	if len(at) == 1 {
		t.hashes[node] = leafHash(at[0])
		return t.hashes[node]
	}
	// The first bit in which first and last differ is the first in which any do.
	bit := branch(at[0], at[len(at)-1])
	cut, _ := slices.BinarySearchFunc(at, bit, func(x, bit uint64) int {
		if x&bit == 0 {
			return -1
		}
		return 0
	})
	left := t.build(at[:cut])
	t.right[node] = uint32(len(t.hashes))
	t.hashes[node] = innerHash(left, t.build(at[cut:]))
	return t.hashes[node]
}

// Len returns the number of keys, which is that of leaves; there is one inner node less.
func (t *MerkleTree) Len() int { return len(t.keys) }

// Nodes returns the number of nodes.
func (t *MerkleTree) Nodes() int { return len(t.hashes) }

// Root returns the hash of all keys, 0 if there are none.
func (t *MerkleTree) Root() uint64 {
	if len(t.hashes) == 0 {
		return 0
	}
	return t.hashes[0]
}

// Depth returns the number of inner nodes above the deepest leaf, and MeanDepth that above
// a leaf on average.
func (t *MerkleTree) Depth() int {
	most := 0
	t.eachLeaf(func(depth int) { most = max(most, depth) })
	return most
}

// MeanDepth is explained at Depth.
func (t *MerkleTree) MeanDepth() float64 {
	sum := 0
	t.eachLeaf(func(depth int) { sum += depth })
	return float64(sum) / float64(max(len(t.keys), 1))
}

func (t *MerkleTree) eachLeaf(fn func(depth int)) {
	var visit func(node uint32, depth int)
	visit = func(node uint32, depth int) {
		if t.right[node] == 0 {
			fn(depth)
			return
		}
		visit(node+1, depth+1)
		visit(t.right[node], depth+1)
	}
	if len(t.hashes) > 0 {
		visit(0, 0)
	}
}

// MerkleFilter is a Bloom filter of the hashes of a MerkleTree: the approximate difference
// in one message (Byers, Considine, Mitzenmacher and Rost 2002, "Informed content delivery across
// adaptive overlay networks"). The machine that gets it walks its own tree from the root: a node
// that the filter knows is taken for one that the other has, with all below it; a leaf that
// the filter does not know is missing there.
//
// A leaf is found only if no node above it is a false positive: with rate e a node and d levels
// the chance is (1-e)^d. With k of the order of log log n positions a node, e is of the order
// of 1/log n and the chance a constant. Correction raises it: the walk ends only below so
// many known nodes in a row, one more. Boosting does too: filters of trees with other seeds, each
// finds other leaves.
//
// The filter is as large as the set, however small the difference: where few keys differ,
// Rateless takes a thousandth of the bytes, and finds all, both ways.
type MerkleFilter struct {
	inner, leaves *Classic
	places        int
	seed          uint64
}

// MerkleK returns how many positions a node has if they are of the order of log log n: the
// logarithm of the logarithm of the number of keys, to base 2, rounded up.
func MerkleK(n int) int {
	return max(1, int(math.Ceil(math.Log2(math.Log2(float64(max(n, 4)))))))
}

// MerkleBits returns how many bits a node gets for k positions a node: k / ln 2.
func MerkleBits(k int) float64 { return float64(k) / math.Ln2 }

// Filter returns the filter of the tree with the given bits for each inner node and each leaf.
func (t *MerkleTree) Filter(innerBits, leafBits float64) *MerkleFilter {
	f := &MerkleFilter{places: t.places, seed: t.seed}
	make := func(n int, each float64) *Classic {
		return NewClassic(int64(math.Ceil(float64(max(n, 1))*each)), BestK(each), t.seed)
	}
	f.inner, f.leaves = make(t.Nodes()-t.Len(), innerBits), make(t.Len(), leafBits)
	for i, h := range t.hashes {
		if t.right[i] == 0 {
			f.leaves.Add(h)
		} else {
			f.inner.Add(h)
		}
	}
	return f
}

// Bits returns the filter's size.
func (f *MerkleFilter) Bits() int64 { return f.inner.Bits() + f.leaves.Bits() }

// HasNode reports whether the filter knows the hash of an inner node. False is certain.
func (f *MerkleFilter) HasNode(hash uint64) bool { return f.inner.Has(hash) }

// Tree returns the tree of the keys that the filter can be compared with.
func (f *MerkleFilter) Tree(keys []uint64) *MerkleTree {
	return NewMerkleTree(keys, f.places, f.seed)
}

// Missing returns the keys of the tree that the filter's set lacks, as far as they are found:
// never one that it has, unless two hashes are equal. visited is the number of nodes looked
// at. The tree must have the places and the seed of the filter's: see Tree.
func (t *MerkleTree) Missing(f *MerkleFilter, correction int) (missing []uint64, visited int) {
	leaf := 0 // leaves before the node
	var walk func(node, end uint32, known int)
	walk = func(node, end uint32, known int) {
		visited++
		if t.right[node] == 0 {
			if !f.leaves.Has(t.hashes[node]) {
				missing = append(missing, t.keys[leaf])
			}
			leaf++
			return
		}
		if !f.inner.Has(t.hashes[node]) {
			known = 0
		} else if known++; known > correction {
			leaf += int(end-node+1) / 2 // the leaves of a tree of that many nodes
			return
		}
		walk(node+1, t.right[node], known)
		walk(t.right[node], end, known)
	}
	if len(t.hashes) > 0 {
		walk(0, uint32(len(t.hashes)), 0)
	}
	return missing, visited
}

// MissingIn compares two trees node by node, from the root, as two machines do that ask each
// other for hashes: it returns the keys of t that other lacks, all of them, the number of
// nodes of other that were asked for, and the rounds, which are its levels. Both must have the
// same places and seed.
func (t *MerkleTree) MissingIn(other *MerkleTree) (missing []uint64, asked, rounds int) {
	c := &treeWalk{t: t, o: other}
	c.compare(t.whole(), other.whole(), 1)
	return c.missing, c.asked, c.rounds
}

// subtree is a node, the end of its nodes, and the leaves before it.
type subtree struct {
	node, end uint32
	leaf      int
}

func (t *MerkleTree) whole() subtree { return subtree{0, uint32(len(t.hashes)), 0} }

func (s subtree) empty() bool { return s.node == s.end }
func (s subtree) leaves() int { return int(s.end-s.node+1) / 2 }

// children returns the two subtrees of an inner node.
func (t *MerkleTree) children(s subtree) (left, right subtree) {
	r := t.right[s.node]
	left = subtree{s.node + 1, r, s.leaf}
	return left, subtree{r, s.end, s.leaf + left.leaves()}
}

// span returns the least and the greatest place of a subtree's keys.
func (t *MerkleTree) span(s subtree) (low, high uint64) {
	return t.at[s.leaf], t.at[s.leaf+s.leaves()-1]
}

type treeWalk struct {
	t, o          *MerkleTree
	missing       []uint64
	asked, rounds int
}

// compare notes the keys of a that b lacks. Where the trees branch at different bits, one goes
// down alone until they meet.
func (c *treeWalk) compare(a, b subtree, level int) {
	if a.empty() {
		return
	}
	if b.empty() {
		c.missing = append(c.missing, c.t.keys[a.leaf:a.leaf+a.leaves()]...)
		return
	}
	c.asked++
	c.rounds = max(c.rounds, level)
	if c.t.hashes[a.node] == c.o.hashes[b.node] {
		return
	}
	aLow, aHigh := c.t.span(a)
	bLow, bHigh := c.o.span(b)
	aBit, bBit := branch(aLow, aHigh), branch(bLow, bHigh)
	switch {
	case aHigh < bLow || bHigh < aLow || aBit|bBit == 0: // apart, or two leaves
		c.compare(a, subtree{}, level)
	case aBit > bBit: // b is below one of a's children
		left, right := c.t.children(a)
		toLeft, toRight := b, subtree{}
		if bLow&aBit != 0 {
			toLeft, toRight = toRight, toLeft
		}
		c.compare(left, toLeft, level+1)
		c.compare(right, toRight, level+1)
	case bBit > aBit: // a is below one of b's
		left, right := c.o.children(b)
		if aLow&bBit != 0 {
			left = right
		}
		c.compare(a, left, level+1)
	default:
		left, right := c.t.children(a)
		bLeft, bRight := c.o.children(b)
		c.compare(left, bLeft, level+1)
		c.compare(right, bRight, level+1)
	}
}

// branch returns the first bit in which two places differ, 0 if they do not.
func branch(a, b uint64) uint64 {
	if a == b {
		return 0
	}
	return 1 << (63 - bits.LeadingZeros64(a^b))
}

// AppendBinary appends f's binary form to dst; its seed is in it.
func (f *MerkleFilter) AppendBinary(dst []byte) ([]byte, error) {
	if f.inner == nil {
		return nil, errZero
	}
	e := begin(dst, kindMerkle, 9+2*9+(f.Bits()+127)/8)
	e.Uint64(f.seed)
	e.Uint8(uint8(f.places))
	for _, c := range []*Classic{f.inner, f.leaves} {
		e.Uint8(uint8(c.k))
		e.Int64(int64(c.m))
		e.Uint64s(c.words)
	}
	return e.Close(), nil
}

// MarshalBinary returns f's binary form; its seed is in it.
func (f *MerkleFilter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary makes f the filter whose form data is.
func (f *MerkleFilter) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindMerkle)
	if err != nil {
		return err
	}
	fresh := MerkleFilter{seed: d.Uint64(), places: int(d.Uint8())}
	d.Check(fresh.places <= 64, "%d bits of places", fresh.places)
	fresh.inner, fresh.leaves = readClassic(d, fresh.seed), readClassic(d, fresh.seed)
	if err := d.Close(); err != nil {
		return err
	}
	*f = fresh
	return nil
}

// readClassic reads a filter's positions a key, bits and words.
func readClassic(d *binform.Decoder, seed uint64) *Classic {
	k, m := d.Uint8(), d.Int64()
	d.Check(k >= 1 && k <= MaxHashes, "%d positions a key", k)
	d.Check(m >= 1 && m <= maxBits, "%d bits", m)
	c := &Classic{m: uint64(m), k: int(k), seed: seed}
	if d.OK() {
		c.words = d.Uint64s(nil, int((m+63)/64))
	}
	for _, w := range c.words {
		c.ones += int64(bits.OnesCount64(w))
	}
	if n := len(c.words); n > 0 && m%64 != 0 {
		d.Check(c.words[n-1]>>(m%64) == 0, "bits behind the last")
	}
	return c
}
