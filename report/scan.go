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
	buf, held := make([]byte, scanBlock), 0
	for {
		n, err := f.Read(buf[held:])
		held += n
		if end := bytes.LastIndexByte(buf[:held], '\n') + 1; end > 0 {
			if err := fn(buf[:end]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			held = copy(buf, buf[end:held])
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case held == len(buf) && held >= maxLine:
			return fmt.Errorf("%s: a line of more than %d bytes", name, maxLine)
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

// urlsOf returns what a line of pages.jsonl or skipped.jsonl is a record of, as JSON
// strings without their quotes: the URL and, if there is another, the one that answered.
// Both stand at the beginning of a line, so nothing else of it is looked at.
func urlsOf(line []byte) (url, final []byte) {
	url, rest := cutValue(line, `{"url":"`)
	final, _ = cutValue(rest, `,"final_url":"`)
	if bytes.Equal(url, final) {
		final = nil
	}
	return url, final
}

// cutValue returns the JSON string behind key and what follows it, nil if the line does
// not begin with the key.
func cutValue(line []byte, key string) (value, rest []byte) {
	line, ok := bytes.CutPrefix(line, []byte(key))
	if !ok {
		return nil, nil
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return nil, nil
		}
		if i += n; !escaped(line[:i]) {
			return line[:i], line[i+1:]
		}
	}
}

// escaped reports whether a JSON string continues behind b.
func escaped(b []byte) bool {
	return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1
}

// textsOf returns the digest and the Simhash at the end of a line of pages.jsonl, nil
// where it has none.
func textsOf(line []byte) (digest, simhash []byte) {
	line, ok := bytes.CutSuffix(line, []byte(`"}`))
	if !ok {
		return nil, nil
	}
	if rest, value := lastValue(line, `,"simhash":"`); value != nil {
		line, simhash = bytes.TrimSuffix(rest, []byte{'"'}), value
	}
	_, digest = lastValue(line, `,"digest":"`)
	return digest, simhash
}

// lastValue returns the 16 digits at the end of the line and what is before key, if it
// is the key that they stand behind.
func lastValue(line []byte, key string) (rest, value []byte) {
	at := len(line) - 16
	if at < len(key) || string(line[at-len(key):at]) != key {
		return nil, nil
	}
	return line[:at-len(key)], line[at:]
}
