package stats

import (
	"math"
	"unsafe"

	"crawler/internal/splitmix"
)

// Limits of a CountSketch.
const (
	MaxDepth     = 15
	DefaultDepth = 5
	MinWidth     = 16
	MaxWidth     = 1 << 20
	DefaultWidth = 4096
)

// CountSketch estimates the count of any word and the second moment of the stream
// (Charikar, Chen and Farach-Colton, Finding frequent items in data streams, 2002,
// section 3). It is a matrix of signed counters: in each of its rows a word has one
// counter and a sign, and adds its sign to its counter. Sign times counter is then
// the word's count, and what the other words of that counter leave there, which is
// 0 on average; the median over the rows is the estimate. The sum of a row's
// squares is the second moment on average (Alon, Matias and Szegedy 1999, section
// 2.2; Thorup and Zhang, Tabulation based 4-universal hashing with applications to
// second moment estimation, 2004, who raise one counter a word instead of all).
//
// Unlike Surprise and HeavyHitters it is linear: sketches merge by addition, exactly
// as if one had seen both streams, and words can be taken back.
//
// Cost of AddAll: 2 ns a word for each row; half as much again by Add. Nothing is
// ever allocated by either. Memory: 8 bytes a counter, 160 KiB at the default size.
// A CountSketch is not safe for concurrent use.
//
// The sum of what was added, signs aside, must stay below 2^63.
type CountSketch struct {
	key   uint64
	depth int
	width int
	cells []int64 // row after row
}

// NewCountSketch returns an empty sketch of depth rows of width counters. The depth
// is rounded up to an odd number, at most MaxDepth, so that the median is one of
// the rows; the width to a power of two between MinWidth and MaxWidth. A depth or
// width <= 0 means DefaultDepth or DefaultWidth. Sketches to be merged need the
// same size and seed.
func NewCountSketch(depth, width int, seed uint64) *CountSketch {
	if depth <= 0 {
		depth = DefaultDepth
	}
	if width <= 0 {
		width = DefaultWidth
	}
	depth = min(depth, MaxDepth) | 1
	width = powerOfTwo(min(max(width, MinWidth), MaxWidth))
	return &CountSketch{keyOf(seed), depth, width, make([]int64, depth*width)}
}

// spot returns the counter of a mixed hash in a row, and its sign as 0 or -1. Each
// row has bits of its own.
func (s *CountSketch) spot(v uint64, row int) (cell int, sign int64) {
	x := splitmix.Finish(v + uint64(row)*splitmix.Golden)
	return row*s.width + int(x&uint64(s.width-1)), int64(x) >> 63
}

// signed returns n, negated if sign is -1.
func signed(n, sign int64) int64 { return n ^ sign - sign }

// Add counts a word by its 64-bit hash.
func (s *CountSketch) Add(h uint64) { s.AddN(h, 1) }

// AddN counts a word n times, or takes it back -n times.
func (s *CountSketch) AddN(h uint64, n int64) {
	v := mix(h, s.key)
	for row := range s.depth {
		cell, sign := s.spot(v, row)
		s.cells[cell] += signed(n, sign)
	}
}

// AddAll counts the words of a page, faster than Add for each: row by row, so that
// one row at a time is in the cache.
func (s *CountSketch) AddAll(hashes []uint64) {
	var mixed [batch]uint64
	for len(hashes) > 0 {
		n := min(batch, len(hashes))
		mixAll(hashes[:n], s.key, &mixed)
		for row := range s.depth {
			s.addRow(mixed[:n], row)
		}
		hashes = hashes[n:]
	}
}

// addRow counts words in one row.
func (s *CountSketch) addRow(mixed []uint64, row int) {
	cells := s.row(row)
	step := uint64(row) * splitmix.Golden
	for _, v := range mixed {
		x := splitmix.Finish(v + step)
		cells[int(x)&(len(cells)-1)] += int64(x)>>63 | 1
	}
}

// row returns the counters of a row.
func (s *CountSketch) row(row int) []int64 { return s.cells[row*s.width : (row+1)*s.width] }

// Count returns an estimate of how often the word with hash h was added: the median
// over the rows. The standard error of a row is at most √(F2/width), F2 being the
// second moment, so words with fewer occurrences cannot be distinguished from words
// that never came. The median of d rows is off by three times as much in fewer than
// e^(-0.46·d) of the cases, whatever the stream.
func (s *CountSketch) Count(h uint64) int64 {
	var row [MaxDepth]int64
	v := mix(h, s.key)
	for i := range s.depth {
		cell, sign := s.spot(v, i)
		x := signed(s.cells[cell], sign)
		j := i
		for ; j > 0 && row[j-1] > x; j-- {
			row[j] = row[j-1]
		}
		row[j] = x
	}
	return row[s.depth/2]
}

// Surprise returns the second moment of the stream: the median over the rows of the
// sum of their squares. One row's sum has the standard error √(2(F2² - F4)/width),
// F4 being the fourth moment, so at most 1.1 % for 1x16384; with the default 5x4096
// the error is about 1.2 % where rows are normal, and 0.3 to 0.5 % on text, where most
// of a row's error comes from few pairs of frequent words that share a counter, and
// hardly two rows in five have such a pair.
//
// That is also why from five rows on the interval comes from the rows themselves:
// each is above the truth or below it with equal chance. For one row or three it
// comes from the standard error, F4 being estimated too, and on text covers 99 %; of
// three words to ten in a single row of 16, 84 to 99 %. Only while all counters are 0
// is it a point. It reads the sketch, about 2 ns a counter.
func (s *CountSketch) Surprise() Interval {
	var second, fourth [MaxDepth]float64
	for i := range s.depth {
		second[i], fourth[i] = moments(s.row(i))
	}
	rows, width := second[:s.depth], float64(s.width)
	f2 := median(rows) // and sorts them
	variance := missedPair(f2, width)
	if s.depth >= 5 {
		if i := medianInterval(rows); !i.Exact() {
			return i
		}
	} else {
		variance += rowVariance(f2, median(fourth[:s.depth]), width)
	}
	if s.depth == 3 {
		variance *= medianOfThree
	}
	if f2 == 0 {
		return Interval{0, 0, rows[s.depth-1]}
	}
	return logInterval(f2, math.Sqrt(variance))
}

// missedPair returns the variance that the least of words, one that came once, adds
// to a row's sum of squares f2 beside one that makes up all of it: their counters
// coincide with a chance of 1/width, and f2 is then off by 2√f2. A row in which no two
// words seem to share a counter cannot rule that out.
func missedPair(f2, width float64) float64 { return 4 * f2 / width }

// rowVariance returns the variance of a row's sum of squares, f2 being the second
// moment and fourth the row's sum of fourth powers. In that the words that share
// counters add 3(F2² - F4)/width to F4 on average.
func rowVariance(f2, fourth, width float64) float64 {
	f4 := (fourth - 3*f2*f2/width) / (1 - 3/width)
	return 2 / width * (f2*f2 - min(max(f4, 0), f2*f2))
}

// medianOfThree is the variance of the median of three normal variates, in shares of
// that of one.
const medianOfThree = 0.44867

// medianInterval returns the median of a distribution from an odd number of values
// drawn from it, in ascending order, whatever the distribution: between the k-th
// value from below and that from above it lies with a chance of
//
//	1 - 2 P(B < k),  B binomial with probability 1/2,
//
// and the ends are interpolated between two k for 95 % (Hettmansperger and Sheather,
// Confidence intervals based on interpolated order statistics, 1986). Five values
// have 93.75 % between the first and the last, which must do.
func medianInterval(x []float64) Interval {
	n := len(x)
	each := math.Ldexp(1, 1-n) // twice the chance that B = 0
	k, covered := 1, 1-each
	for {
		each *= float64(n-k+1) / float64(k)
		if covered-each < 0.95 {
			break
		}
		covered -= each
		k++
	}
	part := max(0, covered-0.95) / each
	part *= float64(n-k) / (float64(k) + float64(n-2*k)*part)
	return Interval{x[n/2], x[k-1] + part*(x[k]-x[k-1]), x[n-k] - part*(x[n-k]-x[n-k-1])}
}

// moments returns the sums of the squares and of the fourth powers.
func moments(cells []int64) (second, fourth float64) {
	var sum squares
	for _, c := range cells {
		sum.add(uint64(max(c, -c)))
		square := float64(c) * float64(c)
		fourth += square * square
	}
	return sum.float(), fourth
}

// Merge makes s the sketch of both streams, counter by counter: exactly the one
// that would have seen both. The sketches need the same size and seed, otherwise Merge
// returns ErrMerge and changes nothing.
func (s *CountSketch) Merge(o *CountSketch) error {
	if s.key != o.key || s.depth != o.depth || s.width != o.width {
		return ErrMerge
	}
	for i, c := range o.cells {
		s.cells[i] += c
	}
	return nil
}

// Bytes returns the memory the sketch holds.
func (s *CountSketch) Bytes() int { return int(unsafe.Sizeof(*s)) + 8*len(s.cells) }
