package bsp

import (
	"context"
	"fmt"
)

// Graph is what a program runs on: nodes 0..Nodes()-1 with a list of successors
// each. Scan gives the lists of nodes from..to-1 in order; scans run at the same
// time in different goroutines.
type Graph interface {
	Nodes() int
	Edges() int64
	Scan(from, to int) Scan
}

// Scan is one pass over some lists. Next returns the next list, which is valid until
// the next call and must not be written to, and false after the last or an error.
// Every number in a list is below Nodes().
type Scan interface {
	Next() (successors []uint32, ok bool)
	Err() error
}

// Source is a graph whose scans have a type of their own.
type Source[S Scan] interface {
	Nodes() int
	Edges() int64
	Scan(from, to int) S
}

// Of makes a Graph of one that does not know this package.
func Of[S Scan](g Source[S]) Graph { return source[S]{g} }

type source[S Scan] struct{ Source[S] }

func (s source[S]) Scan(from, to int) Scan { return s.Source.Scan(from, to) }

// Lists is a graph in memory: the successors of each node.
type Lists [][]uint32

// Nodes returns the number of nodes.
func (l Lists) Nodes() int { return len(l) }

// Edges returns the number of links, in time proportional to the nodes.
func (l Lists) Edges() (n int64) {
	for _, list := range l {
		n += int64(len(list))
	}
	return n
}

// Scan returns the lists of nodes from..to-1.
func (l Lists) Scan(from, to int) Scan { return &listScan{l[from:to]} }

type listScan struct{ rest Lists }

func (s *listScan) Next() ([]uint32, bool) {
	if len(s.rest) == 0 {
		return nil, false
	}
	list := s.rest[0]
	s.rest = s.rest[1:]
	return list, true
}

func (s *listScan) Err() error { return nil }

// Transpose turns all links of a graph round, in memory: 4 bytes a link and 24 a node,
// in lists that ascend. It is for graphs for which that is little.
func Transpose(ctx context.Context, g Graph) (Lists, error) {
	degrees, err := InDegrees(ctx, g)
	if err != nil {
		return nil, err
	}
	lists, links := make(Lists, g.Nodes()), make([]uint32, g.Edges())
	for v, n := range degrees {
		lists[v], links = links[:0:n], links[n:]
	}
	err = each(ctx, g, 0, g.Nodes(), func(v int, list []uint32) {
		for _, w := range list {
			lists[w] = append(lists[w], uint32(v))
		}
	})
	return lists, err
}

// Union is the graph with the links of both, which must have the same nodes. A link in
// both counts twice, and the lists do not ascend: those of a come first. The union of
// a graph and its transpose is the undirected graph.
func Union(a, b Graph) Graph { return union{a, b} }

type union struct{ a, b Graph }

func (u union) Nodes() int   { return u.a.Nodes() }
func (u union) Edges() int64 { return u.a.Edges() + u.b.Edges() }
func (u union) Scan(from, to int) Scan {
	return &unionScan{a: u.a.Scan(from, to), b: u.b.Scan(from, to)}
}

type unionScan struct {
	a, b Scan
	both []uint32
	err  error
}

func (s *unionScan) Next() ([]uint32, bool) {
	first, ok := s.a.Next()
	second, also := s.b.Next()
	if !ok || !also {
		s.err = s.end(ok, also)
		return nil, false
	}
	s.both = append(append(s.both[:0], first...), second...)
	return s.both, true
}

// end returns the error of a scan that ended before the other.
func (s *unionScan) end(ok, also bool) error {
	if err := s.a.Err(); err != nil {
		return err
	}
	if err := s.b.Err(); err != nil {
		return err
	}
	if ok != also {
		return fmt.Errorf("two graphs of different numbers of nodes: rebuild the transpose")
	}
	return nil
}

func (s *unionScan) Err() error { return s.err }

// each calls visit with the lists of nodes from..to-1, in order. It looks at ctx once
// a block.
func each(ctx context.Context, g Graph, from, to int, visit func(v int, list []uint32)) error {
	scan := g.Scan(from, to)
	for v := from; v < to; v++ {
		if (v-from)%block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		list, ok := scan.Next()
		if !ok {
			return ended(scan, v)
		}
		visit(v, list)
	}
	return nil
}

// ended is the error of a scan that has no list for node v.
func ended(scan Scan, v int) error {
	if err := scan.Err(); err != nil {
		return fmt.Errorf("links of node %d: %w", v, err)
	}
	return fmt.Errorf("links of node %d: the scan ended; rebuild the graph", v)
}
