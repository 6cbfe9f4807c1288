package inflate

import (
	"encoding/binary"
	"io"
)

// input is the source, by bits. Bits that were loaded beyond n are those that will be loaded
// again: loading takes eight bytes, whatever fits of them.
type input struct {
	src  io.Reader
	in   []byte
	pos  int    // of the next byte to load
	end  int    // of what was read; zeros follow once err is set
	err  error  // how src ended
	bits uint64 // the next ones, the first lowest
	n    uint   // how many of them count
}

func (r *input) reset(src io.Reader) {
	if r.in == nil {
		r.in = make([]byte, inputSize+padding)
	}
	*r = input{src: src, in: r.in}
}

// fill reads until eight bytes can be loaded.
func (r *input) fill() {
	empty := 0
	for r.end-r.pos < 8 && r.err == nil {
		back := int(r.n >> 3) // they may be given back
		r.end = copy(r.in, r.in[r.pos-back:r.end])
		r.pos = back
		var n int
		n, r.err = r.src.Read(r.in[r.end:inputSize])
		r.end += n
		if n > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && r.err == nil {
			r.err = io.ErrNoProgress
		}
		if r.err != nil {
			clear(r.in[r.end : r.end+padding])
		}
	}
}

// refill loads bits until 56 are there.
func (r *input) refill() {
	if r.end-r.pos < 8 {
		r.fill()
	}
	r.bits |= binary.LittleEndian.Uint64(r.in[r.pos:]) << (r.n & 63)
	r.pos += int(63-r.n) >> 3
	r.n |= 56
}

// drop takes bits that are there.
func (r *input) drop(n uint) {
	r.bits >>= n & 63
	r.n -= n
}

// take takes bits that are there, and returns them.
func (r *input) take(n uint) uint64 {
	v := r.bits & (1<<n - 1)
	r.drop(n)
	return v
}

// over reports whether more was taken than has come.
func (r *input) over() bool { return r.pos*8-int(r.n) > r.end*8 }

// ended is why there is no more.
func (r *input) ended() error {
	if r.err == nil || r.err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return r.err
}

// align drops the rest of a byte.
func (r *input) align() { r.drop(r.n & 7) }

// unread gives back whole bytes that were loaded, so that the next one is at pos.
func (r *input) unread() {
	r.align()
	r.pos -= int(r.n >> 3)
	r.bits, r.n = 0, 0
}

// next returns the next byte, after unread.
func (r *input) nextByte() (byte, bool) {
	if r.pos >= r.end {
		if r.fill(); r.pos >= r.end {
			return 0, false
		}
	}
	r.pos++
	return r.in[r.pos-1], true
}
