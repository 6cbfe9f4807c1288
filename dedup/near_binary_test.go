package dedup

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crawler/internal/binform"
	"crawler/internal/splitmix"
)

// mustDuplicates returns a Duplicates of a configuration that is right.
func mustDuplicates(t testing.TB, cfg DuplicatesConfig) *Duplicates {
	t.Helper()
	d, err := NewDuplicates(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What comes back answers as the original did, and can be added to.
func TestNearFormsAnswer(t *testing.T) {
	l, x, d := mustLSH(t, LSHConfig{}), &HammingIndex{}, mustDuplicates(t, DuplicatesConfig{})
	sigs, pages := clusters(t, l.cfg.MinHash, 100), pagesLike(1, 150)
	for i, s := range sigs {
		_, err := d.Add(uint32(i), pages[i])
		if err := errors.Join(err, l.Add(uint32(i*i), s), x.Add(uint32(i*i), s.lanes[i%3])); err != nil {
			t.Fatal(err)
		}
	}
	var l2 LSH
	var x2 HammingIndex
	var s2 Signature
	var d2 Duplicates
	for back, f := range map[form]form{&l2: l, &x2: x, &s2: &sigs[0], &d2: d} {
		if err := back.UnmarshalBinary(must(f.MarshalBinary())); err != nil {
			t.Fatal(err)
		}
	}
	for i, words := range pages { // those again, then others
		i := uint32(i)
		a, err1 := d.Add(i, words)
		b, err2 := d2.Add(i, words)
		if err := errors.Join(err1, err2); err != nil || a != b || a.Verdict != SameText && i < 100 {
			t.Fatalf("page %d: %+v, want %+v, %v", i, b, a, err)
		}
	}
	sameIndex(t, "decoded", &l2, l, sigs)
	for i, s := range sigs {
		h := s.lanes[i%3] ^ 1<<i%64
		a, b := x.Find(nil, h, 3), x2.Find(nil, h, 3)
		slices.Sort(a)
		slices.Sort(b)
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("document %d: %v, want %v", i, b, a)
		}
		if err := errors.Join(l.Add(7, s), l2.Add(7, s), x.Add(7, h), x2.Add(7, h)); err != nil {
			t.Fatal(err)
		}
	}
	sameIndex(t, "decoded and added to", &l2, l, sigs)
	if j, err := s2.Similarity(sigs[0]); j != 1 || err != nil {
		t.Errorf("a decoded signature resembles itself by %v, %v", j, err)
	}
}

// bad is fields that no writer makes.
type bad struct {
	kind   binform.Kind
	fields []byte
}

// badFields returns some by what is wrong with them.
func badFields() map[string]bad {
	build := func(kind binform.Kind, write func(e *binform.Encoder)) bad {
		e := binform.Begin(nil, kind, formVersion)
		write(e)
		return bad{kind, fieldsOf(e.Close())}
	}
	signature := func(c MinHashConfig, empty uint8, words int) bad {
		return build(kindSignature, func(e *binform.Encoder) {
			putMinHash(e, c)
			e.Uint8(empty)
			e.Uint64s(make([]uint64, words))
		})
	}
	lsh := func(c MinHashConfig, bands, rows, limit, n uint64, bytes int) bad {
		return build(kindLSH, func(e *binform.Encoder) {
			putMinHash(e, c)
			e.Uint32(uint32(bands))
			e.Uint32(uint32(rows))
			e.Uint32(uint32(limit))
			e.Uint64(n)
			e.Raw(make([]byte, bytes))
		})
	}
	hamming := func(n uint64, bytes int) bad {
		return build(kindHamming, func(e *binform.Encoder) {
			e.Uint64(n)
			e.Raw(make([]byte, bytes))
		})
	}
	duplicates := func(c MinHashConfig, threshold float64, limit uint32, texts uint64, digests []byte, n uint64, bytes int) bad {
		return build(kindDuplicates, func(e *binform.Encoder) {
			putMinHash(e, c)
			e.Float64(threshold)
			e.Uint32(limit)
			e.Bool(true)
			e.Uint64(texts)
			for _, d := range digests {
				e.Raw(bytes16(d))
				e.Uint32(7)
			}
			e.Uint64(n)
			e.Raw(make([]byte, bytes))
		})
	}
	good := MinHashConfig{Slots: 128, Bits: 8, Shingle: 3}
	return map[string]bad{
		"no slots":             signature(MinHashConfig{Bits: 8, Shingle: 3}, 0, 16),
		"too many slots":       signature(MinHashConfig{Slots: math.MaxInt32, Bits: 8, Shingle: 3}, 0, 16),
		"odd slots":            signature(MinHashConfig{Slots: 127, Bits: 8, Shingle: 3}, 0, 16),
		"no bits":              signature(MinHashConfig{Slots: 128, Shingle: 3}, 0, 16),
		"no shingle":           signature(MinHashConfig{Slots: 128, Bits: 8}, 0, 16),
		"a word missing":       signature(good, 0, 15),
		"a word too many":      signature(good, 0, 17),
		"words of nothing":     signature(good, 1, 16),
		"half empty":           signature(good, 2, 16),
		"no bands":             lsh(good, 0, 0, 64, 1, 132),
		"too many bands":       lsh(good, 19, 7, 64, 1, 132),
		"bands beyond numbers": lsh(good, 1<<32-1, 1<<32-1, 64, 1, 132),
		"bands too short":      lsh(good, 18, 1, 64, 1, 132),
		"no room in buckets":   lsh(good, 18, 7, 0, 1, 132),
		"too roomy buckets":    lsh(good, 18, 7, 1<<20, 1, 132),
		"a document missing":   lsh(good, 18, 7, 64, 2, 132),
		"a document too many":  lsh(good, 18, 7, 64, 1, 264),
		"2^64 - 1 documents":   lsh(good, 18, 7, 64, 1<<64-1, 132),
		"2^31 documents":       lsh(good, 18, 7, 64, 1<<31, 132),
		"a hash missing":       hamming(2, 12),
		"a hash too many":      hamming(1, 24),
		"2^60 hashes":          hamming(1<<60, 12),
		"no threshold":         duplicates(good, 0, 64, 0, nil, 0, 0),
		"no sane threshold":    duplicates(good, math.NaN(), 64, 0, nil, 0, 0),
		"no limit":             duplicates(good, 0.8, 0, 0, nil, 0, 0),
		"2^63 texts":           duplicates(good, 0.8, 64, 1<<63, nil, 0, 100),
		"texts not in order":   duplicates(good, 0.8, 64, 2, []byte{2, 1}, 0, 0),
		"a text twice":         duplicates(good, 0.8, 64, 2, []byte{1, 1}, 0, 0),
		"a document too much":  duplicates(good, 0.8, 64, 1, []byte{1}, 2, 264),
		"2^32 documents":       duplicates(good, 0.8, 64, 2, []byte{1, 2}, 1<<32, 264),
		"no number of hashes":  build(kindHamming, func(*binform.Encoder) {}),
	}
}

func bytes16(last byte) []byte { return append(make([]byte, 15), last) }

// Fields that no writer makes are refused, change nothing, and make no decoder
// allocate much.
func TestBadFields(t *testing.T) {
	for _, ft := range nearTypes() {
		f := ft.good(4)[0]
		before := must(f.MarshalBinary())
		for what, bad := range badFields() {
			if bad.kind != ft.kind {
				continue
			}
			data := framed(bad.kind, bad.fields)
			var err error
			if n := allocated(func() { err = f.UnmarshalBinary(data) }); n > 48<<10 { // bands take 32 KiB at most
				t.Errorf("%s, %s: %d bytes allocated", ft.kind, what, n)
			}
			if !errors.Is(err, binform.ErrFormat) || !bytes.Equal(must(f.MarshalBinary()), before) {
				t.Errorf("%s, %s: %v", ft.kind, what, err)
			}
		}
	}
}

// The worst that a form may contain does not make a decoder allocate much more
// than it was given.
func TestNearFormsAllocateLittle(t *testing.T) {
	const n = 10_000
	worst := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: 1024, Bits: 16}, Bands: 1024, Rows: 1, BucketLimit: MaxBucketLimit})
	m := mustMinHash(t, worst.cfg.MinHash)
	var x HammingIndex
	for i := range uint32(n) {
		if i < n/50 {
			if err := worst.Add(i, m.Sketch(Signature{}, []uint64{splitmix.Finish(uint64(i))})); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Add(i, splitmix.Finish(uint64(i))); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		f, back form
		times   uint64
	}{"LSH": {worst, &LSH{}, 12}, "HammingIndex": {&x, &HammingIndex{}, 10}} {
		data := must(c.f.MarshalBinary())
		got := allocated(func() {
			if err := c.back.UnmarshalBinary(data); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%s: %d bytes in the form, %d allocated", name, len(data), got)
		if got > c.times*uint64(len(data)) {
			t.Errorf("%s: %d bytes allocated for a form of %d", name, got, len(data))
		}
	}
}

// crowd returns an index of n documents with signatures of one band of 64 bits, all
// of which have their home in the first 256th of the band's table.
func crowd(t *testing.T, n int) *LSH {
	t.Helper()
	l := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: 64, Bits: 1}, Bands: 1, Rows: 64})
	r := rand.New(rand.NewPCG(1, 6))
	for len(l.ids) < n {
		if x := []uint64{r.Uint64()}; l.tag(x, 0) < 1<<24 {
			l.ids, l.lanes = append(l.ids, 1), append(l.lanes, x[0])
		}
	}
	return l
}

// Where a band lies in its table is known to everybody, and a form chooses the
// signatures: one that crowds them is refused before it takes long.
func TestNearFormsRefuseCrowds(t *testing.T) {
	const n = 20_000
	l := crowd(t, n)
	d := mustDuplicates(t, DuplicatesConfig{MinHash: l.cfg.MinHash, Threshold: 1})
	d.index.ids, d.index.lanes = l.ids, l.lanes
	for i := range uint32(n) {
		d.texts[Digest([]uint64{uint64(i)})] = i
	}
	if d.index.cfg.Rows != 64 {
		t.Fatalf("%d rows a band", d.index.cfg.Rows)
	}
	for crowded, into := range map[form]form{l: goodLSHs(1)[0], d: goodDuplicates(1)[0]} {
		before := must(into.MarshalBinary())
		err := into.UnmarshalBinary(must(crowded.MarshalBinary()))
		if !errors.Is(err, binform.ErrFormat) || !strings.Contains(err.Error(), "in one place") {
			t.Errorf("%T: %v", into, err)
		}
		if !bytes.Equal(must(into.MarshalBinary()), before) {
			t.Errorf("%T: changed by what was refused", into)
		}
	}
}

// The limit is far from what signatures have, in bands of any width.
func TestBandsAreNotCrowded(t *testing.T) {
	n := 100_000
	if long() {
		n = 3_000_000
	}
	for _, rows := range []int{16, 17, 20, 32, 64} {
		l := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: 64, Bits: 1}, Bands: 1, Rows: rows})
		for _, n := range []int{n, 40_000} { // all bands of 16 bits are taken, or not
			r := rand.New(rand.NewPCG(uint64(rows), 6))
			b, worst := newBand(n), 0
			for range n {
				slot, probe := b.place(l.tag([]uint64{r.Uint64()}, 0))
				slot.last, worst = 1, max(worst, probe)
			}
			t.Logf("%d bits, %d documents: at most %d from home", rows, n, worst)
			if worst > maxBandProbe/4 {
				t.Errorf("%d bits, %d documents: %d from home, and %d are allowed", rows, n, worst, maxBandProbe)
			}
		}
	}
}
