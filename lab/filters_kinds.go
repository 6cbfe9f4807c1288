package lab

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"crawler/dedup"
	"crawler/weburl"
)

// remembers is a way to remember URLs.
type remembers interface {
	Add(u weburl.URL)
	Has(u weburl.URL) bool
}

// contender is one of the structures compared.
type contender struct {
	name  string
	set   remembers
	exact bool
	skip  bool    // too slow at this size: set is nil
	slow  bool    // gets fewer questions
	bits  float64 // of memory, the least it takes

	// rate returns the chance that a URL that was not inserted is answered "seen",
	// from the filter's present fill and from what is exactly known of its segments.
	rate func(u weburl.URL) float64
}

// slowQuestions is how many questions of a class linear search is asked.
const slowQuestions = 100

// ask asks about URLs that were never inserted.
func (x *contender) ask(urls []weburl.URL) answers {
	if x.slow {
		urls = urls[:min(len(urls), slowQuestions)]
	}
	a := answers{asked: len(urls)}
	for _, u := range urls {
		if x.set.Has(u) {
			a.seen++
		}
		if !x.exact {
			a.expected += x.rate(u)
		}
	}
	a.expected /= float64(max(len(urls), 1))
	return a
}

// lost counts the inserted URLs that are answered "new". There must be none.
func (x *contender) lost(urls []weburl.URL) (lost, checked int) {
	if x.slow {
		urls = urls[:min(len(urls), slowQuestions)]
	}
	for _, u := range urls {
		if !x.set.Has(u) {
			lost++
		}
	}
	return lost, len(urls)
}

// The contenders' names, in their order.
const (
	linearName    = "linear"
	binaryName    = "binary"
	mapName       = "map"
	classicName   = "classic"
	bloomName     = "bloom"
	segmentsName  = "segments"
	publishedName = "published"
	repairedName  = "repaired"
)

// mapIndex is the place of the map among the contenders. It stands for the exact ones
// where these are asked the same.
const mapIndex = 2

// memory returns the bits of a filter of n URLs in all, those of an array of the
// published multilayer filter, and the hash functions of the classic one.
func (c *comparison) memory(s *setting, n int) (total, array int64, k int) {
	if s.perURL == 0 {
		return paperBits, paperBits, paperHashes
	}
	total = int64(s.perURL * float64(n))
	return total, dedup.PublishedBits(total, c.cfg.Layers), dedup.BestK(s.perURL)
}

// contenders returns all structures, empty, for n URLs.
func (c *comparison) contenders(s *setting, n int) []*contender {
	total, array, k := c.memory(s, n)
	text := 0.0
	for _, u := range c.cfg.Corpus.URLs[:n] {
		text += 8 * (24 + float64(len(u.String())))
	}
	return []*contender{
		{name: linearName, set: &linear{}, exact: true, slow: true, bits: text, skip: n > c.cfg.LinearMax},
		{name: binaryName, set: &sorted{}, exact: true, bits: text},
		{name: mapName, set: table{}, exact: true, bits: text + 8*float64(n)},
		classic(total, k, c.cfg.Seed),
		bloom(int64(n), total, c.cfg.Seed),
		c.segments(total),
		c.published(array),
		c.repaired(n, total),
	}
}

// linear is a slice of URLs that is searched from the front.
type linear struct{ urls []weburl.URL }

func (l *linear) Add(u weburl.URL)      { l.urls = append(l.urls, u) }
func (l *linear) Has(u weburl.URL) bool { return slices.Contains(l.urls, u) }

// sorted is a slice of URLs in ascending order.
type sorted struct{ urls []weburl.URL }

func compare(a, b weburl.URL) int { return strings.Compare(a.String(), b.String()) }

func (s *sorted) Add(u weburl.URL) {
	if i, found := slices.BinarySearchFunc(s.urls, u, compare); !found {
		s.urls = slices.Insert(s.urls, i, u)
	}
}

func (s *sorted) Has(u weburl.URL) bool {
	_, found := slices.BinarySearchFunc(s.urls, u, compare)
	return found
}

// AddAll sorts: inserting one by one takes time in proportion to the square.
func (s *sorted) AddAll(urls []weburl.URL) {
	s.urls = append(s.urls, urls...)
	slices.SortFunc(s.urls, compare)
}

// table is Go's hash table.
type table map[weburl.URL]struct{}

func (t table) Add(u weburl.URL) { t[u] = struct{}{} }

func (t table) Has(u weburl.URL) bool {
	_, found := t[u]
	return found
}

// hashed is a filter of 64-bit hashes, which it takes from the text of the URL.
type hashed struct {
	filter interface {
		Add(h uint64) bool
		Has(h uint64) bool
	}
}

func (f hashed) Add(u weburl.URL)      { f.filter.Add(fingerprint(u.String())) }
func (f hashed) Has(u weburl.URL) bool { return f.filter.Has(fingerprint(u.String())) }

// filter is one that takes URLs.
type filter struct {
	filter interface {
		Add(u weburl.URL) bool
		Has(u weburl.URL) bool
	}
}

func (f filter) Add(u weburl.URL)      { f.filter.Add(u) }
func (f filter) Has(u weburl.URL) bool { return f.filter.Has(u) }

func classic(total int64, k int, seed uint64) *contender {
	f := dedup.NewClassic(total, k, seed)
	return &contender{name: classicName, set: hashed{f}, bits: float64(f.Bits()), rate: steady(f.ExpectedRate)}
}

func bloom(n, total int64, seed uint64) *contender {
	f := dedup.NewBloom(dedup.SizeWithin(n, total), seed)
	return &contender{name: bloomName, set: hashed{f}, bits: float64(f.Bits()), rate: steady(f.ExpectedRate)}
}

// steady is a rate that is the same for all URLs. It is asked for when the filter is
// full, once.
func steady(expected func() float64) func(weburl.URL) float64 {
	rate := math.NaN()
	return func(weburl.URL) float64 {
		if math.IsNaN(rate) {
			rate = expected()
		}
		return rate
	}
}

// segments is the filter of source 004's algorithms 1 and 2. A URL passes when each of
// its segments is known or passes.
func (c *comparison) segments(total int64) *contender {
	f := dedup.NewSegmentBloom(total, paperHashes)
	one := steady(func() float64 { return math.Pow(f.Fill(), float64(f.K())) })
	return &contender{name: segmentsName, set: filter{f}, bits: float64(f.Bits()), rate: func(u weburl.URL) float64 {
		rate, parts := 1.0, segments(u)
		for i, s := range parts {
			if !c.known.segments.Has(fingerprint(s)) && !slices.Contains(parts[:i], s) {
				rate *= one(u)
			}
		}
		return rate
	}}
}

// published is the multilayer filter to the letter. Its rate is that of
// dedup.PublishedRate with what is known of this URL in the place of chances, and 1 in
// the place of the last array's rate if the XOR of the addresses is that of a URL
// inserted. If m is no power of two the last array errs more often by dedup.FoldFactor.
func (c *comparison) published(array int64) *contender {
	f := dedup.NewPublishedMultilayer(c.cfg.Layers, array, paperHashes)
	var last [dedup.MaxLayers + 1]func(weburl.URL) float64 // by segments combined
	for n := range last {
		last[n] = steady(func() float64 { return c.lastRate(f, array, n) })
	}
	return &contender{name: publishedName, set: filter{f}, bits: float64(f.Bits()), rate: func(u weburl.URL) float64 {
		rate, parts := 1.0, segments(u)
		parts = parts[:min(len(parts), c.cfg.Layers)]
		for i, s := range parts {
			if !c.known.places[i].Has(fingerprint(s)) {
				rate *= math.Pow(f.Fill(i+1), paperHashes)
			}
		}
		if !c.known.sums.Has(c.known.sum(u)) {
			rate *= last[len(parts)](u)
		}
		return rate
	}}
}

// lastRate is the rate of the last array, by the number of segments. FoldFactor is of
// the rate that an evenly filled array would have. The fill of an uneven one is less,
// and must not stand in its place.
func (c *comparison) lastRate(f *dedup.PublishedMultilayer, array int64, segments int) float64 {
	power := int64(1) << bits.Len64(uint64(array-1))
	if array == power {
		return f.ExpectedRate()
	}
	urls := float64(c.known.sums.Len())
	load := paperHashes * urls / float64(array)
	even := dedup.ClassicRate(float64(array)/urls, paperHashes)
	return min(1, even*dedup.FoldFactor(float64(array)/float64(power), segments, f.K(), load))
}

// repaired is the filter of the crawl. A question passes at the rate of the last array,
// if the layers let it pass.
func (c *comparison) repaired(n int, total int64) *contender {
	f, err := dedup.NewMultilayer(dedup.Config{
		ExpectURLs: n, Layers: c.cfg.Layers, Seed: c.cfg.Seed,
		BitsPerURL: min(float64(total)/float64(n), maxBitsPerURL),
	})
	if err != nil {
		panic(err) // the configuration was checked
	}
	last := steady(f.ExpectedRate)
	return &contender{name: repairedName, set: filter{f}, bits: float64(f.Bits()), rate: func(u weburl.URL) float64 {
		parts := 0
		for range u.Segments {
			parts++
		}
		if at := f.LayerOf(u); at != 0 && at < parts {
			return 0
		}
		return last(u)
	}}
}
