package chunk

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Range is a part of a file of records, in bytes. It begins and ends where records do.
type Range struct{ From, To int64 }

// Plan says which parts of which files of records may have a value. Ask makes it. It takes 16
// bytes for each chunk that may have it, and for each gap between chunks.
type Plan struct {
	// Damaged is how many lines of the sidecar were no entries.
	Damaged int

	files map[string]*cover
}

// cover is what is known of one file.
type cover struct {
	chunks  []Range // that may have the value
	entries int
	covered []Range // ascending, without overlaps; neighbours are joined
}

// Ask reads a sidecar and plans the search for the records that have all the given keys. The
// sidecar may be that of a crawl that is running: read it first, and the sizes of the files after
// it. Lines that are no entries are counted and skipped; the error is that of r. It takes about
// 2 µs for a filter of URLs, so 8 ms for a million of them, and memory for one entry beside the
// Plan.
func Ask(r io.Reader, keys ...uint64) (*Plan, error) {
	p := &Plan{files: map[string]*cover{}}
	err := Entries(r, func(e *Entry, err error) error {
		if err != nil {
			p.Damaged++
			return nil
		}
		c := p.files[e.File]
		if c == nil {
			c = &cover{}
			p.files[e.File] = c
		}
		c.add(e, keys)
		return nil
	})
	return p, err
}

// Entries gives fn each entry of a sidecar in order, or why a line is none. A last line without
// its end is left out. An error of fn ends it and is returned.
func Entries(r io.Reader, fn func(*Entry, error) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte // a line so far; of one that is too long its first part
	for {
		part, err := in.ReadSlice(end)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long) <= maxEntry {
				long = append(long, part...)
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
		}
		if err := fn(ParseLine(bytes.TrimSuffix(line, []byte{end}))); err != nil {
			return err
		}
		long = long[:0]
	}
}

func (c *cover) add(e *Entry, keys []uint64) {
	c.entries++
	chunk := Range{e.From, e.To}
	c.covered = join(c.covered, chunk)
	if !slices.ContainsFunc(keys, func(k uint64) bool { return !e.Filter.Has(k) }) {
		c.chunks = append(c.chunks, chunk)
	}
}

// join adds a range to ranges that are ascending and do not touch. Most come at the end.
func join(list []Range, r Range) []Range {
	i, _ := slices.BinarySearchFunc(list, r.From, func(x Range, from int64) int { return cmp.Compare(x.To, from) })
	j := i
	for ; j < len(list) && list[j].From <= r.To; j++ {
		r = Range{min(r.From, list[j].From), max(r.To, list[j].To)}
	}
	return slices.Replace(list, i, j, r)
}

// Files returns the names of the files that the sidecar has entries of, in order.
func (p *Plan) Files() []string { return slices.Sorted(maps.Keys(p.files)) }

// Reading is what of one file must be read for a value.
type Reading struct {
	Parts []Part // ascending, without overlaps
	Cost
}

// Part is a part of a file that must be read.
type Part struct {
	Range
	Unfiltered bool // no filter covers it
}

// Cost is how much is read for a value.
type Cost struct {
	Chunks int   // with a filter
	Read   int   // of them, those that must be read
	Bytes  int64 // of all records
	Whole  int64 // of them, bytes that no filter covers, which are read whole
}

// Add adds the cost of another file.
func (c *Cost) Add(o Cost) {
	c.Chunks += o.Chunks
	c.Read += o.Read
	c.Bytes += o.Bytes
	c.Whole += o.Whole
}

// String says how many chunks were read of how many.
func (c Cost) String() string {
	text := fmt.Sprintf("read %d of %d chunks", c.Read, c.Chunks)
	if c.Chunks == 1 {
		text = fmt.Sprintf("read %d of 1 chunk", c.Read)
	}
	if c.Whole > 0 {
		text += fmt.Sprintf(", and %d bytes that no filter covers", c.Whole)
	}
	return text
}

// In says what must be read of the named file, of which size bytes are there.
func (p *Plan) In(file string, size int64) Reading {
	r := Reading{Cost: Cost{Bytes: size}}
	c := p.files[file]
	if c == nil {
		c = &cover{}
	}
	var filtered []Range
	for _, chunk := range c.chunks {
		filtered = join(filtered, chunk)
		r.Read++
	}
	r.Chunks = c.entries
	for _, f := range filtered {
		if f.To = min(f.To, size); f.From < f.To {
			r.Parts = append(r.Parts, Part{Range: f})
		}
	}
	at := int64(0)
	for _, covered := range append(slices.Clone(c.covered), Range{size, size}) {
		if gap := (Range{at, min(covered.From, size)}); gap.From < gap.To {
			r.Parts = append(r.Parts, Part{gap, true})
			r.Whole += gap.To - gap.From
		}
		at = max(at, covered.To)
	}
	slices.SortFunc(r.Parts, func(a, b Part) int { return cmp.Compare(a.From, b.From) })
	return r
}

// Covered returns up to which byte of the file its chunks cover it without a gap.
func (p *Plan) Covered(file string) int64 {
	if c := p.files[file]; c != nil && len(c.covered) > 0 && c.covered[0].From == 0 {
		return c.covered[0].To
	}
	return 0
}
