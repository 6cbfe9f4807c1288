package survey

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"crawler/report"
)

// maxLine is the longest line of pages.jsonl, in bytes.
const maxLine = 256 << 20

// page is what is needed of a line of pages.jsonl.
type page struct {
	URL         string `json:"url"`
	Status      int    `json:"status"`
	Depth       int    `json:"depth"`
	Via         string `json:"via"`
	From        string `json:"from"`
	ContentType string `json:"content_type"`
}

// html reports whether the page is one for readers.
func (p *page) html() bool {
	return p.ContentType == "text/html" || p.ContentType == "application/xhtml+xml"
}

func eachPage(ctx context.Context, dir string, fn func(*page) error) error {
	return eachRecord(ctx, filepath.Join(dir, report.PagesFile), fn)
}

func eachRedirect(ctx context.Context, dir string, fn func(*report.RedirectRecord) error) error {
	return eachRecord(ctx, filepath.Join(dir, report.RedirectsFile), fn)
}

func eachSkip(ctx context.Context, dir string, fn func(*skip) error) error {
	return eachRecord(ctx, filepath.Join(dir, report.SkippedFile), fn)
}

// eachRecord gives fn every whole line of a file of JSON; a file that does not exist has
// none. A last line without its end is one that a crash cut off, or that is being written.
func eachRecord[R any](ctx context.Context, name string, fn func(*R) error) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	lines.Split(wholeLines)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s: damaged line %d: %w", name, n, err)
		}
		if err := fn(&r); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// wholeLines is bufio.ScanLines without a last line that has no end.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}
