package dedup

import (
	"crawler/internal/binform"
	"crawler/stats"
)

// account is what a crawl must remember of its SeenTest, except the filter, the log and the
// risk of a FilterOnly.
type account struct {
	cfg      Config
	admitted int64            // URLs
	expect   int64            // the filter's design point
	began    int64            // URLs admitted when this epoch began
	epoch    int64            // restarts so far
	asked    int64            // questions
	wrong    int64            // new URLs that the filter called "maybe"
	pruned   int64            // new URLs that the last array called "maybe" and a layer new
	hot      int64            // questions that the cache of a Logged answered
	checked  int64            // those that its log on disk answered
	firstNew [MaxLayers]int64 // URLs whose prefix in that layer was the first new one
	met      [MaxLayers]int64 // distinct prefixes in that layer
}

// Config implements SeenTest.
func (a *account) Config() Config { return a.cfg }

// encodeAccount begins a form and writes a.
func encodeAccount(dst []byte, a *account) (*binform.Encoder, error) {
	if a.cfg.Layers == 0 {
		return nil, errZero
	}
	e := begin(dst, kindAccount, 128+16*MaxLayers)
	a.cfg.encode(e)
	for _, v := range []int64{a.admitted, a.expect, a.began, a.epoch, a.asked, a.wrong, a.pruned, a.hot, a.checked} {
		e.Int64(v)
	}
	for i := range a.cfg.Layers {
		e.Int64(a.firstNew[i])
		e.Int64(a.met[i])
	}
	return e, nil
}

// decodeAccount reads what encodeAccount wrote.
func decodeAccount(d *binform.Decoder) (a account) {
	a.cfg = decodeConfig(d)
	for _, v := range []*int64{&a.admitted, &a.expect, &a.began, &a.epoch, &a.asked, &a.wrong, &a.pruned, &a.hot, &a.checked} {
		*v = d.Int64()
	}
	if !d.OK() {
		return a
	}
	for i := range a.cfg.Layers {
		a.firstNew[i], a.met[i] = d.Int64(), d.Int64()
	}
	checkAccount(d, &a)
	return a
}

// maxAdmitted is more URLs than 64-bit fingerprints can tell apart, and few enough to
// compute with.
const maxAdmitted = 1 << 48

// checkAccount records an error if the fields contradict each other.
func checkAccount(d *binform.Decoder, a *account) {
	n := a.admitted
	d.Check(n >= 0 && n <= maxAdmitted && a.asked >= 0, "%d questions, %d URLs", a.asked, n)
	d.Check(a.expect >= 1 && a.expect <= MaxURLs, "a filter for %d URLs", a.expect)
	d.Check(a.began >= 0 && a.began <= n, "an epoch from URL %d to %d", a.began, n)
	d.Check(a.epoch >= 0, "%d restarts", a.epoch)
	d.Check(a.wrong >= 0 && a.wrong <= n && a.pruned >= 0 && a.pruned <= n,
		"%d false positives, %d pruned, %d URLs", a.wrong, a.pruned, n)
	d.Check(a.hot >= 0 && a.checked >= 0, "%d answers by the cache, %d by the log", a.hot, a.checked)
	d.Check(!a.cfg.FilterOnly || a.hot == 0 && a.checked == 0, "it has answers of a cache or a log and keeps neither")
	left := n
	for i := range a.cfg.Layers {
		d.Check(a.met[i] >= 0 && a.met[i] <= n, "%d prefixes of %d URLs", a.met[i], n)
		d.Check(a.firstNew[i] >= 0 && a.firstNew[i] <= min(left, a.met[i]), "%d first misses in layer %d", a.firstNew[i], i+1)
		left -= a.firstNew[i]
	}
}

// encode writes c.
func (c Config) encode(e *binform.Encoder) {
	e.Uint64(c.Seed)
	e.Int64(int64(c.ExpectURLs))
	e.Float64(c.FPRate)
	e.Float64(c.BitsPerURL)
	e.Int64(int64(c.RestartEvery))
	e.Uint8(uint8(c.Layers))
	e.Bool(c.FilterOnly)
}

// decodeConfig reads what encode wrote of a Config whose defaults were filled in.
func decodeConfig(d *binform.Decoder) Config {
	c := Config{
		Seed:         d.Uint64(),
		ExpectURLs:   decodeInt(d),
		FPRate:       d.Float64(),
		BitsPerURL:   d.Float64(),
		RestartEvery: decodeInt(d),
		Layers:       int(d.Uint8()),
		FilterOnly:   d.Bool(),
	}
	full, err := c.withDefaults()
	d.Check(err == nil, "%v", err)
	d.Check(c == full, "a Config with zero values")
	return c
}

// decodeInt reads a number that must fit into an int, also where that has 32 bits.
func decodeInt(d *binform.Decoder) int {
	v := d.Int64()
	d.Check(int64(int(v)) == v, "the number %d", v)
	return int(v)
}

// encode writes k.
func (k *risk) encode(e *binform.Encoder) error {
	for _, v := range []float64{k.sum, k.variance, k.rate} {
		e.Float64(v)
	}
	e.Int64(k.exposed)
	e.Int64(k.since)
	for _, s := range []*stats.Sample{k.all, k.lost} {
		form, err := s.MarshalBinary()
		if err != nil {
			return err
		}
		e.Uint32(uint32(len(form)))
		e.Raw(form)
	}
	return nil
}

// decodeRisk reads what encode wrote.
func decodeRisk(d *binform.Decoder, seed uint64) *risk {
	k := &risk{sum: d.Float64(), variance: d.Float64(), rate: d.Float64(), exposed: d.Int64(), since: d.Int64()}
	const huge = 1e18
	d.Check(k.sum >= 0 && k.sum <= huge && k.variance >= k.sum && k.variance <= huge, "%v lost URLs with a variance of %v", k.sum, k.variance)
	d.Check(k.rate >= 0 && k.rate <= 1, "a rate of %v", k.rate)
	d.Check(k.since >= 0 && k.since <= k.exposed, "%d of %d URLs since the rate was computed", k.since, k.exposed)
	k.all, k.lost = decodeSample(d, seed), decodeSample(d, seed)
	d.Check(k.lost.Len() <= k.all.Len() || k.lost.Share() > k.all.Share(), "%d lost of %d sampled URLs", k.lost.Len(), k.all.Len())
	return k
}

// decodeSample reads a sample's form, behind its length.
func decodeSample(d *binform.Decoder, seed uint64) *stats.Sample {
	form := d.Raw(int(d.Uint32()))
	fresh := newSample(seed)
	if !d.OK() {
		return fresh
	}
	var s stats.Sample
	if err := s.UnmarshalBinary(form); err != nil {
		d.Check(false, "%v", err)
		return fresh
	}
	d.Check(s.Limit() == sampleLimit && s.Merge(fresh) == nil, "a sample of another crawl")
	return &s
}
