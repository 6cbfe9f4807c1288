package survey

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"crawler/graph"
	"crawler/graph/bsp"
)

// Survey is an opened graph of a crawl. Its methods may be called at the same time.
type Survey struct {
	Manifest *Manifest

	dir   string
	out   *graph.Graph // the links
	in    *graph.Graph // its transpose
	urls  *graph.URLs
	nodes *nodes
}

// Open opens the graph of a crawl directory as it was built; Check says whether the crawl has
// recorded more since. The error wraps ErrMissing if it was not built, and graph.ErrDamaged if
// its files are not as they were written.
func Open(dir string) (_ *Survey, err error) {
	s := &Survey{dir: dir}
	if s.Manifest, err = ReadManifest(dir); err != nil {
		return nil, err
	}
	if err := s.Manifest.Damaged(dir, false); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.out, err = graph.Open(s.path(linksBase)); err != nil {
		return nil, err
	}
	if s.in, err = graph.Open(s.path(transposeBase)); err != nil {
		return nil, err
	}
	if s.nodes, err = readNodes(s.path(nodesFile)); err != nil {
		return nil, err
	}
	n := s.out.Nodes()
	if s.urls = s.out.URLs(); s.urls == nil || s.in.Nodes() != n || s.nodes.count() != n || s.in.Edges() != s.out.Edges() {
		return nil, fmt.Errorf("%s: %w: its files do not belong together", s.path(""), graph.ErrDamaged)
	}
	return s, nil
}

func (s *Survey) path(name string) string { return filepath.Join(s.dir, Folder, name) }

// Close closes the files.
func (s *Survey) Close() (err error) {
	for _, g := range []*graph.Graph{s.out, s.in} {
		if g != nil {
			err = errors.Join(err, g.Close())
		}
	}
	return err
}

// Find returns the node of a URL in its canonical form.
func (s *Survey) Find(url string) (node int, ok bool, err error) { return s.urls.Find(url) }

// links and linkers are the graph and its transpose as programs read them.
func (s *Survey) links() bsp.Graph   { return bsp.Of(s.out) }
func (s *Survey) linkers() bsp.Graph { return bsp.Of(s.in) }

// count returns the number of nodes, and ErrEmpty if there are none.
func (s *Survey) count() (int, error) {
	if n := s.out.Nodes(); n > 0 {
		return n, nil
	}
	return 0, fmt.Errorf("%s: %w", s.dir, ErrEmpty)
}

// each calls visit with the list of every node.
func (s *Survey) each(ctx context.Context, visit func(node int, list []uint32)) error {
	scan := s.out.Scan(0, s.out.Nodes())
	for i := 0; ; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		list, ok := scan.Next()
		if !ok {
			return scan.Err()
		}
		visit(i, list)
	}
}
