package dedup

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"crawler/internal/binform"
	"crawler/internal/splitmix"
	"github.com/cespare/xxhash/v2"
)

// A form decodes to a value that is deeply equal, and encodes to the same bytes;
// AppendBinary keeps what stands before.
func TestForms(t *testing.T) {
	for _, ft := range formTypes() {
		for i, f := range ft.good(3) {
			data, err := f.MarshalBinary()
			if err != nil {
				t.Fatalf("%s %d: %v", ft.kind, i, err)
			}
			if more, err := f.AppendBinary([]byte("before")); err != nil || string(more) != "before"+string(data) {
				t.Errorf("%s %d: AppendBinary: %v", ft.kind, i, err)
			}
			again := ft.zero()
			if err := again.UnmarshalBinary(data); err != nil {
				t.Fatalf("%s %d: %v", ft.kind, i, err)
			}
			if !ft.grows() && !reflect.DeepEqual(f, again) {
				t.Errorf("%s %d: it came back changed", ft.kind, i)
			}
			if got := must(again.MarshalBinary()); !bytes.Equal(got, data) {
				t.Errorf("%s %d: it encodes differently now", ft.kind, i)
			}
			ft.use(again)
		}
	}
}

// The bytes of version 1, and what they mean: a change here is a new version, or
// filters on disk would be misread.
func TestFormsAreStable(t *testing.T) {
	want := map[binform.Kind]uint64{
		"BLOM": 0xeb4fc3f13a2fce83,
		"CLAS": 0x662384e982f2668d,
		"SEGB": 0x9d5ff85e695480c8,
		"PMLB": 0xa4ed960ce6c5e372,
		"MLBF": 0x74fd9a053aca47c1,
		"FSET": 0xf32333c972334c51,
		"ACCT": 0x6eed61611db31cc4,
		"SPEC": 0xc06be08f26db8c1e,
		"MINH": 0xb475afd525de36ac,
		"LSHB": 0x2fe95ed9ee8ec8ca,
		"SIMH": 0xc61444a2a85c5311,
		"NEAR": 0x88a55ee00884891b,
	}
	for _, ft := range formTypes() {
		sum := uint64(0)
		for _, f := range ft.good(3) {
			sum = sum*31 + xxhash.Sum64(must(f.MarshalBinary()))
		}
		if sum != want[ft.kind] {
			t.Errorf("%q: the forms hash to %#x, not %#x", string(ft.kind), sum, want[ft.kind])
		}
	}
}

// The tables of a decoded Set are as large as if it had grown.
func TestSetFormSizesTables(t *testing.T) {
	for _, n := range []uint64{1, 63, 1000, 10_000, 100_000} {
		var grown, decoded Set
		for i := range n {
			grown.Add(splitmix.Finish(i))
		}
		if err := decoded.UnmarshalBinary(must(grown.MarshalBinary())); err != nil {
			t.Fatal(err)
		}
		for i := range grown.tables {
			if got, want := decoded.tables[i].homes, grown.tables[i].homes; got != want {
				t.Fatalf("%d hashes, table %d: %d homes, want %d", n, i, got, want)
			}
		}
	}
}

// Decoding does not take quadratic time for hashes that crowd together: that would
// be ten thousand times as long as for others.
func TestSetFormOfCrowdedHashes(t *testing.T) {
	const n = 200_000
	decode := func(gap uint64) (s Set, least time.Duration) {
		e := binform.Begin(nil, kindSet, formVersion)
		e.Int64(n)
		for i := range uint64(n) {
			e.Uint64(i * gap)
		}
		data := e.Close()
		for i := range 3 {
			start := time.Now()
			if err := s.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); i == 0 || took < least {
				least = took
			}
		}
		return s, least
	}
	_, spread := decode(math.MaxUint64 / n)
	s, crowded := decode(1)
	if s.Len() != n || !s.Has(0) || !s.Has(5) || s.Has(n) {
		t.Errorf("%d hashes", s.Len())
	}
	if crowded > 200*spread {
		t.Errorf("%v for hashes that crowd together, %v for others", crowded, spread)
	}
}

// Damage anywhere is found, and changes nothing.
func TestFormsRefuseDamage(t *testing.T) {
	for _, ft := range formTypes() {
		f := ft.good(2)[0]
		data := must(f.MarshalBinary())
		refused := func(what string, bad []byte) {
			t.Helper()
			if err := f.UnmarshalBinary(bad); !errors.Is(err, binform.ErrFormat) {
				t.Errorf("%s, %s: %v", ft.kind, what, err)
			}
			if !bytes.Equal(must(f.MarshalBinary()), data) {
				t.Fatalf("%s, %s: changed by what was refused", ft.kind, what)
			}
		}
		for i := 0; i < len(data); i += 1 + i/20 {
			refused("cut", data[:i])
			damaged := bytes.Clone(data)
			damaged[i] ^= 1
			refused("damaged", damaged)
		}
		fields := fieldsOf(data)
		refused("a byte more", framed(ft.kind, append(bytes.Clone(fields), 0)))
		refused("a byte less", framed(ft.kind, fields[:len(fields)-1]))
	}
}

// What no constructor made has no form; of the others the zero value is one.
func TestZeroValuesHaveNoForm(t *testing.T) {
	for _, ft := range formTypes() {
		_, err := ft.zero().MarshalBinary()
		if usable := ft.kind == kindSet || ft.kind == kindHamming; usable != (err == nil) || !usable && !errors.Is(err, errZero) {
			t.Errorf("%s: %v", ft.kind, err)
		}
	}
	epoch := newMultilayer(must(Config{}.withDefaults()))
	epoch.reset(must(Config{}.withDefaults()), 10, nil, 4)
	if _, err := epoch.MarshalBinary(); err == nil {
		t.Error("the seed of a later epoch was taken for the secret")
	}
}

// Forms that claim what they cannot have are refused; every case is a good form
// with one field changed.
func TestFormsRefuse(t *testing.T) {
	type field struct {
		at   int // behind the header
		size int
	}
	set := func(f form, at field, v uint64) []byte {
		data := must(f.MarshalBinary())
		fields := slices.Clone(fieldsOf(data))
		for i := range at.size {
			fields[at.at+i] = byte(v >> (8 * i))
		}
		return framed(binform.Kind(data[4:8]), fields)
	}
	list := newWeb(9, 20).urls(300)
	bloom, classic := NewBloom(Size{1024, 1}, 1), NewClassic(100, 3, 1)
	published := NewPublishedMultilayer(2, 100, 3)
	multi := newMultilayer(must(Config{ExpectURLs: 10, Layers: 2}.withDefaults()))
	set3 := &Set{}
	for _, h := range []uint64{0, 1 << 60, 1 << 61} {
		set3.Add(h)
	}
	acct := goodAccounts(list)(1)[1].(*saved)
	lossy := goodAccounts(list)(1)[2].(*saved)
	const risky = 114 + 16*DefaultLayers // where the risk begins in an account
	mean := math.Float64bits(lossy.risk.sum)
	huge := uint64(1) << 60
	for name, c := range map[string]struct {
		f    form
		at   field
		bad  []uint64
		good uint64 // what the field has, to know that the offset is right
	}{
		"lines a key":         {bloom, field{8, 1}, []uint64{0, 3, 255}, 1},
		"lines":               {bloom, field{9, 8}, []uint64{0, 1, 3, huge, 1 << 63}, 2},
		"hash functions":      {classic, field{8, 1}, []uint64{0, 65}, 3},
		"bits":                {classic, field{9, 8}, []uint64{0, 64, 129, 1 << 40, huge, 1 << 63}, 100},
		"bits behind the end": {classic, field{17 + 8, 8}, []uint64{1 << 36, 1 << 63}, 0},
		"layers":              {published, field{0, 1}, []uint64{0, 1, 3, 9, 255}, 2},
		"bits of a layer":     {published, field{2, 8}, []uint64{0, 200, 1 << 40, huge, 1 << 63}, 100},
		"layers of prefixes":  {multi, field{8, 1}, []uint64{0, 1, 3, 9}, 2},
		"room for prefixes":   {multi, field{9, 8}, []uint64{0, 63, 1 << 63}, 64},
		"lines of a layer":    {multi, field{18, 8}, []uint64{0, 1, 3, huge, 1 << 63}, 2},
		"lines a prefix":      {multi, field{17, 1}, []uint64{0, 2, 3}, 1},
		"hashes":              {set3, field{0, 8}, []uint64{0, 2, 4, huge, 1 << 63}, 3},
		"ascending hashes":    {set3, field{16, 8}, []uint64{0, 1 << 61, 1 << 62}, 1 << 60},

		"expected URLs":            {acct, field{8, 8}, []uint64{0, 1<<32 + 1, huge, 1 << 63}, 100},
		"rate":                     {acct, field{16, 8}, []uint64{0, math.Float64bits(0.6), math.Float64bits(nan()), 1 << 63}, math.Float64bits(1e-3)},
		"bits a URL":               {acct, field{24, 8}, []uint64{math.Float64bits(-1), math.Float64bits(257), math.Float64bits(nan())}, 0},
		"restart every":            {acct, field{32, 8}, []uint64{1 << 63}, 90},
		"layers of a crawl":        {acct, field{40, 1}, []uint64{0, 7, 9}, 8},
		"filter only":              {acct, field{41, 1}, []uint64{1, 2}, 0},
		"admitted URLs":            {acct, field{42, 8}, []uint64{0, 99, 1<<48 + 1, huge, 1 << 63}, 150},
		"account's design point":   {acct, field{50, 8}, []uint64{0, 1<<32 + 1, 1 << 63}, uint64(acct.expect)},
		"account's epoch":          {acct, field{58, 8}, []uint64{151, 1 << 63}, uint64(acct.began)},
		"account's restarts":       {acct, field{66, 8}, []uint64{1 << 63}, uint64(acct.epoch)},
		"account's questions":      {acct, field{74, 8}, []uint64{1 << 63}, 300},
		"account's errors":         {acct, field{82, 8}, []uint64{151, 1 << 63}, uint64(acct.wrong)},
		"account's pruned":         {acct, field{90, 8}, []uint64{151, 1 << 63}, uint64(acct.pruned)},
		"account's cached answers": {acct, field{98, 8}, []uint64{1 << 63}, uint64(acct.hot)},
		"account's settled":        {acct, field{106, 8}, []uint64{1 << 63}, 0},
		"account's first misses":   {acct, field{114, 8}, []uint64{151, 1 << 63}, uint64(acct.firstNew[0])},
		"account's prefixes":       {acct, field{122, 8}, []uint64{0, 151, 1 << 63}, uint64(acct.met[0])},
		"a cache without log":      {lossy, field{98, 8}, []uint64{1, 1 << 63}, 0},
		"expected losses":          {lossy, field{risky, 8}, []uint64{math.Float64bits(-1), math.Float64bits(1e19), math.Float64bits(nan())}, mean},
		"variance of losses":       {lossy, field{risky + 8, 8}, []uint64{0, math.Float64bits(1e19), math.Float64bits(nan())}, math.Float64bits(lossy.risk.variance)},
		"rate of losses":           {lossy, field{risky + 16, 8}, []uint64{math.Float64bits(-1), math.Float64bits(1.5), math.Float64bits(nan())}, math.Float64bits(lossy.risk.rate)},
		"URLs at risk":             {lossy, field{risky + 24, 8}, []uint64{151, 1 << 63}, uint64(lossy.risk.exposed)},
		"URLs at risk since":       {lossy, field{risky + 32, 8}, []uint64{151, 1 << 63}, uint64(lossy.risk.since)},
		"length of a sample":       {lossy, field{risky + 40, 4}, []uint64{0, 23, 1 << 31, 1<<32 - 1}, uint64(len(must(lossy.risk.all.MarshalBinary())))},
		"a sample of another seed": {lossy, field{0, 8}, []uint64{0, 2, huge}, 1},
	} {
		data := must(c.f.MarshalBinary())
		if !bytes.Equal(set(c.f, c.at, c.good), data) {
			t.Errorf("%s is not at %d", name, c.at.at)
			continue
		}
		for _, v := range c.bad {
			decode := reflect.New(reflect.TypeOf(c.f).Elem()).Interface().(form)
			var err error
			if n := allocated(func() { err = decode.UnmarshalBinary(set(c.f, c.at, v)) }); n > 300_000 { // the smallest tables of five Sets take half of that
				t.Errorf("%s %#x: %d bytes allocated", name, v, n)
			}
			if !errors.Is(err, binform.ErrFormat) || !reflect.ValueOf(decode).Elem().IsZero() {
				t.Errorf("%s %#x: %v", name, v, err)
			}
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
