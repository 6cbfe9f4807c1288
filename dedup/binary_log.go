package dedup

import (
	"slices"

	"crawler/internal/binform"
)

// What the forms of Set and Restarting have beyond those in binary.go: hashes
// in ascending order, and a filter that is not in the form.

// AppendBinary appends s's binary form to dst: its hashes in ascending order.
func (s *Set) AppendBinary(dst []byte) ([]byte, error) {
	e := begin(dst, kindSet, 8+8*int64(s.n))
	s.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns s's binary form.
func (s *Set) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the set whose form data is. It takes linear time, also
// for hashes that are not uniform.
func (s *Set) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindSet)
	if err != nil {
		return err
	}
	var fresh Set
	fresh.decode(d)
	if err := d.Close(); err != nil {
		return err
	}
	*s = fresh
	return nil
}

// encode writes the number of hashes, then all of them.
func (s *Set) encode(e *binform.Encoder) {
	e.Int64(int64(s.n))
	for h := range s.All {
		e.Uint64(h)
	}
}

// decode reads what encode wrote into s, which is new.
func (s *Set) decode(d *binform.Decoder) {
	n := d.Int64()
	d.Check(n >= 0 && n <= int64(d.Left()/8), "%d hashes in %d bytes", n, d.Left())
	if !d.OK() {
		return
	}
	hashes := d.Uint64s(nil, int(n))
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			d.Check(false, "hashes are not ascending")
			return
		}
	}
	s.fill(hashes)
}

// fill fills s, which is empty, with ascending hashes. The tables get the sizes
// that Add would have given them.
func (s *Set) fill(hashes []uint64) {
	s.n = len(hashes)
	if s.n > 0 && hashes[0] == 0 {
		s.zero = true
		hashes = hashes[1:]
	}
	for i := range s.tables {
		end, _ := slices.BinarySearch(hashes, uint64(i+1)<<(64-tableBits))
		if i == len(s.tables)-1 {
			end = len(hashes)
		}
		s.tables[i].fill(hashes[:end], 16+uint64(i)/4)
		hashes = hashes[end:]
	}
}

// fill makes t, which is empty, a table of ascending hashes, grown from the
// given number of homes.
func (t *table) fill(hashes []uint64, homes uint64) {
	if len(hashes) == 0 {
		return
	}
	for uint64(len(hashes)-1)*8 >= homes*7 {
		homes += homes / 4
	}
	t.slots, t.used = hashes, len(hashes)
	t.rebuild(homes)
}

// AppendBinary appends r's binary form to dst: its Config with the secret seed,
// the account, and the log. The filter is not in it. If the log is not in memory it
// returns an error: AppendAccount is for that.
func (r *Restarting) AppendBinary(dst []byte) ([]byte, error) {
	if r.out != nil || r.risk != nil {
		return nil, errNoLog
	}
	if r.filter == nil {
		return nil, errZero
	}
	size := 128 + 8*int64(r.log.n)
	for i := range r.prefixes {
		size += 16 + 8*int64(r.prefixes[i].n)
	}
	e := begin(dst, kindRestarting, size)
	r.cfg.encode(e)
	for _, v := range []int64{r.expect, r.began, r.epoch, r.asked, r.wrong, r.pruned} {
		e.Int64(v)
	}
	r.log.encode(e)
	for i := range r.prefixes {
		e.Int64(r.firstNew[i])
		r.prefixes[i].encode(e)
	}
	return e.Close(), nil
}

// MarshalBinary returns r's binary form: its Config with the secret seed, the
// account, and the log.
func (r *Restarting) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// UnmarshalBinary makes r the Restarting whose form data is. It knows the same
// URLs, answers every question the same, and has the same account and epoch.
// The filter is rebuilt from the log, in 15 to 30 ns for each URL; its layers
// are sized anew, so that which URLs it confuses, and Stats on the filter, may
// differ.
//
// The form is trusted in one thing that fingerprints do not show: that the log
// of prefixes has all prefixes of the URLs in the log, and no others.
//
// A filter that would take more than 1 MiB and more than eight times the form
// (one sized for many URLs, holding few) is sized smaller at first: for at least
// the URLs in the log, and grows from there.
func (r *Restarting) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindRestarting)
	if err != nil {
		return err
	}
	fresh := &Restarting{}
	fresh.decode(d)
	if err := d.Close(); err != nil {
		return err
	}
	fresh.rebuild(max(1<<20, 8*int64(len(data))))
	*r = *fresh
	return nil
}

// decode reads all of r, which is new, but the filter.
func (r *Restarting) decode(d *binform.Decoder) {
	r.cfg = decodeConfig(d)
	for _, v := range []*int64{&r.expect, &r.began, &r.epoch, &r.asked, &r.wrong, &r.pruned} {
		*v = d.Int64()
	}
	r.log.decode(d)
	if !d.OK() {
		return
	}
	r.admitted = int64(r.log.n)
	r.prefixes = make([]Set, r.cfg.Layers)
	for i := range r.prefixes {
		r.firstNew[i] = d.Int64()
		r.prefixes[i].decode(d)
	}
	r.check(d)
}

// check records an error if the fields contradict each other.
func (r *Restarting) check(d *binform.Decoder) {
	n := int64(r.log.n)
	d.Check(r.expect >= 1 && r.expect <= MaxURLs && !r.outgrown(n), "a filter for %d URLs with %d in the log", r.expect, n)
	d.Check(r.began >= 0 && r.began <= n && !r.due(n), "an epoch from URL %d to %d", r.began, n)
	d.Check(r.epoch >= 0 && r.epoch <= n, "%d restarts", r.epoch)
	d.Check(r.asked >= n, "%d questions, %d URLs", r.asked, n)
	d.Check(r.wrong >= 0 && r.pruned >= 0 && r.wrong <= n && r.pruned <= n-r.wrong,
		"%d false positives, %d pruned, %d URLs", r.wrong, r.pruned, n)
	left := n
	for i := range r.prefixes {
		known := int64(r.prefixes[i].n)
		d.Check(i == 0 || known == 0 || r.prefixes[i-1].n > 0, "prefixes in layer %d, none in %d", i+1, i)
		d.Check(known <= n, "%d prefixes of %d URLs", known, n)
		d.Check(r.firstNew[i] >= 0 && r.firstNew[i] <= min(left, known), "%d first misses in layer %d", r.firstNew[i], i+1)
		left -= r.firstNew[i]
	}
}

// rebuild makes the filter from the log, in at most about the given number of
// bytes unless the log needs more.
func (r *Restarting) rebuild(limit int64) {
	perURL := r.cfg.BitsPerURL
	if perURL == 0 {
		const many = 1 << 20
		perURL = float64(SizeFor(many, r.cfg.FPRate).Bits) / many
	}
	if enough := float64(limit*8) / perURL; enough < float64(r.expect) {
		r.expect = max(int64(r.log.n), int64(enough), 1)
	}
	r.hash = newHasher(r.cfg.Seed)
	r.filter = &Multilayer{hash: r.hash, layers: make([]Bloom, r.cfg.Layers)}
	r.filter.reset(r.cfg, r.expect, r.prefixRoom(), uint64(r.epoch))
	for i := range r.prefixes {
		r.filter.layers[i].addAll(&r.prefixes[i])
	}
	r.filter.last.addAll(&r.log)
}

// encode writes c.
func (c Config) encode(e *binform.Encoder) {
	e.Uint64(c.Seed)
	e.Int64(int64(c.ExpectURLs))
	e.Float64(c.FPRate)
	e.Float64(c.BitsPerURL)
	e.Int64(int64(c.RestartEvery))
	e.Uint8(uint8(c.Layers))
}

// decodeConfig reads what encode wrote of a Config that NewRestarting filled in.
func decodeConfig(d *binform.Decoder) Config { return decodeFields(d).checked(d) }

// decodeFields reads the fields of a Config that all forms have.
func decodeFields(d *binform.Decoder) Config {
	return Config{
		Seed:         d.Uint64(),
		ExpectURLs:   decodeInt(d),
		FPRate:       d.Float64(),
		BitsPerURL:   d.Float64(),
		RestartEvery: decodeInt(d),
		Layers:       int(d.Uint8()),
	}
}

// checked returns c, which must be one that NewRestarting filled in.
func (c Config) checked(d *binform.Decoder) Config {
	full, err := c.withDefaults()
	d.Check(err == nil, "%v", err)
	d.Check(c == full, "a Config with zero values")
	return c
}

// decodeInt reads a number that must fit into an int, also where that has 32 bits.
func decodeInt(d *binform.Decoder) int {
	v := d.Int64()
	d.Check(int64(int(v)) == v, "the number %d", v)
	return int(v)
}
