// Package sums tells whether a file is still what was written: by its length, by when it was
// modified last, and by a checksum of 64 bits that grows with the file.
//
// The checksum is two cyclic redundancy checks, CRC-32C in the upper half and CRC-32 of IEEE 802.3
// in the lower one: processors compute both at more than 10 GB/s, and a change by accident goes
// unnoticed once in 2^64. Both are linear, so the difference that one flipped bit makes does not
// depend on the other bits, and says which one it was: see Flipped. It protects against accidents,
// not against somebody who wants to deceive.
package sums

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
)

// Sum is the checksum of a file, or of its beginning. That of nothing is 0.
type Sum uint64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Add returns the checksum of what s is that of, with data behind it.
func (s Sum) Add(data []byte) Sum {
	c := crc32.Update(uint32(s>>32), castagnoli, data)
	i := crc32.Update(uint32(s), crc32.IEEETable, data)
	return Sum(c)<<32 | Sum(i)
}

// String is the sum as 16 hex digits.
func (s Sum) String() string { return fmt.Sprintf("%016x", uint64(s)) }

// MarshalText writes String.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (s *Sum) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || Sum(v).String() != string(text) {
		return fmt.Errorf("%.40q is no checksum of 16 hex digits", text)
	}
	*s = Sum(v)
	return nil
}

// block is how much is read at a time.
const block = 256 << 10

// Read returns the checksum of the next n bytes of r, and how many there were: fewer at its end.
func Read(r io.Reader, n int64) (s Sum, read int64, err error) {
	buf := make([]byte, min(block, max(n, 1)))
	for read < n {
		k, err := r.Read(buf[:min(int64(len(buf)), n-read)])
		s, read = s.Add(buf[:k]), read+int64(k)
		if errors.Is(err, io.EOF) {
			return s, read, nil
		}
		if err != nil {
			return s, read, err
		}
	}
	return s, read, nil
}

// File is what a file was when it was written.
type File struct {
	Bytes int64 `json:"bytes"`
	Sum   Sum   `json:"checksum"`
	// Modified is when it was written last, in nanoseconds of Unix time; 0 if that is not known.
	Modified int64 `json:"modified,omitempty"`
}

// Of reads the named file.
func Of(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	sum, n, err := Read(f, info.Size())
	return File{Bytes: n, Sum: sum, Modified: info.ModTime().UnixNano()}, err
}

// Fault is how a file differs from what was written.
type Fault string

// The faults.
const (
	Sound    Fault = ""
	Missing  Fault = "missing"
	Short    Fault = "short"   // it has lost its end
	Longer   Fault = "longer"  // something was added to it
	Altered  Fault = "altered" // as long as it was, with other bytes
	NotAFile Fault = "no regular file"
)

// Found is what Check finds of a file.
type Found struct {
	Fault Fault
	Bytes int64 // that it has
}

// Describe says in words how a file differs from what was written, to stand behind "is damaged: ".
func (f File) Describe(found Found) string {
	switch found.Fault {
	case Missing:
		return fmt.Sprintf("it is missing, %d bytes were written", f.Bytes)
	case Short:
		return fmt.Sprintf("it has %d bytes, %d were written", found.Bytes, f.Bytes)
	case Longer:
		return fmt.Sprintf("it has %d bytes, only %d were written", found.Bytes, f.Bytes)
	case NotAFile:
		return "it is no regular file"
	}
	return fmt.Sprintf("the first %d bytes are not what was written: their checksum is another", f.Bytes)
}

// Check compares the named file with what it was. One of the same length that was not modified
// since is not read unless whole is true: whoever alters a file changes that time, a disk that
// decays does not.
func (f File) Check(name string, whole bool) (Found, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && f.Bytes == 0:
		return Found{}, nil
	case errors.Is(err, os.ErrNotExist):
		return Found{Fault: Missing}, nil
	case err != nil:
		return Found{}, err
	case !info.Mode().IsRegular():
		return Found{Fault: NotAFile}, nil
	case info.Size() < f.Bytes:
		return Found{Short, info.Size()}, nil
	case info.Size() > f.Bytes:
		return Found{Longer, info.Size()}, nil
	case !whole && f.Modified != 0 && info.ModTime().UnixNano() == f.Modified:
		return Found{Bytes: info.Size()}, nil
	}
	return f.read(name)
}

// CheckBegin is Check of a file that may have grown since: only its beginning is compared, and
// always read.
func (f File) CheckBegin(name string) (Found, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() < f.Bytes {
		return f.Check(name, true)
	}
	return f.read(name)
}

// read compares the beginning of the file.
func (f File) read(name string) (Found, error) {
	file, err := os.Open(name)
	if err != nil {
		return Found{}, err
	}
	defer file.Close()
	sum, n, err := Read(file, f.Bytes)
	switch {
	case err != nil:
		return Found{}, err
	case n < f.Bytes:
		return Found{Short, n}, nil
	case sum != f.Sum:
		return Found{Altered, n}, nil
	}
	return Found{Bytes: n}, nil
}

// maxFlipped is the longest file in which Flipped looks for a bit, in bytes: some seconds.
const maxFlipped = 1 << 30

// The polynomials as hash/crc32 has them: bits reversed.
const (
	polyC = crc32.Castagnoli
	polyI = crc32.IEEE
)

// Flipped returns which bit of a file of n bytes was flipped, if one flipped bit is why its
// checksum is got and not want: the byte, and the bit in it. It takes 1.5 ns a bit at most. By
// accident another damage of a file of 100 MB looks like one flipped bit once in 20 thousand
// million times.
func Flipped(n int64, got, want Sum) (at int64, bit byte, ok bool) {
	if n <= 0 || n > maxFlipped {
		return 0, 0, false
	}
	c, i := uint32((got^want)>>32), uint32(got^want)
	// What the last byte's bit 7 would make of the registers, and each bit before it in turn.
	mc, mi := uint32(polyC), uint32(polyI)
	for back := int64(0); back < 8*n; back++ {
		if mc == c && mi == i {
			return n - 1 - back/8, 1 << (7 - back%8), true
		}
		mc = mc>>1 ^ polyC&-(mc&1)
		mi = mi>>1 ^ polyI&-(mi&1)
	}
	return 0, 0, false
}

// checksumKey is the member of a JSON object that has its checksum: the last one.
const checksumKey = `"checksum": "`

// none stands in the place of a checksum while it is computed.
const none = "0000000000000000"

// ErrJSON says that a JSON object is not as Seal has left it.
var ErrJSON = errors.New("its checksum is wrong")

// Seal computes the checksum of an indented JSON object whose last member is a Sum called checksum,
// and puts it there.
func Seal(object []byte) (Sum, error) {
	at := place(object)
	if at < 0 {
		return 0, errors.New("the object has no checksum")
	}
	copy(object[at:], none)
	s := Sum(0).Add(object)
	copy(object[at:], s.String())
	return s, nil
}

// place returns where the digits of the checksum begin, -1 if there are none.
func place(object []byte) int {
	for i := len(object) - len(none) - len(checksumKey); i >= 0 && i >= len(object)-64; i-- {
		if string(object[i:i+len(checksumKey)]) == checksumKey {
			return i + len(checksumKey)
		}
	}
	return -1
}

// Sealed reports whether the object has a checksum, and returns an ErrJSON if that is wrong.
func Sealed(object []byte) (bool, error) {
	at := place(object)
	if at < 0 {
		return false, nil
	}
	var want Sum
	if err := want.UnmarshalText(object[at : at+len(none)]); err != nil {
		return true, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	s := Sum(0).Add(object[:at]).Add([]byte(none)).Add(object[at+len(none):])
	if s != want {
		return true, ErrJSON
	}
	return true, nil
}

var _ json.Unmarshaler = (*Table)(nil)

// Table is what files were, by name.
type Table map[string]File

// UnmarshalJSON refuses lengths below 0.
func (t *Table) UnmarshalJSON(data []byte) error {
	var m map[string]File
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	for name, f := range m {
		if f.Bytes < 0 {
			return fmt.Errorf("%s has %d bytes", name, f.Bytes)
		}
	}
	*t = m
	return nil
}
