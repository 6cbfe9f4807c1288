package lab

import (
	"cmp"
	"context"
	"fmt"

	"crawler/frontier"
	"crawler/graph/bsp"
	"crawler/internal/sheet"
)

// OrderConfig configures Order. Zero values mean the defaults.
type OrderConfig struct {
	Web        *Web
	OrderPages int    // frontier.Config.OrderPages
	Seed       uint64 // of the random order and of the sketches

	Progress func(what string) // is called with what comes next, if not nil
}

// The budgets of the table, as shares of the pages that can be reached.
var orderBudgets = []float64{0.05, 0.1, 0.2}

const (
	orderBase  = 0.1 // the budget at which orders are compared
	curveSteps = 50  // points of a line of the plot
)

// Order crawls a web under each order of the frontier, one page at a time and every host
// always ready, and reports what share of the whole web's PageRank is fetched with a part
// of the pages. They are compared with a random order and an oracle, which takes of the
// known pages the one with most PageRank.
func Order(ctx context.Context, c OrderConfig) (*sheet.Sheet, error) {
	if c.Web == nil {
		return nil, fmt.Errorf("lab: OrderConfig.Web is missing")
	}
	if c.OrderPages < 0 {
		return nil, fmt.Errorf("lab: OrderConfig.OrderPages is %d, want 1 or more, or 0 for the default", c.OrderPages)
	}
	c.Seed = cmp.Or(c.Seed, 1)
	g := c.Web.Graph
	reachable := g.reachable()
	if reachable < minOrdered {
		return nil, fmt.Errorf("%s: only %d of %d pages can be reached from the first, want %d",
			g.Source, reachable, g.Pages(), minOrdered)
	}
	rank, err := g.pageRank(ctx)
	if err != nil {
		return nil, err
	}
	curves, err := c.curves(ctx, rank)
	if err != nil {
		return nil, err
	}
	return &sheet.Sheet{
		Title: "Which pages a crawl fetches first",
		Intro: []string{
			"What it teaches: a crawl that stops early has more of what matters if it takes the pages first that those fetched so far link to most; " +
				"breadth first has less of it, and still far more than a random order.",
			fmt.Sprintf("Link graph: %s; %s pages, %s of them reachable from the seed, %s links between them, "+
				"repeated ones included (crawler graph stats counts different links, also to what was not fetched).", g.Source,
				sheet.Group(int64(g.Pages())), sheet.Group(int64(reachable)), sheet.Group(int64(g.Links()))),
			"Each figure is the share of the whole graph's PageRank that the fetched pages have (more is better) when the crawl has " +
				"fetched the given share of the pages that can be reached. The orders are those of crawler crawl --order, run by its frontier, one " +
				"page at a time. Random takes any known page; the oracle, which no crawler can be, takes the one with most PageRank.",
		},
		Config: []sheet.Setting{{Name: "graph", Value: g.Source}, {Name: "order pages", Value: c.OrderPages}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{{Title: "Orders", Notes: orderNotes(), Table: orderTable(curves),
			Plots: []sheet.Plot{orderPlot(curves)}}},
	}, nil
}

// minOrdered is the smallest web on which a budget of 5 % is a page.
const minOrdered = 20

func orderNotes() []string {
	return []string{"Breadth first finds what stands near the seed, which on one site is much of what matters. OPIC lets a page share " +
		"what it got among its links, so that what a known page has got estimates its PageRank; in-links counts the pages " +
		"that link to it, by a sketch. Neither knows a page before a link to it was seen."}
}

// curve is what one order has fetched after each page, as a share.
type curve struct {
	name  string
	share []float64
}

// at returns the share fetched at a budget.
func (c *curve) at(budget float64) float64 {
	return c.share[max(1, int(budget*float64(len(c.share))))-1]
}

// curves crawls in every order; breadth first is first and the oracle last.
func (c *OrderConfig) curves(ctx context.Context, rank []float64) (all []curve, err error) {
	add := func(name string, crawl func() ([]uint32, error)) {
		if err != nil {
			return
		}
		if c.Progress != nil {
			c.Progress(name)
		}
		var pages []uint32
		if pages, err = crawl(); err == nil {
			all = append(all, curve{name, shares(pages, rank)})
		}
	}
	for o := frontier.BreadthFirst; o <= frontier.OPICInLinks; o++ {
		add(o.String(), func() ([]uint32, error) {
			return c.Web.crawl(ctx, frontier.Config{Delay: frontier.NoDelay, Order: o, OrderPages: c.OrderPages, OrderSeed: c.Seed})
		})
	}
	add("random", func() ([]uint32, error) { return c.Web.greedy(ctx, randomKeys(c.Web.Pages(), c.Seed)) })
	add("oracle", func() ([]uint32, error) { return c.Web.greedy(ctx, rank) })
	return all, err
}

func shares(pages []uint32, rank []float64) []float64 {
	all := 0.0
	for _, r := range rank {
		all += r
	}
	share := make([]float64, len(pages))
	sum := 0.0
	for i, p := range pages {
		sum += rank[p]
		share[i] = sum / all
	}
	return share
}

func orderTable(curves []curve) *sheet.Table {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "order"}}}
	for _, b := range orderBudgets {
		t.Columns = append(t.Columns, sheet.Column{
			Key: fmt.Sprintf("at_%g", 100*b), Name: fmt.Sprintf("at %g %%", 100*b), Unit: "of PageRank", Format: "%.3f"})
	}
	t.Columns = append(t.Columns,
		sheet.Column{Key: "of_bfs", Name: "of bfs", Unit: "at 10 %", Format: "%.2f"},
		sheet.Column{Key: "of_oracle", Name: "of oracle", Unit: "at 10 %", Format: "%.2f"})
	bfs, oracle := curves[0].at(orderBase), curves[len(curves)-1].at(orderBase)
	for _, c := range curves {
		row := []sheet.Cell{c.name}
		for _, b := range orderBudgets {
			row = append(row, c.at(b))
		}
		t.Rows = append(t.Rows, append(row, c.at(orderBase)/bfs, c.at(orderBase)/oracle))
	}
	return t
}

func orderPlot(curves []curve) sheet.Plot {
	plot := sheet.Plot{Title: "PageRank fetched", X: "pages fetched, % of those reachable", Y: "share of PageRank", YMax: 1}
	for _, c := range curves {
		line := sheet.Line{Name: c.name}
		for i := 1; i <= curveSteps; i++ {
			b := float64(i) / curveSteps
			line.Points = append(line.Points, sheet.Point{X: 100 * b, Y: c.at(b)})
		}
		plot.Lines = append(plot.Lines, line)
	}
	return plot
}

// pageRank ranks the pages; several links from one page to another are one.
func (g *Graph) pageRank(ctx context.Context) ([]float64, error) {
	linkers := make(bsp.Lists, g.Pages()) // the transpose
	for p := range uint32(g.Pages()) {
		for _, to := range g.links(p) {
			if n := len(linkers[to]); n == 0 || linkers[to][n-1] != p {
				linkers[to] = append(linkers[to], p)
			}
		}
	}
	rank, _, err := bsp.PageRank(ctx, bsp.Config{}, linkers, bsp.Rank{})
	return rank, err
}
