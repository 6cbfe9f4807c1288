package dedup

import (
	"bytes"
	"slices"

	"crawler/internal/binform"
)

// named is a digest and the first page that had it.
type named struct {
	digest [16]byte
	id     uint32
}

const namedSize = 16 + 4

// AppendBinary appends the binary form of d: its configuration without
// Shingles, the digests and ids of all texts, and the documents of its index.
func (d *Duplicates) AppendBinary(dst []byte) ([]byte, error) {
	if d.index == nil {
		return nil, errZero
	}
	e := begin(dst, kindDuplicates, 35+namedSize*int64(len(d.texts))+documentsSize(d.index.ids, d.index.lanes))
	putMinHash(e, d.cfg.MinHash)
	e.Float64(d.cfg.Threshold)
	e.Uint32(uint32(d.cfg.BucketLimit))
	e.Bool(d.cfg.LeadersOnly)
	texts := make([]named, 0, len(d.texts))
	for digest, id := range d.texts {
		texts = append(texts, named{digest, id})
	}
	slices.SortFunc(texts, func(a, b named) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	e.Uint64(uint64(len(texts)))
	for _, t := range texts {
		e.Raw(t.digest[:])
		e.Uint32(t.id)
	}
	putDocuments(e, d.index.ids, d.index.lanes)
	return e.Close(), nil
}

// MarshalBinary returns the binary form of d.
func (d *Duplicates) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary makes d what data says, and keeps the Shingles it had. On
// error d is as it was. It takes 20 times the length of data in memory at most,
// and refuses what LSH.UnmarshalBinary does.
func (d *Duplicates) UnmarshalBinary(data []byte) error {
	in, err := open(data, kindDuplicates)
	if err != nil {
		return err
	}
	cfg := DuplicatesConfig{
		MinHash: getMinHash(in), Threshold: in.Float64(), BucketLimit: int(in.Uint32()), LeadersOnly: in.Bool(),
		Shingles: d.cfg.Shingles,
	}
	var read *Duplicates
	if in.OK() {
		read, err = NewDuplicates(cfg)
		in.Check(err == nil && read.cfg.Threshold == cfg.Threshold && read.cfg.BucketLimit == cfg.BucketLimit,
			"the threshold is %v, the limit of buckets %d", cfg.Threshold, cfg.BucketLimit)
	}
	texts := getTexts(in)
	ids, lanes := getDocuments(in, cfg.MinHash.lanes(), maxDocuments)
	in.Check(len(ids) <= len(texts), "%d documents of %d texts", len(ids), len(texts))
	if in.OK() {
		read.texts = texts
		read.index.ids, read.index.lanes = ids, lanes
		in.Check(read.index.linkAll(), "too many bands in one place")
	}
	if err := in.Close(); err != nil {
		return err
	}
	*d = *read
	return nil
}

// getTexts reads digests, which must be in ascending order, and their ids.
func getTexts(in *binform.Decoder) map[[16]byte]uint32 {
	n := in.Uint64()
	in.Check(n <= uint64(in.Left()/namedSize), "%d texts, %d bytes there", n, in.Left())
	if !in.OK() {
		return nil
	}
	texts := make(map[[16]byte]uint32, n)
	var last []byte
	for range n {
		digest := in.Raw(16)
		in.Check(last == nil || bytes.Compare(last, digest) < 0, "the digests are not in order")
		if !in.OK() {
			return nil
		}
		texts[[16]byte(digest)] = in.Uint32()
		last = digest
	}
	return texts
}
