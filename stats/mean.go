package stats

import "math"

// MeanOf returns the mean of a population of n values, estimated by a random sample of it that
// was drawn without replacement, with the interval of a sample that leans (Hall 1992). Of one
// value the interval is not known: it is 0 to twice the value. Without values all three are 0.
func MeanOf(sample []float64, n float64) Interval {
	switch k := len(sample); {
	case k == 0:
		return Interval{}
	case float64(k) >= n:
		return exactly(mean(sample))
	case k == 1:
		return Interval{sample[0], min(0, 2*sample[0]), max(0, 2*sample[0])}
	}
	return meanInterval(sample, n)
}

// CountOf returns the size of a population of which the given share was drawn, each member by
// itself, and n were. The interval is the score interval of a Poisson variate.
func CountOf(n int, share float64) Interval {
	k, z := float64(n), z95*z95*(1-share)
	half := math.Sqrt(z*k + z*z/4)
	return Interval{k, k + z/2 - half, k + z/2 + half}.over(share, k)
}

// TotalOf returns the sum of the values, none below 0, of a population of which the given share was
// drawn, each member by itself: the sample's over the share (Horvitz and Thompson 1952). The
// interval is that of Hall (1992), as MeanOf's, with moments around 0 in place of the mean, since
// how many were drawn is left to chance, too. Without values all three are 0.
//
// Where a few members have much of the sum, and the sample none of them, no interval can know.
func TotalOf(sample []float64, share float64) Interval {
	var sum, square, cube float64
	for _, v := range sample {
		sum += v
		square += v * v
		cube += v * v * v
	}
	if square == 0 || share >= 1 {
		return exactly(sum)
	}
	deviation := math.Sqrt(square * (1 - share))
	lean := cube / math.Pow(square, 1.5) * math.Sqrt(1-share)
	return Interval{sum, sum - deviation*unlean(z95, lean), sum - deviation*unlean(-z95, lean)}.over(share, sum)
}
