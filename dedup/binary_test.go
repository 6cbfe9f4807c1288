package dedup

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"crawler/internal/binform"
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
		"ACCT": 0x6eed61611db31cc4,
		"MRKL": 0xfd6ca1cd0423b651,
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

// What no constructor made has no form.
func TestZeroValuesHaveNoForm(t *testing.T) {
	for _, ft := range formTypes() {
		if _, err := ft.zero().MarshalBinary(); !errors.Is(err, errZero) {
			t.Errorf("%s: %v", ft.kind, err)
		}
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
	bloom := NewBloom(Size{1024, 1}, 1)
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
		"lines a key": {bloom, field{8, 1}, []uint64{0, 3, 255}, 1},
		"lines":       {bloom, field{9, 8}, []uint64{0, 1, 3, huge, 1 << 63}, 2},

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
		"account's checked":        {acct, field{106, 8}, []uint64{1 << 63}, 0},
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
			if n := allocated(func() { err = decode.UnmarshalBinary(set(c.f, c.at, v)) }); n > 300_000 {
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
