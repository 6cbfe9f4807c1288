package trap

import (
	"maps"
	"math"
	"slices"

	"crawler/internal/binform"
)

// kin sums up the fine patterns of a host that differ only in the names of directories and
// programs, such as /hotel/de/*.html and /hotel/fr/*.html. It affects the order only.
type kin struct {
	linked   // of all their pages but the first eight of each pattern
	id       uint64
	patterns uint32 // that are known
	pages    uint32 // fetched
	breeding uint32 // of those, the ones of patterns that breed
}

// leastKin is how many pages of older kin say whether a young pattern has an end.
const leastKin = 4

// join adds a pattern to its kin, unless it was forgotten a moment ago, to make room for the wide
// one.
func (g *Guard) join(p *pattern, id uint64) {
	if id == 0 || p.kin != nil || g.patterns[p.id] != p {
		return
	}
	k := g.kin[id]
	if k == nil {
		k = &kin{id: id}
		g.kin[id] = k
	}
	p.kin = k
	k.patterns++
}

// part removes a pattern that is being forgotten from its kin.
func (g *Guard) part(p *pattern) {
	k := p.kin
	if k == nil {
		return
	}
	if k.patterns--; k.patterns == 0 {
		delete(g.kin, k.id)
	}
}

// kinOf returns the kin of a pattern, nil if it has none.
func (g *Guard) kinOf(p *pattern) *kin {
	if g.off&ruleKin != 0 {
		return nil
	}
	return p.kin
}

func (g *Guard) encodeKin(e *binform.Encoder) {
	e.Uint32(uint32(len(g.kin)))
	for _, id := range slices.Sorted(maps.Keys(g.kin)) {
		k := g.kin[id]
		e.Uint64(id)
		e.Uint32(k.pages)
		e.Uint32(k.breeding)
		for _, sum := range append(k.sums(), &k.bred) {
			e.Uint32(math.Float32bits(*sum))
		}
	}
}

func (g *Guard) decodeKin(d *binform.Decoder) {
	n := d.Uint32()
	d.Check(n <= mostStored, "%d kin, the most is %d", n, mostStored)
	last := uint64(0)
	for range n {
		if !d.OK() {
			return
		}
		k := &kin{id: d.Uint64(), pages: d.Uint32(), breeding: d.Uint32()}
		d.Check(k.id > last, "kin out of order")
		last = k.id
		for _, sum := range append(k.sums(), &k.bred) {
			*sum = decodeSum(d)
		}
		g.kin[k.id] = k
	}
}

// decodeKinOf reads which kin a pattern belongs to. All kin must have been read before.
func (g *Guard) decodeKinOf(d *binform.Decoder, p *pattern) {
	id := d.Uint64()
	if id == 0 {
		return
	}
	k := g.kin[id]
	if d.Check(k != nil, "a pattern of no kin"); k != nil {
		k.patterns++
		p.kin = k
	}
}
