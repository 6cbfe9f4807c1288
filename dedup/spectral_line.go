package dedup

import (
	"math"
	"math/bits"
	"slices"
)

const (
	lineCounters = 64                  // counters of 8 bits in a cache line
	ways         = 4                   // counters of a key, one in each quarter of a line
	quarter      = lineCounters / ways // 16, so that four bits choose one
	inTable      = math.MaxUint8       // a counter whose value stands in the overflow table
	maxCounters  = maxBits / 8         // 128 GiB: the largest filter this package makes
)

// counterLine is one cache line of counters. The zero line is empty.
type counterLine [lineCounters]uint8

// tallies is an array of counters in lines. A key has four of them in one
// line: so they are at hand after one cache miss, and are always different ones.
//
// A counter holds up to 254 itself. 255 says that its value, 255 or more, is in
// the table; when it falls to 254 it leaves the table.
type tallies struct {
	lines []counterLine
	table overflow
}

// newTallies returns n empty lines.
func newTallies(n int) tallies { return tallies{lines: newLines[counterLine](n)} }

// lineOf returns the index of the line that the high bits of x choose.
func (c *tallies) lineOf(x uint64) uint64 {
	i, _ := bits.Mul64(x, uint64(len(c.lines)))
	return i
}

// way returns where in its line a key's counter in quarter w is, m being the
// key's mixed hash.
func way(m, w uint64) uint64 { return w*quarter + m>>(4*w)&(quarter-1) }

// low returns the smallest of the bytes of a key's counters. Below inTable it is
// the minimum of the counters.
func (l *counterLine) low(m uint64) uint8 {
	return min(l[m&15], l[16+m>>4&15], l[32+m>>8&15], l[48+m>>12&15])
}

// min returns the minimum of a key's counters, those of mixed hash m in line i.
func (c *tallies) min(i, m uint64) uint64 {
	if low := c.lines[i].low(m); low < inTable {
		return uint64(low)
	}
	v := c.all(i, m)
	return min(v[0], v[1], v[2], v[3])
}

// all returns the values of a key's counters.
func (c *tallies) all(i, m uint64) (v [ways]uint64) {
	for w := range uint64(ways) {
		v[w] = c.at(i, way(m, w))
	}
	return v
}

// recurring reports whether more than one of a key's counters has the minimum.
func (c *tallies) recurring(i, m uint64) bool {
	if low := c.lines[i].low(m); low < inTable {
		return c.lines[i].times(m, low) > 1
	}
	v := c.all(i, m)
	slices.Sort(v[:])
	return v[0] == v[1]
}

// times returns how many of the bytes of a key's counters are low.
func (l *counterLine) times(m uint64, low uint8) (n int) {
	for w := range uint64(ways) {
		if l[way(m, w)] == low {
			n++
		}
	}
	return n
}

// at returns the value of the counter at place p of line i.
func (c *tallies) at(i, p uint64) uint64 {
	if v := c.lines[i][p]; v < inTable {
		return uint64(v)
	}
	return *c.table.at(i*lineCounters + p)
}

// set gives the counter at place p of line i a value.
func (c *tallies) set(i, p, value uint64) {
	at := &c.lines[i][p]
	switch {
	case value >= inTable:
		*at = inTable
		c.table.put(i*lineCounters+p, value)
	case *at == inTable:
		c.table.remove(i*lineCounters + p)
		*at = uint8(value)
	default:
		*at = uint8(value)
	}
}

// add adds n to all counters of a key.
func (c *tallies) add(i, m, n uint64) {
	l := &c.lines[i]
	for w := range uint64(ways) {
		p := way(m, w)
		switch v := uint64(l[p]); {
		case v == inTable:
			at := c.table.at(i*lineCounters + p)
			*at = addCapped(*at, n)
		case n < inTable-v:
			l[p] = uint8(v + n)
		default:
			c.set(i, p, addCapped(v, n))
		}
	}
}

// lift raises a key's minimum by n, and only the counters that are below.
func (c *tallies) lift(i, m, n uint64) {
	l := &c.lines[i]
	low := uint64(l.low(m))
	if n >= inTable-low {
		c.liftHigh(i, m, n)
		return
	}
	to := uint8(low + n)
	for w := range uint64(ways) {
		p := &l[way(m, w)]
		*p = max(*p, to)
	}
}

// liftHigh is lift for when the table has to do with it.
func (c *tallies) liftHigh(i, m, n uint64) {
	v := c.all(i, m)
	to := addCapped(min(v[0], v[1], v[2], v[3]), n)
	for w, x := range v {
		if x < to {
			c.set(i, way(m, uint64(w)), to)
		}
	}
}

// sub takes one from all counters of a key, none of which is 0. A counter that
// has reached its limit stays there: how much it missed is not known.
func (c *tallies) sub(i, m uint64) {
	l := &c.lines[i]
	for w := range uint64(ways) {
		p := way(m, w)
		if l[p] != inTable {
			l[p]--
		} else if v := c.at(i, p); v < math.MaxUint64 {
			c.set(i, p, v-1)
		}
	}
}

// addAll adds the counters of o, which has as many lines.
func (c *tallies) addAll(o *tallies) {
	for i := range o.lines {
		for p, v := range o.lines[i] {
			if v != 0 {
				i, p := uint64(i), uint64(p)
				c.set(i, p, addCapped(c.at(i, p), o.at(i, p)))
			}
		}
	}
}

// rate returns the chance that four random counters, one a quarter, are all
// above 0, averaged over the lines, or a sample of them.
func (c *tallies) rate() float64 {
	return meanOfLines(len(c.lines), func(i, _ int) float64 { return c.lines[i].rate() })
}

// rate is tallies.rate for one line.
func (l *counterLine) rate() float64 {
	rate := 1.0
	for w := range ways {
		used := 0
		for _, v := range l[w*quarter : (w+1)*quarter] {
			if v != 0 {
				used++
			}
		}
		rate *= float64(used) / quarter
	}
	return rate
}

// bytes returns how much memory the counters take.
func (c *tallies) bytes() int64 {
	return int64(len(c.lines))*lineCounters + int64(len(c.table.slots))*16
}

// addCapped adds and stops at the limit of 64 bits.
func addCapped(a, b uint64) uint64 {
	total, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return total
}
