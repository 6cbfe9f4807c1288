package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// nearFile is written by a crawl when it ends: clusters of pages with nearly the same text.
const nearFile = "near.jsonl"

// EachNear gives fn the pages of nearly the same text that the crawls have found when they ended.
// All are whole in an archive.
func EachNear(dirs []string, fn func(n Near) error) error {
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(dir, nearFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err = errors.Join(eachNear(f, fn), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func eachNear(f *os.File, fn func(n Near) error) error {
	in := json.NewDecoder(f)
	for {
		var n struct {
			URL, Like   string
			Resemblance float64
		}
		switch err := in.Decode(&n); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s is damaged: %w", f.Name(), err)
		case n.Like == "": // the first of its cluster
			continue
		}
		if err := fn(Near{URL: n.URL, Like: n.Like, Resemblance: n.Resemblance}); err != nil {
			return err
		}
	}
}
