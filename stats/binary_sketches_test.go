package stats

import (
	"bytes"
	"encoding"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// The binary forms of Sample and CountSketch.

// loadable is what the two have in common.
type loadable interface {
	Add(h uint64)
	AddAll(hashes []uint64)
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// freshSketches returns empty sketches, of sizes small enough that a page fills them.
func freshSketches() map[binform.Kind]loadable {
	return map[binform.Kind]loadable{
		sampleKind: NewSample(50, 0.75, 3), countKind: NewCountSketch(3, 32, 3),
	}
}

// formsOfKind returns forms of a kind: empty, with a few words, and full.
func formsOfKind(kind binform.Kind) (forms [][]byte) {
	for _, n := range []int{0, 7, 1000} {
		s := freshSketches()[kind]
		s.AddAll(skewed(rand.New(rand.NewPCG(1, 9)), n, 1.1))
		forms = append(forms, mustForm(s))
	}
	return forms
}

func TestSketchesBinaryRoundTrip(t *testing.T) {
	for kind := range freshSketches() {
		for i, form := range formsOfKind(kind) {
			s := freshSketches()[kind]
			s.Add(12345)
			if err := s.UnmarshalBinary(form); err != nil {
				t.Fatalf("%s, form %d: %v", kind, i, err)
			}
			if again, _ := s.AppendBinary([]byte("x")); string(again) != "x"+string(form) {
				t.Errorf("%s: form %d came back changed", kind, i)
			}
		}
	}
}

// A sketch that was saved and loaded continues as the one that was not.
func TestSketchesGoOnAfterLoading(t *testing.T) {
	text := english().text(3000, 2)
	for kind, whole := range freshSketches() {
		half := freshSketches()[kind]
		for i, h := range text {
			if i%500 == 250 {
				loaded := freshSketches()[kind]
				if err := loaded.UnmarshalBinary(mustForm(half)); err != nil {
					t.Fatal(err)
				}
				half = loaded
			}
			whole.Add(h)
			half.Add(h)
		}
		if !bytes.Equal(mustForm(whole), mustForm(half)) {
			t.Errorf("%s: another sketch", kind)
		}
	}
}

// fieldsForm returns a form of fields of 4 bytes, if they are uint32, or 8.
func fieldsForm(kind binform.Kind, fields ...any) []byte {
	e := binform.Begin(nil, kind, 1)
	for _, f := range fields {
		switch f := f.(type) {
		case uint32:
			e.Uint32(f)
		case uint64:
			e.Uint64(f)
		case int:
			e.Uint64(uint64(f))
		}
	}
	return e.Close()
}

// orderedByMix returns n hashes in ascending order of what mix makes of them under key 0.
func orderedByMix(n int) (h []uint64) {
	s := NewSample(n, 1, 0)
	s.key = 0
	s.AddAll(different(n))
	for len(s.keys) > 0 {
		h = append([]uint64{s.keys[0].hash}, h...)
		s.pop()
	}
	return h
}

func TestSketchesUnmarshalRefuses(t *testing.T) {
	const all, u16 = math.MaxUint64, uint32(16)
	k := orderedByMix(3)
	for _, c := range []struct {
		what string
		form []byte
		ok   bool
	}{
		{"a sample", fieldsForm(sampleKind, 0, u16, uint64(all), 9, uint32(2), k[0], 4, k[1], 5), true},
		{"keys out of order", fieldsForm(sampleKind, 0, u16, uint64(all), 9, uint32(2), k[1], 4, k[0], 5), false},
		{"a key twice", fieldsForm(sampleKind, 0, u16, uint64(all), 9, uint32(2), k[0], 4, k[0], 5), false},
		{"a key that occurred never", fieldsForm(sampleKind, 0, u16, uint64(all), 9, uint32(2), k[0], 4, k[1], 0), false},
		{"more occurrences than all", fieldsForm(sampleKind, 0, u16, uint64(all), 8, uint32(2), k[0], 4, k[1], 5), false},
		{"occurrences beyond 64 bits", fieldsForm(sampleKind, 0, u16, uint64(all), uint64(all), uint32(2), k[0], uint64(all), k[1], 5), false},
		{"a sample of 2^62", fieldsForm(sampleKind, 0, u16, uint64(all), maxLength, uint32(1), k[0], maxLength), true},
		{"occurrences beyond 2^62", fieldsForm(sampleKind, 0, u16, uint64(all), maxLength+1, uint32(1), k[0], 4), false},
		{"a key not accepted", fieldsForm(sampleKind, 0, u16, uint64(1<<48-1), 9, uint32(1), k[2], 4), false},
		{"a last hash inside a bucket", fieldsForm(sampleKind, 0, u16, uint64(1<<60), 9, uint32(0)), false},
		{"a last hash of a finer bucket", fieldsForm(sampleKind, 0, u16, uint64(7<<32-1), 9, uint32(0)), true},
		{"no limit", fieldsForm(sampleKind, 0, uint32(0), uint64(all), 9, uint32(0)), false},
		{"too large a limit", fieldsForm(sampleKind, 0, uint32(MaxSample+1), uint64(all), 9, uint32(0)), false},
		{"more keys than bytes", fieldsForm(sampleKind, 0, uint32(MaxSample), uint64(all), 9, uint32(MaxSample), k[0], 4), false},

		{"rows of different streams", fieldsForm(countKind, append([]any{0, uint32(3), u16}, zerosBut(48, 5, 1)...)...), false},
		{"rows of one stream", fieldsForm(countKind, append([]any{0, uint32(3), u16}, zerosBut(48, 5, 2)...)...), true},
		{"a row of 2^63 - 1", fieldsForm(countKind, append([]any{0, uint32(1), u16}, zerosBut(16, 5, math.MaxInt64)...)...), true},
		{"a counter of -2^63", fieldsForm(countKind, append([]any{0, uint32(1), u16}, zerosBut(16, 5, math.MinInt64)...)...), false},
		{"a row of 2^63", fieldsForm(countKind, append([]any{0, uint32(1), u16, 1}, zerosBut(15, 5, math.MaxInt64)...)...), false},
		{"an even depth", fieldsForm(countKind, append([]any{0, uint32(2), u16}, zerosBut(32, 0, 0)...)...), false},
		{"an odd width", fieldsForm(countKind, append([]any{0, uint32(1), uint32(17)}, zerosBut(17, 0, 0)...)...), false},
		{"a row missing", fieldsForm(countKind, append([]any{0, uint32(3), u16}, zerosBut(32, 0, 0)...)...), false},
		{"a size beyond 64 bits", fieldsForm(countKind, 0, uint32(math.MaxUint32), uint32(math.MaxUint32)), false},
	} {
		kind := binform.Kind(c.form[4:8])
		s := freshSketches()[kind]
		s.Add(3)
		before := mustForm(s)
		if err := s.UnmarshalBinary(c.form); (err == nil) != c.ok || err != nil && !errors.Is(err, binform.ErrFormat) {
			t.Errorf("%s %s: %v", kind, c.what, err)
		}
		if !c.ok && !bytes.Equal(before, mustForm(s)) {
			t.Errorf("%s %s: changed the sketch", kind, c.what)
		}
	}
}

// zerosBut returns n fields of 0, but for one.
func zerosBut(n, at, value int) []any {
	fields := make([]any, n)
	for i := range fields {
		fields[i] = 0
	}
	fields[at] = value
	return fields
}

// A form that claims a size it does not have makes no memory for it.
func TestSketchesUnmarshalAllocatesLittle(t *testing.T) {
	for _, form := range [][]byte{
		fieldsForm(sampleKind, 0, uint32(MaxSample), uint64(math.MaxUint64), 9, uint32(MaxSample)),
		// This one is accepted.
		fieldsForm(sampleKind, 0, uint32(MaxSample), uint64(math.MaxUint64), 9, uint32(0)),
		fieldsForm(countKind, 0, uint32(MaxDepth), uint32(MaxWidth)),
	} {
		s := freshSketches()[binform.Kind(form[4:8])]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := s.UnmarshalBinary(form)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<15 {
			t.Errorf("%s: %d bytes for a form of %d, %v", form[4:8], got, len(form), err)
		}
	}
}

// fuzzSketch tries the input as a form, and as the fields of one. To use a sketch may
// take it beyond what a form may hold; use reports whether it is still within.
func fuzzSketch(f *testing.F, kind binform.Kind, use func(t *testing.T, s loadable) bool) {
	for _, form := range formsOfKind(kind) {
		f.Add(form)
		f.Add(form[16 : len(form)-8])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		framed := binform.Begin(nil, kind, 1)
		framed.Raw(data)
		for _, form := range [][]byte{data, framed.Close()} {
			s := freshSketches()[kind]
			s.Add(3)
			before := mustForm(s)
			if err := s.UnmarshalBinary(form); err != nil {
				if !bytes.Equal(before, mustForm(s)) {
					t.Fatal("changed by a form that was refused")
				}
				continue
			}
			if !bytes.Equal(form, mustForm(s)) {
				t.Fatal("another form when written again")
			}
			within := use(t, s)
			again := freshSketches()[kind]
			if err := again.UnmarshalBinary(mustForm(s)); within && err != nil {
				t.Fatalf("its own form is refused: %v", err)
			}
		}
	})
}

func FuzzSampleUnmarshal(f *testing.F) {
	fuzzSketch(f, sampleKind, func(t *testing.T, s loadable) bool {
		sample := s.(*Sample)
		s.AddAll(different(20))
		counts := map[uint64]uint64{}
		for h, n := range sample.All {
			if !sample.Accepts(h) || n == 0 {
				t.Fatalf("key %x, %d times", h, n)
			}
			counts[h] = n
		}
		for _, i := range []Interval{sample.Unique(), sample.Distinct(), sample.Total()} {
			if !i.Contains(i.Estimate) {
				t.Fatalf("%v", i)
			}
		}
		checkSample(t, sample, counts)
		return sample.N() <= maxLength
	})
}

func FuzzCountSketchUnmarshal(f *testing.F) {
	fuzzSketch(f, countKind, func(t *testing.T, s loadable) bool {
		s.AddAll(different(20))
		sketch := s.(*CountSketch)
		if i := sketch.Surprise(); !(i.Low >= 0 && i.Contains(i.Estimate)) {
			t.Fatalf("%v", i)
		}
		sketch.Count(1)
		if err := sketch.Merge(sketch); err != nil {
			t.Fatal(err)
		}
		const far = math.MaxInt64 / 1000 // no row is so long
		return slices.Max(sketch.cells) < far && slices.Min(sketch.cells) > -far
	})
}
