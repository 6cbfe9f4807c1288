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
// The log is in one of three places:
//
//   - in memory, at first and as long as nobody calls Freeze: Admit is all that is
//     needed, and restarts come by themselves. Memory: the filter's
//     Stats.FilterBytes and about 10 bytes for each URL and for each of its
//     prefixes that no URL before had.
//   - outside, from the first Freeze on and after Reopen: the caller keeps it,
//     sorted on a disk, say. Memory holds the tail, what was admitted since the
//     last Freeze, and caches of at most 2 MiB. Ask then answers Maybe where
//     neither filter nor caches nor tail know; the caller looks into his log,
//     tells Settle, and calls Remember for a URL that is new after all. He is told
//     by Due when a restart is to be made: see Rebuild.
//   - nowhere, with Config.FilterOnly: Maybe counts as Seen, pages are lost, and
//     Stats tells how many.
//
// Two Restartings cannot be merged, as their accounts cannot be joined. They are
// not safe for concurrent use: two owners asking about one URL at a time would
// both be told that it is new.
type Restarting struct {
	cfg      Config
	hash     *hasher
	filter   *Multilayer      // nil from Reopen to Adopt
	log      Set              // fingerprints of all admitted URLs; of the tail if the log is outside
	prefixes []Set            // of all their prefixes, for each layer
	admitted int64            // URLs
	expect   int64            // the filter's design point
	began    int64            // URLs admitted when this epoch began
	epoch    int64            // restarts so far
	asked    int64            // questions
	wrong    int64            // new URLs that the filter called "maybe"
	pruned   int64            // new URLs that the last array did, but no layer
	firstNew [MaxLayers]int64 // URLs whose prefix in that layer was the first new one
	met      [MaxLayers]int64 // prefixes that the layer's filter called new, if the log is not in memory

	last  lookup      // what the latest question found out
	fresh *freshLists // nil: not kept
	out   *outside    // nil: the log is in memory, or there is none
	risk  *risk       // of FilterOnly, else nil

	building bool                // between Rebuild and Adopt
	doubts   map[uint64]struct{} // what Doubt keeps open
}

// NewRestarting returns a Restarting that has admitted nothing.
func NewRestarting(cfg Config) (*Restarting, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Restarting{
		cfg:      cfg,
		filter:   newMultilayer(cfg),
		prefixes: make([]Set, cfg.Layers),
		expect:   int64(cfg.ExpectURLs),
	}
	r.hash = r.filter.hash
	if cfg.FilterOnly {
		r.risk = newRisk(cfg.Seed)
	}
	return r, nil
}

// Admit reports whether u is asked about for the first time, and remembers it.
// It allocates nothing but what growth needs. The call that brings about a
// restart takes longer: 15 to 30 ns for each URL admitted so far.
//
// It panics if the log is outside, where it cannot look: use Ask and Remember.
func (r *Restarting) Admit(u weburl.URL) bool {
	if r.out != nil {
		panic("dedup: Admit while the log is outside: use Ask, Settle and Remember")
	}
	_, a := r.Ask(u)
	if a == New {
		r.Remember(u)
	}
	return a == New
}

// Has reports whether u was surely admitted: it is Peek, for those who need no
// more. Only if the log is in memory is false as certain.
func (r *Restarting) Has(u weburl.URL) bool {
	_, a := r.Peek(u)
	return a == Seen
}

// Admitted returns the number of URLs admitted so far.
func (r *Restarting) Admitted() int64 { return r.admitted }

// remember adds k to the log in memory and the filter, and restarts that when it is
// time.
func (r *Restarting) remember(k *key) {
	if r.log.Add(k.full) {
		r.admitted++
		r.fresh.url(k.full)
	}
	r.logPrefixes(k)
	r.filter.add(k)
	if r.outgrown(r.admitted) || r.due(r.admitted) {
		r.restart(r.admitted)
	}
}

// logPrefixes adds k's prefixes to the exact sets. Those hold all prefixes of
// what they hold, so from the longest up it can stop at the first known one.
// They are asked, not the filter's layers: a layer's false positive must not
// keep a prefix out of the log, or the next filter would deny URLs below it.
func (r *Restarting) logPrefixes(k *key) {
	i := k.n - 1
	for ; i >= 0 && r.prefixes[i].Add(k.prefix[i]); i-- {
		r.fresh.prefix(i, k.prefix[i])
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
// Multilayer.LayerOf but from the exact log: 0 if u was admitted. It is
// Multilayer.LayerOf if the log is not in memory, and 0 from Reopen to Adopt.
func (r *Restarting) LayerOf(u weburl.URL) int {
	if r.filter == nil {
		return 0
	}
	if r.out != nil || r.risk != nil {
		return r.filter.LayerOf(u)
	}
	k := r.hash.key(u, len(r.prefixes))
	for i, x := range k.prefixes() {
		if !r.prefixes[i].Has(x) {
			return i + 1
		}
	}
	if r.log.Has(k.full) {
		return 0
	}
	return segments(u)
}

// restart begins a new epoch with n URLs in the log.
func (r *Restarting) restart(n int64) {
	r.expect = r.grown(n)
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

// grown returns what the next filter is sized for if it is made at n URLs.
func (r *Restarting) grown(n int64) int64 {
	expect := r.expect
	for n > expect && expect < MaxURLs {
		expect = min(2*expect, MaxURLs)
	}
	return expect
}

// due reports whether the user wants a restart at n URLs.
func (r *Restarting) due(n int64) bool {
	return r.cfg.RestartEvery > 0 && n-r.began >= int64(r.cfg.RestartEvery)
}

// prefixRoom returns for how many prefixes each layer is to be sized: twice as
// many as there are.
func (r *Restarting) prefixRoom() []int64 {
	list := make([]int64, len(r.prefixes))
	for i := range list {
		list[i] = 2 * r.prefixCount(i)
	}
	return list
}

// prefixCount returns how many prefixes in the layer of index i URLs had.
func (r *Restarting) prefixCount(i int) int64 {
	if r.out != nil || r.risk != nil {
		return r.met[i]
	}
	return int64(r.prefixes[i].Len())
}

// CollisionProbability returns the chance that among n URLs there are two with
// the same 64-bit fingerprint, so that a Restarting loses one of them; there is
// no other way to lose one. It is 1 - e^(-n(n-1)/2^65), the birthday bound: 0.03
// percent for a hundred million URLs, 2.7 percent for a billion.
func CollisionProbability(n int64) float64 {
	pairs := float64(n) * (float64(n) - 1) / 2
	return -math.Expm1(-pairs * 0x1p-64)
}
