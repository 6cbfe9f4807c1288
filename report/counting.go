package report

import (
	"runtime"
	"sync"
	"sync/atomic"

	"crawler/stats"
)

// waiting are the texts of pages whose words are not in the sketches yet. Several pages are
// counted at a time: a sketch then stays in the processor's cache for all of them, and the
// crawl's sketches and those of each site are counted side by side, each by one goroutine.
type waiting struct {
	texts []*stats.Folded // those of n pages in the order they came, then spare ones
	n     int
	words int     // different ones in the texts
	sites []*site // whose texts these are, unless their sketches are the crawl's
	bags  [maxTogether]*stats.Bag
}

// The bounds of what waits: 64 pages, or 640 KiB.
const (
	maxWaiting      = 64
	maxWaitingWords = 64 << 10
	maxSpareText    = 64 << 10 // bytes of a text whose memory is used again
)

// add takes the text of a page of s, and gives the memory of another for it.
func (w *waiting) add(text *stats.Folded, s *site, shared bool) {
	if w.n == len(w.texts) {
		w.texts = append(w.texts, new(stats.Folded))
	}
	spare := w.texts[w.n]
	*spare, *text = *text, *spare
	w.n++
	w.words += spare.Different()
	if shared {
		return
	}
	if len(s.texts) == 0 {
		w.sites = append(w.sites, s)
	}
	s.texts = append(s.texts, spare)
}

func (w *waiting) full() bool { return w.n >= maxWaiting || w.words >= maxWaitingWords }

// clear forgets the texts, which have been counted.
func (w *waiting) clear() {
	for _, s := range w.sites {
		clear(s.texts)
		s.texts = s.texts[:0]
	}
	for i, t := range w.texts[:w.n] {
		if t.Bytes() > maxSpareText {
			w.texts[i] = new(stats.Folded)
		}
	}
	clear(w.sites)
	w.sites, w.n, w.words = w.sites[:0], 0, 0
}

// bag is the scratch of a goroutine.
func (w *waiting) bag(g int) *stats.Bag {
	if w.bags[g] == nil {
		w.bags[g] = new(stats.Bag)
	}
	return w.bags[g]
}

// countWaiting counts the words of the pages that wait.
func (r *Recorder) countWaiting() {
	w := &r.waiting
	if w.n == 0 {
		return
	}
	r.unsaved.lend(&r.journal)
	for _, s := range w.sites {
		r.unsaved.lend(&s.journal)
	}
	together(1+len(w.sites), func(g, i int) {
		words, j, texts := r.total.words, &r.journal, w.texts[:w.n]
		if i > 0 {
			s := w.sites[i-1]
			words, j, texts = s.words, &s.journal, s.texts
		}
		j.mark(words)
		for _, t := range texts {
			w.bag(g).AddFolded(t, words)
		}
	})
	w.clear()
	r.unsaved.words = true
}

// maxTogether is how many goroutines count at most: the crawl's sketches alone take a third of
// the time that all take together, so that more would wait for the one that counts these.
const maxTogether = 4

// together calls do for each i below n, in as many goroutines as there are processors for, and
// returns when all calls have ended. The calls of one goroutine, which g numbers, come one
// after the other, in the order of i.
func together(n int, do func(g, i int)) {
	var next atomic.Int64
	run := func(g int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(g, i)
		}
	}
	var others sync.WaitGroup
	for g := 1; g < min(n, maxTogether, runtime.GOMAXPROCS(0)); g++ {
		others.Go(func() { run(g) })
	}
	run(0)
	others.Wait()
}
