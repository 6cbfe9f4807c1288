package stats

// Exact counts every word in a map: the truth that sketches are compared with,
// for as long as there is memory for it. The zero value is empty and ready.
// There may be 2^62 words, all of them the same.
//
// Cost: 15 to 40 ns a word, 20 to 40 bytes a different word.
type Exact struct {
	counts map[uint64]uint64
	total  uint64
}

// Add counts a word by its 64-bit hash.
func (e *Exact) Add(h uint64) {
	if e.counts == nil {
		e.counts = make(map[uint64]uint64)
	}
	e.counts[h]++
	e.total++
}

// AddAll counts the words of a page.
func (e *Exact) AddAll(hashes []uint64) {
	for _, h := range hashes {
		e.Add(h)
	}
}

// Distinct returns the number of different words, the 0th moment.
func (e *Exact) Distinct() int { return len(e.counts) }

// Total returns the number of words, the 1st moment.
func (e *Exact) Total() uint64 { return e.total }

// Surprise returns the sum of the squared counts, the 2nd moment. It is added
// in 128 bits, and exact as long as a float64 can hold it, up to 2^53.
func (e *Exact) Surprise() float64 {
	var sum squares
	for _, count := range e.counts {
		sum.add(count)
	}
	return sum.float()
}

// Count returns how often the word with the hash h was added.
func (e *Exact) Count(h uint64) uint64 { return e.counts[h] }
