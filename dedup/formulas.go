package dedup

import "math"

// Occupancy returns the expected share of targets that are hit when darts are
// thrown at them at random, 1 - e^(-d/t). Exactly it is 1 - (1 - 1/t)^d, which
// differs by less than 1/t.
func Occupancy(darts, targets float64) float64 { return -math.Expm1(-darts / targets) }

// ZeroShare returns the expected share of zero bits in a Classic of m bits that
// holds n distinct keys with k positions each, e^(-kn/m).
func ZeroShare(m, n float64, k int) float64 { return math.Exp(-float64(k) * n / m) }

// ClassicRate returns the expected share of absent keys that a Classic with k
// positions answers with "maybe" when it has the given number of bits for each
// distinct key it holds: (1 - e^(-k/b))^k (Bloom 1970; Broder and Mitzenmacher
// 2004, "Network applications of Bloom filters: a survey", section 2). In small
// filters the true rate is a little larger (Bose and others 2008, "On the
// false-positive rate of Bloom filters").
func ClassicRate(bitsPerKey float64, k int) float64 {
	return math.Pow(Occupancy(float64(k), bitsPerKey), float64(k))
}

// OptimalK returns the number of positions a key that makes the rate smallest
// if fractions of one were possible: (m/n) ln 2. Half of the bits are set then.
func OptimalK(bitsPerKey float64) float64 { return bitsPerKey * math.Ln2 }

// BestK returns the number of positions a key, from 1 to MaxHashes, with the
// smallest rate: the better of the two neighbours of OptimalK. For b = 5 that is
// 3, though OptimalK is 3.47, and just so: the rates are 0.0918 and 0.0920.
func BestK(bitsPerKey float64) int {
	k := int(min(max(OptimalK(bitsPerKey), 1), MaxHashes))
	if k < MaxHashes && ClassicRate(bitsPerKey, k+1) < ClassicRate(bitsPerKey, k) {
		k++
	}
	return k
}

// BestRate returns the rate at OptimalK: 2^(-b ln 2), or 0.6185^b. A Classic
// with BestK positions comes close to it, as a number of positions is whole.
func BestRate(bitsPerKey float64) float64 { return math.Exp2(-OptimalK(bitsPerKey)) }

// BitsFor returns how many bits for each key a Classic with OptimalK positions
// needs for the given rate, above 0 and at most 1: -ln p / (ln 2)^2, the inverse
// of BestRate.
func BitsFor(rate float64) float64 { return -math.Log2(rate) / math.Ln2 }

// PublishedRateAsPrinted returns the rate that descriptions of the published
// multilayer filter print, (1 - e^(-kn/m))^(kl) for l layers of m bits and n
// URLs. It is not the filter's rate. It leaves out the last array, which would
// make the exponent k(l+1); it has n distinct segments in every layer, where
// there are few; above all it takes every segment of an absent URL for new,
// where in a crawl nearly every one is known, and a known segment passes its
// layer with certainty. PublishedRate is right.
func PublishedRateAsPrinted(bitsPerKey float64, k, layers int) float64 {
	return math.Pow(ClassicRate(bitsPerKey, k), float64(layers))
}

// PublishedRate returns the share of absent URLs that a PublishedMultilayer
// answers with "maybe": the product over the layers of s_i + (1 - s_i) f_i, times
// the rate of the last array. s_i is the chance that segment i of the URL stands
// in layer i already, f_i the rate of layer i; the slices are equally long. With
// all segments known it is the last array's rate: that of a plain filter of one
// (L+1)th of the memory. Swapped and equal segments come on top, as the last
// array cannot tell them apart.
func PublishedRate(standing, layers []float64, last float64) float64 {
	rate := last
	for i, s := range standing {
		rate *= s + (1-s)*layers[i]
	}
	return rate
}

// foldCells is into how many cells FoldFactor cuts the next power of two.
const foldCells = 1 << 10

// FoldFactor returns how many times as often the last array of a
// PublishedMultilayer errs because the XOR of addresses below m is taken modulo
// m: the XOR is as large as the next power of two allows, so that the low
// positions get more than their share. share is m divided by that power of two,
// above 1/2 and at most 1 (rounded to 1/1024); segments, from 1 to 64, is how
// many are combined; load is kn/m, 0 or less for the limit of an empty filter. The
// factor is 1 when m is a power of two or there is one segment; it is largest near
// share 3/4 with two segments.
//
// The distribution of the XOR of independent values is the product of their
// Walsh-Hadamard transforms; it takes 30 to 60 µs.
func FoldFactor(share float64, segments, k int, load float64) float64 {
	load = max(load, 1e-9) // from here on nothing changes, but for 0/0 at 0
	m := int(math.Round(min(max(share, 0.5), 1) * foldCells))
	p := make([]float64, foldCells)
	for i := range m {
		p[i] = 1 / float64(m)
	}
	walshHadamard(p)
	for i := range p {
		p[i] = math.Pow(p[i], float64(min(max(segments, 1), 64))) / foldCells
	}
	walshHadamard(p)
	for i := m; i < foldCells; i++ {
		p[i-m] += p[i]
	}
	hit := 0.0 // a query's position has weight p, and so had those of the keys
	for _, x := range p[:m] {
		hit += x * Occupancy(load*x, 1/float64(m))
	}
	return math.Pow(hit/Occupancy(load, 1), float64(k))
}

// walshHadamard transforms a, whose length is a power of two, in place.
func walshHadamard(a []float64) {
	for h := 1; h < len(a); h *= 2 {
		for i := range a {
			if i&h == 0 {
				a[i], a[i+h] = a[i]+a[i+h], a[i]-a[i+h]
			}
		}
	}
}
