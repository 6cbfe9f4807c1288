package dedup

import (
	"bytes"
	"reflect"
	"testing"

	"crawler/internal/binform"
)

func FuzzBloomUnmarshal(f *testing.F)   { fuzzForm(f, kindBloom) }
func FuzzAccountUnmarshal(f *testing.F) { fuzzForm(f, kindAccount) }
func FuzzMerkleUnmarshal(f *testing.F)  { fuzzForm(f, kindMerkle) }

// framed puts a frame around fields: no fuzzer finds a checksum.
func framed(kind binform.Kind, fields []byte) []byte {
	e := binform.Begin(nil, kind, formVersion)
	e.Raw(fields)
	return e.Close()
}

// fieldsOf returns what stands in the frame of a form.
func fieldsOf(form []byte) []byte { return form[16 : len(form)-8] }

// fuzzForm takes the input as a whole form, and as fields with a frame to be put
// around.
func fuzzForm(f *testing.F, kind binform.Kind) {
	var ft formType
	for _, ft = range formTypes() {
		if ft.kind == kind {
			break
		}
	}
	forms := ft.good(1)
	for _, good := range forms {
		data := must(good.MarshalBinary())
		if len(data) > 1<<12 {
			continue // the fuzzer mutates small inputs better
		}
		f.Add(data)
		f.Add(fieldsOf(data))
	}
	held := must(forms[0].MarshalBinary())
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<14)]
		tryForm(t, ft, held, data)
		tryForm(t, ft, held, framed(kind, data))
	})
}

// tryForm decodes data into a value that holds something, and checks what comes
// of it.
func tryForm(t *testing.T, ft formType, held, data []byte) {
	into, same := ft.zero(), ft.zero()
	mustBe(into.UnmarshalBinary(held) == nil && same.UnmarshalBinary(held) == nil)
	var err error
	// The copies for the checks below are not counted.
	if n := allocated(func() { err = into.UnmarshalBinary(data) }); n > ft.allowance(len(data)) {
		t.Fatalf("%d bytes allocated for a form of %d", n, len(data))
	}
	if err != nil {
		if !reflect.DeepEqual(into, same) {
			t.Fatal("an error changed the receiver")
		}
		return
	}
	first := must(into.MarshalBinary())
	if !bytes.Equal(first, data) {
		t.Fatalf("%x comes back as %x", data, first)
	}
	again := ft.zero()
	if err := again.UnmarshalBinary(first); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(into, again) || !bytes.Equal(first, must(again.MarshalBinary())) {
		t.Fatal("encoded again it is another value")
	}
	ft.use(into)
}
