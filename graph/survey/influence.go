package survey

import (
	"context"
	"fmt"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
	"crawler/stats"
)

// MaxReachDistance is the largest distance that RankConfig.Distance may have: influence is what
// is near.
const MaxReachDistance = 20

// exactInfluence is up to how many nodes, times links, neighbourhoods are counted one by one.
const exactInfluence = 20_000_000

// influence ranks by the size of the neighbourhood within a distance, itself counted: exactly
// where the graph is small, otherwise by the sketches of Reach with their intervals. It takes
// 24 bytes a node and distance in addition to these.
func (s *Survey) influence(ctx context.Context, c RankConfig) (*sheet.Sheet, error) {
	n := s.out.Nodes()
	if c.Distance < 1 || c.Distance > MaxReachDistance {
		return nil, fmt.Errorf("survey: RankConfig.Distance is %d, want 1 to %d", c.Distance, MaxReachDistance)
	}
	links, linkers := s.directed(c.Undirected)
	var sizes []stats.Interval
	var err error
	if int64(n)*(s.out.Edges()+int64(n)) <= exactInfluence {
		sizes, err = exactSizes(ctx, links, c.Distance)
	} else {
		sizes, err = sketchedSizes(ctx, links, linkers, c)
	}
	if err != nil {
		return nil, err
	}
	best, err := largest(n, c.Limit, func(v int) (float64, error) { return sizes[v].Estimate, nil })
	if err != nil {
		return nil, err
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "place"}, {Key: "reached", Name: "reached", Format: "%.0f"}, {Name: "low", Format: "%.0f"}, {Name: "high", Format: "%.0f"},
		{Name: "exact"}, {Key: "links_in", Name: "in"}, {Key: "links_out", Name: "out"}, {Name: "outcome"}, {Key: "url", Name: "URL"}}}
	for i, v := range best {
		row := []sheet.Cell{i + 1, sizes[v].Estimate, sizes[v].Low, sizes[v].High, sizes[v].Exact()}
		if row, err = s.rankRow(row, v); err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return c.sheet(s, sheet.Section{Title: "Ranking", Notes: shown(len(t.Rows), n), Table: t}), nil
}

// directed returns the graph and its transpose, or twice the graph whose links lead both ways.
func (s *Survey) directed(undirected bool) (links, linkers bsp.Graph) {
	if !undirected {
		return s.links(), s.linkers()
	}
	both := bsp.Union(s.links(), s.linkers())
	return both, both
}

// exactSizes follows the links of each node.
func exactSizes(ctx context.Context, g bsp.Graph, distance int) ([]stats.Interval, error) {
	out := make([]stats.Interval, g.Nodes())
	for v := range out {
		if v%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sizes, _, err := bsp.Reach(ctx, g, uint32(v), 0)
		if err != nil {
			return nil, err
		}
		size := float64(sizes[min(distance, len(sizes)-1)])
		out[v] = stats.Interval{Estimate: size, Low: size, High: size}
	}
	return out, nil
}

// sketchedSizes estimates all at once.
func sketchedSizes(ctx context.Context, g, transpose bsp.Graph, c RankConfig) ([]stats.Interval, error) {
	all := make([]uint32, g.Nodes())
	for v := range all {
		all[v] = uint32(v)
	}
	run := bsp.Config{}
	if c.Progress != nil {
		run.Watch = func(step bsp.Superstep) { c.Progress(fmt.Sprintf("distance %d", step.Number)) }
	}
	k, err := bsp.Neighbourhoods(ctx, run, g, transpose, bsp.Sketch{Registers: c.Registers, Seed: c.Seed, Distance: c.Distance, Nodes: all})
	if err != nil {
		return nil, err
	}
	out := make([]stats.Interval, len(all))
	for v, sizes := range k.Sizes {
		out[v] = sizes[min(c.Distance, len(sizes)-1)]
	}
	return out, nil
}
