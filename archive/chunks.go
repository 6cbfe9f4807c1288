package archive

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/chunk"
	"crawler/parse"
	"crawler/store"
	"crawler/warc"
)

// Filters keeps the filters on chunks of an archive while it is written: give its Written to
// Config.Written. The files are part of the crawl's commit as the archive is. It belongs to the
// recorder's goroutine, and takes some 200 KiB.
type Filters struct {
	dir         *store.Dir
	urls, words filter
}

// filter is one kind.
type filter struct {
	name  string
	sizes chunk.Sizes
	lines *store.Records // nil until something is written
	chunk *chunk.Builder
	full  bool // the chunk ends before the next exchange does
	line  []byte
}

// NewFilters returns the filters of the archive in dir. Chunks that a run before had not ended
// have none.
func NewFilters(dir *store.Dir) *Filters {
	return &Filters{dir: dir, urls: filter{name: URLsFile, sizes: chunk.URLs}, words: filter{name: WordsFile, sizes: chunk.Words}}
}

// Written adds a record that was appended to the archive.
func (f *Filters) Written(w *Written) error {
	// An exchange's records begin with its answer, and a chunk ends before one.
	begins := w.Type == warc.Response || w.Type == warc.Revisit
	if err := f.urls.add(f.dir, w, begins, chunk.OfURL(w.URL)); err != nil {
		return err
	}
	return f.words.add(f.dir, w, begins, w.Words...)
}

func (f *filter) add(dir *store.Dir, w *Written, begins bool, keys ...uint64) error {
	switch {
	case f.chunk == nil:
		if err := f.open(dir, w); err != nil {
			return err
		}
	case f.chunk.File() != w.File:
		if err := f.close(); err != nil {
			return err
		}
		f.chunk.Begin(w.File, w.Offset)
	case f.full && begins:
		if err := f.close(); err != nil {
			return err
		}
	}
	f.full = f.chunk.Extend(w.Offset+w.Length, begins, keys...)
	return nil
}

// open opens the sidecar, and adds what it does not cover of the present file: the chunk that the
// run before had not ended.
func (f *filter) open(dir *store.Dir, w *Written) (err error) {
	if f.lines, err = dir.Records(Folder, f.name); err != nil {
		return err
	}
	at := int64(0)
	side, err := openIn(dir, f.name)
	if err == nil {
		var plan *chunk.Plan
		if plan, err = chunk.Ask(side); err == nil {
			at = plan.Covered(w.File)
		}
		err = errors.Join(err, side.Close())
	}
	if err != nil {
		return err
	}
	f.chunk = chunk.NewBuilder(f.sizes, w.File, min(at, w.Offset))
	if at < w.Offset && f.catchUp(dir, w.File, at, w.Offset) != nil {
		f.full = false
		f.chunk.Begin(w.File, w.Offset) // what cannot be read has no filter, and is read whole
	}
	return nil
}

func openIn(dir *store.Dir, name string) (vfs.File, error) {
	fs := dir.FS()
	return fs.Open(fs.PathJoin(dir.Path(), Folder, name))
}

var errNoWords = errors.New("what words the page has is known elsewhere")

// catchUp adds the records of a part of a file.
func (f *filter) catchUp(dir *store.Dir, name string, from, to int64) error {
	file, err := openIn(dir, name)
	if err != nil {
		return err
	}
	defer file.Close()
	g := &grep{parser: parse.New(parse.Options{})}
	r := warc.NewReader(file, name, from, to, to, warc.Limits{})
	for {
		found, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		answer := isAnswer(found)
		var words []uint64
		if f.name == WordsFile && answer {
			if words, err = g.words(found); err != nil {
				return err
			}
		} else if f.name == URLsFile {
			words = []uint64{chunk.OfURL(found.TargetURI())}
		}
		n, err := r.Finish()
		if err != nil {
			return err
		}
		if f.full && answer {
			if err := f.close(); err != nil {
				return err
			}
		}
		f.full = f.chunk.Extend(found.Offset+n, answer, words...)
	}
}

// close ends the chunk.
func (f *filter) close() (err error) {
	f.full = false
	if f.line, err = f.chunk.Close(f.line[:0]); err != nil || len(f.line) == 0 {
		return err
	}
	return f.lines.Append(f.line)
}

// Flush hands what was written to the operating system.
func (f *Filters) Flush() error {
	return errors.Join(f.urls.flush(), f.words.flush())
}

func (f *filter) flush() error {
	if f.lines == nil {
		return nil
	}
	return f.lines.Flush()
}

// End ends the chunks, when the crawl has ended.
func (f *Filters) End() error {
	for _, x := range []*filter{&f.urls, &f.words} {
		if x.chunk == nil {
			continue
		}
		if err := x.close(); err != nil {
			return err
		}
	}
	return f.Flush()
}
