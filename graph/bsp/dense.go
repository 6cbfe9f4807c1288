package bsp

import (
	"context"
	"sync"
	"sync/atomic"
)

// block is the number of vertices a worker takes at a time: enough to make the start of
// a scan cheap, few enough to share the work evenly. It is a multiple of 64, so that no
// word of a bitmap belongs to two workers, and the same for any number of workers, as
// the order of sums depends on it.
const block = 512

// bitmap is a set of vertices.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) has(v int) bool { return b[v>>6]>>(v&63)&1 != 0 }
func (b bitmap) set(v int)      { b[v>>6] |= 1 << (v & 63) }
func (b bitmap) drop(v int)     { b[v>>6] &^= 1 << (v & 63) }

// dense computes all vertices, streaming the graph.
func (e *engine) dense(ctx context.Context, s *Superstep) error {
	err := e.blocks(ctx, func(w *worker, from, to int) error {
		e.clear(from, to)
		p := &e.parts[from/block]
		*p = part{turn: Turn{Superstep: s.Number}}
		return w.compute(p, from, to)
	})
	if err != nil {
		return err
	}
	for i := range e.parts {
		s.add(&e.parts[i])
	}
	e.heard, e.said = e.said, e.heard
	e.awake, e.staying = e.staying, e.awake
	return e.blocks(ctx, func(_ *worker, from, to int) error {
		if e.parts[from/block].spoke == 0 {
			return nil
		}
		for v := from; v < to; v++ {
			if e.heard.has(v) {
				e.p.Commit(v)
			}
		}
		return nil
	})
}

// clear empties what a block said and where it stayed two supersteps ago.
func (e *engine) clear(from, to int) {
	clear(e.said[from/64 : (to+63)/64])
	clear(e.staying[from/64 : (to+63)/64])
}

// worker is what one goroutine has for itself.
type worker struct {
	e    *engine
	from []uint32
}

// blocks calls do for all blocks, in several goroutines, and returns when they have
// ended. After an error or the end of ctx no new block is begun.
func (e *engine) blocks(ctx context.Context, do func(w *worker, from, to int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		errs   = make([]error, min(e.Workers, len(e.parts)))
	)
	for i := range errs {
		wg.Go(func() {
			w := &worker{e: e}
			for errs[i] == nil && !failed.Load() {
				from := int(next.Add(1)-1) * block
				if from >= e.n {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = do(w, from, min(from+block, e.n))
				}
			}
			failed.Store(true)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// compute lets the vertices of a block compute.
func (w *worker) compute(p *part, from, to int) error {
	e := w.e
	if e.spoke == 0 {
		for v := from; v < to; v++ {
			if e.awake.has(v) {
				e.vote(p, v, nil, e.said, e.staying)
			}
		}
		return nil
	}
	scan := e.g.Scan(from, to)
	for v := from; v < to; v++ {
		list, ok := scan.Next()
		if !ok {
			return ended(scan, v)
		}
		if e.spoke < e.n {
			list = w.spoke(list)
		}
		if len(list) > 0 || e.awake.has(v) {
			e.vote(p, v, list, e.said, e.staying)
		}
	}
	return nil
}

// spoke returns those of list who spoke. There is no branch in the loop: who spoke is
// hard to guess.
func (w *worker) spoke(list []uint32) []uint32 {
	if len(w.from) < len(list) {
		w.from = make([]uint32, 2*len(list))
	}
	from, heard, n := w.from[:len(list)], w.e.heard, 0
	for _, u := range list {
		from[n] = u
		n += int(heard[u>>6] >> (u & 63) & 1)
	}
	return from[:n]
}

// vote lets v compute and notes its vote.
func (e *engine) vote(p *part, v int, from []uint32, said, staying bitmap) {
	p.active++
	p.messages += int64(len(from))
	vote := e.p.Compute(v, from, &p.turn)
	if vote&Speak != 0 {
		said.set(v)
		p.spoke++
	}
	if vote&Stay != 0 {
		staying.set(v)
		p.stayed++
	}
}

// add adds what a block did.
func (s *Superstep) add(p *part) {
	s.Active += p.active
	s.Spoke += p.spoke
	s.Stayed += p.stayed
	s.Messages += p.messages
	for i, x := range p.turn.Sum {
		s.Sum[i] += x
	}
}
