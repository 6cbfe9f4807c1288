package dedup

import (
	"errors"
	"slices"

	"crawler/internal/binform"
)

// The kinds of the binary forms. docs/format/sketches.md describes the bytes.
//
// Every form contains a seed: keep it as secret as that is. The form of a filter is as
// long as its bits and at most 200 bytes more, and a decoder makes nothing that the form
// does not fill. UnmarshalBinary leaves the receiver as it was if it returns an error,
// which wraps binform.ErrFormat.
const (
	kindBloom   binform.Kind = "BLOM"
	kindAccount binform.Kind = "ACCT"
	kindMerkle  binform.Kind = "MRKL"
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
	lines := uint8(1)
	if b.reach != 0 {
		lines = 2
	}
	e := begin(dst, kindBloom, 17+b.Bits()/8)
	e.Uint64(b.seed)
	e.Uint8(lines)
	e.Int64(int64(len(b.lines)))
	for i := range b.lines {
		e.Uint64s(b.lines[i][:])
	}
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
	seed, lines, n := d.Uint64(), d.Uint8(), d.Int64()
	d.Check(lines == 1 || lines == 2, "%d lines a key", lines)
	d.Check(n >= int64(lines) && n <= maxBits/lineBits, "%d lines", n)
	d.Check(n <= int64(d.Left()/(lineBits/8)), "%d lines in %d bytes", n, d.Left())
	var fresh Bloom
	if d.OK() {
		fresh.reset(Size{Bits: n * lineBits, Lines: int(lines)}, seed)
	}
	for i := range fresh.lines {
		d.Uint64s(fresh.lines[i][:], lineWords)
	}
	if err := d.Close(); err != nil {
		return err
	}
	*b = fresh
	return nil
}
