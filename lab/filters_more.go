package lab

import (
	"context"
	"math/rand/v2"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// moreURLs is how many URLs the experiments with single filters use at most: more make the
// figures no clearer.
const moreURLs = 100_000

// more are the experiments with single filters. They use the URLs of the last size.
func (c *comparison) more(ctx context.Context) ([]sheet.Section, error) {
	c.cfg.Progress("single filters")
	keys := c.keys()
	var out []sheet.Section
	for _, make := range []func([]uint64) (sheet.Section, error){
		c.setsSection, c.filesSection, c.foldSection, c.wordsSection, c.compressedSection, c.countsSection,
	} {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s, err := make(keys)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// keys are the fingerprints of the URLs in use.
func (c *comparison) keys() []uint64 {
	urls := c.cfg.Corpus.URLs[:min(c.cfg.Sizes[len(c.cfg.Sizes)-1], moreURLs)]
	keys := make([]uint64, len(urls))
	for i, u := range urls {
		keys[i] = fingerprint(u.String())
	}
	return keys
}

// rnd returns a source of random numbers of its own for each experiment.
func (c *comparison) rnd(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(c.cfg.Seed, stream)) }

// has is what can be asked.
type has interface{ Has(h uint64) bool }

// absent asks about as many keys that nobody has inserted.
func (c *comparison) absent(f has, stream uint64) answers {
	rnd, a := c.rnd(stream), answers{asked: c.cfg.Questions}
	for range a.asked {
		if f.Has(rnd.Uint64()) {
			a.seen++
		}
	}
	return a
}

// lostBy counts the keys that a filter does not know.
func lostBy(f has, keys []uint64) (lost int) {
	for _, key := range keys {
		if !f.Has(key) {
			lost++
		}
	}
	return lost
}

// setBits is few, so that differences between rates can be seen.
const setBits = 6

// setsSection is the union and the intersection of two filters, as source 001 has them.
func (c *comparison) setsSection(keys []uint64) (sheet.Section, error) {
	third := len(keys) / 3
	inA, inB, both := keys[:2*third], keys[third:], keys[third:2*third]
	bits, k := int64(setBits*max(len(keys), 1)), dedup.BestK(setBits)
	made := func(keys ...[]uint64) *dedup.Classic {
		f := dedup.NewClassic(bits, k, c.cfg.Seed)
		for _, key := range slices.Concat(keys...) {
			f.Add(key)
		}
		return f
	}
	union, intersection := made(inA), made(inA)
	if err := union.Union(made(inB)); err != nil {
		return sheet.Section{}, err
	}
	if err := intersection.Intersect(made(inB)); err != nil {
		return sheet.Section{}, err
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "filter"}, {Name: "URLs"}, {Name: "ones", Unit: "share", Format: "%.4f"}, {Name: "rate", Format: "%.6f"},
		{Name: "from", Unit: "95 %", Key: "rate_low", Format: "%.6f"}, {Name: "to", Unit: "95 %", Key: "rate_high", Format: "%.6f"},
		{Name: "expected", Format: "%.6f"}, {Name: "URLs lost", Key: "lost"}}}
	load := func(n int) float64 { return float64(k) * float64(n) / float64(bits) }
	power := func(ones float64) float64 { return pow(ones, k) }
	common, only := dedup.Occupancy(load(len(both)), 1), dedup.Occupancy(load(third), 1)
	onlyB := dedup.Occupancy(load(len(keys)-2*third), 1)
	rates := map[string]answers{}
	for _, row := range []struct {
		name     string
		f        *dedup.Classic
		keys     []uint64
		expected float64
	}{
		{"A", made(inA), inA, power(dedup.Occupancy(load(len(inA)), 1))},
		{"B", made(inB), inB, power(dedup.Occupancy(load(len(inB)), 1))},
		{"A OR B", union, keys, power(dedup.Occupancy(load(len(keys)), 1))},
		{"made of the union", made(keys), keys, power(dedup.Occupancy(load(len(keys)), 1))},
		{"A AND B", intersection, both, power(common + (1-common)*only*onlyB)},
		{"made of the intersection", made(both), both, power(common)},
	} {
		a := c.absent(row.f, 20)
		rates[row.name] = a
		low, high := a.interval()
		t.Rows = append(t.Rows, []sheet.Cell{row.name, len(row.keys), row.f.Fill(), a.share(), low, high, row.expected, lostBy(row.f, row.keys)})
	}
	same := "not equal"
	if union.String() == made(keys).String() {
		same = "equal bit for bit"
	}
	return sheet.Section{ID: "sets", Title: "Union and intersection of two filters", Table: t, Notes: []string{
		"Two classic filters with two thirds of the URLs each, a third in both; of one size (6 bits for each URL of the union), number of hash functions and seed.",
		"The union by OR and the filter made of the union are " + same + ". The intersection by AND loses no URL of both, and errs no more often than A or B alone (" +
			percentSeen(rates["A AND B"]) + " against " + percentSeen(rates["A"]) + "), but more often than a filter made of the intersection (" +
			percentSeen(rates["made of the intersection"]) + "): bits that different URLs set in A and in B stay.",
	}}, nil
}

func pow(x float64, k int) float64 {
	out := 1.0
	for range k {
		out *= x
	}
	return out
}
