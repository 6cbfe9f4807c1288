package mazes

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const perBlogList = 10

// blog is an honest site of some dozens or hundreds of posts, on each page of which traps hang.
// Every page has a Content, so that the first copy of it that is fetched is honest.
type blog struct {
	name   string
	seed   string  // where a crawl begins, if not on a host of the site's name
	post   address // drawn if it has no fields
	snares []snare
}

// snare is one trap of a blog. All its functions may be nil.
type snare struct {
	name string
	// page answers for what is no page of the blog. ok is false where the trap has none.
	page func(s *Site, uri string) (a Answer, ok bool)
	// extra counts the honest ones among those.
	extra int
	// strip returns the address of the page that one is a copy of, if it is one.
	strip func(s *Site, host, uri string) (rest string, ok bool)
	// wrap changes the links of the page at uri to the blog's other pages.
	wrap func(s *Site, r *rand.Rand, uri, href string) string
	// lure puts links into the trap on the page at uri; post is -1 on a list.
	lure func(s *Site, d *doc, r *rand.Rand, uri string, post int)
}

func (b *blog) site() *Site {
	s := &Site{Name: b.name, Shape: b.name, Seed: b.seed, Trap: true, page: b.page}
	s.addresses = b.seed != ""
	return s
}

func (s *Site) posts() int { return s.vary("posts", 60, 300) }

func (s *Site) blogLists() int { return (s.posts() + perBlogList - 1) / perBlogList }

// pages counts the honest pages.
func (b *blog) pages(s *Site) int {
	n := s.posts() + s.blogLists()
	for _, trap := range b.snares {
		n += trap.extra
	}
	return n
}

func (b *blog) page(s *Site, host, uri string) Answer {
	space, canonical := "", uri
	for _, trap := range b.snares {
		if trap.strip == nil {
			continue
		}
		if rest, ok := trap.strip(s, host, canonical); ok {
			space, canonical = trap.name, rest
		}
	}
	if a := b.honest(s, host, uri, canonical); a.Status != 404 {
		a.Space, a.Content = space, canonical
		return a
	}
	for _, trap := range b.snares {
		if trap.page == nil {
			continue
		}
		if a, ok := trap.page(s, uri); ok {
			a.Space = trap.name
			return a
		}
	}
	return gone()
}

func (b *blog) postAddress(s *Site) address {
	if len(b.post.fields) > 0 {
		return b.post
	}
	return []address{named("/post/{}", from(0, 0)), named("/articles/{}.html", from(1001, 0)), named("/story/{}", slug(4, 0)), named("/?p={}", from(1, 0))}[s.vary("address", 0, 3)]
}

var blogList = []string{"/", "/page/"}

// honest is the page of the blog at canonical, on which links are as on the one at uri.
func (b *blog) honest(s *Site, host, uri, canonical string) Answer {
	r := s.random("links" + host + uri)
	at := b.postAddress(s)
	link := func(d *doc, href, text string) {
		for _, trap := range b.snares {
			if trap.wrap != nil {
				href = trap.wrap(s, r, uri, href)
			}
		}
		d.link(href, text)
	}
	first := s.vary("lures first", 0, 1) == 1
	lures := func(d *doc, post int, now bool) {
		for _, trap := range b.snares {
			if now && trap.lure != nil {
				trap.lure(s, d, r, uri, post)
			}
		}
	}
	if i := at.index(s, canonical); i >= 0 && i < s.posts() {
		d := s.begin(s.text(fmt.Sprint("title", i), 4))
		lures(d, i, first)
		d.say("<p>%s</p>", s.text(postName(i), 40+i*7%110))
		link(d, "/", "Home")
		if i+1 < s.posts() && s.vary("next post", 0, 1) == 1 {
			link(d, at.at(s, i+1), "next")
		}
		lures(d, i, !first)
		return d.answer()
	}
	n := 0
	if canonical != blogList[0] {
		n = number(strings.TrimPrefix(canonical, blogList[1])) - 1
	}
	if n < 0 || n >= s.blogLists() || n > 0 && !strings.HasPrefix(canonical, blogList[1]) || n == 0 && canonical != blogList[0] {
		return gone()
	}
	d := s.begin(s.text("blog", 2))
	lures(d, -1, first)
	for i := n * perBlogList; i < min((n+1)*perBlogList, s.posts()); i++ {
		link(d, at.at(s, i), s.text(fmt.Sprint("title", i), 4))
		s.excerpt(d, i)
	}
	if n > 0 {
		link(d, "/", "newest")
	}
	if n+1 < s.blogLists() {
		link(d, fmt.Sprint(blogList[1], n+2), "older")
	}
	lures(d, -1, !first)
	return d.answer()
}

// excerpt is the beginning of a post.
func (s *Site) excerpt(d *doc, i int) { d.say("<p>%s</p>", s.text(postName(i), 12)) }

// add sets a parameter behind the others.
func add(uri, key, value string) string {
	if strings.Contains(uri, "?") {
		return uri + "&" + key + "=" + value
	}
	return uri + "?" + key + "=" + value
}

// without takes parameters out of an address; ok is false if it has none of them.
func without(uri string, keys ...string) (rest string, ok bool) {
	path, query, _ := strings.Cut(uri, "?")
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		drop := false
		for _, k := range keys {
			drop = drop || k == key
		}
		if drop {
			ok = true
		} else if pair != "" {
			kept = append(kept, pair)
		}
	}
	if len(kept) == 0 {
		return path, ok
	}
	return path + "?" + strings.Join(kept, "&"), ok
}

// parameters is a snare's strip for those that change nothing.
func parameters(keys ...string) func(*Site, string, string) (string, bool) {
	return func(_ *Site, _, uri string) (string, bool) { return without(uri, keys...) }
}

// worthless finishes a page of a trap.
func worthless(d *doc) (Answer, bool) {
	a := d.answer()
	a.Trap = true
	return a, true
}
