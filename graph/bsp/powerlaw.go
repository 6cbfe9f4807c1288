package bsp

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"crawler/stats"
)

// PowerLaw is the law P(X = x) = x^-Exponent / ζ(Exponent, From) for x >= From.
type PowerLaw struct {
	Exponent stats.Interval `json:"exponent"`
	From     int            `json:"from"`     // the smallest value for which it holds
	Tail     int            `json:"tail"`     // how many values are that large
	Distance float64        `json:"distance"` // of Kolmogorov and Smirnov, to the values from there
}

// minTail is the number of values without which no exponent is fitted, and maxFrom the
// number of smallest values that are tried as PowerLaw.From.
const (
	minTail = 50
	maxFrom = 200
)

// FitPowerLaw fits a power law to the tail of a distribution of degrees, by maximum
// likelihood for integers; the tail begins where the law fits best (Clauset, Shalizi and
// Newman, Power-law distributions in empirical data, 2009, sections 3.1 and 3.3). It
// reports false with fewer than 50 values above 0, or no two different ones. That a
// law was fitted does not say that the values follow one: PValue does. The interval does not know
// that From was chosen. The exponent is looked for between 1.01 and 10.
func FitPowerLaw(degrees []uint32) (best PowerLaw, ok bool) {
	values, counts := histogram(degrees)
	return fitHistogram(values, counts)
}

// fitHistogram is FitPowerLaw for ascending values that occur so often.
func fitHistogram(values []uint32, counts []int) (best PowerLaw, ok bool) {
	tail, logs := 0, 0.0
	for i, x := range values {
		tail += counts[i]
		logs += float64(counts[i]) * math.Log(float64(x))
	}
	best.Distance = math.Inf(1)
	for i := range values {
		if tail < minTail || i+1 == len(values) || i == maxFrom {
			break
		}
		from, n := float64(values[i]), float64(tail)
		if law, fits := fitTail(values[i:], counts[i:], n, logs, best.Distance); fits && law.Distance < best.Distance {
			best, ok = law, true
		}
		tail -= counts[i]
		logs -= float64(counts[i]) * math.Log(from)
	}
	return best, ok
}

// PValue returns how likely values that follow the law are as far from the law that is then fitted
// to them as the given values, to which it was fitted, are from theirs: the share of rounds
// samples, drawn from the law in its tail and from the values below it, with a Distance that large
// (Clauset, Shalizi and Newman 2009, section 4.1). At 0.1 or below they rule the law out. It errs
// by √(p(1 - p)/rounds). A round takes as long as a fit and 20 ns a value; it looks at ctx before
// each.
func (l PowerLaw) PValue(ctx context.Context, degrees []uint32, rounds int, seed uint64) (p float64, err error) {
	values, counts := histogram(degrees)
	body := 0 // values below the tail
	for i, x := range values {
		if int(x) >= l.From {
			values, counts = values[:i], counts[:i]
			break
		}
		body += counts[i]
	}
	r := rand.New(rand.NewPCG(seed, 2009))
	law, far := newDrawing(l), 0
	for range rounds {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		v, c := law.sample(values, counts, body, body+l.Tail, r)
		if fit, ok := fitHistogram(v, c); ok && fit.Distance >= l.Distance {
			far++
		}
	}
	return float64(far) / float64(max(rounds, 1)), nil
}

// drawing draws from a power law by inverting its distribution: from a table of the shares up to
// each of the first values, and as if the law were continuous beyond.
type drawing struct {
	law  PowerLaw
	upTo []float64
}

const tabled = 1 << 14 // values in the table

func newDrawing(l PowerLaw) *drawing {
	d := &drawing{law: l, upTo: make([]float64, tabled)}
	a, from := l.Exponent.Estimate, float64(l.From)
	all, sum := hurwitz(a, from), 0.0
	for i := range d.upTo {
		sum += math.Pow(from+float64(i), -a) / all
		d.upTo[i] = sum
	}
	return d
}

func (d *drawing) value(u float64) uint32 {
	if i, _ := slices.BinarySearch(d.upTo, u); i < len(d.upTo) {
		return uint32(d.law.From + i)
	}
	rest, a := 1-d.upTo[len(d.upTo)-1], d.law.Exponent.Estimate
	x := (float64(d.law.From+len(d.upTo)) - 0.5) * math.Pow(max(1-u, 1e-300)/rest, -1/(a-1))
	return uint32(min(x+0.5, math.MaxUint32))
}

// sample draws n values and returns them as a histogram: each is one of the law, or else one of
// the body values of the given histogram.
func (d *drawing) sample(values []uint32, counts []int, body, n int, r *rand.Rand) ([]uint32, []int) {
	below := make([]float64, len(values)) // share of those up to each
	sum := 0
	for i, c := range counts {
		sum += c
		below[i] = float64(sum) / float64(n)
	}
	drawnOf, often := make([]int, len(values)), map[uint32]int{}
	for range n {
		u := r.Float64()
		if i, _ := slices.BinarySearch(below, u); i < len(below) && u < float64(body)/float64(n) {
			drawnOf[i]++
		} else {
			often[d.value(r.Float64())]++
		}
	}
	var v []uint32
	var c []int
	for i, k := range drawnOf {
		if k > 0 {
			v, c = append(v, values[i]), append(c, k)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(often)) {
		v, c = append(v, x), append(c, often[x])
	}
	return v, c
}

// histogram returns the different values above 0, ascending, and how often each occurs.
func histogram(degrees []uint32) (values []uint32, counts []int) {
	ascending := slices.Sorted(slices.Values(degrees))
	for _, x := range ascending {
		switch last := len(values) - 1; {
		case x == 0:
		case last >= 0 && values[last] == x:
			counts[last]++
		default:
			values, counts = append(values, x), append(counts, 1)
		}
	}
	return values, counts
}

// fitTail fits n values, the sum of whose logarithms is logs. The log-likelihood
// -n·ln ζ(a, from) - a·logs is concave in a; slope and curve are found by differences, and where
// the slope is none by Newton's steps, kept between a value with a slope upwards and one
// downwards. A distance of more than enough may come out too short.
func fitTail(values []uint32, counts []int, n, logs, enough float64) (PowerLaw, bool) {
	const step, precise = 1e-4, 1e-9
	from := float64(values[0])
	zeta := func(a float64) float64 { return math.Log(hurwitz(a, from)) }
	low, high := 1.01, 10.0
	a := min(max(1+n/(logs-n*math.Log(from-0.5)), low), high) // as if the values were continuous
	var curve float64
	for range 40 {
		before, at, behind := zeta(a-step), zeta(a), zeta(a+step)
		curve = (behind - 2*at + before) / (step * step)
		slope := -n*(behind-before)/(2*step) - logs
		if slope > 0 {
			low = a
		} else {
			high = a
		}
		next := a + slope/(n*curve)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		moved := math.Abs(next - a)
		a = next
		if moved < precise {
			break
		}
	}
	if a < 1.011 || a > 9.999 {
		return PowerLaw{}, false
	}
	half := 1.96 / math.Sqrt(n*curve)
	return PowerLaw{
		Exponent: stats.Interval{Estimate: a, Low: max(a-half, 1), High: a + half},
		From:     int(values[0]),
		Tail:     int(n),
		Distance: distance(values, counts, n, a, enough),
	}, true
}

// distance is the largest difference between the shares of values below some x, among the
// values and by the law. It stops at the first that is more than enough.
func distance(values []uint32, counts []int, n, a, enough float64) (far float64) {
	all, below := hurwitz(a, float64(values[0])), 0.0
	for i, x := range values {
		if far > enough {
			return far
		}
		rest := hurwitz(a, float64(x))
		far = max(far, math.Abs(below-(1-rest/all)))
		below += float64(counts[i]) / n
		rest -= math.Pow(float64(x), -a)
		far = max(far, math.Abs(below-(1-rest/all)))
	}
	return far
}

// hurwitz returns ζ(a, q), the sum of (q+i)^-a over i >= 0, for a > 1 and q >= 1, by the
// formula of Euler and Maclaurin from 12 on; the relative error is below 1e-9.
func hurwitz(a, q float64) (sum float64) {
	for ; q < 12; q++ {
		sum += math.Pow(q, -a)
	}
	p := math.Pow(q, -a)
	sum += p*q/(a-1) + p/2 + a*p/(12*q)
	return sum - a*(a+1)*(a+2)*p/(720*q*q*q) + a*(a+1)*(a+2)*(a+3)*(a+4)*p/(30240*q*q*q*q*q)
}
