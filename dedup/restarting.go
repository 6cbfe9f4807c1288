package dedup

import (
	"math"

	"crawler/weburl"
)

// Restarting admits every URL exactly once: a Multilayer filter that answers
// most questions about new URLs, an exact log of the fingerprints admitted so
// far that settles every "maybe", and restarts that keep the filter good.
//
// At a restart the whole filter gets a new seed and, when the crawl has
// outgrown it, twice the size, and is rebuilt from the log, which is sorted. So
// no URL is forgotten (clearing a filter would fetch everything again) and the
// errors of one epoch are not those of the next. See Stats for the account.
//
// Memory: the filter's Stats.FilterBytes and about 10 bytes for each URL and
// for each of its prefixes that no URL before had. Two of them cannot be merged,
// as their accounts cannot be joined. A Restarting is not safe for concurrent
// use: two owners asking about one URL at a time would both be told that it is
// new.
type Restarting struct {
	cfg      Config
	filter   *Multilayer
	log      Set              // fingerprints of all admitted URLs
	prefixes []Set            // of all their prefixes, for each layer
	expect   int64            // the filter's design point
	began    int64            // URLs admitted when this epoch began
	epoch    int64            // restarts so far
	asked    int64            // questions
	wrong    int64            // new URLs that the filter called "maybe"
	pruned   int64            // new URLs that the last array did, but no layer
	firstNew [MaxLayers]int64 // URLs whose prefix in that layer was the first new one
}

// NewRestarting returns a Restarting that has admitted nothing.
func NewRestarting(cfg Config) (*Restarting, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Restarting{
		cfg:      cfg,
		filter:   newMultilayer(cfg),
		prefixes: make([]Set, cfg.Layers),
		expect:   int64(cfg.ExpectURLs),
	}, nil
}

// Admit reports whether u is asked about for the first time, and remembers it.
// It allocates nothing but what growth needs. The call that brings about a
// restart takes longer: 15 to 30 ns for each URL admitted so far.
func (r *Restarting) Admit(u weburl.URL) bool {
	var k key
	r.filter.hash.key(u, len(r.prefixes), &k)
	r.asked++
	if r.maybe(&k) {
		if r.log.Has(k.full) {
			return false
		}
		r.wrong++
	}
	return r.remember(&k)
}

// Has reports whether u was admitted. It is no question of the account that
// Stats keeps, and changes nothing.
func (r *Restarting) Has(u weburl.URL) bool {
	var k key
	r.filter.hash.key(u, len(r.prefixes), &k)
	return r.filter.has(&k) && r.log.Has(k.full)
}

// Admitted returns the number of URLs admitted so far.
func (r *Restarting) Admitted() int64 { return int64(r.log.Len()) }

// maybe asks the filter.
func (r *Restarting) maybe(k *key) bool {
	if !r.filter.last.Has(k.full) {
		return false
	}
	if r.filter.known(k) != 0 {
		r.pruned++
		return false
	}
	return true
}

// remember adds k to the log and the filter, and restarts that when it is time.
func (r *Restarting) remember(k *key) bool {
	added := r.log.Add(k.full)
	r.logPrefixes(k)
	r.filter.add(k)
	if n := int64(r.log.Len()); r.outgrown(n) || r.due(n) {
		r.restart(n)
	}
	return added
}

// logPrefixes adds k's prefixes to the exact sets. Those hold all prefixes of
// what they hold, so from the longest up it can stop at the first known one.
// They are asked, not the filter's layers: a layer's false positive must not
// keep a prefix out of the log, or the next filter would deny URLs below it.
func (r *Restarting) logPrefixes(k *key) {
	i := k.n - 1
	for ; i >= 0 && r.prefixes[i].Add(k.prefix[i]); i-- {
		if n := int64(r.prefixes[i].Len()); n > r.filter.room[i] {
			r.growLayer(i, 2*n)
		}
	}
	if i+1 < k.n {
		r.firstNew[i+1]++
	}
}

// growLayer rebuilds one layer for n prefixes. A crawl may meet many more of
// them than usual (each URL on a host of its own, say), and would be left with
// a layer that knows everything; but that is no reason for a new epoch.
func (r *Restarting) growLayer(i int, n int64) {
	r.filter.resetLayer(r.cfg, i, n, r.expect, uint64(r.epoch))
	r.filter.layers[i].addAll(&r.prefixes[i])
}

// LayerOf returns at which of its segments u stops being known, like
// Multilayer.LayerOf but from the exact log: 0 if u was admitted.
func (r *Restarting) LayerOf(u weburl.URL) int {
	var k key
	r.filter.hash.key(u, len(r.prefixes), &k)
	for i, x := range k.prefixes() {
		if !r.prefixes[i].Has(x) {
			return i + 1
		}
	}
	if r.log.Has(k.full) {
		return 0
	}
	return k.segments
}

// restart begins a new epoch with n URLs in the log.
func (r *Restarting) restart(n int64) {
	for r.outgrown(n) {
		r.expect = min(2*r.expect, MaxURLs)
	}
	r.epoch++
	r.began = n
	r.filter.reset(r.cfg, r.expect, r.prefixRoom(), uint64(r.epoch))
	for i := range r.prefixes {
		r.filter.layers[i].addAll(&r.prefixes[i])
	}
	r.filter.last.addAll(&r.log)
}

// outgrown reports whether n URLs are more than the filter is sized for, so
// that its rate is expected to be above the wanted one.
func (r *Restarting) outgrown(n int64) bool { return n > r.expect && r.expect < MaxURLs }

// due reports whether the user wants a restart at n URLs.
func (r *Restarting) due(n int64) bool {
	return r.cfg.RestartEvery > 0 && n-r.began >= int64(r.cfg.RestartEvery)
}

// prefixRoom returns for how many prefixes each layer is to be sized: twice as
// many as there are.
func (r *Restarting) prefixRoom() []int64 {
	list := make([]int64, len(r.prefixes))
	for i := range list {
		list[i] = 2 * int64(r.prefixes[i].Len())
	}
	return list
}

// CollisionProbability returns the chance that among n URLs there are two with
// the same 64-bit fingerprint, so that a Restarting loses one of them; there is
// no other way to lose one. It is 1 - e^(-n(n-1)/2^65), the birthday bound: 0.03
// percent for a hundred million URLs, 2.7 percent for a billion.
func CollisionProbability(n int64) float64 {
	pairs := float64(n) * (float64(n) - 1) / 2
	return -math.Expm1(-pairs * 0x1p-64)
}
