package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cespare/xxhash/v2"
)

// MaxKeys is how many different keys an experiment counts exactly.
const MaxKeys = 10_000_000

var errNotText = errors.New("is no text: it has NUL bytes")

// openText opens a file of lines, or in for "-", and refuses what is no text. name is what a
// user calls it.
func openText(path string, in io.Reader) (r *bufio.Reader, name string, done func() error, err error) {
	name, done = path, func() error { return nil }
	if path == "-" {
		if name = "standard input"; in == nil {
			return nil, name, done, &fs.PathError{Op: "read", Path: path, Err: errNoInput}
		}
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, name, done, err
		}
		in, done = f, f.Close
	}
	r = bufio.NewReaderSize(in, maxCorpusLine)
	head, err := r.Peek(4096)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		err = &fs.PathError{Op: "read", Path: name, Err: errCompressed}
	case bytes.IndexByte(head, 0) >= 0:
		err = &fs.PathError{Op: "read", Path: name, Err: errNotText}
	default:
		err = nil
	}
	if err != nil {
		return nil, name, done, errors.Join(err, done())
	}
	return r, name, done, nil
}

// eachLine calls yield with each line that is not empty, without the space around it, and its
// number. A line over 1 MiB ends it.
func eachLine(ctx context.Context, path string, in io.Reader, yield func(n int64, line []byte) error) error {
	r, name, done, err := openText(path, in)
	if err != nil {
		return err
	}
	for n := int64(1); err == nil; n++ {
		var line []byte
		line, err = r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fmt.Errorf("%s: line %d has more than %d bytes", name, n, maxCorpusLine)
			break
		}
		if n%4096 == 0 && ctx.Err() != nil {
			err = ctx.Err()
		}
		if text := bytes.TrimSpace(line); len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			if stop := yield(n, text); stop != nil {
				err = stop
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, done())
}

// seeded hashes a key under a seed.
func seeded(key, seed uint64) uint64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], key)
	binary.LittleEndian.PutUint64(b[8:], seed)
	return xxhash.Sum64(b[:])
}
