package chunk

import (
	"bytes"
	"fmt"
)

// end is the byte that no stuffed form has.
const end = '\n'

// blockBytes is how many bytes without the end byte follow a full block's code.
const blockBytes = 254

// stuff appends data so that it has no end byte: blocks of a code and code-1 bytes that differ
// from it; each block but the last, and but those of code 255, stands for one end byte more. It
// is COBS (Cheshire and Baker 1999), in which codes and data have 00 and 0A exchanged.
func stuff(dst, data []byte) []byte {
	for {
		n := bytes.IndexByte(data[:min(len(data), blockBytes)], end)
		switch {
		case n >= 0:
			dst = append(append(dst, code(n+1)), data[:n]...)
			data = data[n+1:]
		case len(data) >= blockBytes:
			dst = append(append(dst, code(blockBytes+1)), data[:blockBytes]...)
			data = data[blockBytes:]
		default:
			return append(append(dst, code(len(data)+1)), data...)
		}
	}
}

// code is how the code n, 1 to 255, is written: not as the end byte.
func code(n int) byte { return byte(n) ^ end }

// unstuff returns the data that stuff has made the line of. Another line of the same data is
// refused.
func unstuff(line []byte) ([]byte, error) {
	data := make([]byte, 0, len(line))
	for i := 0; ; {
		if i >= len(line) {
			return nil, fmt.Errorf("%w: it has no end", ErrEntry)
		}
		n := int(line[i]^end) - 1
		i++
		if n < 0 || n > len(line)-i || bytes.IndexByte(line[i:i+n], end) >= 0 {
			return nil, fmt.Errorf("%w: a block of %d bytes, %d there", ErrEntry, n, len(line)-i)
		}
		data = append(data, line[i:i+n]...)
		i += n
		switch {
		case i == len(line) && n < blockBytes:
			return data, nil
		case n < blockBytes:
			data = append(data, end)
		}
	}
}
