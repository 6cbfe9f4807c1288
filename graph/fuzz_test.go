package graph

import (
	"slices"
	"testing"
)

// FuzzGraph decodes damaged graphs: it may fail, but not panic, and as long as the offsets
// agree with the lists, reading in order and at random must agree.
func FuzzGraph(f *testing.F) {
	a := copying(rnd(9), 40, 12)
	for _, p := range parameters() {
		_, data, offsets := encode(f, a, p)
		p, _ = p.normal()
		f.Add(data, offsets, uint16(len(a)), uint8(p.Window), int8(p.MaxRefs), uint8(p.MinInterval), uint8(p.ZetaK), uint8(p.Residuals))
	}
	f.Fuzz(func(t *testing.T, data, offsets []byte, nodes uint16, window uint8, refs int8, interval, zeta, residuals uint8) {
		p := Params{Window: int(window), MaxRefs: int(refs), MinInterval: int(interval), ZetaK: int(zeta), Residuals: Code(residuals)}
		g, err := memory(int(nodes), 0, p, data, offsets)
		if err != nil {
			return
		}
		agree := true
		s := g.Scan(0, g.Nodes())
		var buf []uint32
		for node := range min(g.Nodes(), 300) {
			list, ok := s.Next()
			agree = agree && ok && s.dec.pos == g.offsets.at(node+1)
			buf, err = g.Successors(node, buf)
			if agree && (err != nil && g.MaxRefs < 0 || err == nil && !slices.Equal(buf, list)) {
				t.Errorf("node %d: in order %v, at random %v, %v", node, list, buf, err)
			}
			if err == nil && (!slices.IsSorted(buf) || len(buf) > 0 && int(buf[len(buf)-1]) >= g.Nodes()) {
				t.Errorf("node %d: %v is no list", node, buf)
			}
		}
	})
}

// FuzzProperties parses any text; what it accepts must come back from what is written.
func FuzzProperties(f *testing.F) {
	for _, p := range parameters() {
		p, _ = p.normal()
		f.Add(properties(p, Stats{Nodes: 3, Arcs: 5}))
	}
	f.Add([]byte("#BVGraph properties\nversion=0\nnodes=-1\narcs = 99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, nodes, arcs, err := parseProperties(text)
		if err != nil {
			return
		}
		again, n, m, err := parseProperties(properties(p, Stats{Nodes: nodes, Arcs: arcs}))
		if p.Residuals != Zeta {
			again.ZetaK = p.ZetaK // not in the file
		}
		if again != p || n != nodes || m != arcs || err != nil {
			t.Errorf("%+v, %d nodes, %d arcs; written and read %+v, %d, %d, %v", p, nodes, arcs, again, n, m, err)
		}
	})
}

// TestDamagedBits changes every bit of a small graph and cuts it everywhere: reading must
// end, in an error or in lists.
func TestDamagedBits(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	a := copying(rnd(10), 40, 12)
	s, data, offsets := encode(t, a, DefaultParams())
	whole, err := memory(len(a), s.Arcs, DefaultParams(), data, offsets)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for bit := range len(data) * 8 {
		damaged := slices.Clone(data)
		damaged[bit/8] ^= 0x80 >> (bit % 8)
		g := &Graph{format: whole.format, arcs: s.Arcs, data: damaged, offsets: whole.offsets}
		scan := g.Scan(0, g.Nodes())
		for _, ok := scan.Next(); ok; _, ok = scan.Next() {
		}
		if scan.Err() != nil {
			found++
		}
	}
	if total := len(data) * 8; found < total/2 {
		t.Errorf("%d of %d changed bits are noticed", found, total)
	}
	for size := 0; size < len(data)-1; size += 9 {
		if _, err := memory(len(a), s.Arcs, DefaultParams(), data[:size], offsets); err == nil {
			t.Errorf("cut to %d of %d bytes: the damage is not noticed", size, len(data))
		}
	}
}
