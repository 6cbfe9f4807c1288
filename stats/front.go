package stats

// front counts most of the words of the head. A word belongs to one pair of
// slots, and takes a slot for good if it comes while one is free; so two
// comparisons tell whether it is here, and sift makes them without a branch. A
// slot holds the upper 46 bits of the mixed hash and an 18-bit count, and the
// number of the pair stands for some bits more. A new word is taken for one
// that is here with probability 2^-45.
type front struct {
	pairs [][2]uint64
	free  int            // empty slots
	carry map[int]uint64 // by slot: what its count could not hold
}

const (
	countBits = 18
	countMask = 1<<countBits - 1
	maxPairs  = 1 << 15
)

func newFront(pairs int) front { return front{pairs: make([][2]uint64, pairs), free: 2 * pairs} }

// sift counts the words of a bag that are in the front and puts the places of the
// others, in order, into b.rest[:n]. No branch depends on a word: one wrongly
// predicted would cost more than the two comparisons.
func (f *front) sift(b *Bag) (n int) {
	pairs, counts := f.pairs, b.counts[:b.n]
	if len(pairs) == 0 {
		return b.allPlaces()
	}
	for i, v := range b.mixed[:len(counts)] {
		p := &pairs[int(v>>1)&(len(pairs)-1)]
		var first, second uint64
		if p[0]^v <= countMask {
			first = 1
		}
		if p[1]^v <= countMask {
			second = 1
		}
		count := uint64(counts[i])
		p[0] += count & -first
		p[1] += count & -second
		b.rest[n&(bagSize-1)] = uint16(i)
		n += int(1 - first - second)
	}
	return n
}

// addRun counts v so often if it is in the front; at most bagText times.
func (f *front) addRun(v, count uint64) bool {
	if len(f.pairs) == 0 {
		return false
	}
	p := f.pair(v)
	for i := range p {
		if p[i]^v <= countMask {
			p[i] += count
			return true
		}
	}
	return false
}

// add counts v if it is in the front.
func (f *front) add(v uint64) bool { return len(f.pairs) != 0 && f.count(v) == 0 }

// count counts v if it is in the front, of which there must be one, and returns
// 0, else 1. It is just short enough to be inlined, which saves a fifth of the
// time of Surprise.Add.
func (f *front) count(v uint64) (other uint64) {
	p := &f.pairs[int(v>>1)&(len(f.pairs)-1)]
	var first, second uint64
	if p[0]^v <= countMask {
		first = 1
	}
	if p[1]^v <= countMask {
		second = 1
	}
	p[0] += first
	p[1] += second
	return 1 - first - second
}

// number returns the number of the pair v belongs to.
func (f *front) number(v uint64) int { return int(v>>1) & (len(f.pairs) - 1) }

func (f *front) pair(v uint64) *[2]uint64 { return &f.pairs[f.number(v)] }

// put takes in a word that is not in the front, with what was counted for it,
// if it finds a slot.
func (f *front) put(v, count uint64) bool {
	if f.free == 0 {
		return false
	}
	p := f.pair(v)
	for i := range p {
		if p[i] == 0 {
			f.free--
			p[i] = v &^ countMask
			f.keep(2*f.number(v)+i, count)
			return true
		}
	}
	return false
}

// keep adds to a slot a count that it may not be able to hold.
func (f *front) keep(slot int, count uint64) {
	if count < halfFull {
		f.pairs[slot/2][slot%2] += count
		return
	}
	if f.carry == nil {
		f.carry = make(map[int]uint64)
	}
	f.carry[slot] += count
}

// halfFull is the count from which a sweep moves it to carry. After a sweep,
// as many words can be added before the next one.
const halfFull = 1 << (countBits - 1)

// sweep makes room in the counts.
func (f *front) sweep() {
	for p := range f.pairs {
		for i, slot := range f.pairs[p] {
			if count := slot & countMask; count >= halfFull {
				f.pairs[p][i] -= count
				f.keep(2*p+i, count)
			}
		}
	}
}

// squares returns the sum of the squared counts.
func (f *front) squares() (sum squares) {
	for p := range f.pairs {
		for i, slot := range f.pairs[p] {
			sum.add(slot&countMask + f.carry[2*p+i])
		}
	}
	return sum
}

func (f *front) bytes() int { return 16 * len(f.pairs) }
