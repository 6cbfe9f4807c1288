package trap_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/cespare/xxhash/v2"

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
	dump   = flag.Bool("dump", false, "show the patterns")
	size   = flag.Int("size", 400, "pages of the large honest sites")
)

const (
	trapPages   = 2000                       // that a crawl without a guard would fetch
	trapFetched = 5 * trap.DefaultBudget / 2 // most that one with it may: of two or three patterns
)

// item is a URL waiting in the crawl of a test.
type item struct {
	url, via    weburl.URL
	rank, depth int
	lease       trap.Lease
}

// queue serves items as package frontier does: by rank, and in each the shallowest first; of two
// alike the older one.
type queue struct {
	levels map[level][]item
	order  []level // of those that have items
	count  int
	lull   int // leases from the last look at others to the next, 0 if it was not in vain
	left   int // of these, how many without a look are still to come
}

// level is where items wait.
type level struct{ rank, depth int }

func (l level) compare(m level) int {
	return cmp.Or(cmp.Compare(l.rank, m.rank), cmp.Compare(l.depth, m.depth))
}

// shallower compares levels by depth first.
func (l level) shallower(m level) int {
	return cmp.Or(cmp.Compare(l.depth, m.depth), cmp.Compare(l.rank, m.rank))
}

func (q *queue) push(it item) {
	l := level{it.rank, it.depth}
	if at, has := slices.BinarySearchFunc(q.order, l, level.compare); !has {
		q.order = slices.Insert(q.order, at, l)
	}
	if q.levels == nil {
		q.levels = map[level][]item{}
	}
	q.levels[l] = append(q.levels[l], it)
	q.count++
}

// putBack makes an item the first of its level.
func (q *queue) putBack(it item) {
	q.push(it)
	l := q.levels[level{it.rank, it.depth}]
	copy(l[1:], l)
	l[0] = it
}

// pop takes the next item.
func (q *queue) pop() item { return q.take(q.order[0]) }

func (q *queue) take(l level) item {
	it := q.levels[l][0]
	if q.levels[l] = q.levels[l][1:]; len(q.levels[l]) == 0 {
		delete(q.levels, l)
		q.order = slices.DeleteFunc(q.order, func(m level) bool { return m == l })
	}
	q.count--
	return it
}

// instead takes the oldest item of one of the levels that wait in a rank, if good says that its
// turn has come: of those that are next, or, for an item without a rank, of the four shallowest and
// of four that are next, none of them deeper. After looks in vain it does not look at every turn.
func (q *queue) instead(it item, good func(item) bool) (item, bool) {
	if q.left > 0 && q.waits() {
		q.left--
		return item{}, false
	}
	var waiting []level
	for _, l := range q.order {
		if l.rank > 0 && (l.depth <= it.depth || it.rank > 0) && l != (level{it.rank, it.depth}) {
			waiting = append(waiting, l)
		}
	}
	if it.rank == 0 {
		shallow := slices.SortedFunc(slices.Values(waiting), level.shallower)
		shallow = shallow[:min(looks/2, len(shallow))]
		waiting = append(shallow, slices.DeleteFunc(waiting, func(l level) bool { return slices.Contains(shallow, l) })...)
	}
	for _, l := range waiting[:min(looks, len(waiting))] {
		if good(q.levels[l][0]) {
			q.lull = 0
			return q.take(l), true
		}
	}
	if q.waits() {
		q.lull = min(max(1, 2*q.lull), longestLull)
		q.left = q.lull - 1
	}
	return item{}, false
}

// waits reports whether any item waits in a rank.
func (q *queue) waits() bool { return len(q.order) > 0 && q.order[len(q.order)-1].rank > 0 }

// deeper does so with the oldest item of one of the deepest levels.
func (q *queue) deeper(it item, good func(item) bool) (item, bool) {
	var waiting []level
	for _, l := range q.order {
		if l.rank > 0 && l.depth > it.depth {
			waiting = append(waiting, l)
		}
	}
	slices.SortFunc(waiting, func(a, b level) int {
		return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(a.rank, b.rank))
	})
	for _, l := range waiting[:min(looks, len(waiting))] {
		if good(q.levels[l][0]) {
			return q.take(l), true
		}
	}
	return item{}, false
}

// below does so with the oldest item of one of the deeper levels that have the item's rank.
func (q *queue) below(it item, good func(item) bool) (item, bool) {
	n := 0
	for _, l := range q.order {
		if l.rank != it.rank || it.rank == 0 || l.depth <= it.depth {
			continue
		}
		if n++; n > looks {
			break
		}
		if good(q.levels[l][0]) {
			return q.take(l), true
		}
	}
	return item{}, false
}

// How many that wait are looked at for each lease, and how many leases there are from one look to
// the next at most, as in package frontier.
const (
	looks       = 8
	longestLull = 16
)

// walk is a breadth-first crawl in this process: what the coordinator does, without the
// waiting.
type walk struct {
	// get returns a page; ok is false for what is no page.
	get   func(weburl.URL) (in parse.Input, status int, ok bool)
	stays func(weburl.URL) bool // within the crawl's scope
	ahead int                   // pages on their way while others are judged

	guard    *trap.Guard // nil to fetch everything
	queue    queue
	seen     map[weburl.URL]bool
	deferred map[uint64][]item
	depth    int            // of the page that get is asked for
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
	w := &walk{guard: g, seen: map[weburl.URL]bool{u: true}, deferred: map[uint64][]item{}, parser: parse.New(parse.Options{})}
	w.queue.push(item{url: u})
	return w
}

// run crawls until nothing is left or enough says so. A few pages are always on their way:
// what they teach comes too late for the next.
func (w *walk) run(enough func() bool) {
	var out []item
	for !enough() {
		for w.queue.count > 0 && len(out) < w.ahead {
			it := w.queue.pop()
			v, ok := w.allows(it)
			if ok && v.Wait && len(out) > 0 {
				w.queue.putBack(it)
				break
			} else if ok {
				if w.guard != nil {
					it, v = w.lookBack(it, v, len(out) > 0)
					it.lease = w.guard.Lease(it.url, v)
				}
				out = append(out, it)
			}
		}
		if len(out) == 0 && !w.probe() {
			return
		}
		if len(out) > 0 {
			if w.guard != nil {
				w.guard.Probed(&out[0].lease)
			}
			w.visit(out[0])
			if w.guard != nil {
				w.guard.Ended(out[0].lease)
			}
			out = out[1:]
		}
	}
}

// lookBack gives the turn of an item to another one that waits and is better, or as good and no
// deeper.
func (w *walk) lookBack(it item, v trap.Verdict, busy bool) (item, trap.Verdict) {
	if it.via.IsZero() || v.Probe {
		return it, v
	}
	it.rank = int(v.Rank)
	var now trap.Verdict
	asGood := func(other item) bool {
		up := false
		now, up = w.guard.JudgeUpTo(other.url, other.via.String(), v.Rank)
		return up && now.Kind == "" && !(now.Wait && busy)
	}
	other, ok := item{}, false
	if v.Deeper {
		other, ok = w.queue.deeper(it, func(other item) bool { return w.guard.Answers(other.url) == w.guard.Answers(it.url) && asGood(other) })
	}
	if v.Deeper && !ok {
		other, ok = w.queue.below(it, func(other item) bool { return w.guard.Pattern(other.url) == w.guard.Pattern(it.url) && asGood(other) })
	}
	if !ok {
		other, ok = w.queue.instead(it, func(other item) bool {
			return asGood(other) && (now.Rank < v.Rank || other.depth <= it.depth)
		})
	}
	if !ok {
		return it, v
	}
	w.queue.push(it)
	return other, now
}

// probe queues, at the end, what is no longer refused, and some URLs of each closed pattern. It
// reports whether there are any.
func (w *walk) probe() (any bool) {
	if w.guard == nil {
		return false
	}
	for _, id := range slices.Sorted(maps.Keys(w.deferred)) {
		list := w.deferred[id]
		w.deferred[id] = slices.DeleteFunc(list, func(it item) bool {
			again := !w.guard.Refuses(it.url)
			if again {
				w.refused--
				w.queue.push(it)
			}
			any = any || again
			return again
		})
	}
	if any {
		return true
	}
	for _, id := range slices.Sorted(maps.Keys(w.deferred)) {
		list := w.deferred[id]
		var urls []weburl.URL
		var depths []int
		for _, it := range list {
			urls, depths = append(urls, it.url), append(depths, it.depth)
		}
		take := trap.Spread(urls, depths, w.guard.Probe(id, len(list)))
		w.deferred[id] = nil
		for i, it := range list {
			if !take[i] {
				w.deferred[id] = append(w.deferred[id], it)
				continue
			}
			w.refused--
			w.queue.push(it)
			any = true
		}
	}
	return any
}

func (w *walk) allows(it item) (v trap.Verdict, ok bool) {
	if w.guard == nil || it.via.IsZero() {
		return v, true
	}
	v, _ = w.guard.JudgeUpTo(it.url, it.via.String(), uint8(it.rank))
	switch {
	case v.Kind != "":
		w.refused++
		w.verdicts = append(w.verdicts, v)
		w.deferred[v.ID] = append(w.deferred[v.ID], it)
		return v, false
	case int(v.Rank) > it.rank:
		it.rank = int(v.Rank)
		w.queue.push(it)
		return v, false
	}
	return v, true
}

func (w *walk) visit(it item) {
	w.depth = it.depth
	in, status, ok := w.get(it.url)
	if !ok || w.parser.Parse(in, &w.page) != nil {
		return
	}
	reads := w.guard != nil && !it.lease.Unread
	watch := reads && w.guard.Watch(it.url, it.via)
	for _, l := range w.page.Links {
		known := w.seen[l.URL]
		if reads && (watch || !known) && w.stays(l.URL) {
			w.guard.Link(l.URL, known)
		}
		if !known && w.stays(l.URL) {
			w.seen[l.URL] = true
			w.queue.push(item{url: l.URL, via: it.url, depth: it.depth + 1})
		}
	}
	if w.guard == nil {
		return
	}
	words := w.sampler.Steady(it.url, w.page.Words, w.page.Numerals)
	if reads {
		page := w.sampler.Page(it.url, status, words, w.page.Numerals, w.page.LinkText, w.page.Joined, xxhash.Sum64(in.Body))
		page.Pictures = w.page.Pictures
		w.guard.Learn(page)
	} else {
		w.guard.Skim(it.url, w.sampler.Skim(status, words, xxhash.Sum64(in.Body)))
	}
	for _, id := range w.guard.Reopened() {
		for _, it := range w.deferred[id] {
			w.queue.push(it)
		}
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
// and of the 2,000 pages that a crawl without a guard fetches in a trap, at most two budgets are.
// go test ./trap -run TestLabelled -v -args -seeds 5 -size 10000 prints a row for each site;
// docs/design/006-traps.md has their sum.
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
			if *dump {
				t.Logf("%s\n%s", s.Name, with.guard.Dump(20))
			}
			if s.Trap && with.Traps() > trapFetched {
				t.Errorf("%s, seed %d: %d trap pages fetched, want at most %d", s.Name, seed, with.Traps(), trapFetched)
			}
		}
	}
	out.Flush()
	t.Log("\n" + table.String())
}
