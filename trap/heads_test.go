package trap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/trap"
)

// renamed crawls a site whose links have other names for its pages, each by where they stand, until
// it ends, and returns how many pages were fetched, how many of them among as many requests, and
// how many copies.
func renamed(site, links map[string]string, rename func(from, to string) string, page func(path string) string) (seen, first, copies int) {
	known := map[string]bool{}
	for i, path := range pages(trap.New(trap.Config{}), 20*len(site), func(path string) string {
		at := page(path)
		if site[at] == "" {
			return ""
		}
		body := site[at]
		for _, to := range strings.Fields(links[at]) {
			body += link(rename(path, to))
		}
		return body
	}) {
		switch at := page(path); {
		case known[at]:
			copies++
		case i < len(site):
			first++
			fallthrough
		default:
			known[at] = true
		}
	}
	return len(known), first, copies
}

// shop is a site of categories with lists of products, which link to each other.
func shop(r *rand.Rand, category, product string) (site, links map[string]string) {
	site, links = map[string]string{"/": "welcome"}, map[string]string{}
	nav := ""
	for c := range 12 {
		at := fmt.Sprintf(category, called(c))
		nav += at + " "
		site[at] = prose(c, 40)
		for i := range 30 {
			to := fmt.Sprintf(product, called(c), called(100*c+i))
			site[to] = prose(1000+100*c+i, 60)
			links[at] += to + " "
			for range 3 {
				d, k := r.IntN(12), r.IntN(30)
				links[to] += fmt.Sprintf(product, called(d), called(100*d+k)) + " "
			}
		}
	}
	for at := range site {
		links[at] = nav + links[at]
	}
	return site, links
}

// A shop adds to the path of half of its links from where they were followed. What is in front of
// that is known, so pages come before their copies, and these come to an end.
func TestReferencesInThePath(t *testing.T) {
	site, links := shop(rand.New(rand.NewPCG(1, 9)), "/c/%s", "/p/%[2]s-%[1]s")
	seen, first, copies := renamed(site, links, func(from, to string) string {
		switch h := strings.Count(from, "e") + 3*len(from) + 5*len(to); h % 2 {
		case 0:
			return to
		default:
			return fmt.Sprintf("%s/ref=nav_%s_%d", to, strings.ReplaceAll(from, "/", "_"), h)
		}
	}, func(path string) string {
		at, _, _ := strings.Cut(path, "/ref=")
		return at
	})
	if seen != len(site) || first < len(site)*7/10 || copies > 3*len(site) {
		t.Errorf("%d of %d pages, %d among as many requests, %d copies", seen, len(site), first, copies)
	}
}

// A server does not mind case, and links have any.
func TestCaseMakesNoDifference(t *testing.T) {
	site, links := shop(rand.New(rand.NewPCG(1, 9)), "/category/%s", "/products/%[2]s-%[1]s")
	r := rand.New(rand.NewPCG(2, 9))
	seen, first, copies := renamed(site, links, func(_, to string) string {
		name := []byte(to)
		for i := range name {
			if name[i] >= 'a' && r.IntN(6) == 0 {
				name[i] -= 'a' - 'A'
			}
		}
		return string(name)
	}, strings.ToLower)
	if seen != len(site) || first < len(site)*7/10 || copies > 3*len(site) {
		t.Errorf("%d of %d pages, %d among as many requests, %d copies", seen, len(site), first, copies)
	}
}

// Names of any length are compared in lower case, and nothing is allocated for that.
func TestLongNamesInAnyCase(t *testing.T) {
	g := trap.New(trap.Config{})
	name := func(i int) string { return strings.Repeat(called(i), 40) }
	for i := range 60 {
		for _, path := range []string{name(i), strings.ToUpper(name(i)), strings.ToUpper(name(i)[:9]) + name(i)[9:]} {
			teach(t, g, "http://a.test/p/"+path, "http://a.test/", prose(i, 60))
		}
	}
	teach(t, g, "http://a.test/p/"+name(70), "http://a.test/", prose(70, 60))
	known, other := mustParse(t, "http://a.test/p/"+strings.ToUpper(name(70))), mustParse(t, "http://a.test/p/"+strings.ToUpper(name(71)))
	if v, w := g.Judge(known, ""), g.Judge(other, ""); v.Rank < 2 || w.Rank > 1 {
		t.Errorf("known: %+v, not known: %+v", v, w)
	}
	if n := testing.AllocsPerRun(100, func() { g.Judge(known, ""); g.Judge(other, "") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Where case makes a difference, and the last segment does, nothing waits.
func TestPathsThatMatter(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 200 {
		for k, path := range []string{"Wiki/%s", "wiki/%s", "wiki/%s/talk", "Wiki/%s/Talk"} {
			url := "http://a.test/" + fmt.Sprintf(path, called(i))
			if v := judge(t, g, url); v.Rank > 1 || v.Kind != "" {
				t.Fatalf("%s: %+v", url, v)
			}
			teach(t, g, url, "http://a.test/", prose(10*i+k, 60))
		}
	}
}

// A section of nothing but the same sentence says nothing of what stands in front of its numbers:
// only different texts do, each below another name.
func TestEmptySectionsAreNoHeads(t *testing.T) {
	g := trap.New(trap.Config{})
	for section := range 40 {
		for i := range 8 {
			teach(t, g, fmt.Sprintf("http://a.test/%s/%d", called(section), i), "http://a.test/", "Nothing here yet.")
		}
	}
	for i := range 40 {
		url := fmt.Sprintf("http://a.test/topic/%s/%d", called(i/4), i)
		if v := judge(t, g, url); v.Kind != "" {
			t.Fatalf("%s: %+v", url, v)
		}
		teach(t, g, url, "http://a.test/", prose(i, 60))
	}
}

// A code host's lists of issues have the same place in each project, as its histories, but lead to
// texts: they do not wait as these do.
func TestListsAtOnePlaceAreNoAspects(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 6 {
		project := "http://a.test/" + called(i) + "/tool"
		teach(t, g, project, "http://a.test/", prose(i, 60))
		for _, list := range []string{"issues", "history"} {
			url := project + "/" + list
			if v := g.Judge(mustParse(t, url), project); i > 1 && (v.Rank > 2) != (list == "history") {
				t.Errorf("%s: rank %d", url, v.Rank)
			}
			teach(t, g, url, project, "")
			for k := range 3 {
				page := fmt.Sprintf("%s/%d", url, 10*i+k)
				text := prose(100*i+10*k, 60)
				if list == "history" {
					text = prose(i, 60)
				}
				teach(t, g, page, url, text)
			}
		}
	}
}

// A file below a directory of the same name has a name of its own, so it is no aspect of that.
func TestFilesOfDirectoriesAreNoAspects(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 20 {
		dir := "http://a.test/team/tool/tree/main/" + called(i)
		file := fmt.Sprintf("http://a.test/team/tool/blob/main/%s/%s.go", called(i), called(50+i))
		if v := g.Judge(mustParse(t, file), dir); v.Rank > 0 {
			t.Errorf("%s: rank %d", file, v.Rank)
		}
		teach(t, g, dir, "http://a.test/team/tool", prose(i, 40))
		teach(t, g, file, dir, prose(100+i, 60))
	}
}

// Once it is known that a last segment makes no difference, a page with one waits if it was fetched
// without it or with another, also if all end with a slash, and a page of a directory does not.
func TestHeadsAreKnown(t *testing.T) {
	g := trap.New(trap.Config{})
	waits := func(path string) bool { return judge(t, g, "http://a.test"+path).Rank > 1 }
	show := func(path string, n int) { teach(t, g, "http://a.test"+path, "http://a.test/", prose(n, 60)) }
	for i := range 60 {
		for k := range 3 {
			show(fmt.Sprintf("/p/%s/ref=%d%s/", called(i), k, called(k)), i)
		}
	}
	show("/p/bare/", 100)
	show("/p/referred/ref=xyz/", 101)
	for i := range 4 {
		show("/p/directory/"+called(70+i)+"/", 110+i)
	}
	for path, want := range map[string]bool{
		"/p/other/ref=abc/": false, "/p/bare/ref=abc/": true, "/p/referred/ref=abc/": true, "/p/referred/": true,
		"/p/directory/another/": false,
	} {
		if waits(path) != want {
			t.Errorf("%s waits: %t", path, !want)
		}
	}
}
