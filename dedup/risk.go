package dedup

import (
	"math"

	"crawler/internal/splitmix"
	"crawler/stats"
)

// sampleLimit is how many URLs a risk keeps exactly.
const sampleLimit = 10_000

// risk estimates what a filter without a log loses, in two ways.
//
// By theory: at a filter's rate p a new URL is lost with probability p and admitted
// with 1 - p, so with each one admitted p/(1-p) others were lost on average, and their
// variance is p/(1-p)² (a geometric distribution). That holds for URLs all of whose
// prefixes the layers know; one below a new prefix is never lost. p is computed from
// the bits that are set, as Bloom.ExpectedRate does, each time a 64th more URLs were
// admitted (at first: one for every fourth line of the filter), and taken to change
// linearly in between. That costs up to 60 ns for each URL admitted. What was lost
// since the last URL was admitted is in the bound alone; a filter that is nearly full
// admits so few that theory is left to the measurement.
//
// By measurement: of the URLs that stats.Sample accepts by their hashes all that were
// asked about are kept, so it is known which of them the filter wrongly called seen. Both
// samples have the same seed and limit. Whatever is added to the second was added to the
// first, so the first never accepts more than the second.
type risk struct {
	all, lost *stats.Sample

	sum, variance float64 // of the number of lost URLs, until the rate was last computed
	rate          float64 // as it was then
	exposed       int64   // URLs admitted whose prefixes were known
	since         int64   // those admitted since then
}

func newRisk(seed uint64) *risk {
	return &risk{all: newSample(seed), lost: newSample(seed)}
}

// newSample returns an empty sample of fingerprints. Its seed reveals nothing of the crawl's.
func newSample(seed uint64) *stats.Sample {
	return stats.NewSample(sampleLimit, 1, splitmix.Finish(seed^splitmix.Golden))
}

// refused notes that the filter called fp seen. If the sample would have it and does
// not, this is the first question about it: it is lost.
func (k *risk) refused(fp uint64) {
	if k.all.Accepts(fp) && enters(k.all, fp) {
		k.lost.Add(fp)
	}
}

// enters adds a fingerprint that s accepts and reports whether it was missing. If s did not
// grow, it was there, or it made s give up some buckets.
func enters(s *stats.Sample, fp uint64) bool {
	n, share := s.Len(), s.Share()
	s.Add(fp)
	return s.Len() != n || s.Share() != share
}

// admitted notes that fp was admitted, and whether all its prefixes were known.
func (k *risk) admitted(fp uint64, exposed bool, filter *Multilayer) {
	if k.all.Accepts(fp) {
		k.all.Add(fp)
	}
	if !exposed {
		return
	}
	k.exposed++
	if k.since++; k.since >= max(int64(len(filter.last.lines)/4), k.exposed/64) {
		rate := filter.ExpectedRate()
		k.sum, k.variance = k.upTo(rate)
		k.rate, k.since = rate, 0
	}
}

// upTo returns the mean and the variance of the number of lost URLs, if the rate is
// now as given.
func (k *risk) upTo(rate float64) (mean, variance float64) {
	m0, v0 := losses(k.rate)
	m1, v1 := losses(rate)
	n := float64(k.since)
	// The conversions keep every processor from fusing the operations: an account has
	// the same bytes everywhere.
	return k.sum + float64(n*(m0+m1)/2), k.variance + float64(n*(v0+v1)/2)
}

// losses returns mean and variance of how many URLs are lost for one admitted.
func losses(rate float64) (mean, variance float64) {
	rate = min(rate, 1-0x1p-20) // a filter that admits is not wholly full
	mean = rate / (1 - rate)
	return mean, mean / (1 - rate)
}

// report fills in Stats, which must have ExpectedRate already.
func (k *risk) report(s *Stats) {
	mean, variance := k.upTo(s.ExpectedRate)
	s.Risked = min(mean, float64(s.Seen))
	run, spread := losses(s.ExpectedRate) // since the last admitted, which nothing has ended yet
	mean, variance = mean+run, variance+spread
	if mean > 0 {
		// Poisson's distribution stretched to the variance.
		stretch := variance / mean
		s.RiskedHigh = max(stretch*poissonHigh(mean/stretch), math.Ceil(mean))
	}
	s.RiskedHigh, s.RiskedBy = min(s.RiskedHigh, float64(s.Seen)), ByTheory
	s.SampledURLs = int64(k.all.Len())
	for fp := range k.lost.All {
		if k.all.Accepts(fp) {
			s.SampledLost++
		}
	}
	s.Rate, s.RateLow, s.RateHigh = share(s.SampledLost, s.SampledURLs)
	switch {
	case k.all.Share() == 1:
		s.Risked, s.RiskedBy = float64(s.SampledLost), ByCount
		s.Rate, s.RiskedHigh = float64(s.SampledLost)/float64(max(1, s.SampledURLs)), s.Risked
		s.RateLow, s.RateHigh = s.Rate, s.Rate
	case s.ExpectedRate >= tellingRate:
		// A share p of all URLs was lost, and of the others all were admitted.
		lost := func(p float64) float64 {
			return min(float64(s.New)*p/max(1-p, 0x1p-52), float64(s.Seen))
		}
		s.Risked, s.RiskedHigh, s.RiskedBy = lost(s.Rate), lost(s.RateHigh), BySample
	}
}

// poissonHigh returns the smallest count that a Poisson variate of the given mean does
// not exceed with a probability of 97.5 %; above 500 by the expansion of Cornish and
// Fisher (1938), which errs by less than one there.
func poissonHigh(mean float64) float64 {
	const most, z = 0.975, 1.959963984540054
	if mean > 500 {
		return math.Ceil(mean + z*math.Sqrt(mean) + (z*z-1)/6)
	}
	p := math.Exp(-mean)
	sum, n := p, 0.0
	for sum < most && n < 1000 { // 500 and 22 deviations
		n++
		p *= mean / n
		sum += p
	}
	return n
}
