package stats

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// sketch is what the binary forms of Distinct, Surprise, Words and Exact are
// tested through.
type sketch interface {
	AddAll(hashes []uint64)
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// marshaled returns the binary form.
func marshaled(t testing.TB, s sketch) []byte {
	t.Helper()
	data, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// framed puts a frame around fields.
func framed(kind binform.Kind, fields []byte) []byte {
	version := uint16(1)
	switch kind {
	case surpriseKind, wordsKind, deltaKind:
		version = wordsVersion // which all three have
	}
	e := binform.Begin(nil, kind, version)
	e.Raw(fields)
	return e.Close()
}

// fieldsOf takes the frame off.
func fieldsOf(form []byte) []byte { return form[binform.Overhead-8 : len(form)-8] }

// saved is a type with a binary form, and ways to make sketches of it.
type saved struct {
	name  string
	kind  binform.Kind
	empty func() sketch // the zero value
	fresh func() sketch
}

func allSaved() []saved {
	distinct := func() sketch { return new(Distinct) }
	surprise := func() sketch { return new(Surprise) }
	words := func() sketch { return new(Words) }
	return []saved{
		{"Distinct", distinctKind, distinct, func() sketch { return NewDistinct(256, 7) }},
		{"large Distinct", distinctKind, distinct, func() sketch { return NewDistinct(0, 7) }},
		{"Surprise", surpriseKind, surprise, func() sketch { return NewSurprise(100, 32, 7) }},
		{"Surprise without head", surpriseKind, surprise, func() sketch { return NewSurprise(0, 64, 7) }},
		{"large Surprise", surpriseKind, surprise, func() sketch { return NewSurprise(DefaultHead, 0, 7) }},
		{"Words of a site", wordsKind, words, func() sketch { return NewWords(SiteConfig(7)) }},
		{"Words of a crawl", wordsKind, words, func() sketch { return NewWords(Config{Seed: 7}) }},
		{"Exact", exactKind, func() sketch { return new(Exact) }, func() sketch { return new(Exact) }},
	}
}

// A sketch that was saved and loaded continues as the one that was not, to the
// bit: registers, martingale, head and rows.
func TestLoadedSketchGoesOn(t *testing.T) {
	text := english().text(60_000, 6)
	cuts := []int{0, 1, 90, 130, 300, 700, 2000, 5000, 30_000, 59_999, 60_000}
	if testing.Short() {
		text, cuts = text[:20_000], []int{0, 1, 130, 700, 2000, 19_999}
	}
	for _, c := range allSaved() {
		for _, cut := range cuts {
			through, half := c.fresh(), c.fresh()
			through.AddAll(text[:cut])
			half.AddAll(text[:cut])
			loaded := c.empty()
			if err := loaded.UnmarshalBinary(marshaled(t, half)); err != nil {
				t.Fatalf("%s after %d words: %v", c.name, cut, err)
			}
			for rest := range slices.Chunk(text[cut:], 997) {
				through.AddAll(rest)
				loaded.AddAll(rest)
			}
			if !bytes.Equal(marshaled(t, through), marshaled(t, loaded)) {
				t.Errorf("%s, saved after %d words, continued differently", c.name, cut)
			}
			if a, b := answers(through), answers(loaded); !slices.Equal(a, b) {
				t.Errorf("%s, saved after %d words: %v, not saved %v", c.name, cut, b, a)
			}
		}
	}
}

// answers returns all that a sketch can be asked.
func answers(s sketch) []float64 {
	flat := func(i Interval) []float64 { return []float64{i.Estimate, i.Low, i.High} }
	switch s := s.(type) {
	case *Distinct:
		m, _ := s.Martingale()
		return append(slices.Concat(flat(s.Estimate()), flat(s.MaximumLikelihood()), flat(m)), s.GroupMedian())
	case *Surprise:
		return append(flat(s.Estimate()), float64(s.N()))
	case *Words:
		return append(slices.Concat(flat(s.Distinct()), flat(s.Surprise())), float64(s.N()))
	case *Exact:
		return []float64{float64(s.Distinct()), float64(s.Total()), s.Surprise()}
	}
	panic("a sketch without answers")
}

// Counts beyond what a slot of the front holds are in the form, and a form does
// not depend on when the front was swept.
func TestFormOfLargeCounts(t *testing.T) {
	words := different(130)
	often := slices.Concat(words, slices.Repeat(words[:1], 700_000), slices.Repeat(words[1:3], 131_000))
	all, single := NewSurprise(100, 16, 1), NewSurprise(100, 16, 1)
	all.AddAll(often)
	for _, h := range often {
		single.Add(h)
	}
	if !bytes.Equal(marshaled(t, all), marshaled(t, single)) {
		t.Error("AddAll and Add give different forms")
	}
	var loaded Surprise
	if err := loaded.UnmarshalBinary(marshaled(t, all)); err != nil {
		t.Fatal(err)
	}
	loaded.AddAll(often)
	all.AddAll(often)
	if got, want := loaded.Estimate(), all.Estimate(); got != want || got.Estimate < 1.9e12 {
		t.Errorf("%v, not saved %v", got, want)
	}
}

// Every way to cut a form, with the frame repaired, is refused and
// leaves the receiver as it was.
func TestFormsRefuseCuts(t *testing.T) {
	text := english().text(3000, 8)
	for _, c := range allSaved() {
		s, receiver := c.fresh(), c.fresh()
		s.AddAll(text)
		receiver.AddAll(text[:500])
		before, good := marshaled(t, receiver), fieldsOf(marshaled(t, s))
		for n := 0; n < len(good); n += 1 + n/8 {
			refuse(t, receiver, framed(c.kind, good[:n]), before)
		}
		refuse(t, receiver, framed(c.kind, append(slices.Clone(good), 0)), before)
		refuse(t, receiver, framed("ELSE", good), before)
		refuse(t, receiver, nil, before)
	}
}

// refuse demands an error and a receiver that is as it was.
func refuse(t *testing.T, receiver sketch, data, before []byte) {
	t.Helper()
	if err := receiver.UnmarshalBinary(data); !errors.Is(err, binform.ErrFormat) {
		t.Errorf("%d bytes: %v", len(data), err)
	}
	if !bytes.Equal(marshaled(t, receiver), before) {
		t.Errorf("%d bytes changed the receiver", len(data))
	}
}

// A form that claims to be long allocates no more than it is.
func TestFormsClaimingLengths(t *testing.T) {
	fields := func(write func(e *binform.Encoder)) []byte {
		e := binform.Begin(nil, "TEST", 1)
		write(e)
		return fieldsOf(e.Close())
	}
	head := func(e *binform.Encoder) {
		e.Uint64(1)
		e.Uint32(MaxHead)
		e.Uint32(MaxTail)
		e.Uint64(1 << 40)
		e.Bool(false)
	}
	for name, data := range map[string][]byte{
		"a list": framed(distinctKind, fields(func(e *binform.Encoder) {
			e.Uint64(1)
			e.Uint32(MaxRegisters)
			e.Uint32(MaxRegisters)
			e.Bool(false)
			e.Uint32(MaxRegisters / 2)
		})),
		"registers": framed(distinctKind, fields(func(e *binform.Encoder) {
			e.Uint64(1)
			e.Uint32(MaxRegisters)
			e.Uint32(MaxRegisters)
			e.Bool(true)
		})),
		"a front": framed(surpriseKind, fields(func(e *binform.Encoder) {
			head(e)
			e.Bool(true)
		})),
		"a table": framed(surpriseKind, fields(func(e *binform.Encoder) {
			head(e)
			e.Bool(false)
			e.Uint32(math.MaxUint32)
		})),
		"counters": framed(surpriseKind, fields(func(e *binform.Encoder) {
			head(e)
			e.Bool(false)
			e.Uint32(0)
			e.Uint64(1 << 40)
		})),
		"words": framed(wordsKind, fields(func(e *binform.Encoder) {
			head(e)
			e.Bool(true)
		})),
		"counts": framed(exactKind, fields(func(e *binform.Encoder) { e.Uint32(math.MaxUint32) })),
	} {
		for _, s := range []sketch{new(Distinct), new(Surprise), new(Words), new(Exact)} {
			var err error
			if n := allocated(func() { err = s.UnmarshalBinary(data) }); err == nil || n > 4096 {
				t.Errorf("%s: %T allocates %d bytes for %d, %v", name, s, n, len(data), err)
			}
		}
	}
}

// Good forms too allocate in proportion only.
func TestFormsAllocate(t *testing.T) {
	text := english().text(60_000, 9)
	for _, c := range allSaved() {
		for _, n := range []int{0, 100, 300, 3000, 60_000} {
			s, loaded := c.fresh(), c.empty()
			s.AddAll(text[:n])
			data := marshaled(t, s)
			got := allocated(func() {
				if err := loaded.UnmarshalBinary(data); err != nil {
					t.Fatal(err)
				}
			})
			if limit := uint64(10*len(data) + 4096); got > limit {
				t.Errorf("%s of %d words: %d bytes allocated for a form of %d", c.name, n, got, len(data))
			}
		}
	}
}

// allocated returns the bytes that f allocates, at the least of some tries, as
// others may allocate meanwhile.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// Appended forms leave alone what stands before them.
func TestAppendBinary(t *testing.T) {
	for name, appendTo := range map[string]func([]byte) ([]byte, error){
		"Distinct": NewDistinct(64, 1).AppendBinary,
		"Surprise": NewSurprise(64, 16, 1).AppendBinary,
		"Words":    NewWords(Config{}).AppendBinary,
		"Exact":    new(Exact).AppendBinary,
	} {
		alone, err := appendTo(nil)
		both, err2 := appendTo([]byte("before"))
		if err != nil || err2 != nil || string(both) != "before"+string(alone) {
			t.Errorf("%s: %q is not %q after what was there (%v, %v)", name, both, alone, err, err2)
		}
	}
}
