package dedup

import (
	"fmt"
	"math"
)

// DefaultBytesPerKey is the memory of a Spectral for each key: 3.5 % of the
// counts are wrong by MinimumSelection, and 1.9 % by MinimalIncrease where they
// are counts of links.
const DefaultBytesPerKey = 8

// SpectralConfig says how large a Spectral is and how it counts. The zero value
// takes 0.8 MB.
type SpectralConfig struct {
	// Bytes is the memory of all counters, rounded up to lines of 64, at most
	// 128 GiB; 0 for Keys times BytesPerKey. The table of large counters comes
	// on top.
	Bytes int64

	// Keys is how many distinct keys are expected, 0 for DefaultURLs. More of
	// them do no harm but errors.
	Keys int64

	// BytesPerKey is the memory for each of them, at most 256; 0 for
	// DefaultBytesPerKey.
	BytesPerKey float64

	// Method is how to count; the zero value is MinimumSelection.
	Method SpectralMethod

	// Seed chooses the counters of a key, see Config.Seed.
	Seed uint64
}

// size checks the configuration and returns the number of bytes.
func (c SpectralConfig) size() (int64, error) {
	c.Keys = or(c.Keys, DefaultURLs)
	c.BytesPerKey = or(c.BytesPerKey, DefaultBytesPerKey)
	switch {
	case c.Method > RecurringMinimum:
		return 0, fmt.Errorf("dedup: SpectralConfig.Method is %d, want 0 to %d", c.Method, RecurringMinimum)
	case c.Bytes < 0 || c.Bytes > maxCounters:
		return 0, fmt.Errorf("dedup: SpectralConfig.Bytes is %d, want 1 to %d, or 0", c.Bytes, int64(maxCounters))
	case c.Keys < 1 || c.Keys > MaxURLs:
		return 0, fmt.Errorf("dedup: SpectralConfig.Keys is %d, want 1 to %d, or 0 for %d",
			c.Keys, int64(MaxURLs), DefaultURLs)
	case !(c.BytesPerKey > 0 && c.BytesPerKey <= maxBitsPerKey): // so written, it refuses NaN
		return 0, fmt.Errorf("dedup: SpectralConfig.BytesPerKey is %v, want above 0 and at most %d, or 0 for %d",
			c.BytesPerKey, maxBitsPerKey, DefaultBytesPerKey)
	}
	return or(c.Bytes, int64(math.Ceil(float64(c.Keys)*c.BytesPerKey))), nil
}

// spectralLines returns how many lines the given bytes make, at least one.
func spectralLines(bytes int64) int64 {
	return (min(max(bytes, 1), maxCounters) + lineCounters - 1) / lineCounters
}

// SpectralRate returns the share of the counts that are wrong in a filter of the given
// bytes that holds keys distinct keys: the exact share for MinimumSelection, an upper bound
// for MinimalIncrease. It is also the chance that a key that was never added is counted.
//
// A count is wrong if each of the key's counters is shared (Cohen and Matias
// 2003, claim 1), which is the event of a Bloom filter's false positive. As in
// Size.Rate the loads of the lines are Poisson distributed, and of the 16
// counters in each quarter of a line j keys leave a share of (15/16)^j unused:
// sum over j of P(j) (1 - (15/16)^j)^4.
func SpectralRate(bytes, keys int64) float64 {
	return lineRate(float64(keys)/float64(spectralLines(bytes)), quarter, ways)
}

// SpectralBytesFor returns the smallest size in bytes, a multiple of 64, at
// which at most the given share of the counts of keys distinct keys is wrong by
// MinimumSelection. MinimalIncrease needs less. No key gets more than 256 bytes.
func SpectralBytesFor(keys int64, rate float64) int64 {
	keys = max(keys, 1)
	most := spectralLines(min(keys, maxCounters/maxBitsPerKey) * maxBitsPerKey)
	return lineCounters * fewest(most, func(n int64) bool { return SpectralRate(n*lineCounters, keys) <= rate })
}
