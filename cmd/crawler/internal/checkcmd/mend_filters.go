package checkcmd

import (
	"errors"
	"io/fs"
	"os"

	"crawler/archive"
	"crawler/chunk"
	"crawler/internal/durable"
	"crawler/internal/sums"
)

// mendFilters keeps the sound filters of a file on chunks of the archive, and takes these for the
// whole: what they do not cover is read whole. want has the lengths of the archive's files.
func (e *exam) mendFilters(file string, want sums.Table) (string, error) {
	f, err := os.Open(e.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return e.writeFilters(file, nil, "it was missing")
	}
	if err != nil {
		return "", err
	}
	var lines []byte
	err = chunk.Entries(f, func(c *chunk.Entry, err error) error {
		// Another answer may come where an uncommitted one was: its filter would deny it.
		if err != nil || c.To > e.kept(archive.Folder+"/"+c.File, want) {
			return nil
		}
		lines, err = c.AppendLine(lines)
		return err
	})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	aside, err := e.aside(file)
	if err != nil {
		return "", err
	}
	return e.writeFilters(file, lines, aside)
}

// kept is how many bytes of a file a resumed crawl keeps.
func (e *exam) kept(file string, want sums.Table) int64 {
	if e.state != nil {
		return e.state.Lengths()[file]
	}
	return want[file].Bytes
}

func (e *exam) writeFilters(file string, lines []byte, was string) (string, error) {
	path := e.path(file)
	if err := durable.WriteFile(path, lines); err != nil {
		return "", err
	}
	now, err := sums.Of(path)
	e.mended[file], e.parts[file] = now, sums.File{Bytes: now.Bytes, Sum: now.Sum}
	return "those that are sound are kept; " + was, errors.Join(err, os.Chmod(path, 0o600))
}
