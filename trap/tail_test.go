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

// A server that takes two slashes for one has its pages under ever longer addresses, as each links
// to itself with one more. Each page is fetched once before the copies are, and those are few.
func TestDoubledSlashes(t *testing.T) {
	const n = 500
	get := func(path string) string {
		page, i := strings.Trim(strings.ReplaceAll(path, "//", "/"), "/"), -1
		for strings.Contains(page, "//") {
			page = strings.ReplaceAll(page, "//", "/")
		}
		if _, err := fmt.Sscanf(page, "code/%d", &i); page != "" && err != nil {
			return ""
		}
		body := prose(i, 30) + link("/")
		if page != "" {
			body += link(strings.Replace(path, "code/", "code//", 1)) + link(path+"/")
		}
		for k := 8*i + 8; k < min(8*i+16, n); k++ {
			body += link(fmt.Sprintf("/code/%d", k))
		}
		return body
	}
	seen := map[string]bool{}
	first := 0
	got := pages(trap.New(trap.Config{}), 3*n, get)
	for i, path := range got {
		if page := strings.ReplaceAll(path, "/", ""); page != "" && !seen[page] {
			seen[page] = true
			if i < n {
				first++
			}
		}
	}
	if len(seen) != n || first < n*8/10 {
		t.Errorf("%d of %d pages, %d among as many first requests", len(seen), n, first)
	}
	if copies := len(got) - 1 - n; copies > trap.DefaultBudget {
		t.Errorf("%d copies", copies)
	}
}

// A site shows each page in six languages, untranslated. The menu leaves out the one that is shown,
// so no page is a copy word by word, but none says anything new: that the ends of their paths are
// known is learned from that, and pages that were shown in no language come first.
func TestUntranslatedLanguages(t *testing.T) {
	name := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 3+i/26) }
	site := map[string]string{"/": prose(0, 30)}
	dirs := []string{"/"}
	lists := map[string][]string{}
	for i := 1; len(site) < 300; i++ {
		at := dirs[i/4]
		path := at + name(i) + "/"
		dirs = append(dirs, path)
		lists[at] = append(lists[at], path)
		site[path] = prose(i, 40)
	}
	languages := []string{"", "/de", "/es", "/fr", "/it", "/pl"}
	of := func(path string) (language, page string) {
		for _, l := range languages[1:] {
			if strings.HasPrefix(path, l+"/") {
				return l, path[len(l):]
			}
		}
		return "", path
	}
	get := func(path string) string {
		language, page := of(path)
		if site[page] == "" {
			return ""
		}
		body := site[page] + "<p>"
		for _, l := range languages {
			if l == language {
				continue
			}
			body += fmt.Sprintf(" <a href='%s'>in%s</a>", l+page, strings.TrimPrefix(l, "/"))
		}
		for _, to := range lists[page] {
			body += link(language + to)
		}
		return body
	}
	seen := map[string]bool{}
	for _, path := range pages(trap.New(trap.Config{}), len(site)*6/5, get) {
		_, page := of(path)
		seen[page] = true
	}
	if len(seen) < len(site)*3/4 {
		t.Errorf("%d of %d pages within a few more requests", len(seen), len(site))
	}
}
