package graphcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/graph/bsp"
	"crawler/graph/survey"
	"crawler/internal/sheet"
)

// maxListed is the largest --limit.
const maxListed = 10_000_000

var graphStats = graphVerb{
	use:   "stats DIR",
	short: "How large the graph is, and how it is shaped",
	long: `stats describes the links of the crawl in DIR: URLs and links, bits a link, links a URL
and the power law they follow, how many links stay within a host and a directory, what
neighbours in URL order have in common, weak and strong components with the law of their
sizes, and how far URLs are from each other. --html has a picture of all links.`,
	example: "  crawler graph stats example\n  crawler graph stats example --html stats.html\n  crawler graph stats example --compare",
	args:    shell.Exactly(1, "name the crawl's directory: crawler graph stats DIR"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		f.BoolVar(&o.compare, "compare", false, "compress the graph shuffled, and a random graph, too: what the order of URLs is worth")
		registersFlag(f, o, 64)
		graphSeedFlag(f, o)
	},
	check: (*graphOptions).checkNumbers,
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		return g.Stats(ctx, survey.StatsConfig{Registers: o.registers, Seed: o.seed, Compare: o.compare, Progress: o.progress})
	}),
}

var graphNeighbours = graphVerb{
	use:   "neighbours DIR URL",
	short: "Which URLs a URL links to, and which link to it",
	long: `neighbours lists the links of URL and the links to it, with what became of each: its
status, "redirect", or why it was not fetched.`,
	example: `  crawler graph neighbours example https://example.com/about
  crawler graph neighbours example https://example.com/about --limit 0 --json`,
	args: shell.Exactly(2, "name the crawl's directory and a URL: crawler graph neighbours DIR URL"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		f.IntVar(&o.limit, "limit", 50, "list at most `N` of each; 0 for all")
	},
	check: (*graphOptions).checkNumbers,
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		node, err := findURL(g, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return g.Neighbours(node, o.limit)
	}),
}

var graphReach = graphVerb{
	use:   "reach DIR [URL]",
	short: "How many URLs can be reached by 1, 2, 3... links",
	long: `reach counts how many URLs can be reached from URL by 1, 2, 3... links: exactly up to
100,000, else by sketches (HyperLogLog counters, one a URL) with 95 % intervals.
Without a URL it estimates the same for all URLs together: the neighbourhood function
(HyperANF), the effective diameter and the mean distance.`,
	example: `  crawler graph reach example https://example.com/
  crawler graph reach example --undirected
  crawler graph reach example --registers 256 --html reach.html`,
	args: shell.Between(1, 2, "name the crawl's directory, and a URL if you like: crawler graph reach DIR [URL]"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		undirectedFlag(f, o)
		registersFlag(f, o, 64)
		graphSeedFlag(f, o)
	},
	check: (*graphOptions).checkNumbers,
	run: asking(func(ctx context.Context, o *graphOptions, g *survey.Survey, args []string) (*sheet.Sheet, error) {
		c := survey.ReachConfig{Registers: o.registers, Seed: o.seed, Undirected: o.undirected, Progress: o.progress}
		if len(args) == 1 {
			return g.ReachAll(ctx, c)
		}
		node, err := findURL(g, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return g.Reach(ctx, node, c)
	}),
}

func registersFlag(f *pflag.FlagSet, o *graphOptions, value int) {
	f.IntVar(&o.registers, "registers", value, "give each URL's sketch `N` registers, a power of two from 16 to 1024; more are more exact and take more memory")
}

func undirectedFlag(f *pflag.FlagSet, o *graphOptions) {
	f.BoolVar(&o.undirected, "undirected", false, "follow links both ways, as if they joined equals")
}

func graphSeedFlag(f *pflag.FlagSet, o *graphOptions) {
	f.Uint64Var(&o.seed, "seed", 1, "derive the sketches from `N`: the same seed gives the same figures")
}

// checkNumbers refuses numbers out of range before the graph is built.
func (o *graphOptions) checkNumbers() error {
	r := o.registers
	switch {
	case r != 0 && (r < bsp.MinRegisters || r > bsp.MaxRegisters || r&(r-1) != 0) || r < 0:
		return shell.UsageError("", "--registers %d: want a power of two from %d to %d", r, bsp.MinRegisters, bsp.MaxRegisters)
	case o.limit < 0 || o.limit > maxListed:
		return shell.UsageError("", "--limit %d: want 1 to %d, or 0 for all", o.limit, maxListed)
	case o.linkers < 0 || o.linkers > maxListed:
		return shell.UsageError("", "--linkers %d: want 1 to %d, or 0 for all", o.linkers, maxListed)
	case o.deeper < 0:
		return shell.UsageError("", "--deeper %d: want 0 or more", o.deeper)
	}
	return nil
}
