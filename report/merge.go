package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/gate"
	"crawler/internal/sums"
	"crawler/stats"
)

// Part is what one shard of a crawl knows: a crawl of its own, of the hosts that are its. Its
// Recorder, restored from the same state, has what figures alone cannot tell.
type Part struct {
	Name     string // of its directory, as errors name it
	Report   *Report
	Recorder *Recorder
	Files    sums.Table // as the report of all is to name them; nil leaves them out
}

// ErrParts says that parts do not belong to one crawl.
var ErrParts = errors.New("they are not the shards of one crawl")

// Merger makes one report of the shards of a crawl, one after another: it keeps the rows of their
// sites, 8 bytes and a little for each different text, and one pair of sketches. It is for one
// goroutine; the zero Merger has no parts.
//
// A URL and a host belong to one shard, so counts add up, and the rows of sites are those of all
// shards, up to MaxSites of each. Different texts are counted by their digests, exactly. The
// words of all pages come from merged sketches (stats.Words.Merge), so their figures differ a
// little from those of one crawl, within intervals that hold; this needs sketches of one seed and
// size. What stands apart among the sites is judged anew, over all of them.
type Merger struct {
	rep    *Report
	words  tally
	other  tally // of OtherSites, empty without them
	texts  dedup.Set
	hosts  map[string]string // a site's host: the part that has it
	seeds  map[string]bool
	filter []dedup.Stats
	apart  float64 // logarithm of the probability that no two URLs share a fingerprint
	first  string  // the first part
}

// Add adds a part, whose Report and Recorder it takes over. The error wraps ErrParts if it is
// none of the same crawl; the Merger is then of no use.
func (m *Merger) Add(p Part) error {
	if m.rep == nil {
		m.begin(p)
	} else if err := m.fits(p); err != nil {
		return err
	}
	if err := m.sites(p); err != nil {
		return err
	}
	if err := m.sketches(p); err != nil {
		return err
	}
	m.sum(p.Report)
	m.dedup(&p.Report.Dedup)
	m.texts.Union(&p.Recorder.texts)
	for name, f := range p.Files {
		m.rep.Files[name] = f
	}
	return nil
}

func (m *Merger) begin(p Part) {
	r := p.Report
	m.rep = &Report{
		Started: r.Started, Finished: r.Finished, Seeds: []string{}, EndedBy: string(crawl.Done),
		Skipped: map[string]int{}, Errors: map[string]int{}, GivenUp: map[string]int{},
		Failures: []Failure{}, Traps: []Trap{}, Refused: []Refused{}, RobotsPages: []string{}, Sites: []Site{},
		Pages: Pages{ByStatus: map[string]int{}, ByType: map[string]int{}, ByDepth: map[string]int{}, Broken: []Broken{}},
		Files: sums.Table{},
	}
	m.rep.Dedup.Mode = r.Dedup.Mode
	m.words = newTally(stats.Config{Seed: p.Recorder.cfg.Seed}, p.Recorder.cfg.Exact)
	m.hosts, m.seeds, m.first = map[string]string{}, map[string]bool{}, p.Name
}

// fits refuses a part whose settings are not those of the first.
func (m *Merger) fits(p Part) error {
	switch r := p.Recorder; {
	case p.Report.Dedup.Mode != m.rep.Dedup.Mode:
		return fmt.Errorf("%s has --dedup %s, %s has %s: %w", p.Name, p.Report.Dedup.Mode, m.first, m.rep.Dedup.Mode, ErrParts)
	case r.cfg.Exact != (m.words.exact != nil):
		return fmt.Errorf("%s and %s differ in --exact-stats: %w", p.Name, m.first, ErrParts)
	}
	return nil
}

// sites takes the rows of the sites over.
func (m *Merger) sites(p Part) error {
	if p.Report.Pages.Fetched != p.Recorder.pages {
		return fmt.Errorf("%s: its report is of %d pages, its state of %d", p.Name, p.Report.Pages.Fetched, p.Recorder.pages)
	}
	for _, s := range p.Report.Sites {
		s.Flags = []string{}
		if s.Site == OtherSites {
			m.otherPages(s)
			continue
		}
		if has, twice := m.hosts[s.Site]; twice {
			return fmt.Errorf("%s has pages in %s and in %s: %w", s.Site, has, p.Name, ErrParts)
		}
		m.hosts[s.Site] = p.Name
		m.rep.Sites = append(m.rep.Sites, s)
	}
	return nil
}

// otherPages adds to the row of the sites without one; its figures come from sketches, at the
// end.
func (m *Merger) otherPages(s Site) {
	at := slices.IndexFunc(m.rep.Sites, func(s Site) bool { return s.Site == OtherSites })
	if at < 0 {
		m.rep.Sites = append(m.rep.Sites, s)
		return
	}
	m.rep.Sites[at].Pages += s.Pages
}

// sketches merges those of all words, and of the sites without a row.
func (m *Merger) sketches(p Part) error {
	if err := m.words.merge(p.Recorder.total); err != nil {
		return fmt.Errorf("the words of %s and %s were counted with other seeds (--seed): %w: %w", m.first, p.Name, ErrParts, err)
	}
	other, ok := p.Recorder.sites[OtherSites]
	if !ok {
		return nil
	}
	if m.other.words == nil {
		m.other = other.clone()
		return nil
	}
	return m.other.merge(other.tally)
}

// merge adds what is known of another stream.
func (t *tally) merge(o tally) error {
	if t.exact != nil {
		t.exact.Merge(o.exact)
	}
	return t.words.Merge(o.words)
}

// sum adds what has one owner.
func (m *Merger) sum(r *Report) {
	s := m.rep
	for _, seed := range r.Seeds {
		if !m.seeds[seed] {
			m.seeds[seed] = true
			s.Seeds = append(s.Seeds, seed)
		}
	}
	if r.Started.Before(s.Started) {
		s.Started = r.Started
	}
	if r.Finished.After(s.Finished) {
		s.Finished = r.Finished
	}
	s.EndedBy, s.Runs = laterEnd(s.EndedBy, r.EndedBy), max(s.Runs, r.Runs)
	s.SeedsDone.Answered += r.SeedsDone.Answered
	s.SeedsDone.Refused += r.SeedsDone.Refused
	sumInto(s.Skipped, r.Skipped)
	sumInto(s.Errors, r.Errors)
	sumInto(s.GivenUp, r.GivenUp)
	m.pages(&r.Pages)
	s.Failures = upTo(firstFailures, s.Failures, r.Failures)
	s.RobotsPages = append(s.RobotsPages, r.RobotsPages...)
	s.OtherSites += r.OtherSites
	m.traps(r.Traps)
	m.refused(r.Refused)
	s.Requests.Sent += r.Requests.Sent
	s.Requests.Robots += r.Requests.Robots
	s.Requests.Retried += r.Requests.Retried
	s.Frontier.Queued += r.Frontier.Queued
	s.Frontier.Leased += r.Frontier.Leased
	s.Frontier.Hosts += r.Frontier.Hosts
	s.Frontier.Left += r.Frontier.Left
	s.Resources.Seconds = max(s.Resources.Seconds, r.Resources.Seconds)
	s.Resources.CPUSeconds += r.Resources.CPUSeconds
	s.Resources.PeakRSSBytes = max(s.Resources.PeakRSSBytes, r.Resources.PeakRSSBytes)
	if r.HostSample != nil && s.HostSample == nil {
		s.HostSample = &HostSample{Share: r.HostSample.Share}
	}
}

func (m *Merger) pages(r *Pages) {
	s := &m.rep.Pages
	s.Fetched, s.Bytes = s.Fetched+r.Fetched, s.Bytes+r.Bytes
	s.NeedScript, s.Redirects = s.NeedScript+r.NeedScript, s.Redirects+r.Redirects
	sumInto(s.ByStatus, r.ByStatus)
	sumInto(s.ByType, r.ByType)
	sumInto(s.ByDepth, r.ByDepth)
	s.Broken = upTo(maxBroken, s.Broken, r.Broken)
}

// laterEnd returns which of two ends is that of both together: the one that leaves more open. A
// part that was killed has none, and was interrupted.
func laterEnd(a, b string) string {
	ends := []crawl.EndedBy{
		crawl.Done, crawl.ByTimeLimit, crawl.ByMaxBytes, crawl.ByMaxPages, crawl.ByStop, crawl.ByInterrupt,
		crawl.ByOutage, crawl.ByLowDisk, crawl.ByRecordError, crawl.ByStoreError,
	}
	b = cmp.Or(b, string(crawl.ByInterrupt))
	if slices.Index(ends, crawl.EndedBy(b)) > slices.Index(ends, crawl.EndedBy(a)) {
		return b
	}
	return a
}

func sumInto(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

// upTo appends to a list that has so many at most.
func upTo[T any](most int, list, more []T) []T {
	return append(list, more[:min(len(more), max(most-len(list), 0))]...)
}

// traps adds those of a part. Those that stand for others stand for those of all parts.
func (m *Merger) traps(list []Trap) {
	for _, t := range list {
		t.Retry = "" // it is a command for the part alone
		at := -1
		if t.Pattern == "" {
			at = slices.IndexFunc(m.rep.Traps, func(o Trap) bool { return o.Kind == t.Kind && o.Pattern == "" })
		}
		if at < 0 {
			m.rep.Traps = append(m.rep.Traps, t)
			continue
		}
		m.rep.Traps[at].Fetched += t.Fetched
		m.rep.Traps[at].Refused += t.Refused
	}
}

// refused adds the sites of a part that refuse us.
func (m *Merger) refused(list []Refused) {
	for _, r := range list {
		at := slices.IndexFunc(m.rep.Refused, func(o Refused) bool { return r.Site == OtherSites && o.Site == OtherSites })
		if at < 0 {
			r.ByStatus = maps.Clone(r.ByStatus)
			m.rep.Refused = append(m.rep.Refused, r)
			continue
		}
		sumInto(m.rep.Refused[at].ByStatus, r.ByStatus)
	}
}

// dedup adds a filter's account.
func (m *Merger) dedup(d *Dedup) {
	s := dedup.Stats{
		Asked: d.Asked, New: d.New, Seen: d.Seen, Hot: d.Hot, Checked: d.Checked,
		Restarts: d.Restarts, Bits: d.Bits, Fill: d.Fill, ExpectedRate: d.ExpectedRate,
	}
	if d.FalsePositives != nil {
		s.FalsePositives = *d.FalsePositives
	}
	if r := d.Risk; r != nil {
		s.Rate, s.RateLow, s.RateHigh = d.Rate, d.RateLow, d.RateHigh
		s.Expect, s.Risked, s.RiskedHigh, s.RiskedBy = r.Expect, r.Risked, r.RiskedHigh, dedup.RiskedBy(r.RiskedBy)
		s.SampledURLs, s.SampledLost = r.SampledURLs, r.SampledLost
	}
	m.filter = append(m.filter, s)
	m.apart += math.Log1p(-d.CollisionProbability)
	t := &m.rep.Dedup
	t.Maybe += d.Maybe
	t.RestartSeconds += d.RestartSeconds
	t.RestartPauseSeconds = max(t.RestartPauseSeconds, d.RestartPauseSeconds)
	t.NewAt = addNewAt(t.NewAt, d.NewAt)
}

func addNewAt(a, b gate.NewAtCounts) gate.NewAtCounts {
	return gate.NewAtCounts{
		Host: a.Host + b.Host, Directory: a.Directory + b.Directory, File: a.File + b.File,
		Query: a.Query + b.Query, Deeper: a.Deeper + b.Deeper, Estimated: a.Estimated + b.Estimated,
	}
}

// Report returns the report of all parts; the Merger must not be used any more. Near-duplicates
// and most linked URLs are still to be looked for: see FindNearIn and CountMostLinked.
func (m *Merger) Report(version string) (*Report, error) {
	r := m.rep
	if r == nil {
		return nil, fmt.Errorf("%w: there is none", ErrParts)
	}
	r.Version = version
	r.SeedsDone.Given = len(r.Seeds)
	r.Pages.Unique = m.texts.Len()
	r.Words.Total = int64(m.words.words.N())
	r.Words.Distinct, r.Words.Surprise = m.words.figures()
	for i := range r.Sites {
		if s := &r.Sites[i]; s.Site == OtherSites && m.other.words != nil {
			s.Words = int64(m.other.words.N())
			s.Distinct, s.Surprise = m.other.figures()
		}
	}
	sortSites(r.Sites)
	flag(r.Sites)
	slices.Sort(r.RobotsPages)
	sortRefused(r.Refused)
	slices.SortStableFunc(r.Traps, func(a, b Trap) int { return cmp.Compare(b.Refused, a.Refused) })
	m.account()
	if r.Resources.Seconds > 0 {
		r.Resources.PagesPerSecond = float64(r.Pages.Fetched) / r.Resources.Seconds
	}
	if s := r.HostSample; s != nil {
		r.HostSample = sampleOf(r, s.Share)
	}
	return r, nil
}

// account reports what the filters did together.
func (m *Merger) account() {
	was := m.rep.Dedup
	d := account(dedup.Merge(m.filter), crawl.Audit{Mode: was.Mode, Maybe: was.Maybe})
	d.RestartSeconds, d.RestartPauseSeconds, d.NewAt = was.RestartSeconds, was.RestartPauseSeconds, was.NewAt
	if d.Risk == nil {
		d.CollisionProbability = -math.Expm1(m.apart)
	}
	m.rep.Dedup = d
}
