package bsp

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

// benchWeb is shared by the benchmarks: 100,000 nodes.
func benchWeb(b *testing.B) (g, back Lists) {
	g = web(100_000, 1)
	return g, transposed(b, g)
}

// report prints the cost of a link and superstep.
func report(b *testing.B, g Graph, supersteps int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Edges())/float64(supersteps), "ns/link/step")
	b.ReportMetric(float64(g.Edges())/float64(g.Nodes()), "links/node")
}

func BenchmarkPageRank(b *testing.B) {
	_, back := benchWeb(b)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			steps := 0
			for b.Loop() {
				_, sum, err := PageRank(context.Background(), Config{Workers: workers}, back, Rank{Tolerance: 1e-3})
				if err != nil {
					b.Fatal(err)
				}
				steps = sum.Supersteps
			}
			report(b, back, steps)
		})
	}
}

func BenchmarkNeighbourhoods(b *testing.B) {
	g, back := benchWeb(b)
	for _, m := range []int{16, 64} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("registers=%d/workers=%d", m, workers), func(b *testing.B) {
				steps := 0
				for b.Loop() {
					n, err := Neighbourhoods(context.Background(), Config{Workers: workers}, g, back, Sketch{Registers: m})
					if err != nil {
						b.Fatal(err)
					}
					steps = n.Run.Supersteps
				}
				report(b, g, steps)
			})
		}
	}
}

func BenchmarkComponents(b *testing.B) {
	g, back := benchWeb(b)
	type find func(context.Context, Config, Graph, Graph) (Components, Summary, error)
	for name, f := range map[string]find{"weak": Weak, "strong": Strong} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				steps := 0
				for b.Loop() {
					_, sum, err := f(context.Background(), Config{Workers: workers}, g, back)
					if err != nil {
						b.Fatal(err)
					}
					steps = sum.Supersteps
				}
				report(b, g, steps)
			})
		}
	}
}

// What each program allocates in all, in bytes a node, is not much more than what doc.go
// says it holds: no list of the graph is kept. What is more is the workers' and scans'
// lists, which are let go.
func TestMemory(t *testing.T) {
	if raceScale > 1 {
		t.Skip("on small graphs what does not grow with the nodes counts too much")
	}
	g := web(60_000, 1)
	back := transposed(t, g)
	ctx, c := context.Background(), Config{Workers: 1}
	for _, p := range []struct {
		name        string
		holds, more float64
		run         func() error
	}{
		{"PageRank", 28, 6, func() error { _, _, err := PageRank(ctx, c, back, Rank{}); return err }},
		{"Weak", 8, 30, func() error { _, _, err := Weak(ctx, c, g, back); return err }},
		{"Strong", 16, 45, func() error { _, _, err := Strong(ctx, c, g, back); return err }},
		{"Distances", 8, 6, func() error { _, _, err := Distances(ctx, c, g, back, []uint32{0}); return err }},
		{"Neighbourhoods", 136, 10, func() error { _, err := Neighbourhoods(ctx, c, g, back, Sketch{}); return err }},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(g))
		if t.Logf("%s: %.1f bytes a node", p.name, got); got > p.holds+p.more || got < p.holds {
			t.Errorf("%s: %.1f bytes a node, want %v and at most %v more", p.name, got, p.holds, p.more)
		}
	}
}
