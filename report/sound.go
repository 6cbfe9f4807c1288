package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"crawler/chunk"
	"crawler/gate"
	"crawler/internal/sums"
	"crawler/weburl"
)

// LineFiles are the files of lines that a crawl may have.
func LineFiles() []string {
	return []string{PagesFile, RedirectsFile, SkippedFile, LinksFile, EdgesFile, EdgesCSVFile, ChunksFile}
}

// CheckLine returns why a line of a file, without its end, is no record of it.
func CheckLine(file string, line []byte) error {
	switch file {
	case PagesFile:
		r, err := recordIn[PageRecord](line)
		return errors.Join(err, canonical(r.URL))
	case RedirectsFile:
		r, err := recordIn[RedirectRecord](line)
		return errors.Join(err, canonical(r.URL))
	case SkippedFile:
		r, err := recordIn[gate.Skip](line)
		if err == nil && r.Reason == "" {
			err = damaged(line, errors.New("no reason"))
		}
		return err
	case LinksFile:
		return new(PageLinks).read(line, func(p *PageLinks) error {
			for p.Next() {
			}
			return nil
		})
	case ChunksFile:
		_, err := chunk.ParseLine(line)
		return err
	case EdgesFile:
		r, err := recordIn[EdgeRecord](line)
		return errors.Join(err, canonical(r.URL))
	case EdgesCSVFile:
		row, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err == nil && len(row) < 2 {
			err = damaged(line, errors.New("no row"))
		}
		return err
	}
	if !json.Valid(line) {
		return damaged(line, errors.New("no JSON"))
	}
	return nil
}

// canonical returns an error if a URL is not as a record has it.
func canonical(url string) error {
	u, err := weburl.Parse(url)
	if err == nil && u.String() != url {
		err = fmt.Errorf("%.80q is not canonical", url)
	}
	return err
}

// Lines says what a file of lines holds.
type Lines struct {
	Sound    int
	Bad      int       // that are no records
	FirstBad int       // the number of the first of these, from 1
	Torn     int64     // bytes behind the last line end
	Kept     sums.File // of the sound lines
}

// ReadLines reads a file of a crawl directory from one byte to another, and copies the lines that
// are records to w, if it is not nil.
func ReadLines(dir, file string, from, to int64, w io.Writer) (l Lines, err error) {
	f, err := os.Open(filepath.Join(dir, file))
	if err != nil {
		return l, err
	}
	defer f.Close()
	read := from
	err = scanLines(io.NewSectionReader(f, from, to-from), func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			whole := line[:len(line)+1] // with its end, which scanLines gives too
			read += int64(len(whole))
			if CheckLine(file, line) != nil {
				if l.Bad++; l.FirstBad == 0 {
					l.FirstBad = l.Sound + l.Bad
				}
				return nil
			}
			l.Sound++
			l.Kept.Bytes += int64(len(whole))
			l.Kept.Sum = l.Kept.Sum.Add(whole)
			if w == nil {
				return nil
			}
			_, err := w.Write(whole)
			return err
		})
	})
	if info, statErr := f.Stat(); statErr == nil {
		l.Torn = max(min(to, info.Size())-read, 0)
	}
	return l, err
}

// EachURL gives fn the URL of each line of pages.jsonl, redirects.jsonl or skipped.jsonl, and where
// the line begins. Lines that are no records are left out.
func EachURL(dir, file string, fn func(at int64, url string) error) error {
	f, err := os.Open(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	defer f.Close()
	at := int64(0)
	return scanLines(f, func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			from := at
			if at += int64(len(line)) + 1; CheckLine(file, line) != nil {
				return nil
			}
			return fn(from, urlText(line))
		})
	})
}
