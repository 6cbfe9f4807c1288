package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/internal/binform"
)

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
	return claiming(method, lines, uint64(len(table)/2), counter, table)
}

// claiming is spectralForm with a number of entries that need not be right.
func claiming(method SpectralMethod, lines, entries uint64, counter uint8, table []uint64) []byte {
	e := binform.Begin(nil, kindSpectral, formVersion)
	e.Uint8(uint8(method))
	e.Uint64(1)
	e.Uint64(lines)
	e.Raw(append([]byte{counter}, make([]byte, lineCounters-1)...))
	e.Uint64(entries)
	e.Uint64s(table)
	e.Uint64(0) // lines of the second filter
	e.Uint64(0) // its table
	return e.Close()
}

func TestSpectralUnmarshalRefuses(t *testing.T) {
	empty := binform.Begin(nil, kindSpectral, formVersion)
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
		"lines":                   spectralForm(0, 1<<30, 1),
		"table":                   claiming(0, 1, 1<<40, 255, []uint64{0, 300}),
		"more entries than bytes": manyHigh(t),
	} {
		var err error
		got := allocated(func() { err = new(Spectral).UnmarshalBinary(form) })
		if !errors.Is(err, binform.ErrFormat) || got > 1<<16 {
			t.Errorf("%s: %d bytes for a form of %d, %v", name, got, len(form), err)
		}
	}
}

// manyHigh returns a form whose counters are all in the table, which is not there.
func manyHigh(t *testing.T) []byte {
	t.Helper()
	e := binform.Begin(nil, kindSpectral, formVersion)
	e.Uint8(0)
	e.Uint64(1)
	e.Uint64(16)
	e.Raw(bytes.Repeat([]byte{inTable}, 16*lineCounters))
	e.Uint64(16 * lineCounters)
	return e.Close()
}

// crowdedForm returns a form of so many lines, of which those are full of large
// counters whose home lies in the first 256th of the table.
func crowdedForm(lines uint64) []byte {
	entries := lines / 256 * lineCounters
	slots := 1 << bits.Len64(2*entries)
	table := overflow{slots: make([]overflowed, slots)}
	crowded := func(line uint64) bool { return table.home(line*lineCounters+1) < slots/256 } // of its first quarter
	e := binform.Begin(nil, kindSpectral, formVersion)
	e.Uint8(0)
	e.Uint64(1)
	e.Uint64(lines)
	full := uint64(0)
	for i := range lines {
		l := counterLine{}
		if crowded(i) {
			full++
			for p := range l {
				l[p] = inTable
			}
		}
		e.Raw(l[:])
	}
	e.Uint64(full * lineCounters)
	for i := range lines {
		for p := range uint64(lineCounters) {
			if !crowded(i) {
				break
			}
			e.Uint64(i*lineCounters + p)
			e.Uint64(300)
		}
	}
	e.Uint64(0)
	e.Uint64(0)
	return e.Close()
}

// Where the entries of the table lie is known to everybody, and a form chooses
// which there are: one that crowds them is refused before it takes long.
func TestSpectralUnmarshalRefusesCrowds(t *testing.T) {
	s := newTestSpectral(t, SpectralConfig{Bytes: 64})
	before := must(s.MarshalBinary())
	form := crowdedForm(120_000) // 8 MB
	if err := s.UnmarshalBinary(form); !errors.Is(err, binform.ErrFormat) || !strings.Contains(err.Error(), "in one place") {
		t.Errorf("a form of %d bytes: %v", len(form), err)
	}
	if !bytes.Equal(must(s.MarshalBinary()), before) {
		t.Error("the filter was changed")
	}
}

// The limit is far from what filters have, be it that some of their counters are
// in the table or all, whenever the table is as full as it gets.
func TestSpectralTableIsNotCrowded(t *testing.T) {
	slots := 1 << 15
	if long() {
		slots = 1 << 23
	}
	for _, share := range []float64{1, 0.9, 0.5, 0.1, 0.01} {
		r := rand.New(rand.NewPCG(1, 1))
		worst := 0
		var table overflow
		for counter := uint64(0); len(table.slots) <= slots; counter++ {
			if r.Float64() >= share {
				continue
			}
			if 2*(table.used+1) > len(table.slots) { // it grows
				worst = max(worst, table.worst())
			}
			table.put(counter, 300)
		}
		t.Logf("%g of the counters: at most %d from home", share, worst)
		if worst == 0 || worst > maxOverflowProbe/20 {
			t.Errorf("%g of the counters: %d from home, and %d are allowed", share, worst, maxOverflowProbe)
		}
	}
}

// checkTable fails unless the table has what the lines say.
func checkTable(t *testing.T, c *tallies) {
	t.Helper()
	if err := tableError(c); err != nil {
		t.Fatal(err)
	}
}

// tableError holds the table against the lines.
func tableError(c *tallies) error {
	high := 0
	for i := range c.lines {
		for p, v := range c.lines[i] {
			if v == inTable {
				high++
				if got := c.at(uint64(i), uint64(p)); got < inTable {
					return fmt.Errorf("line %d, counter %d: %d in the table", i, p, got)
				}
			}
		}
	}
	if high != c.table.used || 2*high > len(c.table.slots) && high > 0 {
		return fmt.Errorf("%d entries in %d slots, want %d", c.table.used, len(c.table.slots), high)
	}
	return nil
}

// worst returns how far from its home any entry lies.
func (t *overflow) worst() (farthest int) {
	for _, e := range t.slots {
		if e.name != 0 {
			farthest = max(farthest, t.probe(e.name-1))
		}
	}
	return farthest
}
