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
	own    []float64 // share of the deviation that is not that of the number of nodes, likewise
	fewer  []float64 // empty, without a group of the registers
}

func newTheory(m, nodes int) theory {
	t := theory{m: float64(m), nodes: float64(nodes), empty: make([]float64, m+1)}
	for zeros := range t.empty {
		t.empty[zeros] = t.m * sigma(float64(zeros)/t.m)
	}
	t.most = mostFilling(m, max(m/4, 8))
	t.fewer = make([]float64, m-m/groups+1)
	for zeros := range t.fewer {
		left := float64(len(t.fewer) - 1)
		t.fewer[zeros] = left * sigma(float64(zeros)/left)
	}
	for i := range bits.Len(uint(nodes)) + 2 {
		n := math.Ldexp(1, i)
		relative := relativeDeviation(t.m, n)
		t.spread = append(t.spread, excess(t.m)*relative)
		t.own = append(t.own, relative/math.Sqrt(relative*relative+1/n))
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

// deviate adds by how much the estimate of a sketch deviates when each of the groups of its
// registers is left out, times sign. Which nodes fell to a group varies as well, which says
// nothing of the error of a sketch that has them all: that share of the deviation is taken off.
func (t *theory) deviate(to *[groups]float64, sketch []uint64, size float64, sign float64) {
	var sums, zeros [groups]uint64
	sum, empty, each := uint64(0), uint64(0), len(sketch)*8/groups // registers of a group
	for i := range 8 * len(sketch) {
		g := i / each
		if r := sketch[i/8] >> (i % 8 * 8) & 63; r == 0 {
			zeros[g]++
			empty++
		} else {
			sums[g] += 1 << point >> r
			sum += 1 << point >> r
		}
	}
	var without [groups]float64
	mean, left := 0.0, float64(len(t.fewer)-1)
	for g := range without {
		const all = groups / (groups - 1.0)
		without[g] = all * left * left / (t.fewer[empty-zeros[g]] + math.Ldexp(float64(sum-sums[g]), -point))
		mean += without[g] / groups
	}
	if mean == 0 {
		return
	}
	scale := sign * t.at(t.own, size) * size / mean
	for g, x := range without {
		to[g] += scale * (x - mean)
	}
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
func (t *theory) relative(n float64) float64 { return t.at(t.spread, n) }

// at interpolates in a table for 1, 2, 4... nodes.
func (t *theory) at(table []float64, n float64) float64 {
	mantissa, i := math.Frexp(min(max(n, 1), t.nodes))
	return table[i-1] + (2*mantissa-1)*(table[i]-table[i-1])
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
