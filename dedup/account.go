package dedup

import (
	"crawler/internal/binform"
	"crawler/stats"
)

// AppendAccount appends to dst the binary form of everything in r but the filter, the
// log and the lists of TakeFresh: its Config with the secret seed, and the account;
// with Config.FilterOnly the samples too. It has at most 300 bytes, or 330 kB with the
// samples, which take a millisecond to sort.
func (r *Restarting) AppendAccount(dst []byte) ([]byte, error) {
	if r.hash == nil {
		return nil, errZero
	}
	e := begin(dst, kindAccount, 128+16*MaxLayers)
	r.cfg.encode(e)
	e.Bool(r.cfg.FilterOnly)
	var by answers
	if r.out != nil {
		by = r.out.answers
	}
	for _, v := range []int64{r.admitted, r.expect, r.began, r.epoch, r.asked, r.wrong, r.pruned, by.hot, by.settled} {
		e.Int64(v)
	}
	for i := range r.prefixes {
		e.Int64(r.firstNew[i])
		e.Int64(r.prefixCount(i))
	}
	if r.risk != nil {
		if err := r.risk.encode(e); err != nil {
			return nil, err
		}
	}
	return e.Close(), nil
}

// Reopen returns the Restarting whose account is given. Its log is outside, and it has
// no filter yet: Ask cannot say New before the log was added by Rebuild and Adopt. With
// Config.FilterOnly nothing may be remembered before that, and the log is all that
// TakeFresh ever returned. An error wraps binform.ErrFormat.
func Reopen(account []byte) (*Restarting, error) {
	d, err := open(account, kindAccount)
	if err != nil {
		return nil, err
	}
	r := &Restarting{}
	answered := r.decodeAccount(d)
	if err := d.Close(); err != nil {
		return nil, err
	}
	r.hash = newHasher(r.cfg.Seed)
	if r.risk == nil {
		r.goOutside(answered)
	}
	return r, nil
}

// decodeAccount reads what AppendAccount wrote into r, which is new, and returns who
// answered so far.
func (r *Restarting) decodeAccount(d *binform.Decoder) (by answers) {
	cfg := decodeFields(d)
	cfg.FilterOnly = d.Bool()
	r.cfg = cfg.checked(d)
	for _, v := range []*int64{&r.admitted, &r.expect, &r.began, &r.epoch, &r.asked, &r.wrong, &r.pruned, &by.hot, &by.settled} {
		*v = d.Int64()
	}
	if !d.OK() {
		return by
	}
	r.prefixes = make([]Set, r.cfg.Layers)
	for i := range r.prefixes {
		r.firstNew[i], r.met[i] = d.Int64(), d.Int64()
	}
	if r.cfg.FilterOnly {
		r.risk = decodeRisk(d, r.cfg.Seed)
		d.Check(by == answers{}, "it has answers of a cache or a log and keeps neither")
	}
	d.Check(by.hot >= 0 && by.settled >= 0, "%d answers by the cache, %d by the log", by.hot, by.settled)
	r.checkAccount(d)
	return by
}

// maxAdmitted is more URLs than 64-bit names can tell apart, and few enough to compute
// with.
const maxAdmitted = 1 << 48

// checkAccount records an error if the fields contradict each other.
func (r *Restarting) checkAccount(d *binform.Decoder) {
	n := r.admitted
	d.Check(n >= 0 && n <= maxAdmitted && r.asked >= 0, "%d questions, %d URLs", r.asked, n)
	d.Check(r.expect >= 1 && r.expect <= MaxURLs, "a filter for %d URLs", r.expect)
	d.Check(r.began >= 0 && r.began <= n, "an epoch from URL %d to %d", r.began, n)
	d.Check(r.epoch >= 0, "%d restarts", r.epoch)
	d.Check(r.wrong >= 0 && r.wrong <= n && r.pruned >= 0 && r.pruned <= n,
		"%d false positives, %d pruned, %d URLs", r.wrong, r.pruned, n)
	left := n
	for i := range r.prefixes {
		d.Check(r.met[i] >= 0 && r.met[i] <= n, "%d prefixes of %d URLs", r.met[i], n)
		d.Check(r.firstNew[i] >= 0 && r.firstNew[i] <= min(left, r.met[i]), "%d first misses in layer %d", r.firstNew[i], i+1)
		left -= r.firstNew[i]
	}
	if r.risk != nil {
		d.Check(r.risk.exposed <= n, "%d URLs below known prefixes of %d", r.risk.exposed, n)
	}
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
