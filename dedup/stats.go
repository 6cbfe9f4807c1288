package dedup

import "math"

// Stats is the account of a SeenTest. Asked = New + Seen.
type Stats struct {
	Asked int64 // questions
	New   int64 // answered "new": the URLs admitted
	Seen  int64 // answered "seen"

	Restarts     int64   // rebuilds with a new seed
	Expect       int64   // URLs the filter is sized for now
	Bits         int64   // of the filter, all layers and the last array
	Fill         float64 // share of Bits that are set
	ExpectedRate float64 // chance that a new URL under known prefixes is called "maybe" now

	// FalsePositives are new URLs that the filter called "maybe" and the exact log found to
	// be new (without a log they are lost, and not counted here). Rate is their share of
	// New, the questions about URLs that were truly new, over the whole crawl: filters fuller
	// and emptier, prefixes known and unknown. So it is usually below ExpectedRate. RateLow
	// and RateHigh are its 95 % confidence interval.
	FalsePositives          int64
	Rate, RateLow, RateHigh float64

	// Pruned are the false positives that a layer prevented: the last array said "maybe", a
	// layer "new".
	Pruned int64
	Layers []LayerStats // the first is that of the origins

	// Of a Logged: Hot are the questions that the cache of recent URLs answered, Checked
	// those that the log on disk answered, by Found or NotFound.
	Hot, Checked int64

	// Of a FilterOnly. Risked is how many URLs were lost, as RiskedBy says; with 97.5 %
	// confidence it is RiskedHigh at most. Of SampledURLs distinct URLs that were asked
	// about, chosen by their hashes, SampledLost were lost; Rate, RateLow and RateHigh then
	// come from these. The sample is complete up to 10,000 URLs asked about.
	Risked, RiskedHigh       float64
	RiskedBy                 RiskedBy
	SampledURLs, SampledLost int64

	FilterBytes int64 // memory of the filter
	LogBytes    int64 // memory of the exact log with its prefixes; of a Logged, of tail and caches
}

// RiskedBy is how the number of lost URLs is known.
type RiskedBy string

// The best of these that can be had is used.
const (
	ByCount  RiskedBy = "count"  // the sample has all URLs
	ByTheory RiskedBy = "theory" // from how full the filter was when each URL was admitted
	BySample RiskedBy = "sample" // from the sample's share, as the filter is too full for theory
)

// tellingRate is the rate of false positives up to which the number of URLs that a filter
// admitted tells how many it lost. What it loses after the last one nothing counts but
// questions, and a URL is asked about many times.
const tellingRate = 0.5

// LayerStats is the account of a layer. Prefixes and Misses are exact while all of the log
// is in memory. From then on, and in a FilterOnly, the layer's filter decides which
// prefixes are new, so that both are too low by its rate, one percent or so.
type LayerStats struct {
	Bits     int64
	Fill     float64
	Prefixes int64 // distinct ones among the admitted URLs
	Misses   int64 // new URLs whose prefix in this layer was the first unknown one
}

// stats returns what all three types have to say.
func (c *core) stats() Stats {
	s := Stats{
		Asked: c.asked, New: c.admitted, Seen: c.asked - c.admitted,
		Restarts: c.epoch, Expect: c.expect, FalsePositives: c.wrong, Pruned: c.pruned,
		Bits: c.filter.Bits(), Fill: c.filter.Fill(), ExpectedRate: c.filter.ExpectedRate(),
	}
	s.FilterBytes = s.Bits / 8
	s.Rate, s.RateLow, s.RateHigh = share(s.FalsePositives, s.New)
	for i := range c.filter.layers {
		array := &c.filter.layers[i]
		s.Layers = append(s.Layers, LayerStats{Bits: array.Bits(), Fill: array.Fill(), Prefixes: c.met[i], Misses: c.firstNew[i]})
	}
	return s
}

// share returns x of n as a share, and its 95 % score interval with continuity
// correction (Wilson 1927; Newcombe 1998, "Two-sided confidence intervals for
// the single proportion", method 4). Without the correction it would miss small
// rates too often: here a handful of events in a million is the normal case.
func share(x, n int64) (p, low, high float64) {
	if n == 0 {
		return 0, 0, 1
	}
	const z = 1.959963984540054
	of := float64(n)
	p = float64(x) / of
	mid, den := 2*of*p+z*z, 2*(of+z*z)
	low = (mid - 1 - z*math.Sqrt(max(0, z*z-2-1/of+4*p*(of*(1-p)+1)))) / den
	high = (mid + 1 + z*math.Sqrt(max(0, z*z+2-1/of+4*p*(of*(1-p)-1)))) / den
	if x == 0 {
		low = 0
	}
	if x == n {
		high = 1
	}
	return p, max(0, low), min(1, high)
}
