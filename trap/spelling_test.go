package trap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crawler/trap"
)

// What is spelt like pages that bring nothing waits, and the other URLs of their pattern do not:
// further pages of a list beside those of three lists at once, records beside records under a
// session that nobody knows for one. A spelling that was not met yet is tried soon.
func TestURLsThatAreSpeltAlike(t *testing.T) {
	for _, tt := range []struct{ good, bad, other string }{
		{"/news?page=%d", "/news?page=%[1]d,0,%[1]d", "/news?page=%d.%[1]d"},
		{"/record=b%d", "/record=b%d~S2*ywvim", "/record=b%d/marc"},
		{"/index.php?topic=%d.0", "/index.php?topic=%d.msg4", "/index.php?topic=%d(new)"},
		{"/Ruhrtal", "/Ruhrtal(%d)", "/Ruhrtal:%d"},
	} {
		g := newGuard()
		at := func(format string, i int) string {
			if format == "/Ruhrtal" {
				return "http://a.test/Ruhrtal-" + called(i)
			}
			return fmt.Sprintf("http://a.test"+format, i)
		}
		teach(t, g, "http://a.test/", "", prose(1000, 60))
		for i := range 40 {
			teach(t, g, at(tt.good, i), "http://a.test/", prose(i, 60))
			teach(t, g, at(tt.bad, i), "http://a.test/", prose(7, 60))
		}
		good, bad := judge(t, g, at(tt.good, 77)), judge(t, g, at(tt.bad, 77))
		if good.Rank > 2 || bad.Rank < good.Rank+5 {
			t.Errorf("%s: %+v, %s: %+v", at(tt.good, 77), good, at(tt.bad, 77), bad)
		}
		if v := judge(t, g, at(tt.other, 77)); v.Rank > 2 {
			t.Errorf("%s: %+v", at(tt.other, 77), v)
		}
		without := newGuard().Without(slices.Index(trap.Rules, "spelling"))
		for i := range 40 {
			teach(t, without, at(tt.good, i), "http://a.test/", prose(i, 60))
			teach(t, without, at(tt.bad, i), "http://a.test/", prose(7, 60))
		}
		if good, bad := judge(t, without, at(tt.good, 77)), judge(t, without, at(tt.bad, 77)); good.Rank != bad.Rank {
			t.Errorf("without spelling: %+v, %+v", good, bad)
		}
	}
}

// Titles, dates, numbers and keys are spelt alike, however long they are, and so are paths that go
// on alike. What stands between words makes the difference, and how letters and digits change in a
// name.
func TestSpelt(t *testing.T) {
	spelt := func(uri string) uint64 { return trap.Spelt(mustParse(t, "http://a.test"+uri), 0) }
	for _, alike := range [][]string{
		{"/owl", "/tawny-owl", "/tawny_owl_2", "/Tawny%20Owl", "/%C3%89l%C3%A9phant", "/0f3a9c1d2e3f4a5b", "/a1b2c3", "/a/b/c/d"},
		{"/7", "/1234", "/2031-05-17", "/1/2/3"},
		{"/owl/7", "/owl/7/owl/7", "/tawny-owl/7/9", "/owl/7/9/owl/7/9/owl"},
		{"/owl.html", "/tawny-owl.html", "/a.b.c.html"},
		{"/x?a=1&b=owl", "/x?b=owl&a=17", "/x?a=1&a=2&b=owl"},
		{"/x?a=1&b=the-tawny-owl-of-1867", "/x?b=Tawny%20Owl&a=17"},
		{"/x?page=0,0,3", "/x?page=1,22,3"},
		{"/x?page=3", "/x?page=17"},
		{"/x?page=", "/x?page"},
		{"/US5100137B2", "/EP1A1"},
		{"/record=b1001~S2*ab"},
		{"/record=b1001"},
	} {
		for _, uri := range alike {
			if spelt(uri) != spelt(alike[0]) {
				t.Errorf("%s is not spelt as %s", uri, alike[0])
			}
			for _, other := range []string{"/owl!", "/7/owl", "/owl,7", "/x?a=1", "/x?page=a,1", "/x?a=1&b=tawny-owl", "/record=b1001~S2", "/US5100137A"} {
				if spelt(uri) == spelt(other) {
					t.Errorf("%s is spelt as %s", uri, other)
				}
			}
		}
	}
}

// The first pages that are spelt in a new way are read, whatever their pattern is like.
func TestNewSpellingsAreRead(t *testing.T) {
	g := newGuard()
	for i := range 100 {
		teach(t, g, fmt.Sprintf("http://a.test/record=b%d", i), "http://a.test/", prose(i, 60))
	}
	unread := func(format string) (n int) {
		for i := range 8 {
			if g.Lease(mustParse(t, fmt.Sprintf("http://a.test"+format, 200+i)), trap.Verdict{}).Unread {
				n++
			}
		}
		return n
	}
	if as, other := unread("/record=b%d"), unread("/record=b%d~S2*ab"); as == 0 || other > 0 {
		t.Errorf("%d of the known spelling are not read, %d of the new one", as, other)
	}
}

// URLs of which the latest redirected to what is known wait, however they are spelt, and whatever
// pages others of their pattern have brought.
func TestRedirectsOfAllSpellings(t *testing.T) {
	g := newGuard()
	at := func(i int) string { return fmt.Sprintf("http://a.test/go?id=%d", i) }
	for i := range 20 {
		teach(t, g, at(i), "http://a.test/", prose(i, 60))
		teach(t, g, at(i)+".7", "http://a.test/", prose(100+i, 60))
	}
	for i := range 60 {
		g.Moved(mustParse(t, at(100+i)), mustParse(t, page(1)), false)
	}
	for _, url := range []string{at(999), at(999) + ".7", at(999) + "~9"} {
		if v := judge(t, g, url); v.Rank < 4 {
			t.Errorf("%s: %+v", url, v)
		}
	}
}

// A copy of a known form costs what is spelt like it twice what a page does, as it does its
// pattern.
func TestCopiesCostTheirSpelling(t *testing.T) {
	g := newGuard()
	for i := range 12 {
		url := fmt.Sprintf("http://a.test/all/x%d", i)
		teach(t, g, url, "http://a.test/", prose(i, 60))
		teach(t, g, url+";jsessionid="+fmt.Sprintf("%016x", 0x1234567890abcdef*uint64(i+1)), url, prose(i, 60))
		teach(t, g, fmt.Sprintf("http://a.test/all/x%d!", i), url, called(i))
	}
	owes := func(uri string) float32 { return g.SpeltOwes(mustParse(t, "http://a.test"+uri)) }
	if copies, none := owes("/all/x99;jsessionid=0123456789abcdef"), owes("/all/x99!"); copies < 20 || none > 12 {
		t.Errorf("twelve copies owe %g, as many pages that say nothing %g", copies, none)
	}
}

// After a pattern was forgotten and has come back, its spellings have ranks of their own again.
func TestSpellingsOfAPatternThatComesBack(t *testing.T) {
	g := trap.New(trap.Config{Patterns: 16})
	learn := func(from int) (good, bad uint8) {
		for i := from; i < from+40; i++ {
			teach(t, g, fmt.Sprintf("http://a.test/news?page=%d", i), "http://a.test/", prose(i, 60))
			teach(t, g, fmt.Sprintf("http://a.test/news?page=%d,0,%d", i, i), "http://a.test/", prose(7, 60))
		}
		return judge(t, g, "http://a.test/news?page=7777").Rank, judge(t, g, "http://a.test/news?page=7777,0,77").Rank
	}
	if good, bad := learn(0); bad < good+5 {
		t.Errorf("ranks %d and %d", good, bad)
	}
	for i := range 40 {
		teach(t, g, "http://a.test/x?"+called(i)+"=1", "http://a.test/", prose(200+i, 20))
	}
	if good, bad := learn(1000); bad < good+5 {
		t.Errorf("then ranks %d and %d", good, bad)
	}
}

// Lists are worth what they lead to, also if their pattern has something else that brings nothing.
func TestListsThatAreSpeltAlikeAreCredited(t *testing.T) {
	g := newGuard()
	list := func(i int) string { return fmt.Sprintf("http://a.test/all?at=%d", i) }
	for i := range 30 {
		teach(t, g, list(i), "http://a.test/", prose(7, 60)+called(i))
		teach(t, g, fmt.Sprintf("http://a.test/all?at=%d~%d", i, i), "http://a.test/", prose(7, 60)+called(100+i))
		for k := range 4 {
			teach(t, g, page(4*i+k), list(i), prose(4*i+k, 60))
		}
	}
	good, bad := judge(t, g, list(99)), judge(t, g, "http://a.test/all?at=99~99")
	if good.Rank > 3 || bad.Rank < good.Rank+3 {
		t.Errorf("a list: %+v, what leads to nothing: %+v", good, bad)
	}
}

// How many spellings are known is limited, and those that were used last are.
func TestSpellingsAreLimited(t *testing.T) {
	g := trap.New(trap.Config{Patterns: 16})
	most := 4 * 16
	for i := range 20 * most {
		url := "http://a.test/x?q="
		for k, n := 0, i; k < 7; k, n = k+1, n/3 {
			url += string([...]string{"!*(", ")~@"}[k%2][n%3]) + "a"
		}
		teach(t, g, url, "http://a.test/", prose(i, 20))
		if n := g.Spellings(); n > most {
			t.Fatalf("%d spellings", n)
		}
	}
	if n := g.Spellings(); n < most/2 {
		t.Errorf("%d spellings are left", n)
	}
	if err := trap.New(trap.Config{Patterns: 16}).UnmarshalBinary(marshal(t, g)); err != nil {
		t.Error(err)
	}
}

// Queries may be separated by semicolons, as those of forums are.
func TestSemicolonsSeparateParameters(t *testing.T) {
	g := newGuard()
	same := func(a, b string) bool {
		return g.Pattern(mustParse(t, "http://a.test/index.php?"+a)) == g.Pattern(mustParse(t, "http://a.test/index.php?"+b))
	}
	if !same("action=a;topic=7", "topic=9&action=b") || same("topic=7;prev_next=1", "topic=8") {
		t.Error("semicolons separate nothing")
	}
	if !same("at=1.1;4.7", "at=1.2;5.7;6") || !same("at=1;=7", "at=1") {
		t.Error("what is no name is a parameter")
	}
	if v := judge(t, g, "http://a.test/x?m="+strings.Repeat("0;", 19)); v.Kind != "" {
		t.Errorf("a value with semicolons: %+v", v)
	}
}
