package survey

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Format is one in which Export writes.
type Format string

// The formats.
const (
	CSV      Format = "csv"      // a folder: edges.csv, nodes.csv
	WebGraph Format = "webgraph" // a folder: links.*, links-t.*, links.urls.txt
	GraphML  Format = "graphml"  // a file
)

// Limits of GraphML, which programs read into memory as a tree.
const (
	maxGraphMLNodes = 100_000
	maxGraphMLLinks = 1_000_000
)

// ErrThere says that an export would overwrite something.
var ErrThere = errors.New("is there already")

// ErrLarge says that a graph is too large for a format.
var ErrLarge = errors.New("too large for GraphML")

// Export writes the graph to the path, a file or folder that must not exist yet: its error
// wraps ErrThere if it does. A temporary name beside it is written first, and removed when
// anything fails. A link takes some 100 ns.
func (s *Survey) Export(ctx context.Context, f Format, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s %w", path, ErrThere)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f == GraphML && (s.out.Nodes() > maxGraphMLNodes || s.out.Edges() > maxGraphMLLinks) {
		return fmt.Errorf("%w: %d URLs and %d links, at most %d and %d", ErrLarge, s.out.Nodes(), s.out.Edges(), maxGraphMLNodes, maxGraphMLLinks)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	whole := tmp
	switch f {
	case CSV:
		err = s.exportCSV(ctx, tmp)
	case WebGraph:
		err = s.exportWebGraph(ctx, tmp)
	case GraphML:
		whole = filepath.Join(tmp, "graph.graphml")
		err = writeFile(whole, func(w *bufio.Writer) error { return s.writeGraphML(ctx, w) })
	default:
		err = fmt.Errorf("format %q: want %s, %s or %s", f, CSV, WebGraph, GraphML)
	}
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s %w", path, ErrThere)
	}
	return os.Rename(whole, path)
}

// writeFile creates a file that fill writes, and syncs it.
func writeFile(name string, fill func(w *bufio.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	err = fill(w)
	if err == nil {
		err = errors.Join(w.Flush(), f.Sync())
	}
	return errors.Join(err, f.Close())
}

// exportWebGraph copies both graphs, and writes the URLs one a line.
func (s *Survey) exportWebGraph(ctx context.Context, dir string) error {
	for _, base := range []string{linksBase, transposeBase} {
		for _, ext := range []string{".graph", ".offsets", ".properties"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := copyFile(filepath.Join(dir, base+ext), s.path(base+ext)); err != nil {
				return err
			}
		}
	}
	return writeFile(filepath.Join(dir, linksBase+".urls.txt"), func(w *bufio.Writer) error {
		return s.eachURL(ctx, func(_ int, url string) error {
			w.WriteString(url)
			return w.WriteByte('\n')
		})
	})
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeFile(to, func(w *bufio.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// eachURL gives fn every node and its URL.
func (s *Survey) eachURL(ctx context.Context, fn func(node int, url string) error) error {
	var failed error
	err := s.urls.All(func(node int, url string) bool {
		if node%4096 == 0 {
			failed = ctx.Err()
		}
		if failed == nil {
			failed = fn(node, url)
		}
		return failed == nil
	})
	return errors.Join(failed, err)
}

// eachLink gives fn every link.
func (s *Survey) eachLink(ctx context.Context, fn func(from, to int) error) error {
	var failed error
	err := s.each(ctx, func(from int, list []uint32) {
		for _, to := range list {
			if failed == nil {
				failed = fn(from, int(to))
			}
		}
	})
	return errors.Join(failed, err)
}
