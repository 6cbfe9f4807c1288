package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// input is a file that is read from front to back, by bytes where that matters: a decompressor
// must not read beyond its member.
type input struct {
	src    io.ReaderAt
	size   int64
	buf    *bufio.Reader
	read   int64 // up to where buf has read
	err    error // of the file itself
	dict   []byte
	looked bool // for a dictionary
}

// seek moves to a byte of the file.
func (in *input) seek(at int64) {
	if in.at() == at && in.read > 0 {
		return
	}
	in.read = at
	in.buf.Reset(source{in})
}

// at is where the next byte is read.
func (in *input) at() int64 { return in.read - int64(in.buf.Buffered()) }

func (in *input) Read(p []byte) (int, error) { return in.buf.Read(p) }
func (in *input) ReadByte() (byte, error)    { return in.buf.ReadByte() }

// source is what is read into an input's buffer.
type source struct{ in *input }

func (s source) Read(p []byte) (int, error) {
	in := s.in
	if in.read >= in.size {
		return 0, io.EOF
	}
	n, err := in.src.ReadAt(p[:min(int64(len(p)), in.size-in.read)], in.read)
	in.read += int64(n)
	if errors.Is(err, io.EOF) {
		if err = nil; n == 0 {
			err = io.EOF // the file has become shorter
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		in.err = err
	}
	return n, err
}

func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }
func isZstd(b []byte) bool { return bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// isSkippable reports whether a frame begins that decoders of zstd skip.
func isSkippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && bytes.Equal(b[1:4], []byte{0x2a, 0x4d, 0x18})
}

// skipFrame moves behind a skippable frame.
func (in *input) skipFrame() error {
	var head [8]byte
	if _, err := io.ReadFull(in.buf, head[:]); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if in.at()+n > in.size {
		return io.ErrUnexpectedEOF
	}
	in.seek(in.at() + n)
	return nil
}

// dictionary returns the one that the file begins with, nil if there is none. It may be compressed
// itself.
func (in *input) dictionary() ([]byte, error) {
	if in.looked {
		return in.dict, nil
	}
	in.looked = true
	length := DictionaryLen(in.src)
	if length == 0 {
		return nil, nil
	}
	n := length - dictionaryHead
	if n > MaxDictionary || length > in.size {
		return nil, fmt.Errorf("its dictionary has %d bytes", n)
	}
	dict := make([]byte, n)
	if _, err := in.src.ReadAt(dict, dictionaryHead); err != nil {
		return nil, err
	}
	if isZstd(dict) {
		d, err := newDecoder(nil)
		if err != nil {
			return nil, err
		}
		if err := d.Reset(bytes.NewReader(dict)); err != nil {
			return nil, err
		}
		if dict, err = io.ReadAll(io.LimitReader(d, MaxDictionary+1)); err != nil || len(dict) > MaxDictionary {
			return nil, fmt.Errorf("its dictionary cannot be decompressed: %d bytes, %w", len(dict), err)
		}
	}
	in.dict = dict
	return dict, nil
}

const dictionaryHead = 8 // bytes before it

// DictionaryLen returns how many bytes the frame has with which a file with a dictionary begins, 0
// if there is none.
func DictionaryLen(src io.ReaderAt) int64 {
	var head [dictionaryHead]byte
	if _, err := src.ReadAt(head[:], 0); err != nil || binary.LittleEndian.Uint32(head[:]) != DictionaryMagic {
		return 0
	}
	return dictionaryHead + int64(binary.LittleEndian.Uint32(head[4:]))
}

// newDecoder starts no goroutine.
func newDecoder(dict []byte) (*zstd.Decoder, error) {
	opts := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
	switch {
	case bytes.HasPrefix(dict, []byte{0x37, 0xa4, 0x30, 0xec}): // RFC 8878, 5
		opts = append(opts, zstd.WithDecoderDicts(dict))
	case len(dict) > 0:
		opts = append(opts, zstd.WithDecoderDictRaw(0, dict))
	}
	return zstd.NewReader(nil, opts...)
}

// openFrame opens the frame at the input.
func (m *member) openFrame(in *input) error {
	if m.frames == nil {
		dict, err := in.dictionary()
		if err == nil {
			m.frames, err = newDecoder(dict)
		}
		if err != nil {
			return err
		}
	}
	m.frame = frame{in: in.buf}
	if err := m.frames.Reset(&m.frame); err != nil {
		return err
	}
	m.text.Reset(m.frames)
	return nil
}

// frame hands on the bytes of one frame of zstd (RFC 8878, 3.1.1) and ends where it does, which no
// field says: blocks are counted as they pass.
type frame struct {
	in    *bufio.Reader
	head  [18]byte // what is parsed, and then handed on
	part  []byte   // of head
	left  int      // bytes of a block
	sum   bool     // a checksum ends the frame
	begun bool
	last  bool
	ended bool
}

func (f *frame) Read(p []byte) (n int, err error) {
	for len(f.part) == 0 && f.left == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	if len(f.part) > 0 {
		n = copy(p, f.part)
		f.part = f.part[n:]
		return n, nil
	}
	n, err = f.in.Read(p[:min(len(p), f.left)])
	if f.left -= n; errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next reads what says how long the next part is.
func (f *frame) next() error {
	switch {
	case !f.begun:
		f.begun = true
		return f.begin()
	case f.last:
		if f.ended = true; f.sum {
			f.left = 4
		}
		return nil
	}
	if err := f.take(0, 3); err != nil {
		return err
	}
	h := int(f.head[0]) | int(f.head[1])<<8 | int(f.head[2])<<16
	f.last, f.left = h&1 != 0, h>>3
	if h>>1&3 == 1 { // one byte, repeated
		f.left = 1
	}
	return nil
}

// begin reads the frame's header: magic, descriptor, window, dictionary, size of the content.
func (f *frame) begin() error {
	if err := f.take(0, 5); err != nil {
		return err
	}
	d := f.head[4]
	single := d&0x20 != 0
	n := [...]int{0, 1, 2, 4}[d&3] + [...]int{0, 2, 4, 8}[d>>6]
	if single && d>>6 == 0 {
		n++
	}
	if !single {
		n++
	}
	f.sum = d&4 != 0
	return f.take(5, n)
}

// take reads n bytes behind those of head that are parsed, and hands all of them on.
func (f *frame) take(from, n int) error {
	if _, err := io.ReadFull(f.in, f.head[from:from+n]); err != nil {
		return io.ErrUnexpectedEOF
	}
	f.part = f.head[:from+n]
	return nil
}

// drain reads the frame to its end.
func (f *frame) drain() error {
	_, err := io.Copy(io.Discard, f)
	return err
}

// resync looks for the first record behind the damaged one.
func (r *Reader) resync() error {
	r.damaged = false
	plain := r.member.kind == ""
	for at := r.next + 1; ; at++ {
		var err error
		if at, err = r.begins(at, plain); err != nil {
			return err
		}
		if at >= r.to {
			r.next = r.to
			return nil
		}
		f, err := r.open(at)
		if r.in.err != nil {
			return r.in.err
		}
		if err == nil && f != nil {
			r.next = at
			r.in.seek(at)
			return nil
		}
	}
}

// begins returns the first byte from at on where something may begin that a record is in.
func (r *Reader) begins(at int64, plain bool) (int64, error) {
	buf := make([]byte, readBlock)
	for at < r.to {
		n, err := r.in.src.ReadAt(buf[:min(int64(len(buf)), r.in.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return at, err
		}
		b := buf[:n]
		for i := range b {
			rest := b[i:]
			if isGzip(rest) || isZstd(rest) || plain && bytes.HasPrefix(rest, []byte("WARC/1.")) {
				return at + int64(i), nil
			}
		}
		const overlap = len("WARC/1.") - 1 // it may begin at the end of the buffer
		if n <= overlap {
			return r.to, nil
		}
		at += int64(n - overlap)
	}
	return r.to, nil
}
