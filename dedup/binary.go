package dedup

import (
	"errors"
	"math/bits"
	"slices"

	"crawler/internal/binform"
)

// The kinds of the binary forms. docs/format/sketches.md describes the bytes.
//
// All forms but those of SegmentBloom, PublishedMultilayer, Set and HammingIndex
// contain the seed: keep them as secret as it is. The form of a filter is as long
// as its bits and at most 200 bytes more, and a decoder makes nothing that the
// form does not fill (the types that need more say how much). UnmarshalBinary
// leaves the receiver as it was if it returns an error, which wraps
// binform.ErrFormat.
const (
	kindBloom      binform.Kind = "BLOM"
	kindClassic    binform.Kind = "CLAS"
	kindMultilayer binform.Kind = "MLBF"
	kindPublished  binform.Kind = "PMLB"
	kindSegment    binform.Kind = "SEGB"
	kindSet        binform.Kind = "FSET"
	kindAccount    binform.Kind = "ACCT"
	kindSpectral   binform.Kind = "SPEC"
	kindSignature  binform.Kind = "MINH"
	kindLSH        binform.Kind = "LSHB"
	kindHamming    binform.Kind = "SIMH"
	kindDuplicates binform.Kind = "NEAR"
)

// formVersion is the version of all forms.
const formVersion = 1

// errZero is returned for the form of a value that no constructor made.
var errZero = errors.New("dedup: what no constructor made has no binary form")

// begin starts a form with room for the given number of bytes in fields.
func begin(dst []byte, kind binform.Kind, fields int64) *binform.Encoder {
	return binform.Begin(slices.Grow(dst, int(fields)+binform.Overhead), kind, formVersion)
}

// open checks the frame of a form.
func open(data []byte, kind binform.Kind) (*binform.Decoder, error) {
	d, _, err := binform.Open(data, kind, formVersion)
	return d, err
}

// AppendBinary appends b's binary form to dst; its seed is in it.
func (b *Bloom) AppendBinary(dst []byte) ([]byte, error) {
	if len(b.lines) == 0 {
		return nil, errZero
	}
	e := begin(dst, kindBloom, 17+b.Bits()/8)
	e.Uint64(b.seed)
	b.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns b's binary form; its seed is in it.
func (b *Bloom) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }

// UnmarshalBinary makes b the filter whose form data is.
func (b *Bloom) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindBloom)
	if err != nil {
		return err
	}
	var fresh Bloom
	fresh.decode(d, d.Uint64())
	if err := d.Close(); err != nil {
		return err
	}
	*b = fresh
	return nil
}

// encode writes b without its seed.
func (b *Bloom) encode(e *binform.Encoder) {
	lines := uint8(1)
	if b.reach != 0 {
		lines = 2
	}
	e.Uint8(lines)
	e.Int64(int64(len(b.lines)))
	for i := range b.lines {
		e.Uint64s(b.lines[i][:])
	}
}

// decode reads what encode wrote into b, which is new.
func (b *Bloom) decode(d *binform.Decoder, seed uint64) {
	lines, n := d.Uint8(), d.Int64()
	d.Check(lines == 1 || lines == 2, "%d lines a key", lines)
	d.Check(n >= int64(lines) && n <= maxBits/lineBits, "%d lines", n)
	d.Check(n <= int64(d.Left()/(lineBits/8)), "%d lines in %d bytes", n, d.Left())
	if !d.OK() {
		return
	}
	b.reset(Size{Bits: n * lineBits, Lines: int(lines)}, seed)
	for i := range b.lines {
		d.Uint64s(b.lines[i][:], lineWords)
	}
}

// AppendBinary appends c's binary form to dst; its seed is in it.
func (c *Classic) AppendBinary(dst []byte) ([]byte, error) { return c.form(dst, kindClassic) }

// MarshalBinary returns c's binary form; its seed is in it.
func (c *Classic) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// UnmarshalBinary makes c the filter whose form data is.
func (c *Classic) UnmarshalBinary(data []byte) error { return c.fromForm(data, kindClassic) }

// AppendBinary appends s's binary form to dst.
func (s *SegmentBloom) AppendBinary(dst []byte) ([]byte, error) {
	return s.filter.form(dst, kindSegment)
}

// MarshalBinary returns s's binary form.
func (s *SegmentBloom) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the filter whose form data is.
func (s *SegmentBloom) UnmarshalBinary(data []byte) error {
	return s.filter.fromForm(data, kindSegment)
}

// form appends c's form under a kind.
func (c *Classic) form(dst []byte, kind binform.Kind) ([]byte, error) {
	if c.m == 0 {
		return nil, errZero
	}
	e := begin(dst, kind, 17+int64(len(c.words))*8)
	e.Uint64(c.seed)
	e.Uint8(uint8(c.k))
	e.Uint64(c.m)
	e.Uint64s(c.words)
	return e.Close(), nil
}

// fromForm makes c the filter whose form data is.
func (c *Classic) fromForm(data []byte, kind binform.Kind) error {
	d, err := open(data, kind)
	if err != nil {
		return err
	}
	seed := d.Uint64()
	k, m := decodeShape(d)
	d.Check(kind == kindClassic || seed == 0, "it has a seed")
	fresh := decodeClassic(d, m, k, seed)
	if err := d.Close(); err != nil {
		return err
	}
	*c = fresh
	return nil
}

// decodeShape reads the number of positions a key and of bits of a Classic.
func decodeShape(d *binform.Decoder) (k int, m uint64) {
	k, m = int(d.Uint8()), d.Uint64()
	d.Check(k >= 1 && k <= MaxHashes, "%d hash functions", k)
	d.Check(m >= 1 && m <= maxBits, "%d bits", m)
	return k, m
}

// decodeClassic reads the words of a Classic of a checked shape.
func decodeClassic(d *binform.Decoder, m uint64, k int, seed uint64) Classic {
	c := Classic{m: m, k: k, seed: seed}
	if !d.OK() {
		return c
	}
	c.words = d.Uint64s(nil, int((m+63)/64))
	if d.OK() && m%64 != 0 {
		d.Check(c.words[m/64]>>(m%64) == 0, "bits behind the last one")
	}
	c.ones = ones(c.words)
	return c
}

// AppendBinary appends p's binary form to dst.
func (p *PublishedMultilayer) AppendBinary(dst []byte) ([]byte, error) {
	if len(p.layers) == 0 {
		return nil, errZero
	}
	e := begin(dst, kindPublished, 10+int64(len(p.layers)+1)*int64(len(p.last.words))*8)
	e.Uint8(uint8(len(p.layers)))
	e.Uint8(uint8(p.last.k))
	e.Uint64(p.last.m)
	for i := range p.layers {
		e.Uint64s(p.layers[i].words)
	}
	e.Uint64s(p.last.words)
	return e.Close(), nil
}

// MarshalBinary returns p's binary form.
func (p *PublishedMultilayer) MarshalBinary() ([]byte, error) { return p.AppendBinary(nil) }

// UnmarshalBinary makes p the filter whose form data is.
func (p *PublishedMultilayer) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindPublished)
	if err != nil {
		return err
	}
	layers := decodeLayers(d)
	k, m := decodeShape(d)
	fresh := PublishedMultilayer{layers: make([]Classic, layers)}
	for i := range fresh.layers {
		fresh.layers[i] = decodeClassic(d, m, k, 0)
	}
	fresh.last = decodeClassic(d, m, k, 0)
	if err := d.Close(); err != nil {
		return err
	}
	*p = fresh
	return nil
}

// decodeLayers reads a number of layers; 0 after an error.
func decodeLayers(d *binform.Decoder) int {
	n := d.Uint8()
	d.Check(n >= 1 && n <= MaxLayers, "%d layers", n)
	if !d.OK() {
		return 0
	}
	return int(n)
}

// AppendBinary appends m's binary form to dst; the secret seed of its Config is
// in it.
func (m *Multilayer) AppendBinary(dst []byte) ([]byte, error) {
	if len(m.layers) == 0 {
		return nil, errZero
	}
	if m.last.seed != epochSeed(m.hash.seed, 0) {
		return nil, errors.New("dedup: a Multilayer of a later epoch has no binary form")
	}
	e := begin(dst, kindMultilayer, 64+17*MaxLayers+m.Bits()/8)
	e.Uint64(m.hash.seed)
	e.Uint8(uint8(len(m.layers)))
	for i := range m.layers {
		e.Int64(m.room[i])
		m.layers[i].encode(e)
	}
	m.last.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns m's binary form; the secret seed of its Config is in it.
func (m *Multilayer) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

// UnmarshalBinary makes m the filter whose form data is.
func (m *Multilayer) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindMultilayer)
	if err != nil {
		return err
	}
	secret := d.Uint64()
	seed := epochSeed(secret, 0)
	fresh := Multilayer{layers: make([]Bloom, decodeLayers(d))}
	for i := range fresh.layers {
		fresh.room[i] = d.Int64()
		d.Check(fresh.room[i] >= minPrefixes, "a layer for %d prefixes", fresh.room[i])
		fresh.layers[i].decode(d, seed)
		d.Check(fresh.layers[i].reach == 0, "a layer with two lines a key")
	}
	fresh.last.decode(d, seed)
	if err := d.Close(); err != nil {
		return err
	}
	fresh.hash = newHasher(secret)
	*m = fresh
	return nil
}

// ones returns how many bits of words are set.
func ones(words []uint64) (n int64) {
	for _, w := range words {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
