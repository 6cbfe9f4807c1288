package graph

import (
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
)

// benchGraph is what the benchmarks run on: the graph GRAPH_BENCH names, or one that is
// generated.
var benchGraph = sync.OnceValue(func() adjacency {
	if base := os.Getenv("GRAPH_BENCH"); base != "" {
		g, err := Open(base)
		if err != nil {
			panic(err)
		}
		defer g.Close()
		var a adjacency
		s := g.Scan(0, g.Nodes())
		for list, ok := s.Next(); ok; list, ok = s.Next() {
			a = append(a, append([]uint32(nil), list...))
		}
		return a
	}
	return copying(rnd(1), 100_000, 25)
})

func perLink(b *testing.B, links int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(links), "ns/link")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range benchParams() {
		b.Run(c.name, func(b *testing.B) {
			a := benchGraph()
			for b.Loop() {
				f, err := newFormat(len(a), c.p)
				if err != nil {
					b.Fatal(err)
				}
				e := newEncoder(f, newBitWriter(io.Discard))
				if err := encodeAll(e, newBitWriter(io.Discard), &lister{lists: a}); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(e.stats.BitsPerLink(), "bits/link")
			}
			perLink(b, a.links())
		})
	}
}

type namedParams struct {
	name string
	p    Params
}

func benchParams() []namedParams {
	unbounded := DefaultParams()
	unbounded.MaxRefs = -1
	return []namedParams{{"default", DefaultParams()}, {"unbounded", unbounded}}
}

func BenchmarkScan(b *testing.B) {
	for _, c := range benchParams() {
		b.Run(c.name, func(b *testing.B) {
			g := compressed(b, benchGraph(), c.p)
			for b.Loop() {
				s := g.Scan(0, g.Nodes())
				for _, ok := s.Next(); ok; _, ok = s.Next() {
				}
				if s.Err() != nil {
					b.Fatal(s.Err())
				}
			}
			perLink(b, int(g.Edges()))
		})
	}
}

func BenchmarkSuccessors(b *testing.B) {
	for _, c := range benchParams() {
		b.Run(c.name, func(b *testing.B) {
			g := compressed(b, benchGraph(), c.p)
			r := rand.New(rand.NewPCG(1, 2))
			var buf []uint32
			for b.Loop() {
				var err error
				if buf, err = g.Successors(r.IntN(g.Nodes()), buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOffsets(b *testing.B) {
	g := compressed(b, benchGraph(), DefaultParams())
	r := rand.New(rand.NewPCG(1, 2))
	var sum uint64
	for b.Loop() {
		sum += g.offsets.at(r.IntN(g.Nodes()))
	}
	size := 8 * (len(g.offsets.low) + len(g.offsets.high) + len(g.offsets.starts))
	b.ReportMetric(float64(size)/float64(g.Nodes()), "bytes/node")
}
