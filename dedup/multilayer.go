package dedup

import (
	"math"
	"strings"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// Multilayer is a Bloom filter over URLs that knows their prefixes (Cen, Xu and
// Sun 2010, "Multilayer Bloom filter", repaired as the package comment says).
//
// A URL is cut into segments: origin, path segments, query. What a segment adds to
// the sum of those before it depends on secret factors of its place, and the sum
// x_i, scattered, is the fingerprint of the first i segments (see hasher). Layer i, for i
// up to Config.Layers, is a Bloom filter of the proper prefixes x_i; the last array is one
// of x over all segments, however many. Only a URL that the last array and every layer know
// is "maybe seen".
//
// It errs as often as a Bloom of the last array's size, and less often where a layer knows
// better. At equal memory that is twice as often as a Bloom at 10 or 16 bits a URL, as the
// layers take up to an eighth.
//
// A question costs one cache miss when the last array calls the URL new, and otherwise one
// more for each layer, in layers that are a tenth of the size; only then the fingerprints of
// prefixes are computed. Nothing is allocated. A Multilayer is not safe for concurrent use.
type Multilayer struct {
	hash   *hasher
	layers []Bloom
	room   [MaxLayers]int64 // how many prefixes each layer is sized for
	last   Bloom
	run    run
}

// run is what the URLs asked for one after the other have in common.
type run struct {
	prefix string // of the last URL, up to its last known prefix and the byte behind
	whole  bool   // there is a prefix for each layer
}

// has reports whether u's proper prefixes, as far as there are layers, are those of the
// run.
func (r *run) has(u weburl.URL) bool {
	rest, ok := strings.CutPrefix(u.String(), r.prefix)
	return ok && r.prefix != "" && (r.whole || strings.IndexByte(rest, '/')&strings.IndexByte(rest, '?') < 0)
}

// Prefixes are expected to be few: URLs of one million real ones had 0.20
// distinct proper prefixes each in their first four segments together.
const (
	prefixesPerURL = 0.20
	bitsPerPrefix  = 10 // one percent false positives in a layer
	minPrefixes    = 64 // a layer is sized for at least this many
)

// NewMultilayer returns an empty filter for cfg.ExpectURLs URLs.
func NewMultilayer(cfg Config) (*Multilayer, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return newMultilayer(cfg), nil
}

func newMultilayer(cfg Config) *Multilayer {
	m := emptyFilter(newHasher(cfg.Seed), cfg.Layers)
	m.reset(cfg, int64(cfg.ExpectURLs), nil, 0)
	return m
}

// emptyFilter returns a filter that has no arrays yet: reset makes them.
func emptyFilter(h *hasher, layers int) *Multilayer {
	return &Multilayer{hash: h, layers: make([]Bloom, layers)}
}

// reset makes m an empty filter for the given number of URLs, with room for
// prefixes[i] distinct prefixes in layer i+1 (nil: as many as usual).
func (m *Multilayer) reset(cfg Config, urls int64, prefixes []int64, epoch uint64) {
	usual := int64(prefixesPerURL * float64(urls) / float64(cfg.Layers))
	spent := int64(0)
	for i := range m.layers {
		n := usual
		if prefixes != nil {
			n = prefixes[i]
		}
		m.resetLayer(cfg, i, n, urls, epoch)
		spent += m.layers[i].Bits()
	}
	size := SizeFor(urls, cfg.FPRate)
	if cfg.BitsPerURL != 0 {
		size = SizeWithin(urls, int64(cfg.BitsPerURL*float64(urls))-spent)
	}
	m.last.reset(size, epochSeed(cfg.Seed, epoch))
}

// resetLayer empties the layer of index i and sizes it for n prefixes. If the
// user set the memory, an eighth of it at most goes to layers.
func (m *Multilayer) resetLayer(cfg Config, i int, n, urls int64, epoch uint64) {
	n = max(n, minPrefixes)
	bits := n * bitsPerPrefix
	m.room[i] = n
	if cfg.BitsPerURL != 0 {
		bits = min(bits, int64(cfg.BitsPerURL*float64(urls)/8/float64(cfg.Layers)))
		m.room[i] = math.MaxInt64 // it must not grow
	}
	m.layers[i].reset(Size{Bits: bits, Lines: 1}, epochSeed(cfg.Seed, epoch))
	m.run = run{}
}

// epochSeed returns the seed of the arrays in one epoch. The fingerprints of URLs
// stay what they are; what changes are the bits they take in a line.
func epochSeed(secret, epoch uint64) uint64 {
	return splitmix.Finish(secret + splitmix.Finish(epoch+1))
}

// Add adds u and reports whether that changed the filter: if it did, u was
// certainly new.
func (m *Multilayer) Add(u weburl.URL) bool {
	k := m.hash.key(u, len(m.layers))
	return m.add(&k)
}

// addHashes adds fingerprints to the layer of an index, or to the last array if that is
// negative.
func (m *Multilayer) addHashes(layer int, fps []uint64) {
	array := &m.last
	if layer >= 0 {
		array = &m.layers[layer]
	}
	array.AddAll(fps)
}

// crowded reports whether a layer is sized for fewer prefixes than there are now. The next
// filter has room for twice as many, so restarts for this reason become rarer as a crawl
// grows.
func (m *Multilayer) crowded(prefixes *[MaxLayers]int64) bool {
	for i := range m.layers {
		if prefixes[i] > m.room[i] {
			return true
		}
	}
	return false
}

// Has reports whether u may have been added. False is certain.
func (m *Multilayer) Has(u weburl.URL) bool {
	return m.judge(u, m.hash.fingerprint(u)) == filterMaybe
}

// LayerOf returns at which of its segments u stops being known: 1 when nothing
// of its origin was ever added, 2 when nothing that begins with its first two
// segments was, and so on as far as the layers reach; otherwise the number of
// its segments, when just u itself is new; 0 when u may have been added.
//
// Below u's segment LayerOf(u) the filter has certainly seen nothing. Above it,
// a layer's false positives may make it larger than the truth: one percent a
// layer.
func (m *Multilayer) LayerOf(u weburl.URL) int {
	k := m.hash.key(u, len(m.layers))
	for i, x := range k.prefixes() {
		if !m.layers[i].Has(x) {
			return i + 1
		}
	}
	if m.last.Has(k.full) {
		return 0
	}
	return segments(u)
}

// Bits returns the size of all arrays in bits.
func (m *Multilayer) Bits() int64 {
	n := m.last.Bits()
	for i := range m.layers {
		n += m.layers[i].Bits()
	}
	return n
}

// Fill returns the share of all bits that are set.
func (m *Multilayer) Fill() float64 {
	ones := m.last.ones()
	for i := range m.layers {
		ones += m.layers[i].ones()
	}
	return float64(ones) / float64(m.Bits())
}

// ExpectedRate returns the chance that a new URL is answered with "maybe" now,
// if all its prefixes are known; the layers can only make it smaller. See
// Bloom.ExpectedRate for what it costs.
func (m *Multilayer) ExpectedRate() float64 { return m.last.ExpectedRate() }

// verdict is what a filter says of a key.
type verdict uint8

const (
	unknown     verdict = iota // nothing: it was not asked
	filterNew                  // new
	prefixNew                  // new, as a layer knows; the last array would have erred
	filterMaybe                // maybe
)

// judge says what the filter knows of u, whose fingerprint is given. It asks the last array
// first: most new URLs have prefixes that all layers know, and it alone calls them new.
func (m *Multilayer) judge(u weburl.URL, fp uint64) verdict {
	switch {
	case !m.last.Has(fp):
		return filterNew
	case !m.known(u):
		return prefixNew
	}
	return filterMaybe
}

// known reports whether the layers know u's prefixes. The links of a page come in runs
// out of one directory, and what a layer knows it knows until it is emptied, so the
// layers are asked once for a run.
func (m *Multilayer) known(u weburl.URL) bool {
	if m.run.has(u) {
		return true
	}
	var k key
	end := m.hash.prefixes(u, len(m.layers), &k)
	for i, x := range k.prefixes() {
		if !m.layers[i].Has(x) {
			return false
		}
	}
	if k.n > 0 {
		m.run = run{prefix: u.String()[:end+1], whole: k.n == len(m.layers)}
	}
	return true
}

// add adds k and reports whether that changed an array.
func (m *Multilayer) add(k *key) bool {
	changed := false
	for i, x := range k.prefixes() {
		if m.layers[i].Add(x) {
			changed = true
		}
	}
	return m.last.Add(k.full) || changed
}
