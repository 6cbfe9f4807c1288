package mazes

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// copied returns the sites whose pages stand under endlessly many addresses. The first
// copy of each is honest.
func copied() []*Site {
	site := func(name string, page func(s *Site, host, uri string) Answer) *Site {
		return &Site{Name: name, Trap: true, page: page}
	}
	return []*Site{
		site("session in query", sessionInQuery),
		site("session in path", sessionInPath),
		site("sort and filter", sortAndFilter),
		site("wildcard subdomains", wildcard),
	}
}

const sessionPages = 40

// sessionPage is page i, whose links carry whatever link makes of their page.
func (s *Site) sessionPage(i int, link func(r *rand.Rand, page int) string, uri string) Answer {
	if i < 0 || i >= sessionPages {
		return gone()
	}
	d := s.begin(s.text(fmt.Sprint("title", i), 3))
	d.say("<p>%s</p>", s.text(postName(i), 100))
	r := s.random(uri)
	for _, o := range []int{i + 1, 2*i + 1, 2*i + 2, i / 2, 0} {
		if o < sessionPages {
			d.link(link(r, o), s.text(fmt.Sprint("title", o), 3))
		}
	}
	a := d.answer()
	a.Content = fmt.Sprint("page ", i)
	return a
}

func sessionInQuery(s *Site, _, uri string) Answer {
	i := 0
	if uri != "/" {
		path, _, _ := strings.Cut(uri, "?")
		i = number(strings.TrimPrefix(path, "/page"))
	}
	return s.sessionPage(i, func(r *rand.Rand, page int) string {
		return fmt.Sprintf("/page%d?PHPSESSID=%016x", page, r.Uint64())
	}, uri)
}

func sessionInPath(s *Site, _, uri string) Answer {
	i := 0
	if uri != "/" {
		p := cut(uri)
		i = number(strings.TrimPrefix(p[len(p)-1], "page"))
	}
	return s.sessionPage(i, func(r *rand.Rand, page int) string {
		return fmt.Sprintf("/s%016x/page%d", r.Uint64(), page)
	}, uri)
}

// The dimensions of sortAndFilter.
var (
	facets = []string{"color", "size", "brand", "material", "rating", "sort", "order", "view"}
	items  = 120
)

// sortAndFilter is a list of some items that can be ordered and filtered by eight
// parameters, all of which every link keeps and one of which it changes. The lists that
// show nothing new are the trap: all but the one without a query and its items.
func sortAndFilter(s *Site, _, uri string) Answer {
	if p := cut(uri); p[0] == "product" && len(p) == 2 {
		return s.product(number(p[1]), items)
	}
	_, query, _ := strings.Cut(uri, "?")
	chosen := map[string]string{}
	var order []string
	for pair := range strings.SplitSeq(query, "&") {
		if k, v, ok := strings.Cut(pair, "="); ok && chosen[k] == "" {
			chosen[k] = v
			order = append(order, k)
		}
	}
	d := s.begin("All articles")
	r := s.random("list" + strings.Join(order, "&") + fmt.Sprint(chosen))
	shown := items
	if len(chosen) > 0 {
		shown = 20 // a page of the matching ones, in their order
	}
	perm := r.Perm(items)
	if len(chosen) == 0 {
		perm = s.random("all").Perm(items)
	}
	for _, i := range perm[:shown] {
		d.link(fmt.Sprint("/product/", i), s.productName(i))
		d.say("%s %s", s.price(i), s.prose(s.random(fmt.Sprint("about", i)), 4, 600))
	}
	for _, f := range facets {
		for v := range 3 {
			d.link("/list?"+with(order, chosen, f, strconv.Itoa(v)), f)
		}
	}
	a := d.answer()
	a.Trap = len(chosen) > 0
	return a
}

// with writes the query with one parameter set, behind the others if it is new.
func with(order []string, chosen map[string]string, key, value string) string {
	var parts []string
	for _, k := range order {
		if k == key {
			parts = append(parts, k+"="+value)
		} else {
			parts = append(parts, k+"="+chosen[k])
		}
	}
	if chosen[key] == "" {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, "&")
}

// wildcard answers for every subdomain with the same few pages.
func wildcard(s *Site, host, uri string) Answer {
	i := 0
	if uri != "/" {
		i = number(strings.TrimPrefix(uri, "/page"))
	}
	return s.sessionPage(i, func(r *rand.Rand, page int) string {
		path := "/"
		if page > 0 {
			path = fmt.Sprint("/page", page)
		}
		if r.IntN(2) == 0 {
			return path
		}
		return fmt.Sprintf("http://%s.wildcard-subdomains.test%s", s.words[r.IntN(vocabularySize)], path)
	}, host+uri)
}
