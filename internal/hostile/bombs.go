package hostile

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// bombs are bodies that grow more than 300-fold in decoding, by Content-Encoding.
type bombs map[string]string

// bombSize is what one comes to, decoded.
const bombSize = 4 << 20

func newBombs() (bombs, error) {
	b := bombs{}
	// What is no text is cut before it has grown.
	text := bytes.Repeat([]byte(piece), bombSize/len(piece))
	for coding, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"br":   func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 1), nil },
		"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	} {
		packed, err := pack(text, open)
		if err != nil {
			return nil, err
		}
		b[coding] = packed
	}
	nested, err := pack([]byte(b["gzip"]), func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 1), nil })
	b["gzip, br"] = nested
	return b, err
}

func pack(data []byte, open func(io.Writer) (io.WriteCloser, error)) (string, error) {
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(data); err != nil {
		return "", err
	}
	err = w.Close()
	return b.String(), err
}
