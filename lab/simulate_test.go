package lab

import "testing"

func generated(t *testing.T, pages int) *Graph {
	t.Helper()
	g, err := GenerateGraph(t.Context(), pages, 7)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// With memory to spare no policy loses a page, and only those that forget fetch any
// twice.
func TestSimulateWithMemoryToSpare(t *testing.T) {
	g := generated(t, 3000)
	for p := range policies {
		o := simulate(t.Context(), g, p, g.reachable(), 128, 3, 1)
		forgets := p == clearing || p == ageing
		if o.lost != 0 && !o.cut || forgets != (o.again > 0) || (o.restarts > 0) != (p != never) {
			t.Errorf("%s: %+v", policyNames[p], o)
		}
	}
}

// With too little memory, settling every maybe still loses nothing and fetches nothing
// twice; each weaker policy loses more than the next stronger one.
func TestSimulateWithLittleMemory(t *testing.T) {
	g := generated(t, 20_000)
	n := g.reachable()
	if n != g.Pages() {
		t.Fatalf("%d of %d pages can be reached", n, g.Pages())
	}
	lost := make([]int, policies)
	for p := range policies {
		for seed := range uint64(5) {
			o := simulate(t.Context(), g, p, n, 6, 4, seed)
			lost[p] += o.lost
			if p >= rebuild && o.again != 0 {
				t.Errorf("%s: %d fetched again", policyNames[p], o.again)
			}
			if p >= reoffer && o.maybes == 0 {
				t.Errorf("%s: no maybe was logged", policyNames[p])
			}
		}
	}
	t.Log(lost)
	if lost[lookup] != 0 {
		t.Errorf("looked up exactly, and lost %d", lost[lookup])
	}
	if !(lost[never] > lost[rebuild] && lost[rebuild] > 10*lost[reoffer] && lost[rebuild] > 0) {
		t.Errorf("lost, by policy: %v", lost)
	}
}

func TestGeneratedGraphIsTheSame(t *testing.T) {
	a, b := generated(t, 1000), generated(t, 1000)
	if a.Links() != b.Links() || a.Links() < 5000 {
		t.Errorf("%d and %d links", a.Links(), b.Links())
	}
	in := make(map[uint32]int)
	for _, p := range a.to {
		in[p]++
	}
	few, most := 0, 0
	for _, n := range in {
		most = max(most, n)
		if n <= 2 {
			few++
		}
	}
	if most < 100 || few < 100 {
		t.Errorf("in-links are no power law: at most %d, %d pages have at most two", most, few)
	}
}
