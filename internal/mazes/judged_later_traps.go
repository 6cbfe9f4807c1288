package mazes

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// laterTraps are what a photo gallery and a newspaper show beside their pages, most of it under
// paths. They were written down before the order of 2026-11-26 was touched, and no bound may be set
// by what a guard does on them.
func laterTraps() []blog {
	gallery := blog{name: "photo gallery", post: named("/photos/{}", from(500, 0)), snares: []snare{
		{name: "albums and people", page: galleryPage, extra: albums + people},
		{name: "views of a photo", page: photoView, lure: photoLinks},
	}}
	paper := blog{name: "newspaper", post: named("/news/{}", slug(3, 0)), snares: []snare{
		{name: "authors and topics", page: paperPage, extra: authors + topics + readers},
		{name: "views of an article", page: articleView, strip: parameters("utm_source", "outputType"), lure: articleLinks},
	}}
	return []blog{gallery, paper}
}

// The honest pages of a gallery, and those of a newspaper.
const (
	albums  = 14
	people  = 18
	authors = 15
	topics  = 10
	readers = 30
)

// spoken is an honest page of that many words, if uri is one of those with a prefix.
func (s *Site) spoken(uri, prefix string, most, words int) (*doc, bool) {
	if numbered(uri, prefix, most) == 0 {
		return nil, false
	}
	d := s.begin(s.text(uri, 2))
	d.say("<p>%s</p>", s.text("about "+uri, words))
	return d, true
}

// galleryPage is honest: albums and those who took the photos.
func galleryPage(s *Site, uri string) (Answer, bool) {
	r := s.random(uri)
	if d, ok := s.spoken(uri, "/albums/", albums, 40); ok {
		for range 6 {
			d.link(fmt.Sprint("/photos/", 500+r.IntN(s.posts())), "photo")
		}
		for _, sort := range []string{"taken", "uploaded", "title"} {
			d.link(uri+"?sort="+sort, sort)
		}
		d.link(uri+"/slideshow", "Slideshow")
		return contentAt(d, uri)
	}
	if d, ok := s.spoken(uri, "/people/", people, 35); ok {
		for _, view := range []string{"favorites", "contacts", "tags", "map"} {
			d.link(uri+"/"+view, view)
		}
		return contentAt(d, uri)
	}
	return Answer{}, false
}

// photoLinks are what hangs on a photo.
func photoLinks(s *Site, d *doc, r *rand.Rand, uri string, post int) {
	d.link("/signin?next="+url.QueryEscape(uri), "Sign in")
	d.link(fmt.Sprintf("/explore/%d/%02d/%02d", 2004+r.IntN(18), 1+r.IntN(12), 1+r.IntN(28)), "Explore")
	if post < 0 {
		return
	}
	here := fmt.Sprint("/photos/", 500+post)
	album := 1 + post%albums
	d.link(fmt.Sprint("/albums/", album), "Album")
	d.link(fmt.Sprint("/people/", 1+post%people), "By")
	d.link(fmt.Sprint(here, "/in/album-", album), "in this album")
	for _, view := range []string{"exif", "comments", "stats", "sizes/o", "sizes/l", "sizes/m", "lightbox"} {
		d.link(here+"/"+view, view)
	}
	for range 3 {
		d.link("/tags/"+s.words[200+r.IntN(300)], "tag")
	}
	d.link(fmt.Sprintf("/map?lat=%d.%d&lon=%d.%d", r.IntN(90), r.IntN(100), r.IntN(180), r.IntN(100)), "Map")
	d.link(fmt.Sprint(here, "/comments#last"), "latest")
}

// photoView is every page without worth of the gallery.
func photoView(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	r, p := s.random(uri), strings.Split(strings.Trim(u.Path, "/"), "/")
	d := s.begin(p[0])
	thumbs := func(n int) {
		for range n {
			i := r.IntN(s.posts())
			d.link(fmt.Sprint("/photos/", 500+i), s.text(fmt.Sprint("title", i), 4))
		}
	}
	switch {
	case p[0] == "photos" && len(p) > 2:
		post := number(p[1]) - 500
		if post < 0 || post >= s.posts() {
			return Answer{}, false
		}
		s.photoPart(d, r, post, strings.Join(p[2:], "/"))
	case p[0] == "signin":
		d.say("<p>%s</p>", s.text("sign in", 30))
	case p[0] == "explore" && len(p) == 4:
		d.say("%s", strings.Join(p[1:], " "))
		thumbs(9)
		for _, ahead := range []int{1, 2} {
			year, month, day := max(0, number(p[1])), number(p[2]), number(strings.TrimLeft(p[3], "0"))
			d.link(fmt.Sprintf("/explore/%d/%02d/%02d", year+ahead-1, 1+(max(0, month)+ahead)%12, 1+max(0, day)%28), "more")
		}
	case p[0] == "tags" && len(p) == 2:
		thumbs(12)
		for range 5 {
			d.link("/tags/"+p[1]+"+"+s.words[200+r.IntN(300)], "related")
		}
		d.link(add(uri, "page", fmt.Sprint(2+r.IntN(5))), "more")
		if strings.Count(p[1], "+") > 5 {
			d = s.begin("too many tags")
		}
	case p[0] == "map":
		d.say("%s %s", u.Query().Get("lat"), u.Query().Get("lon"))
		thumbs(3)
		for range 4 {
			d.link(fmt.Sprintf("/map?lat=%d.%d&lon=%d.%d", r.IntN(90), r.IntN(100), r.IntN(180), r.IntN(100)), "pan")
		}
	case p[0] == "albums" && (u.RawQuery != "" || len(p) == 3):
		d.say("<p>%s</p>", s.text("about /albums/"+p[1], 40))
		thumbs(6)
	case p[0] == "people" && len(p) == 3:
		thumbs(8)
		d.link(add(uri, "page", fmt.Sprint(2+r.IntN(6))), "more")
	default:
		return Answer{}, false
	}
	return worthless(d)
}

// photoPart is a view of a photo.
func (s *Site) photoPart(d *doc, r *rand.Rand, post int, view string) {
	title := s.text(fmt.Sprint("title", post), 4)
	switch view {
	case "exif":
		for _, field := range []string{"camera", "lens", "exposure", "aperture", "iso", "flash", "software"} {
			d.say("%s %s %d", field, s.words[1000+r.IntN(80)], r.IntN(4000))
		}
	case "comments":
		for k := range 1 + post%5 {
			d.say("<p>%s %s</p>", s.words[1000+r.IntN(90)], s.prose(r, 4+r.IntN(14), 1500))
			d.link(fmt.Sprintf("/photos/%d/comments/%d/reply", 500+post, k), "reply")
		}
	case "stats":
		d.say("%s %d views, %d faves", title, r.IntN(9000), r.IntN(300))
	default:
		d.say("%s %s", title, view)
		d.link(fmt.Sprintf("/photos/%d/%s", 500+(post+1)%s.posts(), view), "next")
	}
}

// paperPage is honest: authors, what a topic is, and letters to the editor.
func paperPage(s *Site, uri string) (Answer, bool) {
	r := s.random(uri)
	if d, ok := s.spoken(uri, "/letters/", readers, 60); ok {
		return contentAt(d, uri)
	}
	d, ok := s.spoken(uri, "/author/", authors, 45)
	if !ok {
		d, ok = s.spoken(uri, "/topic/", topics, 30)
	}
	if !ok {
		return Answer{}, false
	}
	s.headlines(d, r, 6)
	d.link(uri+"/feed", "RSS")
	d.link(uri+"?page=2", "older")
	return contentAt(d, uri)
}

// headlines are articles with their beginnings.
func (s *Site) headlines(d *doc, r *rand.Rand, n int) {
	for range n {
		i := r.IntN(s.posts())
		d.link("/news/"+slug(3, 0).write(s, i), s.text(fmt.Sprint("title", i), 4))
		s.excerpt(d, i)
	}
}

// articleLinks are what hangs on an article.
func articleLinks(s *Site, d *doc, r *rand.Rand, uri string, post int) {
	day := func() string { return fmt.Sprintf("%d/%d/%d", 1998+r.IntN(25), 1+r.IntN(12), 1+r.IntN(28)) }
	d.link("/archive/"+day(), "This day")
	d.link("/subscribe?return="+url.QueryEscape(uri), "Subscribe")
	d.link("/section/"+s.words[600+r.IntN(8)], "Section")
	if post < 0 {
		return
	}
	name := slug(3, 0).write(s, post)
	d.link(fmt.Sprint("/author/", 1+post%authors), "By")
	d.link(fmt.Sprint("/topic/", 1+post%topics), "Topic")
	if post < readers {
		d.link(fmt.Sprint("/letters/", 1+post), "A reader replies")
	}
	for _, view := range []string{"print", "email", "comments", "gallery"} {
		d.link("/news/"+name+"/"+view, view)
	}
	d.link("/amp/news/"+name, "amp")
	d.link(fmt.Sprint("/node/", 7000+post), "permalink")
	d.link("/news/"+name+"?outputType=amp", "mobile")
	d.link("/news/"+name+"?utm_source="+[]string{"x", "mail", "rss"}[r.IntN(3)], "share")
	for range 3 {
		d.link("/tag/"+s.words[200+r.IntN(400)], "tag")
	}
	for k := range 1 + post%4 {
		d.link(fmt.Sprintf("/comment/reply/%d/%d", 7000+post, 10*post+k), "Reply")
		d.link(fmt.Sprintf("/comment/%d", 10*post+k), "Permalink")
	}
}

// articleView is every page without worth of the newspaper.
func articleView(s *Site, uri string) (Answer, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return Answer{}, false
	}
	r, p := s.random(uri), strings.Split(strings.Trim(u.Path, "/"), "/")
	last := p[len(p)-1]
	post, d := -1, s.begin(p[0])
	switch {
	case p[0] == "news" && len(p) == 3:
		post, last = slug(3, 0).read(s, p[1]), p[2]
	case p[0] == "amp" && len(p) == 3:
		post, last = slug(3, 0).read(s, p[2]), "amp"
	case p[0] == "node" && len(p) == 2:
		post, last = number(p[1])-7000, "node"
	case p[0] == "comment" && len(p) == 4:
		post, last = number(p[2])-7000, "reply"
	case p[0] == "comment" && len(p) == 2:
		post, last = number(p[1])/10, "comment"
	case p[0] == "subscribe":
		d.say("<p>%s</p>", s.text("subscribe", 50))
		return worthless(d)
	case p[0] == "archive" && len(p) == 4:
		d.say("%s", strings.Join(p[1:], " "))
		s.headlines(d, r, 3)
		year, month, n := max(0, number(p[1])), max(0, number(p[2])), max(0, number(p[3]))
		d.link(fmt.Sprintf("/archive/%d/%d/%d", year, 1+month%12, 1+(n+3)%28), "next")
		d.link(fmt.Sprintf("/archive/%d/%d/%d", year-1, month, n), "the year before")
		return worthless(d)
	case p[0] == "tag" || p[0] == "section" || last == "feed" || u.RawQuery != "" && (p[0] == "topic" || p[0] == "author"):
		s.headlines(d, r, 8)
		d.link(add(strings.TrimSuffix(u.Path, "/feed"), "page", fmt.Sprint(2+r.IntN(40))), "older")
		d.link("/tag/"+s.words[200+r.IntN(400)], "related")
		return worthless(d)
	}
	if post < 0 || post >= s.posts() {
		return Answer{}, false
	}
	return s.articlePart(d, r, post, last)
}

// articlePart is an article in another form, or what belongs to it.
func (s *Site) articlePart(d *doc, r *rand.Rand, post int, view string) (Answer, bool) {
	text, title := s.text(postName(post), 40+post*7%110), s.text(fmt.Sprint("title", post), 4)
	said := func() { d.say("<p>%s %s</p>", s.words[1000+r.IntN(200)], s.prose(r, 5+r.IntN(25), 2000)) }
	switch view {
	case "print", "amp", "node":
		d.say("<h2>%s</h2> <p>%s</p>", view, text)
	case "email":
		d.say("<p>%s</p> %s", s.text("tell a friend", 40), title)
	case "comment":
		said()
	case "reply":
		d.say("<p>%s</p>", s.text("rules of comments", 60))
		said()
	case "comments":
		for k := range 1 + post%4 {
			d.say("%s %d", title, k)
			said()
			d.link(fmt.Sprintf("/comment/%d", 10*post+k), "Permalink")
		}
	case "gallery":
		d.say("%s %s", title, s.text(fmt.Sprint("caption", post), 6))
	default:
		return Answer{}, false
	}
	return worthless(d)
}
