// Package inflate decodes gzip (RFC 1952), and deflate (RFC 1951) with or without the wrapping of
// zlib (RFC 1950), into one buffer that the whole output is to stand in anyway: a match is copied
// from where it stands in the output, and there is no window beside it.
//
// The design is Eric Biggers' libdeflate's: 64 bits of input at a time, tables whose entries have
// all that is to know of a codeword, extra bits included, and a loop without checks as long as
// neither input nor room can end. It is about twice as fast as compress/flate.
//
// Input is read as it is needed, 32 KiB at a time. What was decoded before an error is in the
// output.
package inflate

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// Format is what the input is.
type Format uint8

const (
	// Gzip is any number of gzip members. What follows them that is no member is ignored, as
	// browsers do. Their checksums are checked.
	Gzip Format = iota
	// Deflate is a zlib stream or, as some servers have it, a bare deflate stream: the first two
	// bytes distinguish them. What follows is ignored, the checksum of zlib, too: servers that
	// get the wrapping wrong get that wrong as well.
	Deflate
)

// Errors of Append and Read beside those of the source.
var (
	ErrHeader   = errors.New("inflate: no gzip header")
	ErrChecksum = errors.New("inflate: wrong checksum")
	ErrCorrupt  = errors.New("inflate: corrupt input")
)

const (
	inputSize = 32 << 10
	// padding is how far behind the end of the input may be read, as zeros, before that is
	// noticed: after each codeword.
	padding = 64
	// window is how far back a match may begin.
	window = 32 << 10
	// chunk is how much of a match is copied at once: most are no longer.
	chunk = 16
	// slack is the room that the fast loop wants: a match, copied by chunks, behind two bytes.
	slack = 258 + chunk + 4
	// lookahead is the input that it wants: two times eight bytes are read in a round.
	lookahead = 16
	// maxEmptyReads is how often a source may return nothing and no error.
	maxEmptyReads = 100
)

// Reader decodes one input after the other. The zero value wants a Reset. It takes 44 KiB, 96 KiB
// more once Read was called.
type Reader struct {
	input
	format Format
	state  state
	last   bool // the block is the last one
	fixed  bool // the tables are those of the fixed codes
	failed error

	stored  int    // bytes of a stored block that are left
	length  int    // bytes of a match for which there was no room
	off     int    // its distance
	members int    // that began
	base    int    // where in the output the last one did
	summed  int    // to where in the output sum reaches
	size    uint32 // bytes of the member
	sum     uint32

	lits    [litEntries]entry
	offs    [offEntries]entry
	pre     [preEntries]entry
	lengths [litSymbols + offSymbols]uint8

	out  []byte // of Read
	sent int    // of out
}

// state is what comes next in the input.
type state uint8

const (
	atStart state = iota
	atMember
	atBlock
	inStored
	inCodes
	atTrailer
	atEnd
)

// Reset begins with another input. A nil one only drops the last.
func (r *Reader) Reset(src io.Reader, format Format) {
	r.input.reset(src)
	r.format, r.state, r.failed = format, atStart, nil
	r.stored, r.length, r.members, r.base, r.summed, r.sum, r.size = 0, 0, 0, 0, 0, 0, 0
	r.out, r.sent = r.out[:0], 0
}

// Append decodes into the room that dst has, up to its capacity, and returns it longer. Its error
// is io.EOF at the end of the input. dst must be all output since Reset.
func (r *Reader) Append(dst []byte) ([]byte, error) {
	if r.failed != nil {
		return dst, r.failed
	}
	out, op := dst[:cap(dst)], len(dst)
	op, r.failed = r.run(out, op)
	r.check(out[:op])
	return out[:op], r.failed
}

// check adds what is new to the checksum.
func (r *Reader) check(out []byte) {
	if r.format == Gzip {
		r.sum = crc32.Update(r.sum, crc32.IEEETable, out[r.summed:])
		r.size += uint32(len(out) - r.summed)
	}
	r.summed = len(out)
}

// run decodes until there is no room, the input ends or an error comes.
func (r *Reader) run(out []byte, op int) (int, error) {
	var err error
	for {
		switch r.state {
		case atStart:
			r.state, err = r.start()
		case atMember:
			r.base, r.sum, r.size = op, 0, 0
			r.state, err = r.member()
		case atBlock:
			r.state, err = r.block()
		case inStored:
			op, err = r.copyStored(out, op)
			if err == nil && r.stored > 0 {
				return op, nil
			}
		case inCodes:
			var full bool
			op, full, err = r.codes(out, op)
			if full {
				return op, nil
			}
		case atTrailer:
			r.check(out[:op])
			r.state, err = r.trailer()
		default:
			return op, io.EOF
		}
		if err != nil {
			return op, err
		}
	}
}

// Read decodes into p by a buffer in which the last 32 KiB of the output are kept.
func (r *Reader) Read(p []byte) (int, error) {
	if r.sent == len(r.out) {
		if r.failed != nil {
			return 0, r.failed
		}
		if cap(r.out) == 0 {
			r.out = make([]byte, 0, 3*window)
		}
		if len(r.out) > 2*window {
			r.slide(copy(r.out, r.out[len(r.out)-window:]))
		}
		r.sent = len(r.out)
		var err error
		if r.out, err = r.Append(r.out); len(r.out) == r.sent {
			return 0, err
		}
	}
	n := copy(p, r.out[r.sent:])
	r.sent += n
	return n, nil
}

// slide notes that only the last kept bytes of the output are still there, at its beginning.
func (r *Reader) slide(kept int) {
	gone := len(r.out) - kept
	r.base, r.summed = max(0, r.base-gone), r.summed-gone
	r.out = r.out[:kept]
}

// next is what the end of a block leads to.
func (r *Reader) next() state {
	switch {
	case !r.last:
		return atBlock
	case r.format == Gzip:
		return atTrailer
	}
	return atEnd
}

// block reads the header of a block.
func (r *Reader) block() (state, error) {
	r.refill()
	header := r.take(3)
	if r.over() {
		return 0, r.ended()
	}
	r.last = header&1 != 0
	switch header >> 1 {
	case 0:
		r.align()
		r.refill()
		size := r.take(16)
		if check := r.take(16); r.over() {
			return 0, r.ended()
		} else if size^0xffff != check {
			return 0, ErrCorrupt
		}
		r.unread()
		if r.stored = int(size); size == 0 {
			return r.next(), nil
		}
		return inStored, nil
	case 1:
		return inCodes, r.fixedCodes()
	case 2:
		r.fixed = false
		return inCodes, r.dynamicCodes()
	}
	return 0, ErrCorrupt
}

// copyStored copies what of a stored block has come and has room.
func (r *Reader) copyStored(out []byte, op int) (int, error) {
	for r.stored > 0 && op < len(out) {
		if r.pos == r.end {
			if r.fill(); r.pos == r.end {
				return op, r.ended()
			}
		}
		n := copy(out[op:], r.in[r.pos:min(r.end, r.pos+r.stored)])
		op, r.pos, r.stored = op+n, r.pos+n, r.stored-n
	}
	if r.stored == 0 {
		r.state = r.next()
	}
	return op, nil
}

// fixedCodes makes the tables of the fixed codes (RFC 1951, section 3.2.6).
func (r *Reader) fixedCodes() error {
	if r.fixed {
		return nil
	}
	for i := range litSymbols {
		switch {
		case i < 144:
			r.lengths[i] = 8
		case i < 256:
			r.lengths[i] = 9
		case i < 280:
			r.lengths[i] = 7
		default:
			r.lengths[i] = 8
		}
	}
	offs := r.lengths[litSymbols:]
	for i := range offs {
		offs[i] = 5
	}
	if !build(r.lits[:], litWidth, r.lengths[:litSymbols], &litMeanings) || !build(r.offs[:], offWidth, offs, &offMeanings) {
		panic("inflate: the fixed codes are none")
	}
	r.fixed = true
	return nil
}

// order is that of the lengths of the codewords for lengths.
var order = [preSymbols]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamicCodes reads the codes of a block (RFC 1951, section 3.2.7).
func (r *Reader) dynamicCodes() error {
	r.refill()
	lits, offs, pres := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if r.over() {
		return r.ended()
	}
	if lits > maxLits || offs > maxOffs {
		return ErrCorrupt
	}
	var lengths [preSymbols]uint8
	for i := range pres {
		r.refill()
		lengths[order[i]] = uint8(r.take(3))
	}
	if r.over() {
		return r.ended()
	}
	if !build(r.pre[:], preWidth, lengths[:], &preMeanings) {
		return ErrCorrupt
	}
	if err := r.codeLengths(r.lengths[:lits+offs]); err != nil {
		return err
	}
	if !build(r.lits[:], litWidth, r.lengths[:lits], &litMeanings) || !build(r.offs[:], offWidth, r.lengths[lits:lits+offs], &offMeanings) {
		return ErrCorrupt
	}
	return nil
}

// codeLengths reads the lengths of the codewords of both codes.
func (r *Reader) codeLengths(lengths []uint8) error {
	for i := 0; i < len(lengths); {
		r.refill()
		e := r.pre[r.bits&(1<<preWidth-1)]
		r.drop(uint(e & 0xff))
		symbol, times, repeated := uint8(e>>16), 1, uint8(e>>16)
		switch symbol {
		case 16:
			times = 3 + int(r.take(2))
			if i > 0 {
				repeated = lengths[i-1]
			}
		case 17:
			times, repeated = 3+int(r.take(3)), 0
		case 18:
			times, repeated = 11+int(r.take(7)), 0
		}
		switch {
		case r.over():
			return r.ended()
		case e&special != 0, symbol == 16 && i == 0, i+times > len(lengths):
			return ErrCorrupt
		}
		for range times {
			lengths[i] = repeated
			i++
		}
	}
	return nil
}

// codes decodes codewords until the block ends or there is no room.
func (r *Reader) codes(out []byte, op int) (_ int, full bool, err error) {
	if op = r.copyMatch(out, op); r.length > 0 {
		return op, true, nil
	}
	for {
		if op+slack <= len(out) && r.end-r.pos >= lookahead {
			var ended bool
			if op, ended, err = r.fast(out, op); ended || err != nil {
				return op, false, err
			}
		}
		if op == len(out) {
			return op, true, nil
		}
		r.refill()
		e := r.lits[r.bits&(1<<litWidth-1)]
		if e&link != 0 {
			r.drop(litWidth)
			e = r.lits[e>>16+entry(r.bits)&(1<<(e>>8&15)-1)]
		}
		saved := r.bits
		r.drop(uint(e & 0xff))
		if r.over() {
			return op, false, r.ended()
		}
		if e&literal != 0 {
			out[op] = byte(e >> 16)
			op++
			continue
		}
		if e&special != 0 {
			if e&end == 0 {
				return op, false, ErrCorrupt
			}
			r.state = r.next()
			return op, false, nil
		}
		length := int(e>>16) + extra(saved, e)
		r.refill()
		if e = r.offs[r.bits&(1<<offWidth-1)]; e&link != 0 {
			r.drop(offWidth)
			e = r.offs[e>>16+entry(r.bits)&(1<<(e>>8&15)-1)]
		}
		saved = r.bits
		r.drop(uint(e & 0xff))
		off := int(e>>16) + extra(saved, e)
		if r.over() {
			return op, false, r.ended()
		}
		if e&special != 0 || off > op-r.base {
			return op, false, ErrCorrupt
		}
		r.length, r.off = length, off
		if op = r.copyMatch(out, op); r.length > 0 {
			return op, true, nil
		}
	}
}

// extra is the extra bits behind a codeword.
func extra(bits uint64, e entry) int {
	return int(bits & (1<<(e&63) - 1) >> (e >> 8 & 15))
}

// copyMatch copies what of a match has room.
func (r *Reader) copyMatch(out []byte, op int) int {
	n := min(r.length, len(out)-op)
	r.length -= n
	for n > 0 {
		m := copy(out[op:op+n], out[op-r.off:op])
		op, n = op+m, n-m
	}
	return op
}

// fast is codes while there is room and input for the longest match, whatever comes. Input and
// output are cut so that few variables live at once: there are registers for as many.
func (r *Reader) fast(out []byte, op int) (_ int, ended bool, err error) {
	lits, offs := &r.lits, &r.offs
	bits, n := r.bits, r.n
	in := r.in[r.pos:r.end]
	total := len(in)
	out = out[r.base:]
	op -= r.base
	for len(in) >= lookahead && op <= len(out)-slack {
		bits |= binary.LittleEndian.Uint64(in) << (n & 63)
		in = in[(63-n)>>3&7:]
		n |= 56
		e := lits[bits&(1<<litWidth-1)]
		if e&literal != 0 {
			bits >>= e & 63
			n -= uint(e & 0xff)
			out[op] = byte(e >> 16)
			op++
			if e = lits[bits&(1<<litWidth-1)]; e&literal != 0 {
				bits >>= e & 63
				n -= uint(e & 0xff)
				out[op] = byte(e >> 16)
				op++
				if e = lits[bits&(1<<litWidth-1)]; e&literal != 0 {
					bits >>= e & 63
					n -= uint(e & 0xff)
					out[op] = byte(e >> 16)
					op++
					continue
				}
			}
		}
		if e&special != 0 { // at most 30 bits were taken
			if e&link != 0 {
				bits >>= litWidth
				n -= litWidth
				e = lits[uint64(e>>16)+bits&(1<<(e>>8&15)-1)]
				if e&literal != 0 {
					bits >>= e & 63
					n -= uint(e & 0xff)
					out[op] = byte(e >> 16)
					op++
					continue
				}
			}
			if e&special != 0 {
				bits >>= e & 63
				n -= uint(e & 0xff)
				if ended = e&end != 0; !ended {
					err = ErrCorrupt
				}
				break
			}
		}
		length := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)
		bits |= binary.LittleEndian.Uint64(in) << (n & 63)
		in = in[(63-n)>>3&7:]
		n |= 56
		e = offs[bits&(1<<offWidth-1)]
		if e&special != 0 {
			if e&link != 0 {
				bits >>= offWidth
				n -= offWidth
				e = offs[uint64(e>>16)+bits&(1<<(e>>8&15)-1)]
			}
			if e&special != 0 {
				err = ErrCorrupt
				break
			}
		}
		off := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)
		from := op - off
		if from < 0 {
			err = ErrCorrupt
			break
		}
		switch { // what is copied too much is overwritten
		case off >= chunk:
			*(*[chunk]byte)(out[op:]) = *(*[chunk]byte)(out[from:])
			for i := chunk; i < length; i += chunk {
				*(*[chunk]byte)(out[op+i:]) = *(*[chunk]byte)(out[from+i:])
			}
		case off >= 8:
			for i := 0; i < length; i += 8 {
				*(*[8]byte)(out[op+i:]) = *(*[8]byte)(out[from+i:])
			}
		default:
			for i := range length {
				out[op+i] = out[from+i]
			}
		}
		op += length
	}
	r.bits, r.n, r.pos = bits, n, r.pos+total-len(in)
	if ended {
		r.state = r.next()
	}
	return op + r.base, ended, err
}
