package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// A menu of relative links without the slash in front, on a server that minds the end of a path
// only, has its pages below every other, and below themselves. It is the ends that are known, so
// the honest pages are fetched though the wide pattern of both is closed.
func TestPagesBelowAnyOther(t *testing.T) {
	menu := []string{"products", "about", "contact", "news", "jobs"}
	links := ""
	for _, m := range menu {
		links += link(m + "/index.php")
	}
	site := map[string]string{}
	dirs := []string{"/"}
	name := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 3+i/26) }
	for i := range 80 { // directories below each other
		at := dirs[i*7%len(dirs)]
		dirs = append(dirs, at+name(i)+"/")
		site[at] += link(name(i) + "/")
		for k := range 4 {
			page := fmt.Sprintf("%s-%s.htm", name(i), name(k))
			site[dirs[i+1]] += link(page)
			site[dirs[i+1]+page] = prose(4*i+k, 40)
		}
	}
	get := func(path string) string {
		for n, m := range menu {
			if strings.HasSuffix(path, "/"+m+"/index.php") {
				return prose(1e6+n, 60) + links
			}
		}
		if site[path] == "" {
			return ""
		}
		return site[path] + links
	}
	honest, others := 0, 0
	for _, path := range pages(trap.New(trap.Config{}), 5000, get) {
		if site[path] == "" {
			others++
		} else {
			honest++
		}
	}
	if honest != len(site) {
		t.Errorf("%d of %d pages, and %d below others", honest, len(site), others)
	}
	if others > 2*trap.DefaultBudget {
		t.Errorf("%d pages below others", others)
	}
}

// Versions of a manual have the same ends and other texts: they do not wait.
func TestVersionsHaveTheSameEnds(t *testing.T) {
	g := trap.New(trap.Config{})
	for version := range 4 {
		for i := range 40 {
			url := fmt.Sprintf("http://a.test/v%d/guide/%s.html", version, strings.Repeat(string(rune('a'+i%26)), 2+i/26))
			if v := judge(t, g, url); v.Rank > 1 || v.Kind != "" {
				t.Fatalf("%s: %+v", url, v)
			}
			teach(t, g, url, "http://a.test/", prose(100*version+i, 60))
		}
	}
}
