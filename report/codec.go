package report

import (
	"encoding/binary"
	"errors"
	"fmt"

	"crawler/internal/binform"
)

// recordVersion is the first byte of every committed value.
const recordVersion = 6

// errRecord is in the chain of every error about a committed value that is damaged.
var errRecord = errors.New("damaged record")

// fields reads the fields of a committed value. The first error sticks, and what is
// read after it is zero, so a reader asks once, at the end, with close.
type fields struct {
	rest []byte
	err  error
}

// open checks the version of a value.
func open(value []byte) *fields {
	f := &fields{rest: value}
	switch v := f.raw(1); {
	case f.err != nil:
	case v[0] != recordVersion:
		f.fail("version %d, this program knows %d", v[0], recordVersion)
	}
	return f
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", errRecord, fmt.Sprintf(format, args...))
	}
	f.rest = nil
}

// raw returns the next n bytes of the value itself.
func (f *fields) raw(n int) []byte {
	if f.err != nil {
		return nil
	}
	if n > len(f.rest) {
		f.fail("%d bytes wanted, %d there", n, len(f.rest))
		return nil
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) uint8() uint8 {
	if b := f.raw(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *fields) uint64() uint64 {
	if b := f.raw(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number of things, which no crawl has 2^62 of.
func (f *fields) count() int64 {
	v, n := binary.Uvarint(f.rest)
	switch {
	case f.err != nil:
		return 0
	case n <= 0 || v > 1<<62:
		f.fail("a number is cut off or too large")
		return 0
	}
	f.rest = f.rest[n:]
	return int64(v)
}

// number reads a count that must fit into an int.
func (f *fields) number() int {
	v := f.count()
	if int64(int(v)) != v {
		f.fail("%d is more than this machine can count", v)
		return 0
	}
	return int(v)
}

// length reads how many things follow, each of at least the given number of bytes.
func (f *fields) length(size int) int {
	n := f.number()
	if n > len(f.rest)/size {
		f.fail("%d entries, %d bytes there", n, len(f.rest))
		return 0
	}
	return n
}

func (f *fields) text() string {
	if f.err != nil {
		return ""
	}
	text, rest, ok := binform.CutText(f.rest)
	if !ok {
		f.fail("a text is cut off: %d bytes there", len(f.rest))
		return ""
	}
	f.rest = rest
	return string(text)
}

// close returns the first error, or one if bytes are left over.
func (f *fields) close() error {
	if n := len(f.rest); n > 0 {
		f.fail("%d bytes left over", n)
	}
	return f.err
}
