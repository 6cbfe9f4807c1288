package shards_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// web has hosts of 20 pages each: of words by Zipf's law, some of them copies or near-copies of
// pages of other hosts, with links that are broken, redirect, are forbidden or lead out of scope.
type web struct{ words []string }

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := strings.Trim(r.URL.Path, "/")
	n := 0
	switch _, err := fmt.Sscanf(path, "p%d", &n); {
	case path == "robots.txt":
		fmt.Fprint(rw, "User-agent: *\nDisallow: /secret\n")
		return
	case strings.HasPrefix(path, "old"):
		http.Redirect(rw, r, "/p"+strings.TrimPrefix(path, "old"), http.StatusFound)
		return
	case path == "pay":
		http.Error(rw, "pay first", http.StatusPaymentRequired)
		return
	case path != "" && (err != nil || n >= 20):
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(rw, "<title>%s %d</title>", r.Host, n)
	for _, to := range []string{fmt.Sprint("p", (n+1)%25), fmt.Sprint("p", (7*n+3)%25), fmt.Sprint("old", (n+5)%20), "pay", "secret/x", "http://out-of-" + r.Host + "/x"} {
		fmt.Fprintf(rw, "<a href='%s'>x</a>", to)
	}
	h := fnv.New64a()
	fmt.Fprint(h, r.Host, n)
	if n < 3 { // copies on all hosts
		h = fnv.New64a()
		fmt.Fprint(h, n)
	}
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	zipf := rand.NewZipf(rng, 1.07, 2.7, uint64(len(w.words)-1))
	for range 400 {
		fmt.Fprint(rw, " ", w.words[zipf.Uint64()])
	}
	if n == 2 { // near-copies
		fmt.Fprint(rw, " ", r.Host)
	}
}

func newWeb(t *testing.T) *memweb.Web {
	w := &web{}
	for i := range 20_000 {
		w.words = append(w.words, fmt.Sprintf("word%x", i*7919))
	}
	m := memweb.New(map[string]http.Handler{"*": w})
	t.Cleanup(m.Close)
	return m
}

// crawled crawls hosts into a directory and leaves its report there, unless it is to be as one
// that was killed. Flags are as a crawl's settings have them.
func crawled(t *testing.T, m *memweb.Web, path string, hosts []string, seed uint64, killed bool) {
	t.Helper()
	cfg := crawl.Config{Workers: 8, Gate: gate.Config{
		Scope: gate.Scope{Mode: gate.ScopeHost}, Dedup: dedup.Config{Seed: seed}, Frontier: frontier.Config{Delay: frontier.NoDelay},
	}}
	cfg.Fetch.DialContext, cfg.Fetch.UserAgent = m.DialContext, "crawler/test"
	for _, host := range hosts {
		cfg.Seeds = append(cfg.Seeds, "http://"+host+"/")
	}
	dir, err := store.Create(store.Disk(), path, store.Meta{Created: time.Now(), Seeds: cfg.Seeds, Flags: map[string][]string{"inlinks": {"10000"}}}, true)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: seed, Exact: true, InLinks: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Recorder, cfg.Store = rec, disk.Of(dir)
	res, err := crawl.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	rep := report.New("test", res, rec, report.Usage{CPU: time.Second})
	if rep.Files, err = dir.Written(); err != nil {
		t.Fatal(err)
	}
	if err := rep.FindNear(path, 0); err != nil {
		t.Fatal(err)
	}
	if !killed {
		err = rep.Save(path)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		t.Fatal(err)
	}
}

// cluster makes a cluster's directory of so many shards, each with every so many-th of the hosts.
func cluster(t *testing.T, m *memweb.Web, hosts []string, n int, killed ...int) string {
	t.Helper()
	home := t.TempDir()
	for i := range n {
		var own []string
		for k := i; k < len(hosts); k += n {
			own = append(own, hosts[k])
		}
		crawled(t, m, filepath.Join(home, shards.Folder, shards.Name(i)), own, 7, slices.Contains(killed, i))
	}
	put(t, filepath.Join(home, shards.ClusterFile), fmt.Sprintf(`{"id":"c","shards":%d,"other":[1]}`, n))
	return home
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func merged(t *testing.T, dirs ...string) *report.Report {
	t.Helper()
	set, err := shards.Find(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := shards.Report(t.Context(), set, shards.Config{Version: "test", Out: set.Home})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// The report of shards is that of the same crawl by one, key by key: what is counted is equal,
// and estimates have intervals that hold.
func TestShardsReportAsOne(t *testing.T) {
	m := newWeb(t)
	var hosts []string
	for i := range 14 {
		hosts = append(hosts, fmt.Sprintf("h%02d.example", i))
	}
	whole := t.TempDir()
	crawled(t, m, whole, hosts, 7, false)
	want, err := report.Load(whole)
	if err != nil {
		t.Fatal(err)
	}
	home := cluster(t, m, hosts, 4, 2)
	got := merged(t, home)
	if got.Words.Distinct.Estimate == *got.Words.Distinct.Exact {
		t.Error("the words are so few that nothing was estimated")
	}
	within(t, "distinct", got.Words.Distinct)
	within(t, "surprise", got.Words.Surprise)
	for _, s := range got.Sites {
		within(t, s.Site, s.Distinct)
	}
	if n := len(got.Files); n < 4*4 || got.Files["shards/001/pages.jsonl"].Bytes == 0 {
		t.Errorf("%d files: %v", n, got.Files)
	}
	same(t, counted(got), counted(want))
	if err := got.Save(home); err != nil {
		t.Fatal(err)
	}
	again, err := report.Load(home)
	if err != nil || again.Pages.Unique != want.Pages.Unique {
		t.Errorf("%+v, %v", again, err)
	}
	if damages, err := report.Damages(home, true); err != nil || len(damages) > 0 {
		t.Errorf("%v, %v", damages, err)
	}
	put(t, filepath.Join(home, "shards/001/pages.jsonl"), "{}\n")
	if damages, err := report.Damages(home, false); err != nil || len(damages) != 1 || damages[0].File != "shards/001/pages.jsonl" {
		t.Errorf("%v, %v", damages, err)
	}
}

// within fails if an interval does not hold what was counted.
func within(t *testing.T, what string, f report.Figure) {
	t.Helper()
	if f.Exact == nil || *f.Exact < f.Low || *f.Exact > f.High {
		t.Errorf("%s: %+v, exact %v", what, f, f.Exact)
	}
}

// counted is a report without what depends on time, on the order of pages, and on estimates.
func counted(r *report.Report) report.Report {
	c := *r
	c.Started, c.Finished, c.Resources, c.Files, c.Checksum = time.Time{}, time.Time{}, report.Resources{}, nil, 0
	d := c.Dedup
	c.Dedup = report.Dedup{Mode: d.Mode, Asked: d.Asked, New: d.New, Seen: d.Seen, NewAt: d.NewAt}
	for _, f := range []*report.Figure{&c.Words.Distinct, &c.Words.Surprise} {
		*f = report.Figure{Exact: f.Exact}
	}
	c.Failures = nil
	c.Sites = slices.Clone(c.Sites)
	for i := range c.Sites {
		c.Sites[i].Distinct, c.Sites[i].Surprise, c.Sites[i].Flags = report.Figure{Exact: c.Sites[i].Distinct.Exact}, report.Figure{Exact: c.Sites[i].Surprise.Exact}, nil
	}
	c.Pages.Broken = slices.Clone(c.Pages.Broken)
	for i := range c.Pages.Broken { // which of the pages with the link came first is chance
		c.Pages.Broken[i].Via = ""
	}
	slices.SortFunc(c.Pages.Broken, func(a, b report.Broken) int { return strings.Compare(a.URL, b.URL) })
	all := 0 // a page's depth is that of the page with the link that came first, which is chance
	for _, n := range c.Pages.ByDepth {
		all += n
	}
	c.Pages.ByDepth = map[string]int{"0": c.Pages.ByDepth["0"], "deeper": all - c.Pages.ByDepth["0"]}
	for i := range c.Pages.MostLinked {
		c.Pages.MostLinked[i].URL = "" // of many alike
	}
	c.Near = &report.Near{Total: r.Near.Total, Pages: r.Near.Pages}
	slices.Sort(c.Seeds)
	return c
}

// same compares two reports field by field.
func same(t *testing.T, got, want report.Report) {
	t.Helper()
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range a.NumField() {
		if name := a.Type().Field(i).Name; !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			t.Errorf("%s: %+v, want %+v", name, a.Field(i).Interface(), b.Field(i).Interface())
		}
	}
}

// Of several machines' directories each shard is taken once, from where it went furthest; what is
// missing is named.
func TestFind(t *testing.T) {
	m := newWeb(t)
	hosts := []string{"a.example", "b.example", "c.example"}
	home := cluster(t, m, hosts, 3)
	second := t.TempDir()
	put(t, filepath.Join(second, shards.ClusterFile), `{"id":"c","shards":3}`)
	move := func(number int, keep bool) {
		from, to := filepath.Join(home, "shards", shards.Name(number)), filepath.Join(second, "shards", shards.Name(number))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(from, to)); err != nil {
			t.Fatal(err)
		}
		if keep { // an early state of the same shard
			crawledIn(t, from)
		}
	}
	move(1, false)
	move(2, true)
	if _, err := shards.Find(home); !errors.Is(err, shards.ErrMissing) || !strings.Contains(err.Error(), "001 of 3") {
		t.Errorf("%v", err)
	}
	for _, order := range [][]string{{home, second}, {second, home}} {
		set, err := shards.Find(order...)
		want := []string{filepath.Join(home, "shards/000"), filepath.Join(second, "shards/001"), filepath.Join(second, "shards/002")}
		if err != nil || !slices.Equal(set.Dirs(), want) || set.Home != "" || set.Of != 3 {
			t.Errorf("%+v, %v", set, err)
		}
	}
	if rep := merged(t, home, second); rep.Pages.Fetched != 3*merged(t, filepath.Join(home, "shards/000")).Pages.Fetched {
		t.Errorf("%d pages", rep.Pages.Fetched)
	}
	put(t, filepath.Join(second, shards.ClusterFile), `{"id":"d","shards":3}`)
	if _, err := shards.Find(home, second); err == nil || !strings.Contains(err.Error(), "another cluster") {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"", "{", `{"id":"c"}`, `{"id":"c","shards":-1}`, `{"id":"c","shards":99999999999}`, `[]`} {
		put(t, filepath.Join(home, shards.ClusterFile), text)
		if _, err := shards.Find(home); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("cluster.json %q: %v", text, err)
		}
	}
	if err := os.Remove(filepath.Join(home, shards.ClusterFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := shards.Find(home); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("without cluster.json: %v", err)
	}
	if set, err := shards.Find(filepath.Join(second, "shards/001")); err != nil || !set.Single() {
		t.Errorf("%+v, %v", set, err)
	}
}

// crawledIn makes a crawl that was not begun.
func crawledIn(t *testing.T, path string) {
	t.Helper()
	dir, err := store.Create(store.Disk(), path, store.Meta{Created: time.Now()}, true)
	if err == nil {
		err = dir.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is no part of the crawl is refused: the same host twice, words counted with another seed.
func TestNotOneCrawl(t *testing.T) {
	m := newWeb(t)
	a, b, c := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "c")
	crawled(t, m, a, []string{"a.example"}, 7, false)
	crawled(t, m, b, []string{"a.example", "b.example"}, 7, false)
	crawled(t, m, c, []string{"c.example"}, 8, false)
	for _, with := range []struct{ dir, says string }{{b, "a.example has pages in"}, {c, "--seed"}} {
		set, err := shards.Find(a, with.dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = shards.Report(t.Context(), set, shards.Config{}); !errors.Is(err, report.ErrParts) || !strings.Contains(err.Error(), with.says) {
			t.Errorf("%v", err)
		}
	}
	set, _ := shards.Find(a, t.TempDir())
	if _, err := shards.Report(t.Context(), set, shards.Config{}); !errors.Is(err, store.ErrNoCrawl) {
		t.Errorf("no crawl: %v", err)
	}
}
