package stats

import (
	"crawler/internal/binform"
	"crawler/internal/splitmix"
)

const (
	heavyKind    binform.Kind = "HEAV"
	heavyVersion uint16       = 1
)

// AppendBinary appends the sketch's binary form, described in
// docs/format/sketches.md, to dst. It holds what the seed was made into, which is
// as secret as the seed. The error is always nil.
func (s *HeavyHitters) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, heavyKind, heavyVersion)
	e.Uint64(s.key)
	e.Uint32(uint32(s.k))
	e.Uint64(s.n)
	e.Uint32(uint32(len(s.order)))
	for _, c := range s.order {
		w := s.heavy(c)
		e.Uint64(w.Key)
		e.Uint64(w.Count)
		e.Uint64(w.Error)
	}
	return e.Close(), nil
}

// MarshalBinary returns the sketch's binary form, see AppendBinary.
func (s *HeavyHitters) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the sketch of a binary form, and it goes on exactly as the
// one that was written. If the form is not valid, s stays as it was.
func (s *HeavyHitters) UnmarshalBinary(data []byte) error {
	d, _, err := binform.Open(data, heavyKind, heavyVersion)
	if err != nil {
		return err
	}
	key, k, total, n := d.Uint64(), int(d.Uint32()), d.Uint64(), int(d.Uint32())
	d.Check(k >= MinHeavy && k <= MaxHeavy, "%d counters", k)
	d.Check(n <= k && n <= d.Left()/24, "%d counters in use of %d, %d bytes there", n, k, d.Left())
	d.Check(total <= maxLength, "%d words", total)
	f := newHeavyHitters(k, key)
	f.n = total
	f.decodeCounters(d, n)
	if err := d.Close(); err != nil {
		return err
	}
	*s = *f
	return nil
}

// maxHeavyProbe is how far from its home a word of a form may lie in the table. In
// the largest, half full of mixed hashes, none was seen to lie farther than 38; only
// those chosen to make the reader slow do.
const maxHeavyProbe = 256

// decodeCounters reads n counters, largest count first. Their sum is at most the
// number of words, and no error is above the smallest count, or above 0 if a
// counter is free.
func (s *HeavyHitters) decodeCounters(d *binform.Decoder, n int) {
	last, sum, worst := ^uint64(0), uint64(0), uint64(0)
	for range n {
		w := Heavy{d.Uint64(), d.Uint64(), d.Uint64()}
		total := addUp(sum, w.Count)
		d.Check(w.Count > 0 && w.Count <= last, "a count of %d behind one of %d", w.Count, last)
		d.Check(total <= s.n, "counts above the %d words", s.n)
		v := splitmix.Finish(w.Key ^ s.key)
		i := s.find(v)
		d.Check(s.slots[i].counter == 0, "a word has two counters")
		d.Check(probes(i, v, len(s.slots)) <= maxHeavyProbe, crowded)
		if !d.OK() {
			return
		}
		s.enter(w)
		last, sum, worst = w.Count, total, max(worst, w.Error)
	}
	if !d.OK() {
		return
	}
	d.Check(worst <= s.MaxError(), "an error of %d", worst)
	d.Check(n == s.k || sum == s.n, "%d words are not counted", s.n-sum)
}
