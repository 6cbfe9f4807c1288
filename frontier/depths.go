package frontier

import (
	"math"

	"crawler/weburl"
)

// Depths knows the exact least number of links from a seed to every URL of a
// crawl with a depth limit, however the pages are found.
//
// A crawl that measures depth as "one more than the page I found it on" is wrong
// whenever a slow host delivers the short path after a fast one has delivered the
// long path; pages within the limit are then refused for good. So this keeps the
// links among known URLs: when a URL is met again on a shorter path its depth is
// lowered, the change spreads along the links of pages already done, and URLs that
// were too deep become admissible. Relaxing edges of length 0 (redirects) and 1
// in any sequence ends at the true minimum (Bellman–Ford).
//
// Of a crawl in several shards each has a Depths for its own URLs and tells the others what it
// finds of theirs: see Foreign and Arrive. That is the same, distributed.
//
// Memory: about 200 bytes a known URL and 8 a link, only in crawls with a limit.
// The cost of a link is O(1) plus the relaxations it causes.
type Depths struct {
	limit int
	ids   map[weburl.URL]int32
	nodes []node
	work  []int32
	found []Item
	log   *events // nil unless KeepEvents was called

	// Foreign reports whether another Depths admits u: each time such a URL comes nearer it is
	// returned, beyond the limit too. nil if there is no other. It is set before the first call.
	Foreign func(u weburl.URL) bool
}

type node struct {
	url      weburl.URL
	via      int32 // the page it was first met on, itself for a seed
	depth    int
	admitted bool
	foreign  bool
	edges    []edge
}

type edge struct {
	to     int32
	length int32 // 1 for a link, 0 for a redirect
}

// NewDepths returns a Depths for URLs at most limit links from a seed.
func NewDepths(limit int) *Depths {
	return &Depths{limit: limit, ids: make(map[weburl.URL]int32)}
}

// Seed records that u is an entry point, at depth 0. It returns the URLs that become
// admissible, each once in the life of d; the slice is valid until the next call.
func (d *Depths) Seed(u weburl.URL) []Item {
	before := len(d.nodes)
	id := d.id(u, int32(before))
	d.log.seed(d, id, before)
	d.seed(id)
	return d.found
}

func (d *Depths) seed(id int32) {
	d.found = d.found[:0]
	d.relax(id, 0)
}

// Link records that the page from links to u (length 1), or redirects to it (length
// 0). It returns the URLs that become admissible, as Seed does.
func (d *Depths) Link(from, u weburl.URL, length int) []Item {
	before := len(d.nodes)
	f := d.id(from, int32(before))
	to := d.id(u, f)
	d.log.link(d, f, to, length, before)
	d.link(f, to, length)
	return d.found
}

func (d *Depths) link(from, to int32, length int) {
	d.found = d.found[:0]
	d.met(to, from)
	d.nodes[from].edges = append(d.nodes[from].edges, edge{to: to, length: int32(length)})
	d.relax(to, d.nodes[from].depth+length)
}

// Arrive records that another Depths, of which via is a page, knows a way of that many links to u.
// It returns the URLs that become admissible, as Seed does. Several that tell each other what they
// return end together at the true minimum, in whatever sequence they hear of it, and how often.
func (d *Depths) Arrive(u, via weburl.URL, depth int) []Item {
	before := len(d.nodes)
	v := d.id(via, int32(before))
	id := d.id(u, v)
	d.log.arrive(d, v, id, depth, before)
	d.arrive(v, id, depth)
	return d.found
}

func (d *Depths) arrive(via, id int32, depth int) {
	d.found = d.found[:0]
	d.met(id, via)
	d.relax(id, depth)
}

// met gives a URL that was known only as the page of another Depths the page that it is met on.
func (d *Depths) met(id, via int32) {
	if n := &d.nodes[id]; n.via == id && n.depth == unreached {
		n.via = via
	}
}

// Depth returns the least depth known for u, which must be known.
func (d *Depths) Depth(u weburl.URL) int { return d.nodes[d.ids[u]].depth }

// TooDeep calls fn for every URL that was met but never within the limit, and is not Foreign.
func (d *Depths) TooDeep(fn func(Item)) {
	for _, n := range d.nodes {
		if !n.admitted && !n.foreign {
			fn(d.item(n))
		}
	}
}

func (d *Depths) id(u weburl.URL, via int32) int32 {
	id, ok := d.ids[u]
	if !ok {
		id = int32(len(d.nodes))
		u = u.Clone() // a link shares memory with the other links of its page
		d.ids[u] = id
		d.nodes = append(d.nodes, node{url: u, via: via, depth: unreached, foreign: d.Foreign != nil && d.Foreign(u)})
	}
	return id
}

// unreached is deeper than any path through a graph in memory.
const unreached = math.MaxInt32

// relax lowers the depth of one URL and of all that it leads to.
func (d *Depths) relax(id int32, depth int) {
	if depth >= d.nodes[id].depth {
		return
	}
	d.nodes[id].depth = depth
	d.work = append(d.work[:0], id)
	// First in first out: last in first out can take exponential time.
	for i := 0; i < len(d.work); i++ {
		n := &d.nodes[d.work[i]]
		if n.foreign {
			d.found = append(d.found, d.item(*n))
		} else if !n.admitted && n.depth <= d.limit {
			n.admitted = true
			d.found = append(d.found, d.item(*n))
		}
		for _, e := range n.edges {
			if next := n.depth + int(e.length); next < d.nodes[e.to].depth {
				d.nodes[e.to].depth = next
				d.work = append(d.work, e.to)
			}
		}
	}
}

func (d *Depths) item(n node) Item {
	it := Item{URL: n.url, Depth: n.depth}
	if via := d.nodes[n.via]; via.url != n.url {
		it.Via = via.url.String()
	}
	return it
}
