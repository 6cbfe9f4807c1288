package bsp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// results runs every program and returns all it gave, with floating point by bits.
func results(t *testing.T, workers int, g, back Lists) map[string]any {
	t.Helper()
	ctx, all := context.Background(), map[string]any{}
	c := Config{Workers: workers}
	var seen []Superstep
	c.Watch = func(s Superstep) {
		s.Wall = 0
		seen = append(seen, s)
	}
	rank, _, err := PageRank(ctx, c, back, Rank{})
	bits := make([]uint64, len(rank))
	for v, x := range rank {
		bits[v] = math.Float64bits(x)
	}
	weak, _, err2 := Weak(ctx, c, g, back)
	strong, _, err3 := Strong(ctx, c, g, back)
	far, _, err4 := Distances(ctx, c, g, back, []uint32{1, 9})
	near, err5 := Neighbourhoods(ctx, c, g, back, Sketch{Registers: 16, Nodes: []uint32{0, 5, 1000}})
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	near.Run.Wall = 0
	all["rank"], all["weak"], all["strong"], all["far"], all["near"], all["seen"] = bits, weak, strong, far, near, seen
	return all
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	for name, g := range map[string]Lists{"web": web(8000/min(raceScale, 4), 11), "pieces": pieces(6000/min(raceScale, 4), 2)} {
		back := transposed(t, g)
		want := results(t, 1, g, back)
		for _, workers := range []int{2, 7} {
			for what, got := range results(t, workers, g, back) {
				if !reflect.DeepEqual(got, want[what]) {
					t.Errorf("%s, %d workers: %s differs from that of one", name, workers, what)
				}
			}
		}
	}
}

// A run that may follow speakers gives what one gives that streams the graph each time.
func TestSparseSuperstepsChangeNothing(t *testing.T) {
	g := pieces(20_000/min(raceScale, 4), 5)
	back := transposed(t, g)
	run := func(listeners Graph) (Neighbourhood, []Superstep) {
		var seen []Superstep
		c := Config{Watch: func(s Superstep) { seen = append(seen, s) }}
		n, err := Neighbourhoods(context.Background(), c, g, listeners, Sketch{Registers: 16, Nodes: []uint32{3, 4}})
		if err != nil {
			t.Fatal(err)
		}
		return n, seen
	}
	with, sparse := run(back)
	without, dense := run(nil)
	if !reflect.DeepEqual(with.Sizes, without.Sizes) || len(sparse) != len(dense) {
		t.Fatal("neighbourhoods differ")
	}
	n := 0
	for i, s := range sparse {
		d := dense[i]
		if s.Active != d.Active || s.Spoke != d.Spoke || s.Messages != d.Messages || d.Sparse {
			t.Fatalf("superstep %d: %+v, and without listeners %+v", i, s, d)
		}
		if s.Sparse {
			n++
		}
	}
	if n == 0 || n == len(sparse) {
		t.Errorf("%d of %d supersteps were sparse", n, len(sparse))
	}
}

// countdown stays awake for as many supersteps as its number says, and speaks at the last.
type countdown struct {
	heard, computed []int
}

func (p *countdown) Compute(v int, from []uint32, t *Turn) Vote {
	p.heard[v] += len(from)
	p.computed[v]++
	t.Sum[0]++
	t.Sum[1] += float64(v)
	switch {
	case t.Superstep < v:
		return Stay
	case t.Superstep == v:
		return Speak
	}
	return 0
}

func (p *countdown) Commit(int)             {}
func (p *countdown) Barrier(Superstep) bool { return false }

func TestVotes(t *testing.T) {
	// 0 and 3 listen to 1, 1 to 2 and 3, 2 to nobody.
	g := Lists{{1}, {2, 3}, {}, {1}}
	p := &countdown{make([]int, 4), make([]int, 4)}
	var seen []Superstep
	sum, err := Run(context.Background(), Config{Watch: func(s Superstep) { seen = append(seen, s) }}, g, p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.heard, []int{1, 2, 0, 1}) || !slices.Equal(p.computed, []int{2, 4, 3, 4}) {
		t.Errorf("heard %v, computed %v", p.heard, p.computed)
	}
	want := []Superstep{
		{Number: 0, Active: 4, Spoke: 1, Stayed: 3, Sum: [2]float64{4, 6}},
		{Number: 1, Active: 3, Spoke: 1, Stayed: 2, Sum: [2]float64{3, 6}},
		{Number: 2, Active: 3, Spoke: 1, Stayed: 1, Messages: 2, Sum: [2]float64{3, 5}},
		{Number: 3, Active: 2, Spoke: 1, Messages: 1, Sum: [2]float64{2, 4}},
		{Number: 4, Active: 1, Messages: 1, Sum: [2]float64{1, 1}},
	}
	for i := range seen {
		if seen[i].Wall < 0 {
			t.Error("no time")
		}
		seen[i].Wall = 0
	}
	if !slices.Equal(seen, want) || sum.Supersteps != 5 || sum.Messages != 4 {
		t.Errorf("%+v\n%+v", sum, seen)
	}
}

func TestLimit(t *testing.T) {
	g := chain(50)
	_, sum, err := Distances(context.Background(), Config{Limit: 10}, g, transposed(t, g), []uint32{0})
	if !errors.Is(err, ErrLimit) || sum.Supersteps != 10 || !strings.Contains(err.Error(), "10") {
		t.Error(sum, err)
	}
	if _, sum, err := PageRank(context.Background(), Config{Limit: 3}, g, Rank{}); !errors.Is(err, ErrLimit) || sum.Supersteps != 3 {
		t.Error(sum, err)
	}
}

// broken is a graph whose scans fail at one node, or end there without an error, after so
// many scans that went well.
type broken struct {
	Lists
	at    int
	err   error
	after *atomic.Int64
}

type brokenScan struct {
	Scan
	next int
	g    broken
}

func (g broken) Scan(from, to int) Scan { return &brokenScan{g.Lists.Scan(from, to), from, g} }

func (s *brokenScan) Next() ([]uint32, bool) {
	if s.next == s.g.at && s.g.after.Add(-1) < 0 {
		return nil, false
	}
	s.next++
	return s.Scan.Next()
}

func (s *brokenScan) Err() error { return s.g.err }

func TestErrorOfAScanEndsTheRun(t *testing.T) {
	good := web(4000, 1)
	back := transposed(t, good)
	bad := errors.New("bit 17 is broken")
	for _, err := range []error{bad, nil} {
		for _, after := range []int64{0, 1, 3} {
			for name, run := range map[string]func(g Graph) error{
				"rank":      func(g Graph) error { _, _, err := PageRank(context.Background(), Config{}, g, Rank{}); return err },
				"weak":      func(g Graph) error { _, _, err := Weak(context.Background(), Config{}, g, back); return err },
				"weak back": func(g Graph) error { _, _, err := Weak(context.Background(), Config{}, back, g); return err },
				"strong":    func(g Graph) error { _, _, err := Strong(context.Background(), Config{}, good, g); return err },
				"sizes": func(g Graph) error {
					_, err := Neighbourhoods(context.Background(), Config{}, g, back, Sketch{})
					return err
				},
			} {
				g := broken{back, 2345, err, new(atomic.Int64)}
				g.after.Store(after)
				got := run(g)
				if got == nil || err != nil && !errors.Is(got, bad) || !strings.Contains(got.Error(), "2345") && !strings.Contains(got.Error(), "transpose") {
					t.Errorf("%s, %v after %d: %v", name, err, after, got)
				}
			}
		}
	}
}

// A list read alone, in a sparse superstep or a search, may be the broken one.
func TestErrorOfASingleList(t *testing.T) {
	g := broken{chain(4000), 1234, nil, new(atomic.Int64)}
	_, sum, err := Distances(context.Background(), Config{}, g, transposed(t, chain(4000)), []uint32{0})
	if err == nil || sum.Supersteps != 1235 || !strings.Contains(err.Error(), "1234") {
		t.Error(sum, err)
	}
	if _, _, err := Reach(context.Background(), g, 1000, 0); err == nil || !strings.Contains(err.Error(), "1234") {
		t.Error(err)
	}
}

// cancelling is a graph whose scans cancel the run.
type cancelling struct {
	Lists
	cancel func()
	scans  *atomic.Int64
}

func (g cancelling) Scan(from, to int) Scan {
	if g.scans.Add(1) == 20 {
		g.cancel()
	}
	return g.Lists.Scan(from, to)
}

func TestCancelledRunEndsAtOnce(t *testing.T) {
	lists := web(20_000, 1)
	back := transposed(t, lists)
	for workers := 1; workers <= 4; workers++ {
		ctx, cancel := context.WithCancel(context.Background())
		g := cancelling{lists, cancel, new(atomic.Int64)}
		_, err := Neighbourhoods(ctx, Config{Workers: workers}, g, back, Sketch{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", workers, err)
		}
		if n := g.scans.Load(); n > 20+int64(workers) {
			t.Errorf("%d workers: %d blocks were begun after the end", workers, n-20)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := InDegrees(ctx, lists); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// typed is a graph whose Scan returns a type of its own, as that of package graph.
type typed struct{ Lists }

func (g typed) Scan(from, to int) *listScan { return &listScan{g.Lists[from:to]} }

func TestGraphs(t *testing.T) {
	g := Lists{{1, 2}, {2}, {}, {0}}
	back := transposed(t, Of(typed{g}))
	if want := (Lists{{3}, {0}, {0, 1}, {}}); fmt.Sprint(back) != fmt.Sprint(want) {
		t.Errorf("transposed: %v", back)
	}
	u := Union(Of(typed{g}), back)
	if u.Nodes() != 4 || u.Edges() != 8 {
		t.Error(u.Nodes(), u.Edges())
	}
	var all Lists
	scan := u.Scan(1, 4)
	for list, ok := scan.Next(); ok; list, ok = scan.Next() {
		all = append(all, slices.Clone(list))
	}
	if want := (Lists{{2, 0}, {0, 1}, {0}}); fmt.Sprint(all) != fmt.Sprint(want) || scan.Err() != nil {
		t.Error(all, scan.Err())
	}
	scan = Union(g, back[:3]).Scan(0, 3)
	scan.(*unionScan).a = g.Scan(0, 4)
	for ok := true; ok; {
		_, ok = scan.Next()
	}
	if scan.Err() == nil {
		t.Error("no error for graphs of different numbers of nodes")
	}
}
