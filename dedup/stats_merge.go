package dedup

import "math"

// Merge returns the account of filters that share the URLs out among themselves, so that each URL
// is asked about in one of them: shards of one crawl. Counts add up. Fill, ExpectedRate and what
// a sample has found are the means over the bits, the URLs admitted and the sampled URLs. Each
// filter's RiskedHigh holds with 97.5 %, so their sum is a bound that is rather too high. Layers
// are left out: an empty list has the zero Stats with a rate from 0 to 1.
func Merge(all []Stats) (sum Stats) {
	var fill, expected, low, high float64
	asked := 0.0 // URLs that Rate is the share of
	for _, s := range all {
		sum.Asked, sum.New, sum.Seen = sum.Asked+s.Asked, sum.New+s.New, sum.Seen+s.Seen
		sum.Restarts, sum.Expect, sum.Bits = sum.Restarts+s.Restarts, sum.Expect+s.Expect, sum.Bits+s.Bits
		sum.FalsePositives, sum.Pruned = sum.FalsePositives+s.FalsePositives, sum.Pruned+s.Pruned
		sum.Hot, sum.Checked = sum.Hot+s.Hot, sum.Checked+s.Checked
		sum.Risked, sum.RiskedHigh = sum.Risked+s.Risked, sum.RiskedHigh+s.RiskedHigh
		sum.RiskedBy = worse(sum.RiskedBy, s.RiskedBy)
		sum.SampledURLs, sum.SampledLost = sum.SampledURLs+s.SampledURLs, sum.SampledLost+s.SampledLost
		sum.FilterBytes, sum.LogBytes = sum.FilterBytes+s.FilterBytes, sum.LogBytes+s.LogBytes
		fill += s.Fill * float64(s.Bits)
		expected += s.ExpectedRate * float64(s.New)
		if n := float64(s.New) + s.Risked; s.RiskedBy != "" && n > 0 {
			asked += n
			sum.Rate, low, high = sum.Rate+n*s.Rate, low+n*s.RateLow, high+n*s.RateHigh
		}
	}
	sum.Fill, sum.ExpectedRate = fill/math.Max(1, float64(sum.Bits)), expected/math.Max(1, float64(sum.New))
	if asked == 0 {
		sum.Rate, sum.RateLow, sum.RateHigh = share(sum.FalsePositives, sum.New)
		return sum
	}
	sum.Rate, sum.RateLow, sum.RateHigh = sum.Rate/asked, low/asked, high/asked
	return sum
}

// worse returns which of two ways of knowing a risk says less; "" is none.
func worse(a, b RiskedBy) RiskedBy {
	order := map[RiskedBy]int{"": 0, ByCount: 1, ByTheory: 2, BySample: 3}
	if order[b] > order[a] {
		return b
	}
	return a
}
