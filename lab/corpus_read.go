package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"crawler/report"
)

// badRunes is how much of a bad line is kept.
const badRunes = 80

// Reasons to refuse a source.
var (
	errCompressed = errors.New("is compressed: unpack it")
	errCrawlFile  = errors.New("looks like a crawl's file: give its directory")
	errNoCrawl    = errors.New("holds no crawl (no " + report.PagesFile + ")")
	errNoInput    = errors.New("there is no standard input")
)

// load reads whatever path names.
func (b *corpusBuilder) load(ctx context.Context, path string) error {
	list := lineReader{url: func(line []byte) string { return string(line) }, list: true}
	if path == "-" {
		b.corpus.Source = "standard input"
		if b.cfg.In == nil {
			return &fs.PathError{Op: "read", Path: path, Err: errNoInput}
		}
		return b.read(ctx, "standard input", b.cfg.In, list)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		b.corpus.Source = "the crawl in " + path
		return b.crawl(ctx, path)
	}
	b.corpus.Source = "the file " + path
	return b.file(ctx, path, list)
}

// crawl reads pages.jsonl and, if there is one, skipped.jsonl.
func (b *corpusBuilder) crawl(ctx context.Context, dir string) error {
	records := lineReader{url: func(line []byte) string {
		var record struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(line, &record) != nil {
			return "" // a bad line
		}
		return record.URL
	}}
	err := b.file(ctx, filepath.Join(dir, report.PagesFile), records)
	if errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "read", Path: dir, Err: errNoCrawl}
	}
	if err != nil {
		return err
	}
	err = b.file(ctx, filepath.Join(dir, report.SkippedFile), records)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *corpusBuilder) file(ctx context.Context, name string, of lineReader) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return b.read(ctx, name, f, of)
}

// lineReader says how the lines of a file are read.
type lineReader struct {
	url  func(line []byte) string // "" if there is none
	list bool                     // of URLs, with comments
}

// read reads one file. Empty lines do not count, lines over 1 MiB are bad.
func (b *corpusBuilder) read(ctx context.Context, name string, in io.Reader, of lineReader) error {
	r := bufio.NewReaderSize(in, maxCorpusLine)
	if head, err := r.Peek(2); err == nil && bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return &fs.PathError{Op: "read", Path: name, Err: errCompressed}
	}
	before := b.corpus.Read + b.corpus.Bad
	for n, more := int64(1), true; more && ctx.Err() == nil; n++ {
		line, err := r.ReadSlice('\n')
		text := bytes.TrimSpace(line)
		switch {
		case len(text) == 0 && !errors.Is(err, bufio.ErrBufferFull), of.list && len(text) > 0 && text[0] == '#':
		case of.list && len(text) > 0 && text[0] == '{' && b.corpus.Read+b.corpus.Bad == before:
			return &fs.PathError{Op: "read", Path: name, Err: errCrawlFile}
		case errors.Is(err, bufio.ErrBufferFull):
			b.bad(name, n, text)
		default:
			more = b.line(name, n, text, of)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = skipLine(r)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fs.PathError{Op: "read", Path: name, Err: err}
		}
	}
	return ctx.Err()
}

// line takes the URL of one line, and reports whether there is room for more.
func (b *corpusBuilder) line(name string, n int64, text []byte, of lineReader) bool {
	good, more := b.add(of.url(text))
	if !good {
		b.bad(name, n, text)
	}
	return more
}

// bad counts a line that holds no URL, and keeps the first.
func (b *corpusBuilder) bad(name string, n int64, text []byte) {
	b.corpus.Bad++
	if b.corpus.Bad > 1 {
		return
	}
	r := []rune(string(text[:min(len(text), badRunes*utf8.UTFMax)]))
	shown := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, string(r[:min(len(r), badRunes)]))
	b.corpus.FirstBad = BadLine{File: filepath.Base(name), Line: n, Text: shown}
}

// skipLine reads up to the end of the line.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
