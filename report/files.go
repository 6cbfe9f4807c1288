package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"crawler/crawl"
)

// PageRecord is one line of pages.jsonl.
type PageRecord struct {
	URL         string              `json:"url"`       // as it was found, before redirects
	FinalURL    string              `json:"final_url"` // the URL that answered
	Status      int                 `json:"status"`
	Depth       int                 `json:"depth"` // links from a seed, as known when it was fetched
	Via         string              `json:"via,omitempty"`
	ContentType string              `json:"content_type"`
	Bytes       int64               `json:"bytes"`
	Title       string              `json:"title"`
	Lang        string              `json:"lang,omitempty"`
	Words       int                 `json:"words"`
	Links       int                 `json:"links"`
	FetchedAt   string              `json:"fetched_at"` // RFC 3339 with milliseconds, in UTC
	Millis      float64             `json:"millis"`
	Redirects   int                 `json:"redirects,omitempty"`
	NoIndex     bool                `json:"noindex,omitempty"`
	Truncated   bool                `json:"truncated,omitempty"` // the body, or the list of its links, was cut
	Error       string              `json:"error,omitempty"`     // what went wrong in reading the page
	Fields      map[string][]string `json:"fields,omitempty"`    // of --extract
}

func recordOf(v *crawl.Visit) PageRecord {
	r := PageRecord{
		URL: v.URL.String(), FinalURL: v.URL.String(), Status: v.Status, Depth: v.Depth, Via: v.Via,
		ContentType: v.MediaType, Bytes: v.Bytes, Title: v.Page.Title, Lang: v.Page.Lang,
		Words: len(v.Page.Words), Links: len(v.Page.Links), FetchedAt: v.Started.UTC().Format("2006-01-02T15:04:05.000Z"),
		Millis: float64(v.Elapsed.Microseconds()) / 1000, Redirects: v.Hops, NoIndex: v.Page.NoIndex,
		Truncated: v.Truncated || v.Page.LinksCut, Fields: v.Page.Fields,
	}
	if v.From != "" {
		r.URL = v.From
	}
	if v.ParseErr != nil {
		r.Error = v.ParseErr.Error()
	}
	return r
}

// lines writes JSON lines to a file that it owns. It hands over whole lines only, and
// cuts what a failed write left behind, so the file never ends in half a line.
type lines struct {
	f       *os.File
	buf     bytes.Buffer // whole lines, not yet in the file
	json    *json.Encoder
	written int64 // length of the file
}

// lineBuffer is how much is gathered before it is written.
const lineBuffer = 64 << 10

// create makes a new file and fails if there is one.
func create(name string) (*lines, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	l := &lines{f: f}
	l.json = json.NewEncoder(&l.buf)
	l.json.SetEscapeHTML(false)
	return l, nil
}

func (l *lines) write(v any) error {
	if err := l.json.Encode(v); err != nil {
		return err
	}
	if l.buf.Len() < lineBuffer {
		return nil
	}
	return l.flush()
}

func (l *lines) flush() error {
	if l.buf.Len() == 0 {
		return nil
	}
	data := l.buf.Bytes()
	n, err := l.f.Write(data)
	if err != nil {
		n = bytes.LastIndexByte(data[:n], '\n') + 1
		err = errors.Join(err, l.f.Truncate(l.written+int64(n)))
	}
	l.written += int64(n)
	l.buf.Next(n)
	return err
}

// close flushes, syncs and closes.
func (l *lines) close() error { return errors.Join(l.flush(), l.f.Sync(), l.f.Close()) }

// ErrExists says that a directory holds a crawl already.
var ErrExists = errors.New("holds a crawl already")

// Files is a crawl directory being written.
type Files struct {
	dir            string
	pages, skipped *lines
	edges          *lines // nil without KeepEdges
}

// Create makes the directory, with its parents, and the files in it. It refuses one
// that holds a crawl.
func Create(dir string) (*Files, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{PagesFile, SkippedFile, EdgesFile, JSONFile, TextFile} {
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case err == nil:
			return nil, fmt.Errorf("%s %w", dir, ErrExists)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	pages, err := create(filepath.Join(dir, PagesFile))
	switch {
	case errors.Is(err, fs.ErrExist): // another process was quicker
		return nil, fmt.Errorf("%s %w", dir, ErrExists)
	case err != nil:
		return nil, err
	}
	skipped, err := create(filepath.Join(dir, SkippedFile))
	if err != nil {
		return nil, errors.Join(err, pages.close(), os.Remove(pages.f.Name()))
	}
	return &Files{dir: dir, pages: pages, skipped: skipped}, nil
}

// Dir returns the directory.
func (f *Files) Dir() string { return f.dir }

// Close brings everything to disk.
func (f *Files) Close() error {
	err := errors.Join(f.pages.close(), f.skipped.close())
	if f.edges != nil {
		err = errors.Join(err, f.edges.close())
	}
	return err
}

// flush hands everything written so far to the operating system.
func (f *Files) flush() error {
	err := errors.Join(f.pages.flush(), f.skipped.flush())
	if f.edges != nil {
		err = errors.Join(err, f.edges.flush())
	}
	return err
}
