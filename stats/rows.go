package stats

import (
	"cmp"
	"math"
	"slices"

	"crawler/internal/splitmix"
)

// Sizes of the rows of a Surprise. There are always four: a single row of four times the width is
// as accurate, but its interval holds in 84 of 100 cases only where a few frequent words make up
// the tail.
const (
	tailRows    = 4
	DefaultTail = 512
	MinTail     = 16
	MaxTail     = 1 << 14
)

// rows are signed counters: in each row a word has one counter and a sign, and adds its sign to
// its counter.
type rows struct {
	width int
	n     uint64  // words
	cells []int64 // row after row; none while there are no words
}

// add counts a word by its mixed hash; 0 counts nothing but is added all the same.
func (r *rows) add(v uint64, count int64) {
	r.n += uint64(count)
	x := splitmix.Finish(v + splitmix.Golden)
	cells, w := r.cells, r.width
	for row := 0; row < tailRows*w; row += w { // 16 bits of the hash for each
		cells[row+int(x>>1)&(w-1)] += (int64(x&1)<<1 - 1) * count
		x >>= 16
	}
}

// open makes the counters.
func (r *rows) open() {
	if r.cells == nil {
		r.cells = make([]int64, tailRows*r.width)
	}
}

// tailMoments is what the rows say of their words.
type tailMoments struct {
	second float64 // F2, the second moment: the mean over the rows of the sum of their squares
	pairs  float64 // F2² - F4, unbiased: twice what all pairs of words have in squared products
	most   float64 // the product of the two largest counters of a row: the largest such product,
	middle float64 // and the mean over the rows
	rare   float64 // the largest but for as many as share a counter in 5 % of the cases
}

func (r *rows) moments() (s tailMoments) {
	w := float64(r.width)
	rare := int(0.05*w/tailRows) + 1
	for row := r.cells; len(row) > 0; row = row[r.width:] {
		var second, fourth float64
		large := make([]float64, 0, min(rare, mostLarge)+2) // the largest counters, descending
		for _, c := range row[:r.width] {
			x := math.Abs(float64(c))
			q := x * x
			second += q
			fourth += q * q
			if len(large) < cap(large)-1 || x > large[len(large)-1] {
				at, _ := slices.BinarySearchFunc(large, x, func(a, b float64) int { return cmp.Compare(b, a) })
				large = slices.Insert(large, at, x)
				large = large[:min(len(large), cap(large)-1)]
			}
		}
		s.second += second / tailRows
		s.pairs += (second*second - fourth) / (1 - 1/w) / tailRows
		products := descendingProducts(large)
		s.most = max(s.most, products[0])
		s.middle += products[0] / tailRows
		s.rare = max(s.rare, products[min(rare, len(products))-1])
	}
	return s
}

// mostLarge is how many of a row's largest counters are looked at, besides one.
const mostLarge = 16

// descendingProducts returns the products of any two of the values, of which there are two at
// least.
func descendingProducts(values []float64) (products []float64) {
	for i, a := range values {
		for _, b := range values[:i] {
			products = append(products, a*b)
		}
	}
	slices.Sort(products)
	slices.Reverse(products)
	return products
}

// estimate returns the second moment of the words. Two words of a and b occurrences share a
// counter of a row of width W with chance 1/W, and add 2ab to its sum of squares or take it off.
// So of R rows the mean has the variance 2(F2² - F4)/(RW); 4·F2/(RW) is added for the pair that no
// row can rule out, a word that came once beside one that came often. The mean is taken for a
// chi-squared variate of that variance (Wilson and Hilferty, The distribution of chi-square,
// 1931). Where few pairs make up most of the variance the interval must reach as far as one of them
// errs, unless it is so heavy that fewer than 5 % of the seeds have one like it.
func (r *rows) estimate() Interval {
	if r.n == 0 {
		return exactly(0)
	}
	n, s := float64(r.n), r.moments()
	if s.second == 0 { // whatever came was cancelled
		return Interval{n, n, n * n}
	}
	cells := tailRows * float64(r.width)
	variance := 2*s.pairs/cells + 4*s.second/cells
	i := chiInterval(s.second, variance)
	half := max(s.fewPairs(cells), 2*s.rare/tailRows)
	i.Low, i.High = min(i.Low, s.second-half), max(i.High, s.second+half)
	return i.within(n, n*n)
}

// chiInterval returns the interval of an estimate that is distributed as chi-squared.
func chiInterval(estimate, variance float64) Interval {
	a := variance / (9 * estimate * estimate) // 2/9 over the degrees of freedom
	cube := func(z float64) float64 {
		x := 1 - a + z*math.Sqrt(a)
		return x * x * x
	}
	return Interval{estimate, estimate / cube(z95), estimate / cube(-z95)}
}

// fewPairs returns the least half-width where few pairs of heavy words must be expected to share
// a counter: one pair that does then errs by more than the variance has it. The number
// of such pairs that add, less those that take off, is a difference of two Poisson variates
// (Skellam 1946), each pair a step of 2ab/R with the two largest counters of a row for a and b. The
// number expected is that of K = F2²/F4 equal words, or what steps of that size make of the
// variance, whichever is less. With more than three expected the sum is normal enough.
func (s *tailMoments) fewPairs(cells float64) float64 {
	const enough = 3
	fourth := max(s.second*s.second-s.pairs, s.second)
	k := s.second * s.second / fourth
	expected := tailRows * tailRows * k * (k - 1) / (2 * cells)
	if expected > enough || s.middle == 0 {
		return 0
	}
	step := 2 * s.middle / tailRows
	expected = min(expected, 2*s.pairs/cells/(step*step))
	return float64(skellamQuantile(expected/2)) * 2 * s.most / tailRows
}

// skellamQuantile returns the least k that the difference of two Poisson variates of the given
// mean, at most 1.5, exceeds with a probability of 2.5 % at most.
func skellamQuantile(mean float64) (k int) {
	const most = 24 // beyond it there is nothing
	var p [most]float64
	p[0] = math.Exp(-mean)
	for i := 1; i < most; i++ {
		p[i] = p[i-1] * mean / float64(i)
	}
	above := 0.0
	for k = most - 1; k > 0; k-- {
		for i := range most - k {
			above += p[i] * p[i+k] // that the difference is k
		}
		if above > 0.025 {
			return k
		}
	}
	return 0
}

// merge adds the counters of rows of the same width.
func (r *rows) merge(o *rows) {
	r.n += o.n
	if o.cells == nil {
		return
	}
	r.open()
	for i, c := range o.cells {
		r.cells[i] += c
	}
}
