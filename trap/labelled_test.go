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

// walk is a breadth-first crawl in this process: what the coordinator does, without the
// waiting.
type walk struct {
	// get returns a page; ok is false for what is no page.
	get   func(weburl.URL) (in parse.Input, status int, ok bool)
	stays func(weburl.URL) bool // within the crawl's scope
	ahead int                   // pages on their way while others are judged

	guard    *trap.Guard // nil to fetch everything
	queue    []item
	seen     map[weburl.URL]bool
	deferred map[uint64][]item
	refused  int            // URLs, those offered again not counted
	verdicts []trap.Verdict // of all that were refused, offered again or not
	parser   *parse.Parser
	page     parse.Page
	sampler  trap.Sampler
}

func newWalk(seed string, g *trap.Guard) *walk {
	u, err := weburl.Parse(seed)
	if err != nil {
		panic(err)
	}
	return &walk{guard: g, queue: []item{{url: u}}, seen: map[weburl.URL]bool{u: true},
		deferred: map[uint64][]item{}, parser: parse.New(parse.Options{})}
}

// run crawls until nothing is left or enough says so. A few pages are always on their way:
// what they teach comes too late for the next.
func (w *walk) run(enough func() bool) {
	var out []item
	for !enough() {
		for len(w.queue) > 0 && len(out) < w.ahead {
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
		w.verdicts = append(w.verdicts, v)
		w.deferred[v.ID] = append(w.deferred[v.ID], it)
	}
	return v.Kind == ""
}

func (w *walk) visit(it item) {
	in, status, ok := w.get(it.url)
	if !ok || w.parser.Parse(in, &w.page) != nil {
		return
	}
	watch := w.guard != nil && w.guard.Watch(it.url, it.via)
	for _, l := range w.page.Links {
		known := w.seen[l.URL]
		if watch {
			w.guard.Link(l.URL, known)
		}
		if !known && w.stays(l.URL) {
			w.seen[l.URL] = true
			w.queue = append(w.queue, item{l.URL, it.url})
		}
	}
	if w.guard == nil {
		return
	}
	w.guard.Learn(w.sampler.Page(it.url, status, w.page.Words, 0))
	for _, id := range w.guard.Reopened() {
		w.queue = append(w.queue, w.deferred[id]...)
		w.refused -= len(w.deferred[id])
		delete(w.deferred, id)
	}
}

// labelled is a walk of a site of the labelled set.
type labelled struct {
	*walk
	*mazes.Tally
}

func walkLabelled(s *mazes.Site, g *trap.Guard) labelled {
	l := labelled{newWalk(s.Seed, g), mazes.NewTally(s)}
	l.ahead = *flight
	l.get = func(u weburl.URL) (parse.Input, int, bool) {
		a := l.Get(u.Host(), u.RequestURI())
		return parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: a.Body}, a.Status, true
	}
	l.stays = func(u weburl.URL) bool { return strings.HasSuffix(u.Hostname(), ".test") }
	return l
}

// until crawls until most trap pages came up.
func (l labelled) until(most int) {
	l.run(func() bool { return l.Traps()+l.refused >= most })
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
			without, with := walkLabelled(s, nil), walkLabelled(s, trap.New(trap.Config{}))
			if s.Trap {
				without.until(trapPages)
				with.until(trapPages * 20)
			} else {
				without.until(1)
				with.until(1 << 30)
			}
			lost := len(with.Missing(without.Tally))
			closed := ""
			for _, c := range with.guard.Closed() {
				closed += fmt.Sprintf("%s:%s(%d) ", c.Kind, c.Pattern, c.Pages)
				if len(closed) > 150 {
					break
				}
			}
			fmt.Fprintf(out, "%d\t%s\t%d\t%d\t%d\t%d\t%.1f %%\t%s\n", seed, s.Name, without.Honest(), lost, without.Traps(), with.Traps(),
				100-100*float64(with.Traps())/float64(max(without.Traps(), 1)), closed)
			if lost > 0 {
				t.Errorf("%s, seed %d: %d of %d honest pages lost", s.Name, seed, lost, without.Honest())
			}
			if s.Trap && with.Traps() > trapFetched {
				t.Errorf("%s, seed %d: %d trap pages fetched, want at most %d", s.Name, seed, with.Traps(), trapFetched)
			}
		}
	}
	out.Flush()
	t.Log("\n" + table.String())
}
