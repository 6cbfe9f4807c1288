package stats

// recent remembers words of a stream, as a cache does: sets of two tags of 32
// bits, of which the first belongs to the word that came first, likely a
// frequent one, and the last to the word that came last. With room for 16,384
// it spares 98 or 99 of 100 looks at the words of a text with 17,500 different
// ones.
//
// It reads a product: the word's hash times an odd number that is secret, which
// is one multiplication where mix takes two and more. Products spread as evenly
// as the hashes; and of any two words the upper m bits agree with probability at
// most 2·2^-m (Dietzfelbinger and others, A reliable randomized algorithm for
// the closest-pair problem, 1997). A tag is the upper 31 bits, so a
// new word is taken for one of the two that are in its set with probability
// 2^-30; by that bound with 2^-29 if somebody chose the words, who does not know
// the number. The set is chosen by other bits. Who makes words agree in the lower
// half of their hashes can crowd a set: they then cost what new words cost.
type recent []uint64

// newRecent returns room for twice n words, n being a power of two.
func newRecent(n int) recent { return make(recent, n) }

const low32 = 1<<32 - 1

// place returns the set that x belongs to, and its tag, which is not 0, as an
// empty one is.
func (r recent) place(x uint64) (set int, tag uint64) {
	return int(x>>16) & (len(r) - 1), x>>32 | 1
}

// differs returns 0 for a word that is here: the product of what its tag differs
// in from the two of its set. As both are below 2^32, no other product is 0.
func (r recent) differs(x uint64) uint64 {
	set, tag := r.place(x)
	s := r[set]
	return (s&low32 ^ tag) * (s>>32 ^ tag)
}

// note takes in a word that is not here.
func (r recent) note(x uint64) {
	set, tag := r.place(x)
	if r[set] == 0 {
		r[set] = tag
	} else {
		r[set] = r[set]&low32 | tag<<32
	}
}

// seldom is the mark below which pass is passed so seldom that it is the first
// thing AddAll looks at, and that words above it are not worth a place among the
// recent ones.
const seldom = 1 << 63

// note takes in a word that is not among the recent ones, of which there are so
// many sets from then on.
func (d *Distinct) note(x uint64, sets int) {
	if len(d.recent) < sets {
		d.recent = newRecent(sets)
	}
	d.recent.note(x)
}

// passing moves the words below the pass mark to rest and returns how many
// there are. No branch depends on a word.
func (d *Distinct) passing(hashes []uint64, rest *[batch]uint64) (n int) {
	key, pass, to := d.key, d.pass, rest[:]
	for _, h := range hashes {
		to[n&(batch-1)] = h // n is not ahead of the loop
		if mix(h, key) <= pass {
			n++
		}
	}
	return n
}

// unseen moves the words that are not among the recent ones to rest and returns
// how many there are. No branch depends on a word.
func (d *Distinct) unseen(hashes []uint64, rest *[batch]uint64) (n int) {
	recent, odd, to := d.recent, d.key|1, rest[:]
	for _, h := range hashes {
		to[n&(batch-1)] = h // n is not ahead of the loop
		if recent.differs(h*odd) != 0 {
			n++
		}
	}
	return n
}
