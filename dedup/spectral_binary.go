package dedup

import "crawler/internal/binform"

// AppendBinary appends the filter's binary form, described in
// docs/format/sketches.md, to dst. It holds the seed, which is a secret.
func (s *Spectral) AppendBinary(dst []byte) ([]byte, error) {
	if len(s.first.lines) == 0 {
		return nil, errZero
	}
	e := begin(dst, kindSpectral, 9+s.first.formSize()+s.second.formSize())
	e.Uint8(uint8(s.method))
	e.Uint64(s.seed)
	s.first.encode(e)
	s.second.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns the filter's binary form, see AppendBinary.
func (s *Spectral) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the filter of a binary form. If the form is not valid,
// s stays as it was. It takes 8 times the length of data in memory at most.
//
// It refuses counters that were chosen to crowd one place of the table, at which
// to look would take quadratic time. Keys that are hashes do not.
func (s *Spectral) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindSpectral)
	if err != nil {
		return err
	}
	f := Spectral{method: SpectralMethod(d.Uint8()), seed: d.Uint64()}
	d.Check(f.method <= RecurringMinimum, "method %d", f.method)
	f.first.decode(d)
	f.second.decode(d)
	d.Check(len(f.first.lines) > 0, "no lines")
	d.Check(f.method == RecurringMinimum == (len(f.second.lines) > 0),
		"%d lines in the second filter", len(f.second.lines))
	if err := d.Close(); err != nil {
		return err
	}
	*s = f
	return nil
}

// formSize returns how many bytes encode writes.
func (c *tallies) formSize() int64 {
	return 16 + int64(len(c.lines))*lineCounters + int64(c.table.used)*16
}

// encode writes the lines, and behind them the table in ascending order.
func (c *tallies) encode(e *binform.Encoder) {
	e.Uint64(uint64(len(c.lines)))
	for i := range c.lines {
		e.Raw(c.lines[i][:])
	}
	e.Uint64(uint64(c.table.used))
	for _, v := range c.table.sorted() {
		e.Uint64(v.name - 1)
		e.Uint64(v.value)
	}
}

// decode reads what encode wrote. A counter is in the table if and only if its
// byte says so; the table's ascending order makes the form of a filter unique.
func (c *tallies) decode(d *binform.Decoder) {
	n := d.Uint64()
	d.Check(n <= min(uint64(d.Left()), maxCounters)/lineCounters, "%d lines, %d bytes there", n, d.Left())
	if !d.OK() {
		return
	}
	high := uint64(0)
	if n > 0 {
		*c = newTallies(int(n))
		high = c.fill(d)
	}
	entries := d.Uint64()
	d.Check(entries == high, "%d counters in the table, and %d that should be", entries, high)
	d.Check(entries <= uint64(d.Left())/16, "%d counters in the table, %d bytes there", entries, d.Left())
	next := uint64(0)
	for range entries {
		if !d.OK() {
			return
		}
		next = c.decodeHigh(d, next)
	}
}

// fill reads the lines and returns how many of their counters are in the table.
func (c *tallies) fill(d *binform.Decoder) (high uint64) {
	for i := range c.lines {
		copy(c.lines[i][:], d.Raw(lineCounters))
		for _, v := range c.lines[i] {
			if v == inTable {
				high++
			}
		}
	}
	return high
}

// decodeHigh reads an entry of the table, of the counter next or a later one,
// and returns the one behind it.
func (c *tallies) decodeHigh(d *binform.Decoder, next uint64) uint64 {
	at, value := d.Uint64(), d.Uint64()
	d.Check(at >= next && at < uint64(len(c.lines))*lineCounters, "counter %d in the table behind %d", at, next)
	d.Check(value >= inTable, "a large counter holds %d", value)
	if d.OK() {
		d.Check(c.lines[at/lineCounters][at%lineCounters] == inTable, "counter %d is in the table", at)
		c.table.put(at, value)
		d.Check(c.table.probe(at) <= maxOverflowProbe, "too many counters in one place of the table")
	}
	return at + 1
}
