package stats

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// kept is what a crawl keeps of a sketch: a full delta, and those since.
type kept struct {
	deltas [][]byte
	base   Base
}

// commit keeps what w is, now and then in full, and marks it.
func (k *kept) commit(w *Words, full bool) {
	if full || len(k.deltas) == 0 {
		k.deltas = [][]byte{w.AppendDelta(nil, nil)}
	} else {
		k.deltas = append(k.deltas, w.AppendDelta(nil, &k.base))
	}
	w.Mark(&k.base)
}

func (k *kept) restore(t testing.TB) *Words {
	t.Helper()
	w := new(Words)
	if err := w.Replay(k.deltas...); err != nil {
		t.Fatal(err)
	}
	return w
}

// deltaConfigs are sizes at which every part of a sketch soon comes to its end, and those of a
// crawl.
var deltaConfigs = []Config{
	{Head: 16, Registers: 16, Width: 16},
	{Head: 1, Registers: 1024, Width: 64},
	{Head: 100, Registers: 32, Width: 32},
	SiteConfig(0),
	{},
}

// texts are streams of which the words are few, many, all different, or change late.
var deltaTexts = []func(r *rand.Rand, at int) uint64{
	func(r *rand.Rand, _ int) uint64 { return uint64(r.ExpFloat64() * 20) },
	func(r *rand.Rand, _ int) uint64 { return uint64(r.ExpFloat64() * r.ExpFloat64() * 3000) },
	func(r *rand.Rand, _ int) uint64 { return r.Uint64() },
	func(r *rand.Rand, at int) uint64 { return uint64(at/20_000)<<32 + uint64(r.ExpFloat64()*500) },
}

// A crawl that breaks off at any moment and continues with what was committed has the sketches
// of one that never broke off, to the bit: whatever the text, however much of it comes between
// two commits, and however long the chain of deltas is.
func TestDeltasAreExact(t *testing.T) {
	words, seeds := 80_000, uint64(3)
	if testing.Short() {
		words, seeds = 12_000, 1
	}
	for seed := range seeds {
		for i, cfg := range deltaConfigs {
			for j, text := range deltaTexts {
				t.Run(fmt.Sprintf("sizes %d, text %d, seed %d", i, j, seed), func(t *testing.T) {
					cfg.Seed = seed
					random := rand.New(rand.NewPCG(seed, uint64(10*i+j)))
					through, broken, k := NewWords(cfg), NewWords(cfg), kept{}
					k.commit(broken, false)
					for at := 0; at < words; {
						page := make([]uint64, random.IntN([]int{1, 40, 900, 5000}[random.IntN(4)]+1))
						for n := range page {
							page[n] = text(random, at)
							at++
						}
						through.AddAll(page)
						broken.AddAll(page)
						at++
						if random.IntN(3) == 0 {
							continue // one commit for several pages
						}
						k.commit(broken, random.IntN(30) == 0)
						if random.IntN(8) == 0 {
							broken = k.restore(t)
							broken.Mark(&k.base)
						}
						if random.IntN(5) == 0 && !bytes.Equal(marshaled(t, through), marshaled(t, k.restore(t))) {
							t.Fatalf("after %d words and %d deltas the forms differ", at, len(k.deltas))
						}
					}
					k.commit(broken, false)
					if !bytes.Equal(marshaled(t, through), marshaled(t, k.restore(t))) {
						t.Fatal("at the end the forms differ")
					}
				})
			}
		}
	}
}

// Counts that the slots of the front cannot hold are swept aside between two commits or not.
func TestDeltasOfLargeCounts(t *testing.T) {
	cfg := Config{Head: 100, Registers: 64, Width: 16, Seed: 3}
	through, broken, k := NewWords(cfg), NewWords(cfg), kept{}
	random, text := rand.New(rand.NewPCG(1, 2)), different(400)
	for i := range 60 {
		page := slices.Concat(slices.Repeat(text[:1+random.IntN(3)], 1+random.IntN(40_000)), text[:random.IntN(400)])
		through.AddAll(page)
		broken.AddAll(page)
		k.commit(broken, i%20 == 0)
		broken = k.restore(t)
		broken.Mark(&k.base)
		if !bytes.Equal(marshaled(t, through), marshaled(t, broken)) {
			t.Fatalf("after %d pages the forms differ", i+1)
		}
	}
	if len(broken.surprise.front.carry) == 0 {
		t.Error("no count was too large for its slot")
	}
}

// A sketch that was added to is cheaper to keep by deltas, and a full delta is
// smaller than the form.
func TestDeltasAreSmall(t *testing.T) {
	for _, c := range []struct {
		cfg        Config
		full, most int // bytes
	}{{SiteConfig(1), 9000, 390}, {Config{Seed: 1}, 65_000, 860}} {
		w, k := NewWords(c.cfg), kept{}
		for _, page := range zipfText(400, 1, 1) {
			w.AddAll(page)
			k.commit(w, false)
		}
		sum := 0
		for _, d := range k.deltas[300:] {
			sum += len(d)
		}
		full := len(w.AppendDelta(nil, nil))
		t.Logf("a form of %d bytes, a full delta of %d, one of a page of 1,000 words of %d on average", len(marshaled(t, w)), full, sum/100)
		if full > c.full || sum/100 > c.most {
			t.Errorf("more than %d and %d bytes", c.full, c.most)
		}
	}
}

// A delta that is torn, repeated, left out, or has nothing to continue is refused, and changes
// nothing.
func TestReplayRefusesDamage(t *testing.T) {
	w, k := NewWords(SiteConfig(1)), kept{}
	for _, page := range zipfText(12, 1, 1) {
		w.AddAll(page)
		k.commit(w, false)
	}
	d := k.deltas
	flipped := bytes.Clone(d[5])
	flipped[len(flipped)/2] ^= 4
	chains := map[string][][]byte{
		"no full one":            d[1:],
		"one left out":           append(slices.Clone(d[:4]), d[5:]...),
		"one twice":              append(slices.Clone(d[:5]), d[4]),
		"two in the wrong order": {d[0], d[2], d[1]},
		"one damaged":            append(slices.Clone(d[:5]), flipped),
		"one that is a form":     append(slices.Clone(d[:5]), marshaled(t, w)),
		"one empty":              append(slices.Clone(d[:5]), nil),
	}
	for n := range len(d[11]) {
		chains[fmt.Sprintf("the last torn at %d", n)] = append(slices.Clone(d[:11]), d[11][:n])
	}
	fields := fieldsOf(d[11])
	for n := range len(fields) {
		chains[fmt.Sprintf("the last written with %d bytes of fields", n)] = append(slices.Clone(d[:11]), framed(deltaKind, fields[:n]))
	}
	chains["one with a byte more"] = append(slices.Clone(d[:11]), framed(deltaKind, append(bytes.Clone(fields), 0)))
	for what, chain := range chains {
		held := new(Words)
		if err := held.Replay(d[0]); err != nil {
			t.Fatal(err)
		}
		if what == "no full one" {
			held = NewWords(SiteConfig(1))
		}
		before := marshaled(t, held)
		if err := held.Replay(chain...); !errors.Is(err, binform.ErrFormat) || !bytes.Equal(marshaled(t, held), before) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Replay(d...); err != nil {
		t.Errorf("undamaged: %v", err)
	}
}

// Deltas from elsewhere are refused or taken, and a sketch that took some is in order.
func FuzzReplay(f *testing.F) {
	for _, cfg := range deltaConfigs {
		w, k := NewWords(cfg), kept{}
		for _, page := range zipfText(4, 1, 1) {
			w.AddAll(page)
			k.commit(w, false)
		}
		for _, d := range k.deltas {
			f.Add(fieldsOf(d))
		}
	}
	large := zipfText(30, 1, 2)
	f.Fuzz(func(t *testing.T, fields []byte) {
		for _, w := range []*Words{new(Words), NewWords(SiteConfig(1)), NewWords(Config{Head: 16, Registers: 16, Width: 16})} {
			if w.surprise.limit > 0 {
				w.AddAll(slices.Concat(large...))
			}
			before := marshaled(t, w)
			if err := w.Replay(framed(deltaKind, fields)); err != nil {
				if !errors.Is(err, binform.ErrFormat) || !bytes.Equal(marshaled(t, w), before) {
					t.Fatalf("the receiver was changed, or %v", err)
				}
				continue
			}
			w.AddAll(large[0])
			if err := new(Words).UnmarshalBinary(marshaled(t, w)); err != nil {
				t.Fatalf("what was taken is not in order: %v", err)
			}
		}
	})
}
