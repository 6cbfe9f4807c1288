package crawl

import (
	"context"
	"unsafe"

	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/room"
	"crawler/parse"
)

// pageBytes is about what the words and links of a page take: a URL is an allocation of its own,
// and what grows has a quarter more than it needs. They may be in memory that a larger page has
// grown, which is not this page's doing.
func pageBytes(p *parse.Page) int64 {
	n := int64(len(p.Words))*8 + int64(len(p.Links))*int64(unsafe.Sizeof(parse.Link{}))
	n += n / 4
	for i := range p.Links {
		n += int64(len(p.Links[i].URL.String()))
	}
	return n
}

// settleIn has a visit that was carried out hold what its page takes, and its body if somebody is
// to have that. When its words and links take more than the body did, it waits for room.
func (r *ring) settleIn(ctx context.Context, v *Visit) {
	n := pageBytes(&v.Page) + v.exchangeBytes()
	if v.Response != nil {
		n += int64(len(v.Response.Body))
	}
	if n <= room.Free {
		n = 0
	}
	r.room.Shrink(&v.stay, n)
	_ = r.room.Grow(ctx, &v.stay, n) // at the end of the crawl there is no need to wait
	v.Outcome.Heavy = v.stay.Asked()
}

// away is what a worker whose page waits for room tells the coordinator.
type away struct {
	item  frontier.Item
	given chan bool // whether another worker has its place
}

// standAside gives the worker's place to another one while its page waits for room, so that pages
// that do not need any are fetched meanwhile. The worker then ends with its visit.
func (w *worker) standAside() {
	if w.now.Lease.Away {
		return
	}
	a := away{w.now.Item, make(chan bool, 1)}
	w.ring.away <- a
	w.now.Lease.Away = <-a.given
}

// answer is the coordinator's part.
func (a away) answer(queue gate.Queue, hire func()) {
	given := queue.Away(a.item)
	if given {
		hire()
	}
	a.given <- given
}

// Sparer is a Fetcher that has what it can do without when memory is short, as *fetch.Client has.
type Sparer interface {
	Fetcher
	Spare()
}

// spare empties half of the caches, rules of robots.txt and idle connections, which cost a request
// or a handshake to have again, and gives up the memory of large pages.
func (r *ring) spare() {
	r.readers.drop()
	if r.robots != nil {
		r.robots.Spare()
	}
	if s, ok := r.cfg.Fetcher.(Sparer); ok {
		s.Spare()
	}
}
