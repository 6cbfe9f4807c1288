package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/internal/splitmix"
)

// ReconcileConfig configures Reconcile. Zero values mean the defaults.
type ReconcileConfig struct {
	Keys int // of each side; default 200,000
	// Differences are how many keys only one side has, half of them each; default 10, 1,000 and
	// a tenth of Keys.
	Differences []int
	Seed        uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Limits of a ReconcileConfig.
const (
	DefaultReconcileKeys = 200_000
	MaxReconcileKeys     = 5_000_000
	maxDifferences       = 20 // sizes of difference
)

func (c ReconcileConfig) withDefaults() (ReconcileConfig, error) {
	c.Keys, c.Seed = cmp.Or(c.Keys, DefaultReconcileKeys), cmp.Or(c.Seed, 1)
	if c.Keys < 1 || c.Keys > MaxReconcileKeys {
		return c, fmt.Errorf("lab: ReconcileConfig.Keys is %d, want 1 to %d, or 0 for %d", c.Keys, MaxReconcileKeys, DefaultReconcileKeys)
	}
	if len(c.Differences) == 0 {
		for _, d := range []int{10, 1000, c.Keys / 10} {
			if d <= 2*c.Keys && !slices.Contains(c.Differences, d) {
				c.Differences = append(c.Differences, d)
			}
		}
	}
	if len(c.Differences) > maxDifferences {
		return c, fmt.Errorf("lab: ReconcileConfig.Differences has %d sizes, at most %d may be", len(c.Differences), maxDifferences)
	}
	for _, d := range c.Differences {
		if d < 0 || d > 2*c.Keys {
			return c, fmt.Errorf("lab: a difference of %d keys, want 0 to %d: each side has %d", d, 2*c.Keys, c.Keys)
		}
	}
	return c, nil
}

// Reconcile compares the ways in which two machines can find the keys that only one of them
// has: bytes, rounds, what is found, and time.
func Reconcile(ctx context.Context, c ReconcileConfig) (*sheet.Sheet, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	table := &sheet.Table{Columns: []sheet.Column{
		{Name: "differences", Unit: "keys"}, {Name: "method"}, {Name: "bytes"}, {Key: "each", Name: "a difference", Unit: "bytes", Format: "%.1f"},
		{Name: "found", Unit: "%", Format: "%.2f"}, {Name: "rounds"}, {Name: "visited", Unit: "nodes"}, {Name: "time", Unit: "ms", Format: "%.1f"},
	}}
	lines := map[string]*sheet.Line{}
	plot := sheet.Plot{Title: "Bytes", X: "keys that differ", Y: "bytes", LogX: true, LogY: true}
	for _, m := range reconcilers {
		lines[m.name] = &sheet.Line{Name: m.name}
	}
	for _, d := range c.Differences {
		p := newPair(c.Keys, d, c.Seed)
		for _, m := range reconcilers {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if c.Progress != nil {
				c.Progress(fmt.Sprintf("%s, %d differences", m.name, d))
			}
			began := time.Now()
			o, err := m.run(p)
			if err != nil {
				return nil, fmt.Errorf("%s, %d differences: %w", m.name, d, err)
			}
			took := time.Since(began)
			table.Rows = append(table.Rows, o.row(d, m.name, took))
			lines[m.name].Points = append(lines[m.name].Points, sheet.Point{X: float64(d), Y: float64(o.bytes)})
		}
	}
	for _, m := range reconcilers {
		plot.Lines = append(plot.Lines, *lines[m.name])
	}
	return &sheet.Sheet{
		Title: "How two machines find what they differ in",
		Intro: []string{"What it teaches: two machines find what each lacks of the other for a few bytes a difference, however much both have; a filter costs " +
			"bytes for all that they have, and still misses some.", fmt.Sprintf("Two sets of %s keys of 64 bits, which differ in the given number, half of them on each side. \"Found\" is the share of "+
			"what a method looks for: of the keys of both sides where it says \"both ways\", otherwise of those that only the second has, to which the first "+
			"has sent a filter. Time is that of both sides on one core of this machine. crawler diff uses these methods on crawls.", sheet.Group(int64(c.Keys)))},
		Config: []sheet.Setting{{Name: "keys", Value: c.Keys}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{
			{Title: "Methods", Notes: reconcileNotes(), Table: table, Plots: []sheet.Plot{plot}},
			{Title: "The source's figures", Notes: []string{"002, \"(Approximate) Set Difference\": keys are shuffled onto the square of the larger set, the tree " +
				"over them is sent as a Bloom filter with k of the order of log log, and a walk down the other tree ends where the filter knows a node. e is the " +
				"filter's rate, d the depth."}, Table: reconcileTheory(c)},
		},
	}, nil
}

func reconcileNotes() []string {
	return []string{"A filter is as large as the set, whatever differs. Rateless symbols and ranges are as large as the difference; so is tree against tree, " +
		"in as many rounds as the tree has levels. Correction c lets the walk of a Merkle tree continue below c nodes in a row that the filter knows; " +
		"boosting sends filters of several trees with other seeds. A false positive near the root hides half of the keys, so what is found without either varies much between seeds."}
}

// pair is two sets, and what only one of them has, ascending.
type pair struct {
	a, b, onlyA, onlyB []uint64
	seed               uint64
}

func newPair(keys, differences int, seed uint64) *pair {
	p := &pair{seed: seed}
	inA := differences / 2
	inB := differences - inA
	next := seed
	key := func() uint64 {
		next += splitmix.Golden
		return splitmix.Finish(next)
	}
	for range inA {
		p.onlyA = append(p.onlyA, key())
	}
	for range inB {
		p.onlyB = append(p.onlyB, key())
	}
	p.a, p.b = slices.Clone(p.onlyA), slices.Clone(p.onlyB)
	for range max(keys-max(inA, inB), 0) {
		k := key()
		p.a, p.b = append(p.a, k), append(p.b, k)
	}
	for _, list := range [][]uint64{p.a, p.b, p.onlyA, p.onlyB} {
		slices.Sort(list)
	}
	return p
}

// reconciled is what a method did.
type reconciled struct {
	bytes, rounds int
	found, of     int
	visited       int // 0: it walks no tree
}

func (o *reconciled) row(d int, name string, took time.Duration) []sheet.Cell {
	row := []sheet.Cell{d, name, o.bytes, nil, nil, o.rounds, nil, float64(took.Microseconds()) / 1000}
	if d > 0 {
		row[3] = float64(o.bytes) / float64(d)
	}
	if o.of > 0 {
		row[4] = 100 * float64(o.found) / float64(o.of)
	}
	if o.visited > 0 {
		row[6] = o.visited
	}
	return row
}

// count sets what was found; keys that are not in the difference are an error.
func (o *reconciled) count(found, truth []uint64) error {
	o.of += len(truth)
	for _, k := range found {
		if _, ok := slices.BinarySearch(truth, k); !ok {
			return fmt.Errorf("lab: a key was found that both sides have")
		}
		o.found++
	}
	return nil
}

// reconcilers are the methods.
var reconcilers = []struct {
	name string
	run  func(*pair) (*reconciled, error)
}{
	{"rateless symbols, both ways", byRateless},
	{"ranges, both ways", byRanges},
	{"tree against tree", byTrees},
	{"compressed filter, 15.5 bits", byGolomb},
	{"Bloom filter, 16 bits", byBloom},
	{"Merkle filter, k = log log, c = 0", byMerkle(0, 0, 0, 1)},
	{"Merkle filter, k = log log, c = 0, boosted by 3", byMerkle(0, 0, 0, 3)},
	{"Merkle filter, k = log log, c = 5", byMerkle(0, 0, 5, 1)},
	{"Merkle filter, 8 + 8 bits, c = 3", byMerkle(8, 8, 3, 1)},
	{"Merkle filter, 8 + 16 bits, c = 5", byMerkle(8, 16, 5, 1)},
}

func byRateless(p *pair) (*reconciled, error) {
	o := &reconciled{}
	a, b, d := dedup.NewRateless(p.a), dedup.NewRateless(p.b), dedup.NewDifference(len(p.a), len(p.b))
	for !d.Done() {
		n, at := d.Wanted(), b.At()
		if n == 0 {
			return nil, dedup.ErrTooDifferent
		}
		sent := dedup.AppendForm(nil, b.AppendSymbols(nil, n), at, len(p.b))
		o.bytes += len(sent)
		o.rounds++
		got, err := dedup.ReadForm(sent, n, at, len(p.b))
		if err == nil {
			err = d.Add(a.AppendSymbols(nil, n), got)
		}
		if err != nil {
			return nil, err
		}
	}
	onlyA, onlyB := d.Keys()
	return o, cmp.Or(o.count(onlyA, p.onlyA), o.count(onlyB, p.onlyB))
}

func byRanges(p *pair) (*reconciled, error) {
	o := &reconciled{}
	a, b := dedup.NewRanges(p.a), dedup.NewRanges(p.b)
	message, messages := a.First(), 0
	for to := b; len(message) > 0; messages++ {
		o.bytes += len(message)
		reply, err := to.Reply(message)
		if err != nil {
			return nil, err
		}
		message = reply
		if to == b {
			to = a
		} else {
			to = b
		}
	}
	o.rounds = (messages + 1) / 2
	onlyA, onlyB := a.Difference()
	return o, cmp.Or(o.count(onlyA, p.onlyA), o.count(onlyB, p.onlyB))
}

// hashBytes is what a node's hash takes on the way.
const hashBytes = 8

func byTrees(p *pair) (*reconciled, error) {
	places := dedup.MerklePlaces(len(p.a), len(p.b))
	a, b := dedup.NewMerkleTree(p.a, places, p.seed), dedup.NewMerkleTree(p.b, places, p.seed)
	missing, asked, rounds := b.MissingIn(a)
	o := &reconciled{bytes: asked * hashBytes, rounds: rounds, visited: asked}
	return o, o.count(missing, p.onlyB)
}

// notIn are B's keys that a filter of A does not know.
func (p *pair) notIn(has func(uint64) bool) (missing []uint64) {
	for _, k := range p.b {
		if !has(k) {
			missing = append(missing, k)
		}
	}
	return missing
}

func byGolomb(p *pair) (*reconciled, error) {
	f := dedup.NewGolomb(p.a, dedup.GolombBits(len(p.a), 14))
	form, err := f.MarshalBinary()
	o := &reconciled{bytes: len(form), rounds: 1}
	return o, cmp.Or(err, o.count(p.notIn(f.Has), p.onlyB))
}

func byBloom(p *pair) (*reconciled, error) {
	f := dedup.NewBloom(dedup.SizeWithin(int64(len(p.a)), 16*int64(len(p.a))), p.seed)
	f.AddAll(p.a)
	o := &reconciled{bytes: int(f.Bits() / 8), rounds: 1}
	return o, o.count(p.notIn(f.Has), p.onlyB)
}

// byMerkle is the source's method with the given bits for inner nodes and leaves, or with k of
// the order of log log if those are 0, and filters of several trees.
func byMerkle(inner, leaf float64, correction, boost int) func(*pair) (*reconciled, error) {
	return func(p *pair) (*reconciled, error) {
		o := &reconciled{rounds: 1}
		inner, leaf := inner, leaf
		if inner == 0 {
			inner = dedup.MerkleBits(dedup.MerkleK(len(p.b)))
			leaf = inner
		}
		found := map[uint64]bool{}
		for i := range boost {
			f := dedup.NewMerkleTree(p.a, dedup.MerklePlaces(len(p.a), len(p.b)), p.seed+uint64(i)).Filter(inner, leaf)
			missing, visited := f.Tree(p.b).Missing(f, correction)
			o.bytes += int(f.Bits() / 8)
			o.visited += visited
			for _, k := range missing {
				found[k] = true
			}
		}
		var all []uint64
		for k := range found {
			all = append(all, k)
		}
		return o, o.count(all, p.onlyB)
	}
}

// reconcileTheory is the worked example and the orders of magnitude of the source.
func reconcileTheory(c ReconcileConfig) *sheet.Table {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "what"}, {Name: "source says"}, {Name: "computed", Format: "%.4g"}, {Name: "measured", Format: "%.4g"}}}
	n := c.Keys
	differences := max(min(n/10, 2000), 1)
	p := newPair(n, 2*differences, c.Seed)
	places := dedup.MerklePlaces(len(p.a), len(p.b))
	a, b := dedup.NewMerkleTree(p.a, places, c.Seed), dedup.NewMerkleTree(p.b, places, c.Seed)
	k := dedup.MerkleK(len(p.b))
	f := a.Filter(dedup.MerkleBits(k), dedup.MerkleBits(k))
	missing, visited := b.Missing(f, 0)
	slices.Sort(missing)
	e, log := math.Exp2(-float64(k)), math.Log2(float64(max(len(p.b), 2)))
	loglog := math.Log2(max(log, 1))
	wrong, asked := 0, 0
	for i := range 100_000 {
		asked++
		if f.HasNode(splitmix.Finish(c.Seed ^ uint64(i)<<32)) {
			wrong++
		}
	}
	t.Rows = [][]sheet.Cell{
		{"7 keys: places, above 7^2 = 49", "h = 64", math.Exp2(float64(dedup.MerklePlaces(7, 7))), nil},
		{"keys of a side, |A| and |B|", "", float64(len(p.b)), nil},
		{"depth of the shuffled tree, mean", "O(log |B|)", log + 0.33, b.MeanDepth()},
		{"depth, the deepest leaf", "O(log |B|)", 2 * log, float64(b.Depth())},
		{"positions a node, k", "O(log log |B|)", loglog, float64(k)},
		{"rate of false positives, e", "(1/2)^k = O(1/log |B|)", e, float64(wrong) / float64(asked)},
		{"filter, bits for each of |A|", "O(log log |B|)", 2 * float64(k) / math.Ln2, float64(f.Bits()) / float64(len(p.a))},
		{"share of leaves that are found", "(1-e)^d", math.Pow(1-e, b.MeanDepth()), float64(len(missing)) / float64(differences)},
		{"nodes visited for each of |B-A|", "O(log |B|)", log, float64(visited) / float64(differences)},
	}
	return t
}
