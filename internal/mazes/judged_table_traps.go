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

// tableTraps are the traps of the Table.
func tableTraps() []blog {
	one := func(t snare) blog { return blog{name: t.name, snares: []snare{t}} }
	wiki := one(snare{name: "history and diffs", page: history, lure: historyLinks})
	wiki.post = wikiPage
	token := one(snare{name: "token for each link", strip: parameters("tok"), wrap: func(_ *Site, r *rand.Rand, _, href string) string {
		return add(href, "tok", fmt.Sprintf("%06x", r.IntN(1<<24)))
	}})
	token.post = named("/view?node={}", from(1, 0))
	atAddress := one(snare{name: "session at an address", strip: parameters("sid"), wrap: sessionQuery})
	atAddress.seed = "http://10.9.9.9/"
	random := one(snare{name: "random addresses", strip: otherHost("10.7.7.7"), wrap: randomAddress})
	random.seed = "http://10.7.7.7/"
	return []blog{
		one(facetQuery("facets, brackets", "f[]")),
		one(facetQuery("facets, counted", "f[0]")),
		one(facetQuery("facets, commas", "f")),
		one(snare{name: "path info", page: pathInfo, extra: infos, lure: func(s *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/index.php/"+s.info(0)+"/", "info") }}),
		wiki,
		token,
		one(snare{name: "replytocom", strip: parameters("replytocom"), lure: comments}),
		one(snare{name: "share and print", strip: parameters("share", "print", "sort", "view"), lure: shares}),
		one(snare{name: "tags combined", page: tagged, extra: tags, lure: tagLinks}),
		one(calendar("calendar by name", func(t time.Time) string { return "/calendar/" + strings.ToLower(t.Format("January-2006")) }, byName, 0, 1)),
		one(calendar("calendar by second", func(t time.Time) string { return fmt.Sprint("/calendar?t=", t.Unix()) }, bySecond, 1, 0)),
		one(calendar("calendar by week", byWeek, readWeek, 7, 0)),
		one(snare{name: "facets in path", page: pathFacets, extra: 1, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/shop", "shop") }}),
		one(snare{name: "session parameter", strip: parameters("sid"), wrap: sessionQuery}),
		one(snare{name: "session segment", strip: sessionSegment, wrap: func(_ *Site, r *rand.Rand, _, href string) string {
			return fmt.Sprintf("/(S(%016x%08x))%s", r.Uint64(), r.Uint32(), href)
		}}),
		one(snare{name: "jsessionid", strip: jsessionid, wrap: func(_ *Site, r *rand.Rand, _, href string) string {
			path, query, has := strings.Cut(href, "?")
			path = fmt.Sprintf("%s;jsessionid=%016X%016X", path, r.Uint64(), r.Uint64())
			if has {
				path += "?" + query
			}
			return path
		}}),
		one(snare{name: "wildcard domain", strip: otherHost("wildcard-domain.test"), wrap: randomHost}),
		atAddress,
		random,
		{name: "three traps of the table", snares: []snare{
			facetQuery("facets, brackets", "f[]"),
			{name: "replytocom", strip: parameters("replytocom"), lure: comments},
			calendar("calendar by name", func(t time.Time) string { return "/calendar/" + strings.ToLower(t.Format("January-2006")) }, byName, 0, 1),
		}},
	}
}

const facetValues = 24

func (s *Site) facetValue(k int) string { return s.words[300+k%4] + "-" + s.words[310+k] }

// facetQuery filters a list by any number of values, which key says in one of three ways: f[]
// again for each, f[0] counted, f with commas. The list without a filter is honest.
func facetQuery(name, key string) snare {
	pair := func(i int, value string) string { return strings.Replace(key, "0", strconv.Itoa(i), 1) + "=" + value }
	page := func(s *Site, uri string) (Answer, bool) {
		path, query, _ := strings.Cut(uri, "?")
		if path != "/shop" {
			return Answer{}, false
		}
		var chosen []string
		for one := range strings.SplitSeq(query, "&") {
			if _, v, ok := strings.Cut(one, "="); ok {
				chosen = append(chosen, strings.Split(v, ",")...)
			}
		}
		d := s.begin("Shop")
		s.matches(d, chosen)
		for k := range facetValues {
			v := s.facetValue(k)
			switch {
			case slices.Contains(chosen, v):
			case len(chosen) == 0:
				d.link("/shop?"+pair(0, v), s.words[310+k])
			case key == "f":
				d.link(uri+","+v, s.words[310+k])
			default:
				d.link(uri+"&"+pair(len(chosen), v), s.words[310+k])
			}
		}
		a := d.answer()
		a.Trap = len(chosen) > 0
		return a, true
	}
	return snare{name: name, page: page, extra: 1, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) { d.link("/shop", "shop") }}
}

// matches shows the posts that have all of some values: fewer with each.
func (s *Site) matches(d *doc, chosen []string) {
	sorted := slices.Sorted(slices.Values(chosen))
	r := s.random("matches" + strings.Join(sorted, " "))
	posts := s.posts()
	for range max(1, 12-2*len(chosen)) {
		s.excerpt(d, r.IntN(posts))
	}
}

// pathFacets filters by segments in any order, one value of each of six kinds.
func pathFacets(s *Site, uri string) (Answer, bool) {
	p := cut(uri)
	if p[0] != "shop" {
		return Answer{}, false
	}
	d := s.begin("Shop")
	s.matches(d, p[1:])
	for k := range 6 {
		kind := s.words[400+k] + "-"
		if slices.ContainsFunc(p, func(v string) bool { return strings.HasPrefix(v, kind) }) {
			continue
		}
		for v := range 6 {
			d.link(strings.TrimSuffix(uri, "/")+"/"+kind+s.words[410+10*k+v], s.words[410+10*k+v])
		}
	}
	a := d.answer()
	a.Trap = len(p) > 1
	return a, true
}

const infos = 30

func (s *Site) info(k int) string { return s.words[600+k%infos] }

// pathInfo is a script that takes the last segment behind its name for what is wanted, and
// links relatively.
func pathInfo(s *Site, uri string) (Answer, bool) {
	rest, ok := strings.CutPrefix(uri, "/index.php/")
	if !ok {
		return Answer{}, false
	}
	p := cut(rest)
	for k := range infos {
		if s.info(k) != p[len(p)-1] {
			continue
		}
		d := s.begin(s.info(k))
		d.say("<p>%s</p>", s.text(fmt.Sprint("info", k), 80))
		for _, other := range []int{k + 1, k + 7, k + 11, k + 19} {
			d.link(s.info(other)+"/", s.info(other))
		}
		a := d.answer()
		a.Content = fmt.Sprint("info ", k)
		return a, true
	}
	return Answer{}, false
}

var wikiPage = named("/index.php?title=Page_{}", from(1, 0))

const revisions = 2000 // of a page

// history has the lists of a page's revisions, each of them and the difference of any two.
func history(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Path != "/index.php" {
		return Answer{}, false
	}
	q := u.Query()
	title := q.Get("title")
	here := "/index.php?title=" + title
	i := wikiPage.index(s, here)
	old, diff := number(q.Get("oldid")), number(q.Get("diff"))
	r := s.random(uri)
	d := s.begin(title)
	switch {
	case i < 0 || i >= s.posts():
		return Answer{}, false
	case q.Get("action") == "history" && old < 0:
		offset := max(0, number(q.Get("offset")))
		for n := offset; n < min(offset+30, revisions); n++ {
			d.say("%d-%02d-%02d %s", 2005+n%20, 1+r.IntN(12), 1+r.IntN(28), s.prose(r, 2, 300))
			d.link(fmt.Sprint(here, "&oldid=", 9000+n), "old")
			d.link(fmt.Sprint(here, "&action=history&oldid=", 9000+n, "&diff=", 9000+n+1), "diff")
		}
		if offset+30 < revisions {
			d.link(fmt.Sprint(here, "&action=history&offset=", offset+30), "older")
		}
	case diff >= 0:
		d.say("<p>%s</p><ins>%s</ins>", s.text(postName(i), 40), s.prose(r, 3, 600))
		for _, n := range []int{1, 2, 7} {
			d.link(fmt.Sprint(here, "&action=history&oldid=", old, "&diff=", diff+n), "next difference")
		}
	case old >= 0:
		d.say("<p>%s</p>%s", s.text(postName(i), 40+i*7%110), s.prose(r, 3, 600))
		d.link(fmt.Sprint(here, "&oldid=", old+1), "newer")
	default:
		return Answer{}, false
	}
	return worthless(d)
}

func historyLinks(s *Site, d *doc, _ *rand.Rand, uri string, post int) {
	if post >= 0 {
		d.link(wikiPage.at(s, post)+"&action=history", "history")
	}
}

// comments can be answered one by one, each on a copy of the post.
func comments(s *Site, d *doc, _ *rand.Rand, uri string, post int) {
	if post < 0 {
		return
	}
	here, _ := without(uri, "replytocom")
	r := s.random(fmt.Sprint("comments", post))
	for c := range 30 + r.IntN(60) {
		if c < 5 {
			d.say("<p>%s</p>", s.text(fmt.Sprint("comment", post, c), 12))
		}
		d.link(add(here, "replytocom", strconv.Itoa(1000*post+c)), "Reply")
	}
}

// shares copies a page for each way to send, print, order and show it, and for all together.
func shares(s *Site, d *doc, _ *rand.Rand, uri string, _ int) {
	for _, p := range []struct {
		key    string
		values []string
	}{{"share", []string{"mail", "facebook", "x", "reddit", "whatsapp"}}, {"print", []string{"1"}}, {"sort", []string{"new", "old", "top"}}, {"view", []string{"list", "grid", "full"}}} {
		rest, _ := without(uri, p.key)
		for _, v := range p.values {
			d.link(add(rest, p.key, v), v)
		}
	}
}

const tags = 24

// tagged has the posts of some tags, and adds each of the others. Those of one are honest.
func tagged(s *Site, uri string) (Answer, bool) {
	list, ok := strings.CutPrefix(uri, "/tag/")
	if !ok {
		return Answer{}, false
	}
	chosen := strings.Split(list, "+")
	d := s.begin("Posts about " + strings.Join(chosen, " and "))
	s.matches(d, chosen)
	for k := range tags {
		if t := s.words[700+k]; !slices.Contains(chosen, t) {
			d.link(uri+"+"+t, "and "+t)
		}
	}
	a := d.answer()
	a.Trap = len(chosen) > 1
	return a, true
}

func tagLinks(s *Site, d *doc, _ *rand.Rand, uri string, post int) {
	if post < 0 {
		for k := range tags {
			d.link("/tag/"+s.words[700+k], s.words[700+k])
		}
		return
	}
	d.link("/tag/"+s.words[700+post%tags], s.words[700+post%tags])
}

// calendar has a page for each step of days and months, forward and back for ever, with
// hardly an event.
func calendar(name string, write func(time.Time) string, read func(uri string) (time.Time, bool), days, months int) snare {
	page := func(s *Site, uri string) (Answer, bool) {
		t, ok := read(uri)
		if !ok || write(t) != uri {
			return Answer{}, false
		}
		d := s.begin(t.Format("January 2006"))
		for n := range 31 {
			d.say("%d", n+1)
		}
		if r := s.random(uri); r.IntN(12) == 0 {
			d.say("%s", s.prose(r, 6, 500))
		}
		for _, way := range []int{-1, 1, 12} {
			d.link(write(t.AddDate(0, months*way, days*way)), "turn")
		}
		return worthless(d)
	}
	return snare{name: name, page: page, lure: func(_ *Site, d *doc, _ *rand.Rand, _ string, _ int) {
		d.link(write(date(2026, 6, 1)), "calendar")
	}}
}

func byName(uri string) (time.Time, bool) {
	t, err := time.Parse("/calendar/January-2006", uri)
	return t, err == nil
}

func bySecond(uri string) (time.Time, bool) {
	t, err := strconv.ParseInt(strings.TrimPrefix(uri, "/calendar?t="), 10, 64)
	return time.Unix(t, 0).UTC(), err == nil
}

func byWeek(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("/%d/W%02d", year, week)
}

func readWeek(uri string) (time.Time, bool) {
	var year, week int
	if n, _ := fmt.Sscanf(uri, "/%d/W%d", &year, &week); n != 2 || week < 1 || week > 53 || year < 1 || year > 9000 {
		return time.Time{}, false
	}
	fourth := date(year, 1, 4) // which is in week 1
	return fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7), true
}

func sessionQuery(_ *Site, r *rand.Rand, _, href string) string {
	return add(href, "sid", fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()))
}

func sessionSegment(_ *Site, _, uri string) (string, bool) {
	if !strings.HasPrefix(uri, "/(S(") {
		return uri, false
	}
	_, rest, ok := strings.Cut(uri, "))")
	return rest, ok
}

func jsessionid(_ *Site, _, uri string) (string, bool) {
	path, query, has := strings.Cut(uri, "?")
	path, _, ok := strings.Cut(path, ";")
	if has {
		path += "?" + query
	}
	return path, ok
}

// otherHost takes all hosts but one for copies of that.
func otherHost(own string) func(*Site, string, string) (string, bool) {
	return func(_ *Site, host, uri string) (string, bool) { return uri, host != own }
}

// randomHost names a subdomain that nobody has named before in every other link.
func randomHost(s *Site, r *rand.Rand, _, href string) string {
	if r.IntN(2) == 0 {
		return href
	}
	return fmt.Sprintf("http://x%08x.%s%s", r.Uint32(), s.host, href)
}

func randomAddress(_ *Site, r *rand.Rand, _, href string) string {
	if r.IntN(2) == 0 {
		return href
	}
	return fmt.Sprintf("http://10.%d.%d.%d%s", r.IntN(256), r.IntN(256), 1+r.IntN(254), href)
}
