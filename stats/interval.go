package stats

import "math"

// Interval is an estimate with its 95 % confidence interval. An exact figure
// has Low == Estimate == High.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Exact reports whether the figure carries no error.
func (i Interval) Exact() bool { return i.Low == i.High }

// Contains reports whether x lies in the interval, its ends included.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// exactly is the interval of a figure known without error.
func exactly(x float64) Interval { return Interval{x, x, x} }

// plus moves the interval up by x.
func (i Interval) plus(x float64) Interval {
	return Interval{i.Estimate + x, i.Low + x, i.High + x}
}

// within narrows the interval to what is certain.
func (i Interval) within(low, high float64) Interval {
	clamp := func(x float64) float64 { return min(max(x, low), high) }
	return Interval{clamp(i.Estimate), clamp(i.Low), clamp(i.High)}
}

// z95 is the 97.5 % quantile of the normal distribution: 95 % of it lies
// within ±z95.
const z95 = 1.959963984540054

// logInterval returns the interval of a positive estimate with the given
// standard error, symmetric in the logarithm.
func logInterval(estimate, deviation float64) Interval {
	factor := math.Exp(z95 * deviation / estimate)
	return Interval{estimate, estimate / factor, estimate * factor}
}

// meanInterval returns the interval for the mean of a population of n values
// from a random sample x of it, drawn without replacement, of at least two.
//
// The usual mean ± 1.96 standard errors covers only 90 to 93 % here, as counts
// of words lean far to the right: when the sample misses the few large values,
// both the mean and the error come out too small. Hall's transformation (On the
// removal of skewness by transformation, 1992, equation 2.1) takes the lean out
// of the studentized mean and is undone at the ends; it covers 94 to 97 %.
func meanInterval(x []float64, n float64) Interval {
	m, k := mean(x), float64(len(x))
	var square, cube float64
	for _, v := range x {
		d := v - m
		square += d * d
		cube += d * d * d
	}
	if square == 0 {
		return exactly(m)
	}
	deviation := math.Sqrt(square / (k - 1) / k * (1 - k/n))
	lean := cube / k / math.Pow(square/k, 1.5) / math.Sqrt(k)
	return Interval{m, m - deviation*unlean(z95, lean), m - deviation*unlean(-z95, lean)}
}

// unlean is the inverse of Hall's transformation t + lean(t²/3 + 1/6) +
// lean²t³/27, where lean is the sample's skewness over √k.
func unlean(z, lean float64) float64 {
	if math.Abs(lean) < 1e-6 {
		return z
	}
	return 3 / lean * (math.Cbrt(1+lean*(z-lean/6)) - 1)
}
