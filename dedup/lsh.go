package dedup

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"crawler/internal/splitmix"
)

// ErrFull is in the chain of the error of an index that takes no more
// documents.
var ErrFull = errors.New("dedup: the index is full")

// Limits and defaults of an LSHConfig.
const (
	DefaultBucketLimit = 64
	MaxBucketLimit     = math.MaxUint16

	// DefaultThreshold is the resemblance from which pages count as
	// near-duplicates, and DefaultRecall the share of the pairs of just that
	// resemblance that an LSH is made to find.
	DefaultThreshold = 0.8
	DefaultRecall    = 0.98

	minBandBits  = 16 // a band of fewer bits would have too few buckets
	maxDocuments = 1<<31 - 1
)

// LSHConfig says how an LSH looks for similar signatures. The zero value finds
// 98.5 % of the pairs of resemblance 0.8, and nearly all above 0.85.
type LSHConfig struct {
	MinHash MinHashConfig // of the signatures

	// Bands is into how many parts a signature is cut, and Rows how many slots
	// a part has. Both 0 means what BandsFor chooses for DefaultThreshold and
	// DefaultRecall: 18 bands of 7 for 128 slots, 28 of 9 for 256. Together
	// they must not need more slots than there are; a band must have 16 bits.
	Bands, Rows int

	// BucketLimit is how many documents a bucket takes, 1 to 65,535; 0 for
	// DefaultBucketLimit. See LSH for what that loses.
	BucketLimit int
}

// WithDefaults fills in what is zero and checks what is not.
func (c LSHConfig) WithDefaults() (LSHConfig, error) {
	var err error
	if c.MinHash, err = c.MinHash.withDefaults(); err != nil {
		return c, err
	}
	if c.Bands == 0 && c.Rows == 0 {
		c.Bands, c.Rows = BandsFor(c.MinHash, DefaultThreshold, DefaultRecall)
	}
	c.BucketLimit = or(c.BucketLimit, DefaultBucketLimit)
	switch {
	case c.Rows < 1 || c.Rows*c.MinHash.Bits < minBandBits || c.Rows > c.MinHash.Slots:
		return c, fmt.Errorf("dedup: LSHConfig.Rows is %d, want at least %d bits and at most %d slots",
			c.Rows, minBandBits, c.MinHash.Slots)
	case c.Bands < 1 || c.Bands > c.MinHash.Slots/c.Rows:
		return c, fmt.Errorf("dedup: LSHConfig.Bands is %d, want 1 to %d with %d rows of %d slots",
			c.Bands, c.MinHash.Slots/c.Rows, c.Rows, c.MinHash.Slots)
	case c.BucketLimit < 1 || c.BucketLimit > MaxBucketLimit:
		return c, fmt.Errorf("dedup: LSHConfig.BucketLimit is %d, want 1 to %d, or 0 for %d",
			c.BucketLimit, MaxBucketLimit, DefaultBucketLimit)
	}
	return c, nil
}

// CandidateRate returns the probability that two signatures agree in at least
// one of the bands, if they agree in a slot with probability p: with r rows a
// band,
//
//	1 - (1 - p^r)^bands,
//
// an S-shaped curve that is steepest near (1/bands)^(1/r) (Leskovec, Rajaraman
// and Ullman, "Mining of Massive Datasets", section 3.4.2). For b-bit
// signatures p is MinHashConfig.Chance(J), a little above J.
func CandidateRate(p float64, bands, rows int) float64 {
	return -math.Expm1(float64(bands) * math.Log1p(-math.Pow(p, float64(rows))))
}

// BandsFor returns how to cut a signature so that pairs of the given
// resemblance become candidates at least at the given rate: the bands with the
// most rows that do it, which have the fewest false candidates. If none does,
// it returns the shortest bands allowed. What is zero in cfg is the default.
func BandsFor(cfg MinHashConfig, resemblance, recall float64) (bands, rows int) {
	cfg = cfg.filled()
	least := max(minBandBits/cfg.Bits, 1)
	for rows = cfg.Slots; rows > least; rows-- {
		if bands = cfg.Slots / rows; CandidateRate(cfg.Chance(resemblance), bands, rows) >= recall {
			return bands, rows
		}
	}
	return cfg.Slots / rows, rows
}

// LSH finds the signatures that are probably similar to a given one, by
// locality-sensitive hashing (Indyk and Motwani 1998; banding after Leskovec,
// Rajaraman and Ullman). A signature is cut into bands, and those that are
// equal in a band share a bucket: CandidateRate says how probable that is. The
// signatures are kept, so that Similar can weed out by their estimate.
//
// Memory: 17 to 22 bytes for each band of a document, its signature, and 4 bytes
// for its id: 430 to 550 bytes with the defaults, and at times half as much again
// while something grows. Add and Similar cost about 2 µs among 100,000
// documents, mostly cache misses, one or two a band. Only growth allocates.
//
// A bucket takes BucketLimit documents. Those beyond it cannot be found through
// that band; the first ones can. So a million copies of a page do not make a
// million comparisons of each: a further copy finds the first 64, which is
// enough to know it for a copy, but not all it resembles. At most 2^31 - 1
// documents fit in.
//
// Bands are compared by 32 bits of a hash, so among ten million documents about one
// candidate shares no band. That hash has no key: the costs hold because nobody can choose
// signatures without MinHashConfig.Seed. Where pages come from strangers the seed must be a
// secret, and signatures made elsewhere must be trusted: an index of crafted ones is slow.
// An LSH belongs to one goroutine.
type LSH struct {
	cfg   LSHConfig
	bands []band
	ids   []uint32 // by document
	lanes []uint64 // of the signatures, one document's after another's
	next  []uint32 // by document and band: the document before in the bucket, + 1
	depth []uint16 // likewise: how many are in the bucket from there on; 0 if it was full
	found []uint32 // scratch: documents
}

// Match is a document and how much it probably resembles what was asked for.
type Match struct {
	ID         uint32
	Similarity float64 // as Signature.Similarity
}

// NewLSH returns an empty index.
func NewLSH(cfg LSHConfig) (*LSH, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	return &LSH{cfg: cfg, bands: make([]band, cfg.Bands)}, nil
}

// Config returns the configuration, defaults filled in.
func (l *LSH) Config() LSHConfig { return l.cfg }

// Len returns how many documents were added.
func (l *LSH) Len() int { return len(l.ids) }

// Bytes returns how much memory the index takes.
func (l *LSH) Bytes() int64 {
	n := cap(l.ids)*4 + cap(l.lanes)*8 + cap(l.next)*4 + cap(l.depth)*2 + cap(l.found)*4
	for i := range l.bands {
		n += cap(l.bands[i].slots) * 8
	}
	return int64(n)
}

// check returns an error unless s can be compared with what is in l.
func (l *LSH) check(s Signature) error {
	if s.cfg != l.cfg.MinHash {
		return fmt.Errorf("%w: a signature of %+v and an index of %+v", ErrMismatch, s.cfg, l.cfg.MinHash)
	}
	return nil
}

// Add adds a document. A page without words resembles none and is left out; an
// id may be added with several signatures. The error wraps ErrMismatch if s is
// of another configuration, and ErrFull if there are too many documents; then
// nothing was added.
func (l *LSH) Add(id uint32, s Signature) error {
	if err := l.check(s); err != nil {
		return err
	}
	if len(l.ids) >= maxDocuments {
		return fmt.Errorf("%w: %d documents", ErrFull, len(l.ids))
	}
	if !s.empty {
		l.add(id, s.lanes)
	}
	return nil
}

func (l *LSH) add(id uint32, lanes []uint64) {
	l.ids = append(l.ids, id)
	l.lanes = append(l.lanes, lanes...)
	l.link(uint32(len(l.ids)), lanes)
}

// link puts a document, given by its number + 1, into its buckets.
func (l *LSH) link(doc uint32, lanes []uint64) {
	for i := range l.bands {
		slot := l.bands[i].place(l.cfg.Tag(lanes, i))
		before, depth := slot.last, uint16(0)
		if before != 0 {
			depth = l.depth[int(before-1)*l.cfg.Bands+i]
		}
		if int(depth) < l.cfg.BucketLimit {
			slot.last = doc
			l.next, l.depth = append(l.next, before), append(l.depth, depth+1)
		} else {
			l.next, l.depth = append(l.next, 0), append(l.depth, 0)
		}
	}
}

// Tag hashes the slots of a band of a signature: equal bands have equal tags. What is zero in
// c is not filled in.
func (c LSHConfig) Tag(lanes []uint64, band int) uint32 {
	width := c.Rows * c.MinHash.Bits
	h, at := uint64(splitmix.Golden), band*width
	for end := at + width; at < end; at += 64 {
		h = fold(h^bitsAt(lanes, at, min(64, end-at)), mulFirst)
	}
	return uint32(h >> 32)
}

// bitsAt returns the n bits from the given one on, 1 to 64 of them.
func bitsAt(words []uint64, at, n int) uint64 {
	i, off := at/64, at%64
	w := words[i] >> off
	if off+n > 64 {
		w |= words[i+1] << (64 - off)
	}
	return w << (64 - n) >> (64 - n)
}

// collect lists the documents that share a bucket with a signature, each once.
func (l *LSH) collect(lanes []uint64) []uint32 {
	l.found = l.found[:0]
	for i := range l.bands {
		for last := l.bands[i].last(l.cfg.Tag(lanes, i)); last != 0; {
			l.found = append(l.found, last-1)
			last = l.next[int(last-1)*l.cfg.Bands+i]
		}
	}
	slices.Sort(l.found)
	l.found = slices.Compact(l.found)
	return l.found
}

// Candidates appends the ids of the documents that share a bucket with s,
// ascending and each once: at most Bands*BucketLimit. The error is that of
// Similar.
func (l *LSH) Candidates(dst []uint32, s Signature) ([]uint32, error) {
	if err := l.check(s); err != nil || s.empty {
		return dst, err
	}
	n := len(dst)
	for _, doc := range l.collect(s.lanes) {
		dst = append(dst, l.ids[doc])
	}
	slices.Sort(dst[n:])
	return dst[:n+len(slices.Compact(dst[n:]))], nil
}

// Similar appends the candidates whose estimated resemblance to s is at least
// the threshold, the most similar first, in the order they were added among
// equals. An id that was added several times may be there as often. The error
// wraps ErrMismatch if s is of another configuration.
func (l *LSH) Similar(dst []Match, s Signature, threshold float64) ([]Match, error) {
	if err := l.check(s); err != nil || s.empty {
		return dst, err
	}
	n, size := len(dst), l.cfg.MinHash.lanes()
	for _, doc := range l.collect(s.lanes) {
		at := int(doc) * size
		if j := l.cfg.MinHash.estimate(s.lanes, l.lanes[at:at+size]); j >= threshold {
			dst = append(dst, Match{l.ids[doc], j})
		}
	}
	slices.SortStableFunc(dst[n:], func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return dst, nil
}

// Merge adds all that o holds, as if it had been added to l one by one. The
// error wraps ErrMismatch if the configurations differ, ErrFull if both together
// are too many; then nothing was added.
func (l *LSH) Merge(o *LSH) error {
	if l.cfg != o.cfg {
		return fmt.Errorf("%w: indexes of %+v and %+v", ErrMismatch, l.cfg, o.cfg)
	}
	if len(l.ids)+len(o.ids) > maxDocuments {
		return fmt.Errorf("%w: %d documents and %d more", ErrFull, len(l.ids), len(o.ids))
	}
	ids, lanes, size := o.ids, o.lanes, l.cfg.MinHash.lanes()
	for i, id := range ids { // as they were at the beginning, should o be l
		l.add(id, lanes[i*size:(i+1)*size])
	}
	return nil
}
