package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/frontier"
	"crawler/internal/sheet"
	"crawler/lab"
)

var orderExperiment = experiment{
	use:   "order [DIR]",
	short: "What share of PageRank a crawl has fetched, by the order of its pages",
	long: `order crawls a link graph with the frontier of crawler crawl under each --order
and reports what share of the graph's PageRank the first 5, 10 and 20 % of the pages
have, beside a random order and an oracle's.

The graph is that of the crawl in DIR, or of the HTML files under DIR, or
generated: sites of all sizes that link to each other.`,
	example: `  crawler lab order
  crawler lab order /usr/share/doc/postgresql-doc-15/html --html order.html
  crawler crawl https://example.com/ -o example && crawler lab order example`,
	args: shell.AtMost(1, "name a crawl's directory, or a directory of HTML files, or nothing: crawler lab order [DIR]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.pages, "pages", 100_000, "generate a web of `N` pages")
		f.IntVar(&o.orderPages, "order-pages", frontier.DefaultOrderPages, "let orders know at most `N` queued pages; the others come breadth first")
		seedFlag(f, o)
	},
	run: labOrder,
}

func labOrder(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
	var w *lab.Web
	var err error
	if len(args) == 1 {
		w, err = lab.LoadWeb(ctx, args[0])
	} else {
		w, err = lab.GenerateWeb(ctx, o.pages, o.seed)
	}
	if err != nil {
		return nil, err
	}
	return lab.Order(ctx, lab.OrderConfig{Web: w, OrderPages: o.orderPages, Seed: o.seed, Progress: o.progress})
}
