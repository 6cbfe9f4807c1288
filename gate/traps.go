package gate

import (
	"slices"
	"time"

	"crawler/trap"
	"crawler/weburl"
)

// Trap is a set of URLs that were taken for a trap's.
type Trap struct {
	ID      uint64 // trap.Verdict's, 0 if refused on sight
	Kind    trap.Kind
	Pattern string // "" if refused on sight, or if it stands for others
	Fetched int    // pages, probes included
	Refused int    // URLs
}

// maxTraps is how many traps are counted apart.
const maxTraps = 256

// The guard is committed so rarely that it costs 1 % of the time at most: an older one
// learns a trap's last pages again.
const (
	saveTrapsEvery = 5 * time.Second
	saveTrapsShare = 100
)

// traps is the guard against crawler traps and what it has refused so far.
type traps struct {
	guard    *trap.Guard // nil to refuse nothing
	watching bool        // the guard wants the links of the present page
	list     []Trap
	saved    time.Time     // when the guard was committed last
	took     time.Duration // to put it into a commit
}

func newTraps(cfg *Config) traps {
	if cfg.FollowTraps {
		return traps{}
	}
	return traps{guard: trap.New(cfg.Traps)}
}

// judge decides whether a leased URL belongs to a trap. Entry points and pages that have had
// an attempt are fetched.
func (t *traps) judge(task *Task) trap.Verdict {
	if t.guard == nil || task.Via == "" || task.Sitemap || task.Attempt > 0 {
		return trap.Verdict{}
	}
	return t.guard.Judge(task.URL)
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

// fetched fills in how many pages were fetched of each trap, as far as the guard remembers.
func (t *traps) fetched(list []Trap) {
	if t.guard == nil {
		return
	}
	for _, p := range t.guard.Closed() {
		if i := slices.IndexFunc(list, func(x Trap) bool { return x.ID == p.ID }); i >= 0 {
			list[i].Fetched = p.Pages
		}
	}
}

// watch begins a page.
func (t *traps) watch(p *Page) {
	if t.guard == nil || p.Sitemap {
		return
	}
	via, _ := weburl.Parse(p.Via) // zero for an entry point
	t.watching = t.guard.Watch(p.URL, via)
}

// link records a link of that page that is in scope.
func (t *traps) link(u weburl.URL, known bool) {
	if t.watching {
		t.guard.Link(u, known)
	}
}

// learn ends the page and returns the patterns that it has opened.
func (t *traps) learn(p *Page) []uint64 {
	if t.guard == nil || p.Sitemap {
		return nil
	}
	t.watching = false
	sample := p.Sample
	sample.Status = p.Status // errors are not parsed, nor sampled
	if !t.guard.Learn(sample) {
		return nil
	}
	return t.guard.Reopened()
}

// refuses reports whether a URL that was refused with v must still be.
func (t *traps) refuses(v trap.Verdict, u weburl.URL) bool {
	return t.guard != nil && t.guard.Refuses(v, u)
}

// commit adds the guard's state to w, if it is time for that.
func (t *traps) commit(w Writer, clock func() time.Time, last bool) error {
	now := clock()
	if t.guard == nil || !last && now.Sub(t.saved) < max(saveTrapsEvery, saveTrapsShare*t.took) {
		return nil
	}
	data, err := t.guard.MarshalBinary()
	if err != nil {
		return err
	}
	w.Put(recordKey(keyTraps), data)
	t.saved, t.took = now, clock().Sub(now)
	return nil
}

// restore restores the guard's state.
func (t *traps) restore(r Reader) error {
	if t.guard == nil {
		return nil
	}
	data, err := r.Get(recordKey(keyTraps))
	if err != nil || data == nil {
		return err
	}
	if err := t.guard.UnmarshalBinary(data); err != nil {
		return damaged(keyTraps, err)
	}
	return nil
}

// Sampler describes pages for the guard against traps: one for each goroutine that reads
// pages.
type Sampler struct {
	trap trap.Sampler
	off  bool
}

// NewSampler returns a Sampler for the pages of a crawl with this Config.
func (c *Config) NewSampler() *Sampler { return &Sampler{off: c.FollowTraps} }

// Sample describes a page for the guard.
type Sample = trap.Page

// Page returns the sample of a page, in the memory of an earlier one.
func (s *Sampler) Page(u weburl.URL, status int, words []uint64, digest uint64, reuse Sample) Sample {
	if s.off {
		return Sample{}
	}
	kept := reuse.Sample[:0]
	page := s.trap.Page(u, status, words, digest)
	page.Sample = append(kept, page.Sample...)
	return page
}
