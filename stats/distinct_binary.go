package stats

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

const (
	distinctKind    = binform.Kind("DIST")
	distinctVersion = 1
)

// AppendBinary appends the binary form of the sketch to dst: 45 bytes and 8 for
// each word while the words are few, then 58 and one for each register. The
// sketch read from it continues exactly as this one would. The error is always
// nil.
//
// The form holds the key that the seed gives, and so the seed: keep it as
// secret as the seed is.
func (d *Distinct) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, distinctKind, distinctVersion)
	d.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns the binary form; see AppendBinary.
func (d *Distinct) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary replaces d by the sketch that data is the form of. It returns
// an error that wraps binform.ErrFormat, and leaves d as it was, if data is no
// such form. It allocates at most some ten times the length of data.
func (d *Distinct) UnmarshalBinary(data []byte) error {
	from, _, err := binform.Open(data, distinctKind, distinctVersion)
	if err != nil {
		return err
	}
	var fresh Distinct
	fresh.decode(from)
	if err := from.Close(); err != nil {
		return err
	}
	*d = fresh
	return nil
}

func (d *Distinct) encode(e *binform.Encoder) {
	e.Uint64(d.key)
	e.Uint32(uint32(d.k))
	e.Uint32(uint32(d.cache))
	e.Bool(d.reg != nil)
	if d.reg == nil {
		words := d.sortedBy(cmp.Compare[uint64])
		e.Uint32(uint32(len(words)))
		e.Uint64s(words)
		return
	}
	e.Raw(d.reg.run)
	e.Float64(d.martingale.count)
	e.Float64(d.martingale.variance)
	e.Bool(d.martingale.over)
}

func (d *Distinct) decode(from *binform.Decoder) {
	d.key = from.Uint64()
	k, cache := from.Uint32(), from.Uint32()
	from.Check(k >= MinRegisters && k <= MaxRegisters && bits.OnesCount32(k) == 1, "%d registers", k)
	from.Check(cache >= 1 && cache <= max(k, siteCache) && bits.OnesCount32(cache) == 1, "a cache of %d slots", cache)
	registers := from.Bool()
	if !from.OK() {
		return
	}
	d.k, d.cache, d.pass = int(k), int(cache), math.MaxUint64
	if registers {
		d.decodeRegisters(from)
	} else {
		d.decodeList(from)
	}
}

func (d *Distinct) decodeList(from *binform.Decoder) {
	n := int(from.Uint32())
	from.Check(n <= d.k/2, "%d words in a list for at most %d", n, d.k/2)
	words := from.Uint64s(nil, n)
	if !from.OK() {
		return
	}
	d.words, d.recent = n, newRecent(2)
	d.list = make([]uint64, max(minSlots, powerOfTwo(max(1, 2*n))))
	last := uint64(0)
	for _, v := range words {
		from.Check(v&1 == 1 && v > last, "the words of the list are not odd and ascending")
		i, _ := find(d.list, v)
		d.list[i], last = v, v
		from.Check(probes(i, v, len(d.list)) <= maxProbe, crowded)
		if !from.OK() {
			return
		}
	}
}

// decodeRegisters reads the registers. The cache begins empty: a word that it
// would have stopped changes nothing when it is looked at again.
func (d *Distinct) decodeRegisters(from *binform.Decoder) {
	run := from.Raw(d.k)
	m := martingale{from.Float64(), from.Float64(), from.Bool()}
	from.Check(len(run) == 0 || slices.Max(run) <= maxRun, "a register above %d", maxRun)
	d.words = d.k/2 + 1
	from.Check(m.count >= float64(d.words) && m.count <= math.MaxFloat64, "a martingale of %g", m.count)
	from.Check(m.variance >= 0 && m.variance <= m.count*m.count && m.variance <= math.MaxFloat64, "a variance of %g", m.variance)
	if !from.OK() {
		return
	}
	d.reg, d.martingale = registersOf(run), m
	d.pass = d.reg.pass
	d.recent = newRecent(d.cache)
}
