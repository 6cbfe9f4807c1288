package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"crawler/weburl"
)

// Recorded is what a record is of: a URL and, of a page, the digest of its text.
type Recorded struct {
	URL    weburl.URL
	Digest uint64 // 0 if it has none
}

// ReadURLs gives fn what each record of a file of a crawl directory is of, in the order in
// which they were written, also while the crawl runs; a last line that is not yet whole is left
// out. The file is PagesFile, RedirectsFile or SkippedFile; one that does not exist has no
// records. It takes about 0.5 µs a record.
//
// An error of fn ends it and is returned, with the file's name before it.
func ReadURLs(dir, file string, fn func(Recorded) error) error {
	return scan(filepath.Join(dir, file), func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			r, err := recorded(line)
			if err != nil {
				return err
			}
			return fn(r)
		})
	})
}

// recorded reads the beginning and the end of a line.
func recorded(line []byte) (r Recorded, err error) {
	text := urlOf(line)
	if bytes.IndexByte(text, '\\') >= 0 {
		var s string
		if err := json.Unmarshal(line[len(`{"url":`):len(`{"url":"`)+len(text)+1], &s); err != nil {
			return r, damaged(line, err)
		}
		text = []byte(s)
	}
	if r.URL, err = weburl.Parse(string(text)); err != nil {
		return r, damaged(line, fmt.Errorf("its URL is none: %w", err))
	}
	if line[len(line)-1] != '}' {
		return r, damaged(line, fmt.Errorf("it ends early"))
	}
	if digest, _ := textsOf(line); digest != nil {
		r.Digest = parseHex(digest)
	}
	return r, nil
}
