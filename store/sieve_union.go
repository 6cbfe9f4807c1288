package store

import (
	"cmp"
	"math"
	"slices"
)

// union streams one section of several runs, ascending and each fingerprint once, in
// sequential reads. It holds 64 KiB of blocks, three times unionFps fingerprints and 12
// KiB more for each run: 688 KiB for four, whatever their size.
type union struct {
	sources []*source
	raw     []byte
	out     [2][]uint64 // what is merged and what is being merged
}

// unionFps is how many fingerprints of all sources are in memory, 192 KiB.
const unionFps = 3 << 13

// source is one run of a union.
type source struct {
	run  *run
	next int64 // block
	left int64 // fingerprints not read
	rest []uint64
	buf  []uint64
	last uint64 // the greatest read so far, once any is
	any  bool
}

// newUnion starts at the first fingerprint of the section.
func newUnion(runs []*run, section int) *union {
	u := &union{raw: make([]byte, 16*blockSize)}
	total := int64(0)
	for _, r := range runs {
		total += r.counts[section]
	}
	for _, r := range runs {
		n := r.counts[section]
		if n == 0 {
			continue
		}
		// Shares in proportion, so that uniform fingerprints drain them evenly.
		share := max(int64(float64(unionFps)*float64(n)/float64(total)), perBlock)
		u.sources = append(u.sources, &source{
			run: r, next: r.start(section), left: n,
			buf: make([]uint64, 0, min(share, n)+perBlock),
		})
	}
	if len(u.sources) > 1 {
		room := 0
		for _, s := range u.sources {
			room += cap(s.buf)
		}
		u.out = [2][]uint64{make([]uint64, 0, room), make([]uint64, 0, room)}
	}
	slices.SortFunc(u.sources, func(a, b *source) int { return cmp.Compare(a.left, b.left) })
	return u
}

// step returns the next fingerprints, none at the end. They are valid until the next call.
func (u *union) step() ([]uint64, error) {
	bound := uint64(math.MaxUint64)
	for _, s := range u.sources {
		if err := s.fill(u.raw); err != nil {
			return nil, err
		}
		if s.left > 0 {
			bound = min(bound, s.rest[len(s.rest)-1])
		}
	}
	var merged []uint64
	for _, s := range u.sources { // small ones first: the large are copied least
		merged = u.merge(merged, s.take(bound))
	}
	return merged, nil
}

// merge returns the union of merged, the fingerprints so far, and fps.
func (u *union) merge(merged, fps []uint64) []uint64 {
	if len(merged) == 0 {
		return fps
	}
	if len(fps) == 0 {
		return merged
	}
	u.out[0], u.out[1] = u.out[1], u.out[0] // merged may be in the one
	u.out[0] = appendUnion(u.out[0][:0], merged, fps)
	return u.out[0]
}

// fill reads blocks while there is room for many. Afterwards there is a fingerprint in
// memory if there is one on disk.
func (s *source) fill(raw []byte) error {
	if s.left == 0 || 2*len(s.rest) > cap(s.buf) {
		return nil
	}
	s.rest = append(s.buf[:0], s.rest...)
	for s.left > 0 && cap(s.rest)-len(s.rest) >= perBlock {
		blocks := min(int64(cap(s.rest)-len(s.rest))/perBlock, int64(len(raw))/blockSize, blocksOf(s.left))
		n := min(blocks*perBlock, s.left)
		if err := s.read(raw[:blocks*blockSize], n); err != nil {
			return err
		}
		s.next += blocks
		s.left -= n
	}
	return nil
}

// read appends n fingerprints from the next blocks.
func (s *source) read(raw []byte, n int64) (err error) {
	if err := s.run.read(raw, s.next); err != nil {
		return err
	}
	at := len(s.rest)
	if s.rest, err = s.run.decode(s.rest, raw, s.next, n); err != nil {
		return err
	}
	if s.any && s.rest[at] <= s.last {
		return notAscending(s.run, s.next)
	}
	s.last, s.any = s.rest[len(s.rest)-1], true
	return nil
}

// take removes what is at most bound.
func (s *source) take(bound uint64) []uint64 {
	n := len(s.rest)
	if n > 0 && s.rest[n-1] > bound {
		n, _ = slices.BinarySearch(s.rest, bound)
		if s.rest[n] == bound {
			n++
		}
	}
	fps := s.rest[:n]
	s.rest = s.rest[n:]
	return fps
}

// appendUnion appends to dst, which has room, all of two ascending slices, equal ones
// once. It has no branch that depends on the data, which halves its time.
func appendUnion(dst, a, b []uint64) []uint64 {
	out := dst[len(dst) : len(dst)+len(a)+len(b)]
	i, j, n := 0, 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		out[n] = min(x, y)
		n++
		var fromA, fromB int
		if x <= y {
			fromA = 1
		}
		if y <= x {
			fromB = 1
		}
		i += fromA
		j += fromB
	}
	n += copy(out[n:], a[i:])
	n += copy(out[n:], b[j:])
	return dst[:len(dst)+n]
}

// Each calls fn with all URL fingerprints in the runs if layer is negative, else with that
// layer's prefixes, ascending and each once, in slices that are valid during the call. It
// reads sequentially, at about 10 ns a fingerprint.
func (s *Sieve) Each(layer int, fn func(fps []uint64) error) error {
	u := newUnion(s.runs, section(layer))
	for {
		fps, err := u.step()
		if err != nil || len(fps) == 0 {
			return err
		}
		if err := fn(fps); err != nil {
			return err
		}
	}
}
