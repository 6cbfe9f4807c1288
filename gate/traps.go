package gate

import (
	"cmp"
	"slices"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/trap"
	"crawler/weburl"
)

// Trap is a set of URLs that were taken for a trap's.
type Trap struct {
	ID      uint64 // trap.Verdict's, 0 if refused on sight
	Kind    trap.Kind
	Pattern string // "" if refused on sight, or if it stands for others
	Fetched int    // pages, probes included
	Why     string // in words, what the latest of these were like
	Refused int    // URLs
}

// maxTraps is how many traps are counted apart.
const maxTraps = 256

// traps is the guard against crawler traps and what it has refused so far.
type traps struct {
	guard    *trap.Guard // nil to refuse nothing
	watching bool        // a page's links are being met
	reads    bool        // and wanted
	page     lesson      // that page
	later    *lesson     // what it will be, if some of its links wait for the log
	lessons  []*lesson   // pages that wait, the longest waiting first
	list     []Trap
	full     int // bytes of the guard's full form when that was committed last
	since    int // bytes of its events since
	form     slowForm
	policy   formPolicy
}

func newTraps(cfg *Config) traps {
	if cfg.FollowTraps {
		return traps{}
	}
	return traps{guard: trap.New(cfg.Traps), policy: cmp.Or(cfg.form, defaultForms)}
}

// judge decides whether a leased URL belongs to a trap. If it has to wait longer the verdict may be
// no more than the least rank that it can have: it is judged again when the turn of that comes.
func (t *traps) judge(task *Task) trap.Verdict {
	if !t.minds(task) {
		return trap.Verdict{}
	}
	v, _ := t.guard.JudgeUpTo(task.URL, task.Via, task.Rank)
	return v
}

// minds reports whether the guard is asked about a URL: entry points and pages that have had an
// attempt are fetched.
func (t *traps) minds(task *Task) bool {
	return t.guard != nil && task.Via != "" && !task.Sitemap && task.Attempt == 0
}

// lookBack gives the place of a leased URL to another of its host that waits and is better by what
// is known now, or as good and no deeper: URLs that are equally good are fetched breadth-first.
// When it is the turn of a deeper one of the same pattern, that comes first.
func (t *traps) lookBack(q *queue, task Task, v trap.Verdict, now time.Time) (Task, trap.Verdict) {
	if !t.minds(&task) || v.Probe {
		return task, v
	}
	var w trap.Verdict
	task.Rank = v.Rank
	alone := q.frontier.Alone(task.Item)
	good := func(it frontier.Item) (ok bool) {
		w, ok = trap.Verdict{}, true
		if t.minds(&Task{Item: it}) {
			w, ok = t.guard.JudgeUpTo(it.URL, it.Via, v.Rank)
		}
		return ok && w.Kind == "" && (alone || !w.Wait) && w.Rank <= v.Rank
	}
	if v.Deeper {
		answers := t.guard.Answers(task.URL)
		other, ok := q.instead(deepest, &task, now, func(it frontier.Item) bool {
			return t.guard.Answers(it.URL) == answers && good(it)
		})
		if !ok {
			pattern := t.guard.Pattern(task.URL)
			other, ok = q.instead(below, &task, now, func(it frontier.Item) bool {
				return t.guard.Pattern(it.URL) == pattern && good(it)
			})
		}
		if ok {
			return other, w
		}
	}
	other, ok := q.instead(asGood, &task, now, func(it frontier.Item) bool {
		return good(it) && (w.Rank < v.Rank || it.Depth <= task.Depth)
	})
	if ok {
		return other, w
	}
	return task, v
}

// lease notes that a URL is on its way, until ended.
func (t *traps) lease(task *Task, v trap.Verdict) {
	task.Probe, task.lease = v.Probe, trap.Lease{}
	if t.minds(task) {
		task.lease = t.guard.Lease(task.URL, v)
	}
}

// came notes that a lease has come to something: a page, a redirect or a refusal.
func (t *traps) came(l *trap.Lease) {
	if t.guard != nil {
		t.guard.Probed(l)
	}
}

// moved teaches the guard a redirect: whether its target was new by what was known before and after
// it was offered. Nothing is learned where only the log could tell.
func (t *traps) moved(r *Redirect, before, after dedup.Answer) {
	if t.minds(&r.Task) && before != dedup.Maybe && after != dedup.Maybe {
		t.guard.Moved(r.URL, r.Target, before == dedup.New && after == dedup.Seen)
	}
}

func (t *traps) ended(l trap.Lease) {
	if t.guard != nil {
		t.guard.Ended(l)
	}
}

// probe says how many of the URLs that a closed pattern has refused may be fetched before the crawl
// ends.
func (t *traps) probe(id uint64, refused int) int {
	if t.guard == nil {
		return 0
	}
	return t.guard.Probe(id, refused)
}

// count adds n URLs to those refused as their trap.
func (t *traps) count(v trap.Verdict, n int) {
	i := slices.IndexFunc(t.list, func(x Trap) bool { return x.ID == v.ID && (x.ID != 0 || x.Kind == v.Kind) })
	if i < 0 && len(t.list) < maxTraps {
		i = len(t.list)
		t.list = append(t.list, Trap{ID: v.ID, Kind: v.Kind, Pattern: v.Pattern})
	} else if i < 0 { // the last one stands for all others
		i = maxTraps - 1
		t.list[i].ID, t.list[i].Kind, t.list[i].Pattern = 0, "", ""
	}
	x := &t.list[i]
	x.Refused += n
	if x.ID != 0 {
		x.Kind = v.Kind // it may look like another by now
	}
}

// recall counts a URL that was refused as a trap's when the guard's evidence was not yet lost.
func (t *traps) recall(s Skip) {
	i := slices.IndexFunc(t.list, func(x Trap) bool { return x.Kind == s.Trap && x.Pattern == s.Detail })
	if i < 0 && len(t.list) < maxTraps {
		i = len(t.list)
		t.list = append(t.list, Trap{Kind: s.Trap, Pattern: s.Detail})
	} else if i < 0 {
		i = maxTraps - 1
		t.list[i].Kind, t.list[i].Pattern = "", ""
	}
	t.list[i].Refused++
}

// fetched fills in how many pages were fetched of each trap, as far as the guard remembers.
func (t *traps) fetched(list []Trap) {
	if t.guard == nil {
		return
	}
	for _, p := range t.guard.Closed() {
		if i := slices.IndexFunc(list, func(x Trap) bool { return x.ID == p.ID }); i >= 0 {
			list[i].Fetched, list[i].Why = p.Pages, p.Why
		}
	}
}

// learn teaches the guard a page, and returns the patterns that it has opened.
func (t *traps) learn(l *lesson) []uint64 {
	if t.guard == nil { // of a page that waited in a run with one
		return nil
	}
	opened := false
	if l.lease.Unread {
		opened = t.guard.Skim(l.url, l.sample)
	} else {
		opened = t.read(l)
	}
	t.guard.Ended(l.lease)
	if !opened {
		return nil
	}
	return t.guard.Reopened()
}

// read has the guard learn text and links of a page.
func (t *traps) read(l *lesson) (opened bool) {
	all := t.guard.Watch(l.url, l.via)
	for _, m := range l.links {
		if all || !m.known {
			t.guard.Link(m.url, m.known)
		}
	}
	return t.guard.Learn(l.sample)
}

// refuses reports whether a URL that was refused must still be.
func (t *traps) refuses(u weburl.URL) bool { return t.guard != nil && t.guard.Refuses(u) }

// trusts reports whether a URL must not be refused, whatever is known.
func (t *traps) trusts(u weburl.URL) bool { return t.guard == nil || t.guard.Trusts(u) }

// Sampler describes pages for the guard against traps: one for each goroutine that reads
// pages.
type Sampler struct {
	trap  trap.Sampler
	words []uint64
	off   bool
}

// NewSampler returns a Sampler for the pages of a crawl with this Config.
func (c *Config) NewSampler() *Sampler { return &Sampler{off: c.FollowTraps} }

// Sample describes a page for the guard.
type Sample = trap.Page

// Text is what a Sampler is to know of a page: see parse.Page.
type Text struct {
	Words    []uint64
	Numerals []int32
	LinkText []int32
	Joined   int
	Pictures uint64
	Instead  []uint64

	Canonical weburl.URL
	NoIndex   bool
}

// Page returns the sample of a task's page, in the memory of an earlier one.
func (s *Sampler) Page(t *Task, status int, text Text, digest uint64, reuse Sample) Sample {
	page := s.page(t, status, text, digest, reuse)
	page.Another, page.NoIndex = trap.NamesAnother(t.URL, text.Canonical), text.NoIndex
	return page
}

func (s *Sampler) page(t *Task, status int, text Text, digest uint64, reuse Sample) Sample {
	if s.off {
		return Sample{}
	}
	words := s.trap.Steady(t.URL, text.Words, text.Numerals)
	if len(text.Instead) > 0 { // what a reader sees in its place is as good as text
		s.words = append(append(s.words[:0], words...), text.Instead...)
		words = s.words
	}
	if t.Unread() {
		page := s.trap.Skim(status, words, digest)
		page.Sample = reuse.Sample[:0]
		return page
	}
	page := s.trap.Page(t.URL, status, words, text.Numerals, text.LinkText, text.Joined, digest)
	page.Pictures = text.Pictures
	page.Sample = append(reuse.Sample[:0], page.Sample...)
	return page
}
