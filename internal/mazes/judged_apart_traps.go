package mazes

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// apartTraps are the traps that are kept apart: no bound may be set, and no rule written, by
// looking at what a guard does on them. They are the even ones of a list of 18 that was written
// down before any of them was crawled, and some of them behind one host. judged_open_traps.go
// has the odd ones.
func apartTraps() []blog {
	one := func(t snare) blog { return blog{name: t.name, snares: []snare{t}} }
	login := snare{name: "login", page: logins, lure: func(_ *Site, d *doc, _ *rand.Rand, uri string, _ int) {
		d.link("/login?return="+url.QueryEscape(uri), "log in")
	}}
	search := snare{name: "related searches", page: searches, lure: func(s *Site, d *doc, r *rand.Rand, _ string, _ int) {
		for range 3 {
			d.link(searchFor(s, r), "search")
		}
	}}
	language := snare{name: "language parameter", strip: parameters("lang"), lure: locales}
	return []blog{
		one(login),
		one(search),
		one(snare{name: "sorted table", page: sortedTable, extra: 1, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/table", "table") }}),
		one(snare{name: "soft 404 among posts", page: sorry, lure: brokenLinks}),
		one(language),
		one(snare{name: "ad clicks", page: clicks, lure: ads}),
		one(snare{name: "agenda", page: agenda, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/agenda/2026-06-01", "agenda") }}),
		one(snare{name: "mirror of itself", strip: withoutUsers, wrap: ofUser, lure: mirror}),
		one(snare{name: "tar pit", page: pit, lure: func(_ *Site, d *doc, r *rand.Rand, _ string, post int) { d.link(pitPage.at(nil, r.IntN(50)), "more") }}),
		{name: "three traps kept apart", snares: []snare{login, search, language}},
	}
}

// logins lead back to where they were found, and to forms that lead back to them.
func logins(s *Site, uri string) (Answer, bool) {
	for _, form := range []string{"/login", "/register", "/forgot"} {
		if strings.HasPrefix(uri, form+"?return=") {
			d := s.begin(form[1:])
			d.say("<p>%s</p>", s.text("form "+form, 25))
			for _, other := range []string{"/login", "/register", "/forgot"} {
				d.link(other+"?return="+url.QueryEscape(uri), other[1:])
			}
			return worthless(d)
		}
	}
	return Answer{}, false
}

func searchFor(s *Site, r *rand.Rand) string {
	return "/search?q=" + strings.ReplaceAll(s.prose(r, 1+r.IntN(3), vocabularySize), " ", "+")
}

func searches(s *Site, uri string) (Answer, bool) {
	q, ok := strings.CutPrefix(uri, "/search?q=")
	if !ok {
		return Answer{}, false
	}
	r := s.random(uri)
	d := s.begin("Results for " + strings.ReplaceAll(q, "+", " "))
	for range 5 {
		s.excerpt(d, r.IntN(s.posts()))
	}
	for range 8 {
		d.link(searchFor(s, r), "related")
	}
	return worthless(d)
}

const columns = 7

// sortedTable has twenty rows, which its columns order in turn.
func sortedTable(s *Site, uri string) (Answer, bool) {
	path, query, _ := strings.Cut(uri, "?sort=")
	if path != "/table" {
		return Answer{}, false
	}
	keys, _, _ := strings.Cut(query, "&dir=")
	d := s.begin("Table")
	for _, row := range s.random(uri).Perm(20) {
		d.say("<td>%s</td><td>%d</td>", s.text(fmt.Sprint("row", row), 3), row*7919%1000)
	}
	chosen := strings.Split(keys, ",")
	if keys == "" {
		chosen = nil
	}
	for c := range columns {
		if name := s.words[900+c]; !slices.Contains(chosen, name) {
			for _, dir := range []string{"asc", "desc"} {
				d.link("/table?sort="+strings.Join(append(slices.Clone(chosen), name), ",")+"&dir="+dir, name)
			}
		}
	}
	a := d.answer()
	a.Trap = query != ""
	return a, true
}

// sorry is the answer to everything that is not there.
func sorry(s *Site, uri string) (Answer, bool) {
	d := s.begin("Sorry")
	d.say("<p>%s is not here. %s</p>", uri, s.text("sorry", 30))
	r := s.random(uri)
	path, _, _ := strings.Cut(uri, "?")
	for range 4 {
		d.link(strings.TrimSuffix(path, "/")+"/"+s.prose(r, 1, 900), "perhaps")
	}
	return worthless(d)
}

func brokenLinks(s *Site, d *doc, r *rand.Rand, _ string, _ int) {
	for range 2 {
		d.link("/"+s.prose(r, 1, 3000)+"/"+s.prose(r, 1, 3000), "see")
	}
}

// locales copy each page for any language and country.
func locales(s *Site, d *doc, r *rand.Rand, uri string, _ int) {
	here, _ := without(uri, "lang")
	for range 10 {
		d.link(add(here, "lang", languages[r.IntN(len(languages))]+"-"+strings.ToUpper(languages[r.IntN(len(languages))])), "language")
	}
}

func clicks(s *Site, uri string) (Answer, bool) {
	if !strings.HasPrefix(uri, "/click?ad=") {
		return Answer{}, false
	}
	d := s.begin("Thank you")
	d.say("<p>%s</p>", s.text("advertisement"+strings.TrimPrefix(uri, "/click?ad=")[:1], 15))
	ads(s, d, s.random(uri), uri, -1)
	return worthless(d)
}

func ads(s *Site, d *doc, r *rand.Rand, _ string, _ int) {
	for range 3 {
		d.link(fmt.Sprintf("/click?ad=%d&n=%d", 1+r.IntN(40), r.IntN(1_000_000)), "ad")
	}
}

// agenda has a page for each day, and a file of it.
func agenda(s *Site, uri string) (Answer, bool) {
	day, err := time.Parse("/agenda/2006-01-02", uri)
	if err != nil {
		if day, err = time.Parse("/ical/2006-01-02.ics", uri); err != nil {
			return Answer{}, false
		}
		d := s.begin("")
		d.say("BEGIN:VCALENDAR VERSION:2.0 PRODID:agenda DTSTAMP:%s END:VCALENDAR", day.Format("20060102T150405Z"))
		return worthless(d)
	}
	d := s.begin(day.Format("Monday 2 January 2006"))
	d.say("Nothing on this day.")
	d.link(day.Format("/ical/2006-01-02.ics"), "ics")
	for _, step := range []int{-1, 1, 7} {
		d.link(day.AddDate(0, 0, step).Format("/agenda/2006-01-02"), strconv.Itoa(step))
	}
	return worthless(d)
}

// withoutUsers takes the users' directories off the front of a path.
func withoutUsers(_ *Site, _, uri string) (rest string, ok bool) {
	for strings.HasPrefix(uri, "/~") {
		slash := strings.IndexByte(uri[1:], '/')
		if slash < 0 {
			return uri, ok
		}
		uri, ok = uri[1+slash:], true
	}
	return uri, ok
}

// ofUser keeps the links of a mirror within it.
func ofUser(s *Site, _ *rand.Rand, uri, href string) string {
	rest, _ := withoutUsers(s, "", uri)
	return strings.TrimSuffix(uri, rest) + href
}

func mirror(s *Site, d *doc, r *rand.Rand, uri string, _ int) {
	d.link(ofUser(s, r, uri, "/~"+s.words[950+r.IntN(6)]+"/"), "user")
}

var pitPage = named("/pit/{}", keyed("xxxxxxxxxxxxxxxx"))

// pit links three pages that nobody has seen and three that were there before.
func pit(s *Site, uri string) (Answer, bool) {
	n := pitPage.index(s, uri)
	if n < 0 || n > 1<<60 {
		return Answer{}, false
	}
	r := s.random(uri)
	d := s.begin(s.prose(r, 3, 600))
	d.say("<p>%s</p>", s.prose(r, 80, 600))
	for k := range 3 {
		d.link(pitPage.at(s, 3*n+50+k), "next")
		d.link(pitPage.at(s, r.IntN(n+1)), "before")
	}
	return worthless(d)
}
