package trap_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"crawler/internal/mazes"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

var (
	seeds  = flag.Int("seeds", 1, "seeds of the labelled set")
	first  = flag.Uint64("first", 103, "the first seed")
	flight = flag.Int("flight", 4, "pages on their way while others are judged")
	only   = flag.String("only", "", "part of the names of the sites to crawl")
	size   = flag.Int("size", 400, "pages of the large honest sites")
)

const (
	trapPages   = 500 // that a crawl without a guard would fetch
	trapFetched = 50  // most that one with it may
)

// item is a URL waiting in the crawl of a test.
type item struct{ url, via weburl.URL }

// walk is a breadth-first crawl of one site in this process: what the coordinator does,
// without the waiting.
type walk struct {
	site     *mazes.Site
	guard    *trap.Guard // nil to fetch everything
	queue    []item
	seen     map[weburl.URL]bool
	deferred map[uint64][]item
	content  map[string]bool

	honest, fetched int // honest pages, trap pages
	refused         int // URLs, those offered again not counted
	parser          *parse.Parser
	page            parse.Page
	sampler         trap.Sampler
	honestPages     map[weburl.URL]bool
}

func newWalk(s *mazes.Site, g *trap.Guard) *walk {
	w := &walk{site: s, guard: g, seen: map[weburl.URL]bool{}, deferred: map[uint64][]item{},
		content: map[string]bool{}, parser: parse.New(parse.Options{}), honestPages: map[weburl.URL]bool{}}
	u, err := weburl.Parse(s.Seed)
	if err != nil {
		panic(err)
	}
	w.queue = append(w.queue, item{url: u})
	w.seen[u] = true
	return w
}

// run crawls until nothing is left or most trap pages came up. A few pages are always
// on their way: what they teach comes too late for the next.
func (w *walk) run(most int) {
	var out []item
	for w.fetched+w.refused < most {
		for len(w.queue) > 0 && len(out) < *flight {
			it := w.queue[0]
			w.queue = w.queue[1:]
			if w.allows(it) {
				out = append(out, it)
			}
		}
		if len(out) == 0 {
			return
		}
		w.visit(out[0])
		out = out[1:]
	}
}

func (w *walk) allows(it item) bool {
	if w.guard == nil {
		return true
	}
	v := w.guard.Judge(it.url)
	if v.Kind != "" {
		w.refused++
		w.deferred[v.ID] = append(w.deferred[v.ID], it)
	}
	return v.Kind == ""
}

func (w *walk) visit(it item) {
	a := w.site.Get(it.url.Host(), it.url.RequestURI())
	switch {
	case a.Trap, a.Content != "" && w.content[a.Content]:
		w.fetched++
	case a.Status == 200:
		w.honest++
		w.honestPages[it.url] = true
		w.content[a.Content] = true
	}
	if err := w.parser.Parse(parse.Input{URL: it.url, ContentType: "text/html; charset=utf-8", Body: a.Body}, &w.page); err != nil {
		panic(err)
	}
	watch := w.guard != nil && w.guard.Watch(it.url, it.via)
	for _, l := range w.page.Links {
		known := w.seen[l.URL]
		if watch {
			w.guard.Link(l.URL, known)
		}
		if !known && strings.HasSuffix(l.URL.Hostname(), ".test") {
			w.seen[l.URL] = true
			w.queue = append(w.queue, item{l.URL, it.url})
		}
	}
	if w.guard == nil {
		return
	}
	w.guard.Learn(w.sampler.Page(it.url, a.Status, w.page.Words, 0))
	for _, id := range w.guard.Reopened() {
		w.queue = append(w.queue, w.deferred[id]...)
		w.refused -= len(w.deferred[id])
		delete(w.deferred, id)
	}
}

// TestLabelled crawls the labelled set with the default Config: no honest page is lost,
// and of the 500 pages that a crawl without a guard fetches in a trap, at most 50 are.
// go test ./trap -run TestLabelled -v -args -seeds 5 -size 10000 prints the table of
// docs/design/006-traps.md.
func TestLabelled(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "seed\tsite\thonest pages\tlost\ttrap pages\tfetched\tavoided\tclosed")
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		for _, s := range mazes.All(seed, *size) {
			if !strings.Contains(s.Name, *only) {
				continue
			}
			without, with := newWalk(s, nil), newWalk(s, trap.New(trap.Config{}))
			if s.Trap {
				without.run(trapPages)
				with.run(trapPages * 20)
			} else {
				without.run(1)
				with.run(1 << 30)
			}
			lost := 0
			for u := range without.honestPages {
				copied := s.Get(u.Host(), u.RequestURI()).Content
				if !with.honestPages[u] && (copied == "" || !with.content[copied]) {
					lost++
				}
			}
			closed := ""
			for _, c := range with.guard.Closed() {
				closed += fmt.Sprintf("%s:%s(%d) ", c.Kind, c.Pattern, c.Pages)
				if len(closed) > 150 {
					break
				}
			}
			fmt.Fprintf(out, "%d\t%s\t%d\t%d\t%d\t%d\t%.1f %%\t%s\n", seed, s.Name, len(without.honestPages), lost, without.fetched, with.fetched,
				100-100*float64(with.fetched)/float64(max(without.fetched, 1)), closed)
			if lost > 0 {
				t.Errorf("%s, seed %d: %d of %d honest pages lost", s.Name, seed, lost, len(without.honestPages))
			}
			if s.Trap && with.fetched > trapFetched {
				t.Errorf("%s, seed %d: %d trap pages fetched, want at most %d", s.Name, seed, with.fetched, trapFetched)
			}
		}
	}
	out.Flush()
	t.Log("\n" + table.String())
}
