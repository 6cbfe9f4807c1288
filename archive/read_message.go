package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"

	"crawler/fetch"
	"crawler/warc"
)

// MaxBody is how long a body may become in decoding.
const MaxBody = 1 << 30

// maxHead is how long the header of an archived answer may be.
const maxHead = 1 << 20

// Message is an archived answer. Body is decoded: without transfer and content codings.
type Message struct {
	Status int
	Reason string // as it was sent, "404 Not Found"
	Header http.Header
	Body   io.Reader
	Cut    bool // the record says that the body is not whole
}

var errNoHTTP = errors.New("the record is no answer of an HTTP server")

// open reads the header of an archived answer. It lasts until the record's reader moves on.
func open(f *warc.Found) (*Message, error) {
	m, err := received(f)
	if err == nil {
		err = m.decode()
	}
	return m, err
}

// decode decodes the content coding that the header names.
func (m *Message) decode() (err error) {
	m.Body, err = fetch.Decode(m.Body, m.Header, MaxBody)
	return err
}

// received is open without the content coding: the body is the payload.
func received(f *warc.Found) (*Message, error) {
	if t := f.Get(warc.FieldContentType); !strings.HasPrefix(strings.ToLower(strings.ReplaceAll(t, " ", "")), "application/http") {
		return nil, fmt.Errorf("%w: its type is %.60q", errNoHTTP, t)
	}
	in := bufio.NewReader(f)
	head, err := headOf(in)
	if err != nil {
		return nil, err
	}
	line, rest, _ := bytes.Cut(head, []byte{'\n'})
	m := &Message{Cut: f.Get(warc.FieldTruncated) != ""}
	_, m.Reason, _ = strings.Cut(strings.TrimSpace(string(line)), " ")
	code, _, _ := strings.Cut(m.Reason, " ")
	if m.Status, err = strconv.Atoi(code); err != nil || m.Status < 100 || m.Status > 999 || !bytes.HasPrefix(line, []byte("HTTP/")) {
		return nil, fmt.Errorf("%w: it begins with %.40q", errNoHTTP, line)
	}
	h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	if len(h) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", errNoHTTP, err)
	}
	m.Header = http.Header(h)
	m.Body = in
	switch {
	case f.Get(warc.FieldType) == warc.Revisit:
		m.Body = bytes.NewReader(nil)
	case strings.EqualFold(m.Header.Get("Transfer-Encoding"), "chunked"):
		m.Body = httputil.NewChunkedReader(in)
	default:
		if n, err := strconv.ParseInt(m.Header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
			m.Body = io.LimitReader(in, n)
		}
	}
	return m, nil
}

// headOf reads up to the empty line that ends a header, or to the end.
func headOf(in *bufio.Reader) (head []byte, err error) {
	for {
		line, err := in.ReadSlice('\n')
		if head = append(head, line...); len(head) > maxHead {
			return nil, fmt.Errorf("%w: its header has more than %d bytes", errNoHTTP, maxHead)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return append(head, "\r\n"...), nil
		case err != nil:
			return nil, err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return head, nil
		}
	}
}
