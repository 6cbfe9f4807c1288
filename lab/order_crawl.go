package lab

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"crawler/frontier"
	"crawler/weburl"
)

// crawl returns the pages in the order in which a Frontier of that configuration serves
// them: one at a time, the next as soon as the last has been read.
func (w *Web) crawl(ctx context.Context, cfg frontier.Config) ([]uint32, error) {
	f := frontier.New(cfg)
	known := make([]bool, w.Pages())
	for _, p := range w.seeds {
		known[p] = true
		f.Push(frontier.Item{URL: w.urls[p]})
	}
	var order []uint32
	now := time.Unix(0, 0) // a crawl without delays takes no time
	for {
		it, ok := f.Next(now)
		if !ok {
			break
		}
		p := w.numbers[it.URL]
		order = append(order, p)
		for _, to := range w.links(p) {
			if !known[to] {
				known[to] = true
				f.Push(frontier.Item{URL: w.urls[to], Via: it.URL.String(), Depth: it.Depth + 1})
			}
		}
		f.Credit(it, w.linked(p))
		f.Done(it, now, frontier.Outcome{Started: now})
		if len(order)%contextEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if !f.Idle() {
		return nil, fmt.Errorf("lab: the frontier keeps %d pages back", f.Queued())
	}
	return order, ctx.Err()
}

// linked is what a page links to.
func (w *Web) linked(p uint32) func(yield func(weburl.URL) bool) {
	return func(yield func(weburl.URL) bool) {
		for _, to := range w.links(p) {
			if !yield(w.urls[to]) {
				return
			}
		}
	}
}

// greedy returns the pages in the order of a crawl that takes of those it knows the one
// with the largest key.
func (g *Graph) greedy(ctx context.Context, keys []float64) ([]uint32, error) {
	known := make([]bool, g.Pages())
	q := &keyed{keys: keys}
	learn := func(pages []uint32) {
		for _, p := range pages {
			if !known[p] {
				known[p] = true
				heap.Push(q, p)
			}
		}
	}
	learn(g.seeds)
	var order []uint32
	for len(q.pages) > 0 {
		p := heap.Pop(q).(uint32)
		order = append(order, p)
		learn(g.links(p))
		if len(order)%contextEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return order, ctx.Err()
}

func randomKeys(n int, seed uint64) []float64 {
	rnd := rand.New(rand.NewPCG(seed, 3))
	keys := make([]float64, n)
	for i := range keys {
		keys[i] = rnd.Float64()
	}
	return keys
}

// keyed is a heap of pages, that with the largest key first.
type keyed struct {
	keys  []float64
	pages []uint32
}

func (q *keyed) Len() int           { return len(q.pages) }
func (q *keyed) Less(i, j int) bool { return q.keys[q.pages[i]] > q.keys[q.pages[j]] }
func (q *keyed) Swap(i, j int)      { q.pages[i], q.pages[j] = q.pages[j], q.pages[i] }

// Push is heap.Interface's.
func (q *keyed) Push(x any) { q.pages = append(q.pages, x.(uint32)) }

// Pop is heap.Interface's.
func (q *keyed) Pop() any {
	last := len(q.pages) - 1
	p := q.pages[last]
	q.pages = q.pages[:last]
	return p
}
