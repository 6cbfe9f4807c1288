package dedup

import "math/bits"

// band is the buckets of one band: an open-addressing table in which the home
// of a tag is proportional to it.
type band struct {
	slots []bandSlot
	used  int
}

// bandSlot is a bucket: the documents of which the band has a hash of tag.
type bandSlot struct {
	tag  uint32
	last uint32 // the last document added, + 1; 0 marks an empty slot
}

const minBandSlots = 8

// place returns the slot of tag, an empty one if it was missing: the caller
// fills it in.
func (b *band) place(tag uint32) *bandSlot {
	if b.used >= len(b.slots)*3/4 {
		b.grow()
	}
	s := b.search(tag)
	if s.last == 0 {
		s.tag = tag
		b.used++
	}
	return s
}

// last returns the last document in the bucket of tag, + 1, or 0.
func (b *band) last(tag uint32) uint32 {
	if b.used == 0 {
		return 0
	}
	return b.search(tag).last
}

// search returns the slot of tag, or the empty one where it would be.
func (b *band) search(tag uint32) *bandSlot {
	hi, _ := bits.Mul64(uint64(tag)<<32, uint64(len(b.slots)))
	for i := int(hi); ; {
		s := &b.slots[i]
		if s.last == 0 || s.tag == tag {
			return s
		}
		if i++; i == len(b.slots) {
			i = 0
		}
	}
}

// grow moves the buckets to a table half as large again.
func (b *band) grow() {
	old := b.slots
	b.slots = make([]bandSlot, max(len(old)+len(old)/2, minBandSlots))
	for _, s := range old {
		if s.last != 0 {
			*b.search(s.tag) = s
		}
	}
}
