package dedup

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"crawler/internal/binform"
)

// bad is fields that no writer makes.
type bad struct {
	kind   binform.Kind
	fields []byte
}

// badFields returns some by what is wrong with them.
func badFields() map[string]bad {
	signature := func(c MinHashConfig, empty uint8, words int) bad {
		e := binform.Begin(nil, kindSignature, formVersion)
		putMinHash(e, c)
		e.Uint8(empty)
		e.Uint64s(make([]uint64, words))
		return bad{kindSignature, fieldsOf(e.Close())}
	}
	good := MinHashConfig{Slots: 128, Bits: 8, Shingle: 3}
	return map[string]bad{
		"no slots":         signature(MinHashConfig{Bits: 8, Shingle: 3}, 0, 16),
		"too many slots":   signature(MinHashConfig{Slots: math.MaxInt32, Bits: 8, Shingle: 3}, 0, 16),
		"odd slots":        signature(MinHashConfig{Slots: 127, Bits: 8, Shingle: 3}, 0, 16),
		"no bits":          signature(MinHashConfig{Slots: 128, Shingle: 3}, 0, 16),
		"no shingle":       signature(MinHashConfig{Slots: 128, Bits: 8}, 0, 16),
		"a word missing":   signature(good, 0, 15),
		"a word too many":  signature(good, 0, 17),
		"words of nothing": signature(good, 1, 16),
		"half empty":       signature(good, 2, 16),
	}
}

// Fields that no writer makes are refused, change nothing, and make no decoder
// allocate much.
func TestBadFields(t *testing.T) {
	f := goodSignatures(4)[0]
	before := must(f.MarshalBinary())
	for what, bad := range badFields() {
		data := framed(bad.kind, bad.fields)
		var err error
		if n := allocated(func() { err = f.UnmarshalBinary(data) }); n > 48<<10 {
			t.Errorf("%s, %s: %d bytes allocated", bad.kind, what, n)
		}
		if !errors.Is(err, binform.ErrFormat) || !bytes.Equal(must(f.MarshalBinary()), before) {
			t.Errorf("%s, %s: %v", bad.kind, what, err)
		}
	}
}
