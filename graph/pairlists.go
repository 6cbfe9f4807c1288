package graph

// pairLists are the Lists of nodes 0 to nodes-1 made of sorted pairs.
type pairLists struct {
	pairs *merger[pair]
	nodes int
	node  int // whose list is next
	list  []uint32
	ahead pair // the first pair not yet in a list, if any
	some  bool
}

func newPairLists(nodes int, pairs *merger[pair]) *pairLists {
	l := &pairLists{pairs: pairs, nodes: nodes}
	l.advance()
	return l
}

func (l *pairLists) advance() {
	if l.some = l.pairs.more(); l.some {
		l.ahead = l.pairs.next()
	}
}

// Next implements Lists.
func (l *pairLists) Next() ([]uint32, bool) {
	if l.node == l.nodes || l.pairs.err != nil {
		return nil, false
	}
	l.list = l.list[:0]
	for l.some && int(l.ahead>>32) == l.node {
		if to := uint32(l.ahead); len(l.list) == 0 || l.list[len(l.list)-1] != to {
			l.list = append(l.list, to)
		}
		l.advance()
	}
	l.node++
	return l.list, l.pairs.err == nil
}

// Err implements Lists.
func (l *pairLists) Err() error { return l.pairs.err }
