package dedup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// combinable is what all filters are that can be combined.
type combinable[F any] interface {
	Union(F) error
	Intersect(F) error
}

// testSets builds filters of the sets A and B, and holds their union against the
// filter of all keys, bit for bit, and their intersection against the truth. add
// and has take the number of a key.
func testSets[F combinable[F]](t *testing.T, made func() F, add func(F, int), has func(F, int) bool) {
	t.Helper()
	const a, common, b = 1000, 700, 1000 // A has keys 0 to 999, B 700 to 1699
	build := func(from, to int) F {
		f := made()
		for i := from; i < to; i++ {
			add(f, i)
		}
		return f
	}
	union, both := build(0, a), build(common, common+b)
	if err := union.Union(both); err != nil {
		t.Fatal(err)
	}
	if want := build(0, common+b); !reflect.DeepEqual(union, want) {
		t.Error("the union is not the filter of all keys")
	}
	left, right := build(0, a), build(common, common+b)
	if err := both.Intersect(left); err != nil {
		t.Fatal(err)
	}
	alone := build(common, a)
	if !countsItsOnes(both) {
		t.Error("the ones of the intersection are counted wrong")
	}
	wrong, wrongLeft, wrongRight := 0, 0, 0
	for i := range 40_000 {
		known := i >= common && i < a
		if known && !has(both, i) {
			t.Fatalf("the intersection lost key %d", i)
		}
		if has(both, i) && !(has(left, i) && has(right, i)) {
			t.Fatalf("the intersection has key %d, the parts have not", i)
		}
		if has(alone, i) && !has(both, i) {
			t.Fatalf("the intersection errs less than the filter of the common keys, for %d", i)
		}
		if i >= common+b {
			wrong += count(has(both, i))
			wrongLeft += count(has(left, i))
			wrongRight += count(has(right, i))
		}
	}
	if wrong > min(wrongLeft, wrongRight) || wrongLeft == 0 {
		t.Errorf("false positives: %d of the intersection, %d and %d of its parts", wrong, wrongLeft, wrongRight)
	}
}

// countsItsOnes reports whether a filter that keeps the number of its ones has it right.
func countsItsOnes(f any) bool {
	switch f := f.(type) {
	case *Classic:
		return f.ones == ones(f.words)
	case *SegmentBloom:
		return countsItsOnes(&f.filter)
	case *PublishedMultilayer:
		for i := range f.layers {
			if !countsItsOnes(&f.layers[i]) {
				return false
			}
		}
		return countsItsOnes(&f.last)
	}
	return true
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSource001UnionAndIntersection(t *testing.T) {
	for seed := range uint64(20) {
		hash := func(i int) uint64 { return splitmix.Finish(seed<<32 + uint64(i)) }
		lines := 1 + int(seed%2)
		testSets(t, func() *Bloom { return NewBloom(sizeOf(6000, lines), seed) },
			func(f *Bloom, i int) { f.Add(hash(i)) }, func(f *Bloom, i int) bool { return f.Has(hash(i)) })
		testSets(t, func() *Classic { return NewClassic(6001+int64(seed), 4, seed) },
			func(f *Classic, i int) { f.Add(hash(i)) }, func(f *Classic, i int) bool { return f.Has(hash(i)) })
	}
}

func TestUnionAndIntersectionOfURLs(t *testing.T) {
	list := newWeb(8, 100).urls(40_000)
	testSets(t, func() *Multilayer { return mustMultilayer(t, Config{ExpectURLs: 1000, FPRate: 0.1}) },
		func(f *Multilayer, i int) { f.Add(list[i]) }, func(f *Multilayer, i int) bool { return f.Has(list[i]) })
	testSets(t, func() *PublishedMultilayer { return NewPublishedMultilayer(4, 3000, 3) },
		func(f *PublishedMultilayer, i int) { f.Add(list[i]) }, func(f *PublishedMultilayer, i int) bool { return f.Has(list[i]) })
	testSets(t, func() *SegmentBloom { return NewSegmentBloom(10_000, 3) },
		func(f *SegmentBloom, i int) { f.Add(list[i]) }, func(f *SegmentBloom, i int) bool { return f.Has(list[i]) })
}

// Filters that write a key to different bits are not combined, and stay as they
// were.
func TestMismatch(t *testing.T) {
	refuse := func(what string, f, o any, union, intersect func() error) {
		t.Helper()
		before := fmt.Sprint(f)
		for _, op := range []func() error{union, intersect} {
			if err := op(); !errors.Is(err, ErrMismatch) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if fmt.Sprint(f) != before {
			t.Errorf("%s: changed", what)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	one := NewBloom(Size{1 << 12, 1}, 1)
	one.Add(r.Uint64())
	for what, o := range map[string]*Bloom{
		"size": NewBloom(Size{1 << 13, 1}, 1), "lines": NewBloom(Size{1 << 12, 2}, 1), "seed": NewBloom(Size{1 << 12, 1}, 2),
	} {
		o.Add(r.Uint64())
		refuse("Bloom, "+what, one, o, func() error { return one.Union(o) }, func() error { return one.Intersect(o) })
	}
	classic := NewClassic(100, 3, 1)
	classic.Add(r.Uint64())
	for what, o := range map[string]*Classic{
		"size": NewClassic(101, 3, 1), "k": NewClassic(100, 4, 1), "seed": NewClassic(100, 3, 2),
	} {
		refuse("Classic, "+what, classic, o, func() error { return classic.Union(o) }, func() error { return classic.Intersect(o) })
	}
	published := NewPublishedMultilayer(4, 100, 3)
	published.Add(weburl.URL{})
	for what, o := range map[string]*PublishedMultilayer{
		"layers": NewPublishedMultilayer(3, 100, 3), "size": NewPublishedMultilayer(4, 101, 3), "k": NewPublishedMultilayer(4, 100, 2),
	} {
		refuse("PublishedMultilayer, "+what, published, o, func() error { return published.Union(o) }, func() error { return published.Intersect(o) })
	}
	cfg := Config{ExpectURLs: 100, Seed: 1}
	m := mustMultilayer(t, cfg)
	m.Add(mustParse("http://a/b/c"))
	mismatched := map[string]*Multilayer{}
	for what, change := range map[string]func(*Config){
		"seed":   func(c *Config) { c.Seed = 2 },
		"layers": func(c *Config) { c.Layers = 3 },
		"last":   func(c *Config) { c.FPRate = 1e-5 },
		"size":   func(c *Config) { c.ExpectURLs = 100_000 },
	} {
		c := cfg
		change(&c)
		mismatched[what] = mustMultilayer(t, c)
	}
	epoch := mustMultilayer(t, cfg)
	full, _ := cfg.withDefaults()
	epoch.reset(full, 100, nil, 1)
	mismatched["epoch"] = epoch
	for what, o := range mismatched {
		refuse("Multilayer, "+what, m, o, func() error { return m.Union(o) }, func() error { return m.Intersect(o) })
	}
}
