package trap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/trap"
)

// called is a word for a number.
func called(i int) string {
	var b strings.Builder
	for n := i + 27; n > 0; n /= 26 {
		b.WriteByte(byte('a' + n%26))
	}
	return b.String()
}

// A tree of life, whose paths name all ancestors, has addresses that are longer and longer, but its
// lines come to an end.
func TestDeepTreesAreFetched(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	site, links := map[string]string{"/": "all life"}, map[string]string{}
	lines := []string{"/"}
	for i := 0; len(site) < 1500; i++ {
		if len(lines) == 0 {
			lines = append(lines, "/")
		}
		at := r.IntN(len(lines))
		path := lines[at] + "taxon" + called(i) + "/"
		links[lines[at]] += link(path)
		site[path] = prose(i, 12)
		lines[at] = path
		switch depth := strings.Count(path, "/"); {
		case r.IntN(30) == 0 || depth == 40:
			lines = append(lines[:at], lines[at+1:]...)
		case r.IntN(12) == 0:
			lines = append(lines, path)
		}
	}
	got := pages(trap.New(trap.Config{}), 5000, func(path string) string {
		if site[path] == "" {
			return ""
		}
		return site[path] + links[path]
	})
	if len(got) != len(site) {
		t.Errorf("%d of %d pages", len(got), len(site))
	}
}

// A server minds the end of a path only, and each page of a tree links to itself below each of five
// languages. Its own pages are fetched, whichever of their likes was the first.
func TestLanguagesBeforeLanguages(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2))
		site, links := map[string]string{"/en/": "welcome"}, map[string]string{}
		for a := range 24 {
			section := "/en/" + called(a)
			site[section], links["/en/"] = prose(1000+a, 60), links["/en/"]+link(section)
			for b := range 3 + r.IntN(3) {
				page := section + "/" + called(100*a+b) + "-" + called(b)
				site[page], links[section] = prose(2000+10*a+b, 60), links[section]+link(page)
				for c := range 4 + r.IntN(6) {
					sub := page + "/" + called(3000+c) + "-" + called(100*a+10*b+c)
					site[sub], links[page] = prose(10000+1000*a+100*b+c, 60), links[page]+link(sub)
				}
			}
		}
		languages := []string{"/de", "/en", "/es", "/fr", "/it"}
		got := pages(trap.New(trap.Config{}), 20*len(site), func(path string) string {
			if path == "/" {
				return link("/en/")
			}
			page := path
			for site[page] == "" && len(page) > 3 {
				page = page[3:]
			}
			if site[page] == "" {
				return ""
			}
			body := ""
			for _, l := range languages {
				body += link(l + path)
			}
			return body + site[page] + links[page]
		})
		seen, first := map[string]bool{}, 0
		for i, path := range got {
			if site[path] != "" {
				seen[path] = true
				if i < len(site) {
					first++
				}
			}
		}
		if len(seen) != len(site) || first < len(site)*7/10 {
			t.Errorf("seed %d: %d of %d pages, %d of them among as many requests", seed, len(seen), len(site), first)
		}
	}
}

// A page below the one on which it was found is of a tree, but what is at the same place below
// other pages, such as a history, is an aspect of these, and waits.
func TestPartsAreNoAspects(t *testing.T) {
	g := trap.New(trap.Config{})
	rank := func(u, via string) uint8 { return g.Judge(mustParse(t, u), via).Rank }
	for i := range 3 {
		project := "http://a.test/team" + called(i) + "/tool"
		teach(t, g, project, "http://a.test/", prose(i, 60))
		if r := rank(project+"/tree/main/"+called(i), project); r != 0 {
			t.Errorf("directory %d has rank %d", i, r)
		}
		history := project + "/lately"
		if r := rank(history, project); (r > 2) != (i > 0) {
			t.Errorf("history %d has rank %d", i, r)
		}
		teach(t, g, history, project, prose(100+i, 60))
	}
}

// A frequent word of a template may be one of those that are sampled. The template is fetched on
// each page, and what they say below it is not.
func TestTemplatesLeaveRoomInTheSample(t *testing.T) {
	const n = 600
	for article := 140; article < 150; article++ { // of the words 145 is sampled
		template := ""
		for i := range 1900 {
			if i%12 == 0 {
				template += " article" + called(article)
			}
			template += fmt.Sprintf(" t%dt%d", article, i)
		}
		g := trap.New(trap.Config{Budget: 100})
		var sampled int
		for i := range n {
			u, from := mustParse(t, page(i)), mustParse(t, page(i-1+one(i == 0)))
			var s trap.Sampler
			g.Watch(u, from)
			g.Link(mustParse(t, page(i+1)), false)
			p := s.Page(u, 200, words(template+" "+prose(i, 15)), nil, nil, 0, 1)
			sampled = max(sampled, len(p.Sample))
			g.Learn(p)
			if sampled < trap.MaxSample/2 { // this article is not among them
				break
			}
		}
		for _, c := range g.Closed() {
			t.Errorf("article %d, %d grams: %s after %d pages: %s", article, sampled, c.Kind, c.Pages, c.Why)
		}
	}
}

// A table by days, as a chain, has a few numbers below a template of 1,900 words. However few these
// are, on some pages one of them is sampled.
func TestNumbersBelowLongTemplates(t *testing.T) {
	const n = 900
	template := ""
	for i := range 1900 {
		template += fmt.Sprintf("t%d ", i)
	}
	for place := range 6 {
		r := rand.New(rand.NewPCG(uint64(place), 3))
		g := trap.New(trap.Config{})
		for i := range n {
			text := fmt.Sprintf("%splace%d min %d max %d rain %d sun %d wind %d", template, place, r.IntN(20), 20+r.IntN(20), r.IntN(30), r.IntN(15), r.IntN(9))
			var numerals []int32
			for at, word := range strings.Fields(text) {
				if word[0] >= '0' && word[0] <= '9' {
					numerals = append(numerals, int32(at))
				}
			}
			u, from := mustParse(t, page(i)), mustParse(t, page(i-1+one(i == 0)))
			var s trap.Sampler
			g.Watch(u, from)
			g.Link(mustParse(t, page(i+1)), false)
			g.Learn(s.Page(u, 200, words(text), numerals, nil, 0, 1))
		}
		for _, c := range g.Closed() {
			t.Errorf("place %d: %s after %d pages: %s", place, c.Kind, c.Pages, c.Why)
		}
	}
}
