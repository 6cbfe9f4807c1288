package dedup

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"testing"

	"crawler/internal/binform"
)

// spectralForms are filters of every method: empty, with large counters, and
// with one at its limit.
func spectralForms(t testing.TB) (forms [][]byte) {
	for _, method := range spectralMethods {
		s := newTestSpectral(t, SpectralConfig{Bytes: 256, Method: method, Seed: 77})
		for n := range uint64(3) {
			form, err := s.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			forms = append(forms, form)
			for i := range uint64(20) {
				s.AddN(scatter(i), i*i*i)
			}
			s.AddN(scatter(n), math.MaxUint64)
		}
	}
	return forms
}

func TestSpectralBinaryRoundTrip(t *testing.T) {
	for i, form := range spectralForms(t) {
		var s Spectral
		if err := s.UnmarshalBinary(form); err != nil {
			t.Fatalf("form %d: %v", i, err)
		}
		if again, _ := s.AppendBinary([]byte("x")); string(again) != "x"+string(form) {
			t.Errorf("form %d came back changed", i)
		}
		checkTable(t, &s.first)
		checkTable(t, &s.second)
	}
}

// A filter that was saved and loaded goes on as the one that was not.
func TestSpectralGoesOnAfterLoading(t *testing.T) {
	stream, _ := linkStream(500, 20_000, 4)
	for _, method := range spectralMethods {
		whole := newTestSpectral(t, SpectralConfig{Keys: 500, Method: method, Seed: 2})
		half := newTestSpectral(t, SpectralConfig{Keys: 500, Method: method, Seed: 2})
		for i, h := range stream {
			if i == len(stream)/2 {
				form, _ := half.MarshalBinary()
				half = new(Spectral)
				if err := half.UnmarshalBinary(form); err != nil {
					t.Fatal(err)
				}
			}
			whole.Add(h)
			half.Add(h)
		}
		a, _ := whole.MarshalBinary()
		if b, _ := half.MarshalBinary(); !bytes.Equal(a, b) {
			t.Errorf("%v: another filter", method)
		}
	}
}

// spectralForm returns a form of one line with the given counter, and a table
// with the given entries.
func spectralForm(method SpectralMethod, lines uint64, counter uint8, table ...uint64) []byte {
	e := binform.Begin(nil, spectralKind, spectralVersion)
	e.Uint8(uint8(method))
	e.Uint64(1)
	e.Uint64(lines)
	e.Raw(append([]byte{counter}, make([]byte, lineCounters-1)...))
	e.Uint64(uint64(len(table) / 2))
	e.Uint64s(table)
	e.Uint64(0) // lines of the second filter
	e.Uint64(0) // its table
	return e.Close()
}

func TestSpectralUnmarshalRefuses(t *testing.T) {
	empty := binform.Begin(nil, spectralKind, spectralVersion)
	empty.Uint8(0)
	empty.Uint64s(make([]uint64, 5))
	for name, form := range map[string][]byte{
		"nothing":                  nil,
		"no lines":                 empty.Close(),
		"an unknown method":        spectralForm(3, 1, 1),
		"no second filter":         spectralForm(RecurringMinimum, 1, 1),
		"more lines than bytes":    spectralForm(0, math.MaxUint64/64, 1),
		"a large counter missing":  spectralForm(0, 1, 255),
		"a small counter in table": spectralForm(0, 1, 254, 0, 300),
		"another counter in table": spectralForm(0, 1, 255, 1, 300),
		"a counter beyond":         spectralForm(0, 1, 255, 64, 300),
		"a small value in table":   spectralForm(0, 1, 255, 0, 254),
		"a counter twice":          spectralForm(0, 1, 255, 0, 300, 0, 300),
	} {
		s := newTestSpectral(t, SpectralConfig{Bytes: 64})
		s.Add(3)
		before, _ := s.MarshalBinary()
		if err := s.UnmarshalBinary(form); !errors.Is(err, binform.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := s.MarshalBinary(); !bytes.Equal(before, after) {
			t.Errorf("%s: the filter was changed", name)
		}
	}
	var s Spectral
	if err := s.UnmarshalBinary(spectralForm(0, 1, 255, 0, 300)); err != nil {
		t.Errorf("the same with nothing wrong: %v", err)
	}
}

// A form that claims a length it does not have makes no memory for it.
func TestSpectralUnmarshalAllocatesLittle(t *testing.T) {
	for name, form := range map[string][]byte{
		"lines": spectralForm(0, 1<<30, 1),
		"table": spectralForm(0, 1, 255, 0, 300)[:150],
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := new(Spectral).UnmarshalBinary(form)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<16 {
			t.Errorf("%s: %d bytes for a form of %d, %v", name, got, len(form), err)
		}
	}
}

func FuzzSpectralUnmarshal(f *testing.F) {
	for _, form := range spectralForms(f) {
		f.Add(form)
		f.Add(form[16 : len(form)-8])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		framed := binform.Begin(nil, spectralKind, spectralVersion)
		framed.Raw(data)
		for _, form := range [][]byte{data, framed.Close()} {
			s := newTestSpectral(t, SpectralConfig{Bytes: 64})
			s.Add(3)
			before, _ := s.MarshalBinary()
			if err := s.UnmarshalBinary(form); err != nil {
				if after, _ := s.MarshalBinary(); !bytes.Equal(before, after) {
					t.Fatal("changed by a form that was refused")
				}
				continue
			}
			if again, _ := s.MarshalBinary(); !bytes.Equal(again, form) {
				t.Fatal("another form when written again")
			}
			checkTable(t, &s.first)
			checkTable(t, &s.second)
			count := s.Count(9)
			s.Add(9)
			if got := s.Count(9); s.Method() != RecurringMinimum && got <= count && count < math.MaxUint64 {
				t.Fatalf("counted %d, then %d", count, got)
			}
			if rate := s.ExpectedErrorRate(); !(rate >= 0 && rate <= 1) {
				t.Fatalf("rate %v", rate)
			}
		}
	})
}
