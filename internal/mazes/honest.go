package mazes

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// honest returns the sites without a trap.
func honest(size int) []*Site {
	site := func(name string, page func(s *Site, host, uri string) Answer) *Site {
		return &Site{Name: name, page: page}
	}
	return []*Site{
		site("archive", archive(size/5)),
		site("chain", chain(size/10)),
		site("products", products(size)),
		site("documentation", documentation(size)),
		site("wiki", wiki(size/4)),
		site("events", events),
		site("versions", versions(size/20)),
		site("forum", forum(size/50)),
		site("repeated", repeated(size/10)),
		site("ids", ids(size/2)),
		site("tables", tables(size/5)),
		site("directory", directory(size*5/2)),
	}
}

// archive is a blog: posts, and index pages of ten with their beginnings.
func archive(posts int) func(s *Site, host, uri string) Answer {
	pages := (posts + 9) / 10
	return func(s *Site, _, uri string) Answer {
		p := cut(uri)
		n := 1
		switch {
		case p[0] == "page" && len(p) == 2:
			n = number(p[1])
		case p[0] == "post" && len(p) == 2:
			return s.post(number(p[1]), posts)
		case uri != "/":
			return gone()
		}
		if n < 1 || n > pages {
			return gone()
		}
		d := s.begin(fmt.Sprintf("Archive page %d", n))
		for i := (n - 1) * 10; i < min(n*10, posts); i++ {
			d.say("<p>%s</p>", s.text(postName(i), 25))
			d.link("/post/"+strconv.Itoa(i), "more")
		}
		if n > 1 {
			d.link("/page/"+strconv.Itoa(n-1), "newer")
		}
		if n < pages {
			d.link("/page/"+strconv.Itoa(n+1), "older")
		}
		return d.answer()
	}
}

func postName(i int) string { return "post " + strconv.Itoa(i) }

func (s *Site) post(i, posts int) Answer {
	if i < 0 || i >= posts {
		return gone()
	}
	d := s.begin(s.text(fmt.Sprint("title", i), 5))
	d.say("<p>%s</p>", s.text(postName(i), 150))
	d.link("/", "Home")
	return d.answer()
}

// chain is a diary whose pages are reached only from the page before.
func chain(size int) func(s *Site, host, uri string) Answer {
	return func(s *Site, _, uri string) Answer {
		n := 0
		if p := cut(uri); p[0] == "entry" && len(p) == 2 {
			n = number(p[1])
		} else if uri != "/" {
			return gone()
		}
		if n < 0 || n >= size {
			return gone()
		}
		d := s.begin(fmt.Sprintf("Entry %d", n))
		d.say("<p>%s</p>", s.text(postName(n), 80))
		if n > 0 {
			d.link(fmt.Sprint("/entry/", n-1), "before")
		}
		if n+1 < size {
			d.link(fmt.Sprint("/entry/", n+1), "after")
		}
		return d.answer()
	}
}

const productsEach = 25 // on a list page

// products is a shop of one template: products differ in name, price and a short
// description of few words; lists have a category and a page.
func products(size int) func(s *Site, host, uri string) Answer {
	const categories = 10
	each := size / categories
	return func(s *Site, _, uri string) Answer {
		p := cut(uri)
		switch {
		case uri == "/":
			d := s.begin("Shop")
			for c := range categories {
				d.link(fmt.Sprintf("/list?category=%d&page=1", c), s.text(fmt.Sprint("category", c), 2))
			}
			return d.answer()
		case p[0] == "list":
			var c, n int
			if _, err := fmt.Sscanf(uri, "/list?category=%d&page=%d", &c, &n); err != nil || c < 0 || c >= categories {
				return gone()
			}
			return s.productList(c, n, each)
		case p[0] == "product" && len(p) == 2:
			return s.product(number(p[1]), size)
		}
		return gone()
	}
}

func (s *Site) productList(c, n, each int) Answer {
	pages := (each + productsEach - 1) / productsEach
	if n < 1 || n > pages {
		return gone()
	}
	d := s.begin("Category " + s.text(fmt.Sprint("category", c), 2))
	for i := (n - 1) * productsEach; i < min(n*productsEach, each); i++ {
		id := c*each + i
		d.link(fmt.Sprint("/product/", id), s.productName(id))
		d.say("%s", s.price(id))
	}
	for other := max(1, n-2); other <= min(pages, n+2); other++ {
		d.link(fmt.Sprintf("/list?category=%d&page=%d", c, other), strconv.Itoa(other))
	}
	return d.answer()
}

func (s *Site) productName(id int) string {
	return s.prose(s.random(fmt.Sprint("product", id)), 3, 600)
}

func (s *Site) price(id int) string {
	r := s.random(fmt.Sprint("price", id))
	return fmt.Sprintf("%d.%02d", 1+r.IntN(300), r.IntN(20)*5)
}

func (s *Site) product(id, size int) Answer {
	if id < 0 || id >= size {
		return gone()
	}
	name := s.productName(id)
	d := s.begin(name)
	d.say("<p>%s</p><p>%s</p><p>%s</p>", s.price(id), s.prose(s.random(fmt.Sprint("about", id)), 8, 600), s.text("delivery terms", 60))
	r := s.random(fmt.Sprint("related", id))
	for range 3 {
		other := r.IntN(size)
		d.link(fmt.Sprint("/product/", other), s.productName(other))
	}
	d.link("/", "Shop")
	return d.answer()
}

// events is a calendar of three years that ends, with the events' own pages.
func events(s *Site, _, uri string) Answer {
	first := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	if p := cut(uri); p[0] == "event" && len(p) == 2 {
		return s.post(number(p[1]), 36*8)
	}
	month := first
	if uri != "/" {
		var err error
		if month, err = time.Parse("/calendar/2006/01", uri); err != nil {
			return gone()
		}
	}
	n := (month.Year()-2023)*12 + int(month.Month()) - 1
	if n < 0 || n >= 36 {
		return gone()
	}
	d := s.begin(month.Format("January 2006"))
	for i := range s.random(uri).IntN(8) {
		d.say("%s", month.AddDate(0, 0, i*3).Format("Monday 2"))
		d.link(fmt.Sprint("/event/", n*8+i), s.text(fmt.Sprint("title", n*8+i), 5))
	}
	for _, m := range []int{-1, 1} {
		if n+m >= 0 && n+m < 36 {
			d.link(month.AddDate(0, m, 0).Format("/calendar/2006/01"), month.AddDate(0, m, 0).Format("January"))
		}
	}
	return d.answer()
}

// forum has topics of several pages by ?start=.
func forum(topics int) func(s *Site, host, uri string) Answer {
	return func(s *Site, _, uri string) Answer {
		path, query, _ := strings.Cut(uri, "?")
		if uri == "/" {
			d := s.begin("Forum")
			for t := range topics {
				d.link(fmt.Sprint("/topic/", t), s.text(fmt.Sprint("topic", t), 5))
			}
			return d.answer()
		}
		p := cut(path)
		if p[0] != "topic" || len(p) != 2 {
			return gone()
		}
		t, start := number(p[1]), 0
		if query != "" {
			start = number(strings.TrimPrefix(query, "start="))
		}
		if t < 0 || t >= topics {
			return gone()
		}
		replies := 20 + s.random(fmt.Sprint("replies", t)).IntN(1960)
		if start < 0 || start >= replies || start%20 != 0 {
			return gone()
		}
		d := s.begin(s.text(fmt.Sprint("topic", t), 5))
		for i := start; i < min(start+20, replies); i++ {
			d.say("<p>%s</p>", s.text(fmt.Sprint("reply", t, i), 20))
		}
		for _, o := range []int{start - 20, start + 20} {
			if o >= 20 && o < replies {
				d.link(fmt.Sprintf("/topic/%d?start=%d", t, o), strconv.Itoa(o/20+1))
			}
		}
		d.link("/", "Forum")
		return d.answer()
	}
}
