package dedup

import (
	"math"
	"math/bits"
)

// core is what all three types have: the account and the filter.
type core struct {
	account
	hash   *hasher
	filter *Multilayer
	last   KnownPrefix // of the URL that was admitted last
}

// KnownPrefix says how much of a URL was known when it was admitted.
type KnownPrefix struct {
	// Segments are those of the longest known prefix: at most Config.Layers, and one fewer than
	// the URL has.
	Segments int

	// Exact: a log says so. Otherwise the filter does, which may take a new prefix for known.
	Exact bool
}

// LastKnown returns how much was known of the URL that Admit, or Logged.NotFound, admitted last.
// It costs nothing: to admit a URL is to look for its first new prefix.
func (c *core) LastKnown() KnownPrefix { return c.last }

func newCore(cfg Config) (core, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return core{}, err
	}
	c := core{account: account{cfg: cfg, expect: int64(cfg.ExpectURLs)}, filter: newMultilayer(cfg)}
	c.hash = c.filter.hash
	return c, nil
}

// countErrors counts the errors of the filter's last array about a URL that is new.
func (c *core) countErrors(v verdict) {
	switch v {
	case prefixNew:
		c.pruned++
	case filterMaybe:
		c.wrong++
	}
}

// addToFilter adds k to the filter, counts the prefixes that the layers call new, and
// returns them: bit i is that of layer i.
func (c *core) addToFilter(k *key) (fresh uint8) {
	for i, x := range k.prefixes() {
		if c.filter.layers[i].Add(x) {
			c.met[i]++
			fresh |= 1 << i
		}
	}
	c.last = KnownPrefix{Segments: k.n}
	if fresh != 0 {
		c.last.Segments = bits.TrailingZeros8(fresh)
		c.firstNew[c.last.Segments]++
	}
	c.filter.last.Add(k.full)
	return fresh
}

// addExactly adds k, which is new, to a log that is all there is, and to the filter. It
// returns the index of k's first new prefix.
//
// A crawl may meet many more prefixes than usual (each URL on a host of its own, say) and
// would be left with a layer that knows everything. Such a layer is rebuilt for twice as
// many as it has; that is no reason for a new epoch.
func (c *core) addExactly(log *exactLog, k *key) (first int) {
	first = log.add(k)
	c.last = KnownPrefix{first, true}
	if first < k.n {
		c.firstNew[first]++
	}
	for i := first; i < k.n; i++ {
		c.met[i]++
		if c.met[i] > c.filter.room[i] {
			c.filter.resetLayer(c.cfg, i, 2*c.met[i], c.expect, uint64(c.epoch))
			c.filter.layers[i].addAll(&log.prefixes[i])
		}
	}
	c.filter.add(k)
	return first
}

// restart begins a new epoch of a filter whose log is in memory.
func (c *core) restart(log *exactLog) {
	c.expect = c.grown()
	c.epoch++
	c.began = c.admitted
	c.filter.reset(c.cfg, c.expect, c.prefixRoom(), uint64(c.epoch))
	log.addTo(c.filter)
}

// restartDue reports whether the filter is outgrown (it has more URLs than it is sized for,
// so its rate is expected to be above the wanted one), or RestartEvery asks for a restart.
func (a *account) restartDue() bool {
	outgrown := a.admitted > a.expect && a.expect < MaxURLs
	return outgrown || a.cfg.RestartEvery > 0 && a.admitted-a.began >= int64(a.cfg.RestartEvery)
}

// grown returns what the next filter is sized for if it is made now.
func (a *account) grown() int64 {
	expect := a.expect
	for a.admitted > expect && expect < MaxURLs {
		expect = min(2*expect, MaxURLs)
	}
	return expect
}

// prefixRoom returns how many prefixes the next filter's layers are sized for: twice as
// many as there are.
func (a *account) prefixRoom() []int64 {
	list := make([]int64, a.cfg.Layers)
	for i := range list {
		list[i] = 2 * a.met[i]
	}
	return list
}

// exactLog is a log, or a part of one, in memory: the fingerprints of URLs and of all
// their prefixes, for each layer.
type exactLog struct {
	urls     Set
	prefixes []Set
}

func newExactLog(layers int) exactLog { return exactLog{prefixes: make([]Set, layers)} }

// add adds k, which is new, and returns the index of its first new prefix, k.n if there
// is none. The log has all prefixes of what it has, so from the longest up it can stop
// at the first known one. The log is asked, and not the filter's layers: a layer's false
// positive must not keep a prefix out of the log, or the next filter would deny URLs
// below it.
func (l *exactLog) add(k *key) (first int) {
	l.urls.Add(k.full)
	for first = k.n; first > 0 && l.prefixes[first-1].Add(k.prefix[first-1]); {
		first--
	}
	return first
}

// addTo adds all of l to a filter.
func (l *exactLog) addTo(m *Multilayer) {
	for i := range l.prefixes {
		m.layers[i].addAll(&l.prefixes[i])
	}
	m.last.addAll(&l.urls)
}

func (l *exactLog) bytes() int64 {
	n := l.urls.Bytes()
	for i := range l.prefixes {
		n += l.prefixes[i].Bytes()
	}
	return n
}

// CollisionProbability returns the chance that among n URLs there are two with the same
// 64-bit fingerprint, so that an exact log loses one of them; there is no other way to
// lose one. It is 1 - e^(-n(n-1)/2^65), the birthday bound: 0.03 percent for a hundred
// million URLs, 2.7 percent for a billion.
func CollisionProbability(n int64) float64 {
	pairs := float64(n) * (float64(n) - 1) / 2
	return -math.Expm1(-pairs * 0x1p-64)
}
