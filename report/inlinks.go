package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/dedup"
	"crawler/parse"
	"crawler/store"
	"crawler/weburl"
)

// inLinks estimates how many pages link to each URL while the crawl runs, in 8 bytes a URL and
// without their names: a spectral Bloom filter by minimal increase, never too few. A page is
// recorded once, and counts once for each URL that it links to; so no sketch of the linking
// pages is needed. What counts is what the link graph counts: links that a reader clicks or is
// sent along and that are not nofollow, and redirects.
//
// It is not saved: a run that continues counts again what stands in links.bin. The nil inLinks
// counts nothing.
type inLinks struct {
	counts *dedup.Spectral
	met    map[uint64]bool        // the links of the page so far
	top    map[uint64]*MostLinked // those with most links, by their hash, at most maxTop
	added  uint                   // in all
	least  int64                  // the least count of top once it is full
}

const (
	maxTop    = 64 // URLs of which the names are kept
	lookEvery = 8
	mostShown = 10
)

// newInLinks returns nil for 0 URLs.
func newInLinks(urls int, seed uint64) *inLinks {
	if urls <= 0 {
		return nil
	}
	counts, err := dedup.NewSpectral(dedup.SpectralConfig{Keys: int64(urls), Method: dedup.MinimalIncrease, Seed: seed})
	if err != nil {
		panic(err) // the number was checked
	}
	return &inLinks{counts: counts, met: map[uint64]bool{}, top: map[uint64]*MostLinked{}}
}

// of returns the present estimate for a URL.
func (l *inLinks) of(url string) int64 {
	if l == nil {
		return 0
	}
	return int64(l.counts.Count(xxhash.Sum64String(url)))
}

// countsAsLink reports whether the link graph counts a link.
func countsAsLink(kind parse.LinkKind, nofollow bool) bool {
	switch kind {
	case parse.Anchor, parse.Area, parse.Frame, parse.Refresh:
		return !nofollow
	}
	return false
}

// page counts the links of a page.
func (l *inLinks) page(links []parse.Link) {
	if l == nil {
		return
	}
	for i := range links {
		if countsAsLink(links[i].Kind, links[i].NoFollow) {
			l.onPage(links[i].URL.String())
		}
	}
	l.endPage()
}

// onPage counts a URL unless the page has linked to it before.
func (l *inLinks) onPage(url string) {
	h := xxhash.Sum64String(url)
	if !l.met[h] {
		l.met[h] = true
		l.add(h, url)
	}
}

// endPage begins the next page.
func (l *inLinks) endPage() { clear(l.met) }

// linked counts a redirect.
func (l *inLinks) linked(url string) {
	if l != nil {
		l.add(xxhash.Sum64String(url), url)
	}
}

func (l *inLinks) add(h uint64, url string) {
	l.counts.Add(h)
	if l.top[h] != nil {
		return // its count is asked for when it matters
	}
	// Once there are many, one addition in lookEvery is looked at: much linked URLs come again.
	if l.added++; len(l.top) >= maxTop && l.added%lookEvery != 0 {
		return
	}
	n := int64(l.counts.Count(h))
	// An eighth more than the least: otherwise URLs of about that many would take turns.
	if n <= l.least+l.least/8 {
		return
	}
	if len(l.top) >= maxTop {
		l.dropLeast()
	}
	l.top[h] = &MostLinked{strings.Clone(url), n} // a link's text is the page's memory
}

// dropLeast makes room among the most linked.
func (l *inLinks) dropLeast() {
	worst, at := (*MostLinked)(nil), uint64(0)
	for h, e := range l.top {
		e.InLinks = int64(l.counts.Count(h))
		if worst == nil || e.InLinks < worst.InLinks || e.InLinks == worst.InLinks && e.URL > worst.URL {
			worst, at = e, h
		}
	}
	delete(l.top, at)
	l.least = worst.InLinks
}

// most returns the most linked, the first first.
func (l *inLinks) most() (list []MostLinked) {
	if l == nil {
		return nil
	}
	for h, e := range l.top {
		list = append(list, MostLinked{e.URL, int64(l.counts.Count(h))})
	}
	slices.SortFunc(list, func(a, b MostLinked) int { return cmp.Or(cmp.Compare(b.InLinks, a.InLinks), cmp.Compare(a.URL, b.URL)) })
	return list[:min(len(list), mostShown)]
}

// replay counts what stands in links.bin, at some 100 ns a link.
func (l *inLinks) replay(dir *store.Dir) error {
	if l == nil || dir == nil {
		return nil
	}
	if _, err := l.count(dir.Path(), ""); err != nil {
		return fmt.Errorf("counting links again: %w", err)
	}
	return nil
}

// count counts all links of a crawl directory, and exactly those to one URL.
func (l *inLinks) count(dir, target string) (exact int64, err error) {
	err = ReadLinks(dir, func(p *PageLinks) error {
		found := false
		for p.Next() {
			link := p.Link()
			switch {
			case p.Redirect:
				l.linked(string(link.URL))
			case countsAsLink(link.Kind, link.NoFollow):
				l.onPage(string(link.URL))
			default:
				continue
			}
			found = found || string(link.URL) == target
		}
		l.endPage()
		if found {
			exact++
		}
		return nil
	})
	return exact, err
}

// InLinks is what is known of the links to a URL.
type InLinks struct {
	AtFetch int64 `json:"at_fetch"` // estimated when its page was recorded
	Last    int64 `json:"last"`     // estimated of all that is recorded now
	Exact   int64 `json:"exact"`    // counted, as crawler graph does
}

// CountInLinks counts the links to a URL in the directory of a crawl, or those of its shards,
// exactly and by the estimate of a crawl for the given number of URLs. It reads links.bin once,
// at some 100 ns a link.
func CountInLinks(dirs []string, u weburl.URL, urls int, seed uint64) (InLinks, error) {
	l, sum := newInLinks(max(urls, 1), seed), int64(0)
	for _, dir := range dirs {
		exact, err := l.count(dir, u.String())
		if err != nil {
			return InLinks{}, err
		}
		sum += exact
	}
	return InLinks{Last: l.of(u.String()), Exact: sum}, nil
}

// CountMostLinked lists the URLs that the pages of several directories together link to most, as
// a crawl of all of them with Config.InLinks would. It reads links.bin as CountInLinks does.
func (r *Report) CountMostLinked(dirs []string, urls int, seed uint64) error {
	l := newInLinks(urls, seed)
	if l == nil {
		return nil
	}
	for _, dir := range dirs {
		if _, err := l.count(dir, ""); err != nil {
			return fmt.Errorf("counting links: %w", err)
		}
	}
	r.Pages.MostLinked = l.most()
	return nil
}
