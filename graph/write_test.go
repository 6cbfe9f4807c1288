package graph

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteRefuses has Write refuse lists that are none, say which, and leave neither
// files nor an older graph.
func TestWriteRefuses(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		lists adjacency
		err   error
		nodes int
		p     Params
		want  string
	}{
		"descending":  {lists: adjacency{{1, 0}, nil}, want: "node 0: successor 0 after 1"},
		"twice":       {lists: adjacency{nil, {1, 1}}, want: "node 1: successor 1 after 1"},
		"outside":     {lists: adjacency{nil, {2}}, want: "node 1: successor 2 in a graph of 2 nodes"},
		"too few":     {lists: adjacency{nil}, want: "after 1 of 2 nodes"},
		"too many":    {lists: adjacency{nil, nil, nil}, want: "more than 2 nodes"},
		"an error":    {lists: adjacency{nil}, err: broken, want: "broken"},
		"window":      {lists: adjacency{nil, nil}, p: Params{Window: MaxWindow + 1, ZetaK: 3}, want: "window size"},
		"no zeta":     {lists: adjacency{nil, nil}, p: Params{Window: 1}, want: "DefaultParams"},
		"code":        {lists: adjacency{nil, nil}, p: Params{ZetaK: 3, Outdegrees: Zeta}, want: "OUTDEGREES"},
		"chain":       {lists: adjacency{nil, nil}, p: Params{ZetaK: 3, MaxRefs: -2}, want: "reference count"},
		"an interval": {lists: adjacency{nil, nil}, p: Params{ZetaK: 3, MinInterval: -1}, want: "interval"},
	} {
		base := store(t, adjacency{{1}, {0}}, DefaultParams())
		if _, err := Write(base, 2, &lister{c.lists, c.err}, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := Open(base); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a graph is left: %v", name, err)
		}
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(base), "*.tmp"))
		if len(left) > 0 {
			t.Errorf("%s: %v left", name, left)
		}
	}
}

// TestOpenRefuses has Open, or else a scan, say which file is damaged.
func TestOpenRefuses(t *testing.T) {
	a := copying(rnd(6), 300, 10)
	change := func(ext, from, to string) func(string) error {
		return func(base string) error {
			text, err := os.ReadFile(base + ext)
			if err != nil || !strings.Contains(string(text), from) {
				return errors.Join(err, errors.New("nothing to change"))
			}
			return os.WriteFile(base+ext, []byte(strings.Replace(string(text), from, to, 1)), 0o644)
		}
	}
	cut := func(ext string, size int64) func(string) error {
		return func(base string) error { return os.Truncate(base+ext, size) }
	}
	for name, c := range map[string]struct {
		damage  func(string) error
		want    string
		damaged bool // it says so
	}{
		"no properties":   {func(b string) error { return os.Remove(b + extProperties) }, extProperties, false},
		"no graph":        {func(b string) error { return os.Remove(b + extGraph) }, extGraph, false},
		"no offsets":      {func(b string) error { return os.Remove(b + extOffsets) }, extOffsets, false},
		"empty graph":     {cut(extGraph, 0), extOffsets, true},
		"graph cut":       {cut(extGraph, 100), extOffsets, true},
		"offsets cut":     {cut(extOffsets, 10), extOffsets, true},
		"huge properties": {cut(extProperties, maxProperties+1), extProperties, false},
		"more nodes":      {change(extProperties, "nodes=300", "nodes=2000000000"), extOffsets, true},
		"another node":    {change(extProperties, "nodes=300", "nodes=299"), extGraph, true},
		"more arcs":       {change(extProperties, "\narcs=", "\narcs=1"), "do not belong together", true},
		"another class":   {change(extProperties, "BVGraph\n", "EFGraph\n"), "EFGraph", false},
		"nibbles":         {change(extProperties, "compressionflags=", "compressionflags=RESIDUALS_NIBBLE"), "RESIDUALS_NIBBLE", false},
		"a later version": {change(extProperties, "version=0", "version=1"), "version 1", false},
		"no number":       {change(extProperties, "windowsize=7", "windowsize=seven"), "windowsize", false},
		"shorter chains":  {change(extProperties, "maxrefcount=3", "maxrefcount=0"), "chain", true},
		"little-endian":   {change(extProperties, "version=0", "endianness=little"), "endianness", false},
	} {
		base := store(t, a, DefaultParams())
		if err := c.damage(base); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := readAll(base); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), base) || errors.Is(err, ErrDamaged) != c.damaged {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// readAll opens a graph and reads everything in it, in order and at random.
func readAll(base string) error {
	g, err := Open(base)
	if err != nil {
		return err
	}
	defer g.Close()
	s := g.Scan(0, g.Nodes())
	for _, ok := s.Next(); ok; _, ok = s.Next() {
	}
	if s.Err() != nil {
		return s.Err()
	}
	for node := range g.Nodes() {
		if _, err := g.Successors(node, nil); err != nil {
			return err
		}
	}
	return nil
}

// Averages have three decimals, rounded as the framework does.
func TestAverages(t *testing.T) {
	text := string(properties(Params{}, Stats{Nodes: 3, Arcs: 7, Bits: 20, refs: 2, dists: 1}))
	for _, want := range []string{"avgref=0.667", "avgdist=0.333", "bitsperlink=2.857", "bitspernode=6.667"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestProperties has every setting come back from its properties file.
func TestProperties(t *testing.T) {
	for name, p := range parameters() {
		p, err := p.normal()
		if err != nil {
			t.Fatal(err)
		}
		got, nodes, arcs, err := parseProperties(properties(p, Stats{Nodes: 7, Arcs: 9}))
		if p.Residuals != Zeta {
			got.ZetaK = p.ZetaK // not in the file
		}
		if got != p || nodes != 7 || arcs != 9 || err != nil {
			t.Errorf("%s: %+v, %d nodes, %d arcs, %v, want %+v", name, got, nodes, arcs, err, p)
		}
	}
}
