package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
)

func match(i int, view string) string {
	return fmt.Sprintf("http://a.test/match?id=%d&view=%s", i, view)
}

// sports is a site whose reports stand behind a parameter that has four values, beside tables
// without an end that have closed the pattern of all URLs with parameters.
func sports(t *testing.T, reports int, off ...int) *trap.Guard {
	g := trap.New(trap.Config{}).Without(off...)
	for i := range 6 {
		teach(t, g, fmt.Sprintf("http://a.test/match?id=%d", i), "http://a.test/", prose(i%2, 60))
		for _, view := range []string{"live", "stats", "odds"} {
			teach(t, g, match(i, view), "http://a.test/", prose(i%2, 60))
		}
	}
	table := func(i int) string {
		return fmt.Sprintf("http://a.test/standings?season=%d&round=%d", 2000+i%20, i/20)
	}
	for i := range 2 * trap.DefaultBudget {
		teach(t, g, table(i), table(max(0, i-1)), prose(7, 60), table(2*i+1000), table(2*i+1001))
	}
	for i := range reports {
		teach(t, g, match(10+i, "report"), "http://a.test/", prose(100+i, 120))
	}
	return g
}

// A value that a parameter has not had yet is tried, whatever the others have brought, and once its
// pages have texts they come first: not with those of the other values, nor as a service, though
// that is what the word means elsewhere, nor as a known page because its id is known.
func TestAValueOfItsOwnIsFetched(t *testing.T) {
	spelling := slices.Index(trap.Rules, "spelling")
	unread := match(50, "report")
	for _, tt := range []struct {
		name    string
		reports int
		off     []int
		url     string
		refused bool
		ranks   [2]uint8 // the least and the most
	}{
		{"not tried yet", 0, nil, unread, false, [2]uint8{0, 62}},
		{"not tried yet, without spelling", 0, []int{spelling}, unread, true, [2]uint8{}},
		{"another value", 0, nil, match(50, "odds"), true, [2]uint8{}},
		{"a report", 1, nil, unread, false, [2]uint8{0, 62}},
		{"reports", 6, nil, unread, false, [2]uint8{}},
		{"of a match that is known", 6, nil, match(3, "report"), false, [2]uint8{}},
		{"another value beside reports", 6, nil, match(50, "odds"), false, [2]uint8{6, 62}},
	} {
		g := sports(t, tt.reports, tt.off...)
		if v := judge(t, g, "http://a.test/standings?season=2001&round=99"); v.Kind == "" {
			t.Fatalf("%s: the wide pattern is open: %+v", tt.name, v)
		}
		if v := judge(t, g, tt.url); (v.Kind != "") != tt.refused || !tt.refused && (v.Rank < tt.ranks[0] || v.Rank > tt.ranks[1]) {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
}

// A value whose first page has nothing is not tried again.
func TestAValueWithoutTextsIsRefused(t *testing.T) {
	g := sports(t, 0)
	teach(t, g, match(50, "lineups"), "http://a.test/", prose(1, 60))
	if v := judge(t, g, match(51, "lineups")); v.Kind == "" {
		t.Errorf("%+v", v)
	}
	team := func(i int, view string) string { return fmt.Sprintf("http://a.test/team?id=%d&view=%s", i, view) }
	for i, view := range []string{"squad", "kit"} {
		teach(t, g, team(i, view), "http://a.test/", prose(1, 60))
	}
	if v := judge(t, g, team(2, "lineups")); v.Kind == "" {
		t.Errorf("tried in another pattern: %+v", v)
	}
	if v := judge(t, g, team(2, "history")); v.Kind != "" {
		t.Errorf("not tried yet: %+v", v)
	}
}

// Each of a few words makes another spelling. A word that is long or has a number in it makes none,
// and once there are too many none does: then they are names, such as titles.
func TestChoices(t *testing.T) {
	g := newGuard()
	spelt := func(value string) uint64 { return g.SpeltLike(mustParse(t, "http://a.test/x?do="+value)) }
	learn := func(value string) { teach(t, g, "http://a.test/x?do="+value, "http://a.test/", prose(1, 60)) }
	if spelt("edit") == spelt("history") || spelt("blob_plain") == spelt("blob") {
		t.Error("two words have the same spelling")
	}
	for _, name := range []string{"rev2", "of-seventeen-letters", "a.b", "tawny%20owl"} {
		if name2 := name[:1] + "x" + name[1:]; spelt(name) != spelt(name2) {
			t.Errorf("%s is not spelt as %s", name, name2)
		}
	}
	if a, b := g.SpeltLike(mustParse(t, "http://a.test/x?do=edit")), g.SpeltLike(mustParse(t, "http://a.test/y?do=edit")); a == b {
		t.Error("the patterns do not differ")
	}
	for i := range trap.MostChoices {
		learn(called(i))
		learn(called(i))
	}
	if spelt(called(0)) == spelt(called(1)) || spelt(called(0)) == spelt("another") {
		t.Errorf("%d words no longer have a spelling each", trap.MostChoices)
	}
	if spelt("another") != spelt("other") {
		t.Errorf("two words that are not among the first %d have different spellings", trap.MostChoices)
	}
	learn("another")
	if spelt(called(0)) != spelt(called(1)) || spelt("another") != spelt(called(0)) {
		t.Errorf("after word number %d they still have different spellings", trap.MostChoices+1)
	}
}

// Lists that lead to texts have been worth something for those that are spelt in another way, too.
func TestListsOfNewSpellings(t *testing.T) {
	g := newGuard()
	list := func(i int) string { return fmt.Sprintf("http://a.test/list?of=%s&by=name", called(i)) }
	for i := range trap.MostChoices + 4 {
		teach(t, g, list(i), "http://a.test/", "", fmt.Sprintf("http://a.test/p/%d", i))
		teach(t, g, fmt.Sprintf("http://a.test/p/%d", i), list(i), prose(i, 60))
	}
	if v := judge(t, g, list(99)); v.Rank > 0 {
		t.Errorf("%+v", v)
	}
	if well, of := g.WellSpelt(mustParse(t, list(0))); well < 0.9*float32(of) || well > float32(of) || of < 2 {
		t.Errorf("%v of %d spellings were worth something", well, of)
	}
}

// A selection whose words are new to the site is worth as much to those that are spelt like it as
// any page, if it has as many of them; if it has few they are those between known things.
func TestWholeSelections(t *testing.T) {
	rank := func(length int) uint8 {
		g := newGuard()
		for i := range 12 {
			teach(t, g, match(i, "live"), "http://a.test/", prose(1, 60))
			teach(t, g, match(100+i, "full"), "http://a.test/", prose(200+i, length))
		}
		return g.Judge(mustParse(t, match(300, "full")), "http://a.test/").Rank
	}
	if whole, few := rank(120), rank(30); whole > 0 || few < 3 {
		t.Errorf("rank %d with 120 words, %d with 30", whole, few)
	}
}

// The spelling of a value survives with the Guard.
func TestChoicesAreKept(t *testing.T) {
	g := sports(t, 6)
	other := newGuard()
	if err := other.UnmarshalBinary(marshal(t, g)); err != nil {
		t.Fatal(err)
	}
	u := mustParse(t, match(50, "report"))
	if a, b := g.Judge(u, "http://a.test/"), other.Judge(u, "http://a.test/"); a.Kind != b.Kind || a.Rank != b.Rank {
		t.Errorf("%+v, %+v", a, b)
	}
	if g.SpeltLike(u) != other.SpeltLike(u) {
		t.Error("spelt in another way")
	}
}

// What was not tried yet is tried only a few times, even if every try fails: the same value over
// and over, one new value after another, or a new directory.
func TestTriesEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		g    *trap.Guard
		url  func(i int) string
		most int
	}{
		{"a value that fails", sports(t, 0), func(i int) string { return match(1000+i, "lineups") }, 16},
		{"values that fail", sports(t, 0), func(i int) string { return match(1000+i, called(i)) }, 16},
		{"a directory that fails", languages(t), func(i int) string { return "http://a.test/de/fresh/" + called(i) }, 4},
	} {
		g := tt.g
		fetched := 0
		for i := range 1000 {
			u := mustParse(t, tt.url(i))
			if v := g.Judge(u, "http://a.test/"); v.Kind == "" {
				l := g.Lease(u, v)
				g.Watch(u, mustParse(t, "http://a.test/"))
				g.Learn(trap.Page{Status: 404})
				g.Ended(l)
				fetched++
			}
		}
		if fetched == 0 || fetched > tt.most {
			t.Errorf("%s: %d were fetched", tt.name, fetched)
		}
	}
}

// Tries are known after a restart.
func TestTriesAreKept(t *testing.T) {
	g := sports(t, 0)
	form := marshal(t, g)
	g.KeepEvents()
	for i := range 16 {
		u := mustParse(t, match(1000+i, "lineups"))
		g.Lease(u, g.Judge(u, "http://a.test/"))
	}
	other := trap.New(trap.Config{})
	if err := other.UnmarshalBinary(form); err != nil {
		t.Fatal(err)
	}
	if v := judge(t, other, match(2000, "lineups")); v.Kind != "" {
		t.Fatalf("before: %+v", v)
	}
	if err := other.Replay(g.TakeEvents()); err != nil {
		t.Fatal(err)
	}
	for _, guard := range []*trap.Guard{g, other} {
		if v := judge(t, guard, match(2000, "lineups")); v.Kind == "" {
			t.Errorf("%+v", v)
		}
	}
}

// What one value's pages bring opens the pattern for no other value.
func TestAValueOpensNothing(t *testing.T) {
	g := sports(t, 0)
	for i := range 2 * trap.DefaultBudget { // until the fine pattern itself is closed
		if judge(t, g, match(9000, "live")).Pattern == "a.test/match?id&view" {
			break
		}
		teach(t, g, match(2000+i, "live"), "http://a.test/", prose(1, 60), match(10_000+2*i, "live"), match(10_001+2*i, "live"))
	}
	if v := judge(t, g, match(9000, "live")); v.Kind == "" {
		t.Fatalf("it is open: %+v", v)
	}
	closed := len(g.Closed())
	for i := range 40 {
		if v := judge(t, g, match(3000+i, "report")); v.Kind != "" {
			t.Fatalf("report %d: %+v", i, v)
		}
		teach(t, g, match(3000+i, "report"), "http://a.test/", prose(100+i, 120))
	}
	if left := g.Closed(); len(left) != closed {
		t.Errorf("reports have opened one of %d: %+v", closed, left)
	}
	for i := range 20 {
		teach(t, g, match(4000+i, "report"), "http://a.test/", prose(1, 60))
	}
	if v := judge(t, g, match(9000, "report")); v.Kind == "" {
		t.Errorf("a report after 20 without a text: %+v", v)
	}
}

// Links to errors, whose words nobody has chosen, are no values of a parameter, and a full table of
// names takes none away that is known.
func TestWhatIsNoChoice(t *testing.T) {
	g := sports(t, 6)
	for i := range 20 {
		u := mustParse(t, match(1000+i, called(i)))
		g.Watch(u, mustParse(t, "http://a.test/"))
		g.Link(mustParse(t, match(2000+i, called(i))), false)
		g.Learn(trap.Page{Status: 404})
	}
	report, live := g.SpeltLike(mustParse(t, match(50, "report"))), g.SpeltLike(mustParse(t, match(50, "live")))
	if report == live {
		t.Error("the words of links to errors count as values")
	}
	g.FillNames()
	if report != g.SpeltLike(mustParse(t, match(50, "report"))) {
		t.Error("a full table takes values away")
	}
	if a, b := g.SpeltLike(mustParse(t, match(50, "fresh"))), g.SpeltLike(mustParse(t, match(50, "another"))); a != b {
		t.Error("a full table has taken two more values")
	}
}

// Pages of one value are no lists of those of another: that a value's pages lead to all the others
// is no text.
func TestValuesAreNoLists(t *testing.T) {
	g := trap.New(trap.Config{})
	views := []string{"live", "stats", "odds", "report"}
	for i := range 40 {
		for k, view := range views {
			text := prose(7, 60)
			if view == "report" {
				text = prose(100+i, 120)
			}
			teach(t, g, match(i, view), match(i, views[(k+3)%4]), text)
		}
	}
	live, report := g.Judge(mustParse(t, match(99, "live")), "http://a.test/"), g.Judge(mustParse(t, match(99, "report")), "http://a.test/")
	if report.Rank > 0 || live.Rank < 5 {
		t.Errorf("live %+v, report %+v", live, report)
	}
}
