package graph

import "fmt"

// A Scan reads the lists of consecutive nodes. It keeps the last Window+1 lists in memory
// and nothing else. Not for concurrent use; any number of scans may run at a time.
type Scan struct {
	g        *Graph
	dec      decoder
	lists    [][]uint32 // that of node i at i mod (Window+1)
	first    int        // lists of earlier nodes than this are read by need
	have     []int      // 1 + the node whose list stands in that place
	node, to int
	arcs     int64
	err      error
}

// Scan returns a Scan of the lists of nodes from, from+1, ... to-1.
func (g *Graph) Scan(from, to int) *Scan {
	s := &Scan{g: g, dec: g.decoder(), node: from, to: to, first: from}
	if from < 0 || from > to || to > g.nodes {
		s.err = fmt.Errorf("%s: scan of nodes %d to %d of %d", g.base, from, to, g.nodes)
		s.node = to
		return s
	}
	s.lists, s.have = make([][]uint32, g.Window+1), make([]int, g.Window+1)
	s.dec.pos = g.offsets.at(from)
	return s
}

// Next returns the list of the next node, ascending; ok is false after the last node and
// after an error. The list is valid until the next call, and must not be changed: the next
// ones may copy from it.
func (s *Scan) Next() (successors []uint32, ok bool) {
	if s.node >= s.to || s.err != nil {
		return nil, false
	}
	list, err := s.next()
	if err != nil {
		s.err = err
		return nil, false
	}
	s.arcs += int64(len(list))
	if s.node++; s.node == s.to {
		s.err = s.check()
	}
	return list, s.err == nil
}

func (s *Scan) next() ([]uint32, error) {
	degree, ref, err := s.dec.header(s.node)
	if err != nil {
		return nil, err
	}
	var from []uint32
	if ref > 0 {
		if from, err = s.reference(s.node - ref); err != nil {
			return nil, err
		}
	}
	place := s.node % len(s.lists)
	list, err := s.dec.body(s.node, degree, ref, from, s.lists[place])
	if err != nil {
		return nil, err
	}
	s.lists[place], s.have[place] = list, s.node+1
	return list, nil
}

// reference returns the list of a node before the current one, which is read by random
// access if the scan began behind it.
func (s *Scan) reference(node int) ([]uint32, error) {
	place := node % len(s.lists)
	if s.have[place] != node+1 {
		list, err := s.g.Successors(node, s.lists[place])
		if err != nil {
			return nil, err
		}
		s.lists[place], s.have[place] = list, node+1
	}
	return s.lists[place], nil
}

// check returns an error if the lists do not end where the next one begins, or a scan of
// all nodes did not meet as many links as the properties promise.
func (s *Scan) check() error {
	if s.dec.pos != s.g.offsets.at(s.to) {
		return s.dec.damaged(s.to-1, "the list does not end where the offsets say")
	}
	if s.first == 0 && s.to == s.g.nodes && s.arcs != s.g.arcs {
		return fmt.Errorf("%s: %d arcs where the properties have %d: the files are %w or do not belong together",
			s.dec.name, s.arcs, s.g.arcs, ErrDamaged)
	}
	return nil
}

// Err returns the error that ended the scan, nil if it came to its end.
func (s *Scan) Err() error { return s.err }
