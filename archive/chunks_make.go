package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"crawler/chunk"
	"crawler/internal/durable"
	"crawler/parse"
	"crawler/warc"
)

// ErrOwn says that an archive is a crawl's own, which keeps its filters itself.
var ErrOwn = errors.New("holds a crawl, which keeps the filters of its archive itself")

// MakeFilters writes the filters on chunks of an archive that somebody else has made, beside its
// files. It reads all of it, some 100 pages in a second for each MB/s of gzip; a page that cannot
// be read has no words. The error wraps ErrOwn if dir is a crawl's directory.
func MakeFilters(dir string) (out Readout, err error) {
	if _, err := os.Stat(filepath.Join(dir, "crawl.json")); err == nil {
		return out, fmt.Errorf("%s %w", dir, ErrOwn)
	}
	paths, err := Files(dir)
	if err != nil {
		return out, err
	}
	folder := filepath.Dir(paths[0])
	for _, name := range []string{URLsFile, WordsFile} {
		out = Readout{}
		err := durable.Write(filepath.Join(folder, name), func(w io.Writer) error {
			for _, path := range paths {
				if err := makeFilters(w, dir, path, filepath.Base(path), name, &out); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// makeFilters writes the entries that the sidecar has of a file of the archive in dir, whose
// contents are at path.
func makeFilters(w io.Writer, dir, path, file, sidecar string, out *Readout) error {
	m := &making{grep: &grep{dirs: []string{dir}, parser: parse.New(parse.Options{})}, words: sidecar == WordsFile, w: w}
	m.chunk = chunk.NewBuilder(chunk.URLs, file, 0)
	if m.words {
		m.chunk = chunk.NewBuilder(chunk.Words, file, 0)
	}
	if err := scanFile(path, nil, false, out, m.record); err != nil {
		return err
	}
	return m.close()
}

// making is the filters of a file in the making.
type making struct {
	grep  *grep
	words bool
	w     io.Writer
	chunk *chunk.Builder
	full  bool
	line  []byte
}

func (m *making) record(path string, r *warc.Reader, f *warc.Found) error {
	answer := isAnswer(f)
	if m.full && answer {
		if err := m.close(); err != nil {
			return err
		}
	}
	var keys []uint64
	var err error
	switch {
	case !m.words:
		keys = []uint64{chunk.OfURL(canonical(f.TargetURI()))}
	case f.Get(warc.FieldType) == warc.Response:
		keys, err = m.grep.words(f)
	case answer:
		_, err = Answer(m.grep.dirs, &Place{Path: path, Offset: f.Offset, Header: f.Header}, func(_ *Place, msg *Message) error {
			if !hasWords(msg.Status) {
				return nil
			}
			err := m.grep.parse(f.TargetURI(), msg)
			keys = m.grep.page.Words
			return err
		})
		err = passDamage(err)
	}
	if err != nil {
		return err
	}
	n, err := r.Finish()
	if err != nil {
		return err
	}
	// What was damaged between this record and the one before has no filter.
	if f.Offset != m.chunk.End() {
		if err := m.close(); err != nil {
			return err
		}
		m.chunk.Begin(m.chunk.File(), f.Offset)
	}
	m.full = m.chunk.Extend(f.Offset+n, answer, keys...)
	return nil
}

func (m *making) close() (err error) {
	m.full = false
	if m.line, err = m.chunk.Close(m.line[:0]); err == nil {
		_, err = m.w.Write(m.line)
	}
	return err
}
