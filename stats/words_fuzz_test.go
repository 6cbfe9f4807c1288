package stats

import (
	"bytes"
	"errors"
	"testing"

	"crawler/internal/binform"
	"crawler/internal/splitmix"
)

// The fuzz targets take their input as a form, and again as the fields of one,
// since no fuzzer guesses a checksum.

// seedSketches adds forms of the kind, empty to large, and their fields.
func seedSketches(f *testing.F, kind binform.Kind) {
	words := different(600)
	for _, c := range allSaved() {
		if c.kind != kind {
			continue
		}
		for _, n := range []int{0, 5, 60, 110, 600} {
			s := c.fresh()
			s.AddAll(words[:n])
			s.AddAll(words[:n/2])
			f.Add(marshaled(f, s))
			f.Add(fieldsOf(marshaled(f, s)))
		}
	}
	small := NewWords(mergeConfig)
	small.AddAll(words[:200])
	small.AddAll(bytesAsWords(make([]byte, 1<<15)))
	for _, s := range []sketch{small, &small.surprise, &small.tail} {
		f.Add(fieldsOf(marshaled(f, s)))
	}
}

func bytesAsWords(data []byte) (hashes []uint64) {
	for _, b := range data {
		hashes = append(hashes, splitmix.Finish(uint64(b)))
	}
	return hashes
}

// tryForms decodes data with and without a frame put around it. What is
// refused must leave the receiver alone; what is taken must give its form
// again, and use must find it in order.
func tryForms(t *testing.T, kind binform.Kind, data []byte, fresh func() sketch, use func(s sketch)) {
	for _, form := range [][]byte{data, framed(kind, data)} {
		s := fresh()
		s.AddAll(bytesAsWords([]byte("what the receiver held")))
		before := marshaled(t, s)
		if err := s.UnmarshalBinary(form); err != nil {
			if !errors.Is(err, binform.ErrFormat) || !bytes.Equal(marshaled(t, s), before) {
				t.Fatalf("the receiver was changed, or %v", err)
			}
			continue
		}
		if !bytes.Equal(marshaled(t, s), form) {
			t.Fatal("a form gave another when it was written again")
		}
		other := fresh()
		if err := other.UnmarshalBinary(marshaled(t, s)); err != nil {
			t.Fatal(err)
		}
		use(s)
		s.AddAll(bytesAsWords(data[:min(len(data), 1000)]))
		s.AddAll(different(1000))
		use(s)
		use(other)
	}
}

func checkInterval(t *testing.T, i Interval) {
	t.Helper()
	if !(0 <= i.Low && i.Low <= i.Estimate && i.Estimate <= i.High) {
		t.Fatalf("%+v is no interval", i)
	}
}

func FuzzDistinctUnmarshal(f *testing.F) {
	seedSketches(f, distinctKind)
	f.Fuzz(func(t *testing.T, data []byte) {
		tryForms(t, distinctKind, data, func() sketch { return NewDistinct(64, 1) }, func(s sketch) {
			d := s.(*Distinct)
			m, _ := d.Martingale()
			for _, i := range []Interval{d.Estimate(), d.MaximumLikelihood(), m} {
				checkInterval(t, i)
			}
			if g := d.GroupMedian(); !(g >= 0) || d.Bytes() <= 0 {
				t.Fatalf("group median %g, %d bytes", g, d.Bytes())
			}
			if err := d.Merge(d.clone()); err != nil {
				t.Fatal(err)
			}
			checkInterval(t, d.Estimate())
		})
	})
}

// useSurprise checks what a Surprise says, and merges.
func useSurprise(t *testing.T, s *Surprise) {
	checkInterval(t, s.Estimate())
	c, n := s.clone(), s.N()
	if err := s.Merge(&c); err != nil {
		t.Fatal(err)
	}
	if n <= maxLength/2 && s.N() != 2*n { // or the words are too many for one sketch
		t.Fatalf("%d words merged with themselves are %d", n, s.N())
	}
	checkInterval(t, s.Estimate())
}

func FuzzSurpriseUnmarshal(f *testing.F) {
	seedSketches(f, surpriseKind)
	f.Fuzz(func(t *testing.T, data []byte) {
		tryForms(t, surpriseKind, data, func() sketch { return NewSurprise(20, 16, 1) }, func(s sketch) {
			useSurprise(t, s.(*Surprise))
		})
	})
}

func FuzzWordsUnmarshal(f *testing.F) {
	seedSketches(f, wordsKind)
	f.Fuzz(func(t *testing.T, data []byte) {
		tryForms(t, wordsKind, data, func() sketch { return NewWords(mergeConfig) }, func(s sketch) {
			w := s.(*Words)
			checkInterval(t, w.Distinct())
			c := Words{w.surprise.clone(), *w.tail.clone()}
			if err := c.Merge(w); err != nil {
				t.Fatal(err)
			}
			if c.N() <= maxLength {
				if err := new(Words).UnmarshalBinary(marshaled(t, &c)); err != nil {
					t.Fatalf("what was merged is not in order: %v", err)
				}
			}
			useSurprise(t, &c.surprise)
		})
	})
}

func FuzzExactUnmarshal(f *testing.F) {
	seedSketches(f, exactKind)
	f.Fuzz(func(t *testing.T, data []byte) {
		tryForms(t, exactKind, data, func() sketch { return new(Exact) }, func(s sketch) {
			e := s.(*Exact)
			if e.Distinct() > int(min(e.Total(), 1<<62)) || e.Surprise() < float64(e.Distinct()) {
				t.Fatalf("%d different of %d, surprise %g", e.Distinct(), e.Total(), e.Surprise())
			}
			e.Merge(&Exact{})
		})
	})
}
