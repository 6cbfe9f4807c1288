package trap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crawler/trap"
)

// mirror is a site of directories, whose listings name their entries, each with a text. Every third
// has an entry that is the directory itself, or the root, so that any path has any number of names.
type mirror struct {
	children map[string][]string // by path, relative
	texts    map[string]string
}

func newMirror(directories int) *mirror {
	t := &mirror{children: map[string][]string{}, texts: map[string]string{}}
	paths := []string{"/"}
	for i := 0; len(paths) < directories; i++ {
		for k := range 1 + i%4 {
			name := called(10*i + k)
			t.children[paths[i]] = append(t.children[paths[i]], name+"/")
			paths = append(paths, paths[i]+name+"/")
		}
	}
	for i, path := range paths {
		t.texts[path+"README.html"] = prose(i, 60)
		if t.children[path] = append(t.children[path], "README.html"); i%3 == 0 {
			t.children[path] = append(t.children[path], "latest/")
		}
	}
	t.children["/"] = append(t.children["/"], "pub/")
	return t
}

// at is what a path leads to.
func (t *mirror) at(path string) string {
	for strings.HasPrefix(path, "/pub/") {
		path = path[len("/pub"):]
	}
	return strings.ReplaceAll(strings.ReplaceAll(path, "latest/", ""), "/pub/", "/")
}

// crawl returns how many texts are among as many first pages as there are listings and texts, and
// how many there are at all.
func (t *mirror) crawl(g *trap.Guard) (first, all int) {
	n := len(t.children) + len(t.texts)
	seen := map[string]bool{}
	for i, path := range pages(g, 10*n, func(path string) string {
		at := t.at(path)
		if t.children[at] == nil || len(path) > 250 {
			return t.texts[at]
		}
		body := ""
		for _, name := range t.children[at] {
			body += link(name)
		}
		return body
	}) {
		if at := t.at(path); t.texts[at] != "" && !seen[at] {
			if seen[at] = true; i < n {
				first++
			}
		}
	}
	return first, len(seen)
}

// Directories that contain themselves come after all others, once some pages have been the same
// without a segment, and nothing is left out.
func TestDirectoriesThatContainThemselves(t *testing.T) {
	site := newMirror(300)
	first, all := site.crawl(trap.New(trap.Config{}))
	without, _ := site.crawl(trap.New(trap.Config{}).Without(slices.Index(trap.Rules, "surplus")))
	t.Logf("%d of %d texts among as many first pages, %d without the rule, %d at all", first, len(site.texts), without, all)
	if all != len(site.texts) || first < all*85/100 || without > first*8/10 {
		t.Errorf("%d of %d texts among as many first pages, %d without the rule, %d at all", first, len(site.texts), without, all)
	}
}

// A segment that some pages are the same without makes a URL wait where the page without it is
// known only, and no longer once such pages are others.
func TestSegmentsThatAreSurplus(t *testing.T) {
	type lesson struct {
		path string
		text int
	}
	var x, two, dozen, most, others, years, languages []lesson
	for i := range 40 {
		x = append(x, lesson{"/x/" + called(i), i})
	}
	for i := range 2 {
		two = append(two, lesson{"/x/latest/" + called(i), i})
	}
	for i := range 12 {
		dozen = append(dozen, lesson{"/x/latest/" + called(2+i), 2 + i})
	}
	for i := range 30 {
		most = append(most, lesson{"/x/latest/" + called(i), i})
	}
	for i := range 20 {
		others = append(others, lesson{"/x/latest/" + called(15+i), 1000 + i})
	}
	for i := range 12 { // all say that there is nothing, and the pages without 2024 do not
		years = append(years, lesson{fmt.Sprintf("/%s/list", called(i)), i}, lesson{fmt.Sprintf("/%s/2024/list", called(i)), 99})
	}
	for _, to := range []string{"de", "fr", "nl"} {
		for i := range 12 {
			languages = append(languages, lesson{"/" + to + "/" + called(i), int(to[0])*100 + i})
		}
		for _, from := range []string{"de", "fr", "nl"} {
			languages = append(languages, lesson{"/" + from + "/" + to + "/" + called(1), int(to[0])*100 + 1})
		}
	}
	known, latest := slices.Concat(x, two), slices.Concat(x, two, dozen)
	for _, tt := range []struct {
		name    string
		lessons []lesson
		path    string
		waits   bool
		quoted  int // quotations on each answer, new ones each time
	}{
		{"after two copies", known, "/x/latest/" + called(20), false, 0},
		{"after 14", latest, "/x/latest/" + called(20), true, 0},
		{"twice", latest, "/x/latest/latest/" + called(20), true, 0},
		{"elsewhere, too", latest, "/latest/x/latest/" + called(20), true, 0},
		{"a directory", latest, "/x/" + called(20) + "/latest/", true, 0},
		{"the only one", latest, "/x/latest/" + called(50), false, 0},
		{"another name", latest, "/x/newest/" + called(20), false, 0},
		{"without it", latest, "/x/" + called(50), false, 0},
		{"all but the last", languages, "/nl/fr/de/" + called(9), true, 0},
		{"a copy of something else", years, "/" + called(50) + "/2024/list", false, 0},
		{"the same, once more", append(years, lesson{"/" + called(50) + "/list", 50}), "/" + called(50) + "/2024/list", false, 0},
		{"with a query", latest, "/x/latest/" + called(20) + "?page=2", false, 0},
		{"after other pages", slices.Concat(latest, others), "/x/latest/" + called(38), false, 0},
		{"with quotations", slices.Concat(x, most), "/x/latest/" + called(38), true, 3},
	} {
		rank := func(off ...int) uint8 {
			g := newGuard().Without(off...)
			var q quoted
			for _, l := range tt.lessons {
				text := prose(l.text, 60+40*tt.quoted)
				for range tt.quoted {
					text = q.text(text)
				}
				teach(t, g, "http://a.test"+l.path, "http://a.test/", text)
			}
			return judge(t, g, "http://a.test"+tt.path).Rank
		}
		if with, without := rank(), rank(slices.Index(trap.Rules, "surplus")); with >= without+3 != tt.waits {
			t.Errorf("%s: rank %d, %d without the rule", tt.name, with, without)
		}
	}
}
