package stats

// Sizes of a Bag. They bound a page that has more words only in how often it is
// begun anew.
const (
	bagText  = 1 << 12 // words of a text it takes in at once
	bagSize  = 1 << 10 // places for different ones, of which the last stays empty
	bagSlots = 2 * bagSize
	noPlace  = bagSize - 1
)

// Bag adds texts to sketches. It first counts the words of a text, and then adds
// each different one once, with the number of times it occurs: on a page of a
// thousand words some three hundred. To find a word among those of its page takes
// less time than to count it in two sketches, whose tables are larger. The outcome
// is that of adding the words one after the other, to the bit.
//
// A Bag is scratch memory, 44 KiB of it, for whoever adds many texts. The zero value
// is ready for use, for any sketches. It is not safe for concurrent use.
type Bag struct {
	length int              // words of the text
	n      int              // different ones among them
	words  [bagSize]uint64  // in the order they came in; a few are there twice
	counts [bagSize]uint16  // how often each occurs
	slots  [bagSlots]uint16 // by hash: the place of the word that came last

	// What the sketch makes of it that is being added to.
	mixed  [bagSize]uint64
	rest   [bagSize]uint16 // places of the words that are not in the front
	hinted [bagSize]uint16 // of those, the ones to be looked for in the table
	tail   [bagSize]uint64 // mixed words of the tail that may be new
}

// AddAll counts the words of a text in several sketches, such as those of the crawl
// and of the site. It is faster than one after the other if they have the same
// seed: 6 to 8 ns a word for both, in a large crawl of a large site.
func (b *Bag) AddAll(hashes []uint64, to ...*Words) {
	for len(hashes) > 0 {
		hashes = b.fill(hashes)
		for i, w := range to {
			if key := w.surprise.key; i == 0 || key != to[i-1].surprise.key {
				b.mix(key)
			}
			w.tail.addMixed(w.surprise.addBag(b))
		}
	}
}

// Folded is a text as a Bag counts it, made beforehand, and anywhere: what is left to do for
// the sketches is a half. It takes 10 bytes a different word. Fold uses it again. The zero value
// is empty.
type Folded struct {
	key    uint64
	parts  []foldedPart
	mixed  []uint64
	counts []uint16
}

// foldedPart says how much of a text one filling took in.
type foldedPart struct{ n, length int }

// Bytes returns the memory that f holds.
func (f *Folded) Bytes() int {
	return 8*cap(f.mixed) + 2*cap(f.counts) + 16*cap(f.parts)
}

// Different returns how many different words f has; one that is rare may be counted twice.
func (f *Folded) Different() int { return len(f.mixed) }

// Fold folds a text for sketches of a seed.
func (b *Bag) Fold(hashes []uint64, seed uint64, f *Folded) {
	f.key, f.parts, f.mixed, f.counts = keyOf(seed), f.parts[:0], f.mixed[:0], f.counts[:0]
	for len(hashes) > 0 {
		hashes = b.fill(hashes)
		b.mix(f.key)
		f.parts = append(f.parts, foldedPart{b.n, b.length})
		f.mixed = append(f.mixed, b.mixed[:b.n]...)
		f.counts = append(f.counts, b.counts[:b.n]...)
	}
}

// AddFolded counts a text in several sketches of the seed that it was folded for, as AddAll
// would.
func (b *Bag) AddFolded(f *Folded, to ...*Words) {
	for _, w := range to {
		if w.surprise.key != f.key {
			panic("stats: a text folded for sketches of another seed")
		}
	}
	mixed, counts := f.mixed, f.counts
	for _, p := range f.parts {
		b.n, b.length = p.n, p.length
		mixed = mixed[copy(b.mixed[:p.n], mixed):]
		counts = counts[copy(b.counts[:p.n], counts):]
		b.mixed[noPlace], b.counts[noPlace] = 0, 0
		for _, w := range to {
			w.tail.addMixed(w.surprise.addBag(b))
		}
	}
}

// fill puts the beginning of a text into an emptied bag and returns what is left of
// it. A slot holds one word and gives it up for the next, so a word that comes again
// after that is in the bag twice: that is rare, and costs less than to search on.
// No branch depends on a word. The hashes have no key: whoever makes them share
// slots fills the bag sooner, and makes it as slow as a text of different words.
func (b *Bag) fill(hashes []uint64) (left []uint64) {
	text := hashes[:min(len(hashes), bagText)]
	clear(b.slots[:]) // all of them to the first word
	clear(b.counts[:])
	b.words[0] = text[0]
	n, i := 1, 0
	for ; i < len(text) && n < noPlace; i++ {
		h := text[i]
		slot := &b.slots[h>>20&(bagSlots-1)]
		at, other := int(*slot), 0
		if b.words[at&(bagSize-1)] != h {
			other = 1
		}
		at += (n - at) & -other // n for a word that is not here
		b.words[n&(bagSize-1)] = h
		n += other
		*slot = uint16(at)
		b.counts[at&(bagSize-1)]++
	}
	b.n, b.length = n, i
	return hashes[i:]
}

// mix mixes the words.
func (b *Bag) mix(key uint64) {
	mixed := b.mixed[:b.n]
	for i, h := range b.words[:b.n] {
		mixed[i] = mix(h, key)
	}
	b.mixed[noPlace] = 0
}

// allPlaces puts all words into rest.
func (b *Bag) allPlaces() int {
	for i := range b.rest[:b.n] {
		b.rest[i] = uint16(i)
	}
	return b.n
}
