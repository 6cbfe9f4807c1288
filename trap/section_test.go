package trap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crawler/trap"
)

// languages is a site with four directories of texts below /de, and below four other languages
// twenty each of copies without an end, which have closed the wide pattern.
func languages(t *testing.T, off ...int) *trap.Guard {
	g := newGuard().Without(off...)
	at := func(language string, section, i int) string {
		return fmt.Sprintf("http://a.test/%s/%s/%s", language, called(section), called(100*section+i))
	}
	for section := range 4 {
		for i := range 4 {
			teach(t, g, at("de", section, i), "http://a.test/", prose(10*section+i, 200))
		}
	}
	for i := range 40 * budget {
		language := []string{"it", "pl", "hu", "cs"}[i%4]
		url := at(language, i/4%20, i/80)
		if judge(t, g, url).Kind == "" {
			teach(t, g, url, at(language, (i/4+19)%20, i/80), prose(i%4, 60), at(language, i/4%20, i), at(language, (i/4+1)%20, i))
		}
	}
	return g
}

// A new directory beside others that are worth something is fetched, though the wide pattern is
// closed: what is in the directories of the languages that nobody has translated into says nothing
// of it.
func TestNewDirectoriesBeginLikeThoseBesideThem(t *testing.T) {
	g := languages(t)
	if v := judge(t, g, "http://a.test/pl/fresh/fruit"); v.Kind == "" {
		t.Errorf("beside directories of copies: %+v", v)
	}
	if v := judge(t, g, "http://a.test/de/fresh/fruit"); v.Kind != "" || v.Rank > 0 {
		t.Errorf("beside directories of texts: %+v", v)
	}
	without := languages(t, slices.Index(trap.Rules, "sections"))
	if v := judge(t, without, "http://a.test/de/fresh/fruit"); v.Kind == "" {
		t.Errorf("without sections: %+v", v)
	}
	teach(t, g, "http://a.test/de/fresh/list", "http://a.test/", "nothing but links")
	if v := judge(t, g, "http://a.test/de/fresh/fruit"); v.Kind != "" || v.Rank > 2 {
		t.Errorf("behind its list: %+v", v)
	}
	// What the section says is not believed for long.
	for i := range 8 {
		teach(t, g, "http://a.test/de/fresh/"+called(i), "http://a.test/", prose(1, 60))
	}
	if v := judge(t, g, "http://a.test/de/fresh/fruit"); v.Kind == "" && v.Rank < 4 {
		t.Errorf("after eight copies: %+v", v)
	}
}

// A few pages say nothing yet, and of each directory only the first ones do.
func TestHowManyPagesSayHowDirectoriesBegin(t *testing.T) {
	at := func(section, i int) string {
		return fmt.Sprintf("http://a.test/de/%s/%s", called(section), called(100*section+i))
	}
	for _, tt := range []struct {
		name       string
		well, copy [2]int // directories, pages in each
		lists      int    // directories
		known      bool
		chance     float32
	}{
		{"seven pages", [2]int{7, 1}, [2]int{}, 0, false, 8. / 9},
		{"eight", [2]int{8, 1}, [2]int{}, 0, true, 9. / 10},
		{"forty of two directories", [2]int{2, 20}, [2]int{}, 0, true, 9. / 10},
		{"half of them copies", [2]int{4, 1}, [2]int{4, 1}, 0, true, 5. / 10},
		{"lists say nothing", [2]int{8, 1}, [2]int{}, 5, true, 9. / 10},
	} {
		g := newGuard()
		teach(t, g, "http://a.test/", "", prose(999, 60))
		teach(t, g, "http://a.test/about", "http://a.test/", strings.Repeat("nothing new ", 9))
		for section := range tt.well[0] {
			for i := range tt.well[1] {
				teach(t, g, at(section, i), "http://a.test/", prose(100*section+i, 200))
			}
		}
		for section := range tt.lists {
			teach(t, g, at(70+section, 0), "http://a.test/", strings.Repeat("nothing new ", section+2))
		}
		for section := range tt.copy[0] {
			for i := range tt.copy[1] {
				teach(t, g, at(50+section, i), "http://a.test/", prose(999, 60))
			}
		}
		if chance, known := g.Begins(mustParse(t, "http://a.test/de/fresh/fruit")); known != tt.known || chance != tt.chance {
			t.Errorf("%s: chance %v, known %v", tt.name, chance, known)
		}
	}
}

// The directories of a section differ in the last name that they keep, and in nothing else.
func TestSectionsDifferInTheLastName(t *testing.T) {
	g := newGuard()
	section := func(uri string) uint64 { return g.SectionID(mustParse(t, "http://a.test"+uri)) }
	for _, alike := range [][]string{
		{"/hotel/de/adler.html", "/hotel/fr/aigle.html"},
		{"/hotel/17", "/inn/4"},
		{"/shop/list.php?page=3", "/shop/goods.php?page=4"},
	} {
		for _, uri := range alike {
			if section(uri) == 0 || section(uri) != section(alike[0]) {
				t.Errorf("%s is in another section than %s", uri, alike[0])
			}
			for _, other := range []string{"/inn/de/adler.html", "/hotel/de/adler", "/hotel/de/17", "/hotel/de/17/18", "/shop/list.php?page=3&sort=up", "/shop/list.asp?page=3"} {
				if section(uri) == section(other) {
					t.Errorf("%s is in the section of %s", uri, other)
				}
			}
		}
	}
	for _, uri := range []string{"/", "/adler.html", "/17", "/?page=3"} {
		if section(uri) != 0 {
			t.Errorf("%s is in a section", uri)
		}
	}
}
