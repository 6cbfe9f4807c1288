package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"crawler/internal/sheet"
)

// RestartConfig configures Restart. Zero values mean the defaults.
type RestartConfig struct {
	Graph    *Graph
	Bits     []float64 // of filter memory for each page; default 8, 10, 12, 16
	Restarts int       // how often during a crawl; default 3
	Runs     int       // crawls simulated for each figure, with other seeds; default 5
	Seed     uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Limits of a RestartConfig.
const (
	MaxRestarts = 1000
	MaxRuns     = 1000

	minReachable = 2
)

func (c RestartConfig) withDefaults() (RestartConfig, error) {
	if len(c.Bits) == 0 {
		c.Bits = []float64{8, 10, 12, 16}
	}
	c.Restarts, c.Runs = cmp.Or(c.Restarts, 3), cmp.Or(c.Runs, 5)
	switch {
	case c.Graph == nil:
		return c, fmt.Errorf("lab: RestartConfig.Graph is missing")
	case c.Restarts < 1 || c.Restarts > MaxRestarts:
		return c, fmt.Errorf("lab: RestartConfig.Restarts is %d, want 1 to %d, or 0 for 3", c.Restarts, MaxRestarts)
	case c.Runs < 1 || c.Runs > MaxRuns:
		return c, fmt.Errorf("lab: RestartConfig.Runs is %d, want 1 to %d, or 0 for 5", c.Runs, MaxRuns)
	}
	for _, b := range c.Bits {
		if !(b >= 1 && b <= 256) {
			return c, fmt.Errorf("lab: RestartConfig.Bits has %v, want 1 to 256", b)
		}
	}
	return c, nil
}

// Restart simulates breadth-first crawls of a link graph, every link going through a
// blocked Bloom filter, under each restart policy and with each amount of memory, and
// reports the pages lost and those fetched twice.
func Restart(ctx context.Context, c RestartConfig) (*sheet.Sheet, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	reachable := c.Graph.reachable()
	if reachable < minReachable {
		return nil, fmt.Errorf("%s: only %d of %d pages can be reached from the first, which is too few for a crawl",
			c.Graph.Source, reachable, c.Graph.Pages())
	}
	table := &sheet.Table{Columns: []sheet.Column{
		{Name: "filter", Unit: "bits/page", Format: "%.3g"}, {Name: "policy"},
		{Name: "lost", Unit: "pages", Format: "%.2f"}, {Name: "sd", Unit: "pages", Format: "%.2f"}, {Name: "of all", Unit: "%", Format: "%.4f"},
		{Name: "again", Unit: "per page", Format: "%.2f"}, {Name: "restarts", Format: "%.0f"},
		{Name: "maybes", Unit: "per page", Format: "%.1f"}, {Name: "cut", Unit: "runs"},
	}}
	plot := sheet.Plot{Title: "Pages lost", X: "filter memory, bits a page", Y: "pages lost, mean", LogY: true}
	for p := range policies {
		line := sheet.Line{Name: policyNames[p]}
		for _, bits := range c.Bits {
			if c.Progress != nil {
				c.Progress(fmt.Sprintf("%s, %g bits a page", policyNames[p], bits))
			}
			mean, err := c.average(ctx, p, reachable, bits)
			if err != nil {
				return nil, err
			}
			table.Rows = append(table.Rows, mean.row(bits, p, float64(reachable)))
			if mean.cut == 0 { // otherwise it lost pages for lack of time
				line.Points = append(line.Points, sheet.Point{X: bits, Y: mean.lost})
			}
		}
		plot.Lines = append(plot.Lines, line)
	}
	return &sheet.Sheet{
		Title: "What a crawl loses when its filter is restarted",
		Intro: []string{
			"What it teaches: to clear a filter that is full costs pages that are fetched again, and to keep it costs pages that are lost; only one " +
				"that is rebuilt from an exact log, and asks that log about every maybe, costs neither.",
			fmt.Sprintf("Link graph: %s; %s pages, %s of them reachable from the seed, %s links.", c.Graph.Source,
				sheet.Group(int64(c.Graph.Pages())), sheet.Group(int64(reachable)), sheet.Group(int64(c.Graph.Links()))),
			fmt.Sprintf("Each figure is the mean of %d simulated crawls, breadth first, in which every link asks a blocked Bloom filter "+
				"(one line a key). Filter is its memory over all pages that can be reached, in whole lines of 512 bits; of lost pages (mean "+
				"and standard deviation) and repeated fetches fewer are better; maybes are answers logged for later. A restart is due after every 1/%d of the pages admitted. A policy that forgets may go in circles, so "+
				"clearing stops after %d restarts, and a crawl is cut short when it has fetched %d times the number of pages: its repeated fetches "+
				"are then a lower bound.",
				c.Runs, c.Restarts+1, c.Restarts, maxRefetch),
		},
		Config: []sheet.Setting{{Name: "graph", Value: c.Graph.Source}, {Name: "restarts", Value: c.Restarts}, {Name: "runs", Value: c.Runs},
			{Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{{Title: "Policies", Notes: policyNotes(), Table: table, Plots: []sheet.Plot{plot}}},
	}, nil
}

func policyNotes() []string {
	return []string{
		"A filter that is never restarted loses every page whose links all met a false positive. Clearing forgets what was seen. " +
			"Ageing generations forget it later, and repeatedly. Rebuilding from the exact log of admitted pages, with a new seed, " +
			"forgets nothing, and gives a lost page another chance when it is linked again.",
		"What a filter calls \"maybe seen\" can be logged and offered to the next filter, which errs on other pages; or looked up in the " +
			"exact log at the restart, and as often as needed before the crawl may end: then nothing is lost, whatever the filter's size. " +
			"crawler crawl looks up every maybe at once.",
	}
}

// means are the averages of several outcomes.
type means struct {
	lost, square, again, restarts, maybes float64
	cut                                   int
}

func (c *RestartConfig) average(ctx context.Context, p policy, reachable int, bits float64) (m means, err error) {
	n := float64(c.Runs)
	for run := range c.Runs {
		o := simulate(ctx, c.Graph, p, reachable, bits, c.Restarts, c.Seed+uint64(run))
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
		m.lost += float64(o.lost) / n
		m.square += float64(o.lost) * float64(o.lost) / n
		m.again += float64(o.again) / n
		m.restarts += float64(o.restarts) / n
		m.maybes += float64(o.maybes) / n
		if o.cut {
			m.cut++
		}
	}
	return m, nil
}

func (m *means) row(bits float64, p policy, reachable float64) []sheet.Cell {
	deviation := math.Sqrt(max(0, m.square-m.lost*m.lost))
	return []sheet.Cell{bits, policyNames[p], m.lost, deviation, 100 * m.lost / reachable, m.again / reachable,
		m.restarts, m.maybes / reachable, m.cut}
}
