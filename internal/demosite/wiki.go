package demosite

import (
	"net/http"
	"net/url"
	"strings"
)

const (
	numWikiArticles  = 104
	wikiLinksPerPage = 24
	mainPage         = "/wiki/Main_Page"
)

// hop is a redirect, with its location as written in the header.
type hop struct {
	uri      string
	status   int
	location string
}

// wikiRedirects are the redirects besides the one of the home page.
func wikiRedirects(articles []ref) []hop {
	return []hop{
		{"/wiki/Moved_1", http.StatusMovedPermanently, articles[3].href},
		{"/wiki/Moved_2", http.StatusMovedPermanently, "http://WIKI.demo.example:80" + articles[5].href + "#History"},
		{"/wiki/Found", http.StatusFound, articles[7].href},
		{"/wiki/Kept", http.StatusPermanentRedirect, strings.TrimPrefix(articles[11].href, "/wiki/")},
		{"/wiki/Later", http.StatusTemporaryRedirect, articles[13].href},
		{"/wiki/Chain_1", http.StatusFound, "/wiki/Chain_2"},
		{"/wiki/Chain_2", http.StatusMovedPermanently, "../wiki/Chain_end"},
		{"/wiki/Loop_1", http.StatusFound, "/wiki/Loop_2"},
		{"/wiki/Loop_2", http.StatusFound, "/wiki/Loop_1"},
		{"/wiki/Outside", http.StatusFound, "http://" + outsideHost + "/wiki/"},
		{"/wiki/Today", http.StatusFound, "http://" + calendarHost + "/cal?month=2026-07"},
		{"/wiki/Manual", http.StatusMovedPermanently, "http://" + docsHost + "/guide/"},
		{"/wiki/Nowhere", http.StatusMovedPermanently, "/wiki/Missing_0"},
	}
}

// wiki makes the site of dense links. Its answers come in chunks of unannounced
// length.
func (w *Web) wiki() {
	s := w.site(wikiHost, "Demo Wiki")
	s.chunked = true
	articles := s.text.wikiTitles()
	special := s.publishSpecial(articles)
	for i := range articles {
		refs := s.text.wikiLinks(articles, i)
		if i < len(special) {
			refs = append(refs, special[i])
		}
		if i%4 == 0 {
			refs = append(refs, w.sites[docsHost].some(s.text, 2)...)
		}
		s.publishWikiArticle(articles[i], refs)
	}
	w.publishMainPage(s, articles, special)
	s.robots = robots{
		status: http.StatusMovedPermanently, location: "/meta/robots.txt",
		forbidden: func(uri string) bool { return strings.HasPrefix(uri, "/edit/") },
	}
	s.asset("/meta/robots.txt", "text/plain; charset=utf-8", "User-Agent: *\nDisallow: /edit/\n")
}

// wikiTitles invents the articles; the first few have names beyond ASCII.
func (w *writer) wikiTitles() []ref {
	var articles []ref
	for _, word := range strings.Fields(foreign)[:4] {
		articles = append(articles, ref{"/wiki/" + capital(word), capital(word)})
	}
	for len(articles) < numWikiArticles {
		name := capital(w.slug())
		articles = append(articles, ref{"/wiki/" + name, name})
	}
	return articles
}

// wikiLinks links article i to its children in a binary tree, so that all can
// be reached, to the next one, and to many at random.
func (w *writer) wikiLinks(articles []ref, i int) []ref {
	var refs []ref
	for _, j := range []int{2*i + 1, 2*i + 2, i + 1} {
		if j < len(articles) {
			refs = append(refs, articles[j])
		}
	}
	for len(refs) < wikiLinksPerPage {
		r := articles[w.r.IntN(len(articles))]
		if w.r.IntN(4) == 0 {
			r.href += "#History"
		}
		refs = append(refs, r)
	}
	return refs
}

// publishSpecial adds everything that is not an article, and returns links to it.
func (s *site) publishSpecial(articles []ref) []ref {
	s.redirect("/", http.StatusMovedPermanently, mainPage)
	s.note("/wiki/Chain_end", "End of a chain")
	var special []ref
	for _, r := range wikiRedirects(articles) {
		s.redirect(r.uri, r.status, r.location)
		if r.uri != "/wiki/Chain_2" && r.uri != "/wiki/Loop_2" { // only redirects lead there
			special = append(special, ref{r.uri, "see elsewhere"})
		}
	}
	for _, name := range []string{"0", "1", "2", "3", "4"} { // 0 is also where a redirect leads
		special = append(special, ref{"/wiki/Missing_" + name, "not written yet"})
	}
	s.fail("/wiki/Deleted", http.StatusGone)
	s.publishRefresh(articles[17])
	return append(special, ref{"/wiki/Deleted", "deleted"}, ref{"/wiki/Refresh", "a page that moves on"},
		ref{"/edit/" + articles[2].text, "edit"})
}

// publishRefresh adds a page that sends browsers on by a meta element.
func (s *site) publishRefresh(to ref) {
	s.publish(draft{
		uri: "/wiki/Refresh", title: "Moving on",
		head: func(d *doc) {
			d.refer(to.href, false)
			d.void("meta", "http-equiv", "refresh", "content", "5; url="+to.href)
		},
		body: func(d *doc) {
			d.paragraphs(s.text.paragraph(50))
			d.further("Or go to", to)
		},
	})
}

func (s *site) publishWikiArticle(a ref, refs []ref) {
	s.publish(draft{uri: escapedPath(a.href), title: a.text, nav: []ref{{mainPage, "Main page"}}, body: func(d *doc) {
		for i, r := range refs {
			if i%6 == 0 {
				d.paragraphs(s.text.paragraph(45))
			}
			if i == 6 {
				d.block("h2", "History", "id", "History")
			}
			d.open("p")
			d.say(s.text.sentence() + " ")
			d.anchor(r.href, r.text)
			d.close("p")
		}
	}})
}

// publishMainPage writes the non-ASCII addresses percent-encoded, where the
// articles write them as they are.
func (w *Web) publishMainPage(s *site, articles, special []ref) {
	s.publish(draft{uri: mainPage, title: "Main page", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(90))
		for _, a := range articles[:40] {
			d.further(s.text.sentence(), ref{escapedPath(a.href), a.text})
		}
		d.list(special)
		d.list([]ref{{"http://" + docsHost + "/", "The manual"}, {"http://" + spamHost + "/", "Sponsor"}})
		w.setTraps(d, s)
	}})
}

func escapedPath(path string) string { return (&url.URL{Path: path}).EscapedPath() }
