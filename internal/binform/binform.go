// Package binform is the frame around the binary form of every sketch and filter:
// a header that says what it is and in which version, fields in little-endian
// order, and a checksum over all of it. docs/format/sketches.md describes the
// bytes. AppendText and CutText are for text in records that have no such frame.
//
// A Decoder never allocates more than the input holds: a length that the rest of
// the input cannot fill is an error before anything is made. Errors stick, so a
// reader asks once, at the end, with Close. Fill a fresh value and put it in
// place only when Close returned nil: then bad input leaves the receiver as it
// was.
package binform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"
)

// ErrFormat is in the chain of every error about bytes that are no valid form:
// truncated, damaged, of another kind, or of a version not known.
var ErrFormat = errors.New("not a valid binary form")

// Kind says what a form holds: four printable ASCII characters.
type Kind string

const (
	magic      = "\x89CSK"
	headerSize = 4 + 4 + 2 + 6 // magic, kind, version, zeros
	sumSize    = 8

	// Overhead is how many bytes a form is longer than its fields.
	Overhead = headerSize + sumSize
)

// Encoder appends one form to a slice. Make it with Begin.
type Encoder struct {
	buf   []byte
	start int
}

// Begin starts a form of the given kind and version behind what dst holds.
func Begin(dst []byte, kind Kind, version uint16) *Encoder {
	if len(kind) != 4 {
		panic("binform: a kind has four characters, not " + string(kind))
	}
	e := &Encoder{buf: dst, start: len(dst)}
	e.buf = append(e.buf, magic...)
	e.buf = append(e.buf, kind...)
	e.buf = binary.LittleEndian.AppendUint16(e.buf, version)
	e.buf = append(e.buf, make([]byte, 6)...)
	return e
}

// Uint8 appends one byte.
func (e *Encoder) Uint8(v uint8) { e.buf = append(e.buf, v) }

// Uint32 appends four bytes.
func (e *Encoder) Uint32(v uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, v) }

// Uint64 appends eight bytes.
func (e *Encoder) Uint64(v uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, v) }

// Int64 appends eight bytes, in two's complement.
func (e *Encoder) Int64(v int64) { e.Uint64(uint64(v)) }

// Float64 appends eight bytes, by IEEE 754.
func (e *Encoder) Float64(v float64) { e.Uint64(math.Float64bits(v)) }

// Bool appends one byte, 0 or 1.
func (e *Encoder) Bool(v bool) {
	b := uint8(0)
	if v {
		b = 1
	}
	e.Uint8(b)
}

// Uvarint appends one to ten bytes: seven bits each, lowest first, as encoding/binary does.
func (e *Encoder) Uvarint(v uint64) { e.buf = binary.AppendUvarint(e.buf, v) }

// Raw appends b as it is; the caller writes its length if it is needed.
func (e *Encoder) Raw(b []byte) { e.buf = append(e.buf, b...) }

// Uint64s appends all of v, without its length.
func (e *Encoder) Uint64s(v []uint64) {
	for _, x := range v {
		e.Uint64(x)
	}
}

// Uint32s appends all of v, without its length.
func (e *Encoder) Uint32s(v []uint32) {
	for _, x := range v {
		e.Uint32(x)
	}
}

// Close appends the checksum and returns the slice. The Encoder is used up.
func (e *Encoder) Close() []byte {
	return binary.LittleEndian.AppendUint64(e.buf, xxhash.Sum64(e.buf[e.start:]))
}

// Decoder reads the fields of one form. Make it with Open.
type Decoder struct {
	rest []byte
	kind Kind
	err  error
}

// Open checks the frame of a form: the magic, the kind, the version, which must
// be from 1 to the newest known, and the checksum. It returns the version.
func Open(data []byte, kind Kind, newest uint16) (*Decoder, uint16, error) {
	d := &Decoder{kind: kind}
	if len(data) < Overhead || string(data[:4]) != magic {
		return nil, 0, d.fail("no %s header", kind)
	}
	if got := Kind(data[4:8]); got != kind {
		return nil, 0, d.fail("it holds %q", string(got))
	}
	version := binary.LittleEndian.Uint16(data[8:])
	if version < 1 || version > newest {
		return nil, 0, d.fail("version %d, this program knows 1 to %d", version, newest)
	}
	for _, b := range data[10:headerSize] {
		if b != 0 {
			return nil, 0, d.fail("reserved bytes are not zero")
		}
	}
	body := data[:len(data)-sumSize]
	if binary.LittleEndian.Uint64(data[len(body):]) != xxhash.Sum64(body) {
		return nil, 0, d.fail("the checksum differs: truncated or damaged")
	}
	d.rest = body[headerSize:]
	return d, version, nil
}

// fail records the first error and returns it.
func (d *Decoder) fail(format string, args ...any) error {
	if d.err == nil {
		d.err = fmt.Errorf("%w of kind %q: %s", ErrFormat, string(d.kind), fmt.Sprintf(format, args...))
		d.rest = nil
	}
	return d.err
}

// Check records an error unless ok: a field has a value it cannot have.
func (d *Decoder) Check(ok bool, format string, args ...any) {
	if !ok {
		d.fail(format, args...)
	}
}

// OK reports whether there was no error so far.
func (d *Decoder) OK() bool { return d.err == nil }

// Left returns how many bytes of fields are unread; 0 after an error.
func (d *Decoder) Left() int { return len(d.rest) }

// Raw returns the next n bytes of the input itself, nil after an error.
func (d *Decoder) Raw(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.fail("%d bytes wanted, %d there", n, len(d.rest))
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// Uint8 reads one byte; 0 after an error, as all readers do.
func (d *Decoder) Uint8() uint8 {
	if b := d.Raw(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads four bytes.
func (d *Decoder) Uint32() uint32 {
	if b := d.Raw(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes.
func (d *Decoder) Uint64() uint64 {
	if b := d.Raw(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int64 reads eight bytes, in two's complement.
func (d *Decoder) Int64() int64 { return int64(d.Uint64()) }

// Float64 reads eight bytes, by IEEE 754.
func (d *Decoder) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Bool reads one byte, which must be 0 or 1.
func (d *Decoder) Bool() bool {
	b := d.Uint8()
	d.Check(b <= 1, "a truth value is %d", b)
	return b == 1
}

// Uvarint reads a number that Encoder.Uvarint has written, or any other form of it.
func (d *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail("no number of variable length is there")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// Uint32s is Uint64s for numbers of four bytes.
func (d *Decoder) Uint32s(dst []uint32, n int) []uint32 {
	if n < 0 || n > len(d.rest)/4 {
		d.fail("%d numbers wanted, %d bytes there", n, len(d.rest))
		return nil
	}
	if dst == nil {
		dst = make([]uint32, n)
	}
	for i := range dst[:n] {
		dst[i] = binary.LittleEndian.Uint32(d.rest[4*i:])
	}
	d.rest = d.rest[4*n:]
	return dst[:n]
}

// Uint64s reads n numbers, or as many as dst has when dst is not nil. It makes a
// slice only if the input has that many.
func (d *Decoder) Uint64s(dst []uint64, n int) []uint64 {
	if n < 0 || n > len(d.rest)/8 {
		d.fail("%d numbers wanted, %d bytes there", n, len(d.rest))
		return nil
	}
	if dst == nil {
		dst = make([]uint64, n)
	}
	for i := range dst[:n] {
		dst[i] = binary.LittleEndian.Uint64(d.rest[8*i:])
	}
	d.rest = d.rest[8*n:]
	return dst[:n]
}

// Close returns the first error, or one if bytes are left over.
func (d *Decoder) Close() error {
	if n := len(d.rest); n > 0 {
		d.fail("%d bytes left over", n)
	}
	return d.err
}
