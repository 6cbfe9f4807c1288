package lab

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"crawler/report"
)

// Comments are neither URLs nor bad lines, and the first bad one is kept.
func TestLoadCorpusComments(t *testing.T) {
	const list = "# seeds\n\nhttp://a.example/1\n  # more\nmailto:\x1b[31m" + "xxxx\nhttp://a.example/2\nno URL\n#http://a.example/3"
	name := writeCorpus(t, filepath.Join(t.TempDir(), "urls.txt"), list)
	c := mustLoad(t, name, CorpusConfig{})
	if want := (BadLine{"urls.txt", 5, "mailto:\ufffd[31mxxxx"}); c.Read != 2 || c.Bad != 2 || c.FirstBad != want {
		t.Errorf("%d read, %d bad, the first is %+v, want %+v", c.Read, c.Bad, c.FirstBad, want)
	}
	in := mustLoad(t, "-", CorpusConfig{In: strings.NewReader(list)})
	if !slices.Equal(texts(in), texts(c)) || in.Source != "standard input" || in.FirstBad.File != in.Source {
		t.Errorf("of standard input: %+v", in)
	}
}

func TestBadLineIsCut(t *testing.T) {
	const good = "http://a.example/1\nhttp://a.example/2\n"
	for _, long := range []string{"é" + strings.Repeat("ü", 500), strings.Repeat("\xff", 500), strings.Repeat("z", 2*maxCorpusLine)} {
		c := mustLoad(t, "-", CorpusConfig{In: strings.NewReader(good + long)})
		if n := utf8.RuneCountInString(c.FirstBad.Text); n != badRunes || c.FirstBad.Line != 3 || c.Bad != 1 {
			t.Errorf("%q: %d runes are kept of line %d, %d lines bad", long[:9], n, c.FirstBad.Line, c.Bad)
		}
	}
}

// A long comment is one all the same, and so is a line of spaces over the limit no URL.
func TestLoadCorpusLongLines(t *testing.T) {
	c := mustLoad(t, "-", CorpusConfig{In: strings.NewReader("#" + strings.Repeat("z", 2*maxCorpusLine) + "\n" +
		strings.Repeat(" ", 2*maxCorpusLine) + "\nhttp://a.example/1\nhttp://a.example/2\n")})
	if c.Bad != 1 || c.FirstBad.Line != 2 || c.Read != 2 {
		t.Errorf("corpus is %+v", c)
	}
}

func TestLoadCorpusRefuses(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	pages := writeCorpus(t, filepath.Join(dir, "pages.out"), "\n"+`{"url":"http://a.example/"}`+"\n")
	zip := writeCorpus(t, filepath.Join(dir, "urls.gz"), "\x1f\x8b\x08\x00http://a.example/\n")
	for path, want := range map[string]string{
		dir: "holds no crawl (no pages.jsonl)", pages: "looks like a crawl's file: give its directory",
		zip: "is compressed: unpack it", "-": "there is no standard input",
	} {
		_, err := LoadCorpus(ctx, path, CorpusConfig{})
		var file *fs.PathError
		if !errors.As(err, &file) || file.Path != path || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	crawl := t.TempDir()
	writeCorpus(t, filepath.Join(crawl, report.PagesFile), "\x1f\x8b\x08\x00")
	if _, err := LoadCorpus(ctx, crawl, CorpusConfig{}); !errors.Is(err, errCompressed) {
		t.Errorf("compressed pages: %v", err)
	}
	_, err := LoadCorpus(ctx, "-", CorpusConfig{In: bytes.NewReader([]byte("http://a.example/\nnone\n"))})
	if !errors.Is(err, ErrFewURLs) || !strings.Contains(err.Error(), "standard input, line 2: none") {
		t.Errorf("one URL: %v", err)
	}
	// Only the first line decides: braces are no URL elsewhere.
	if c := mustLoad(t, "-", CorpusConfig{In: strings.NewReader("http://a.example/1\n{\nhttp://a.example/2\n")}); c.Bad != 1 {
		t.Errorf("a brace further down: %+v", c)
	}
}
