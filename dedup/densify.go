package dedup

import (
	"math/bits"

	"crawler/internal/splitmix"
)

// densifyRounds is how many permutations there are; further rounds begin again.
const densifyRounds = 16

// densifier fills the slots that no shingle fell into.
//
// In each round a slot that is still empty borrows from another, which is a fixed one of that
// round, what that one had when the round began. So the number of full slots nearly doubles
// until they meet, and each hash is borrowed about equally often. In which order a slot looks
// at the others depends on nothing but the slot: two pages in which the same ones are empty
// borrow from the same ones, which is what makes a slot agree with probability J.
type densifier struct {
	slots     int
	lenders   [densifyRounds][MaxSlots]uint16 // by round and slot
	borrowers [densifyRounds][MaxSlots]uint16 // the other way round
}

// slotSet is a set of slots, one bit each.
type slotSet [MaxSlots / 64]uint64

func (s *slotSet) has(slot uint16) uint64 {
	return s[slot>>6&(MaxSlots/64-1)] >> (slot & 63) & 1
}

func (d *densifier) init(slots int) {
	d.slots = slots
	for round := range d.lenders {
		p := d.lenders[round][:slots]
		shuffle(p, uint64(round))
		for i, from := range p {
			d.borrowers[round][from] = uint16(i)
		}
	}
}

// shuffle makes p a permutation. The last one is a cycle through all slots, so that in the end
// every slot gets something.
func shuffle(p []uint16, number uint64) {
	for i := range p {
		p[i] = uint16((i + 1) % len(p))
	}
	if number == densifyRounds-1 {
		return
	}
	x := splitmix.Finish(number + splitmix.Golden)
	for i := len(p) - 1; i > 0; i-- {
		x = splitmix.Finish(x + splitmix.Golden)
		j, _ := bits.Mul64(x, uint64(i+1))
		p[i], p[j] = p[j], p[i]
	}
}

// fill fills what is empty of kept, and reports whether anything was not. What decides is
// computed, not branched on: it would be mispredicted often.
func (d *densifier) fill(kept *[MaxSlots]uint64) bool {
	var full slotSet
	n, words := 0, d.slots/64
	for w := range full[:words] {
		full[w] = occupied((*[64]uint64)(kept[64*w:]))
		n += bits.OnesCount64(full[w])
	}
	if n == 0 {
		return false
	}
	for round := 0; n < d.slots; round++ {
		if before := full; 2*n < d.slots {
			d.push(kept, &before, &full, round%densifyRounds)
		} else {
			d.pull(kept, &before, &full, round%densifyRounds)
		}
		n = 0
		for _, w := range full[:words] {
			n += bits.OnesCount64(w)
		}
	}
	return true
}

// occupied returns which of 64 slots are not empty.
func occupied(kept *[64]uint64) (set uint64) {
	for i, v := range kept {
		set |= (v | -v) >> 63 << i
	}
	return set
}

// push is a round as the full slots see it: cheap while there are few.
func (d *densifier) push(kept *[MaxSlots]uint64, before, full *slotSet, round int) {
	to := &d.borrowers[round]
	for w, rest := range before[:d.slots/64] {
		for ; rest != 0; rest &= rest - 1 {
			i := to[64*w+bits.TrailingZeros64(rest)] & (MaxSlots - 1)
			kept[i] |= borrowed(kept[64*w+bits.TrailingZeros64(rest)], i) & (before.has(i) - 1)
			full[i>>6] |= 1 << (i & 63)
		}
	}
}

// pull is the same round as the empty ones see it.
func (d *densifier) pull(kept *[MaxSlots]uint64, before, full *slotSet, round int) {
	lenders := &d.lenders[round]
	for w := range before[:d.slots/64] {
		var lent uint64
		for rest := ^before[w]; rest != 0; rest &= rest - 1 {
			i := 64*w + bits.TrailingZeros64(rest)
			from := lenders[i] & (MaxSlots - 1)
			has := before.has(from)
			kept[i] = borrowed(kept[from], uint16(i)) & -has
			lent |= has << (i & 63)
		}
		full[w] |= lent
	}
}

// borrowed is what a slot makes of a hash of another: mixed with its number, so that chance
// agreements in different slots stay independent.
func borrowed(hash uint64, by uint16) uint64 {
	return fold(hash^uint64(by+1)*splitmix.Golden, mulSecond)
}
