package bsp

import (
	"context"
	"math/bits"
	"slices"
)

// few is the share of the vertices, 1 in few, up to which the speakers of a superstep
// are followed one by one, and the share of the links that may have to be sorted for it.
// Reading a single list costs about as much as 100 links of a stream.
const few = 64

// gather finds out who hears something, if so few spoke that this is cheaper than
// reading the graph. It reports false, if not: then the superstep is a dense one.
func (e *engine) gather(ctx context.Context) (bool, error) {
	if e.Listeners == nil || e.stayed > 0 || e.spoke > e.n/few {
		e.speakers = e.speakers[:0]
		return false, nil
	}
	if len(e.speakers) != e.spoke {
		e.speakers = e.heard.list(e.speakers[:0])
	}
	e.pairs = e.pairs[:0]
	for i, u := range e.speakers {
		if i%block == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		scan := e.Listeners.Scan(int(u), int(u)+1)
		list, ok := scan.Next()
		if !ok {
			return false, ended(scan, int(u))
		}
		if len(e.pairs)+len(list) > e.most {
			e.speakers = e.speakers[:0]
			return false, nil
		}
		for _, v := range list {
			e.pairs = append(e.pairs, uint64(v)<<32|uint64(u))
		}
	}
	slices.Sort(e.pairs)
	return true, ctx.Err()
}

// sparse computes the vertices that gather found, in the goroutine of Run. A vertex
// hears the same as in a dense superstep, in ascending order.
func (e *engine) sparse(s *Superstep) {
	s.Sparse = true
	for _, u := range e.speakers {
		e.heard.drop(int(u))
	}
	e.speakers = e.speakers[:0]
	p := part{turn: Turn{Superstep: s.Number}}
	for i := 0; i < len(e.pairs); {
		v := int(e.pairs[i] >> 32)
		for e.from = e.from[:0]; i < len(e.pairs) && int(e.pairs[i]>>32) == v; i++ {
			e.from = append(e.from, uint32(e.pairs[i]))
		}
		e.vote(&p, v, e.from, e.heard, e.awake)
		if e.heard.has(v) {
			e.speakers = append(e.speakers, uint32(v))
		}
	}
	for _, v := range e.speakers {
		e.p.Commit(int(v))
	}
	s.add(&p)
}

// list appends the vertices of the set, ascending.
func (b bitmap) list(to []uint32) []uint32 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return to
}
