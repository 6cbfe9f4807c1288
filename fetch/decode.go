package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"crawler/internal/inflate"
)

// acceptEncoding names what the decoders below read, cheapest to decode last as
// servers tend to prefer anyway.
const acceptEncoding = "gzip, deflate, br, zstd"

const (
	// maxLayers is how many content codings may be stacked. One is usual, two
	// a server's mistake, more an attack.
	maxLayers = 3
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
		return &inflater{format: inflate.Gzip}, nil
	case codingDeflate:
		return &inflater{format: inflate.Deflate}, nil
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
	return l.account(n, err)
}

// appender is a decoder that can use its output as the window that it looks back into.
type appender interface {
	// Append decodes into the room that dst has, which must be all output so far.
	Append(dst []byte) ([]byte, error)
}

// append is Read into the room that a body has.
func (l *layer) append(to appender, body []byte) (int, error) {
	longer, err := to.Append(body)
	return l.account(len(longer)-len(body), err)
}

// account counts n bytes of output, and names the coding in an error.
func (l *layer) account(n int, err error) (int, error) {
	l.out += int64(n)
	if l.out > l.max {
		return n, errBomb
	}
	if err != nil && err != io.EOF {
		err = &decodeError{coding: l.coding, err: err}
	}
	return n, err
}

// inflater decodes gzip or deflate.
type inflater struct {
	inflate.Reader
	format inflate.Format
}

func (d *inflater) Reset(src io.Reader) error {
	d.Reader.Reset(src, d.format)
	return nil
}

func unknownCoding(name string) error {
	const longest = 40
	return &decodeError{coding: fmt.Sprintf("%.*q", longest, name), err: errors.New("unknown content coding")}
}
