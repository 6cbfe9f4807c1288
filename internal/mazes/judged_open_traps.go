package mazes

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// openTraps are the traps that bounds may be set on: the odd ones of a list of 18, and some of
// them behind one host. judged_apart_traps.go has the even ones.
func openTraps() []blog {
	one := func(t snare) blog { return blog{name: t.name, snares: []snare{t}} }
	cart := snare{name: "add to cart", strip: parameters("add-to-cart"), lure: cartLinks}
	scroll := snare{name: "cursor", page: cursor, lure: func(_ *Site, d *doc, r *rand.Rand, _ string, _ int) {
		d.link(fmt.Sprintf("/feed?cursor=%016x", r.Uint64()), "more")
	}}
	markov := snare{name: "generated text", page: generated, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/library/", "library") }}
	relative := one(snare{name: "relative links", strip: lastPost, lure: func(s *Site, d *doc, r *rand.Rand, _ string, _ int) {
		d.link(fmt.Sprintf("post/%d/", r.IntN(s.posts())), "see")
	}})
	relative.post = named("/post/{}/", from(0, 0))
	return []blog{
		one(cart),
		one(scroll),
		one(snare{name: "date picker", page: datePicker, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link(stay(0, 7), "book") }}),
		one(snare{name: "pages without end", page: lastPageAgain, extra: archivePages, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/archive?page=1", "archive") }}),
		relative,
		one(snare{name: "trackers", strip: parameters("utm_source", "utm_campaign", "utm_content"), wrap: tracked}),
		one(snare{name: "experiments", strip: parameters("exp", "v"), wrap: func(_ *Site, r *rand.Rand, _, href string) string {
			return add(add(href, "exp", fmt.Sprintf("%08x", r.Uint32())), "v", string("ab"[r.IntN(2)]))
		}}),
		one(snare{name: "proxy", strip: proxied, wrap: throughProxy, lure: func(_ *Site, d *doc, _ *rand.Rand, uri string, _ int) { d.link(proxyOf(uri), "translate") }}),
		one(markov),
		{name: "three open traps", snares: []snare{cart, scroll, markov}},
	}
}

// cartLinks puts any of the posts into a cart, on a copy of the page.
func cartLinks(s *Site, d *doc, r *rand.Rand, uri string, _ int) {
	here, _ := without(uri, "add-to-cart")
	for range 12 {
		d.link(add(here, "add-to-cart", strconv.Itoa(1+r.IntN(s.posts()))), "Add to cart")
	}
}

// cursor shows ten posts again, and leads to what comes behind them.
func cursor(s *Site, uri string) (Answer, bool) {
	if !strings.HasPrefix(uri, "/feed?cursor=") {
		return Answer{}, false
	}
	r := s.random(uri)
	d := s.begin("Feed")
	for range 10 {
		s.excerpt(d, r.IntN(s.posts()))
	}
	d.link(fmt.Sprintf("/feed?cursor=%016x", r.Uint64()), "more")
	return worthless(d)
}

// stay is the address of a booking, of nights that begin so many days after a first.
func stay(day, nights int) string {
	first := date(2026, time.June, 1).AddDate(0, 0, day)
	return first.Format("/book?from=2006-01-02") + first.AddDate(0, 0, nights).Format("&to=2006-01-02")
}

// datePicker offers other days and lengths.
func datePicker(s *Site, uri string) (Answer, bool) {
	rest, ok := strings.CutPrefix(uri, "/book?from=")
	from, to, _ := strings.Cut(rest, "&to=")
	first, err1 := time.Parse(time.DateOnly, from)
	last, err2 := time.Parse(time.DateOnly, to)
	if !ok || err1 != nil || err2 != nil {
		return Answer{}, false
	}
	day, nights := int(first.Sub(date(2026, time.June, 1)).Hours()/24), int(last.Sub(first).Hours()/24)
	d := s.begin("Your stay")
	d.say("<p>%s</p> %d nights, %d.00", s.text("booking", 40), nights, nights*(60+s.random(uri).IntN(90)))
	for n := range 14 {
		d.link(stay(day+n+1, nights), "from")
	}
	for _, n := range []int{1, 2, 3, 7, 14} {
		d.link(stay(day, n), fmt.Sprint(n, " nights"))
	}
	return worthless(d)
}

const archivePages = 12

// lastPageAgain has twelve pages, and the last for every number behind them.
func lastPageAgain(s *Site, uri string) (Answer, bool) {
	n := number(strings.TrimPrefix(uri, "/archive?page="))
	if n < 1 {
		return Answer{}, false
	}
	shown := min(n, archivePages)
	d := s.begin("Archive")
	for i := range 5 {
		d.say("<p>%s</p>", s.text(fmt.Sprint("old", shown, i), 30))
	}
	for _, further := range []int{1, 2, 3, 10} {
		d.link(fmt.Sprint("/archive?page=", n+further), strconv.Itoa(n+further))
	}
	a := d.answer()
	a.Content, a.Trap = fmt.Sprint("archive ", shown), n > archivePages
	return a, true
}

// lastPost is a server that finds a post by the end of any path.
func lastPost(_ *Site, _, uri string) (string, bool) {
	p := cut(uri)
	if len(p) < 3 || p[len(p)-2] != "post" {
		return uri, false
	}
	return "/post/" + p[len(p)-1] + "/", true
}

func tracked(s *Site, r *rand.Rand, _, href string) string {
	if r.IntN(2) == 0 {
		return href
	}
	href = add(href, "utm_source", s.words[800+r.IntN(5)])
	return add(add(href, "utm_campaign", s.words[810+r.IntN(90)]), "utm_content", strconv.Itoa(r.IntN(100_000)))
}

const proxyPath = "/go?u="

func proxyOf(uri string) string { return proxyPath + url.QueryEscape(uri) }

// proxied is the page in the innermost of any number of proxies.
func proxied(_ *Site, _, uri string) (string, bool) {
	ok := false
	for {
		inner, is := strings.CutPrefix(uri, proxyPath)
		if !is {
			return uri, ok
		}
		rest, err := url.QueryUnescape(inner)
		if err != nil {
			return uri, ok
		}
		uri, ok = rest, true
	}
}

func throughProxy(_ *Site, _ *rand.Rand, uri, href string) string {
	if strings.HasPrefix(uri, proxyPath) {
		return proxyOf(href)
	}
	return href
}

// generated is a maze under a directory.
func generated(s *Site, uri string) (Answer, bool) {
	if !strings.HasPrefix(uri, "/library/") {
		return Answer{}, false
	}
	a := s.mazeBelow("/library/", uri)
	a.Trap = true
	return a, true
}
