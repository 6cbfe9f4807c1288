package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// words are made of syllables, so that names are as alike as in real trees.
var syllables = strings.Fields("con cur rent map list tree set ab stract io net util doc index page ser vice mod ule par ser token stream buf fer ed it or text ta ble cell ren der for mat lo cale date time zone")

type web struct {
	r      *rand.Rand
	hosts  int
	known  Set             // hashes of the URLs that no question is about
	stands map[placed]bool // their segments
}

func newWeb(seed uint64, hosts int) *web {
	return &web{r: rand.New(rand.NewPCG(seed, 0x3eb)), hosts: hosts}
}

// pick prefers small numbers, as popular things are.
func (w *web) pick(n int) int {
	return int(float64(n) * w.r.Float64() * w.r.Float64())
}

func name(id uint64, parts int) string {
	var b strings.Builder
	for range parts {
		b.WriteString(syllables[id%uint64(len(syllables))])
		id = splitmix.Finish(id + 1)
	}
	return b.String()
}

func (w *web) word(n, parts int) string { return name(splitmix.Finish(uint64(w.pick(n))), parts) }

// url returns a URL in one of the shapes of real sites: an API documentation
// tree, a wiki, a dated blog, a manual, a shop with queries, a start page.
func (w *web) url() string {
	host := w.pick(w.hosts)
	site := fmt.Sprintf("https://%s%d.example.org", name(uint64(host), 2), host)
	r := w.r.IntN(100)
	switch {
	case r < 40:
		pkg := "/java." + w.word(12, 1) + "/java/" + w.word(30, 2)
		if w.r.IntN(3) == 0 {
			pkg += "/" + w.word(8, 1)
		}
		class := w.word(4000, 2) + w.word(40, 1)
		if w.r.IntN(3) == 0 {
			return site + "/doc/api" + pkg + "/class-use/" + class + ".html"
		}
		return site + "/doc/api" + pkg + "/" + class + ".html"
	case r < 65:
		return site + "/wiki/" + w.word(50000, 3) + "_" + w.word(500, 2)
	case r < 80:
		return fmt.Sprintf("%s/blog/20%02d/%02d/%s-%s-%s/", site, 5+w.r.IntN(20), 1+w.r.IntN(12),
			w.word(300, 1), w.word(3000, 2), w.word(300, 2))
	case r < 90:
		return fmt.Sprintf("%s/manual/%s/sec%d/%s.html", site, w.word(20, 2), w.r.IntN(30), w.word(5000, 2))
	case r < 99:
		return fmt.Sprintf("%s/shop/%s/item?id=%d&page=%d", site, w.word(40, 1), w.r.IntN(100000), w.r.IntN(4))
	default:
		return site + "/"
	}
}

// urls returns n distinct URLs.
func (w *web) urls(n int) []weburl.URL {
	seen := make(map[string]bool, n)
	list := make([]weburl.URL, 0, n)
	for len(list) < n {
		if s := w.url(); !seen[s] {
			seen[s] = true
			list = append(list, mustParse(s))
		}
	}
	return list
}

func mustParse(s string) weburl.URL {
	u, err := weburl.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}
