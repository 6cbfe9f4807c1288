package report

import (
	"github.com/cespare/xxhash/v2"

	"crawler/stats"
)

// site is what is known of one site. The only site of a crawl shares the crawl's tally:
// its words are the crawl's, and counted once.
type site struct {
	name  string
	pages int
	tally
	journal journal         // of its own sketches
	texts   []*stats.Folded // of its pages in Recorder.waiting
	recent  *stats.Exact    // what exact has counted since the last Cut; nil for nothing
	unsaved bool            // it is in unsaved.sites
}

// site returns the site of a host, a new one if it has none yet.
func (r *Recorder) site(host string) *site {
	if s, ok := r.sites[host]; ok {
		return s
	}
	if len(r.sites) >= r.cfg.MaxSites {
		if fp := xxhash.Sum64String(host); r.others.Add(fp) && r.unsaved.on {
			r.unsaved.others = append(r.unsaved.others, fp)
		}
		host = OtherSites
		if s, ok := r.sites[host]; ok {
			return s
		}
	}
	s := &site{name: host}
	if len(r.sites) == 0 {
		s.tally = r.total
	} else {
		s.tally = newTally(stats.SiteConfig(r.cfg.Seed), r.cfg.Exact)
		r.part()
	}
	r.sites[host] = s
	return s
}

// part gives the only site so far sketches of its own.
func (r *Recorder) part() {
	r.countWaiting() // what both would count
	for _, s := range r.sites {
		if r.shares(s) {
			s.tally = r.total.clone()
			r.changed(s)
		}
	}
}

// shares reports whether the words of the site are those of the crawl.
func (r *Recorder) shares(s *site) bool { return s.words == r.total.words }
