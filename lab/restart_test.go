package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/report"
)

func TestRestart(t *testing.T) {
	s, err := Restart(t.Context(), RestartConfig{Graph: generated(t, 2000), Bits: []float64{6, 32}, Runs: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Sections[0].Table.Rows
	if len(rows) != 2*int(policies) || len(s.Sections[0].Plots[0].Lines) != int(policies) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r[1] == policyNames[lookup] && r[2] != 0.0 {
			t.Errorf("looked up exactly, and lost: %v", r)
		}
		if r[1] == policyNames[never] && r[0] == 6.0 && r[2].(float64) < 10 {
			t.Errorf("never restarted with six bits, and lost next to nothing: %v", r)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Restart(ended, RestartConfig{Graph: generated(t, 10)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, bad := range []RestartConfig{{}, {Graph: generated(t, 10), Runs: -1}, {Graph: generated(t, 10), Bits: []float64{0}}} {
		if _, err := Restart(t.Context(), bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// edgesOf returns the links of every page, in order.
func edgesOf(g *Graph) (edges [][]uint32) {
	for p := range g.Pages() {
		edges = append(edges, append([]uint32{}, g.links(uint32(p))...))
	}
	return edges
}

func TestGraphOfATree(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a%b.html", `<a href="index.html">up</a><a href="missing.html">x</a>`)
	write(t, dir, "index.html", `<a href="a%25b.html">a</a><a href="sub/">sub</a><a href="http://elsewhere.example/">x</a>`)
	write(t, dir, "sub/index.html", `<a href="../index.html">up</a><a href="alone.css">no page</a>`)
	write(t, dir, "sub/orphan.html", ``)
	write(t, dir, "notes.txt", "no page")
	g, err := LoadGraph(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]uint32{{1}, {0, 2}, {1}, {}}
	if got := edgesOf(g); len(got) != 4 || !same(got, want) || g.seeds[0] != 1 || g.reachable() != 3 {
		t.Errorf("links %v, seeds %v, %d reachable", got, g.seeds, g.reachable())
	}
}

// Without an index.html a crawl begins where most can be reached.
func TestSeedOfATree(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.html", "")
	write(t, dir, "b.html", `<a href="a.html">a</a><a href="c.html">c</a>`)
	write(t, dir, "c.html", "")
	g, err := LoadGraph(t.Context(), dir)
	if err != nil || g.seeds[0] != 1 || g.reachable() != 3 {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := LoadGraph(t.Context(), dir+"/a.html"); err == nil || !strings.Contains(err.Error(), "name the directory") {
		t.Errorf("a file: %v", err)
	}
}

func same(a, b [][]uint32) bool {
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				return false
			}
		}
	}
	return true
}

func TestGraphOfACrawl(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadGraph(t.Context(), dir); !errors.Is(err, ErrNoDocuments) {
		t.Errorf("an empty directory: %v", err)
	}
	write(t, dir, "pages.jsonl", "")
	if _, err := LoadGraph(t.Context(), dir); err == nil || !strings.Contains(err.Error(), report.LinksFile) {
		t.Errorf("a crawl without edges: %v", err)
	}
	write(t, dir, "edges.jsonl", `{"url":"http://h/","links":[{"url":"http://h/old"},{"url":"http://h/gone"}]}
{"url":"http://h/old","final_url":"http://h/new","links":[{"url":"http://h/new"},{"url":"http://h/"}]}
`)
	g, err := LoadGraph(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := edgesOf(g); !same(got, [][]uint32{{1}, {1, 0}}) || g.Pages() != 2 {
		t.Errorf("links %v", got)
	}
	write(t, dir, "edges.jsonl", `{"url":"http://h/","links":[]}`+"\n{broken\n{}\n")
	if _, err := LoadGraph(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken line: %v", err)
	}
	write(t, dir, "edges.jsonl", `{"url":"http://h/","links":[]}`+"\n"+`{"url":"http://h/2","lin`)
	if g, err := LoadGraph(t.Context(), dir); err != nil || g.Pages() != 1 || !strings.Contains(g.Source, "torn") {
		t.Errorf("a torn last line: %v, %v", g, err)
	}
}

func TestGenerateGraphLimits(t *testing.T) {
	for _, n := range []int{0, -1, MaxGraphPages + 1} {
		if _, err := GenerateGraph(t.Context(), n, 1); err == nil {
			t.Errorf("%d pages were taken", n)
		}
	}
}
