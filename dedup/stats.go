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
	// put them right (without one they are lost, and not counted here). Rate is their share of New, the questions about URLs that
	// were truly new, over the whole crawl: fuller and emptier times, known
	// prefixes and unknown ones. So it is below ExpectedRate as a rule.
	// RateLow and RateHigh enclose the true rate with 95 % confidence.
	FalsePositives          int64
	Rate, RateLow, RateHigh float64

	Pruned int64        // further ones that a layer prevented: the last array said "maybe", a layer "new"
	Layers []LayerStats // the first is that of the origins

	// With the log outside: Hot are the questions that the cache of URLs seen
	// lately answered, Settled those that Settle was told the log's answer to.
	Hot, Settled int64

	// With FilterOnly. Risked is the expected number of URLs that were lost, from
	// how full the filter was when others came (see risk); with 97.5 % confidence
	// it is RiskedHigh at most. And as measured: of SampledURLs distinct URLs
	// that were asked about, chosen by their hashes, SampledLost were lost; Rate,
	// RateLow and RateHigh then come from these. While no more than 10,000 URLs
	// were asked about they are all of them.
	Risked, RiskedHigh       float64
	SampledURLs, SampledLost int64

	FilterBytes int64 // memory of the filter
	LogBytes    int64 // memory of the exact log, prefixes included; of its tail and the caches if it is outside
}

// LayerStats is the account of a layer. Prefixes and Misses are exact while the log is
// in memory. From then on the layer's filter tells which prefixes are new, so that both
// are too low by its rate, one percent or so.
type LayerStats struct {
	Bits     int64
	Fill     float64
	Prefixes int64 // distinct ones among the admitted URLs
	Misses   int64 // new URLs whose prefix in this layer was the first unknown one
}

// Stats returns the account so far. It costs as much as Bloom.ExpectedRate: a
// few milliseconds at most, so ask every second, not for every URL.
func (r *Restarting) Stats() Stats {
	s := Stats{
		Asked: r.asked, New: r.admitted, Seen: r.asked - r.admitted,
		Restarts: r.epoch, Expect: r.expect, FalsePositives: r.wrong, Pruned: r.pruned,
		LogBytes: r.log.Bytes(),
	}
	s.Rate, s.RateLow, s.RateHigh = share(s.FalsePositives, s.New)
	for i := range r.prefixes {
		s.Layers = append(s.Layers, LayerStats{Prefixes: r.prefixCount(i), Misses: r.firstNew[i]})
		s.LogBytes += r.prefixes[i].Bytes()
	}
	if r.filter != nil {
		s.ofFilter(r.filter)
	}
	if r.out != nil {
		s.Hot, s.Settled = r.out.hot, r.out.settled
		s.LogBytes += r.out.bytes()
	}
	if r.risk != nil {
		r.risk.tell(&s)
	}
	return s
}

// ofFilter fills in what is to be said of the filter.
func (s *Stats) ofFilter(m *Multilayer) {
	s.Bits, s.Fill, s.ExpectedRate = m.Bits(), m.Fill(), m.ExpectedRate()
	s.FilterBytes = s.Bits / 8
	for i := range m.layers {
		s.Layers[i].Bits, s.Layers[i].Fill = m.layers[i].Bits(), m.layers[i].Fill()
	}
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
