package graphcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/graph/survey"
	"crawler/internal/sheet"
)

var graphRank = graphVerb{
	use:   "rank DIR",
	short: "The URLs that matter most, by PageRank or by links to them",
	long: `rank lists the URLs of the crawl in DIR with the highest PageRank, the share of it that
each has, and how many URLs link to it and how many it links to. URLs that were not
fetched take part: they have links to them, and none of their own.`,
	example: `  crawler graph rank example
  crawler graph rank example --by inlinks --limit 100
  crawler graph rank example --json | jq .sections[0].table.rows`,
	args: shell.Exactly(1, "name the crawl's directory: crawler graph rank DIR"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		o.by = shell.Choice{Value: "pagerank", Of: []string{"pagerank", "inlinks"}}
		f.Var(&o.by, "by", "rank by `ORDER`: pagerank or inlinks")
		f.IntVar(&o.limit, "limit", 20, "list at most `N` URLs; 0 for all")
		f.Float64Var(&o.damping, "damping", 0.85, "follow a link with the chance `P`, above 0 and below 1, and else go anywhere")
	},
	check: func(o *graphOptions) error {
		if !(o.damping > 0 && o.damping < 1) {
			return shell.UsageError("", "--damping %v: want a number above 0 and below 1", o.damping)
		}
		return o.checkNumbers()
	},
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		c := survey.RankConfig{Limit: o.limit, Damping: o.damping, Progress: o.progress}
		if o.by.Value == "inlinks" {
			c.By = survey.ByLinks
		}
		return g.Rank(ctx, c)
	}),
}

var graphClicks = graphVerb{
	use:   "clicks DIR",
	short: "Deep, orphan and dead-end pages, broken links and who has them",
	long: `clicks is the report about a site for its owner: how many clicks its pages are from the
seeds, which are deeper than --deeper, which pages no other page links to (orphans),
which have no links (sinks), which links lead to an error and where they stand, and
which lead to redirects.

A page is an answer of status 200 to 299 in HTML. JSON is complete whatever --limit
and --linkers say, unless they are given.`,
	example: `  crawler graph clicks example
  crawler graph clicks example --deeper 4 --html site.html
  crawler graph clicks example --json | jq '.sections[] | select(.id == "broken_links")'`,
	args: shell.Exactly(1, "name the crawl's directory: crawler graph clicks DIR"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		f.IntVar(&o.deeper, "deeper", 3, "list pages that are more than `N` clicks from the seeds")
		f.IntVar(&o.limit, "limit", 20, "list at most `N` URLs in each table; 0 for all")
		f.IntVar(&o.linkers, "linkers", 5, "name at most `N` pages with a link to each; 0 for all")
	},
	check: func(o *graphOptions) error {
		if o.JSON && !o.given("limit") {
			o.limit = 0
		}
		if o.JSON && !o.given("linkers") {
			o.linkers = 0
		}
		return o.checkNumbers()
	},
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		o.progress("counting clicks")
		return g.Clicks(ctx, survey.ClicksConfig{Deeper: o.deeper, Limit: o.limit, Linkers: o.linkers})
	}),
}
