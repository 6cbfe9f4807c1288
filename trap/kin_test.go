package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
)

// The first pages of a directory lead to more and more of it, as all pages of an unknown site do.
// If those of another directory of the same kind led back later they are not taken for a maze.
func TestFirstPagesOfADirectoryLikeOthers(t *testing.T) {
	hotel := func(country string, i int) string { return fmt.Sprintf("http://a.test/hotel/%s/%d.html", country, i) }
	rank := func(known bool, pages int, off ...int) uint8 {
		g := newGuard().Without(off...)
		for i := range 60 * one(known) {
			via := mustParse(t, hotel("de", i/2))
			g.Watch(mustParse(t, hotel("de", i)), via)
			for j := range 3 {
				g.Link(mustParse(t, hotel("de", 1000+3*i+j)), false)
				g.Link(mustParse(t, hotel("fr", 3*i+j)), true)
			}
			var s trap.Sampler
			g.Learn(s.Page(mustParse(t, hotel("de", i)), 200, words(prose(i, 60)), nil, nil, 0, 1))
		}
		for i := range pages {
			teach(t, g, hotel("es", i), hotel("es", i/2), prose(1000+i, 60), hotel("es", 100+2*i), hotel("es", 101+2*i))
		}
		return judge(t, g, hotel("es", 99)).Rank
	}
	kin := slices.Index(trap.Rules, "kin")
	if got := rank(true, 6); got > 0 {
		t.Errorf("rank %d", got)
	}
	if got := rank(true, 12); got < 3 {
		t.Errorf("rank %d though a dozen pages led on", got)
	}
	if alone, without := rank(false, 6), rank(true, 6, kin); alone < 3 || without < 3 {
		t.Errorf("rank %d without another directory, %d without kin", alone, without)
	}
}

// Names of directories make no other kin. Kinds of files, numbers and parameters do, and what has
// no name that is kept has none.
func TestKinDifferInNames(t *testing.T) {
	g := newGuard()
	kin := func(uri string) uint64 { return g.KinID(mustParse(t, "http://a.test"+uri)) }
	for _, alike := range [][]string{
		{"/hotel/de/adler.html", "/hotel/fr/aigle.html", "/inn/de/adler.html"},
		{"/hotel/de/adler", "/inn/fr/aigle"},
		{"/hotel/17", "/inn/4"},
		{"/list.php?page=3", "/shop.php?page=4"},
		{"/list.php?page=3&sort=up", "/shop.php?sort=up&page=3"},
		{"/list?page=3", "/shop?page=4"},
	} {
		for _, uri := range alike {
			if kin(uri) == 0 || kin(uri) != kin(alike[0]) {
				t.Errorf("%s is no kin of %s", uri, alike[0])
			}
			for _, other := range []string{"/hotel/de/adler.php", "/hotel/7/adler", "/list.php?id=3", "/hotel"} {
				if kin(uri) == kin(other) {
					t.Errorf("%s is kin of %s", uri, other)
				}
			}
		}
	}
	for _, uri := range []string{"/", "/adler", "/17", "/17/adler"} {
		if kin(uri) != 0 {
			t.Errorf("%s has kin", uri)
		}
	}
}

// Chains that are alike in many directories wait by how many pages all of them have had: each would
// have 64 before it waits longer.
func TestChainsOfManyDirectories(t *testing.T) {
	sign := func(d, i int) string { return fmt.Sprintf("http://a.test/signs/%s/day/%d", called(d), i) }
	rank := func(signs int, off ...int) uint8 {
		g := newGuard().Without(off...)
		for i := range 20 {
			teach(t, g, page(i), "http://a.test/", prose(i, 60))
		}
		for i := range 40 {
			for d := range signs {
				teach(t, g, sign(d, i), sign(d, i-one(i > 0)), prose(1000+100*d+i, 60), sign(d, i+1))
			}
		}
		return judge(t, g, sign(0, 41)).Rank
	}
	kin := slices.Index(trap.Rules, "kin")
	if one, many, without := rank(1), rank(12), rank(12, kin); one > 1 || many < one+2 || without > 1 {
		t.Errorf("ranks %d of one, %d of twelve, %d of twelve without kin", one, many, without)
	}
}

// articles teaches n pages of a.test/p/# that have texts of their own and lead nowhere.
func articles(t *testing.T, g *trap.Guard, n int) {
	t.Helper()
	for i := range n {
		teach(t, g, page(i), "http://a.test/", prose(i, 60))
	}
}

// A list whose articles lead no further is no chain, nor are its kin: somebody has listed these.
func TestListsOfArticlesAreNoChainOfKin(t *testing.T) {
	g := newGuard()
	list := func(d, i int) string { return fmt.Sprintf("http://a.test/%s/page/%d", called(d), i) }
	articles(t, g, 20)
	for i := range 12 {
		for d := range 3 {
			teach(t, g, list(d, i), list(d, i-one(i > 0)), prose(1000+100*d+i, 60), list(d, i+1), page(1000+100*d+i))
			teach(t, g, page(1000+100*d+i), list(d, i), prose(5000+100*d+i, 60))
		}
	}
	if v := judge(t, g, list(0, 13)); v.Rank > 0 {
		t.Errorf("%+v", v)
	}
}

// A section that has shown leaves is no chain though those like it are, however many.
func TestSectionsBesideChainsOfKin(t *testing.T) {
	g := newGuard()
	at := func(d, i int) string { return fmt.Sprintf("http://a.test/%s/at/%d", called(d), i) }
	articles(t, g, 20)
	for i := range 40 {
		teach(t, g, at(0, i), page(i%20), prose(1000+i, 60))
		for d := 1; d < 9; d++ {
			teach(t, g, at(d, i), at(d, i-one(i > 0)), prose(2000+100*d+i, 60), at(d, i+1))
		}
	}
	if section, chain := judge(t, g, at(0, 99)), judge(t, g, at(1, 99)); section.Rank > 0 || chain.Rank < 2 {
		t.Errorf("the section %+v, a chain %+v", section, chain)
	}
}

// Kin are forgotten with the last of their patterns.
func TestKinAreForgotten(t *testing.T) {
	g := trap.New(trap.Config{Patterns: 100})
	most := 0
	for i := range 1000 {
		teach(t, g, fmt.Sprintf("http://h%d.test/a/x", i), "", prose(i, 60))
		teach(t, g, fmt.Sprintf("http://h%d.test/b/x", i), "", prose(i, 60))
		patterns, kin, ok := g.Kin()
		if !ok {
			t.Fatalf("after %d hosts: %d kin of %d patterns, of which some are not known", i+1, kin, patterns)
		}
		most = max(most, kin)
	}
	if most < 20 || most > 100 {
		t.Errorf("%d kin at most", most)
	}
	again := newGuard()
	if err := again.UnmarshalBinary(marshal(t, g)); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := again.Kin(); !ok {
		t.Error("other kin after a form")
	}
}
