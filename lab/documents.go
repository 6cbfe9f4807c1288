package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"crawler/parse"
	"crawler/weburl"
)

// maxDocument is the largest file that is read.
const maxDocument = 256 << 20

// contentTypes are the files that a walk over a directory reads.
var contentTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
	".txt": "text/plain", ".text": "text/plain", ".md": "text/plain",
}

// ErrNoDocuments says that there is no text to experiment on.
var ErrNoDocuments = errors.New("holds no .html, .htm, .xhtml, .txt, .text or .md file")

// eachDocument parses the file, or every HTML and text file under the directory in
// the order of their names, and hands over its path below root and its page, which is
// valid during the call. What cannot be read, or is too large, ends the walk.
func eachDocument(ctx context.Context, root string, opt parse.Options, yield func(name string, page *parse.Page) error) error {
	target, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	root = target
	parser, page, seen := parse.New(opt), new(parse.Page), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !d.Type().IsRegular() {
			if d.IsDir() || path != root {
				return nil
			}
			return fmt.Errorf("%s is no file and no directory", path)
		}
		name := relative(root, path)
		mediaType, known := contentTypes[strings.ToLower(filepath.Ext(path))]
		if !known && path != root {
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

// document reads one file; without a media type it looks at the content.
func document(path, name, mediaType string) (in parse.Input, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return in, err
	}
	if info.Size() > maxDocument {
		return in, fmt.Errorf("%s has %d bytes, the limit is %d: split it", path, info.Size(), maxDocument)
	}
	if in.Body, err = os.ReadFile(path); err != nil {
		return in, err
	}
	if mediaType == "" {
		mediaType = "text/plain"
		if strings.HasPrefix(http.DetectContentType(in.Body), "text/html") {
			mediaType = "text/html"
		}
	}
	in.ContentType = mediaType
	in.URL, err = treeURL(name)
	return in, err
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
