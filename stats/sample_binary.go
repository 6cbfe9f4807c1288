package stats

import (
	"cmp"
	"slices"

	"crawler/internal/binform"
)

const (
	sampleKind    binform.Kind = "SAMP"
	sampleVersion uint16       = 1
)

// AppendBinary appends the sample's binary form, described in
// docs/format/sketches.md, to dst. It holds what the seed was made into, which is
// as secret as the seed. The error is always nil.
func (s *Sample) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, sampleKind, sampleVersion)
	e.Uint64(s.key)
	e.Uint32(uint32(s.limit))
	e.Uint64(s.last)
	e.Uint64(s.n)
	e.Uint32(uint32(len(s.keys)))
	keys := slices.Clone(s.keys)
	slices.SortFunc(keys, func(a, b sampled) int { return cmp.Compare(a.mixed, b.mixed) })
	for _, k := range keys {
		e.Uint64(k.hash)
		e.Uint64(s.counts.count(place(k.mixed)))
	}
	return e.Close(), nil
}

// MarshalBinary returns the sample's binary form, see AppendBinary.
func (s *Sample) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the sample of a binary form. If the form is not valid, s
// stays as it was.
func (s *Sample) UnmarshalBinary(data []byte) error {
	d, _, err := binform.Open(data, sampleKind, sampleVersion)
	if err != nil {
		return err
	}
	f := Sample{key: d.Uint64(), limit: int(d.Uint32()), last: d.Uint64(), n: d.Uint64(), counts: newTable(minSlots)}
	d.Check(f.limit >= MinSample && f.limit <= MaxSample, "limit %d", f.limit)
	d.Check(f.last == ^uint64(0) || bucketOf(max(f.last+1, 1)) == f.last+1, "the last hash accepted ends no bucket")
	d.Check(f.n <= maxLength, "%d occurrences", f.n)
	n := int(d.Uint32())
	d.Check(n <= f.limit && n <= d.Left()/16, "%d keys of %d, %d bytes there", n, f.limit, d.Left())
	f.decodeKeys(d, n)
	if err := d.Close(); err != nil {
		return err
	}
	*s = f
	return nil
}

// maxSampleProbe is how far from its home a key of a form may lie in the table. In
// one four fifths full, among mixed hashes, none lies a fifth of that away; only
// those chosen to make the reader slow do.
const maxSampleProbe = 4096

// decodeKeys reads n keys in ascending order of their mixed hashes. Together they
// did not occur more often than all keys.
func (s *Sample) decodeKeys(d *binform.Decoder, n int) {
	before, sum := uint64(0), uint64(0)
	for range n {
		h, count := d.Uint64(), d.Uint64()
		v := mix(h, s.key)
		total := addUp(sum, count)
		d.Check(v > before && v <= s.last, "a key is out of order")
		d.Check(count > 0 && total <= s.n, "a key occurs %d times", count)
		if !d.OK() {
			return
		}
		s.counts.put(place(v), count)
		s.push(sampled{v, h})
		i, _ := find(s.counts.keys, place(v))
		d.Check(probes(i, place(v), len(s.counts.keys)) <= maxSampleProbe, crowded)
		before, sum = v, total
	}
}
