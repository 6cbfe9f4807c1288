// Package graph keeps the links between pages as a compressed graph on disk, in the files
// of the WebGraph framework (Boldi and Vigna, "The WebGraph Framework I: Compression
// Techniques", 2004): about 3 bits a link, with random access.
//
// Nodes are numbered in the order of their URLs with the host's labels reversed (SURT
// order), so that pages near each other in a site have near numbers. That gives the two
// properties that compress: most successors are near the node (locality), and nodes near
// each other have many successors in common (similarity). A list is written as what it
// copies from one of the Window lists before it (copy blocks), runs of consecutive nodes
// (intervals), and gaps between what is left (residuals, in zeta code). docs/format/graph.md
// describes the files bit by bit.
//
// [Builder] makes a graph of URLs and links with bounded memory, [Write] of sorted lists;
// [Transpose] turns every link round. [Open] maps the files into memory: a Graph costs
// about one byte a node beside the mapping, whatever the number of links, and any number
// of goroutines may read it. [Graph.Scan] reads lists in order for a few nanoseconds a
// link, [Graph.Successors] one list for about a microsecond with the default parameters.
//
// A graph has at most 2^31-1 nodes. A file that is cut short by somebody else while it is
// mapped ends the process with a signal: that is how mapping works, so replace files, as
// Write does, and never change them in place.
package graph

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// ErrDamaged is in the chain of every error about a file that is not as it was written, or
// not of the graph beside it. Building the graph again repairs that.
var ErrDamaged = errors.New("damaged")

// Graph is an opened graph. It is safe for concurrent use until Close.
type Graph struct {
	*format
	base    string
	arcs    int64
	data    []byte // of the graph file
	unmap   func() error
	offsets *offsets
	urls    *URLs
	free    sync.Pool // *lookup
}

// Open opens base.graph, base.offsets, base.properties and, if there is one, base.urls.
// It reads the offsets, some 10 ns a node. Lists are checked as they are read.
func Open(base string) (_ *Graph, err error) {
	text, err := readSmall(base + extProperties)
	if err != nil {
		return nil, err
	}
	p, nodes, arcs, err := parseProperties(text)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", base, extProperties, err)
	}
	g := &Graph{base: base, arcs: arcs}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	if g.format, err = newFormat(nodes, p); err != nil {
		return nil, fmt.Errorf("%s%s: %w", base, extProperties, err)
	}
	if g.data, g.unmap, err = mapFile(base + extGraph); err != nil {
		return nil, err
	}
	if err := g.openOffsets(); err != nil {
		return nil, err
	}
	if g.urls, err = OpenURLs(base + extURLs); errors.Is(err, fs.ErrNotExist) {
		return g, nil
	} else if err != nil {
		return nil, err
	}
	if g.urls.Len() != nodes {
		return nil, fmt.Errorf("%s%s: %d URLs for %d nodes: it is %w or of another graph", base, extURLs, g.urls.Len(), nodes, ErrDamaged)
	}
	return g, nil
}

// openOffsets reads the offsets file.
func (g *Graph) openOffsets() error {
	data, unmap, err := mapFile(g.base + extOffsets)
	if err != nil {
		return err
	}
	return errors.Join(g.setOffsets(data), unmap())
}

// setOffsets fills g.offsets from the content of an offsets file.
func (g *Graph) setOffsets(data []byte) (err error) {
	if g.offsets, err = readOffsets(g.format, data, uint64(len(g.data))*8); err != nil {
		return fmt.Errorf("%s%s: %w", g.base, extOffsets, err)
	}
	return nil
}

// readSmall reads a properties file.
func readSmall(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxProperties {
		return nil, fmt.Errorf("%s: %d bytes: no properties file is longer than %d", name, info.Size(), maxProperties)
	}
	return os.ReadFile(name)
}

// Close unmaps the files. Lists already read stay valid; no other call may follow or
// still be under way.
func (g *Graph) Close() error {
	var errs []error
	if g.unmap != nil {
		errs = append(errs, g.unmap())
	}
	if g.urls != nil {
		errs = append(errs, g.urls.Close())
	}
	g.data, g.unmap, g.urls = nil, nil, nil
	return errors.Join(errs...)
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return g.nodes }

// Edges returns the number of links, as the properties file has it.
func (g *Graph) Edges() int64 { return g.arcs }

// Params returns the parameters the graph is compressed with.
func (g *Graph) Params() Params { return g.format.Params }

// BitsPerLink returns the size of the graph file in bits a link, 0 without links.
func (g *Graph) BitsPerLink() float64 {
	return float64(g.offsets.at(g.nodes)) / float64(max(g.arcs, 1))
}

// URLs returns the URLs of the nodes, nil if there is no list of them.
func (g *Graph) URLs() *URLs { return g.urls }
