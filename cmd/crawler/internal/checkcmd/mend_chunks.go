package checkcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"crawler/internal/sums"
	"crawler/report"
)

// mendChunks makes the filters on the files of records again: on their committed parts, so that
// they are committed, too.
func (e *exam) mendChunks() (string, error) {
	have := map[string]int64{}
	for _, file := range report.LineFiles() {
		if info, err := os.Stat(e.path(file)); err == nil {
			have[file] = info.Size()
		}
		if e.state != nil {
			have[file] = min(have[file], e.state.Lengths()[file])
		}
		if part, ok := e.parts[file]; ok {
			have[file] = part.Bytes
		}
	}
	kept, err := e.replace(report.ChunksFile, func(w io.Writer) error { return report.WriteChunks(e.Dir, have, w) })
	if err != nil {
		return "", err
	}
	now, err := sums.Of(e.path(report.ChunksFile))
	e.mended[report.ChunksFile], e.parts[report.ChunksFile] = now, sums.File{Bytes: now.Bytes, Sum: now.Sum}
	if kept == "" {
		kept = "it was missing"
	}
	return "made again; " + kept, err
}

// filtersAgain makes the filters again if a file that they are on is not as it was.
func (e *exam) filtersAgain() error {
	if _, done := e.mended[report.ChunksFile]; done {
		return nil
	}
	_, err := os.Stat(e.path(report.ChunksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range []string{report.PagesFile, report.SkippedFile, report.RedirectsFile} {
		if _, ok := e.mended[file]; ok {
			_, err = e.mendChunks()
			return err
		}
	}
	return err
}
