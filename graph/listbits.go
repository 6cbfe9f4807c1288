package graph

import (
	"fmt"
	"math"
)

// ListBits returns how many bits the list of a node takes in a graph of the given nodes, its
// length aside, when it is written against the list that lies ref nodes before it, from; ref 0
// is no reference. It is what an encoder compares to choose one.
func ListBits(nodes, node, ref int, from, list []uint32, p Params) (int, error) {
	f, err := newFormat(nodes, p)
	if err != nil {
		return 0, err
	}
	if ref < 0 || ref > min(f.Window, node) {
		return 0, fmt.Errorf("reference %d of node %d: want 0 to %d", ref, node, min(f.Window, node))
	}
	if err := check(node, nodes, list); err != nil {
		return 0, err
	}
	if err := check(node-ref, nodes, from); err != nil {
		return 0, err
	}
	e := newEncoder(f, nil)
	e.node = node
	return int(e.try(ref, from, list, math.MaxUint)), nil
}
