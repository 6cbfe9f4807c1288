package dedup

import (
	"strings"

	"crawler/internal/splitmix"
	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// PublishedMultilayer is the multilayer Bloom filter to the letter of its paper
// (Cen, Xu and Sun 2010, "A Multi-Layer Bloom Filter for Duplicated URL
// Detection", algorithms 3 and 4 as the common descriptions number them). It is
// here to be compared with: a crawl should use Multilayer.
//
// A URL is cut at "/" behind its scheme: host, path segments, and a query with
// the segment before it. Segment i sets k bits of layer i, by the same k hash
// functions in every layer; and for each j from 1 to k, the XOR of the j-th
// addresses over the layers sets a bit of the last array. A question asks the
// layers, then the last array. All arrays have m bits. If m is no power of two
// an XOR may be m or more, and is taken modulo m.
//
// PublishedRate has its rate. Beyond that it always answers "maybe" to
//
//   - a URL with the segments of a known one in another order, if each stands
//     in its layer too: XOR does not know the order;
//   - a URL with two equal segments, when one with two other equal ones in their
//     place is known: equal addresses cancel;
//   - a URL that differs from a known one in the scheme only, or behind its
//     first L segments.
//
// Its hash functions are known to everybody. Add and Has cost up to k cache
// misses for each layer and k more, and allocate nothing. A PublishedMultilayer
// is not safe for concurrent use.
type PublishedMultilayer struct {
	layers []Classic
	last   Classic
}

// NewPublishedMultilayer returns an empty filter with the given number of
// layers, from 1 to MaxLayers, and one array besides, of bitsPerLayer bits each,
// from 1 to 2^40, and k hash functions, from 1 to MaxHashes; what is outside is
// moved to the nearest limit.
func NewPublishedMultilayer(layers int, bitsPerLayer int64, k int) *PublishedMultilayer {
	p := &PublishedMultilayer{
		layers: make([]Classic, min(max(layers, 1), MaxLayers)),
		last:   *NewClassic(bitsPerLayer, k, 0),
	}
	for i := range p.layers {
		p.layers[i] = *NewClassic(bitsPerLayer, k, 0)
	}
	return p
}

// PublishedBits returns the bits a layer for a PublishedMultilayer that takes at
// most total bits with all its arrays, for comparison at equal memory.
func PublishedBits(total int64, layers int) int64 {
	return max(1, total/int64(min(max(layers, 1), MaxLayers)+1))
}

// addresses are the XORs of the addresses so far, k of them in use.
type addresses [MaxHashes]uint64

// Add adds u and reports whether that changed the filter: if it did, u was
// certainly new.
func (p *PublishedMultilayer) Add(u weburl.URL) bool {
	var sums addresses
	changed := false
	rest, more := behindScheme(u), true
	for i := 0; i < len(p.layers) && more; i++ {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if p.layers[i].addSegment(segment, &sums) {
			changed = true
		}
	}
	return p.last.AddPositions(sums[:p.last.k]...) || changed
}

// Has reports whether u may have been added. False is certain.
func (p *PublishedMultilayer) Has(u weburl.URL) bool {
	var sums addresses
	rest, more := behindScheme(u), true
	for i := 0; i < len(p.layers) && more; i++ {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if !p.layers[i].hasSegment(segment, &sums) {
			return false
		}
	}
	return p.last.HasPositions(sums[:p.last.k]...)
}

// Layers returns the number of layers, without the last array.
func (p *PublishedMultilayer) Layers() int { return len(p.layers) }

// K returns the number of hash functions.
func (p *PublishedMultilayer) K() int { return p.last.k }

// Bits returns the size of all arrays in bits.
func (p *PublishedMultilayer) Bits() int64 { return int64(len(p.layers)+1) * p.last.Bits() }

// Fill returns the share of the bits of array i that are set: a layer from 1 to
// Layers, or the last array, which is number Layers + 1. There is no other.
func (p *PublishedMultilayer) Fill(i int) float64 {
	if i == len(p.layers)+1 {
		return p.last.Fill()
	}
	return p.layers[i-1].Fill()
}

// ExpectedRate returns the chance that an absent URL is answered with "maybe"
// now, by PublishedRate: standing[i-1] is the chance that its segment i stands in
// layer i, and there are as many as the URL has segments, of which those behind
// the layers do not count. Without any it is the last array's rate, that of URLs
// with known segments.
func (p *PublishedMultilayer) ExpectedRate(standing ...float64) float64 {
	var rates [MaxLayers]float64
	standing = standing[:min(len(standing), len(p.layers))]
	for i := range standing {
		rates[i] = p.layers[i].ExpectedRate()
	}
	return PublishedRate(standing, rates[:len(standing)], p.last.ExpectedRate())
}

// Union adds to p all URLs of o, like Bloom.Union. Both must have the same
// number of layers, bits and hash functions.
func (p *PublishedMultilayer) Union(o *PublishedMultilayer) error { return p.each(o, or64) }

// Intersect keeps in p what o has too, like Bloom.Intersect. It has the
// conditions of Union.
func (p *PublishedMultilayer) Intersect(o *PublishedMultilayer) error { return p.each(o, and64) }

// SegmentBloom is the plain filter to which the multilayer one is compared in
// its descriptions (algorithms 1 and 2): one Classic of all segments of all
// URLs. A URL is "maybe" known as soon as every segment of it is, in whatever
// place of whatever URL, so a crawl that trusts it finds little more than half
// of the pages. It is here to show that.
//
// It costs up to k cache misses a segment and allocates nothing.
// A SegmentBloom is not safe for concurrent use.
type SegmentBloom struct{ filter Classic }

// NewSegmentBloom returns an empty filter; NewClassic has the limits.
func NewSegmentBloom(bits int64, k int) *SegmentBloom {
	return &SegmentBloom{*NewClassic(bits, k, 0)}
}

// Add adds all segments of u and reports whether that changed the filter.
func (s *SegmentBloom) Add(u weburl.URL) bool {
	changed := false
	for rest, more := behindScheme(u), true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if s.filter.Add(xxhash.Sum64String(segment)) {
			changed = true
		}
	}
	return changed
}

// Has reports whether all segments of u may have been added. False is certain.
func (s *SegmentBloom) Has(u weburl.URL) bool {
	for rest, more := behindScheme(u), true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if !s.filter.Has(xxhash.Sum64String(segment)) {
			return false
		}
	}
	return true
}

// Bits returns the size in bits.
func (s *SegmentBloom) Bits() int64 { return s.filter.Bits() }

// K returns the number of hash functions.
func (s *SegmentBloom) K() int { return s.filter.K() }

// Fill returns the share of the bits that are set.
func (s *SegmentBloom) Fill() float64 { return s.filter.Fill() }

// Union adds to s all segments of o, like Bloom.Union. Both must have the same
// number of bits and hash functions.
func (s *SegmentBloom) Union(o *SegmentBloom) error { return s.filter.Union(&o.filter) }

// Intersect keeps in s what o has too, like Bloom.Intersect. It has the
// conditions of Union.
func (s *SegmentBloom) Intersect(o *SegmentBloom) error { return s.filter.Intersect(&o.filter) }

// behindScheme returns u from its host on; the zero URL has one empty segment.
func behindScheme(u weburl.URL) string {
	_, rest, _ := strings.Cut(u.String(), "://")
	return rest
}

// addSegment adds a segment, combines its addresses with the sums, and reports
// whether the filter changed.
func (c *Classic) addSegment(segment string, sums *addresses) bool {
	set := uint64(0)
	x := c.start(xxhash.Sum64String(segment))
	for j := range c.k {
		at := place(x, c.m)
		set += c.set(at)
		sums[j&(MaxHashes-1)] ^= at
		x += splitmix.Golden
	}
	c.ones += int64(set)
	return set != 0
}

// hasSegment is addSegment for a question.
func (c *Classic) hasSegment(segment string, sums *addresses) bool {
	x := c.start(xxhash.Sum64String(segment))
	for j := range c.k {
		at := place(x, c.m)
		if !c.isSet(at) {
			return false
		}
		sums[j&(MaxHashes-1)] ^= at
		x += splitmix.Golden
	}
	return true
}
