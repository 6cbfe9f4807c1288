package mazes

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// newerTraps are what three engines show beside their pages. They were written down before the
// rules of 2026-11-23 were touched; those of 2026-11-24 were made from what was lost on them.
func newerTraps() []blog {
	wiki := blog{name: "wiki engine", post: named("/wiki/Page_{}", from(1, 0)), snares: []snare{{name: "tools of a wiki", page: wikiTools, lure: wikiToolLinks}}}
	code := blog{name: "code host", post: named("/lib/src/branch/main/{}", slug(2, 0)), snares: []snare{{name: "views of a file", page: fileViews, lure: fileViewLinks}}}
	forum := blog{name: "forum engine", post: named("/showthread.php?t={}", from(100, 0)), snares: []snare{
		{name: "members", page: memberPage, extra: members},
		{name: "views of a thread", page: threadViews, strip: parameters("mode", "highlight", "share"), lure: threadViewLinks},
	}}
	return []blog{wiki, code, forum}
}

// changed is the text of a post at an older revision: the fewer words are the last one's the
// older it is.
func (s *Site) changed(post, ago int) string {
	words := strings.Fields(s.text(postName(post), 40+post*7%110))
	for k := range min(3*ago, len(words)/2) {
		r := s.random(fmt.Sprint("change", post, k))
		words[r.IntN(len(words))] = s.words[r.IntN(vocabularySize)]
	}
	return strings.Join(words, " ")
}

// revised is how many revisions of a post there are, most of them of few posts.
func (s *Site) revised(post int) int {
	r := s.random(fmt.Sprint("revisions", post))
	return 4 + r.IntN(30)*r.IntN(30)*r.IntN(30)/20
}

// Revisions are numbered over all of the posts.
func revisionOf(post, k int) int { return 20_000*(post+1) + 7*k }

func (s *Site) revision(number int) (post, k int, ok bool) {
	post, k = number/20_000-1, number%20_000/7
	return post, k, post >= 0 && post < s.posts() && k < s.revised(post)
}

// wikiToolLinks are the tabs and tools of an article.
func wikiToolLinks(s *Site, d *doc, _ *rand.Rand, uri string, post int) {
	d.link("/wiki/Special:RecentChanges", "Recent changes")
	if post < 0 {
		return
	}
	title := fmt.Sprint("Page_", post+1)
	here := "/w/index.php?title=" + title
	for _, action := range []string{"edit", "history", "info"} {
		d.link(here+"&action="+action, action)
	}
	d.link("/wiki/Special:WhatLinksHere/"+title, "What links here")
	d.link("/wiki/Special:RecentChangesLinked/"+title, "Related changes")
	d.link(fmt.Sprint(here, "&oldid=", revisionOf(post, s.revised(post)-1)), "Permanent link")
	d.link(here+"&printable=yes", "Printable version")
	d.link(fmt.Sprintf("/w/index.php?title=Special:CiteThisPage&page=%s&id=%d", title, revisionOf(post, s.revised(post)-1)), "Cite this page")
	d.link(here+"&mobileaction=toggle_view_mobile", "Mobile view")
}

func wikiTools(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	if u.Path == "/wiki/Special:RecentChanges" || strings.HasPrefix(u.Path, "/wiki/Special:") {
		return s.wikiLists(u)
	}
	q := u.Query()
	title := q.Get("title")
	cited, _ := strings.CutPrefix(q.Get("page"), "Page_")
	post := number(strings.TrimPrefix(title, "Page_")) - 1
	if title == "Special:CiteThisPage" {
		post = number(cited) - 1
	}
	if u.Path != "/w/index.php" || post < 0 || post >= s.posts() {
		return Answer{}, false
	}
	last := s.revised(post) - 1
	here := "/w/index.php?title=" + title
	d := s.begin(title)
	of, k, found := s.revision(number(q.Get("oldid")))
	found = found && of == post
	switch {
	case title == "Special:CiteThisPage":
		d.say("<p>%s</p> Page_%d id %d", s.text("cite", 60), post+1, revisionOf(post, last))
	case q.Get("action") == "history":
		s.revisionList(d, q, post, here)
	case q.Get("action") == "edit":
		d.say("<p>%s</p><textarea>%s</textarea>", s.text("editing help", 70), s.changed(post, last-max(k, 0)*len(q.Get("undo"))))
	case q.Get("action") == "info":
		d.say("<p>%s</p> %d bytes, %d revisions, id %d", s.text("information", 50), 900+37*post, last+1, revisionOf(post, last))
	case q.Has("diff") && found:
		s.wikiDiff(d, here, post, k)
	case found:
		d.say("<p>%s</p> %s", s.text("old revision", 12), s.stamp(post, k))
		d.say("<p>%s</p>", s.changed(post, last-k))
		s.besideRevision(d, here, post, k)
	case q.Has("printable") || q.Has("mobileaction"):
		d.say("<p>%s</p>", s.changed(post, 0))
		d.link("/", "Home")
	default:
		return Answer{}, false
	}
	return worthless(d)
}

// stamp says when and by whom a revision was made, and why.
func (s *Site) stamp(post, k int) string {
	r := s.random(fmt.Sprint("stamp", post, k))
	why := ""
	if n := r.IntN(7); n > 1 {
		why = s.prose(r, n, 400)
	}
	return fmt.Sprintf("%02d:%02d, %d %s %d %s %d bytes (%s)", r.IntN(24), r.IntN(60), 1+r.IntN(28), s.words[40+r.IntN(12)], 2004+r.IntN(20), s.words[1000+r.IntN(60)], 500+r.IntN(9000), why)
}

func (s *Site) revisionList(d *doc, q url.Values, post int, here string) {
	limit := number(q.Get("limit"))
	if limit <= 0 {
		limit = 50
	}
	from := min(s.revised(post)-1, 5000)
	if o := number(q.Get("offset")); o >= 0 {
		from = min(from, o)
	}
	if q.Get("dir") == "prev" {
		from = min(from+limit, s.revised(post)-1)
	}
	for k := from; k >= max(0, from-limit); k-- {
		id := revisionOf(post, k)
		d.link(fmt.Sprint(here, "&diff=", revisionOf(post, s.revised(post)-1), "&oldid=", id), "cur")
		d.link(fmt.Sprint(here, "&diff=prev&oldid=", id), "prev")
		d.link(fmt.Sprint(here, "&oldid=", id), s.stamp(post, k))
		if k > 0 {
			d.link(fmt.Sprint(here, "&action=edit&undoafter=", revisionOf(post, k-1), "&undo=", id), "undo")
		}
	}
	for _, n := range []int{20, 50, 100, 250, 500} {
		d.link(fmt.Sprint(here, "&action=history&limit=", n), fmt.Sprint(n))
		d.link(fmt.Sprint(here, "&action=history&offset=", max(0, from-limit), "&limit=", n), fmt.Sprint(n))
	}
	d.link(fmt.Sprint(here, "&action=history&dir=prev&offset=", from, "&limit=", limit), "newer")
	d.link(fmt.Sprint(here, "&action=history&dir=prev"), "oldest")
}

// wikiDiff shows what differs, and the page below.
func (s *Site) wikiDiff(d *doc, here string, post, k int) {
	d.say("<p>%s</p> %s %s", s.text("difference", 14), s.stamp(post, max(0, k-1)), s.stamp(post, k))
	r := s.random(fmt.Sprint("change", post, k))
	d.say("<del>%s</del><ins>%s</ins>", s.prose(r, 3+r.IntN(8), 2000), s.prose(r, 3+r.IntN(8), 2000))
	d.say("<p>%s</p>", s.changed(post, s.revised(post)-1-k))
	s.besideRevision(d, here, post, k)
}

func (s *Site) besideRevision(d *doc, here string, post, k int) {
	id := revisionOf(post, k)
	for _, way := range []string{"prev", "next"} {
		d.link(fmt.Sprint(here, "&direction=", way, "&oldid=", id), way)
		d.link(fmt.Sprint(here, "&diff=", way, "&oldid=", id), "diff")
	}
	d.link(fmt.Sprint(here, "&diff=cur&oldid=", id), "Latest revision")
	d.link(fmt.Sprint(here, "&action=edit&oldid=", id), "edit")
	d.link("/", "Home")
}

// wikiLists are the special pages: recent changes by limit, days and what is hidden, and links.
func (s *Site) wikiLists(u *url.URL) (Answer, bool) {
	name, about, _ := strings.Cut(strings.TrimPrefix(u.Path, "/wiki/Special:"), "/")
	q := u.Query()
	r := s.random(u.String())
	d := s.begin(name)
	switch name {
	case "RecentChanges", "RecentChangesLinked":
		for range 20 {
			post := r.IntN(s.posts())
			k := r.IntN(s.revised(post))
			here := fmt.Sprint("/w/index.php?title=Page_", post+1)
			d.link(fmt.Sprint(here, "&diff=", revisionOf(post, k), "&oldid=", revisionOf(post, max(0, k-1))), "diff")
			d.link(here+"&action=history", "hist")
			d.say("%s", s.stamp(post, k))
		}
		for _, p := range []struct {
			key    string
			values []string
		}{{"limit", []string{"50", "100", "250", "500"}}, {"days", []string{"1", "3", "7", "14", "30"}}, {"hidebots", []string{"0", "1"}}, {"hideminor", []string{"0", "1"}}, {"from", []string{fmt.Sprint(20_261_123_000_000 + r.IntN(1_000_000))}}} {
			rest, _ := without(u.RequestURI(), p.key)
			for _, v := range p.values {
				d.link(add(rest, p.key, v), v)
			}
		}
	case "WhatLinksHere":
		for _, limit := range []string{"20", "50", "100"} {
			d.link(fmt.Sprint("/wiki/Special:WhatLinksHere/", about, "?limit=", limit), limit)
		}
		for range 1 + r.IntN(4) {
			d.link(fmt.Sprint("/wiki/Page_", 1+r.IntN(s.posts())), s.text(fmt.Sprint("title", r.IntN(s.posts())), 4))
		}
		d.say("from %d %s", max(0, number(q.Get("from"))), about)
	default:
		return Answer{}, false
	}
	return worthless(d)
}

const commitsShown = 20

// commit names revision k of a post's file.
func commit(post, k int) string { return hexKey(uint64(revisionOf(post, k)), 40) }

func commitOf(s *Site, name string) (post, k int, ok bool) {
	if len(name) != 40 {
		return 0, 0, false
	}
	var key uint64
	if n, _ := fmt.Sscanf(name[:16], "%016x", &key); n != 1 {
		return 0, 0, false
	}
	return s.revision(int(unscramble(key) & (1<<40 - 1)))
}

func (s *Site) file(post int) string { return slug(2, 0).write(s, post) }

// fileViewLinks are the buttons above a file.
func fileViewLinks(s *Site, d *doc, _ *rand.Rand, uri string, post int) {
	if post < 0 {
		return
	}
	f := s.file(post)
	for _, view := range []string{"raw", "blame", "commits"} {
		d.link("/lib/"+view+"/branch/main/"+f, view)
	}
	d.link("/lib/src/commit/"+commit(post, s.revised(post)-1)+"/"+f, "Permalink")
}

// fileViews are the views of a file on the branch and at each commit, and the commits.
func fileViews(s *Site, uri string) (Answer, bool) {
	path, query, _ := strings.Cut(uri, "?")
	p := strings.Split(strings.TrimPrefix(path, "/lib/"), "/")
	if len(p) == 2 && p[0] == "commit" {
		return s.commitPage(p[1])
	}
	if len(p) != 4 {
		return Answer{}, false
	}
	post := slug(2, 0).read(s, p[3])
	if post < 0 || post >= s.posts() || s.file(post) != p[3] {
		return Answer{}, false
	}
	at := s.revised(post) - 1
	if p[1] == "commit" {
		of, k, ok := commitOf(s, p[2])
		if !ok || of != post {
			return Answer{}, false
		}
		at = k
	} else if p[1] != "branch" || p[2] != "main" || p[0] == "src" {
		return Answer{}, false
	}
	text := s.changed(post, s.revised(post)-1-at)
	if p[0] == "raw" {
		return Answer{Body: []byte("<pre>" + text + "</pre>"), Trap: true}, true
	}
	d := s.begin(p[3])
	switch p[0] {
	case "src":
		d.say("<p>%s</p>", text)
		for _, view := range []string{"raw", "blame", "commits"} {
			d.link("/lib/"+view+"/commit/"+p[2]+"/"+p[3], view)
		}
		d.link("/lib/src/branch/main/"+p[3], "Go to the branch")
	case "blame":
		r := s.random(path)
		words := strings.Fields(text)
		for i := 0; i < len(words); i += 9 {
			k := r.IntN(at + 1)
			d.link("/lib/commit/"+commit(post, k), s.message(post, k))
			d.link("/lib/blame/commit/"+commit(post, max(0, k-1))+"/"+p[3], "before")
			d.say("<code>%s</code>", strings.Join(words[i:min(i+9, len(words))], " "))
		}
	case "commits":
		n := max(1, number(strings.TrimPrefix(query, "page=")))
		first := at - (n-1)*commitsShown
		for k := first; k > max(-1, first-commitsShown); k-- {
			d.link("/lib/commit/"+commit(post, k), s.message(post, k))
			d.link("/lib/src/commit/"+commit(post, k)+"/"+p[3], "browse")
		}
		if first > commitsShown {
			d.link(fmt.Sprint(path, "?page=", n+1), "older")
		}
	default:
		return Answer{}, false
	}
	return worthless(d)
}

func (s *Site) message(post, k int) string {
	r := s.random(fmt.Sprint("message", post, k))
	return s.prose(r, 2+r.IntN(7), 1500)
}

// commitPage has a message and a few lines with what was around them.
func (s *Site) commitPage(name string) (Answer, bool) {
	post, k, ok := commitOf(s, name)
	if !ok {
		return Answer{}, false
	}
	d := s.begin("commit")
	d.say("%s %s", s.message(post, k), s.words[1000+k%40])
	d.link("/lib/src/commit/"+name+"/"+s.file(post), "Browse files")
	words := strings.Fields(s.changed(post, s.revised(post)-1-k))
	r := s.random("commit" + name)
	at := r.IntN(max(1, len(words)-24))
	d.say("<code>%s</code><del>%s</del>", strings.Join(words[at:min(at+24, len(words))], " "), s.prose(r, 3, 2000))
	if k > 0 {
		d.link("/lib/commit/"+commit(post, k-1), "parent")
	}
	return worthless(d)
}

const members = 30

// memberPage is honest: every thread links to one.
func memberPage(s *Site, uri string) (Answer, bool) {
	n := number(strings.TrimPrefix(uri, "/member.php?u="))
	if n < 1 || n > members {
		return Answer{}, false
	}
	d := s.begin(s.words[1000+n])
	d.say("<p>%s</p>", s.text(fmt.Sprint("member", n), 30))
	d.link(fmt.Sprint("/search.php?do=finduser&u=", n), "Find all posts")
	d.link(uri+"&tab=friends", "Friends")
	d.link("/", "Home")
	a := d.answer()
	a.Content = uri
	return a, true
}

// threadPosts is how many posts a thread has.
func threadPosts(i int) int { return 2 + i%7 }

// threadViewLinks are what hangs on a thread: its other views, and what can be done with each post.
func threadViewLinks(s *Site, d *doc, r *rand.Rand, uri string, post int) {
	d.link("/login.php?return="+url.QueryEscape(uri), "Log in")
	if post < 0 {
		return
	}
	t := fmt.Sprint("t=", 100+post)
	here := "/showthread.php?" + t
	d.link(fmt.Sprint("/member.php?u=", 1+post%members), s.words[1001+post%members])
	for _, mode := range []string{"linear", "hybrid", "threaded"} {
		d.link(here+"&mode="+mode, mode)
	}
	d.link(here+"&highlight="+s.words[200+r.IntN(300)], "see")
	d.link(here+"&share="+[]string{"x", "mail", "reddit"}[r.IntN(3)], "share")
	d.link("/printthread.php?"+t, "Printable")
	d.link(here+"&goto=nextoldest", "Previous thread")
	d.link(here+"&goto=nextnewest", "Next thread")
	d.link("/misc.php?do=whoposted&"+t, "Who posted")
	for k := range threadPosts(post) {
		p := 10*(100+post) + k
		d.link(fmt.Sprintf("/showpost.php?p=%d&postcount=%d", p, k+1), "#")
		d.link(fmt.Sprintf("/newreply.php?do=newreply&p=%d", p), "Quote")
		d.link(fmt.Sprintf("/report.php?p=%d", p), "Report")
	}
}

// threadViews are the pages that say again what the threads say.
func threadViews(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	q := u.Query()
	thread, post := number(q.Get("t"))-100, number(q.Get("p"))
	if post >= 0 {
		thread = post/10 - 100
	}
	there := thread >= 0 && thread < s.posts()
	d := s.begin(strings.Trim(u.Path, "/"))
	words := []string{""}
	if there {
		words = strings.Fields(s.text(postName(thread), 40+thread*7%110))
	}
	part := func() string {
		n := len(words)/threadPosts(thread) + 1
		k := min(post%10, threadPosts(thread)-1)
		return strings.Join(words[min(k*n, len(words)):min((k+1)*n, len(words))], " ")
	}
	switch {
	case u.Path == "/showthread.php" && q.Has("goto") && there:
		way := 1
		if q.Get("goto") == "nextoldest" {
			way = -1
		}
		other := (thread + way + s.posts()) % s.posts()
		d.say("<p>%s</p>", s.text(postName(other), 40+other*7%110))
		threadViewLinks(s, d, s.random(uri), uri, other)
	case u.Path == "/printthread.php" && there:
		d.say("<p>%s</p>", strings.Join(words, " "))
		for _, n := range []string{"10", "40", "80"} {
			d.link(fmt.Sprintf("/printthread.php?t=%d&pp=%s", 100+thread, n), n)
		}
	case u.Path == "/misc.php" && there:
		for k := range threadPosts(thread) {
			d.say("%s %d", s.words[1001+(thread+k)%members], 1+k%3)
		}
	case u.Path == "/showpost.php" && there:
		d.say("<p>%s</p> %s", part(), q.Get("postcount"))
		d.link(fmt.Sprint("/showthread.php?t=", 100+thread), "View the thread")
		d.link(fmt.Sprintf("/newreply.php?do=newreply&p=%d", post), "Quote")
	case (u.Path == "/newreply.php" || u.Path == "/report.php") && there:
		d.say("<p>%s</p><textarea>%s</textarea>", s.text("reply form", 40), part())
		d.link("/login.php?return="+url.QueryEscape(uri), "Log in")
	case u.Path == "/login.php":
		d.say("<p>%s</p>", s.text("login form", 30))
		d.link("/login.php?return="+url.QueryEscape(uri), "again")
	case u.Path == "/search.php":
		s.found(d, uri)
	case u.Path == "/member.php" && q.Has("tab"):
		s.found(d, uri)
	default:
		return Answer{}, false
	}
	return worthless(d)
}

// found is a page of results that leads to more.
func (s *Site) found(d *doc, uri string) {
	r := s.random(uri)
	for range 10 {
		s.excerpt(d, r.IntN(s.posts()))
	}
	rest, _ := without(uri, "page")
	d.link(add(rest, "page", fmt.Sprint(2+r.IntN(9))), "more")
	for _, sort := range []string{"date", "title", "replies"} {
		rest, _ := without(uri, "sort")
		d.link(add(rest, "sort", sort), sort)
	}
}
