package stats

import (
	"math"
	"slices"
)

// mean returns the arithmetic mean of values, of which there is at least one.
func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// median returns the middle of values, of which there is at least one, and
// sorts them.
func median(values []float64) float64 {
	slices.Sort(values)
	m := len(values) / 2
	if len(values)%2 == 1 {
		return values[m]
	}
	return (values[m-1] + values[m]) / 2
}

// groupMedian averages groups of the given size and returns the median of the
// averages. Values that fill no whole group are left out, unless that would
// leave none.
func groupMedian(values []float64, size int) float64 {
	size = min(size, len(values))
	if size == 0 {
		return 0
	}
	var means []float64
	for end := size; end <= len(values); end += size {
		means = append(means, mean(values[end-size:end]))
	}
	return median(means)
}

// spread returns the median of the absolute values, scaled so that it is the
// standard deviation where the values are normal around 0.
func spread(values []float64) float64 {
	sizes := make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	return 1.4826 * median(sizes)
}
