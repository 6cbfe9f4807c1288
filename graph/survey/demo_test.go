package survey

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/demosite"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// crawlDemo crawls the demo's web in virtual time, with edges.csv beside.
func crawlDemo(t *testing.T, web *demosite.Web) (dir string) {
	dir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		net := memweb.New(memweb.Everywhere(web, web.Hosts()))
		defer net.Close()
		st, err := store.Create(store.Disk(), dir, store.Meta{}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		rec, err := report.NewRecorder(report.Config{Dir: st, EdgesCSV: true})
		if err != nil {
			t.Fatal(err)
		}
		cfg := crawl.Config{Seeds: web.Seeds(), Recorder: rec, Store: disk.Of(st), Gate: gate.Config{Scope: gate.Scope{Mode: gate.ScopeDomain}, Frontier: frontier.Config{Delay: 10 * time.Millisecond, Retries: 3}}, Sitemaps: true}
		cfg.Parse.URL = weburl.Options{DropParams: []string{"utm_*"}}
		cfg.Fetch.DialContext = net.DialContext
		if _, err := crawl.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		if err := rec.Flush(); err != nil {
			t.Fatal(err)
		}
	})
	return dir
}

// exact is the link graph by URLs, as edges.csv has it.
type exact struct {
	out, in  map[string]map[string]bool
	redirect map[string]bool
}

func readExact(t *testing.T, dir string) *exact {
	f, err := os.Open(filepath.Join(dir, report.EdgesCSVFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	e := &exact{out: map[string]map[string]bool{}, in: map[string]map[string]bool{}, redirect: map[string]bool{}}
	for _, row := range rows {
		from, to, kind := row[0], row[1], row[2]
		if row[3] == "true" || !slices.Contains([]string{"anchor", "area", "frame", "refresh", "redirect"}, kind) {
			continue
		}
		if kind == "redirect" {
			e.redirect[from] = true
		}
		e.link(from, to)
	}
	return e
}

func (e *exact) link(from, to string) {
	if e.out[from] == nil {
		e.out[from] = map[string]bool{}
	}
	if e.in[to] == nil {
		e.in[to] = map[string]bool{}
	}
	e.out[from][to], e.in[to][from] = true, true
}

// clicks counts them by relaxing every link until nothing changes.
func (e *exact) clicks(seed string) map[string]int {
	depth := map[string]int{seed: 0}
	for changed := true; changed; {
		changed = false
		for from, list := range e.out {
			d, ok := depth[from]
			if !ok {
				continue
			}
			if !e.redirect[from] {
				d++
			}
			for to := range list {
				if old, ok := depth[to]; !ok || d < old {
					depth[to], changed = d, true
				}
			}
		}
	}
	return depth
}

// A real crawl: the graph has the links that edges.csv has, outcomes are what the web says,
// and what verbs print is what a slow computation on maps of URLs finds.
func TestDemo(t *testing.T) {
	web := demosite.New(7)
	truth := web.Truth()
	dir := crawlDemo(t, web)
	s, e := built(t, Config{Dir: dir}), readExact(t, dir)
	// See loopOf.
	e.link("http://wiki.demo.example/wiki/Loop_1", "http://wiki.demo.example/wiki/Loop_2")
	url := func(v uint32) string {
		u, err := s.urls.At(int(v))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for v := range s.out.Nodes() {
		from := url(uint32(v))
		for _, side := range []struct {
			g interface {
				Successors(int, []uint32) ([]uint32, error)
			}
			want map[string]bool
		}{{s.out, e.out[from]}, {s.in, e.in[from]}} {
			list, err := side.g.Successors(v, nil)
			if err != nil || len(list) != len(side.want) {
				t.Fatalf("%s: %d links, %v, want %d", from, len(list), err, len(side.want))
			}
			for _, w := range list {
				if !side.want[url(w)] {
					t.Errorf("%s and %s are not linked", from, url(w))
				}
			}
		}
	}
	checkOutcomes(t, s, truth)
	checkClicks(t, s, e, truth, web.Seeds()[0])
	checkReach(t, s, e, web.Seeds()[0])
	checkRank(t, s, e)
}

func checkOutcomes(t *testing.T, s *Survey, truth demosite.Truth) {
	for _, u := range slices.Concat(truth.Of(demosite.Linked), truth.Of(demosite.InSitemap)) {
		node, ok, err := s.Find(u)
		n, p := s.nodes.at(node), truth.Pages[u]
		if err != nil || !ok {
			if p.Location == "" { // else it is the middle of a chain
				t.Errorf("%s: %v, %v", u, ok, err)
			}
			continue
		}
		switch {
		case p.Location != "" && n.Outcome != Redirect, p.Location == "" && p.Status != 0 && n.Status != p.Status, p.Status == 0 && n.Outcome != Failed:
			t.Errorf("%s: %s, want %d %s", u, n, p.Status, p.Location)
		}
	}
}

func checkClicks(t *testing.T, s *Survey, e *exact, truth demosite.Truth, seed string) {
	sh, err := s.Clicks(t.Context(), ClicksConfig{Deeper: 2})
	if err != nil {
		t.Fatal(err)
	}
	depth := e.clicks(seed)
	deep := map[string]int{}
	for u, d := range depth {
		if node, _, _ := s.Find(u); d > 2 && s.nodes.at(node).good() {
			deep[u] = d
		}
	}
	got := map[string]int{}
	for _, row := range table(t, sh, "Pages deeper than 2 clicks", 0, 1) {
		got[row[1].(string)] = row[0].(int)
	}
	if len(deep) < 100 || !reflect.DeepEqual(got, deep) {
		t.Errorf("%d deep pages, want %d", len(got), len(deep))
	}
	var orphans []string
	for _, row := range table(t, sh, "Orphans", 0) {
		orphans = append(orphans, row[0].(string))
	}
	if !slices.Equal(orphans, truth.Of(demosite.InSitemap)) {
		t.Errorf("orphans %v, want %v", orphans, truth.Of(demosite.InSitemap))
	}
	broken := map[string][]string{}
	for _, row := range table(t, sh, "Broken links", 0, 3) {
		if len(row) == 1 {
			continue // nobody links there
		}
		from, _, _ := strings.Cut(row[1].(string), " ")
		broken[row[0].(string)] = append(broken[row[0].(string)], from)
	}
	want := 0
	for _, u := range truth.Of(demosite.Linked) {
		p := truth.Pages[u]
		if p.Location != "" || p.Status != 0 && p.Status < 400 {
			continue
		}
		want++
		linkers := broken[u]
		if len(linkers) != len(e.in[u]) {
			t.Errorf("%s is linked from %v, want %v", u, linkers, e.in[u])
		}
		for _, from := range linkers {
			if !e.in[u][from] {
				t.Errorf("%s is not linked from %s", u, from)
			}
		}
	}
	for u := range broken {
		if p := truth.Pages[u]; p.Location == "" && p.Status != 0 && p.Status < 400 {
			t.Errorf("%s is not broken", u)
		}
	}
	if want < 5 {
		t.Errorf("the web has only %d broken pages", want)
	}
}

func checkReach(t *testing.T, s *Survey, e *exact, seed string) {
	var want [][]any
	seen := map[string]bool{seed: true}
	for level := []string{seed}; len(level) > 0; {
		want = append(want, []any{len(want), float64(len(seen))})
		var next []string
		for _, u := range level {
			for to := range e.out[u] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	node, _, err := s.Find(seed)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := s.Reach(t.Context(), node, ReachConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if got := table(t, sh, "Reach", 0, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("reach %v, want %v", got, want)
	}
	sh, err = s.Reach(t.Context(), node, ReachConfig{Exact: 30, Registers: 256, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range table(t, sh, "Reach", 2, 3, 4) {
		if n := want[i][1].(float64); row[0].(float64) > n || row[1].(float64) < n || row[2].(bool) != (n <= 30) {
			t.Errorf("distance %d: %v does not hold %v", i, row, n)
		}
	}
}
