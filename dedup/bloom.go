package dedup

import (
	"math/bits"
	"unsafe"

	"crawler/internal/splitmix"
)

// Bloom is a split-block Bloom filter over 64-bit hashes. A key is one bit in
// each of the eight words of one 64-byte line (of two lines where the wanted
// rate is small), so a question costs one cache miss, not one for each bit.
//
// The high bits of the hash choose the line, by a multiplication and a shift;
// the bits within the line come from the hash mixed with the seed. So two
// filters with different seeds err on different keys, and yet keys that are
// added in ascending order write the memory from front to back: a filter is
// rebuilt from a sorted log six times faster than in random order.
//
// Keys must be hashes: uniformly distributed, in their high bits above all.
// Where strangers choose what is hashed, the hash should depend on a secret.
//
// Add and Has cost one cache miss (two with two lines) and allocate nothing.
// AddAll and HasAll wait for the misses of many keys at a time: for a filter
// that is much larger than the caches they take a third to a half of the time.
// A Bloom is not safe for concurrent use.
type Bloom struct {
	lines []line
	seed  uint64
	reach uint64 // how far the second line may lie behind the first; 0: one line
}

// line is one cache line. The zero line is empty.
type line [lineWords]uint64

// maxReach keeps a key's second line within the page of its first one: one TLB
// entry serves both, and a rebuild in sorted order stays sequential.
const maxReach = 64

// sampledLines limits the work of ExpectedRate; the sample's relative standard
// error is below one percent.
const sampledLines = 1 << 16

// NewBloom returns an empty filter of the given size, which SizeFor or
// SizeWithin computes.
func NewBloom(size Size, seed uint64) *Bloom {
	b := &Bloom{}
	b.reset(size, seed)
	return b
}

// reset makes b an empty filter, in the memory it has when that is of the right
// size.
func (b *Bloom) reset(size Size, seed uint64) {
	size = sizeOf(size.Bits, min(max(size.Lines, 1), 2))
	n := int(size.Bits / lineBits)
	lines := b.lines
	*b = Bloom{seed: seed}
	if len(lines) == n {
		clear(lines)
		b.lines = lines
	} else {
		lines = nil // so that old and new need not be in memory together
		b.lines = newLines[line](n)
	}
	if size.Lines == 2 {
		b.reach = uint64(min(maxReach, n-1))
	}
}

// newLines returns n empty lines, each of which is a cache line: a line that
// lay across two would cost two misses. The allocator promises less.
func newLines[L line | counterLine](n int) []L {
	const size = int(unsafe.Sizeof(line{}))
	words := make([]uint64, (n+1)*size/8-1)
	skip := -uintptr(unsafe.Pointer(&words[0])) % uintptr(size) / 8
	return unsafe.Slice((*L)(unsafe.Pointer(&words[skip])), n)
}

// Add adds the key with hash h and reports whether that changed the filter. If
// it did, the key was certainly new; if not, it is one that Has calls "maybe".
func (b *Bloom) Add(h uint64) bool {
	m := fold(h^b.seed, mulFirst)
	i := b.first(h)
	if b.reach != 0 {
		return b.addTwo(i, m) != 0
	}
	// This is addTo. To call it would cost a fifth of the time for a filter larger
	// than the caches: the processor then runs ahead to fewer keys.
	l := &b.lines[i]
	w, set := l[0], uint64(0)
	n0 := w | 1<<(m&63)
	set |= n0 ^ w
	l[0] = n0
	w = l[1]
	n1 := w | 1<<(m>>6&63)
	set |= n1 ^ w
	l[1] = n1
	w = l[2]
	n2 := w | 1<<(m>>12&63)
	set |= n2 ^ w
	l[2] = n2
	w = l[3]
	n3 := w | 1<<(m>>18&63)
	set |= n3 ^ w
	l[3] = n3
	w = l[4]
	n4 := w | 1<<(m>>24&63)
	set |= n4 ^ w
	l[4] = n4
	w = l[5]
	n5 := w | 1<<(m>>30&63)
	set |= n5 ^ w
	l[5] = n5
	w = l[6]
	n6 := w | 1<<(m>>36&63)
	set |= n6 ^ w
	l[6] = n6
	w = l[7]
	n7 := w | 1<<(m>>42&63)
	set |= n7 ^ w
	l[7] = n7
	return set != 0
}

// addTo sets the bits that m chooses in line i, six of its bits for each word,
// and returns 0 if all of them were set before. It reads and writes each word
// once and has no branch to mispredict.
func (b *Bloom) addTo(i, m uint64) uint64 {
	l := &b.lines[i]
	w, set := l[0], uint64(0)
	n0 := w | 1<<(m&63)
	set |= n0 ^ w
	l[0] = n0
	w = l[1]
	n1 := w | 1<<(m>>6&63)
	set |= n1 ^ w
	l[1] = n1
	w = l[2]
	n2 := w | 1<<(m>>12&63)
	set |= n2 ^ w
	l[2] = n2
	w = l[3]
	n3 := w | 1<<(m>>18&63)
	set |= n3 ^ w
	l[3] = n3
	w = l[4]
	n4 := w | 1<<(m>>24&63)
	set |= n4 ^ w
	l[4] = n4
	w = l[5]
	n5 := w | 1<<(m>>30&63)
	set |= n5 ^ w
	l[5] = n5
	w = l[6]
	n6 := w | 1<<(m>>36&63)
	set |= n6 ^ w
	l[6] = n6
	w = l[7]
	n7 := w | 1<<(m>>42&63)
	set |= n7 ^ w
	l[7] = n7
	return set
}

// addTwo is addTo for both lines of a key, of which i is the first.
func (b *Bloom) addTwo(i, m uint64) uint64 {
	return b.addTo(i, m) | b.addTo(b.second(i, m), fold(m, mulSecond))
}

// Has reports whether the key with hash h may have been added. False is
// certain.
//
// The first three words are tested together, for a branch on each would often
// be mispredicted, and the others one by one, for while the line is on its way
// the processor runs ahead to the lines of the next keys, the further the less
// there is to do between. The first test alone is worse for large filters, the
// second for small ones.
func (b *Bloom) Has(h uint64) bool {
	m := fold(h^b.seed, mulFirst)
	i := b.first(h)
	l := &b.lines[i]
	if l[0]>>(m&63)&(l[1]>>(m>>6&63))&(l[2]>>(m>>12&63))&1 == 0 {
		return false
	}
	return l[3]&(1<<(m>>18&63)) != 0 &&
		l[4]&(1<<(m>>24&63)) != 0 &&
		l[5]&(1<<(m>>30&63)) != 0 &&
		l[6]&(1<<(m>>36&63)) != 0 &&
		l[7]&(1<<(m>>42&63)) != 0 &&
		(b.reach == 0 || b.lines[b.second(i, m)].has(fold(m, mulSecond)))
}

// first returns the index of a key's line.
func (b *Bloom) first(h uint64) uint64 {
	i, _ := bits.Mul64(h, uint64(len(b.lines)))
	return i
}

// second returns the index of a key's second line: 1 to reach lines behind the
// first one, by the bits of m that the first line does not use.
func (b *Bloom) second(i, m uint64) uint64 {
	i += 1 + (m>>48)*b.reach>>16
	if i >= uint64(len(b.lines)) {
		i -= uint64(len(b.lines))
	}
	return i
}

// Bits returns the filter's size in bits.
func (b *Bloom) Bits() int64 { return int64(len(b.lines)) * lineBits }

// Clear removes all keys.
func (b *Bloom) Clear() {
	clear(b.lines)
}

// Fill returns the share of the bits that are set. It counts them, 16 GB a second
// or so.
func (b *Bloom) Fill() float64 { return float64(b.ones()) / float64(b.Bits()) }

// ones counts the bits that are set. Add does not, for it would take a third longer.
func (b *Bloom) ones() (n int64) {
	for i := range b.lines {
		n += ones(b.lines[i][:])
	}
	return n
}

// ExpectedRate returns the chance that a random absent key is answered with
// "maybe" now, computed from the actual fill of the lines: for a line the
// product of the shares of its words that are set, averaged over the lines.
//
// It reads the whole filter up to 4 MiB, and 65,536 evenly spread lines of a
// larger one: at most a few milliseconds.
func (b *Bloom) ExpectedRate() float64 {
	return meanOfLines(len(b.lines), func(i, sampled int) float64 {
		rate := b.lines[i].rate()
		if b.reach != 0 {
			// Each line is paired with one of those its keys' second bits may
			// be in, another one each time.
			m := uint64(sampled) * splitmix.Golden
			rate *= b.lines[b.second(uint64(i), m)].rate()
		}
		return rate
	})
}

// meanOfLines returns the mean of rate over n lines, or over evenly spread ones if
// there are at least twice sampledLines. rate also gets how many were sampled
// before.
func meanOfLines(n int, rate func(i, sampled int) float64) float64 {
	step := max(1, n/sampledLines)
	sum, count := 0.0, 0
	for i := 0; i < n; i += step {
		sum += rate(i, count)
		count++
	}
	return sum / float64(count)
}

// has reports whether the bits that m chooses, six of its bits for each word,
// are all set. It is for a line that is near: its one branch is seldom
// mispredicted, because few absent keys pass it.
func (l *line) has(m uint64) bool {
	if l[0]>>(m&63)&(l[1]>>(m>>6&63))&(l[2]>>(m>>12&63))&(l[3]>>(m>>18&63))&1 == 0 {
		return false
	}
	return l[4]>>(m>>24&63)&(l[5]>>(m>>30&63))&(l[6]>>(m>>36&63))&(l[7]>>(m>>42&63))&1 != 0
}

// rate returns the chance that eight random bits, one a word, are all set.
func (l *line) rate() float64 {
	rate := 1.0
	for _, w := range l {
		rate *= float64(bits.OnesCount64(w)) / 64
	}
	return rate
}

// ones returns how many bits of words are set.
func ones(words []uint64) (n int64) {
	for _, w := range words {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
