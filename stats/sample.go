package stats

import (
	"math"
	"unsafe"

	"crawler/internal/splitmix"
)

// Limits of a Sample.
const (
	MinSample     = 16
	MaxSample     = 1 << 24
	DefaultSample = 1 << 16
)

// Sample keeps some of the keys of a stream with the number of times each one
// occurred. Whether a key is in depends on its hash alone, so a key is in with
// all its occurrences or with none. A figure measured over the keys of the
// sample, such as the share that occurs once, then estimates that of all keys. In
// a sample of positions it does not: of the keys that occur twice, a tenth of the
// positions shows 18 % exactly once.
//
// Hashes fall into 65,536 buckets, of which the lowest are accepted. While the
// sample has more keys than its limit, it drops the highest accepted bucket that
// has keys, and the empty ones above it. When one bucket is left it is cut into
// 65,536 finer ones, and so on down to one hash a bucket; so the limit is always
// kept.
//
// A key that is in the sample was never out of it, so its count is complete. The
// sample depends on the set of keys, the limit, the first share and the seed
// alone: two machines keep the same of the keys they share, and Merge yields the
// sample of both streams together. The number of keys over the accepted share is
// an unbiased estimate of the number of all keys: going down from the full range,
// that quotient is a martingale, and to give up buckets is a stopping rule.
//
// Cost of Add: 3 to 4 ns for a key that is not accepted; a search in a table, 7 ns,
// for one that is in; O(log limit) for one that enters. Memory: 40 to 55 bytes a
// key. Only growth allocates. There may be 2^62 occurrences. A Sample is not safe
// for concurrent use.
type Sample struct {
	key    uint64
	limit  int
	last   uint64 // the largest mixed hash accepted
	n      uint64 // occurrences added, of all keys
	keys   []sampled
	counts table // by place
}

// sampled is a key of the sample. Together they are a heap with the largest
// mixed hash first, which is the next to go.
type sampled struct{ mixed, hash uint64 }

// place returns what the table knows a mixed hash by. Accepted ones are small
// numbers, so their lower bits must choose the slot. The factor is odd: different
// hashes stay different, and none becomes 0.
func place(mixed uint64) uint64 { return mixed * splitmix.Golden }

// NewSample returns an empty sample of at most limit keys, which is brought into
// the range from MinSample to MaxSample; limit <= 0 means DefaultSample. It
// accepts the given share of the keys to begin with, rounded to whole buckets and
// at least one; a share that is not between 0 and 1 means all. Samples to be
// merged need the same seed.
func NewSample(limit int, share float64, seed uint64) *Sample {
	if limit <= 0 {
		limit = DefaultSample
	}
	s := &Sample{
		key:    keyOf(seed),
		limit:  min(max(limit, MinSample), MaxSample),
		last:   math.MaxUint64,
		counts: newTable(minSlots),
	}
	if share >= 0 && share < 1 {
		if n := uint64(max(1, math.Round(share*(1<<16)))); n < 1<<16 {
			s.last = n<<48 - 1
		}
	}
	return s
}

// Add counts an occurrence of the key with hash h.
func (s *Sample) Add(h uint64) {
	s.n++
	if v := mix(h, s.key); v <= s.last {
		s.count(v, h, 1)
	}
}

// AddAll counts the keys of a page.
func (s *Sample) AddAll(hashes []uint64) {
	for _, h := range hashes {
		s.Add(h)
	}
}

// count adds to the count of a key that is accepted.
func (s *Sample) count(v, h, count uint64) {
	p := place(v)
	if s.counts.hinted(p) != 0 {
		if i, found := find(s.counts.keys, p); found {
			s.counts.counts[i] += count
			return
		}
	}
	s.counts.put(p, count)
	s.push(sampled{v, h})
	for len(s.keys) > s.limit {
		s.narrow(bucketOf(s.keys[0].mixed) - 1)
	}
}

// bucketOf returns the lowest hash of the bucket of v, which is at least 1: one
// of 2^16 in all, but within the first of them one of 2^16 finer ones, and so on.
func bucketOf(v uint64) uint64 {
	for shift := 48; ; shift -= 16 {
		if start := v >> shift << shift; start > 0 {
			return start
		}
	}
}

// narrow accepts no mixed hash above last from now on.
func (s *Sample) narrow(last uint64) {
	s.last = last
	for len(s.keys) > 0 && s.keys[0].mixed > last {
		s.counts.remove(place(s.pop()))
	}
}

// push adds a key to the heap.
func (s *Sample) push(k sampled) {
	s.keys = append(s.keys, k)
	i := len(s.keys) - 1
	for i > 0 && s.keys[(i-1)/2].mixed < k.mixed {
		s.keys[i] = s.keys[(i-1)/2]
		i = (i - 1) / 2
	}
	s.keys[i] = k
}

// pop takes the key with the largest mixed hash out of the heap.
func (s *Sample) pop() (mixed uint64) {
	mixed = s.keys[0].mixed
	n := len(s.keys) - 1
	k := s.keys[n]
	s.keys = s.keys[:n]
	i := 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && s.keys[child+1].mixed > s.keys[child].mixed {
			child++
		}
		if s.keys[child].mixed <= k.mixed {
			break
		}
		s.keys[i] = s.keys[child]
		i = child
	}
	if n > 0 {
		s.keys[i] = k
	}
	return mixed
}

// Accepts reports whether the key with hash h is in the sample or would enter it if added
// (and leave it at once if it made the sample too large). A caller who keeps values with
// the keys asks before storing one, and again when it uses them: values whose key is no
// longer accepted must be dropped.
func (s *Sample) Accepts(h uint64) bool { return mix(h, s.key) <= s.last }

// Share returns the share of all keys that is accepted now.
func (s *Sample) Share() float64 {
	if s.last == math.MaxUint64 {
		return 1
	}
	return math.Ldexp(float64(s.last+1), -64)
}

// Len returns how many keys are in the sample.
func (s *Sample) Len() int { return len(s.keys) }

// Limit returns how many keys may be in the sample.
func (s *Sample) Limit() int { return s.limit }

// N returns the number of occurrences added, of keys in the sample or not.
func (s *Sample) N() uint64 { return s.n }

// All yields the keys of the sample with their counts, in no particular order.
func (s *Sample) All(yield func(key, count uint64) bool) {
	for _, k := range s.keys {
		if !yield(k.hash, s.counts.count(place(k.mixed))) {
			return
		}
	}
}

// Unique returns the share of the keys that occurred once: of the stream's, as
// estimated by the sample's. The interval is Wilson's (Probable inference, the
// law of succession, and statistical inference, 1927), for a sample that is drawn
// without replacement. It takes a few nanoseconds a key.
func (s *Sample) Unique() Interval {
	if len(s.keys) == 0 {
		return Interval{0, 0, 1}
	}
	once := 0
	for _, count := range s.All {
		if count == 1 {
			once++
		}
	}
	k := float64(len(s.keys))
	p := float64(once) / k
	z := z95 * z95 * s.correction() / k
	middle := (p + z/2) / (1 + z)
	half := math.Sqrt(z*p*(1-p)+z*z/4) / (1 + z)
	return Interval{p, min(p, middle-half), max(p, middle+half)}.within(0, 1)
}

// correction is the finite population correction, the share of the variance that is left
// when a sample was drawn without replacement: 0 where it has all keys.
func (s *Sample) correction() float64 { return 1 - s.Share() }

// Distinct returns the number of different keys in the stream: those of the
// sample over the accepted share. The relative standard error is 1/√Len, so
// Distinct at a hundredth of the memory knows it better; here it comes for
// nothing. The interval is the score interval of a Poisson variate.
func (s *Sample) Distinct() Interval {
	return CountOf(len(s.keys), s.Share())
}

// Total returns the number of occurrences as the sample alone would estimate it:
// the counts over the accepted share (Horvitz and Thompson, A generalization of
// sampling without replacement from a finite universe, 1952). The truth
// is N: the interval shows how well the sample represents the whole stream in
// whatever is summed over occurrences. A sample cannot know of the keys that it lacks, and where
// few keys make up much of the stream the usual interval holds N far too seldom: on text and
// lists of words for 0 to 95 of 100 seeds. So where it does not hold N it is stretched to it, and
// with such a sample a sum over occurrences is off by as much, or more.
func (s *Sample) Total() Interval {
	var sum, squares float64
	for _, count := range s.All {
		sum += float64(count)
		squares += float64(count) * float64(count)
	}
	half := z95 * math.Sqrt(squares*s.correction())
	i, n := Interval{sum, sum - half, sum + half}.over(s.Share(), sum), float64(s.n)
	return Interval{i.Estimate, min(i.Low, n), max(i.High, n)}
}

// over divides an interval for the accepted keys by their share of all keys. What was
// sampled is certain, and the least there can be.
func (i Interval) over(share, sampled float64) Interval {
	return Interval{i.Estimate / share, i.Low / share, i.High / share}.within(sampled, math.Inf(1))
}

// Merge makes s the sample of both streams: the smaller of the accepted shares,
// and of the keys in both samples the sum of the counts. The limit stays that of s.
// The samples need the same seed, otherwise Merge returns ErrMerge and changes nothing.
// It is the sample one machine would have kept if the limits and first shares are
// the same too.
func (s *Sample) Merge(o *Sample) error {
	if s.key != o.key {
		return ErrMerge
	}
	s.n += o.n
	if o.last < s.last {
		s.narrow(o.last)
	}
	for i := 0; i < len(o.keys); i++ {
		if k := o.keys[i]; k.mixed <= s.last {
			s.count(k.mixed, k.hash, o.counts.count(place(k.mixed)))
		}
	}
	return nil
}

// Bytes returns the memory the sample holds.
func (s *Sample) Bytes() int {
	return int(unsafe.Sizeof(*s)) + int(unsafe.Sizeof(sampled{}))*cap(s.keys) + s.counts.bytes()
}
