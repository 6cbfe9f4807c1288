package warc

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Limits bounds what a Reader takes from a file. Zero values mean the defaults.
type Limits struct {
	Header int   // bytes of a record's fields; default 256 KiB
	Block  int64 // bytes of a block; default 1 GiB
}

const (
	defaultHeader = 256 << 10
	defaultBlock  = 1 << 30

	maxFields = 1000 // of a record
	maxWindow = 8 << 20
	readBlock = 64 << 10
)

// Damage is a record that is not what a writer has written. The error wraps what is wrong.
type Damage struct {
	File   string
	Offset int64 // where the record begins
	Err    error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("%s is damaged: the record at byte %d: %v", d.File, d.Offset, d.Err)
}

func (d *Damage) Unwrap() error { return d.Err }

// Torn reports whether the file ends before the record does, as one does to which records are
// just being appended, or were when the machine stopped.
func (d *Damage) Torn() bool { return errors.Is(d.Err, io.ErrUnexpectedEOF) }

// Found is a record of a file. Read reads its block.
type Found struct {
	Header
	Version string // "WARC/1.0" or "WARC/1.1"
	Offset  int64  // where it begins in the file
	Size    int64  // of the block, in bytes

	left int64
	in   *member
	err  error
}

// Read reads the block. It returns io.ErrUnexpectedEOF if the record ends before it.
func (f *Found) Read(p []byte) (int, error) {
	switch {
	case f.err != nil:
		return 0, f.err
	case f.left == 0:
		return 0, io.EOF
	}
	n, err := f.in.text.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	f.err = f.in.short(err)
	return n, f.err
}

// TargetURI returns the URI that the record is about. wget writes it in angle brackets.
func (h Header) TargetURI() string {
	uri := h.Get(FieldTargetURI)
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	return uri
}

// Reader reads the records of a file one after the other: WARC 1.0 and 1.1, compressed by gzip or
// zstd a record, or not at all. It is strict: what the standard does not allow is a Damage, and so
// is what is beyond the Limits. It takes memory for a record's fields and some 200 KiB, whatever
// the file holds: a block is decompressed as it is read, and never beyond its length.
//
// After a Damage, Next finds the next record behind it. A Reader belongs to one goroutine.
type Reader struct {
	name   string
	limits Limits
	in     input
	to     int64 // records that begin from here on are not read

	present *Found // nil: none, or it is finished
	damaged bool   // the record at next is
	next    int64  // where the next record begins, or the damaged one
	member  member
	head    []byte // scratch
}

// NewReader reads the records of the named file that begin at byte from or behind it, and before
// byte to; size is the file's. A record must begin at from.
func NewReader(src io.ReaderAt, name string, from, to, size int64, limits Limits) *Reader {
	if limits.Header <= 0 {
		limits.Header = defaultHeader
	}
	if limits.Block <= 0 {
		limits.Block = defaultBlock
	}
	r := &Reader{name: name, limits: limits, next: from, to: min(to, size)}
	r.in = input{src: src, size: size, buf: bufio.NewReaderSize(nil, readBlock)}
	r.member.text = bufio.NewReaderSize(nil, readBlock)
	return r
}

// Next returns the next record, io.EOF when there is none, or a Damage. The record before is
// skipped if it was not read.
func (r *Reader) Next() (*Found, error) {
	if r.present != nil {
		if _, err := r.Finish(); err != nil {
			return nil, err
		}
	}
	if r.damaged {
		if err := r.resync(); err != nil {
			return nil, err
		}
	}
	if r.next >= r.to {
		return nil, io.EOF
	}
	f, err := r.open(r.next)
	if err != nil || f == nil {
		return nil, r.damage(err)
	}
	r.present = f
	return f, nil
}

// Finish reads the present record to its end, and returns how many bytes of the file it takes.
func (r *Reader) Finish() (length int64, err error) {
	f := r.present
	if f == nil {
		return 0, errors.New("warc: no record is being read")
	}
	r.present = nil
	if _, err := io.Copy(io.Discard, f); err != nil {
		return 0, r.damage(err)
	}
	if err := r.member.close(&r.in); err != nil {
		return 0, r.damage(err)
	}
	length = r.in.at() - f.Offset
	r.next = r.in.at()
	return length, nil
}

// damage notes that the record at next is damaged. An error of the file itself is none.
func (r *Reader) damage(err error) error {
	if r.in.err != nil {
		return r.in.err
	}
	r.damaged = true
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &Damage{r.name, r.next, err}
}

// open opens the record at the given byte.
func (r *Reader) open(at int64) (*Found, error) {
	r.in.seek(at)
	if err := r.member.open(&r.in); err != nil {
		return nil, err
	}
	f := &Found{Offset: at, in: &r.member}
	if err := r.fields(f); err != nil {
		return nil, err
	}
	return f, nil
}

// fields reads a record up to its block.
func (r *Reader) fields(f *Found) error {
	left := r.limits.Header
	version, err := r.line(&left)
	if err != nil {
		return err
	}
	if f.Version = string(version); f.Version != Version && f.Version != "WARC/1.0" {
		return fmt.Errorf("it begins with %.20q, not with WARC/1.0 or WARC/1.1", version)
	}
	for {
		line, err := r.line(&left)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return f.check(r.limits.Block)
		}
		if err := f.add(line); err != nil {
			return err
		}
	}
}

// line reads a line without its end, CR LF. It is valid until the next call.
func (r *Reader) line(left *int) ([]byte, error) {
	line, long := []byte(nil), r.head[:0]
	for {
		part, err := r.member.text.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, fmt.Errorf("its fields have more than %d bytes", r.limits.Header)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		if err != nil {
			return nil, r.member.short(err)
		}
		if line = part; len(long) > 0 {
			long = append(long, part...)
			line, r.head = long, long
		}
		break
	}
	line, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok {
		return nil, fmt.Errorf("the line %.40q does not end in CR LF", line)
	}
	return line, nil
}

// add adds a field, or what continues the last one.
func (f *Found) add(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		if len(f.Header) == 0 {
			return errors.New("a line continues no field")
		}
		last := &f.Header[len(f.Header)-1]
		last.Value = strings.TrimSpace(last.Value + " " + string(bytes.TrimSpace(line)))
		return nil
	}
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok || !isToken(name) {
		return fmt.Errorf("%.40q is no field", line)
	}
	if bytes.IndexByte(value, 0) >= 0 {
		return fmt.Errorf("the field %.40q has a NUL byte", name)
	}
	if len(f.Header) == maxFields {
		return fmt.Errorf("more than %d fields", maxFields)
	}
	f.Header = append(f.Header, Field{string(name), string(bytes.TrimSpace(value))})
	return nil
}

// isToken reports whether b is a field's name (RFC 2616's token).
func isToken(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0 {
			return false
		}
	}
	return len(b) > 0
}

// check returns an error if a field is missing that each record has, and sets the block's size.
func (f *Found) check(most int64) error {
	for _, name := range []string{FieldType, FieldRecordID, FieldDate, FieldContentLength} {
		switch n := len(f.Values(name)); {
		case n == 0:
			return fmt.Errorf("it has no %s", name)
		case n > 1:
			return fmt.Errorf("it has %d fields %s", n, name)
		}
	}
	length := f.Get(FieldContentLength)
	n, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		return fmt.Errorf("its Content-Length is %.40q", length)
	}
	if int64(n) > most {
		return fmt.Errorf("its block has %d bytes, the limit is %d", n, most)
	}
	f.Size, f.left = int64(n), int64(n)
	return nil
}

// member is the part of a file that is compressed by itself: one record, or what follows in a
// file that is not compressed.
type member struct {
	kind   Compression // "": not compressed
	text   *bufio.Reader
	spare  *bufio.Reader
	gzip   *gzip.Reader
	frames *zstd.Decoder
	frame  frame
}

// open opens what begins at the input.
func (m *member) open(in *input) (err error) {
	if m.spare == nil {
		m.spare = m.text
	}
	m.text = m.spare
	for {
		switch magic, _ := in.buf.Peek(5); {
		case len(magic) == 0:
			return io.ErrUnexpectedEOF
		case isGzip(magic):
			m.kind = Gzip
			if m.gzip == nil {
				m.gzip, err = gzip.NewReader(in)
			} else {
				err = m.gzip.Reset(in)
			}
			if err == nil {
				m.gzip.Multistream(false)
				m.text.Reset(m.gzip)
			}
			return err
		case isZstd(magic):
			m.kind = Zstd
			return m.openFrame(in)
		case isSkippable(magic):
			if err := in.skipFrame(); err != nil {
				return err
			}
		default:
			m.kind, m.text = "", in.buf
			return nil
		}
	}
}

// short is the error of a record that goes on where its member ends.
func (m *member) short(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return err
	case m.kind == "":
		return io.ErrUnexpectedEOF
	}
	return errors.New("what was compressed ends before the record does")
}

// close checks what follows the block, which has been read: two line ends, and the end of what was
// compressed.
func (m *member) close(in *input) error {
	var rest [len(end)]byte
	if _, err := io.ReadFull(m.text, rest[:]); err != nil {
		return m.short(err)
	}
	if string(rest[:]) != end {
		return fmt.Errorf("its block is followed by %q, not by two line ends", rest[:])
	}
	if m.kind == "" {
		return nil
	}
	switch _, err := m.text.ReadByte(); {
	case err == nil:
		return errors.New("it has more bytes than its Content-Length says")
	case !errors.Is(err, io.EOF):
		return err
	}
	if m.kind == Zstd {
		return m.frame.drain()
	}
	return nil
}

// BlockDigest reads a block to its end, gives each part of it to fn, and returns its digest.
func BlockDigest(f *Found, fn func(part []byte)) (d Digest, err error) {
	h := sha1.New()
	buf := make([]byte, readBlock)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		fn(buf[:n])
		if errors.Is(err, io.EOF) {
			return Digest(h.Sum(nil)), nil
		}
		if err != nil {
			return d, err
		}
	}
}
