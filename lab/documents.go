package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"crawler/parse"
	"crawler/report"
	"crawler/weburl"
)

// maxDocument is the largest file that is read.
const maxDocument = 256 << 20

const plainText = "text/plain"

// contentTypes are the files that a walk over a directory reads.
var contentTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
	".txt": plainText, ".text": plainText, ".md": plainText,
}

// ErrNoDocuments says that there is nothing to experiment on, ErrCrawl that the texts were
// not kept.
var (
	ErrNoDocuments = errors.New("holds no .html, .htm, .xhtml, .txt, .text or .md file that can be used")
	ErrCrawl       = errors.New("holds a crawl, which does not keep the pages' texts: name a directory of HTML or text files")
)

// documents is a walk over files. What cannot be read, or is too large, ends it.
type documents struct {
	html    bool          // no plain text
	options parse.Options // of the parser
	in      io.Reader     // what the file "-" is
	skipped int           // files with other names
}

// each parses the file, or every HTML and text file under the directory in the order
// of their names, and hands over its path below root and its page, which is valid
// during the call.
func (d *documents) each(ctx context.Context, root string, yield func(name string, page *parse.Page) error) error {
	if root == "-" {
		return d.standardInput(yield)
	}
	target, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	root = target
	if _, err := os.Stat(filepath.Join(root, report.PagesFile)); err == nil {
		return fmt.Errorf("%s %w", root, ErrCrawl)
	}
	parser, page, seen := parse.New(d.options), new(parse.Page), 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !entry.Type().IsRegular() {
			if entry.IsDir() || path != root {
				return nil
			}
			return fmt.Errorf("%s is no file and no directory", path)
		}
		name := relative(root, path)
		mediaType, known := contentTypes[strings.ToLower(filepath.Ext(path))]
		if path != root && (!known || d.html && mediaType == plainText) {
			d.skipped++
			return nil
		}
		in, err := document(path, name, mediaType)
		if err != nil {
			return err
		}
		page.Reset()
		if err := parser.Parse(in, page); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		seen++
		return yield(name, page)
	})
	if err == nil && seen == 0 {
		err = fmt.Errorf("%s %w", root, ErrNoDocuments)
	}
	return err
}

// standardInput is one document.
func (d *documents) standardInput(yield func(name string, page *parse.Page) error) error {
	body, err := io.ReadAll(io.LimitReader(d.in, maxDocument+1))
	if err != nil {
		return err
	}
	if len(body) > maxDocument {
		return fmt.Errorf("standard input has more than %d bytes: split it", maxDocument)
	}
	in, err := input("-", "standard input", "", body)
	if err != nil {
		return err
	}
	var page parse.Page
	if err := parse.New(d.options).Parse(in, &page); err != nil {
		return err
	}
	return yield("-", &page)
}

// document reads one file; without a media type it looks at the content.
func document(path, name, mediaType string) (in parse.Input, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return in, err
	}
	if info.Size() > maxDocument {
		return in, fmt.Errorf("%s has %d bytes, the limit is %d: split it", path, info.Size(), maxDocument)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return in, err
	}
	return input(name, path, mediaType, body)
}

// input is what the parser gets of a document that is called name in its tree, and
// what to the user.
func input(name, what, mediaType string, body []byte) (in parse.Input, err error) {
	if bytes.IndexByte(body[:min(len(body), 1<<16)], 0) >= 0 && !utf16(body) {
		return in, fmt.Errorf("%s is no text: it has NUL bytes", what)
	}
	if mediaType == "" {
		mediaType = plainText
		if strings.HasPrefix(http.DetectContentType(body), "text/html") {
			mediaType = "text/html"
		}
	}
	in.Body, in.ContentType = body, mediaType
	in.URL, err = treeURL(name)
	return in, err
}

// utf16 reports whether the text begins with a byte-order mark of UTF-16.
func utf16(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xfe, 0xff}) || bytes.HasPrefix(body, []byte{0xff, 0xfe})
}

// relative is the path below root with slashes; root itself is called by its name.
func relative(root, path string) string {
	name, err := filepath.Rel(root, path)
	if err != nil || name == "." {
		name = filepath.Base(path)
	}
	return filepath.ToSlash(name)
}

// treeURL is the address of a file as if the directory were a site.
func treeURL(name string) (weburl.URL, error) {
	escape := strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", "\\", "%5C")
	return weburl.Parse("http://tree.invalid/" + escape.Replace(name))
}
