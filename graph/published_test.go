package graph

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPublished holds the package against a graph compressed by the framework itself:
// its lists must decode to the nodes and arcs of its properties, and compressing them with
// its parameters must give the same files, and the same figures in the properties.
// GRAPH_PUBLISHED names graphs without extension, cnr-2000 of the framework's own tests
// for one, separated as in PATH.
func TestPublished(t *testing.T) {
	bases := os.Getenv("GRAPH_PUBLISHED")
	if bases == "" {
		t.Skip("GRAPH_PUBLISHED names no graph")
	}
	for _, base := range filepath.SplitList(bases) {
		t.Run(filepath.Base(base), func(t *testing.T) {
			g := open(t, base)
			again := filepath.Join(t.TempDir(), "again")
			s, err := Write(again, g.Nodes(), g.Scan(0, g.Nodes()), g.Params())
			if err != nil {
				t.Fatal(err)
			}
			if s.Arcs != g.Edges() {
				t.Errorf("%d arcs, the properties have %d", s.Arcs, g.Edges())
			}
			for _, ext := range []string{extGraph, extOffsets} {
				got, want := load(t, again+ext), load(t, base+ext)
				// Some of the framework's tools fill the last 64-bit word with zeros.
				if pad := bytes.TrimPrefix(want, got); len(pad) >= 16 || len(bytes.Trim(pad, "\x00")) > 0 {
					t.Errorf("%s differs: %d bytes, published %d", ext, len(got), len(want))
				}
			}
			compareProperties(t, values(t, again), values(t, base))
			if name := base + ".graph-txt.gz"; exists(name) {
				compareText(t, g, name)
			}
			t.Logf("%d nodes, %d arcs, %.3f bits a link", s.Nodes, s.Arcs, s.BitsPerLink())
		})
	}
}

// compareProperties wants every figure that is published and written here to be the same,
// to the digits published.
func compareProperties(t *testing.T, got, want map[string]string) {
	t.Helper()
	for key, w := range want {
		value, ok := got[key]
		if !ok || value == w {
			continue
		}
		a, err1 := strconv.ParseFloat(value, 64)
		b, err2 := strconv.ParseFloat(w, 64)
		if err1 != nil || err2 != nil || math.Abs(a-b) > 0.006 || !strings.Contains(w, ".") {
			t.Errorf("%s = %s, published %s", key, value, w)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// compareText wants the lists of g to be those of a text: the number of nodes, then a
// line of successors for each.
func compareText(t *testing.T, g *Graph, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(unzipped)
	if n, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(n) != strconv.Itoa(g.Nodes()) {
		t.Fatalf("the text has %s nodes, %v", n, err)
	}
	scan := g.Scan(0, g.Nodes())
	for node := range g.Nodes() {
		list, _ := scan.Next()
		line, err := lines.ReadString('\n')
		words := strings.Fields(line)
		if err != nil || len(words) != len(list) {
			t.Fatalf("node %d: %d successors, in the text %d, %v", node, len(list), len(words), err)
		}
		for i, w := range words {
			if w != strconv.Itoa(int(list[i])) {
				t.Fatalf("node %d: successor %d is %d, in the text %s", node, i, list[i], w)
			}
		}
	}
}

// values returns the keys and values of a properties file.
func values(t *testing.T, base string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for in := bufio.NewScanner(bytes.NewReader(load(t, base+extProperties))); in.Scan(); {
		if key, value, ok := strings.Cut(in.Text(), "="); ok {
			m[key] = value
		}
	}
	return m
}
