package fetch

import (
	"errors"
	"io"
	"net/http"
)

// ErrTooLong says that a body is longer in decoding than its reader allows.
var ErrTooLong = errBomb

// Decode returns a body that was kept as it came, without the content codings that its header
// names, decoded as a Client decodes: unknown names are taken for none. After max bytes it ends
// with ErrTooLong. Memory is that of the decoders, at most three, of some megabytes.
func Decode(body io.Reader, header http.Header, max int64) (io.Reader, error) {
	var p pools
	names := codings(header, nil)
	if len(names) > maxLayers {
		return nil, &decodeError{coding: "content-encoding", err: errors.New("too many layers")}
	}
	for _, name := range names {
		if p.of(name) == nil {
			names = nil
			break
		}
	}
	for i := len(names) - 1; i >= 0; i-- {
		dec, err := p.decoder(names[i])
		if err == nil {
			err = dec.Reset(body)
		}
		if err != nil {
			return nil, &decodeError{coding: names[i], err: err}
		}
		body = &layer{coding: names[i], dec: dec, max: max}
	}
	return &bounded{body, max}, nil
}

// bounded ends a body that is too long.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLong
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLong
	}
	return n, err
}
