package bsp

import (
	"math"
	"math/bits"

	"crawler/stats"
)

// theory is what is known of a sketch of m registers in a graph of nodes.
type theory struct {
	m      float64
	nodes  float64
	empty  []float64 // by the number of empty registers, what they add
	most   []float64 // by the number of filled registers, while few, the largest likely size
	spread []float64 // relative standard deviation, for 1, 2, 4... nodes
}

func newTheory(m, nodes int) theory {
	t := theory{m: float64(m), nodes: float64(nodes), empty: make([]float64, m+1)}
	for zeros := range t.empty {
		t.empty[zeros] = t.m * sigma(float64(zeros)/t.m)
	}
	t.most = mostFilling(m, max(m/4, 8))
	for i := range bits.Len(uint(nodes)) + 2 {
		t.spread = append(t.spread, excess(t.m)*relativeDeviation(t.m, math.Ldexp(1, i)))
	}
	t.spread[0] = 0 // one node is always distinguished from none
	return t
}

// point is the number of bits after the point in a sum of 2^-R: as many as 1,024
// registers leave room for.
const point = 53

// width is the half of a 95 % interval in standard deviations.
const width = 1.96

// excess is by how much this estimator errs more than the information in the registers
// allows, at most: by 6 %, and more where they are few (measured by TestCountersAgainstTruth).
func excess(m float64) float64 { return 1.06 + 1/m }

// sigma is σ(x) = x + Σ 2^(k-1)·x^(2^k) of Ertl (New cardinality estimation algorithms for
// HyperLogLog sketches, 2017, equation 13).
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	sum, weight := x, 1.0
	for x > 1e-9 {
		x *= x
		sum += weight * x
		weight *= 2
	}
	return sum
}

// estimate is Ertl's improved raw estimator (algorithm 6), which needs no correction for
// small or large numbers, less its second-order bias: the inverse of a sum with relative
// variance e² is too large by e². It also returns the number of empty registers.
func (t *theory) estimate(sketch []uint64) (size float64, zeros int) {
	const high, ones = 0x8080808080808080, 0x0101010101010101
	var sum uint64 // of 2^-R
	for _, word := range sketch {
		zeros += bits.OnesCount64(^((word | high) - ones) & high)
		for range 8 {
			sum += 1 << point >> (word & 63)
			word >>= 8
		}
	}
	sum -= uint64(zeros) << point
	if zeros == len(t.empty)-2 {
		return 1, zeros // two nodes hardly ever fill only one
	}
	const alpha = 0.5 / math.Ln2
	size = alpha * t.m * t.m / (t.empty[zeros] + math.Ldexp(float64(sum), -point))
	e := t.relative(size)
	return min(size/(1+e*e), t.nodes), zeros
}

// interval returns the estimate of a sketch and the range that holds the true size
// with 95 %.
func (t *theory) interval(sketch []uint64) stats.Interval {
	size, zeros := t.estimate(sketch)
	filled := len(t.empty) - 1 - zeros
	if filled < len(t.most) {
		return stats.Interval{Estimate: size, Low: float64(filled), High: min(t.most[filled], t.nodes)}
	}
	factor := math.Exp(width * t.relative(size))
	return stats.Interval{Estimate: size, Low: max(size/factor, float64(filled)), High: min(size*factor, t.nodes)}
}

// relative returns the standard deviation of the estimate of n nodes, over n.
func (t *theory) relative(n float64) float64 {
	mantissa, i := math.Frexp(min(max(n, 1), t.nodes))
	return t.spread[i-1] + (2*mantissa-1)*(t.spread[i]-t.spread[i-1])
}

// relativeDeviation is the square root of m·(1/i(n/m) - n/m), over n. i is the Fisher
// information of one register about t, the mean of the Poisson number of nodes that fall
// to it: P(R <= r) = e^(-t/2^r). Such a number varies by itself, which ours does not; so
// its variance is taken off. For few nodes that leaves the variance of linear counting,
// m(e^t - t - 1) (Whang, Vander-Zanden and Taylor, 1990, equation 6), for many 1.04²n²/m.
func relativeDeviation(m, n float64) float64 {
	t := n / m
	information, below, slope := 0.0, 0.0, 0.0
	for r := range 64 {
		scale := math.Ldexp(1, -r)
		upTo := math.Exp(-t * scale)
		if p := upTo - below; p > 1e-300 {
			d := slope - scale*upTo
			information += d * d / p
		}
		below, slope = upTo, scale*upTo
	}
	return math.Sqrt(max(m*(1/information-t), 0)) / n
}

// mostFilling returns, for each number of filled registers below limit, the largest
// number of nodes that fills no more than that with a chance of at least 2.5 %. It
// certainly is not smaller than the number of registers.
func mostFilling(m, limit int) []float64 {
	most := make([]float64, limit)
	chance := make([]float64, limit) // of k filled registers after n nodes
	chance[0] = 1
	for n := 0; ; n++ {
		upTo := 0.0
		for k, p := range chance {
			if upTo += p; upTo >= 0.025 {
				most[k] = float64(n)
			}
		}
		if upTo < 0.025 {
			return most
		}
		for k := limit - 1; k >= 0; k-- {
			chance[k] *= float64(k) / float64(m)
			if k > 0 {
				chance[k] += chance[k-1] * float64(m-k+1) / float64(m)
			}
		}
	}
}
