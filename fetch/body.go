package fetch

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

const (
	// minBuffer is a new body buffer's size; most pages fit.
	minBuffer = 32 << 10
	// maxPooled is the largest buffer kept for another page. One huge page must
	// not pin its memory for the rest of the crawl.
	maxPooled = 1 << 20
	// maxPresize is the largest Content-Length that is believed before the bytes have
	// arrived.
	maxPresize = 256 << 10
	// ratioGrace is the decoded size up to which any ratio is fine.
	ratioGrace = 1 << 20
	// maxDrain is how many useless bytes are read to keep a connection. More
	// than that, and a new connection is cheaper.
	maxDrain = 8 << 10
	// maxEmptyReads is how often a reader may return nothing and no error.
	maxEmptyReads = 100
	// sniffLen is how much http.DetectContentType looks at.
	sniffLen = 512
	// lateLook is how much of a body is read before its first bytes are checked against
	// its header: most pages are shorter.
	lateLook = 64 << 10
)

// wireReader counts the bytes from the wire, stops at a limit and remembers how it ended, so
// that a decoder's complaint about missing input can be distinguished from the connection's
// failure.
type wireReader struct {
	src  io.Reader
	pace *pace
	n    int64
	left int64
	cut  bool  // there is more than the limit
	err  error // how src ended
}

func (w *wireReader) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.left <= 0 {
		w.cut = true
		return 0, io.EOF
	}
	if int64(len(p)) > w.left {
		p = p[:w.left]
	}
	n, err := w.src.Read(p)
	w.pace.read(n)
	w.n += int64(n)
	w.left -= int64(n)
	w.err = err
	return n, err
}

// bodyReader is what reading one body needs besides the buffer; pooled.
type bodyReader struct {
	wire   wireReader
	names  [maxLayers + 1]string
	layers [maxLayers]layer
	depth  int
	sink   [sniffLen]byte
}

// readBody reads raw's body into res. On failure res keeps what was read.
func (c *Client) readBody(res *Response, raw *http.Response, lim limits) error {
	most := lim.body
	if res.Status >= 300 {
		most = min(most, maxErrorBody)
	}
	if lim.byType != nil && !saysNothing(res.MediaType) {
		most = min(most, max(lim.byType(res.MediaType), 0))
	}
	br := c.pools.bodyReader()
	defer c.pools.putReader(br)
	br.wire = wireReader{src: raw.Body, pace: lim.pace, left: wireLimit(most, raw)}
	res.buf = c.pools.bodyBuffer(min(raw.ContentLength, most))

	unknown, err := br.open(&c.pools, codings(raw.Header, br.names[:0]), lim.body)
	if err == nil {
		err = c.readAll(res, br, most, lim)
	}
	res.WireBytes = br.wire.n
	res.Body = *res.buf
	if res.MediaType == "" && len(res.Body) > 0 {
		res.MediaType = sniff(res.Body)
	}
	if err == nil && unknown != "" && !strings.HasPrefix(sniff(res.Body), "text/") {
		err = unknownCoding(unknown)
	}
	if err = br.cause(err); err != nil {
		return err
	}
	res.Truncated = res.Truncated || br.wire.cut
	if !res.Truncated || raw.ContentLength >= 0 {
		br.drain(raw)
	}
	return nil
}

// wireLimit is how many bytes to read from the wire for most decoded ones. One
// more than fits distinguishes a cut body from one that just fits.
func wireLimit(most int64, raw *http.Response) int64 {
	if len(raw.Header["Content-Encoding"]) == 0 || most == 0 {
		return most + 1
	}
	// Small pages may grow in coding, by their wrapping.
	const wrapping = 4 << 10
	return most + wrapping
}

// open puts the decoders on top of the wire, last applied first. If a coding is
// unknown it decodes nothing and returns the name: servers write all sorts of
// things into Content-Encoding ("utf-8", "none") and send plain text.
func (br *bodyReader) open(p *pools, names []string, most int64) (unknown string, err error) {
	if len(names) > maxLayers {
		return "", &decodeError{coding: "content-encoding", err: errors.New("too many layers")}
	}
	for _, name := range names {
		if p.of(name) == nil {
			return name, nil
		}
	}
	var src io.Reader = &br.wire
	for i := len(names) - 1; i >= 0; i-- {
		dec, err := p.decoder(names[i])
		if err != nil {
			return "", &decodeError{coding: names[i], err: err}
		}
		l := &br.layers[br.depth]
		*l = layer{coding: names[i], dec: dec, max: most + maxPresize}
		br.depth++
		if err := dec.Reset(src); err != nil {
			return "", &decodeError{coding: names[i], err: err}
		}
		src = l
	}
	return "", nil
}

// reader is the top of the stack: it reads into the room that a body has.
func (br *bodyReader) reader() func(body []byte) (n int, err error) {
	var top io.Reader = &br.wire
	if br.depth > 0 {
		l := &br.layers[br.depth-1]
		if a, ok := l.dec.(appender); ok {
			return func(body []byte) (int, error) { return l.append(a, body) }
		}
		top = l
	}
	return func(body []byte) (int, error) { return top.Read(body[len(body):cap(body)]) }
}

// readAll reads up to most bytes. Where the limit depends on the type, it looks at the
// first bytes before it decides how many those are: at once without a type that says
// anything, else if the body is a long one.
func (c *Client) readAll(res *Response, br *bodyReader, most int64, lim limits) error {
	look := int64(lateLook)
	if saysNothing(res.MediaType) {
		look = sniffLen
	}
	if lim.byType != nil && most > look {
		cut, err := c.readUpTo(res, br, look, lim)
		if err != nil || !cut {
			return err
		}
		kind := sniff(*res.buf)
		if saysNothing(res.MediaType) || !saysNothing(kind) { // UTF-16 looks like nothing, too
			most = min(most, max(lim.byType(kind), 0))
		}
		if res.MediaType == "" {
			res.MediaType = kind
		}
	}
	cut, err := c.readUpTo(res, br, most, lim)
	if err != nil {
		return err
	}
	res.Truncated = cut
	if b := *res.buf; int64(len(b)) > most {
		*res.buf = b[:most]
	}
	return nil
}

// readUpTo appends to the body until it ends or holds more than most bytes,
// which cut reports.
func (c *Client) readUpTo(res *Response, br *bodyReader, most int64, lim limits) (cut bool, err error) {
	read := br.reader()
	b := *res.buf
	defer func() { *res.buf = b }()
	for empty := 0; int64(len(b)) <= most; {
		if len(b) == cap(b) {
			more := min(cap(b), int(most)+1-len(b))
			if err := lim.more(int64(cap(b)+more), br.depth == 0); err != nil {
				return false, err
			}
			b = slices.Grow(b, more)
		}
		n, err := read(b[:len(b):min(int64(cap(b)), most+1, int64(len(b)+maxPresize))])
		b = b[:len(b)+n]
		if br.depth > 0 && len(b) > ratioGrace && int64(len(b)) > br.wire.n*int64(c.cfg.MaxRatio) {
			return false, errBomb
		}
		if err == io.EOF {
			return int64(len(b)) > most, nil
		}
		if err != nil {
			return false, err
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads {
			return false, io.ErrNoProgress
		}
	}
	return true, nil
}

// cause returns the error that caused err. A decoder cannot know that the connection
// failed under it, that we cut its input, or that there never was a body: a
// header may announce a coding and no bytes follow.
func (br *bodyReader) cause(err error) error {
	switch {
	case err == nil, errors.Is(err, errBomb):
		return err
	case br.wire.cut, br.wire.err == io.EOF && br.wire.n == 0:
		return nil
	case br.wire.err != nil && br.wire.err != io.EOF:
		return br.wire.err
	default:
		return err
	}
}

// drain reads what is left of the wire if that is little, so that the
// connection can serve another request. The bytes themselves (a checksum, garbage
// after the coded stream, the end of a cut error page) are useless.
func (br *bodyReader) drain(raw *http.Response) {
	if br.wire.err != nil || raw.ContentLength-br.wire.n > maxDrain {
		return
	}
	for range maxDrain / sniffLen {
		if _, err := raw.Body.Read(br.sink[:]); err != nil {
			return
		}
	}
}

// saysNothing reports whether a type is one that servers give to any file.
func saysNothing(mediaType string) bool {
	return mediaType == "" || mediaType == "application/octet-stream"
}

func sniff(body []byte) string {
	return mediaType(http.DetectContentType(body[:min(len(body), sniffLen)]))
}

func (p *pools) bodyReader() *bodyReader {
	if br, ok := p.reader.Get().(*bodyReader); ok {
		return br
	}
	return new(bodyReader)
}

// putReader gives the decoders back, each cut off from the connection.
func (p *pools) putReader(br *bodyReader) {
	for i := range br.depth {
		l := &br.layers[i]
		l.dec.Reset(nil)
		p.of(l.coding).Put(l.dec)
		*l = layer{}
	}
	br.depth = 0
	br.wire = wireReader{}
	clear(br.names[:])
	p.reader.Put(br)
}

// bodyBuffer returns an empty buffer for a body of about size bytes, if that is
// known (0 or more).
func (p *pools) bodyBuffer(size int64) *[]byte {
	b, ok := p.body.Get().(*[]byte)
	if !ok {
		b = new([]byte)
	}
	want := int(min(max(size+1, minBuffer), maxPresize))
	*b = slices.Grow((*b)[:0], want)
	return b
}

func (p *pools) putBody(b *[]byte) {
	if cap(*b) <= maxPooled {
		p.body.Put(b)
	}
}
