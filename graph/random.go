package graph

import "fmt"

// lookup is the state of one random access.
type lookup struct {
	dec   decoder
	chain []link
	spare []uint32
}

// link is one list of a chain of references: where its header ends, and what it says.
type link struct {
	pos          uint64
	node, degree int
	ref          int
}

// Successors returns the list of a node, ascending, in the memory of buf if it is large
// enough. It follows and decodes the whole chain of references, so its cost is that of
// MaxRefs+1 lists at most: about a microsecond with the default parameters.
func (g *Graph) Successors(node int, buf []uint32) ([]uint32, error) {
	if node < 0 || node >= g.nodes {
		return nil, g.noNode(node)
	}
	l := g.lookup()
	defer g.free.Put(l)
	if err := l.follow(g, node); err != nil {
		return nil, err
	}
	// The list that has no reference is decoded first, each other one against the one
	// before it. They stand in two buffers by turns, so that the last one is in buf.
	lists := [2][]uint32{buf, l.spare}
	for i := len(l.chain) - 1; i >= 0; i-- {
		at := l.chain[i]
		l.dec.pos = at.pos
		list, err := l.dec.body(at.node, at.degree, at.ref, lists[(i+1)%2], lists[i%2])
		if err != nil {
			return nil, err
		}
		lists[i%2] = list
	}
	l.spare = lists[1]
	return lists[0], nil
}

// follow fills l.chain with the node and its references, the nearest first.
func (l *lookup) follow(g *Graph, node int) error {
	l.chain = l.chain[:0]
	for {
		l.dec.pos = g.offsets.at(node)
		degree, ref, err := l.dec.header(node)
		if err != nil {
			return err
		}
		l.chain = append(l.chain, link{l.dec.pos, node, degree, ref})
		if ref == 0 {
			return nil
		}
		if g.MaxRefs >= 0 && len(l.chain) > g.MaxRefs {
			return l.dec.damaged(node, "a chain of references longer than the properties allow")
		}
		node -= ref
	}
}

// OutDegree returns the length of the list of a node without decoding it.
func (g *Graph) OutDegree(node int) (int, error) {
	if node < 0 || node >= g.nodes {
		return 0, g.noNode(node)
	}
	l := g.lookup()
	defer g.free.Put(l)
	l.dec.pos = g.offsets.at(node)
	degree, _, err := l.dec.header(node)
	return degree, err
}

func (g *Graph) lookup() *lookup {
	if l, ok := g.free.Get().(*lookup); ok {
		return l
	}
	return &lookup{dec: g.decoder()}
}

func (g *Graph) noNode(node int) error {
	return fmt.Errorf("%s: node %d of a graph of %d nodes", g.base, node, g.nodes)
}
