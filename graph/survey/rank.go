package survey

import (
	"context"
	"fmt"
	"slices"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
)

// RankConfig configures Rank. Zero values mean the defaults.
type RankConfig struct {
	By       Measure
	Limit    int     // URLs listed; 0 is all
	Damping  float64 // of PageRank, above 0 and below 1; 0 is 0.85
	Progress func(what string)

	Distance   int    // of ByReach, from 1 to MaxReachDistance
	Undirected bool   // ByReach follows links both ways
	Registers  int    // of the sketches for ByReach; 0 is 64
	Seed       uint64 // of these sketches
}

// Measure is what URLs are ranked by.
type Measure uint8

// The measures.
const (
	ByPageRank Measure = iota
	ByLinks            // how many URLs link there
	ByReach            // how many URLs it reaches by RankConfig.Distance links
)

const defaultDamping = 0.85

// Rank lists the URLs that matter most. PageRank takes up to 100 passes over the graph and
// 28 bytes a node, and 16 more with Limit 0; ByLinks only reads how long lists are.
func (s *Survey) Rank(ctx context.Context, c RankConfig) (*sheet.Sheet, error) {
	n, err := s.count()
	if err != nil {
		return nil, err
	}
	if c.Damping == 0 {
		c.Damping = defaultDamping
	}
	if c.By == ByReach {
		return s.influence(ctx, c)
	}
	var rank []float64
	weight := func(v int) (float64, error) {
		d, err := s.in.OutDegree(v)
		return float64(d), err
	}
	if c.By == ByPageRank {
		if rank, err = s.pageRank(ctx, c); err != nil {
			return nil, err
		}
		weight = func(v int) (float64, error) { return rank[v], nil }
	}
	best, err := largest(n, c.Limit, weight)
	if err != nil {
		return nil, err
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "place"}}}
	if rank != nil {
		t.Columns = append(t.Columns, sheet.Column{Key: "pagerank", Name: "PageRank", Format: "%.3e"}, sheet.Column{Key: "of_mean", Name: "x mean", Format: "%.1f"})
	}
	t.Columns = append(t.Columns, sheet.Column{Key: "links_in", Name: "in"}, sheet.Column{Key: "links_out", Name: "out"},
		sheet.Column{Name: "outcome"}, sheet.Column{Key: "url", Name: "URL"})
	for i, v := range best {
		row := []sheet.Cell{i + 1}
		if rank != nil {
			row = append(row, rank[v], rank[v]*float64(n))
		}
		if row, err = s.rankRow(row, v); err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return c.sheet(s, sheet.Section{Title: "Ranking", Notes: shown(len(t.Rows), n), Table: t}), nil
}

// rankRow appends the cells that every ranking has of a node.
func (s *Survey) rankRow(row []sheet.Cell, v int) ([]sheet.Cell, error) {
	in, err := s.in.OutDegree(v)
	if err != nil {
		return nil, err
	}
	out, err := s.out.OutDegree(v)
	if err != nil {
		return nil, err
	}
	url, err := s.urls.At(v)
	return append(row, in, out, s.nodes.at(v).String(), url), err
}

func (c *RankConfig) sheet(s *Survey, section sheet.Section) *sheet.Sheet {
	sh := &sheet.Sheet{Title: "The URLs with the most links to them", Intro: []string{s.about()}, Sections: []sheet.Section{section},
		Config: []sheet.Setting{{Name: "by", Value: "inlinks"}}}
	if c.By == ByPageRank {
		sh.Title = "The URLs with the most PageRank"
		sh.Intro = append(sh.Intro, "PageRank is the share of time that a random surfer, who follows links and sometimes jumps to a random URL, spends there; all sum to 1. "+
			"URLs that were not fetched count too: they have links to them, and none from them.")
		sh.Config = []sheet.Setting{{Name: "by", Value: "pagerank"}, {Name: "damping", Value: c.Damping}}
	}
	if c.By == ByReach {
		sh.Title = fmt.Sprintf("The URLs that reach most others by %s", counted(int64(c.Distance), "link", "links"))
		sh.Intro = append(sh.Intro, "Reached is how many URLs are within that many links, itself counted: the size of a small neighbourhood measures influence. "+reachNote)
		sh.Config = []sheet.Setting{{Name: "by", Value: fmt.Sprintf("reach:%d", c.Distance)}, {Name: "undirected", Value: c.Undirected}, {Name: "registers", Value: c.Registers},
			{Name: "seed", Value: c.Seed}}
	}
	return sh
}

func (s *Survey) pageRank(ctx context.Context, c RankConfig) ([]float64, error) {
	run := bsp.Config{}
	if c.Progress != nil {
		run.Watch = func(step bsp.Superstep) { c.Progress(fmt.Sprintf("PageRank, pass %d", step.Number)) }
	}
	rank, _, err := bsp.PageRank(ctx, run, s.linkers(), bsp.Rank{Damping: c.Damping})
	return rank, err
}

// largest returns the nodes of most weight, the first first; equal ones by their number.
func largest(n, limit int, weight func(v int) (float64, error)) ([]int, error) {
	if limit <= 0 || limit > n {
		limit = n
	}
	type weighed struct {
		node   int
		weight float64
	}
	before := func(a, b weighed) int {
		switch {
		case a.weight > b.weight || a.weight == b.weight && a.node < b.node:
			return -1
		case a.node == b.node:
			return 0
		}
		return 1
	}
	var best []weighed // kept below twice the limit, so that sorting costs little
	for v := range n {
		w, err := weight(v)
		if err != nil {
			return nil, err
		}
		best = append(best, weighed{v, w})
		if len(best) >= 2*limit+64 || v == n-1 {
			slices.SortFunc(best, before)
			best = best[:min(limit, len(best))]
		}
	}
	nodes := make([]int, len(best))
	for i, b := range best {
		nodes[i] = b.node
	}
	return nodes, nil
}
