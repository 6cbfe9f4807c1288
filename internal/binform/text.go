package binform

import "encoding/binary"

// AppendText appends s behind its length in bytes, an unsigned varint: how text stands in
// records that have no frame of their own.
func AppendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// CutText cuts off what AppendText appended and returns it with what follows, both of which
// are parts of b. It reports false, and copies nothing, if b has no length at its beginning
// or fewer bytes than that says.
func CutText(b []byte) (text, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	end := used + int(n)
	return b[used:end:end], b[end:], true
}
