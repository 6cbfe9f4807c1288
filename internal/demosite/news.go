package demosite

import (
	"fmt"
	"strings"
)

const (
	numArticles     = 84
	articlesPerPage = 10
	numTopics       = 5
	numLogins       = 9  // articles that invite to log in
	numTracked      = 16 // links with tracking parameters
)

// article is one piece of news.
type article struct {
	uri, title, teaser string
	topic              int
}

// news makes the site of articles.
func (w *Web) news() {
	s := w.site(newsHost, "Demo News")
	articles := s.text.articles()
	topics := s.text.topics()
	for i := range articles {
		s.publishArticle(articles, i, topics)
	}
	s.publishArchive(articles)
	for i, t := range topics {
		s.publishTopic(articles, i, t)
	}
	s.publishFront(articles, topics)
	s.publishPress()
	s.restrict("User-agent: greedybot\nDisallow: /\n\nUser-agent: *\nDisallow: /private # the rest is open\n"+
		"Allow: /private/press.html\n", func(uri string) bool {
		return strings.HasPrefix(uri, "/private") && uri != "/private/press.html"
	})
}

func (w *writer) articles() []article {
	all := make([]article, numArticles)
	for i := range all {
		month := 12 - i*12/numArticles // newest first
		all[i] = article{
			uri:    fmt.Sprintf("/2026/%02d/%s.html", month, w.slug()),
			title:  w.title() + " " + w.action() + " " + w.title(),
			teaser: w.paragraph(15), topic: w.r.IntN(numTopics),
		}
	}
	return all
}

func (w *writer) topics() []ref {
	topics := make([]ref, numTopics)
	for i := range topics {
		topics[i] = ref{"/topic/" + w.slug() + "/", w.title()}
	}
	return topics
}

func (s *site) publishArticle(all []article, i int, topics []ref) {
	a := all[i]
	nav := []ref{{"/", "Front page"}, topics[a.topic]}
	if i > 0 {
		nav = append(nav, ref{all[i-1].uri, "Newer"})
	}
	if i+1 < len(all) {
		nav = append(nav, ref{all[i+1].uri, "Older"})
	}
	s.publish(draft{uri: a.uri, title: a.title, nav: nav, body: func(d *doc) {
		d.block("strong", a.teaser)
		for range 3 + s.text.r.IntN(4) {
			d.paragraphs(s.text.paragraph(50))
		}
		if i < numLogins {
			d.anchor(fmt.Sprintf("/login?from=%d", i), "Log in to comment", "rel", relNofollow(i))
		}
	}})
	if i < numLogins {
		s.publishLogin(i)
	}
}

// relNofollow writes nofollow as authors do.
func relNofollow(i int) string {
	return []string{"nofollow", "noopener nofollow", "NoFollow ugc"}[i%3]
}

func (s *site) publishLogin(i int) {
	s.publish(draft{uri: fmt.Sprintf("/login?from=%d", i), title: "Log in", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(20))
	}})
}

// teasers lists articles with the first words of each.
func teasers(d *doc, articles []article, query func(i int) string) {
	for i, a := range articles {
		d.open("h2")
		d.anchor(a.uri+query(i), a.title)
		d.close("h2")
		d.paragraphs(a.teaser)
	}
}

func untouched(int) string { return "" }

// publishArchive lists all articles, ten a page, each page linking the next.
func (s *site) publishArchive(all []article) {
	last := (len(all) + articlesPerPage - 1) / articlesPerPage
	for n := 1; n <= last; n++ {
		part := all[(n-1)*articlesPerPage : min(n*articlesPerPage, len(all))]
		nav := pagination(n, last)
		s.publish(draft{
			uri: archiveURI(n), title: fmt.Sprintf("Archive %d", n), nav: nav,
			head: func(d *doc) { sequence(d, nav) },
			body: func(d *doc) { teasers(d, part, untouched) },
		})
	}
}

func archiveURI(n int) string {
	if n == 1 {
		return "/archive/"
	}
	return fmt.Sprintf("/archive/?page=%d", n)
}

func pagination(n, last int) []ref {
	nav := []ref{{"/", "Front page"}}
	if n > 1 {
		nav = append(nav, ref{archiveURI(n - 1), "Previous"})
	}
	if n < last {
		nav = append(nav, ref{fmt.Sprintf("?page=%d", n+1), "Next"})
	}
	return nav
}

func (s *site) publishTopic(all []article, topic int, r ref) {
	var refs []ref
	for _, a := range all {
		if a.topic == topic {
			refs = append(refs, ref{a.uri, a.title})
		}
	}
	s.publish(draft{uri: r.href, title: r.text, nav: []ref{{"/", "Front page"}}, body: func(d *doc) {
		d.paragraphs(s.text.paragraph(60))
		d.list(refs)
	}})
}

// publishFront makes the front page, where every link counts its readers.
func (s *site) publishFront(all []article, topics []ref) {
	track := func(i int) string { return fmt.Sprintf("?utm_source=front&utm_medium=teaser%d", i) }
	s.publish(draft{uri: "/", title: "Demo News", nav: topics, body: func(d *doc) {
		d.paragraphs(s.text.paragraph(90), s.text.paragraph(90))
		teasers(d, all[:8], track)
		for i, a := range all[8:numTracked] {
			d.further("Also", ref{a.uri + track(i), a.title})
		}
		d.further("More", ref{"/archive/", "archive"}, ref{"/archive/?utm_campaign=x&page=2", "older"},
			ref{"/press/", "press"}, ref{"/private/press.html", "the press office"}, ref{"/private/salaries.html", "salaries"})
	}})
	s.note("/private/press.html", "The press office")
	s.note("/private/salaries.html", "Salaries")
}

// publishPress adds the pages that ask not to be indexed or not to be followed.
func (s *site) publishPress() {
	s.note("/press/", "Press", ref{"embargo.html", "Embargo"}, ref{"internal.html", "Internal"}, ref{"/press/terms.html", "Terms"})
	embargo := s.publish(draft{
		uri: "/press/embargo.html", title: "Embargo",
		head: func(d *doc) { d.void("meta", "name", "robots", "content", "noindex") },
		body: func(d *doc) {
			d.paragraphs(s.text.paragraph(120))
			d.further("Behind it", ref{"after.html", "the release"})
		},
	})
	embargo.noindex = true
	s.note("/press/after.html", "The release")
	internal := s.note("/press/internal.html", "Internal", ref{"hidden.html", "Hidden"})
	internal.header.Set("X-Robots-Tag", "noindex, nofollow")
	internal.noindex, internal.nofollow = true, true
	s.note("/press/hidden.html", "Hidden")
	s.publish(draft{uri: "/press/terms.html", title: "Terms", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(150))
		d.anchor("/press/", "a link that must not be followed does not forbid its target", "rel", "nofollow")
	}})
}
