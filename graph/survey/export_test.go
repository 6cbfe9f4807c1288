package survey

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"crawler/graph"
	"crawler/weburl"
)

// hostile is a crawl of URLs that formats could trip over.
func hostile(t testing.TB) (dir string, urls []string) {
	r := newRecorded(t)
	for _, u := range []string{
		"http://h/", `http://h/?q="a",b;c`, "http://h/<script>alert(1)</script>", "http://h/a&b=]]>", "http://h/'--", "http://h/\u202eevil", "http://h/=cmd()|' /C calc'!A0",
		"http://h/%0d%0aSet-Cookie:x", "http://h/\x1b[31m", "http://[::1]:8080/?a,b", "http://h/" + strings.Repeat("long/", 1000),
	} {
		parsed, err := weburl.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, parsed.String())
	}
	for i, u := range urls {
		r.add(r.page(u, 200, urls[(i+1)%len(urls)], urls[0]))
	}
	return r.end(), urls
}

// adjacency is the graph by URLs.
func adjacency(t testing.TB, s *Survey) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for v := range s.out.Nodes() {
		list, err := s.out.Successors(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		from, err := s.urls.At(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			to, err := s.urls.At(int(w))
			if err != nil {
				t.Fatal(err)
			}
			all[from] = append(all[from], to)
		}
	}
	return all
}

// What is exported is the graph, as independent readers read it, hostile URLs and all.
func TestExport(t *testing.T) {
	dir, urls := hostile(t)
	s := built(t, Config{Dir: dir})
	want := adjacency(t, s)
	if len(want) != len(urls) {
		t.Fatalf("%d pages of %d", len(want), len(urls))
	}
	for _, c := range []struct {
		form Format
		read func(*testing.T, string) map[string][]string
	}{{CSV, readCSV}, {GraphML, readGraphML}, {WebGraph, readWebGraph}} {
		t.Run(string(c.form), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			if err := s.Export(t.Context(), c.form, path); err != nil {
				t.Fatal(err)
			}
			if got := c.read(t, path); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			if err := s.Export(t.Context(), c.form, path); !errors.Is(err, ErrThere) {
				t.Errorf("overwrites: %v", err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Errorf("beside it lies %v, %v", entries, err)
			}
		})
	}
	if err := s.Export(t.Context(), "dot", filepath.Join(t.TempDir(), "out")); err == nil || !strings.Contains(err.Error(), "want csv, webgraph or graphml") {
		t.Errorf("an unknown format: %v", err)
	}
}

func readCSV(t *testing.T, path string) map[string][]string {
	rows := func(name string, header ...string) [][]string {
		f, err := os.Open(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := csv.NewReader(f).ReadAll()
		if err != nil || !reflect.DeepEqual(all[0], header) {
			t.Fatalf("%s: %v, %v", name, all[0], err)
		}
		return all[1:]
	}
	urls := map[string]string{}
	for i, row := range rows("nodes.csv", "id", "url", "outcome", "status", "reason", "depth", "seed") {
		if row[0] != strconv.Itoa(i) || !reflect.DeepEqual(row[2:], []string{"page", "200", "", "1", "false"}) {
			t.Errorf("node %v", row)
		}
		urls[row[0]] = row[1]
	}
	all := map[string][]string{}
	for _, row := range rows("edges.csv", "src", "dst") {
		all[urls[row[0]]] = append(all[urls[row[0]]], urls[row[1]])
	}
	return all
}

func readGraphML(t *testing.T, path string) map[string][]string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Nodes []struct {
			ID   string `xml:"id,attr"`
			Data []struct {
				Key   string `xml:"key,attr"`
				Value string `xml:",chardata"`
			} `xml:"data"`
		} `xml:"graph>node"`
		Edges []struct {
			Source string `xml:"source,attr"`
			Target string `xml:"target,attr"`
		} `xml:"graph>edge"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	urls, all := map[string]string{}, map[string][]string{}
	for _, n := range doc.Nodes {
		if n.Data[0].Key != "url" || n.Data[1].Key != "outcome" || n.Data[1].Value != "200" {
			t.Errorf("node %+v", n)
		}
		urls[n.ID] = n.Data[0].Value
	}
	for _, e := range doc.Edges {
		all[urls[e.Source]] = append(all[urls[e.Source]], urls[e.Target])
	}
	return all
}

func readWebGraph(t *testing.T, path string) map[string][]string {
	text, err := os.ReadFile(filepath.Join(path, "links.urls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	urls := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	g, err := graph.Open(filepath.Join(path, "links"))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	back, err := graph.Open(filepath.Join(path, "links-t"))
	if err != nil || back.Edges() != g.Edges() {
		t.Fatal(err)
	}
	defer back.Close()
	all := map[string][]string{}
	for v := range g.Nodes() {
		list, err := g.Successors(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			all[urls[v]] = append(all[urls[v]], urls[w])
		}
	}
	return all
}

// GraphML of what no viewer opens is refused.
func TestExportTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	r := newRecorded(t)
	v := r.page("http://h/", 200)
	for i := range maxGraphMLNodes {
		v.Page.Links = append(v.Page.Links, link(t, fmt.Sprintf("http://h/%d", i)))
	}
	r.add(v)
	s := built(t, Config{Dir: r.end()})
	path := filepath.Join(t.TempDir(), "out")
	if err := s.Export(t.Context(), GraphML, path); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was written")
	}
	ended, cancel := contextEnded(t)
	defer cancel()
	for _, f := range []Format{CSV, WebGraph} {
		if err := s.Export(ended, f, path); err == nil {
			t.Errorf("%s: written though interrupted", f)
		}
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
