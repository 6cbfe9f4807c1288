package survey

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crawler/internal/sheet"
)

// friends is the graph of Ullman's slides, whose edges have no direction.
const friends = "A,B\nA,C\nB,C\nB,D\nD,E\nD,F\nD,G\nE,F\nF,G\n"

func fromEdges(t *testing.T, text string) *Survey {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "list.csv", text)
	return built(t, Config{Dir: filepath.Join(dir, "new", "graph"), From: filepath.Join(dir, "list.csv")})
}

// The neighbourhoods of E by hand: E; D E F; B D E F G; all.
func TestReachUndirected(t *testing.T) {
	s := fromEdges(t, friends)
	node, ok, err := s.Find("E")
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for undirected, want := range map[bool][]float64{true: {1, 3, 5, 7}, false: {1, 2, 3}} {
		for _, exact := range []int{0, 1} { // followed, and by sketches, rounded
			sh, err := s.Reach(t.Context(), node, ReachConfig{Undirected: undirected, Exact: exact, Registers: 1024})
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			for _, row := range table(t, sh, "Reach", 1) {
				got = append(got, float64(int(row[0].(float64)+0.5)))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("undirected %v, exact to %d: %v, want %v", undirected, exact, got, want)
			}
		}
	}
	sh, err := s.ReachAll(t.Context(), ReachConfig{Undirected: true, Registers: 1024})
	if err != nil {
		t.Fatal(err)
	}
	rows := table(t, sh, "Neighbourhood function", 1)
	// Within one link 7 + 2·9 = 25 pairs; all 49 within three, as from A to D's E.
	if got := rows[1][0].(float64); got < 23 || got > 27 || len(rows) != 4 {
		t.Errorf("%v", rows)
	}
}

// By hand, within two links either way: B and D reach all 7; E, F and G reach all but A and C; A
// and C reach A B C D.
func TestRankByReach(t *testing.T) {
	s := fromEdges(t, friends)
	sh, err := s.Rank(t.Context(), RankConfig{By: ByReach, Distance: 2, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range table(t, sh, "Ranking", 8, 1, 4) {
		got = append(got, row[0].(string)+string('0'+byte(row[1].(float64))))
		if row[2] != true {
			t.Errorf("%v is not exact", row)
		}
	}
	if want := "B7 D7 E5 F5 G5 A4 C4"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	links, linkers := s.directed(true)
	sketched, err := sketchedSizes(t.Context(), links, linkers, RankConfig{Distance: 2, Registers: 1024})
	if err != nil {
		t.Fatal(err)
	}
	exact, err := exactSizes(t.Context(), links, 2)
	if err != nil {
		t.Fatal(err)
	}
	for v := range exact {
		if x := exact[v].Estimate; !sketched[v].Contains(x) {
			t.Errorf("node %d: %v reached, %+v estimated", v, x, sketched[v])
		}
	}
	for _, distance := range []int{0, MaxReachDistance + 1} {
		if _, err := s.Rank(t.Context(), RankConfig{By: ByReach, Distance: distance}); err == nil {
			t.Errorf("distance %d is taken", distance)
		}
	}
}

// Forms of edges: heads, tabs, comments, byte-order marks, spaces, quotes, further columns, single
// nodes, repeated edges and loops.
func TestBuildFromEdges(t *testing.T) {
	for name, text := range map[string]string{
		"plain":    "a,b\nb,c\na,b\nc,c\nd",
		"head":     "src,dst\r\na,b\r\nb,c\r\nc,c\r\nd\r\n",
		"crawl's":  "source,target,kind,nofollow,text,rel\na,b,anchor,false,\"x, y\",\nb,c,,,,\nc,c,,,,\nd,d2\n",
		"SNAP's":   "# Directed graph\n# Nodes: 4\n# FromNodeId\tToNodeId\na\tb\nb\tc\nc\tc\nd\n",
		"BOM":      "\ufeffFROM,To\n\"a\", b\nb ,c\n\nc,c\nd\n",
		"tab head": "FromNodeId\tToNodeId\na\tb\nb\tc\nc\tc\nd",
	} {
		s := fromEdges(t, text)
		if n, links := s.out.Nodes(), s.out.Edges(); name != "crawl's" && (n != 4 || links != 3) || name == "crawl's" && (n != 5 || links != 4) {
			t.Errorf("%s: %d nodes, %d links", name, n, links)
		}
		if s.Manifest.From != "list.csv" || s.Manifest.Outcomes["unknown"] != s.out.Nodes() {
			t.Errorf("%s: %+v", name, s.Manifest)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a,\x01b", "line 1"}, {"\x00", "no text"}, {"\x1f\x8b", "no text"},
	} {
		dir := t.TempDir()
		write(t, dir, "list.csv", c.text)
		if _, err := Build(t.Context(), Config{Dir: dir + "/new", From: dir + "/list.csv"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
		if names, _ := filepath.Glob(dir + "/new/*"); len(names) > 0 {
			t.Errorf("%q leaves %v", c.text, names)
		}
	}
	if _, err := Build(t.Context(), Config{Dir: t.TempDir(), From: "no/such/file"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Build(t.Context(), Config{Dir: t.TempDir(), From: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Error(err)
	}
	crawl := small(t)
	write(t, crawl, "list.csv", "a,b")
	if _, err := Build(t.Context(), Config{Dir: crawl, From: crawl + "/list.csv"}); !errors.Is(err, ErrCrawl) {
		t.Error(err)
	}
}

// What Export writes is read again as the same graph.
func TestEdgesRoundTrip(t *testing.T) {
	s := built(t, Config{Dir: small(t)})
	out := filepath.Join(t.TempDir(), "csv")
	if err := s.Export(t.Context(), CSV, out); err != nil {
		t.Fatal(err)
	}
	again := built(t, Config{Dir: t.TempDir(), From: filepath.Join(out, "edges.csv")})
	if again.out.Nodes() != s.out.Nodes() || again.out.Edges() != s.out.Edges() || again.out.BitsPerLink() != s.out.BitsPerLink() {
		t.Errorf("%d nodes, %d links, %v bits; want %d, %d, %v", again.out.Nodes(), again.out.Edges(), again.out.BitsPerLink(), s.out.Nodes(), s.out.Edges(), s.out.BitsPerLink())
	}
	write(t, out, "nodes.csv", "id,url\n0,http://h/\n")
	if _, err := Build(t.Context(), Config{Dir: t.TempDir(), From: filepath.Join(out, "edges.csv")}); err == nil || !strings.Contains(err.Error(), `is not in nodes.csv`) {
		t.Error(err)
	}
}

// By hand: lists 1 2 3, 2 3 4, none, 2 3 4 and 1. Neighbours at 1: 2 of 4 in common. At 2: 3 of 3.
// At 3: is no distance; at 4: 1 of 3.
func TestSimilarityByHand(t *testing.T) {
	s := fromEdges(t, "n0,n1\nn0,n2\nn0,n3\nn1,n2\nn1,n3\nn1,n4\nn3,n2\nn3,n3\nn3,n4\nn4,n1\n")
	part, err := s.similarity(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]sheet.Cell{{"1", 2, 0.25, 0.5}, {"2", 1, 1.0, 1.0}, {"4", 1, 1.0 / 3, 0.0}}
	if got := part.Table.Rows[:3]; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// By hand: four nodes are four rows; links 0-1, 0-2 and 3-3.
func TestPictureByHand(t *testing.T) {
	s := fromEdges(t, "n0,n1\nn0,n2\nn3,n3\n")
	part, err := s.picture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int64{{0, 1, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}}; !reflect.DeepEqual(part.Matrix.Cells, want) {
		t.Errorf("%v", part.Matrix.Cells)
	}
	if rows := part.Table.Rows; rows[2][1] != int64(1) {
		t.Errorf("%v", rows)
	}
}

// A web takes fewer bits than the same web shuffled, and that fewer than a random graph, which
// takes no fewer than its entropy. Shuffled and random graphs have as many links.
func TestOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	var edges strings.Builder
	for host := range 20 {
		for page := range 50 {
			for to := range 12 {
				edges.WriteString(strings.Join([]string{place(host, page), place(host, (page/10*10+to)%50)}, ",") + "\n")
			}
			edges.WriteString(place(host, page) + "," + place(host*7%20, 0) + "\n")
		}
	}
	s := fromEdges(t, edges.String())
	part, err := s.orders(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := part.Table.Rows
	before := 0.0
	for _, row := range rows[:3] {
		if row[1] != s.out.Edges() || row[2].(float64) <= before {
			t.Errorf("%v", rows)
		}
		before = row[2].(float64)
	}
	if least := rows[3][2].(float64); least >= before || least < 0.5*before {
		t.Errorf("%v", rows)
	}
	// Every pair is a link: all graphs are the same.
	s = fromEdges(t, "a,a\na,b\nb,a\nb,b\n")
	if part, err = s.orders(t.Context(), 1); err != nil || len(part.Table.Rows) != 4 || part.Table.Rows[3][2].(float64) != 0 {
		t.Errorf("%v, %v", part.Table, err)
	}
}

func place(host, page int) string {
	digits := func(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }
	return "http://host" + digits(host) + ".example/" + digits(page)
}

// 5 over 2 is 10; by the approximation for large n as by logarithms of gamma.
func TestLogBinomial(t *testing.T) {
	if got := logBinomial(5, 2); got < 3.3219 || got > 3.3220 {
		t.Errorf("log2 of 10 is %v", got)
	}
	exact, close := logBinomial(1e9, 1e3), logBinomial(1.0001e9, 1e3)
	if close < exact || close > exact*1.001 {
		t.Errorf("%v and %v", exact, close)
	}
}

// Stats counts isolated URLs, and has all parts also for a graph of edges.
func TestStatsOfEdges(t *testing.T) {
	s := fromEdges(t, friends+"Z\n")
	sh, err := s.Stats(t.Context(), StatsConfig{Compare: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table(t, sh, "Size", 0, 1) {
		if row[0] == "URLs without links in or out (isolated)" && row[1] != 1 {
			t.Errorf("%v", row)
		}
	}
	if rows := table(t, sh, "Degrees", 0, 1, 4); rows[0][2] != 3 { // C, G and Z link to nothing
		t.Errorf("%v", rows)
	}
	if rows := table(t, sh, "Components", 1); rows[0][0] != 7 {
		t.Errorf("%v", rows)
	}
}
