package graph

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// truth is a graph of URLs, built the simple way.
type truth map[string]map[string]bool

func (w truth) add(b *Builder, from string, to ...string) error {
	for _, url := range append([]string{from}, to...) {
		if w[url] == nil {
			w[url] = map[string]bool{}
		}
	}
	for _, url := range to {
		w[from][url] = true
	}
	return b.AddPage(from, to)
}

// compare wants g to be w.
func (w truth) compare(t *testing.T, g *Graph) {
	t.Helper()
	keys := map[string]string{}
	for url := range w {
		key, err := appendKey(nil, url)
		if err != nil {
			t.Fatal(err)
		}
		keys[string(key)] = url
	}
	if g.Nodes() != len(w) || g.URLs() == nil {
		t.Fatalf("%d nodes, want %d", g.Nodes(), len(w))
	}
	s := g.Scan(0, g.Nodes())
	for node, key := range slices.Sorted(maps.Keys(keys)) {
		url := keys[key]
		if got, err := g.URLs().At(node); got != url || err != nil {
			t.Fatalf("node %d is %q, %v, want %q", node, got, err, url)
		}
		list, ok := s.Next()
		if !ok || len(list) != len(w[url]) {
			t.Fatalf("%s: %d links, %v, want %d", url, len(list), s.Err(), len(w[url]))
		}
		for _, to := range list {
			if target, err := g.URLs().At(int(to)); !w[url][target] {
				t.Fatalf("%s links to %s, %v", url, target, err)
			}
		}
	}
}

// TestBuilder builds random graphs, with so little memory that URLs and links go to disk
// many times, and compares them.
func TestBuilder(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for _, memory := range []int64{defaultMemory, 20 << 10} {
		dir := t.TempDir()
		b, err := NewBuilder(BuildConfig{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		b.dict = newDict(memory)
		w, urls, r := truth{}, siteURLs(3000), rnd(11)
		for range 2000 {
			var to []string
			for range r.IntN(12) {
				to = append(to, urls[r.IntN(len(urls))])
			}
			if err := w.add(b, urls[r.IntN(len(urls))], to...); err != nil {
				t.Fatal(err)
			}
		}
		alone := "https://zzz.example.com/alone"
		if err := errors.Join(b.AddNode(alone), w.add(b, alone)); err != nil {
			t.Fatal(err)
		}
		if runs := len(b.runs); (runs > 0) != (memory < 1<<20) {
			t.Errorf("%d bytes: %d runs", memory, runs)
		}
		base := filepath.Join(t.TempDir(), "g")
		if _, err := b.Build(base); err != nil {
			t.Fatal(err)
		}
		w.compare(t, open(t, base))
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d bytes: %d temporary files are left", memory, len(left))
		}
		if err := b.AddNode(alone); err == nil {
			t.Error("a Builder works after Build")
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := NewBuilder(BuildConfig{Dir: filepath.Join(dir, "none")}); err == nil {
		t.Error("a folder that is none is accepted")
	}
	if _, err := NewBuilder(BuildConfig{Dir: dir, Memory: leastMemory - 1}); err == nil {
		t.Error("too little memory is accepted")
	}
	b, err := NewBuilder(BuildConfig{Dir: dir, Memory: leastMemory})
	if err != nil {
		t.Fatal(err)
	}
	w := truth{}
	if err := w.add(b, "https://a.b/", "https://a.b/c", "https://a.b/", "https://a.b/c"); err != nil {
		t.Fatal(err)
	}
	if err := b.AddPage("https://a.b/", []string{"https://a.b/\n"}); err == nil || !strings.Contains(err.Error(), "https://a.b/") {
		t.Errorf("a line feed: %v", err)
	}
	base := filepath.Join(dir, "g")
	if s, err := b.Build(base); err != nil || s.Nodes != 2 || s.Arcs != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	w.compare(t, open(t, base))
}

// TestPairSorter sorts through enough runs to merge them in between.
func TestPairSorter(t *testing.T) {
	dir := t.TempDir()
	s := newPairSorter(dir, 0)
	s.pairs = make([]pair, 0, 7)
	r, want := rnd(12), map[pair]bool{}
	for range 7 * maxRuns * 3 {
		p := pairOf(r.Uint32N(40), r.Uint32N(40))
		want[p] = true
		if err := s.add(p); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) == 0 || len(s.runs) >= maxRuns {
		t.Errorf("%d runs", len(s.runs))
	}
	m, err := s.sorted()
	if err != nil {
		t.Fatal(err)
	}
	var got []pair
	for m.more() {
		got = append(got, m.next())
	}
	if m.err != nil || !slices.Equal(slices.Compact(got), slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d pairs, %v, want %d", len(got), m.err, len(want))
	}
	s.close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestRunsCut cuts temporary files: building must fail with an error.
func TestRunsCut(t *testing.T) {
	b, err := NewBuilder(BuildConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := errors.Join(b.AddPage("https://a.b/", []string{"https://a.b/c"}), b.spill()); err != nil {
		t.Fatal(err)
	}
	if err := b.runs[0].Truncate(5); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(filepath.Join(t.TempDir(), "g")); err == nil || !strings.Contains(err.Error(), "run") {
		t.Errorf("a run that is cut: %v", err)
	}
}

func TestTranspose(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for shape, a := range shapes(rnd(13)) {
		g := open(t, store(t, a, DefaultParams()))
		base := filepath.Join(t.TempDir(), "t")
		if _, err := Transpose(g, base, t.TempDir(), 0); err != nil {
			t.Fatal(err)
		}
		want := make(adjacency, len(a))
		for from, list := range a {
			for _, to := range list {
				want[to] = append(want[to], uint32(from))
			}
		}
		equal(t, shape, collect(t, open(t, base)), want)
	}
}
