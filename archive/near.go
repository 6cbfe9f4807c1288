package archive

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"crawler/internal/durable"
	"crawler/internal/sums"
	"crawler/warc"
)

// Near is a page whose text is nearly that of another page.
type Near struct {
	URL, Like   string
	Resemblance float64 // of the two texts, 0 to 1
}

// SaveNear writes a metadata record for every near-duplicate that was found when the crawl, or a
// run of it, has ended: near-duplicates are kept whole, and never stored as revisits. They are in a
// file of their own, NAME-near.warc.gz, which is written whole or not at all, and goes when the
// crawl is resumed. It returns the file's name within the crawl directory, "" if there are none.
func (a *Archive) SaveNear(now time.Time, each func(func(Near) error) error) (name string, file sums.File, err error) {
	if a.state.file == 0 && a.file == nil {
		return "", file, nil // there is no archive
	}
	name = Folder + "/" + a.cfg.Name + nearSuffix + ".warc" + a.cfg.Compression.Extension()
	path := filepath.Join(a.cfg.Dir.Path(), filepath.FromSlash(name))
	n := 0
	err = durable.Write(path, func(w io.Writer) error {
		out := &summing{w: bufio.NewWriterSize(w, 64<<10), file: &file}
		if err := a.beginNear(out, filepath.Base(path), now); err != nil {
			return err
		}
		if err := each(func(p Near) error { n++; return a.writeNear(out, p, now) }); err != nil {
			return err
		}
		return out.w.Flush()
	})
	switch {
	case err != nil:
		return "", file, fmt.Errorf("archive: near-duplicates: %w", err)
	case n == 0:
		return "", file, os.Remove(path)
	}
	return name, file, os.Chmod(path, 0o600)
}

const nearSuffix = "-near"

// IsNear reports whether a file of an archive, by its name in Folder, is SaveNear's.
func IsNear(name string) bool { return strings.Contains(name, nearSuffix+".warc") }

// summing writes a file and computes its checksum.
type summing struct {
	w    *bufio.Writer
	file *sums.File
}

func (s *summing) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.file.Bytes, s.file.Sum = s.file.Bytes+int64(n), s.file.Sum.Add(p[:n])
	return n, err
}

func (a *Archive) beginNear(w io.Writer, name string, now time.Time) error {
	if _, err := w.Write(a.head); err != nil {
		return err
	}
	data, err := a.own.warcinfo(name, now)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (a *Archive) writeNear(w io.Writer, p Near, now time.Time) error {
	var r records
	err := a.own.add(&r, warc.Metadata, warc.Header{
		{Name: warc.FieldType, Value: warc.Metadata},
		{Name: warc.FieldRecordID, Value: newID()},
		{Name: warc.FieldTargetURI, Value: p.URL},
		{Name: warc.FieldDate, Value: warc.Date(now)},
		{Name: warc.FieldContentType, Value: warc.TypeFields},
	}, warc.AppendFields(nil, warc.Header{
		{Name: "nearDuplicateOf", Value: p.Like},
		{Name: "resemblance", Value: strconv.FormatFloat(p.Resemblance, 'f', 3, 64)},
	}), false)
	if err == nil {
		_, err = w.Write(r.data)
	}
	return err
}
