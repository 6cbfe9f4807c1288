package stats

import (
	"cmp"
	"slices"
	"unsafe"

	"crawler/internal/splitmix"
)

// Limits of a HeavyHitters.
const (
	MinHeavy     = 2
	MaxHeavy     = 1 << 20
	DefaultHeavy = 1024
)

// HeavyHitters finds the words that make up much of a stream, with bounds for
// their counts: Space-Saving (Metwally, Agrawal and El Abbadi, Efficient
// computation of frequent and top-k elements in data streams, 2005, section 3).
// It has k counters. A word without one takes over the smallest, whose count it
// continues from and notes as its possible error. After n words
//
//	Count - Error <= truth <= Count,  Error <= n/k
//
// so every word that occurred more than n/k times has a counter, whatever the
// order of the stream.
//
// The counters stand in descending order of their counts, those of equal counts
// in a group. One that is raised changes places with the first of its group and
// then belongs to the group before: a word costs O(1), whatever k.
//
// Cost: 25 ns a word of text with 1,024 counters, 50 ns where every word is a new
// one. Memory: 70 to 100 bytes a counter, for as many as there are different words,
// at most k. Only growth allocates. There may be 2^62 words. A HeavyHitters is not safe for
// concurrent use.
type HeavyHitters struct {
	key uint64
	k   int
	n   uint64

	counters []heavy // by number, which a counter keeps
	ranked   []int32 // numbers of counters, in descending order of their counts
	groups   []group // by number; those in spare are not in use
	spare    []int32
	slots    []heavySlot // an open hash table, at most half full
}

// heavy is a counter. Its count is that of its group.
type heavy struct {
	hash, mixed uint64
	err         uint64
	at          int32 // place in ranked
	group       int32
}

// group is a run of counters with the same count, from begin to end - 1 in ranked.
type group struct {
	count      uint64
	begin, end int32
}

// heavySlot names a word's counter by its number plus one; 0 is an empty slot.
type heavySlot struct {
	mixed   uint64
	counter int32
}

// Heavy is a word, by its hash, and what is known of its count:
// Count - Error <= truth <= Count.
type Heavy struct {
	Key   uint64 `json:"key"`
	Count uint64 `json:"count"`
	Error uint64 `json:"error"`
}

// NewHeavyHitters returns an empty sketch of k counters, at least MinHeavy and at
// most MaxHeavy; k <= 0 means DefaultHeavy. The seed keeps the table fast when
// others choose the words.
func NewHeavyHitters(k int, seed uint64) *HeavyHitters {
	if k <= 0 {
		k = DefaultHeavy
	}
	return newHeavyHitters(min(max(k, MinHeavy), MaxHeavy), keyOf(seed))
}

func newHeavyHitters(k int, key uint64) *HeavyHitters {
	return &HeavyHitters{key: key, k: k, slots: make([]heavySlot, minSlots)}
}

// Add counts a word by its 64-bit hash.
func (s *HeavyHitters) Add(h uint64) {
	s.n++
	v := splitmix.Finish(h ^ s.key)
	if c := s.slots[s.find(v)].counter; c != 0 {
		s.raise(c - 1)
	} else if len(s.counters) < s.k {
		s.enter(Heavy{Key: h, Count: 1})
	} else {
		s.replace(s.ranked[len(s.ranked)-1], h, v)
	}
}

// AddAll counts the words of a page.
func (s *HeavyHitters) AddAll(hashes []uint64) {
	for _, h := range hashes {
		s.Add(h)
	}
}

// find returns the slot of a mixed hash, or the empty one where it would go.
func (s *HeavyHitters) find(v uint64) int {
	i := home(v, len(s.slots))
	for s.slots[i].mixed != v && s.slots[i].counter != 0 {
		i = (i + 1) & (len(s.slots) - 1)
	}
	return i
}

// enter gives a word a new counter. No other may have a smaller count.
func (s *HeavyHitters) enter(w Heavy) {
	n := int32(len(s.counters))
	g := int32(-1)
	if n > 0 {
		g = s.counters[s.ranked[n-1]].group
	}
	if g < 0 || s.groups[g].count != w.Count {
		g = s.newGroup(group{w.Count, n, n})
	}
	s.groups[g].end++
	v := splitmix.Finish(w.Key ^ s.key)
	s.counters = append(s.counters, heavy{w.Key, v, w.Error, n, g})
	s.ranked = append(s.ranked, n)
	if 2*len(s.counters) > len(s.slots) {
		s.grow()
	}
	s.slots[s.find(v)] = heavySlot{v, n + 1}
}

// grow doubles the slots.
func (s *HeavyHitters) grow() {
	old := s.slots
	s.slots = make([]heavySlot, 2*len(old))
	for _, e := range old {
		if e.counter != 0 {
			s.slots[s.find(e.mixed)] = e
		}
	}
}

// replace gives counter c, which has the smallest count, to a new word.
func (s *HeavyHitters) replace(c int32, h, v uint64) {
	s.forget(s.counters[c].mixed)
	at := &s.counters[c]
	at.hash, at.mixed, at.err = h, v, s.groups[at.group].count
	s.slots[s.find(v)] = heavySlot{v, c + 1}
	s.raise(c)
}

// forget empties the slot of a mixed hash and closes the gap, as table.remove
// does.
func (s *HeavyHitters) forget(v uint64) {
	gap, mask := s.find(v), len(s.slots)-1
	for i := (gap + 1) & mask; s.slots[i].counter != 0; i = (i + 1) & mask {
		if (i-home(s.slots[i].mixed, len(s.slots)))&mask >= (i-gap)&mask {
			s.slots[gap] = s.slots[i]
			gap = i
		}
	}
	s.slots[gap] = heavySlot{}
}

// raise adds one to counter c.
func (s *HeavyHitters) raise(c int32) {
	at := &s.counters[c]
	g := &s.groups[at.group]
	if at.at != g.begin {
		s.lead(c)
	}
	if at.at > 0 {
		before := s.counters[s.ranked[at.at-1]].group
		if s.groups[before].count == g.count+1 {
			s.groups[before].end++
			s.leave(at.group)
			at.group = before
			return
		}
	}
	if g.end-g.begin == 1 {
		g.count++
		return
	}
	count := g.count + 1
	s.leave(at.group)
	at.group = s.newGroup(group{count, at.at, at.at + 1})
}

// lead moves counter c to the first place of its group.
func (s *HeavyHitters) lead(c int32) {
	at := &s.counters[c]
	first := s.groups[at.group].begin
	other := s.ranked[first]
	s.ranked[at.at], s.ranked[first] = other, c
	s.counters[other].at = at.at
	at.at = first
}

// leave takes the first place from a group, which ends with its last one.
func (s *HeavyHitters) leave(g int32) {
	s.groups[g].begin++
	if s.groups[g].begin == s.groups[g].end {
		s.spare = append(s.spare, g)
	}
}

// newGroup returns the number of a new group.
func (s *HeavyHitters) newGroup(g group) int32 {
	n := len(s.spare)
	if n == 0 {
		s.groups = append(s.groups, g)
		return int32(len(s.groups) - 1)
	}
	i := s.spare[n-1]
	s.spare = s.spare[:n-1]
	s.groups[i] = g
	return i
}

// heavy returns what counter c knows.
func (s *HeavyHitters) heavy(c int32) Heavy {
	at := &s.counters[c]
	return Heavy{at.hash, s.groups[at.group].count, at.err}
}

// N returns the number of words added.
func (s *HeavyHitters) N() uint64 { return s.n }

// MaxError returns the most that a word without a counter can have occurred, and
// that any count can be too high: 0 while every word has a counter, then the
// smallest count, which is at most n/k.
func (s *HeavyHitters) MaxError() uint64 {
	if len(s.counters) < s.k {
		return 0
	}
	return s.heavy(s.ranked[s.k-1]).Count
}

// Count returns what is known of the word with hash h; of one without a counter,
// that it occurred MaxError times at most.
func (s *HeavyHitters) Count(h uint64) Heavy {
	if c := s.slots[s.find(splitmix.Finish(h^s.key))].counter; c != 0 {
		return s.heavy(c - 1)
	}
	return Heavy{h, s.MaxError(), s.MaxError()}
}

// Top returns the n words with the largest counts, or as many as have a counter,
// largest first; of equal counts the ones known best, then by their keys. The
// first m of them are the m most frequent words for certain if the Count - Error
// of each is at least the Count of the one that follows them. It takes
// O(k log k).
func (s *HeavyHitters) Top(n int) []Heavy {
	all := s.all()
	slices.SortFunc(all, heavier)
	return all[:min(max(n, 0), len(all))]
}

// heavier orders words by count, the largest first; of equal counts by error and
// then by key.
func heavier(a, b Heavy) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Error, b.Error), cmp.Compare(a.Key, b.Key))
}

// all returns all counters, in ranked's order.
func (s *HeavyHitters) all() []Heavy {
	all := make([]Heavy, len(s.ranked))
	for i, c := range s.ranked {
		all[i] = s.heavy(c)
	}
	return all
}

// Merge makes s the sketch of both streams (Agarwal, Cormode, Huang, Phillips, Wei
// and Yi, Mergeable summaries, 2012): a word's counts are added, the
// other's MaxError standing for a count that is missing, and the k largest stay.
// All bounds hold for both streams together, Error <= n/k too: the counts of the k
// that stay sum up to n at most. The sketches need the same k, otherwise Merge returns
// ErrMerge and changes nothing; the seeds may differ.
func (s *HeavyHitters) Merge(o *HeavyHitters) error {
	if s.k != o.k {
		return ErrMerge
	}
	merged := newHeavyHitters(s.k, s.key)
	merged.n = s.n + o.n
	for _, w := range merge(s, o) {
		if len(merged.counters) == s.k {
			break
		}
		merged.enter(w)
	}
	*s = *merged
	return nil
}

// merge returns the words of both sketches, largest counts first.
func merge(s, o *HeavyHitters) []Heavy {
	all := s.all()
	for i, w := range all {
		other := o.Count(w.Key)
		all[i] = Heavy{w.Key, w.Count + other.Count, w.Error + other.Error}
	}
	for _, w := range o.all() {
		if s.slots[s.find(splitmix.Finish(w.Key^s.key))].counter == 0 {
			all = append(all, Heavy{w.Key, w.Count + s.MaxError(), w.Error + s.MaxError()})
		}
	}
	slices.SortFunc(all, heavier)
	return all
}

// Bytes returns the memory the sketch holds.
func (s *HeavyHitters) Bytes() int {
	return int(unsafe.Sizeof(*s)) + int(unsafe.Sizeof(heavy{}))*cap(s.counters) +
		4*(cap(s.ranked)+cap(s.spare)) + int(unsafe.Sizeof(group{}))*cap(s.groups) +
		int(unsafe.Sizeof(heavySlot{}))*cap(s.slots)
}
