package bsp

import (
	"math"
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
// law was fitted does not say that the values follow one: look at Distance, which is about
// 1/√Tail when they do. The interval does not know that From was chosen. The exponent
// is looked for between 1.01 and 10.
func FitPowerLaw(degrees []uint32) (best PowerLaw, ok bool) {
	values, counts := histogram(degrees)
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
		if law, fits := fitTail(values[i:], counts[i:], n, logs); fits && law.Distance < best.Distance {
			best, ok = law, true
		}
		tail -= counts[i]
		logs -= float64(counts[i]) * math.Log(from)
	}
	return best, ok
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
// -n·ln ζ(a, from) - a·logs is concave in a; its slope is found by differences.
func fitTail(values []uint32, counts []int, n, logs float64) (PowerLaw, bool) {
	const step = 1e-4
	from := float64(values[0])
	zeta := func(a float64) float64 { return math.Log(hurwitz(a, from)) }
	low, high := 1.01, 10.0
	for range 40 {
		a := (low + high) / 2
		if -n*(zeta(a+step)-zeta(a-step))/(2*step) > logs {
			low = a
		} else {
			high = a
		}
	}
	a := (low + high) / 2
	if a < 1.011 || a > 9.999 {
		return PowerLaw{}, false
	}
	curve := (zeta(a+step) - 2*zeta(a) + zeta(a-step)) / (step * step)
	half := 1.96 / math.Sqrt(n*curve)
	return PowerLaw{
		Exponent: stats.Interval{Estimate: a, Low: max(a-half, 1), High: a + half},
		From:     int(values[0]),
		Tail:     int(n),
		Distance: distance(values, counts, n, a),
	}, true
}

// distance is the largest difference between the shares of values below some x, among the
// values and by the law.
func distance(values []uint32, counts []int, n, a float64) (far float64) {
	all, below := hurwitz(a, float64(values[0])), 0.0
	for i, x := range values {
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
