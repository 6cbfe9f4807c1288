package inflate

import (
	"hash/crc32"
	"io"
)

// The flags of a member (RFC 1952, section 2.3.1).
const (
	hasSum = 1 << (1 + iota)
	hasExtra
	hasName
	hasComment
)

// start reads what comes before the first block.
func (r *Reader) start() (state, error) {
	if r.format == Gzip {
		return atMember, nil
	}
	r.fill()
	if head := r.in[r.pos:r.end]; len(head) >= 2 && isZlib(head) {
		r.pos += 2
	}
	return atBlock, nil
}

// isZlib checks a zlib header: method 8, window up to 32 KiB, no dictionary, and the check bits
// (RFC 1950, section 2.2).
func isZlib(head []byte) bool {
	return head[0]&0x0F == 8 && head[0]>>4 <= 7 && head[1]&0x20 == 0 &&
		(int(head[0])<<8|int(head[1]))%31 == 0
}

// member reads the header of a member. Behind another one, what is none is the end.
func (r *Reader) member() (state, error) {
	err := r.memberHeader()
	switch {
	case err == nil:
		r.members++
		return atBlock, nil
	case r.members == 0:
		return 0, err
	case err == ErrHeader, err == io.EOF, err == io.ErrUnexpectedEOF:
		return atEnd, nil
	}
	return 0, err
}

// memberHeader reads the header of a member.
func (r *Reader) memberHeader() error {
	h := headerReader{r: &r.input}
	var head [10]byte
	for i := range head {
		head[i] = h.next()
		if h.failed && i == 0 && r.err == io.EOF {
			return io.EOF
		}
	}
	switch {
	case h.failed:
		return r.ended()
	case head[0] != 0x1f || head[1] != 0x8b || head[2] != 8:
		return ErrHeader
	}
	flags := head[3]
	if flags&hasExtra != 0 {
		for range int(h.next()) | int(h.next())<<8 {
			h.next()
		}
	}
	for _, text := range []byte{hasName, hasComment} {
		for flags&text != 0 && h.next() != 0 && !h.failed {
		}
	}
	if flags&hasSum != 0 {
		sum := uint16(h.sum)
		if got := uint16(h.next()) | uint16(h.next())<<8; got != sum && !h.failed {
			return ErrHeader
		}
	}
	if h.failed {
		return r.ended()
	}
	return nil
}

// headerReader reads bytes, 0 once there are none, and sums them up.
type headerReader struct {
	r      *input
	sum    uint32
	failed bool
}

func (h *headerReader) next() byte {
	b, ok := h.r.nextByte()
	if h.failed = h.failed || !ok; ok {
		h.sum = crc32.Update(h.sum, crc32.IEEETable, []byte{b})
	}
	return b
}

// trailer checks the sum and size of a member.
func (r *Reader) trailer() (state, error) {
	r.unread()
	var want [2]uint32
	for i := range 8 {
		b, ok := r.nextByte()
		if !ok {
			return 0, r.ended()
		}
		want[i/4] |= uint32(b) << (i % 4 * 8)
	}
	if want != [2]uint32{r.sum, r.size} {
		return 0, ErrChecksum
	}
	return atMember, nil
}
