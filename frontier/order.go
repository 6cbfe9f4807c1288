package frontier

import (
	"fmt"
	"iter"
	"strings"

	"crawler/weburl"
)

// Order says which queued URL goes first within its host, and which host goes first, by
// its best URL, among those that may be asked now. No order asks a host sooner. If the
// spacing of every host is longer than the pages of all others take, all orders ask every
// host equally often.
type Order uint8

// The orders. Cash is that of Abiteboul, Preda and Cobena's on-line page importance
// (WWW 2003): a seed has 1, and a page that is fetched gives its cash to its links in
// equal parts, so that the cash of a queued URL estimates its PageRank.
const (
	BreadthFirst Order = iota // shallowest first, then first come
	OPIC                      // most cash first
	InLinks                   // linked from most pages first; it starves new parts of a site
	OPICInLinks               // most cash, times pages that link to it, first
	orders
)

var orderNames = [orders]string{"bfs", "opic", "inlinks", "opic+inlinks"}

// String returns the name that ParseOrder takes.
func (o Order) String() string {
	if o >= orders {
		return fmt.Sprintf("order %d", o)
	}
	return orderNames[o]
}

// ParseOrder returns the order of that name: bfs, opic, inlinks or opic+inlinks.
func ParseOrder(name string) (Order, error) {
	for o, n := range orderNames {
		if n == name {
			return Order(o), nil
		}
	}
	return 0, fmt.Errorf("there is no order %q: choose %s", name, strings.Join(orderNames[:], ", "))
}

const (
	seedCash = 1
	// mint is the cash that a page gives in addition to its own, which is 0 after a resume
	// and next to 0 deep below the seeds.
	mint = 1e-6
)

// Credit reports that the page of a leased or done item links to these URLs: the score of
// the queued ones among them rises, for the others nothing is recorded. Call it once for a
// page, after its new links have been pushed; a redirect counts as a page with one link. A
// link that occurs twice gets two parts. The sequence is read twice. Without an Order it
// does nothing. Cost: one look-up a link, and O(log queued) for one that is queued.
func (f *Frontier) Credit(from Item, links iter.Seq[weburl.URL]) {
	if f.steer == nil {
		return
	}
	n := 0
	for range links {
		n++
	}
	if n == 0 {
		return
	}
	part := (from.cash + mint) / float32(n)
	page := f.steer.linker(from.URL)
	for u := range links {
		if h := f.steer.credit(u, part, page); h != nil {
			f.place(h)
		}
	}
}

// first returns the host to ask next, nil if there is none.
func (f *Frontier) first() *host {
	switch {
	case f.steer != nil && len(f.steer.due.hostHeap) > 0:
		return f.steer.due.hostHeap[0]
	case len(f.ready) > 0:
		return f.ready[0]
	}
	return nil
}

func (f *Frontier) pop(h *host) (Item, error) {
	if f.steer != nil {
		return f.steer.pop(h, f.pager)
	}
	return h.pop(f.pager)
}
