package dedup

import "math"

// Stats is a Restarting's account. Asked = New + Seen.
type Stats struct {
	Asked int64 // questions
	New   int64 // answered "new": the URLs admitted
	Seen  int64 // answered "seen"

	Restarts     int64   // rebuilds with a new seed
	Expect       int64   // URLs the filter is sized for now
	Bits         int64   // of the filter, all layers and the last array
	Fill         float64 // share of Bits that are set
	ExpectedRate float64 // chance that a new URL under known prefixes is called "maybe" now

	// FalsePositives are new URLs that the filter called "maybe"; the exact log
	// put them right. Rate is their share of New, the questions about URLs that
	// were truly new, over the whole crawl: fuller and emptier times, known
	// prefixes and unknown ones. So it is below ExpectedRate as a rule.
	// RateLow and RateHigh enclose the true rate with 95 % confidence.
	FalsePositives          int64
	Rate, RateLow, RateHigh float64

	Pruned int64        // further ones that a layer prevented: the last array said "maybe", a layer "new"
	Layers []LayerStats // the first is that of the origins

	FilterBytes int64 // memory of the filter
	LogBytes    int64 // memory of the exact log, prefixes included
}

// LayerStats is the account of a layer.
type LayerStats struct {
	Bits     int64
	Fill     float64
	Prefixes int64 // distinct ones among the admitted URLs, exactly
	Misses   int64 // new URLs whose prefix in this layer was the first unknown one
}

// Stats returns the account so far. It costs as much as Bloom.ExpectedRate: a
// few milliseconds at most, so ask every second, not for every URL.
func (r *Restarting) Stats() Stats {
	s := Stats{
		Asked: r.asked, New: int64(r.log.Len()), Restarts: r.epoch, Expect: r.expect,
		Bits: r.filter.Bits(), Fill: r.filter.Fill(), ExpectedRate: r.filter.ExpectedRate(),
		FalsePositives: r.wrong, Pruned: r.pruned,
		FilterBytes: r.filter.Bits() / 8, LogBytes: r.log.Bytes(),
	}
	s.Seen = s.Asked - s.New
	s.Rate, s.RateLow, s.RateHigh = share(s.FalsePositives, s.New)
	for i := range r.prefixes {
		layer := &r.filter.layers[i]
		s.Layers = append(s.Layers, LayerStats{
			Bits: layer.Bits(), Fill: layer.Fill(),
			Prefixes: int64(r.prefixes[i].Len()), Misses: r.firstNew[i],
		})
		s.LogBytes += r.prefixes[i].Bytes()
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
