package dedup

import (
	"bytes"
	"reflect"
	"testing"

	"crawler/internal/binform"
)

func FuzzBloomUnmarshal(f *testing.F)               { fuzzForm(f, kindBloom) }
func FuzzClassicUnmarshal(f *testing.F)             { fuzzForm(f, kindClassic) }
func FuzzSegmentBloomUnmarshal(f *testing.F)        { fuzzForm(f, kindSegment) }
func FuzzPublishedMultilayerUnmarshal(f *testing.F) { fuzzForm(f, kindPublished) }
func FuzzMultilayerUnmarshal(f *testing.F)          { fuzzForm(f, kindMultilayer) }
func FuzzSetUnmarshal(f *testing.F)                 { fuzzForm(f, kindSet) }
func FuzzRestartingUnmarshal(f *testing.F)          { fuzzForm(f, kindRestarting) }

// fuzzForm takes the input as a whole form, and as fields with a frame to be put
// around: the fuzzer cannot forge a checksum.
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
		f.Add(data[16 : len(data)-8])
	}
	held := must(forms[0].MarshalBinary())
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<14)]
		tryForm(t, ft, held, data)
		e := binform.Begin(nil, kind, 1)
		e.Raw(data)
		tryForm(t, ft, held, e.Close())
	})
}

// tryForm decodes data into a value that holds something, and checks what comes
// of it.
func tryForm(t *testing.T, ft formType, held, data []byte) {
	into, same := ft.zero(), ft.zero()
	mustBe(into.UnmarshalBinary(held) == nil && same.UnmarshalBinary(held) == nil)
	var err error
	// A Restarting's filter and a Set's tables have sizes of their own, all others
	// as much as the form. The copies for the checks below are not counted.
	if n := allocated(func() { err = into.UnmarshalBinary(data) }); n > 4<<20+40*uint64(len(data)) {
		t.Fatalf("%d bytes allocated for a form of %d", n, len(data))
	}
	if err != nil {
		if !reflect.DeepEqual(into, same) {
			t.Fatal("an error changed the receiver")
		}
		return
	}
	first := must(into.MarshalBinary())
	again := ft.zero()
	if err := again.UnmarshalBinary(first); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(into, again) || !bytes.Equal(first, must(again.MarshalBinary())) {
		t.Fatal("encoded again it is another value")
	}
	ft.use(into)
}
