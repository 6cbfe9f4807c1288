package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding names what the decoders below read, cheapest to decode last as
// servers tend to prefer anyway.
const acceptEncoding = "gzip, deflate, br, zstd"

const (
	// maxLayers is how many content codings may be stacked. One is usual, two
	// a server's mistake, more an attack.
	maxLayers = 3
	// decodeBuffer is the input buffer in front of gzip and deflate.
	decodeBuffer = 16 << 10
	// maxZstdWindow is what RFC 9659 lets a server use over HTTP.
	maxZstdWindow = 8 << 20
)

// Content codings (RFC 9110, section 8.4.1).
const (
	codingGzip    = "gzip"
	codingDeflate = "deflate"
	codingBrotli  = "br"
	codingZstd    = "zstd"
)

// A decoder undoes one content coding. Decoders are pooled, since a fresh one
// costs from 40 KiB (deflate) to megabytes (zstd).
type decoder interface {
	io.Reader
	Reset(src io.Reader) error
}

// pools holds the client's spare buffers and decoders.
type pools struct {
	body, reader                sync.Pool
	gzip, deflate, brotli, zstd sync.Pool
}

func (p *pools) of(coding string) *sync.Pool {
	switch coding {
	case codingGzip:
		return &p.gzip
	case codingDeflate:
		return &p.deflate
	case codingBrotli:
		return &p.brotli
	case codingZstd:
		return &p.zstd
	default:
		return nil
	}
}

func (p *pools) decoder(coding string) (decoder, error) {
	if d, ok := p.of(coding).Get().(decoder); ok {
		return d, nil
	}
	switch coding {
	case codingGzip:
		return &gzipDecoder{in: bufio.NewReaderSize(nil, decodeBuffer)}, nil
	case codingDeflate:
		return &deflateDecoder{in: bufio.NewReaderSize(nil, decodeBuffer)}, nil
	case codingBrotli:
		return new(brotli.Reader), nil
	default:
		// One at a time, in the caller's goroutine: Close is then not needed
		// to free anything, so a decoder may be dropped by the pool.
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
	}
}

// codings lists the header's content codings in the order they were applied,
// without those that mean nothing ("identity").
func codings(h http.Header, into []string) []string {
	for _, value := range h["Content-Encoding"] {
		for name := range strings.SplitSeq(value, ",") {
			switch name = strings.ToLower(strings.Trim(name, " \t")); name {
			case "", "identity":
			case "x-gzip":
				into = append(into, codingGzip)
			default:
				into = append(into, name)
			}
			if len(into) > maxLayers {
				return into
			}
		}
	}
	return into
}

// A layer is one decoder at work on the output of the layer below. It names the
// coding in errors and counts what comes out.
type layer struct {
	coding string
	dec    decoder
	out    int64
	max    int64 // most bytes of output
}

func (l *layer) Read(p []byte) (int, error) {
	n, err := l.dec.Read(p)
	l.out += int64(n)
	if l.out > l.max {
		return n, errBomb
	}
	if err != nil && err != io.EOF {
		err = &decodeError{coding: l.coding, err: err}
	}
	return n, err
}

// gzipDecoder reads any number of gzip members and ignores what follows them
// that is no member, as browsers do.
type gzipDecoder struct {
	in     *bufio.Reader
	z      gzip.Reader
	inside bool
}

func (d *gzipDecoder) Reset(src io.Reader) error {
	d.in.Reset(src)
	d.inside = false
	if src == nil {
		return nil
	}
	return d.next()
}

// next begins a member.
func (d *gzipDecoder) next() error {
	err := d.z.Reset(d.in)
	d.z.Multistream(false)
	d.inside = err == nil
	return err
}

func (d *gzipDecoder) Read(p []byte) (int, error) {
	for d.inside {
		n, err := d.z.Read(p)
		if err == io.EOF {
			err = nil
			if e := d.next(); e != nil && !endsGzip(e) {
				err = e
			}
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.EOF
}

// endsGzip reports whether what follows a member is nothing, or no member. A
// failure of the connection is neither.
func endsGzip(err error) bool {
	return err == io.EOF || err == io.ErrUnexpectedEOF || errors.Is(err, gzip.ErrHeader)
}

// deflateDecoder reads the coding "deflate": by the standard a zlib stream, from
// some servers a bare deflate stream. The first two bytes distinguish them. The
// zlib checksum is not checked: servers that get the wrapping wrong get that
// wrong too.
type deflateDecoder struct {
	in *bufio.Reader
	z  io.ReadCloser
}

func (d *deflateDecoder) Reset(src io.Reader) error {
	d.in.Reset(src)
	if src == nil {
		return nil
	}
	if head, err := d.in.Peek(2); err == nil && isZlib(head) {
		d.in.Discard(2)
	}
	if d.z == nil {
		d.z = flate.NewReader(d.in)
		return nil
	}
	return d.z.(flate.Resetter).Reset(d.in, nil)
}

// isZlib checks a zlib header: method 8, window up to 32 KiB, no dictionary,
// and the check bits (RFC 1950, section 2.2).
func isZlib(head []byte) bool {
	return head[0]&0x0F == 8 && head[0]>>4 <= 7 && head[1]&0x20 == 0 &&
		(int(head[0])<<8|int(head[1]))%31 == 0
}

func (d *deflateDecoder) Read(p []byte) (int, error) { return d.z.Read(p) }

func unknownCoding(name string) error {
	const longest = 40
	return &decodeError{coding: fmt.Sprintf("%.*q", longest, name), err: errors.New("unknown content coding")}
}
