package demosite

import (
	"net/http"
	"sort"
	"strings"
)

// Class says how a crawler comes to a URL and what it should do about it.
type Class string

// The classes. A URL that belongs to several has the first of them.
const (
	Trap      Class = "trap"      // in a comment, a script, a binary: no link; never fetched
	Outside   Class = "outside"   // on a host that is not ours; never fetched
	Forbidden Class = "forbidden" // linked or redirected to, but closed by robots.txt
	Tracked   Class = "tracked"   // a page's URL with parameters; fetched unless utm_* are dropped
	Linked    Class = "linked"    // reached by links and redirects; fetched once
	NoFollow  Class = "nofollow"  // reached only by links that ask not to be followed
	InSitemap Class = "sitemap"   // found in a sitemap only
	Sitemap   Class = "sitemaps"  // the sitemaps themselves
	Asset     Class = "asset"     // style sheets and pictures that pages use
)

// Page is what is true of one URL.
type Page struct {
	URL      string // canonical
	Class    Class
	Status   int      // of the last answer; 0: the connection is reset
	Answers  int      // requests until that answer: 1, or more for pages that say "later" first
	Type     string   // media type without parameters
	Location string   // where a redirect leads
	Plain    string   // of a tracked URL: the one without the parameters
	NoIndex  bool     // asks not to be indexed, by meta element or header
	Words    []string // lower-cased, in the order of the document, the title among them
}

// Truth is what a crawl of the whole web should find. A polite crawler whose
// scope is the hosts, and which neither follows nofollow links nor keeps utm_*
// parameters, fetches the Linked pages, each once (pages that say "later" as
// often as Answers says), and no other but robots.txt, and sitemaps if it
// reads them.
type Truth struct {
	Pages map[string]Page // by canonical URL
	Exact [][]string      // linked pages that are equal to the byte
	Near  [][]string      // linked pages that share eight of ten runs of three words at least
}

// Truth says what there is to find. It costs about as much as New; keep it.
func (w *Web) Truth() Truth {
	t := Truth{Pages: map[string]Page{}, Exact: w.exact, Near: w.near}
	nofollow := w.walk(t)
	for _, u := range nofollow {
		t.add(w.describe(u, NoFollow))
	}
	for _, u := range w.traps {
		t.Pages[u] = w.describe(u, Trap)
	}
	w.addRest(t)
	return t
}

// walk adds everything that links and redirects lead to, breadth first, and
// returns the targets of nofollow links.
func (w *Web) walk(t Truth) (nofollow []string) {
	queue := w.Seeds()
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if _, known := t.Pages[u]; known {
			continue
		}
		p := w.describe(u, Linked)
		t.Pages[u] = p
		switch p.Class {
		case Tracked:
			queue = append(queue, p.Plain)
		case Linked:
			follow, not := w.targets(u)
			queue, nofollow = append(queue, follow...), append(nofollow, not...)
		}
	}
	return nofollow
}

// targets returns where a page leads.
func (w *Web) targets(u string) (follow, nofollow []string) {
	s, uri := w.split(u)
	p := s.find(uri)
	if p.location != "" {
		follow = append(follow, p.location)
	}
	for _, l := range p.links {
		if l.nofollow || p.nofollow {
			nofollow = append(nofollow, l.url)
		} else {
			follow = append(follow, l.url)
		}
	}
	return follow, nofollow
}

// split finds the site and the request URI of a URL; the site is nil outside
// the hosts.
func (w *Web) split(u string) (*site, string) {
	parsed := mustParse(u)
	return w.sites[parsed.Host], parsed.RequestURI()
}

// describe says what is true of a URL that was found in the way of a class.
func (w *Web) describe(u string, found Class) Page {
	s, uri := w.split(u)
	switch {
	case s == nil:
		return Page{URL: u, Class: Outside}
	case s.robots.forbidden(uri):
		return Page{URL: u, Class: Forbidden}
	}
	p := s.find(uri)
	page := Page{
		URL: u, Class: found, Status: p.status, Answers: len(p.refusals) + 1,
		Location: p.location, NoIndex: p.noindex, Words: splitWords(p.text),
	}
	page.Type, _, _ = strings.Cut(p.header.Get("Content-Type"), ";")
	if plain := untracked(uri); plain != uri && found != Trap {
		page.Class, page.Plain = Tracked, s.url(plain)
	}
	return page
}

// addRest adds the pages that no link leads to.
func (w *Web) addRest(t Truth) {
	docs := w.sites[docsHost]
	for _, u := range w.unlinked {
		t.add(w.describe(u, InSitemap))
	}
	t.add(w.describe(docs.url("/sitemap.xml"), Sitemap))
	for _, s := range w.sites {
		t.add(w.describe(s.url("/style.css"), Asset))
	}
	t.add(w.describe("http://"+shopHost+"/shelf.png", Asset))
}

// add adds a page unless its URL is known.
func (t Truth) add(p Page) {
	if _, known := t.Pages[p.URL]; !known {
		t.Pages[p.URL] = p
	}
}

// Of returns the URLs of a class in order.
func (t Truth) Of(c Class) []string {
	var urls []string
	for u, p := range t.Pages {
		if p.Class == c {
			urls = append(urls, u)
		}
	}
	sort.Strings(urls)
	return urls
}

// WordCount sums up the words of some pages.
type WordCount struct {
	Pages    int
	Words    int
	Distinct int
	Surprise int // sum of the squares of how often each word occurs
}

// Count counts the words of the pages that keep accepts. Text is a good choice
// for it, alone or for one host.
func (t Truth) Count(keep func(Page) bool) WordCount {
	var c WordCount
	times := map[string]int{}
	for _, p := range t.Pages {
		if keep(p) {
			c.Pages++
			c.Words += len(p.Words)
			for _, word := range p.Words {
				times[word]++
			}
		}
	}
	c.Distinct = len(times)
	for _, n := range times {
		c.Surprise += n * n
	}
	return c
}

// Text reports whether the page is linked and good to read: fetched with status
// 200, and HTML or plain text.
func (p Page) Text() bool {
	return p.Class == Linked && p.Status == http.StatusOK &&
		(p.Type == "text/html" || p.Type == "application/xhtml+xml" || p.Type == "text/plain")
}
