package dedup

import (
	"math/bits"
	"unsafe"
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
// A Bloom is not safe for concurrent use.
type Bloom struct {
	lines []line
	seed  uint64
	reach uint64 // how far the second line may lie behind the first; 0: one line
	ones  int64  // bits set
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
		b.lines = newLines(n)
	}
	if size.Lines == 2 {
		b.reach = uint64(min(maxReach, n-1))
	}
}

// newLines returns n empty lines, each of which is a cache line: a line that
// lay across two would cost two misses. The allocator promises less.
func newLines(n int) []line {
	words := make([]uint64, n*lineWords+lineWords-1)
	skip := -uintptr(unsafe.Pointer(&words[0])) % 64 / 8
	return unsafe.Slice((*line)(unsafe.Pointer(&words[skip])), n)
}

// Add adds the key with hash h and reports whether that changed the filter. If
// it did, the key was certainly new; if not, it is one that Has calls "maybe".
func (b *Bloom) Add(h uint64) bool {
	m := fold(h^b.seed, mulFirst)
	i := b.first(h)
	set := b.lines[i].add(m)
	if b.reach != 0 {
		set += b.lines[b.second(i, m)].add(fold(m, mulSecond))
	}
	b.ones += int64(set)
	return set != 0
}

// Has reports whether the key with hash h may have been added. False is
// certain.
func (b *Bloom) Has(h uint64) bool {
	m := fold(h^b.seed, mulFirst)
	i := b.first(h)
	has := b.lines[i].has(m)
	if b.reach != 0 && has {
		return b.lines[b.second(i, m)].has(fold(m, mulSecond))
	}
	return has
}

// addAll adds all hashes of s, in order.
func (b *Bloom) addAll(s *Set) {
	for h := range s.All {
		b.Add(h)
	}
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

// Fill returns the share of the bits that are set.
func (b *Bloom) Fill() float64 { return float64(b.ones) / float64(b.Bits()) }

// ExpectedRate returns the chance that a random absent key is answered with
// "maybe" now, computed from the actual fill of the lines: for a line the
// product of the shares of its words that are set, averaged over the lines.
//
// It reads the whole filter up to 4 MiB, and 65,536 evenly spread lines of a
// larger one: at most a few milliseconds.
func (b *Bloom) ExpectedRate() float64 {
	n := len(b.lines)
	step := max(1, n/sampledLines)
	sum, count := 0.0, 0
	for i := 0; i < n; i += step {
		rate := b.lines[i].rate()
		if b.reach != 0 {
			// Each line is paired with one of those its keys' second bits may
			// be in, another one each time.
			m := uint64(count) * golden
			rate *= b.lines[b.second(uint64(i), m)].rate()
		}
		sum += rate
		count++
	}
	return sum / float64(count)
}

// has reports whether the bits that m chooses, six of its bits for each word,
// are all set. It has no branch to mispredict.
func (l *line) has(m uint64) bool {
	return l[0]>>(m&63)&
		(l[1]>>(m>>6&63))&
		(l[2]>>(m>>12&63))&
		(l[3]>>(m>>18&63))&
		(l[4]>>(m>>24&63))&
		(l[5]>>(m>>30&63))&
		(l[6]>>(m>>36&63))&
		(l[7]>>(m>>42&63))&1 != 0
}

// add sets the bits that m chooses and returns how many were not set before.
func (l *line) add(m uint64) int {
	had := l[0]>>(m&63)&1 +
		l[1]>>(m>>6&63)&1 +
		l[2]>>(m>>12&63)&1 +
		l[3]>>(m>>18&63)&1 +
		l[4]>>(m>>24&63)&1 +
		l[5]>>(m>>30&63)&1 +
		l[6]>>(m>>36&63)&1 +
		l[7]>>(m>>42&63)&1
	l[0] |= 1 << (m & 63)
	l[1] |= 1 << (m >> 6 & 63)
	l[2] |= 1 << (m >> 12 & 63)
	l[3] |= 1 << (m >> 18 & 63)
	l[4] |= 1 << (m >> 24 & 63)
	l[5] |= 1 << (m >> 30 & 63)
	l[6] |= 1 << (m >> 36 & 63)
	l[7] |= 1 << (m >> 42 & 63)
	return lineWords - int(had)
}

// rate returns the chance that eight random bits, one a word, are all set.
func (l *line) rate() float64 {
	rate := 1.0
	for _, w := range l {
		rate *= float64(bits.OnesCount64(w)) / 64
	}
	return rate
}
