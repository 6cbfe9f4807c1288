package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/chunk"
	"crawler/store"
)

// ChunksFile is the file of a crawl directory with a filter on each chunk of the files of records,
// so that a URL's are found by reading few chunks. docs/format/chunks.md describes its bytes. All
// in it follows from those files.
const ChunksFile = "chunks.bin"

// filtered are the files of records that have filters.
var filtered = [...]string{PagesFile, SkippedFile, RedirectsFile}

// The places of these files in filtered.
const (
	ofPages = iota
	ofSkipped
	ofRedirects
)

// filters keeps the filters of the files of records while these grow. It takes some 20 KiB. A
// chunk is ended when it is full, and when the crawl ends: what a crawl that was killed had not
// ended is read again by the next run.
type filters struct {
	lines *store.Lines // nil: none are kept
	of    [len(filtered)]struct {
		records *store.Lines
		chunk   *chunk.Builder
	}
}

// open opens the filters of files that are open, and reads what they do not cover yet: of a crawl
// that an earlier version began, all.
func (f *filters) open(dir *store.Dir, records ...*store.Lines) error {
	l, err := dir.Lines(ChunksFile)
	if err != nil {
		return err
	}
	side, err := openFile(dir, ChunksFile)
	if err != nil {
		return err
	}
	plan, err := chunk.Ask(side)
	if err = errors.Join(err, side.Close()); err != nil {
		return err
	}
	f.lines = l
	for i, file := range filtered {
		at := plan.Covered(file)
		f.of[i].records, f.of[i].chunk = records[i], chunk.NewBuilder(chunk.URLs, file, at)
		if err := f.catchUp(dir, i, at); err != nil {
			return err
		}
	}
	return nil
}

// catchUp adds the records of a file from a byte on.
func (f *filters) catchUp(dir *store.Dir, i int, at int64) error {
	file, have := filtered[i], f.of[i].records.Len()
	if at < have {
		r, err := openFile(dir, file)
		if err == nil {
			err = errors.Join(eachKeyed(r, file, at, have, func(end int64, keys ...uint64) error { return f.add(i, end, keys...) }), r.Close())
		}
		if err != nil {
			return err
		}
	}
	if covered := f.of[i].chunk.End(); covered != have {
		return fmt.Errorf("%s %w: it covers %d bytes of %s, which has %d", dir.FS().PathJoin(dir.Path(), ChunksFile), store.ErrDamaged, covered, file, have)
	}
	return nil
}

func openFile(dir *store.Dir, name string) (vfs.File, error) {
	return dir.FS().Open(dir.FS().PathJoin(dir.Path(), name))
}

// askSidecar asks the filters of the crawl in dir.
func askSidecar(dir string, keys ...uint64) (*chunk.Plan, error) {
	file, err := os.Open(filepath.Join(dir, ChunksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return chunk.Ask(bytes.NewReader(nil), keys...)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return chunk.Ask(file, keys...)
}

// eachKeyed gives fn where each line of a file of records ends, and the line's keys.
func eachKeyed(r io.ReaderAt, file string, from, to int64, fn func(end int64, keys ...uint64) error) error {
	at := from
	return scanPart(r, from, to, func(line []byte) error {
		at += int64(len(line)) + 1
		url := chunk.OfURL(string(unescaped(urlOf(line))))
		if file != RedirectsFile {
			return fn(at, url)
		}
		hop, err := recordIn[RedirectRecord](line)
		if err != nil || hop.Target == "" {
			return fn(at, url) // damage is found by who reads the line
		}
		return fn(at, url, chunk.OfURL(hop.Target))
	})
}

// recorded adds the line that was appended last to a file.
func (f *filters) recorded(i int, urls ...string) error {
	if f.lines == nil {
		return nil
	}
	var keys [2]uint64
	for j, u := range urls {
		keys[j] = chunk.OfURL(u)
	}
	return f.add(i, f.of[i].records.Len(), keys[:len(urls)]...)
}

func (f *filters) add(i int, end int64, keys ...uint64) error {
	if !f.of[i].chunk.Add(end, keys...) {
		return nil
	}
	return f.close(i)
}

// close ends the present chunk of a file.
func (f *filters) close(i int) (err error) {
	return errors.Join(f.lines.AppendLine(func(b []byte) []byte {
		line, e := f.of[i].chunk.Close(b)
		err = e
		return line
	}), err)
}

// end ends all chunks.
func (f *filters) end() error {
	if f.lines == nil {
		return nil
	}
	for i := range f.of {
		if err := f.close(i); err != nil {
			return err
		}
	}
	return f.lines.Flush()
}

// End ends the filters on the files of records, when the crawl has ended and nothing more is
// recorded in this run.
func (r *Recorder) End() error { return r.filters.end() }

// WriteChunks writes the filters of the crawl in dir to w, anew from the files of records: of each
// the first so many bytes.
func WriteChunks(dir string, lengths map[string]int64, w io.Writer) error {
	for _, file := range filtered {
		if lengths[file] == 0 {
			continue
		}
		f, err := os.Open(filepath.Join(dir, file))
		if err == nil {
			err = errors.Join(writeChunks(f, file, lengths[file], w), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeChunks(r io.ReaderAt, file string, length int64, w io.Writer) error {
	var line []byte
	b := chunk.NewBuilder(chunk.URLs, file, 0)
	write := func() (err error) {
		if line, err = b.Close(line[:0]); err == nil {
			_, err = w.Write(line)
		}
		return err
	}
	err := eachKeyed(r, file, 0, length, func(end int64, keys ...uint64) error {
		if !b.Add(end, keys...) {
			return nil
		}
		return write()
	})
	if err != nil {
		return err
	}
	return write()
}
