package crawler_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	widestComment = 100 // columns of a line that has a comment
	tabColumns    = 4   // a tab counts as that many
)

// banned are phrases that a native reader stumbles over, each with what to write instead.
// Only those are here whose replacement is the same wherever they occur.
var banned = []struct{ pattern, instead string }{
	{`(comes?|came|coming) home`, "completes"},
	{`(tells?|told|telling) of`, "reports"},
	{`for want of`, "for lack of"},
	{`(is|are|was|were) to be`, "must be"},
	{`(goes|went|going) on (with|from)`, "continues"},
	{`of late`, "lately"},
	{`(is|are|was|were|be) held over`, "deferred"},
	{`lets? go of`, "drops"},
}

// No line of a comment is wider than a screen: a line counts with the code before its
// comment, and with tabs of 4 columns. Directives and lines that are one long word, such as
// a URL, cannot be wrapped.
func TestCommentsAreNarrow(t *testing.T) {
	comments := 0
	eachGoFile(t, func(path string, lines []string, tok token.Token, at int, text string) {
		if tok != token.COMMENT || strings.HasPrefix(text, "//go:") {
			return
		}
		for i := range strings.Count(text, "\n") + 1 {
			comments++
			line := strings.ReplaceAll(lines[at-1+i], "\t", strings.Repeat(" ", tabColumns))
			words := strings.Fields(line)
			if n := len([]rune(line)); n > widestComment && len(words) > 2 {
				t.Errorf("%s:%d: a comment on a line of %d columns, at most %d may be", path, at+i, n, widestComment)
			}
		}
	})
	if comments < 5000 {
		t.Errorf("only %d lines of comments were found", comments)
	}
}

// Comments and texts use none of the banned phrases.
func TestPlainEnglish(t *testing.T) {
	var patterns []string
	for _, b := range banned {
		patterns = append(patterns, b.pattern)
	}
	any := regexp.MustCompile(`(?i)\b(` + strings.Join(patterns, "|") + `)\b`)
	texts := 0
	var block string // the comment so far: phrases run over the ends of lines
	end, start := 0, 0
	eachGoFile(t, func(path string, _ []string, tok token.Token, at int, text string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		texts++
		if tok == token.COMMENT && at == end+1 {
			block += " " + strings.TrimLeft(text, "/ \t")
		} else {
			block, start = text, at
		}
		end = at + strings.Count(text, "\n")
		found := any.FindString(strings.Join(strings.Fields(block), " "))
		if found == "" {
			return
		}
		block = ""
		for _, b := range banned {
			if regexp.MustCompile(`(?i)^` + b.pattern + `$`).MatchString(found) {
				t.Errorf("%s:%d: %q: write %q", path, start, found, b.instead)
			}
		}
	})
	if texts < 5000 {
		t.Errorf("only %d comments and texts were found", texts)
	}
}

// eachGoFile calls fn for each comment and each string in the Go files of the repository,
// with the line that it begins on; other modules' files are among them.
func eachGoFile(t *testing.T, fn func(path string, lines []string, tok token.Token, at int, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "testdata" || name != "." && name[0] == '.') {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Split(string(source), "\n")
		files := token.NewFileSet()
		file := files.AddFile(path, -1, len(source))
		var s scanner.Scanner
		s.Init(file, source, nil, scanner.ScanComments)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok == token.COMMENT || tok == token.STRING {
				fn(filepath.ToSlash(path), lines, tok, file.Line(pos), text)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
