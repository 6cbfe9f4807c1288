package mazes

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// newestTraps are what a shop and a bug tracker show beside their pages, nearly all of them
// programs with a query. They were written down before the rules of 2026-11-24 were touched, and no
// bound may be set by what a guard does on them.
func newestTraps() []blog {
	shop := blog{name: "shop engine", post: named("/product.php?id={}", from(1, 0)), snares: []snare{
		{name: "about the shop", page: shopPage, extra: brands + reviews + leaflets + categories},
		{name: "programs of a shop", page: shopProgram, strip: parameters("currency", "ref"), lure: shopLinks},
	}}
	bugs := blog{name: "bug tracker", post: named("/show_bug.cgi?id={}", from(1000, 0)), snares: []snare{
		{name: "attachments", page: bugPage, extra: attachments + makers},
		{name: "programs of a tracker", page: bugProgram, strip: parameters("list_id", "GoAheadAndLogIn"), lure: bugLinks},
	}}
	return []blog{shop, bugs}
}

// The honest pages of a shop, and those of a tracker: all sites have more posts than these.
const (
	brands      = 12
	reviews     = 40
	leaflets    = 6
	categories  = 8
	attachments = 50
	makers      = 7
)

// contentAt is an honest page.
func contentAt(d *doc, uri string) (Answer, bool) {
	d.link("/", "Home")
	a := d.answer()
	a.Content = uri
	return a, true
}

// numbered reads the number in an address, from 1 to most; 0 is none.
func numbered(uri, prefix string, most int) int {
	rest, ok := strings.CutPrefix(uri, prefix)
	if n := number(rest); ok && n <= most {
		return max(n, 0)
	}
	return 0
}

// shopPage is honest: brands, reviews of products, leaflets, and what a category is.
func shopPage(s *Site, uri string) (Answer, bool) {
	for _, kind := range []struct {
		prefix      string
		most, words int
	}{{"/manufacturer.php?m=", brands, 45}, {"/review.php?r=", reviews, 70}, {"/page.php?p=", leaflets, 200}} {
		if n := numbered(uri, kind.prefix, kind.most); n > 0 {
			d := s.begin(s.text(uri, 2))
			d.say("<p>%s</p>", s.text("about "+uri, kind.words))
			return contentAt(d, uri)
		}
	}
	c := numbered(uri, "/category.php?c=", categories)
	if c == 0 {
		return Answer{}, false
	}
	d := s.begin(s.text(uri, 1))
	d.say("<p>%s</p>", s.text("about "+uri, 40))
	s.shelf(d, s.random(uri), uri, c)
	return contentAt(d, uri)
}

// shelf is a list of products in a category, with all that can be selected.
func (s *Site) shelf(d *doc, r *rand.Rand, uri string, c int) {
	for range 6 {
		i := (c - 1 + categories*r.IntN(s.posts())) % s.posts()
		d.link(fmt.Sprintf("/product.php?id=%d&ref=shelf", i+1), s.text(fmt.Sprint("title", i), 4))
		s.excerpt(d, i)
	}
	for _, p := range []struct {
		key    string
		values []string
	}{{"sort", []string{"price", "name", "rating", "newest"}}, {"order", []string{"asc", "desc"}}, {"limit", []string{"12", "24", "48"}}, {"m", []string{"1", "2", "3", "4"}}, {"price", []string{"0-10", "10-50", "50-200"}}, {"view", []string{"grid", "list"}}} {
		rest, _ := without(uri, p.key)
		for _, v := range p.values {
			d.link(add(rest, p.key, v), v)
		}
	}
	rest, _ := without(uri, "page")
	d.link(add(rest, "page", fmt.Sprint(2+r.IntN(8))), "more")
}

// shopLinks are what hangs on a product and on a list.
func shopLinks(s *Site, d *doc, r *rand.Rand, uri string, post int) {
	for _, currency := range []string{"EUR", "USD", "CHF"} {
		rest, _ := without(uri, "currency")
		d.link(add(rest, "currency", currency), currency)
	}
	d.link("/login.php?next="+url.QueryEscape(uri), "Log in")
	d.link(fmt.Sprint("/page.php?p=", 1+r.IntN(leaflets)), "Terms")
	if post < 0 {
		for n := range leaflets {
			d.link(fmt.Sprint("/page.php?p=", 1+n), "About")
		}
		return
	}
	id := fmt.Sprint(post + 1)
	d.link(fmt.Sprint("/category.php?c=", 1+post%categories), "Category")
	d.link(fmt.Sprint("/manufacturer.php?m=", 1+post%brands), "Brand")
	if post < reviews {
		d.link("/review.php?r="+id, "Review")
	}
	for _, program := range []string{"/cart.php?add=", "/wishlist.php?add=", "/tell.php?id=", "/question.php?product=", "/write_review.php?product=", "/print.php?id=", "/label.php?id="} {
		d.link(program+id, "...")
	}
	for n := range 4 {
		d.link(fmt.Sprintf("/image.php?id=%s&n=%d&size=%s", id, n+1, []string{"s", "m", "l"}[r.IntN(3)]), "image")
		d.link(fmt.Sprintf("/compare.php?a=%s&b=%d", id, 1+r.IntN(s.posts())), "compare")
		d.link(fmt.Sprintf("/product.php?id=%d&ref=also", 1+r.IntN(s.posts())), "also bought")
	}
	d.link("/search.php?q="+s.words[100+r.IntN(400)], "tag")
}

// shopProgram is every page without worth of the shop.
func shopProgram(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	q, r := u.Query(), s.random(uri)
	id := max(number(q.Get("id")), number(q.Get("add")), number(q.Get("product")), number(q.Get("a"))) - 1
	there := id >= 0 && id < s.posts()
	d := s.begin(strings.Trim(u.Path, "/"))
	switch {
	case u.Path == "/category.php" && len(q) > 1:
		s.shelf(d, r, uri, 1+max(0, number(q.Get("c")))%categories)
	case u.Path == "/search.php":
		d.say("%s", q.Get("q"))
		s.shelf(d, r, uri, 1+r.IntN(categories))
	case u.Path == "/login.php":
		d.say("<p>%s</p>", s.text("login", 40))
		d.link("/register.php?next="+url.QueryEscape(q.Get("next")), "Register")
	case u.Path == "/register.php":
		d.say("<p>%s</p>", s.text("register", 60))
	case !there:
		return Answer{}, false
	case u.Path == "/cart.php" || u.Path == "/wishlist.php":
		d.say("<p>%s</p> %s %d.99", s.text(u.Path, 30), s.text(fmt.Sprint("title", id), 4), id%90)
		for range 5 {
			d.link(fmt.Sprint(u.Path, "?add=", 1+r.IntN(s.posts())), "also")
		}
	case u.Path == "/tell.php" || u.Path == "/question.php" || u.Path == "/write_review.php":
		d.say("<p>%s</p> %s", s.text(u.Path, 50), s.text(fmt.Sprint("title", id), 4))
	case u.Path == "/print.php":
		d.say("<p>%s</p>", s.text(postName(id), 40+id*7%110))
	case u.Path == "/label.php":
		d.say("%s %s", s.text(fmt.Sprint("title", id), 4), s.text(fmt.Sprint("label", id), 3))
	case u.Path == "/image.php":
		d.say("%s %s", s.text(fmt.Sprint("title", id), 4), q.Get("size"))
		d.link(fmt.Sprintf("/image.php?id=%d&n=%d&size=l", id+1, 1+max(0, number(q.Get("n")))), "next")
	case u.Path == "/compare.php":
		for _, i := range []int{id, max(0, number(q.Get("b"))-1)} {
			d.say("%s", s.text(fmt.Sprint("title", i), 4))
			s.excerpt(d, i)
		}
		for range 4 {
			d.link(fmt.Sprintf("/compare.php?a=%d&b=%d", 1+r.IntN(s.posts()), id+1), "compare")
		}
	default:
		return Answer{}, false
	}
	return worthless(d)
}

// bugPage is honest: what is attached to bugs, and the components of a product.
func bugPage(s *Site, uri string) (Answer, bool) {
	if n := numbered(uri, "/attachment.cgi?id=", attachments); n > 0 {
		d := s.begin(fmt.Sprint("attachment ", n))
		d.say("<pre>%s</pre>", s.text("attached "+fmt.Sprint(n), 60))
		return contentAt(d, uri)
	}
	for p := range makers {
		if name := s.words[600+p]; uri == "/describecomponents.cgi?product="+name {
			d := s.begin(name)
			d.say("<p>%s</p>", s.text("components of "+name, 50))
			return contentAt(d, uri)
		}
	}
	return Answer{}, false
}

var bugFields = [...]string{"status", "priority", "component", "assigned_to", "version"}

// bugLinks are what hangs on a bug and on a list.
func bugLinks(s *Site, d *doc, r *rand.Rand, uri string, post int) {
	d.link("/query.cgi?format=advanced", "Search")
	d.link("/report.cgi?x_axis=status&y_axis=component", "Reports")
	rest, _ := without(uri, "GoAheadAndLogIn")
	d.link(add(rest, "GoAheadAndLogIn", "1"), "Log in")
	d.link("/buglist.cgi?status=open", "Open")
	if post < 0 {
		return
	}
	id := fmt.Sprint(1000 + post)
	d.link("/describecomponents.cgi?product="+s.words[600+post%makers], "Product")
	if n := post + 1; n <= attachments {
		at := fmt.Sprint("/attachment.cgi?id=", n)
		d.link(at, "attachment")
		d.link(at+"&action=edit", "Details")
		d.link(at+"&action=diff&context=patch&collapsed=&headers=1", "Diff")
	}
	d.link("/show_activity.cgi?id="+id, "History")
	d.link("/show_bug.cgi?format=multiple&id="+id, "Format for printing")
	d.link("/show_bug.cgi?ctype=xml&id="+id, "XML")
	d.link("/enter_bug.cgi?cloned_bug_id="+id, "Clone this bug")
	d.link("/showdependencytree.cgi?id="+id+"&hide_resolved=1", "tree")
	d.link("/showdependencygraph.cgi?id="+id, "graph")
	d.link("/page.cgi?id=voting/bug.html&bug_id="+id, "Vote")
	d.link("/buglist.cgi?component="+s.words[610+post%20]+"&status=open", "Component")
	d.link("/user_profile?user_id="+fmt.Sprint(1+r.IntN(60)), "Reporter")
}

// bugProgram is every page without worth of the tracker.
func bugProgram(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	q, r := u.Query(), s.random(uri)
	bug := max(number(q.Get("id")), number(q.Get("bug_id")), number(q.Get("cloned_bug_id"))) - 1000
	there := bug >= 0 && bug < s.posts()
	text := func() string { return s.text(postName(bug), 40+bug*7%110) }
	d := s.begin(strings.Trim(u.Path, "/"))
	switch u.Path {
	case "/buglist.cgi":
		s.bugList(d, r, uri)
		return worthless(d)
	case "/report.cgi":
		for range 6 {
			d.say("%s %d %d %d", s.words[610+r.IntN(20)], r.IntN(400), r.IntN(90), r.IntN(9))
		}
		for _, axis := range []string{"x_axis", "y_axis", "z_axis"} {
			rest, _ := without(uri, axis)
			for _, field := range bugFields {
				d.link(add(rest, axis, field), field)
			}
		}
		return worthless(d)
	case "/query.cgi":
		d.say("<p>%s</p>", s.text("query form", 150))
		d.link("/query.cgi?format=specific", "simple")
		return worthless(d)
	case "/user_profile":
		n := max(0, number(q.Get("user_id")))
		d.say("%s %s %d comments, %d bugs", s.text("profile", 40), s.words[1000+n%200], 7*n, n)
		d.link(fmt.Sprint("/buglist.cgi?assigned_to=", n), "Bugs")
		return worthless(d)
	case "/attachment.cgi":
		n := number(q.Get("id"))
		if n < 1 || n > attachments || len(q) < 2 {
			return Answer{}, false
		}
		d.say("<p>%s</p><pre>%s</pre>", s.text("details", 40), s.text("attached "+fmt.Sprint(n), 60))
		for _, c := range []string{"patch", "file", "3", "5", "10"} {
			d.link(fmt.Sprintf("/attachment.cgi?id=%d&action=diff&context=%s&collapsed=&headers=1", n, c), c)
		}
		return worthless(d)
	}
	if !there {
		return Answer{}, false
	}
	switch u.Path {
	case "/show_activity.cgi":
		for k := range 2 + bug%7 {
			d.say("<td>%s</td>", s.stamp(bug, k))
		}
	case "/show_bug.cgi":
		if !q.Has("format") && !q.Has("ctype") {
			return Answer{}, false
		}
		d.say("<p>%s</p> bug %d", text(), 1000+bug)
	case "/enter_bug.cgi":
		d.say("<p>%s</p><textarea>%s</textarea>", s.text("enter a bug", 80), text())
	case "/showdependencytree.cgi", "/showdependencygraph.cgi":
		for range 1 + r.IntN(6) {
			other := r.IntN(s.posts())
			d.link(fmt.Sprint("/show_bug.cgi?id=", 1000+other), s.text(fmt.Sprint("title", other), 4))
			d.link(fmt.Sprintf("/showdependencytree.cgi?id=%d&hide_resolved=1", 1000+other), "tree")
		}
		for depth := range 5 {
			d.link(fmt.Sprintf("/showdependencytree.cgi?id=%d&hide_resolved=%d&maxdepth=%d", 1000+bug, r.IntN(2), depth+1), "depth")
		}
	case "/page.cgi":
		d.say("<p>%s</p> %s %d votes", s.text("voting", 30), s.text(fmt.Sprint("title", bug), 4), bug%13)
	default:
		return Answer{}, false
	}
	return worthless(d)
}

// bugList is a list of bugs by any selection. Each list has a number, which its links carry.
func (s *Site) bugList(d *doc, r *rand.Rand, uri string) {
	list := 100_000 + r.IntN(900_000)
	for range 8 {
		i := r.IntN(s.posts())
		d.link(fmt.Sprintf("/show_bug.cgi?id=%d&list_id=%d", 1000+i, list), s.text(fmt.Sprint("title", i), 4))
		d.say("%s %s", bugFields[r.IntN(len(bugFields))], s.words[1000+r.IntN(60)])
	}
	rest, _ := without(uri, "order", "list_id")
	for _, field := range bugFields {
		d.link(fmt.Sprintf("%s&list_id=%d", add(rest, "order", field), list), field)
	}
	for _, p := range []struct {
		key    string
		values []string
	}{{"status", []string{"open", "fixed", "any"}}, {"limit", []string{"50", "100", "0"}}, {"columnlist", []string{"short", "all"}}} {
		rest, _ := without(uri, p.key, "list_id")
		for _, v := range p.values {
			d.link(fmt.Sprintf("%s&list_id=%d", add(rest, p.key, v), list), v)
		}
	}
}
