package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const (
	scanBlock = 1 << 20   // bytes read at a time
	maxLine   = 256 << 20 // bytes of the longest line; the records of pages are bounded well below
)

// scan gives the file's lines to fn, many at a time: each call gets one or more whole
// lines, valid until it returns. A last line without its end is one that a crash cut off
// and is left out. A file that does not exist has no lines.
func scan(name string, fn func(lines []byte) error) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := scanLines(f, fn); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// scanPart gives fn each line, without its end, of a part of a file that begins where a line does.
func scanPart(r io.ReaderAt, from, to int64, fn func(line []byte) error) error {
	return scanLines(io.NewSectionReader(r, from, max(to-from, 0)), func(lines []byte) error { return eachLine(lines, fn) })
}

// scanLines is scan of what r has.
func scanLines(r io.Reader, fn func(lines []byte) error) error {
	buf, held := make([]byte, scanBlock), 0
	for {
		n, err := r.Read(buf[held:])
		held += n
		if end := bytes.LastIndexByte(buf[:held], '\n') + 1; end > 0 {
			if err := fn(buf[:end]); err != nil {
				return err
			}
			held = copy(buf, buf[end:held])
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case held == len(buf) && held >= maxLine:
			return fmt.Errorf("a line of more than %d bytes", maxLine)
		case held == len(buf):
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// eachLine gives fn each line, without its end, until fn fails.
func eachLine(lines []byte, fn func(line []byte) error) error {
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		if err := fn(lines[:end]); err != nil {
			return err
		}
		lines = lines[end+1:]
	}
	return nil
}

// urlOf returns what a line of pages.jsonl, redirects.jsonl or skipped.jsonl is a record of, as
// a JSON string without its quotes. It stands at the beginning, so nothing else of the line is
// looked at.
func urlOf(line []byte) []byte {
	line, ok := bytes.CutPrefix(line, []byte(`{"url":"`))
	if !ok {
		return nil
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return nil
		}
		if i += n; !escaped(line[:i]) {
			return line[:i]
		}
	}
}

// escaped reports whether a JSON string continues behind b.
func escaped(b []byte) bool {
	return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1
}

// What the last values of a line of pages.jsonl begin with. Earlier versions wrote simhashes.
const (
	digestKey    = `,"digest":"`
	signatureKey = `,"near_signature":"`
	simhashKey   = `,"simhash":"`
	inLinksKey   = `,"inlinks":`

	digestLength    = 16 // characters
	signatureLength = 172
)

// textsOf returns the digest and the signature at the end of a line of pages.jsonl, nil
// where it has none.
func textsOf(line []byte) (digest, signature []byte) {
	line, ok := bytes.CutSuffix(line, []byte("}"))
	if !ok {
		return nil, nil
	}
	line = withoutInLinks(line)
	if line, ok = bytes.CutSuffix(line, []byte{'"'}); !ok {
		return nil, nil
	}
	if rest, value := lastValue(line, signatureKey, signatureLength); value != nil {
		line, signature = bytes.TrimSuffix(rest, []byte{'"'}), value
	} else if rest, value := lastValue(line, simhashKey, digestLength); value != nil {
		line = bytes.TrimSuffix(rest, []byte{'"'})
	}
	_, digest = lastValue(line, digestKey, digestLength)
	return digest, signature
}

// withoutInLinks cuts the number off that a line may end with.
func withoutInLinks(line []byte) []byte {
	digits := bytes.TrimRight(line, "0123456789")
	if rest, ok := bytes.CutSuffix(digits, []byte(inLinksKey)); ok {
		return rest
	}
	return line
}

// lastValue returns the last characters of the line and what is before key, if it is the key
// that they stand behind.
func lastValue(line []byte, key string, length int) (rest, value []byte) {
	at := len(line) - length
	if at < len(key) || string(line[at-len(key):at]) != key {
		return nil, nil
	}
	return line[:at-len(key)], line[at:]
}
