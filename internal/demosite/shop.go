package demosite

import (
	"compress/gzip"
	"fmt"
	"sort"
	"strings"
)

const (
	numCategories       = 7
	productsPerCategory = 12
)

type product struct {
	slug, name, blurb string
	price, stock      int
}

// shop makes the site of lists that can be sorted. Every answer is compressed
// for clients that accept it.
func (w *Web) shop() {
	s := w.site(shopHost, "Demo Shop")
	s.gzip = gzip.NewWriter(nil)
	var categories []ref
	for range numCategories {
		c := ref{"/c/" + s.text.slug(), s.text.title()}
		categories = append(categories, c)
		w.publishCategory(s, c, s.text.products())
	}
	s.publishShopHome(categories)
	s.publishCart()
	s.restrict("User-agent: *\nDisallow: /cart\nDisallow: /*session=\n", func(uri string) bool {
		return strings.HasPrefix(uri, "/cart") || strings.Contains(uri, "session=")
	})
}

func (w *writer) products() []product {
	products := make([]product, productsPerCategory)
	for i := range products {
		slug := w.slug()
		products[i] = product{
			slug: slug, name: w.title(), blurb: w.paragraph(30),
			price: 5 + w.r.IntN(900), stock: w.r.IntN(40),
		}
	}
	return products
}

// orders are the ways to sort a list, by the value of the sort parameter.
func orders() map[string]func(a, b product) bool {
	return map[string]func(a, b product) bool{
		"price": func(a, b product) bool { return a.price < b.price },
		"name":  func(a, b product) bool { return a.name < b.name },
		"stock": func(a, b product) bool { return a.stock > b.stock },
	}
}

// publishCategory adds the list of products in every order, and the products.
// The lists are near-duplicates of each other.
func (w *Web) publishCategory(s *site, c ref, products []product) {
	s.publishList(c, c.href, products)
	group := []string{s.url(c.href)}
	for _, by := range []string{"price", "name", "stock"} {
		sorted := append([]product(nil), products...)
		less := orders()[by]
		sort.SliceStable(sorted, func(i, j int) bool { return less(sorted[i], sorted[j]) })
		uri := c.href + "?sort=" + by + "&dir=asc"
		s.publishList(c, uri, sorted)
		group = append(group, s.url(uri))
	}
	w.near = append(w.near, group)
	for _, p := range products {
		s.publishProduct(c, p)
	}
}

func (s *site) publishList(c ref, uri string, products []product) {
	s.publish(draft{
		uri: uri, title: c.text, nav: []ref{
			{"/", "Shop"}, {"?sort=price&dir=asc", "by price"}, {"?sort=name&dir=asc", "by name"},
			{c.href + "?sort=stock&dir=asc", "by stock"},
		},
		head: func(d *doc) { d.rel("canonical", c.href) },
		body: func(d *doc) {
			for _, p := range products {
				d.open("p")
				d.anchor("/p/"+p.slug, p.name)
				d.say(" " + p.blurb)
				d.close("p")
			}
		},
	})
}

func (s *site) publishProduct(c ref, p product) {
	facts := [][]string{{"Price", "Stock", "Code"}, {fmt.Sprintf("%d.99 €", p.price), fmt.Sprint(p.stock), strings.ToUpper(p.slug)}}
	s.publish(draft{uri: "/p/" + p.slug, title: p.name, nav: []ref{{"/", "Shop"}, c}, body: func(d *doc) {
		d.paragraphs(p.blurb)
		d.table(facts)
		for range 2 + s.text.r.IntN(3) {
			d.paragraphs(s.text.paragraph(45))
		}
		d.further("Then", ref{"/cart?add=" + p.slug, "buy it"})
		if p.stock%6 == 0 {
			d.further("Sold out soon", ref{p.slug + "?session=4711", "come back"})
		}
	}})
}

// publishShopHome makes the home page, whose picture is a map with two areas.
func (s *site) publishShopHome(categories []ref) {
	s.asset("/shelf.png", "image/png", "\x89PNG\r\n\x1a\n")
	s.publish(draft{uri: "/", title: "Demo Shop", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(60))
		d.list(categories)
		d.void("img", "src", "/shelf.png", "usemap", "#shelf", "alt", "Shelf")
		d.open("map", "name", "shelf")
		d.raw("\n")
		for _, href := range []string{"/info/shipping.html", "/info/returns.html"} {
			d.refer(href, false)
			d.void("area", "shape", "default", "href", href, "alt", "Information")
		}
		d.close("map")
	}})
	s.note("/info/shipping.html", "Shipping")
	s.publish(draft{uri: "/info/returns.html", title: "Returns", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(80))
		d.refer("/info/form.html", false)
		d.open("iframe", "src", "/info/form.html")
		d.close("iframe")
	}})
	s.note("/info/form.html", "Form")
}

// publishCart answers for every cart; no polite crawler asks.
func (s *site) publishCart() {
	cart := s.note("/cart", "Your cart")
	s.dynamic = func(uri string) *page {
		if strings.HasPrefix(uri, "/cart?") {
			return cart
		}
		return nil
	}
}
