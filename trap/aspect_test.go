package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// An aspect names the page on which it was found once more, and nothing new. It waits four ranks.
// One that has no query waits only after another page had an aspect at the same place.
func TestAspectsWait(t *testing.T) {
	for _, tt := range []struct {
		via, url string
		aspect   bool
	}{
		{"/wiki/Page_7", "/w/index.php?title=Page_7&action=past", true},
		{"/wiki/Page_7", "/wiki/Special:Backlinks/Page_7", true},
		{"/w/index.php?title=Page_7&action=past", "/w/index.php?title=Page_7&action=info&x=y", true},
		{"/src/branch/main/file.go", "/lines/branch/main/file.go", true},
		{"/show.php?t=7", "/paper.php?t=7", true},
		{"/show.php?t=7", "/show.php?t=7&mode=linear", true},
		{"/show.php?t=7", "/show.php?mode=linear&t=7", true},
		{"/show.php?t=7", "/enter.php?from=%2Fshow.php%3Ft%3D7", true},
		{"/photo/7", "/photo/7/exif", false}, // the first at its place, see TestPartsAreNoAspects
		{"/article/17.html", "/paper/17", true},
		{"/list", "/list?by=name", true},

		{"/", "/list", false},
		{"/", "/?by=name", false},
		{"/photo/7", "/photo/8", false},
		{"/photo/7", "/photo/7/in/album-3", false}, // may be another thing below
		{"/show.php?t=7", "/show.php?t=8", false},
		{"/show.php?t=7&mode=linear", "/show.php?t=7", false}, // the page itself
		{"/show.php?t=7", "/show.php?t=71", false},
		{"/list?page=2", "/list?page=3", false},
		{"/list/2", "/list/2?page=2", false}, // the same number by chance
		{"/list/2", "/list/2?page=2&by=name", false},
		{"/show.php?t=12", "/show.php?t=12&page=12", false},
		{"/show.php?t=1234", "/show.php?t=1234&post=1234", true},
		{"/list?by=name", "/list?by=size", false},
		{"/forum.php?f=7", "/topic.php?f=7&t=12", false},
		{"/docs/a/index.html", "/docs/b/index.html", false},
		{"/docs/", "/docs/a", false},
		{"/a.php?x=&y=7", "/b.php?x=&z=8", false},
		{"", "/list", false},
	} {
		g, via := trap.New(trap.Config{}), ""
		other := strings.NewReplacer("Page_7", "Page_9", "file", "name", "17", "19")
		if url := other.Replace(tt.url); tt.aspect && !strings.Contains(url, "?") {
			teach(t, g, "http://a.test"+url, "http://a.test"+other.Replace(tt.via), prose(1, 60))
		}
		if tt.via != "" {
			via = "http://a.test" + tt.via
		}
		want := uint8(0)
		if tt.aspect {
			want = 4
		}
		if v := g.Judge(mustParse(t, "http://a.test"+tt.url), via); v.Rank != want || v.Wait {
			t.Errorf("%s on %s: %+v, want rank %d", tt.url, tt.via, v, want)
		}
		if v := g.Judge(mustParse(t, "http://b.test"+tt.url), via); v.Rank != 0 {
			t.Errorf("%s at another host: %+v", tt.url, v)
		}
	}
}

// A number that all URLs of a pattern have names nothing new: its URLs are aspects as if they had
// none.
func TestNumbersThatAllHaveNameNothing(t *testing.T) {
	g := trap.New(trap.Config{})
	article := func(i int) string { return fmt.Sprintf("http://a.test/wiki/Page_%d", i) }
	list := func(i, limit int) string {
		return fmt.Sprintf("http://a.test/w/index.php?title=Special:Links/Page_%d&limit=%d", i, limit)
	}
	aspect := func(i, limit int) bool { return g.Judge(mustParse(t, list(i, limit)), article(i)).Rank >= 4 }
	for i := range 20 {
		teach(t, g, article(i), article(0), prose(i, 60))
		if aspect(i, 50) && i < 8 {
			t.Fatalf("after %d lists it is known that all have 50 entries", i)
		}
		teach(t, g, list(i, 50), article(i), prose(100+i, 60))
	}
	if !aspect(20, 50) {
		t.Error("a list of what links to a page is no aspect of the page")
	}
	if aspect(20, 100) {
		t.Error("a list of another length is an aspect")
	}
	teach(t, g, list(20, 100), article(20), prose(200, 60))
	if aspect(21, 50) {
		t.Error("the number still names nothing though there are two")
	}
}

// What an aspect waits for has an end: patterns that bring nothing fall behind it.
func TestAspectsComeBeforeWhatBringsNothing(t *testing.T) {
	g := trap.New(trap.Config{})
	n := 0
	for ; judge(t, g, page(n)).Rank <= 4 && n < 100; n++ {
		teach(t, g, page(n), page(n-1), "the same", page(n+1))
	}
	if n > 24 { // the first 16 copies may be versions
		t.Errorf("an aspect waits for %d pages that bring nothing", n)
	}
}

// A pattern that begins well answers for itself in the order, and one that was not tried yet has
// the chance with which others began, whatever they owe.
func TestNewPatternsAreJudgedByHowOthersBegan(t *testing.T) {
	url := func(program string, i int) string { return fmt.Sprintf("http://a.test/%s/%d", program, i) }
	g := trap.New(trap.Config{})
	for i := range 100 {
		teach(t, g, url("report", i), page(i), "the same")
	}
	if v := judge(t, g, url("member", 0)); v.Rank > 2 {
		t.Errorf("after one program that brings nothing another waits: %+v", v)
	}
	teach(t, g, url("member", 0), page(0), prose(0, 60))
	if v := judge(t, g, url("member", 1)); v.Rank > 0 {
		t.Errorf("what began well waits: %+v", v)
	}
	for _, program := range []string{"edit", "quote", "print", "share", "mail", "rate", "flag", "thank", "hide"} {
		teach(t, g, url(program, 0), page(0), "the same")
	}
	if v := judge(t, g, url("more", 0)); v.Rank < 2 {
		t.Errorf("after ten programs that bring nothing: %+v", v)
	}
}

// Programs that take several parameters are no evidence against those that take one.
func TestSelectionsDoNotCloseProgramsWithOneParameter(t *testing.T) {
	g := newGuard()
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for i := range 2000 {
		url := fmt.Sprintf("http://a.test/list?%s=1&%s=%d", names[i%8], names[(i/8)%7]+"x", i)
		teach(t, g, url, url+"0", fmt.Sprint("number", i), url+"1", url+"2")
	}
	if v := judge(t, g, "http://a.test/list?y=1&z=5"); v.Kind == "" {
		t.Fatalf("selections are not closed: %+v", v)
	}
	if v := judge(t, g, "http://a.test/member?u=7"); v.Kind != "" {
		t.Errorf("a program with one parameter is: %+v", v)
	}
}

// A pattern that renames known pages lets new forms through though the wide one has closed.
func TestNewFormsPassAClosedWidePattern(t *testing.T) {
	g := trap.New(trap.Config{})
	item := func(p, key int) string { return fmt.Sprintf("http://a.test/item?p=%d&from=w%d", p, key) }
	for i := range 60 {
		teach(t, g, item(i%4, i), "http://a.test/", prose(i%4, 60))
	}
	for i := range 2000 {
		url := fmt.Sprintf("http://a.test/list?a=1&%c=%d", 'b'+i%20, i)
		teach(t, g, url, url+"0", fmt.Sprint("number", i), url+"1", url+"2")
	}
	if v := judge(t, g, item(1, 100)); v.Kind == "" {
		t.Errorf("a known form: %+v", v)
	}
	if v := judge(t, g, item(7, 100)); v.Kind != "" {
		t.Errorf("a new form: %+v", v)
	}
}

// Where pages are worth nothing, as a user's that has links alone, their aspects may be all that
// there is to read, and wait no longer for being aspects.
func TestAspectsOfMereListsDoNotWait(t *testing.T) {
	for _, tt := range []struct {
		text  func(n int) string
		waits bool
	}{
		{func(n int) string { return prose(n, 40) }, true},
		{func(int) string { return "posts followers likes" }, false},
	} {
		g := trap.New(trap.Config{})
		for n := range 8 {
			teach(t, g, page(n), "http://a.test/", tt.text(n))
		}
		teach(t, g, page(4)+"/posts", page(4), prose(100, 40))
		aspect := mustParse(t, page(5)+"/posts")
		as, other := g.Judge(aspect, page(5)), g.Judge(aspect, "")
		if waits := as.Rank > other.Rank; waits != tt.waits {
			t.Errorf("beside pages such as %q an aspect has rank %d, another URL %d", tt.text(0), as.Rank, other.Rank)
		}
	}
}
