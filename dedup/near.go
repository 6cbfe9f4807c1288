package dedup

import (
	"cmp"
	"fmt"
	"slices"
)

// maxConfirm is how many candidates of a page are confirmed exactly at most.
const maxConfirm = 32

// Verdict says what a page's text is.
type Verdict uint8

// The verdicts.
const (
	NewText  Verdict = iota // like no earlier page's
	NearText                // a near-duplicate of an earlier page's
	SameText                // word for word an earlier page's
)

// String returns "new", "near" or "same".
func (v Verdict) String() string {
	switch v {
	case NewText:
		return "new"
	case NearText:
		return "near"
	case SameText:
		return "same"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// Finding is what Duplicates says about a page.
type Finding struct {
	Verdict Verdict
	Of      uint32 // the earlier page, the first with that text or the most similar; 0 for NewText
	// Similarity is the resemblance to it: 1 for SameText, estimated or exact
	// for NearText. For NewText it is 0.
	Similarity float64
}

// DuplicatesConfig configures Duplicates. The zero value is a good one.
type DuplicatesConfig struct {
	MinHash MinHashConfig // of the signatures

	// Threshold is the resemblance from which a page is a near-duplicate: above
	// 0 and at most 1; 0 for DefaultThreshold. Signatures are cut into bands as
	// BandsFor says for it and DefaultRecall.
	Threshold float64

	// BucketLimit is that of the LSH.
	BucketLimit int

	// LeadersOnly keeps near-duplicates out of the index. Then memory goes with
	// the number of different texts, and a page is compared with those only;
	// one that resembles a near-duplicate but not its original is new.
	LeadersOnly bool

	// Shingles, if not nil, makes near-duplicates certain. It returns the set of
	// shingles of an earlier page, sorted as by SortSet, of MinHash.Shingle
	// words; it is called for the pages whose estimate is at most three standard
	// errors below the threshold, the most similar 32 of them at most, and its
	// result is used until the next call only. Without it the estimate decides,
	// which is wrong about pairs near the threshold: of the pages of a large
	// manual made by one program that it called near-duplicates, 10 % were below
	// the threshold with 128 slots, 6 % with 256.
	Shingles func(id uint32) []uint64
}

// Duplicates says of every page of a crawl whether an earlier one had its text: exactly, by
// Digest; or nearly, by MinHash signatures in an LSH. Its memory is that of the LSH and
// about 50 bytes for each different text.
//
// Without DuplicatesConfig.Shingles an estimate decides. Then about 10 % of the pages
// it calls near-duplicates may resemble the earlier page less than the threshold
// asks (6 % with 256 slots), where many pairs are near it.
//
// Add takes 6 µs for a page of 1,000 words among 100,000, and what Shingles
// takes. Two Duplicates cannot be merged, since each Finding depended on the pages before
// it; their pages can be added to a third. A Duplicates belongs to one goroutine.
type Duplicates struct {
	cfg     DuplicatesConfig
	index   *LSH
	hash    *MinHash
	texts   map[[16]byte]uint32 // the first page with that digest
	sig     Signature           // scratch, as all that follows
	matches []Match
	set     []uint64
}

// NewDuplicates returns a Duplicates that knows no page.
func NewDuplicates(cfg DuplicatesConfig) (*Duplicates, error) {
	cfg.Threshold = or(cfg.Threshold, DefaultThreshold)
	if !(cfg.Threshold > 0 && cfg.Threshold <= 1) { // so written, it refuses NaN
		return nil, fmt.Errorf("dedup: DuplicatesConfig.Threshold is %v, want above 0 and at most 1, or 0 for %v",
			cfg.Threshold, DefaultThreshold)
	}
	hash, err := NewMinHash(cfg.MinHash)
	if err != nil {
		return nil, err
	}
	cfg.MinHash = hash.Config()
	index, err := NewLSH(cfg.lsh())
	if err != nil {
		return nil, err
	}
	cfg.BucketLimit = index.Config().BucketLimit
	return &Duplicates{cfg: cfg, index: index, hash: hash, texts: map[[16]byte]uint32{}}, nil
}

// lsh returns the configuration of the index.
func (c DuplicatesConfig) lsh() LSHConfig {
	bands, rows := BandsFor(c.MinHash, c.Threshold, DefaultRecall)
	return LSHConfig{MinHash: c.MinHash, Bands: bands, Rows: rows, BucketLimit: c.BucketLimit}
}

// Config returns the configuration, defaults filled in.
func (d *Duplicates) Config() DuplicatesConfig { return d.cfg }

// Texts returns how many different texts there were.
func (d *Duplicates) Texts() int { return len(d.texts) }

// Add takes in a page, given by the hashes of its words in order, and says how
// its text relates to those of the pages before. Pages without words are copies
// of the first of them. The error wraps ErrFull if the index takes no more; then
// the page is as if it had not been added.
func (d *Duplicates) Add(id uint32, words []uint64) (Finding, error) {
	digest := Digest(words)
	if first, ok := d.texts[digest]; ok {
		return Finding{SameText, first, 1}, nil
	}
	d.sig = d.hash.SketchWords(d.sig, words)
	found, err := d.nearest(words)
	if err != nil {
		return Finding{}, err
	}
	if found.Verdict == NewText || !d.cfg.LeadersOnly {
		if err := d.index.Add(id, d.sig); err != nil {
			return Finding{}, err
		}
	}
	d.texts[digest] = id
	return found, nil
}

// nearest looks for the page that resembles d.sig, the signature of words, most.
func (d *Duplicates) nearest(words []uint64) (Finding, error) {
	least := d.cfg.Threshold
	if d.cfg.Shingles != nil {
		least -= 3 * d.cfg.MinHash.StandardError(least)
	}
	var err error
	d.matches, err = d.index.Similar(d.matches[:0], d.sig, least)
	if err != nil || len(d.matches) == 0 {
		return Finding{}, err
	}
	if d.cfg.Shingles != nil {
		d.confirm(words)
	}
	best := slices.MaxFunc(d.matches, func(a, b Match) int { return cmp.Compare(a.Similarity, b.Similarity) })
	if best.Similarity < d.cfg.Threshold {
		return Finding{}, nil
	}
	return Finding{NearText, best.ID, best.Similarity}, nil
}

// confirm replaces the estimates by the exact resemblances.
func (d *Duplicates) confirm(words []uint64) {
	d.set = SortSet(Shingles(d.set[:0], words, d.cfg.MinHash.Shingle))
	d.matches = d.matches[:min(len(d.matches), maxConfirm)]
	for i := range d.matches {
		d.matches[i].Similarity = Jaccard(d.set, d.cfg.Shingles(d.matches[i].ID))
	}
}
