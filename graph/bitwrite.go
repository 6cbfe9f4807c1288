package graph

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/bits"
)

// A bitWriter writes code words, the most significant bit first. Its first error stays
// and is returned by flush.
type bitWriter struct {
	w    *bufio.Writer
	acc  uint64 // the bits not yet in w, from the most significant bit down
	used uint   // how many, below 64
	pos  uint64 // bits written so far
}

// writeBuffer is how many bytes a file written in order is buffered by.
const writeBuffer = 1 << 18

func newBitWriter(w io.Writer) *bitWriter {
	return &bitWriter{w: bufio.NewWriterSize(w, writeBuffer)}
}

// bits writes the lower n bits of v, n at most 64; the bits above them must be zero.
func (w *bitWriter) bits(v uint64, n uint) {
	w.pos += uint64(n)
	free := 64 - w.used
	if n < free {
		w.acc |= v << (free - n)
		w.used += n
		return
	}
	over := n - free
	w.w.Write(binary.BigEndian.AppendUint64(w.w.AvailableBuffer(), w.acc|v>>over))
	w.acc, w.used = v<<(64-over), over
}

// write writes x in the code c.
func (w *bitWriter) write(c *coding, x uint64) {
	v := x + 1
	l := uint(bits.Len64(v)) - 1
	switch c.code {
	case Unary:
		w.unary(x)
	case Gamma:
		w.gamma(v, l)
	case Delta:
		w.gamma(uint64(l)+1, uint(bits.Len(l+1))-1)
		w.bits(v&^(1<<l), l)
	case Zeta:
		h := l / c.k
		w.unary(uint64(h))
		if low := h * c.k; l == low {
			w.bits(v-1<<low, low+c.k-1)
		} else {
			w.bits(v, low+c.k)
		}
	}
}

// gamma writes v, of l+1 bits, behind l zeros.
func (w *bitWriter) gamma(v uint64, l uint) {
	w.bits(0, l)
	w.bits(v, l+1)
}

func (w *bitWriter) unary(x uint64) {
	for ; x > 63; x -= 64 {
		w.bits(0, 64)
	}
	w.bits(1, uint(x)+1)
}

// flush pads the last byte with zeros and hands everything to the writer below.
func (w *bitWriter) flush() error {
	for n := uint(0); n < w.used; n += 8 {
		w.w.WriteByte(byte(w.acc >> (56 - n)))
	}
	w.acc, w.used = 0, 0
	return w.w.Flush()
}
