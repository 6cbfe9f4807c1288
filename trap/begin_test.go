package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
	"crawler/weburl"
)

// Recipes of which two parameters name each list, beside selections of all lists by more: the
// lists lead to new pages from the first on, the selections to known ones. So the lists are neither
// refused with the others, nor do they wait for them.
func TestSelectionsThatLeadToNewPages(t *testing.T) {
	site := map[string]string{}
	lists := map[string][]string{}
	n := 0
	list := func(url string, links []string) {
		site[url], lists[url] = url, links
	}
	var cuisines []string
	for i := range 12 {
		cuisine := fmt.Sprintf("/recipes?cuisine=%c", 'a'+i)
		cuisines = append(cuisines, cuisine)
		var courses []string
		for k := range 5 {
			course := fmt.Sprintf("%s&course=%c", cuisine, 'a'+k)
			courses = append(courses, course)
			var recipes []string
			for range 3 {
				recipe := fmt.Sprintf("/recipe/%d", 200+7*n)
				site[recipe] = prose(n, 50)
				recipes = append(recipes, recipe)
				n++
			}
			list(course, recipes)
		}
		list(cuisine, courses)
	}
	list("/", cuisines)
	facets := []string{"diet[]=vegan", "diet[]=none", "time[]=10", "time[]=30", "level[]=1", "level[]=2", "box[]=a", "box[]=b"}
	get := func(path string) string {
		if site[path] == "" && !strings.Contains(path, "[]=") {
			return ""
		}
		if strings.HasPrefix(path, "/recipe/") {
			return site[path]
		}
		all, selected, body := path, "", "<p>Recipes of all the world.</p>"
		if at := strings.IndexAny(path, "["); at > 0 {
			at = strings.LastIndexByte(path[:at], '&')
			all, selected = path[:at], path[at:]
		}
		for i, to := range lists[all] {
			if selected == "" || (i+len(selected))%5 == 0 {
				body += link(to)
			}
		}
		if path != "/" && strings.Count(selected, "&") < 5 {
			for _, f := range facets {
				if !strings.Contains(selected, f) {
					body += link(path + "&" + f)
				}
			}
		}
		return body
	}
	honest := 0
	for _, path := range pages(trap.New(trap.Config{}), 2*len(site), get) {
		if site[path] != "" {
			honest++
		}
	}
	if honest != len(site) {
		t.Errorf("%d of %d pages", honest, len(site))
	}
}

// The first pages of a site are worth as much as later ones, though it is not known yet that most
// of their text stands on all of them.
func TestFirstPagesBelowALargeTemplate(t *testing.T) {
	g := trap.New(trap.Config{})
	template := prose(1e6, 300)
	teach(t, g, "http://a.test/", "", template)
	teach(t, g, "http://a.test/source/lib/", "http://a.test/", template+prose(1, 10))
	for i, name := range []string{"one", "two", "three"} {
		url := fmt.Sprintf("http://a.test/source/lib/%s.c", name)
		if v := judge(t, g, url); v.Rank > 0 {
			t.Errorf("page %d: rank %d", i, v.Rank)
		}
		teach(t, g, url, "http://a.test/source/lib/", template+prose(10+i, 90))
	}
}

// A wide pattern that is closed for others does not refuse what has begun well.
func TestWhatBeginsWellIsNotRefusedWithOthers(t *testing.T) {
	g := trap.New(trap.Config{})
	list := "http://a.test/recipes?cuisine=a&course=a"
	teach(t, g, list, "http://a.test/", prose(1, 5), "http://a.test/recipe/1", "http://a.test/recipe/2")
	for i := range 2 {
		teach(t, g, fmt.Sprintf("http://a.test/recipe/%d", 1+i), list, prose(10+i, 60))
	}
	for i := range 2 * trap.DefaultBudget {
		teach(t, g, fmt.Sprintf("http://a.test/recipes?cuisine=a&f%d=1&h%d=1", i/9, i%9), list, "nothing found")
	}
	if v := judge(t, g, "http://a.test/recipes?size=9&colour=8"); v.Kind == "" {
		t.Fatal("selections are not refused")
	}
	if v := judge(t, g, "http://a.test/recipes?cuisine=b&course=a"); v.Kind != "" {
		t.Errorf("a list like one that led to pages is refused: %+v", v)
	}
}

// A family tree of which most pages say a line that is new, and charts that anybody can be drawn in
// with anybody. That some pages in a row say less is no reason to refuse the tree with the charts.
func TestWhatHasEarnedIsNotRefusedWithOthers(t *testing.T) {
	for _, tt := range []struct {
		pages, silent int
		refused       bool
	}{
		{32, 20, false},
		{32, 50, true},
		{128, 60, false},
		{128, 200, true},
		{800, 80, false},
		{800, 250, true},
	} {
		g := trap.New(trap.Config{})
		person := func(i int) string { return fmt.Sprintf("http://a.test/person.php?tree=1&id=%d", i) }
		for i := range tt.pages {
			teach(t, g, person(i), person(i-1+one(i == 0)), prose(i, 10), person(2000+i))
		}
		for i := range tt.silent {
			teach(t, g, person(1000+i), person(i), "nothing is known but "+prose(20_000+i, 1), person(4000+i))
		}
		chart := func(i int) string { return fmt.Sprintf("http://a.test/chart.php?a=%d&b=%d", i%23, i/23) }
		for i := range 2 * trap.DefaultBudget {
			teach(t, g, chart(i), chart(i+1), "a chart of these two "+prose(10_000+i, 1), chart(5000+2*i), chart(5001+2*i))
		}
		if v := judge(t, g, "http://a.test/chart.php?a=1&b=9999"); v.Kind == "" {
			t.Fatalf("%d pages, %d silent: a chart: %+v", tt.pages, tt.silent, v)
		}
		if v := judge(t, g, person(9999)); (v.Kind != "") != tt.refused {
			t.Errorf("%d pages, %d silent: %+v", tt.pages, tt.silent, v)
		}
	}
}

// A pattern with few pages is not refused for what others have spent if most of its own said what
// no page of the site had said, and it owes nothing: here files of a repository beside every view
// of every commit, both by parameters. Redirects say nothing themselves.
func TestYoungPatternsThatTellAreNotRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tells func(i int) bool
		open  bool
	}{
		{"texts", func(i int) bool { return i > 1 }, true},
		{"no texts", func(int) bool { return false }, false},
		{"texts at first", func(i int) bool { return i < 2 }, false},
	} {
		g := newGuard()
		file := func(i int) string {
			return fmt.Sprintf("http://a.test/git?p=%s&a=blob&f=%s", called(i%3), called(i))
		}
		for i := range 7 {
			text := "a file"
			if tt.tells(i) {
				text = prose(i, 120)
			}
			teach(t, g, file(i), file(i/2), text, file(30+3*i), file(31+3*i), file(32+3*i))
		}
		views := [...]string{"log", "tree", "diff", "tags", "heads", "refs", "remotes", "files"}
		for i := range 40 * len(views) {
			view := views[i%len(views)]
			url := func(i int) string {
				return fmt.Sprintf("http://a.test/git?p=owl&a=%s&%s=%s", view, view, called(100+i))
			}
			teach(t, g, url(i), url(i+1), strings.Repeat("nothing new ", i+1), url(1000+2*i), url(1001+2*i))
		}
		if v := judge(t, g, "http://a.test/git?p=owl&a=blame&blame=x"); v.Kind == "" {
			t.Fatalf("%s: the wide pattern is not closed: %+v", tt.name, v)
		}
		to := func(i int) weburl.URL { return mustParse(t, "http://a.test/go?x=owl&to="+called(i)) }
		g.Moved(to(0), mustParse(t, "http://a.test/"), false)
		g.Moved(to(1), mustParse(t, "http://a.test/fresh/1"), true)
		teach(t, g, "http://a.test/fresh/1", to(1).String(), prose(99, 120))
		if v := g.Judge(to(2), ""); v.Kind == "" {
			t.Errorf("%s: of redirects that have no page one is fetched: %+v", tt.name, v)
		}
		if v := judge(t, g, file(20)); (v.Kind == "") != tt.open || v.Rank > 0 {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
}
