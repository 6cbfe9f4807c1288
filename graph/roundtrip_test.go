package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func rnd(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func TestRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for shape, a := range shapes(rnd(1)) {
		for name, p := range parameters() {
			what := shape + ", " + name
			g := compressed(t, a, p)
			equal(t, what, collect(t, g), a)
			if g.Nodes() != len(a) || g.Edges() != int64(a.links()) {
				t.Errorf("%s: %d nodes, %d links", what, g.Nodes(), g.Edges())
			}
			var buf []uint32
			for i, want := range a {
				degree, err := g.OutDegree(i)
				if err != nil || degree != len(want) {
					t.Fatalf("%s: node %d: outdegree %d, %v, want %d", what, i, degree, err, len(want))
				}
				if buf, err = g.Successors(i, buf); err != nil || !slices.Equal(buf, want) {
					t.Fatalf("%s: node %d: %v, %v, want %v", what, i, buf, err, want)
				}
			}
		}
	}
}
