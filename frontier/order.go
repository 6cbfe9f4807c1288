package frontier

import (
	"fmt"
	"iter"
	"strings"

	"crawler/weburl"
)

// Order says which of the URLs that are queued goes first: within its host, and by its
// best one among the hosts that may be asked now. No order asks a host sooner, and with
// every host's spacing longer than the others' pages take, all orders ask every host as
// often.
type Order uint8

// The orders. Cash is that of Abiteboul, Preda and Cobena's on-line page importance
// (WWW 2003): a seed has 1, and a page that is fetched gives what it has to its links in
// equal parts, so that what a queued URL has estimates its PageRank.
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
	// mint is what a page gives beside its cash: after a resume, and deep below the
	// seeds, there is none.
	mint = 1e-6
)

// Credit tells that the page of a leased or settled item links to these URLs: the
// queued ones among them gain by it, the others keep nothing. Call it once a page, when its
// new links have been pushed; a redirect is a page with one link. A link that stands
// twice gets two parts. The links are run over twice. Without an Order it does nothing.
// Cost: one look-up a link, and O(log queued) for one that is queued.
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

// first returns the host to be asked next, nil if there is none.
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
