package demosite

import (
	"fmt"
	"strings"
	"time"
)

const numEvents = 22

// calendar makes the site with the endless calendar. robots.txt closes it; the
// pages beside it are honest, and few, since the site asks for a long delay.
func (w *Web) calendar() {
	s := w.site(calendarHost, "Demo Calendar")
	var events []ref
	for i := range numEvents {
		e := ref{"/events/" + s.text.slug() + ".html", s.text.title()}
		events = append(events, e)
		s.note(e.href, e.text, ref{monthURI(2026, time.Month(1+i%12)), "Month"}, ref{"./", "All events"})
	}
	s.note("/events/", "Events", events...)
	s.note("/about.html", "About", ref{"/", "Calendar"})
	s.note("/", "Demo Calendar", ref{"/events/", "Events"}, ref{"about.html", "About"},
		ref{"/cal?month=2026-07", "This month"}, ref{"http://" + docsHost + "/", "Manual"})
	s.restrict("User-agent: *\nCrawl-delay: 0.1\nDisallow: /cal\n", func(uri string) bool {
		return strings.HasPrefix(uri, "/cal")
	})
	s.dynamic = func(uri string) *page { return s.month(w.words, uri) }
}

func monthURI(year int, month time.Month) string {
	return fmt.Sprintf("/cal?month=%04d-%02d", year, month)
}

// month makes the page of any month there ever was or will be, on request. It
// is nil for what is no month.
func (s *site) month(words *vocabulary, uri string) *page {
	month, err := time.Parse("/cal?month=2006-01", uri)
	if err != nil {
		return nil
	}
	text := newWriter(s.random(uri), words)
	before, after := month.AddDate(0, -1, 0), month.AddDate(0, 1, 0)
	return s.render(draft{
		uri: uri, title: month.Format("January 2006"),
		nav: []ref{{monthURI(before.Year(), before.Month()), "Earlier"}, {monthURI(after.Year(), after.Month()), "Later"}},
		body: func(d *doc) {
			for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
				d.block("h2", day.Format("Monday 2"))
				d.paragraphs(text.sentence())
			}
		},
	})
}
