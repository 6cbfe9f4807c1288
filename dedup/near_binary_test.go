package dedup

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// nearForms returns a value of each type with n documents in it, and an empty
// one.
func nearForms(t testing.TB, n int) map[string][2]form {
	t.Helper()
	small := LSHConfig{MinHash: MinHashConfig{Slots: 64, Bits: 1, Seed: 3}, Bands: 4, Rows: 16}
	full, none := mustLSH(t, LSHConfig{}), mustLSH(t, small)
	var hamming HammingIndex
	sigs := clusters(t, full.cfg.MinHash, n)
	for i, s := range sigs {
		if err := errors.Join(full.Add(uint32(i*i), s), hamming.Add(uint32(i*i), s.lanes[i%3])); err != nil {
			t.Fatal(err)
		}
	}
	several, nobody := mustDuplicates(t, DuplicatesConfig{}), mustDuplicates(t, DuplicatesConfig{Threshold: 0.5, LeadersOnly: true})
	r := rand.New(rand.NewPCG(1, 9))
	for i := range uint32(n) {
		if _, err := several.Add(i, randomWords(r, 50, 4)); err != nil {
			t.Fatal(err)
		}
	}
	empty := mustMinHash(t, MinHashConfig{Bits: 1}).Sketch(Signature{}, nil)
	return map[string][2]form{
		"Signature":    {&sigs[0], &empty},
		"LSH":          {full, none},
		"HammingIndex": {&hamming, &HammingIndex{}},
		"Duplicates":   {several, nobody},
	}
}

// mustDuplicates returns a Duplicates of a configuration that is right.
func mustDuplicates(t testing.TB, cfg DuplicatesConfig) *Duplicates {
	t.Helper()
	d, err := NewDuplicates(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func nearEncoded(t testing.TB, f form) []byte {
	t.Helper()
	data, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fresh returns a new value of the type of f.
func nearFresh(f form) form { return reflect.New(reflect.TypeOf(f).Elem()).Interface().(form) }

func TestNearFormsComeBack(t *testing.T) {
	for name, values := range nearForms(t, 100) {
		for _, f := range values {
			data := nearEncoded(t, f)
			if got, err := f.AppendBinary([]byte("abc")); err != nil || string(got) != "abc"+string(data) {
				t.Errorf("%s: AppendBinary differs from MarshalBinary, %v", name, err)
			}
			back := nearFresh(f)
			if err := back.UnmarshalBinary(data); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(nearEncoded(t, back), data) {
				t.Errorf("%s comes back changed", name)
			}
		}
	}
	if _, err := (Signature{}).MarshalBinary(); err == nil {
		t.Error("a Signature that no MinHash made has a form")
	}
}

// What comes back answers as the original did, and can be added to.
func TestNearFormsAnswer(t *testing.T) {
	forms := nearForms(t, 100)
	l, x, s := forms["LSH"][0].(*LSH), forms["HammingIndex"][0].(*HammingIndex), forms["Signature"][0].(*Signature)
	var l2 LSH
	var x2 HammingIndex
	var s2 Signature
	d, d2 := forms["Duplicates"][0].(*Duplicates), Duplicates{}
	if err := d2.UnmarshalBinary(nearEncoded(t, d)); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9)) // the words of nearForms again, then others
	for i := range uint32(150) {
		words := randomWords(r, 50, 4)
		a, err1 := d.Add(i, words)
		b, err2 := d2.Add(i, words)
		if err := errors.Join(err1, err2); err != nil || a != b || a.Verdict != SameText && i < 100 {
			t.Fatalf("page %d: %+v, want %+v, %v", i, b, a, err)
		}
	}
	for back, f := range map[form]form{&l2: l, &x2: x, &s2: s} {
		if err := back.UnmarshalBinary(nearEncoded(t, f)); err != nil {
			t.Fatal(err)
		}
	}
	sigs := clusters(t, l.cfg.MinHash, 100)
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
	if j, err := s2.Similarity(*s); j != 1 || err != nil {
		t.Errorf("a decoded signature resembles itself by %v, %v", j, err)
	}
}

// nearFields returns fields that no writer makes, by what is wrong with them.
func nearFields() map[string]struct {
	kind   binform.Kind
	fields []byte
} {
	type bad = struct {
		kind   binform.Kind
		fields []byte
	}
	build := func(kind binform.Kind, write func(e *binform.Encoder)) bad {
		e := binform.Begin(nil, kind, nearVersion)
		write(e)
		data := e.Close()
		return bad{kind, data[16 : len(data)-8]}
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
		"too many slots":       signature(MinHashConfig{Slots: 1 << 31, Bits: 8, Shingle: 3}, 0, 16),
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

// framed puts a frame around fields: no fuzzer finds a checksum.
func framed(kind binform.Kind, fields []byte) []byte {
	e := binform.Begin(nil, kind, nearVersion)
	e.Raw(fields)
	return e.Close()
}

func TestNearFormsRefuse(t *testing.T) {
	forms := nearForms(t, 100)
	kinds := map[string]binform.Kind{"Signature": kindSignature, "LSH": kindLSH, "HammingIndex": kindHamming, "Duplicates": kindDuplicates}
	for name, values := range forms {
		before := nearEncoded(t, values[0])
		refused := func(what string, data []byte) {
			t.Helper()
			if err := values[0].UnmarshalBinary(data); !errors.Is(err, binform.ErrFormat) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			if !bytes.Equal(nearEncoded(t, values[0]), before) {
				t.Errorf("%s, %s: changed by what was refused", name, what)
			}
		}
		for i := 0; i < len(before); i += 1 + i/20 {
			refused("cut", before[:i])
			refused("damaged", append(append(bytes.Clone(before[:i]), before[i]^1), before[i+1:]...))
		}
		fields := before[16 : len(before)-8]
		refused("a byte more", framed(kinds[name], append(bytes.Clone(fields), 0)))
		refused("a byte less", framed(kinds[name], fields[:len(fields)-1]))
		for what, bad := range nearFields() {
			if bad.kind == kinds[name] {
				refused(what, framed(bad.kind, bad.fields))
			}
		}
	}
}

// Neither a claim of many documents nor the worst that a form may contain makes
// a decoder allocate much more than it was given.
func TestNearFormsAllocateLittle(t *testing.T) {
	targets := map[binform.Kind]form{kindSignature: &Signature{}, kindLSH: &LSH{}, kindHamming: &HammingIndex{}, kindDuplicates: &Duplicates{}}
	for what, bad := range nearFields() {
		data, f := framed(bad.kind, bad.fields), targets[bad.kind]
		if n := allocated(func() { _ = f.UnmarshalBinary(data) }); n > 48<<10 { // bands take 32 KiB at most
			t.Errorf("%s: %d bytes allocated", what, n)
		}
	}
	const n = 10_000
	worst := mustLSH(t, LSHConfig{MinHash: MinHashConfig{Slots: 1024, Bits: 16}, Bands: 1024, Rows: 1, BucketLimit: MaxBucketLimit})
	m := mustMinHash(t, worst.cfg.MinHash)
	var x HammingIndex
	for i := range uint32(n) {
		if i < n/50 {
			if err := worst.Add(i, m.Sketch(Signature{}, []uint64{scatter(uint64(i))})); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Add(i, scatter(uint64(i))); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		f     form
		times uint64
	}{"LSH": {worst, 12}, "HammingIndex": {&x, 10}} {
		data := nearEncoded(t, c.f)
		back := nearFresh(c.f)
		got := allocated(func() {
			if err := back.UnmarshalBinary(data); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%s: %d bytes in the form, %d allocated", name, len(data), got)
		if got > c.times*uint64(len(data)) {
			t.Errorf("%s: %d bytes allocated for a form of %d", name, got, len(data))
		}
	}
}
