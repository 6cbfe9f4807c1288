package graph

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// The example of Boldi and Vigna's tables, as lecture slides have it: four lists of a
// larger graph.
var example = map[int][]uint32{
	15: {13, 15, 16, 17, 18, 19, 23, 24, 203, 315, 1034},
	16: {15, 16, 17, 22, 23, 24, 315, 316, 317, 3041},
	17: nil,
	18: {13, 15, 16, 17, 50},
}

// TestExampleStages takes nodes 16 and 18 through every stage of the tables: copy list,
// copy blocks and extra nodes. The slides write the first bit of a copy list and then
// all runs less one; the framework the first run, which may be 0, and the others less one.
func TestExampleStages(t *testing.T) {
	for _, c := range []struct {
		node, ref     int
		copyList      string
		blocks, slide []uint32
		extras        []uint32
	}{
		{16, 1, "01110011010", []uint32{0, 1, 3, 2, 2, 1, 1}, []uint32{0, 0, 2, 1, 1, 0, 0}, []uint32{22, 316, 317, 3041}},
		{18, 3, "11110000000", []uint32{4}, []uint32{1, 3}, []uint32{50}},
	} {
		var p plan
		from := example[c.node-c.ref]
		p.compare(from, example[c.node])
		if !slices.Equal(p.blocks, c.blocks) || !slices.Equal(p.extras, c.extras) {
			t.Errorf("node %d: blocks %v, extra nodes %v, want %v, %v", c.node, p.blocks, p.extras, c.blocks, c.extras)
		}
		if got := copyList(p.blocks, len(from)); got != c.copyList {
			t.Errorf("node %d: copy list %s, want %s", c.node, got, c.copyList)
		}
		if got := slideBlocks(p.blocks); !slices.Equal(got, c.slide) {
			t.Errorf("node %d: on the slide %v, want %v", c.node, got, c.slide)
		}
	}
}

// copyList returns which of n nodes the blocks copy.
func copyList(blocks []uint32, n int) string {
	var s strings.Builder
	bit := "1"
	for _, b := range blocks {
		s.WriteString(strings.Repeat(bit, int(b)))
		bit = string('0' + '1' - bit[0])
	}
	return s.String() + strings.Repeat(bit, n-s.Len())
}

// slideBlocks returns blocks as the slides have them.
func slideBlocks(blocks []uint32) []uint32 {
	slide := []uint32{1}
	if blocks[0] == 0 {
		slide, blocks = []uint32{0}, blocks[1:]
	}
	for _, b := range blocks {
		slide = append(slide, b-1)
	}
	return slide
}

// TestExampleBits has the bits of nodes 16 and 18 against node 15 worked out by hand from
// the definitions of the codes.
func TestExampleBits(t *testing.T) {
	for node, want := range map[int]string{
		16: "0001011" + // outdegree 10
			"01" + // reference 1
			"0001000" + "1" + "1" + "011" + "010" + "010" + "1" + "1" + // 7 blocks
			"1" + // no interval
			"0100101" + // 22: +6
			"001100100110" + // 316: 293 between
			"100" + // 317: none between
			"0001101010100100", // 3041: 2723 between
		18: "00110" + // outdegree 5
			"0001" + // reference 3
			"010" + "00101" + // 1 block of 4
			"1" + // no interval
			"00100000001", // 50: +32
	} {
		f, err := newFormat(3042, Params{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		e := newEncoder(f, newBitWriter(&out))
		e.node = node
		e.put(e.outdegree, uint64(len(example[node])))
		cost := e.try(node-15, example[15], example[node], math.MaxUint)
		e.best = e.plan
		header := e.w.pos
		e.write(example[node])
		n := e.w.pos
		if err := e.w.flush(); err != nil {
			t.Fatal(err)
		}
		if got := bitString(out.Bytes())[:n]; got != want || uint64(cost) != n-header {
			t.Errorf("node %d: %s, counted %d, want %s", node, got, cost, want)
		}
	}
}

// TestExampleChoice has the encoder choose: node 18 refers to node 15, as in the table,
// but node 16 to none, which takes 63 bits where the table's choice takes 68.
func TestExampleChoice(t *testing.T) {
	a := make(adjacency, 3042)
	for node, list := range example {
		a[node] = list
	}
	g := compressed(t, a, DefaultParams())
	for node, want := range map[int]struct{ ref, bits int }{16: {0, 63}, 17: {0, 1}, 18: {3, 29}} {
		d := g.decoder()
		d.pos = g.offsets.at(node)
		degree, ref, err := d.header(node)
		if bits := int(g.offsets.at(node+1) - g.offsets.at(node)); err != nil ||
			degree != len(example[node]) || ref != want.ref || bits != want.bits {
			t.Errorf("node %d: outdegree %d, reference %d, %d bits, %v, want %+v", node, degree, ref, bits, err, want)
		}
	}
	equal(t, "example", collect(t, g), a)
}

// TestCodes holds the code words of small numbers against the published tables: gamma and
// delta of Elias, zeta of Boldi and Vigna.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code  Code
		k     int
		words string
	}{
		{Unary, 3, "1 01 001 0001 00001 000001 0000001 00000001"},
		{Gamma, 3, "1 010 011 00100 00101 00110 00111 0001000"},
		{Delta, 3, "1 0100 0101 01100 01101 01110 01111 00100000"},
		{Zeta, 1, "1 010 011 00100 00101 00110 00111 0001000"},
		{Zeta, 2, "10 110 111 01000 01001 01010 01011 011000"},
		{Zeta, 3, "100 1010 1011 1100 1101 1110 1111 0100000"},
		{Zeta, 4, "1000 10010 10011 10100 10101 10110 10111 11000"},
	} {
		coding := newCoding(c.code, c.k)
		for x, word := range strings.Fields(c.words) {
			var out bytes.Buffer
			w := newBitWriter(&out)
			w.write(coding, uint64(x))
			n := w.pos
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
			if got := bitString(out.Bytes())[:n]; got != word {
				t.Errorf("%s %d of %d: %s, want %s", codeNames[c.code], c.k, x, got, word)
			}
		}
	}
}

// TestCodesInverse writes and reads numbers of every length in every code.
func TestCodesInverse(t *testing.T) {
	for code := Unary; code <= Zeta; code++ {
		for k := 1; k <= maxZetaK; k++ {
			c := newCoding(code, k)
			limit := uint64(1) << (maxLen - maxZetaK)
			if code == Unary {
				limit = 300
			}
			var numbers []uint64
			for x := uint64(0); x < limit; x += 1 + x/3 {
				numbers = append(numbers, x, x)
			}
			var out bytes.Buffer
			w := newBitWriter(&out)
			for _, x := range numbers {
				before := w.pos
				if w.write(c, x); w.pos-before != uint64(c.len(x)) {
					t.Fatalf("%s %d: %d takes %d bits, counted %d", codeNames[code], k, x, w.pos-before, c.len(x))
				}
			}
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
			r := bitReader{data: out.Bytes()}
			for _, x := range numbers {
				if got := r.read(c); got != x {
					t.Fatalf("%s %d: read %d, want %d", codeNames[code], k, got, x)
				}
			}
		}
	}
}
