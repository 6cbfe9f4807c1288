package report

import (
	"bytes"
	"fmt"
	"slices"

	"crawler/gate"
)

// hops finds the redirects from the URL and to it.
func (w *why) hops() error {
	s := w.story
	if err := w.along(); err != nil {
		return err
	}
	if err := w.ends(); err != nil {
		return err
	}
	if err := w.back(); err != nil {
		return err
	}
	return w.here(func(r RedirectRecord) {
		found := slices.ContainsFunc(s.LedBy, func(x RedirectRecord) bool { return x.URL == r.URL })
		if !found && len(s.LedHere) < maxOthers && !slices.Contains(s.LedHere, r.URL) {
			s.LedHere = append(s.LedHere, r.URL)
		}
	})
}

// maxChain is how many redirects are followed, more than a crawl does: chains may join.
const maxChain = 2 * gate.MaxRedirects

// along follows the redirects from the URL on.
func (w *why) along() error {
	s := w.story
	met := map[string]bool{}
	for next := s.URL; len(s.Hops) < maxChain && !met[next]; {
		met[next] = true
		before := len(s.Hops)
		err := w.named(RedirectsFile, next, func(line []byte) error {
			r, err := recordIn[RedirectRecord](line)
			if err == nil && len(s.Hops) == before {
				s.Hops = append(s.Hops, r)
			}
			return err
		})
		if err != nil || len(s.Hops) == before {
			return err
		}
		next = s.Hops[before].Target
	}
	return nil
}

// ends says what became of where the redirects lead.
func (w *why) ends() error {
	s := w.story
	if len(s.Hops) == 0 {
		return nil
	}
	end := s.Hops[len(s.Hops)-1].Target
	if end == "" || slices.ContainsFunc(s.Hops, func(r RedirectRecord) bool { return r.URL == end }) {
		return nil
	}
	err := w.named(PagesFile, end, func(line []byte) error {
		p, err := recordIn[PageRecord](line)
		if err == nil {
			s.End = fmt.Sprintf("status %d", p.Status)
		}
		return err
	})
	if err != nil || s.End != "" {
		return err
	}
	return w.named(SkippedFile, end, func(line []byte) error {
		r, err := recordIn[gate.Skip](line)
		if err == nil {
			s.End = "not fetched: " + string(r.Reason)
		}
		return err
	})
}

// back follows the redirects by which the URL was found, to the first: the one that the link leads
// to, which may be in the middle of a chain that was met before.
func (w *why) back() error {
	s := w.story
	via, from := s.foundBy()
	for from != "" && len(s.LedBy) < maxChain {
		before := len(s.LedBy)
		err := w.named(RedirectsFile, from, func(line []byte) error {
			r, err := recordIn[RedirectRecord](line)
			if err == nil && len(s.LedBy) == before {
				s.LedBy = append(s.LedBy, r)
			}
			return err
		})
		if err != nil {
			return err
		}
		if len(s.LedBy) == before { // the crawl is running
			break
		}
		if from = s.LedBy[before].From; s.LedBy[before].Via != via {
			break
		}
	}
	slices.Reverse(s.LedBy)
	return nil
}

// foundBy returns the page with the link and the URL whose redirect the URL was found by.
func (s *Story) foundBy() (via, from string) {
	switch {
	case len(s.Pages) > 0:
		return s.Pages[0].Via, s.Pages[0].From
	case len(s.Hops) > 0:
		return s.Hops[0].Via, s.Hops[0].From
	case len(s.Refusals) > 0:
		return s.Refusals[0].Via, s.Refusals[0].From
	}
	return "", ""
}

// here gives fn the redirects that lead to the URL itself.
func (w *why) here(fn func(r RedirectRecord)) error {
	s := w.story
	key := append(appendQuoted([]byte(`,"target":`), s.URL), ',')
	return w.about(RedirectsFile, s.URL, func(line []byte) error {
		if !bytes.Contains(line, key) {
			return nil
		}
		r, err := recordIn[RedirectRecord](line)
		if err == nil && r.Target == s.URL && r.URL != s.URL {
			fn(r)
		}
		return err
	})
}
