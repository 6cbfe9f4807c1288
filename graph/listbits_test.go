package graph

import "testing"

// The bits of TestExampleBits and TestExampleChoice, worked out by hand there: 68 for node 16
// against 15 and 63 without, of which 7 are its length; 29 for node 18, of which 5 are.
func TestListBits(t *testing.T) {
	for _, c := range []struct{ node, ref, want int }{{16, 1, 61}, {16, 0, 56}, {18, 3, 24}} {
		got, err := ListBits(3042, c.node, c.ref, example[c.node-c.ref], example[c.node], DefaultParams())
		if err != nil || got != c.want {
			t.Errorf("node %d against %d: %d bits, want %d (%v)", c.node, c.node-c.ref, got, c.want, err)
		}
	}
	for _, c := range []struct {
		node, ref int
		list      []uint32
	}{{16, 8, nil}, {16, -1, nil}, {2, 3, nil}, {16, 0, []uint32{5, 4}}, {16, 0, []uint32{4000}}} {
		if _, err := ListBits(3042, c.node, c.ref, nil, c.list, DefaultParams()); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
