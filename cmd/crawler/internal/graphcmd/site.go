package graphcmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/graph/survey"
	"crawler/internal/sheet"
)

var graphRank = graphVerb{
	use:   "rank DIR",
	short: "The URLs that matter most, by PageRank, by links to them, or by what they reach",
	long: `rank lists the URLs of the crawl in DIR with the highest PageRank, the share of it that
each has, and how many URLs link to it and how many it links to. URLs that were not
fetched take part: they have links to them, and none of their own.

--by reach:2 ranks by how many URLs are within two links, the size of a small
neighbourhood, which measures influence: exactly in small graphs, else by sketches with
95 % intervals.`,
	example: `  crawler graph rank example
  crawler graph rank example --by inlinks --limit 100
  crawler graph rank example --by reach:2 --undirected
  crawler graph rank example --json | jq .sections[0].table.rows`,
	args: shell.Exactly(1, "name the crawl's directory: crawler graph rank DIR"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		o.by = ranking{"pagerank", survey.ByPageRank, 0}
		f.Var(&o.by, "by", "rank by `ORDER`: pagerank, inlinks, or reach:N for what is within N links")
		f.IntVar(&o.limit, "limit", 20, "list at most `N` URLs; 0 for all")
		f.Float64Var(&o.damping, "damping", 0.85, "follow a link with the chance `P`, above 0 and below 1, and else go anywhere")
		undirectedFlag(f, o)
		registersFlag(f, o, 64)
		graphSeedFlag(f, o)
	},
	check: func(o *graphOptions) error {
		if !(o.damping > 0 && o.damping < 1) {
			return shell.UsageError("", "--damping %v: want a number above 0 and below 1", o.damping)
		}
		return o.checkNumbers()
	},
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		return g.Rank(ctx, survey.RankConfig{By: o.by.by, Distance: o.by.distance, Limit: o.limit, Damping: o.damping, Undirected: o.undirected,
			Registers: o.registers, Seed: o.seed, Progress: o.progress})
	}),
}

// ranking is --by.
type ranking struct {
	text     string
	by       survey.Measure
	distance int // of reach
}

// String implements pflag.Value.
func (r *ranking) String() string { return r.text }

// Type implements pflag.Value.
func (r *ranking) Type() string { return "order" }

// Set implements pflag.Value.
func (r *ranking) Set(s string) error {
	text, found := strings.CutPrefix(s, "reach:")
	distance, err := strconv.Atoi(text)
	switch {
	case s == "pagerank":
		*r = ranking{s, survey.ByPageRank, 0}
	case s == "inlinks":
		*r = ranking{s, survey.ByLinks, 0}
	case found && err == nil && distance >= 1 && distance <= survey.MaxReachDistance:
		*r = ranking{s, survey.ByReach, distance}
	default:
		return fmt.Errorf("%q: want pagerank, inlinks, or reach:1 to reach:%d", s, survey.MaxReachDistance)
	}
	return nil
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
