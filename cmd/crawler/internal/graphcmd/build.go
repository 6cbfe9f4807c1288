package graphcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/graph"
	"crawler/graph/survey"
	"crawler/internal/sheet"
)

// defaultGraphMemory is --memory of crawler graph build.
const defaultGraphMemory = 256 << 20

var graphBuild = graphVerb{
	use:   "build DIR...",
	short: "Make the link graph of a crawl",
	long: `build reads the links of the crawl in DIR and writes DIR/graph: the graph and its
transpose in the files of the WebGraph framework, the URLs, and what became of each.
What counts are links that a reader clicks or is sent along and that crawlers may
follow; --include adds others. A redirect is a URL with one link, to where it leads.

--from makes DIR of a file of edges instead, a line "from,to" or with a tab each: of any
graph, so that its figures can be compared with a web's.

Of a cluster's DIR the graph is of all its shards. Of several directories it is written
into the first, and that is the one to ask.

While the crawl runs, the graph is of what it has recorded so far. An older graph
stays until the new one is whole.`,
	example: `  crawler graph build example
  crawler graph build example --include nofollow,canonical --memory 1GiB
  crawler graph build example --max-refs -1    # smallest; slow to look up single URLs
  crawler graph build friends --from edges.csv # of any graph`,
	args: shell.AtLeast(1, "name the crawl's directory: crawler graph build DIR"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		f.StringVar(&o.from, "from", "", "make the graph of the edges in `FILE`, not of a crawl")
		f.Var(&o.memory, "memory", "sort links in about `SIZE` of memory")
		f.IntVar(&o.params.Window, "window", o.params.Window, "copy parts of lists from the `N` lists before")
		f.IntVar(&o.params.MaxRefs, "max-refs", o.params.MaxRefs, "follow at most `N` such copies to read a list; -1 for any number")
		f.IntVar(&o.params.MinInterval, "min-interval", o.params.MinInterval, "write `N` and more links in a row as an interval; 0 for none")
		f.IntVar(&o.params.ZetaK, "zeta", o.params.ZetaK, "write gaps in zeta code with the parameter `K`")
		f.StringSliceVar(&o.include, "include", nil, "count `KINDS` of links, too: "+strings.Join(survey.KindNames(), ", "))
	},
	check: func(o *graphOptions) error {
		if o.memory < leastGraphMemory {
			return shell.UsageError("", "--memory %s: want %s at least", o.memory.String(), leastSize())
		}
		for _, n := range []struct {
			name             string
			value, low, high int
		}{
			{"window", o.params.Window, 0, graph.MaxWindow}, {"max-refs", o.params.MaxRefs, -1, math.MaxInt32},
			{"min-interval", o.params.MinInterval, 0, math.MaxInt32}, {"zeta", o.params.ZetaK, 1, 16},
		} {
			if n.value < n.low || n.value > n.high {
				return shell.UsageError("", "--%s %d: want %d to %d", n.name, n.value, n.low, n.high)
			}
		}
		_, err := survey.ParseKinds(o.include)
		if err != nil {
			return shell.UsageError("", "--include: %w", err)
		}
		return nil
	},
	run: func(ctx context.Context, o *graphOptions, args []string) (*sheet.Sheet, error) {
		dir := args[0]
		if o.from != "" {
			if len(args) > 1 {
				return nil, shell.UsageError("name one directory, which is made", "--from makes one graph, not %d", len(args))
			}
			return o.buildEdges(ctx, dir)
		}
		parts, err := partsOf(args...)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			if err := crawldir.Check(part); err != nil {
				return nil, err
			}
		}
		kinds, err := survey.ParseKinds(o.include)
		if err != nil {
			return nil, err
		}
		m, err := o.build(ctx, survey.Config{Dir: dir, Parts: several(dir, parts), Memory: int64(o.memory), Params: o.params, Include: kinds})
		if err != nil {
			return nil, err
		}
		return m.Sheet(dir), nil
	},
}

// buildEdges builds the graph of a file of edges.
func (o *graphOptions) buildEdges(ctx context.Context, dir string) (*sheet.Sheet, error) {
	if len(o.include) > 0 {
		return nil, shell.UsageError("leave --include out", "edges have no kinds of which some could be included")
	}
	m, err := survey.Build(ctx, survey.Config{Dir: dir, From: o.from, Memory: int64(o.memory), Params: o.params, Progress: o.progress})
	var file *fs.PathError
	switch {
	case err == nil:
		return m.Sheet(dir), nil
	case errors.Is(err, survey.ErrCrawl):
		return nil, shell.UsageError("name a new directory", "%w", err)
	case errors.As(err, &file), ctx.Err() != nil:
		return nil, err
	}
	return nil, shell.UsageError("a line has two names, separated by a comma or a tab", "%w", err)
}

// leastGraphMemory is the least that --memory takes.
const leastGraphMemory = 4 << 20

func leastSize() string { z := shell.Size(leastGraphMemory); return z.String() }

var graphExport = graphVerb{
	use:   "export DIR",
	short: "Write the graph for Spark, WebGraph's tools or a GraphML viewer",
	long: `export writes the graph to PATH, which must not exist yet:

  csv       a folder: edges.csv (src,dst) and nodes.csv (id,url,outcome,...), as
            Spark's GraphFrames reads them
  webgraph  a folder: links.* and its transpose links-t.* for the WebGraph tools, and
            links.urls.txt with the URL of node n in line n+1
  graphml   a file, of at most 100,000 URLs and 1,000,000 links`,
	example: `  crawler graph export example --format csv -o example-csv
  crawler graph export example --format webgraph -o example-webgraph
  crawler graph export example --format graphml -o example.graphml`,
	args: shell.Exactly(1, "name the crawl's directory: crawler graph export DIR --format csv -o PATH"),
	flags: func(f *pflag.FlagSet, o *graphOptions) {
		o.format = shell.Choice{Of: []string{string(survey.CSV), string(survey.WebGraph), string(survey.GraphML)}}
		f.Var(&o.format, "format", "`FORMAT`: csv, webgraph or graphml")
		f.StringVarP(&o.out, "out", "o", "", "write to `PATH`, which must not exist yet")
	},
	check: func(o *graphOptions) error {
		switch {
		case o.format.Value == "":
			return shell.UsageError("--format csv, --format webgraph or --format graphml", "the format is missing")
		case o.out == "":
			return shell.UsageError("-o PATH, which must not exist yet", "where to write is missing")
		}
		return nil
	},
	silent: true,
	run: func(ctx context.Context, o *graphOptions, args []string) (*sheet.Sheet, error) {
		g, err := o.openGraph(ctx, args[0])
		if err != nil {
			return nil, err
		}
		defer g.Close()
		o.progress("writing " + o.out)
		switch err := g.Export(ctx, survey.Format(o.format.Value), o.out); {
		case errors.Is(err, survey.ErrThere):
			return nil, &shell.ExitError{Code: shell.ExitDisk, Err: err, Hint: "export overwrites nothing: choose another -o, or remove it"}
		case errors.Is(err, survey.ErrLarge):
			return nil, shell.UsageError("--format csv or --format webgraph take any size", "%w", err)
		case err != nil && ctx.Err() == nil:
			return nil, &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("-o %s: %w", o.out, shell.Plain(err)), Hint: "choose another -o"}
		case err != nil:
			return nil, err
		}
		o.progress("")
		o.warn("written to %s", o.out)
		return nil, nil
	},
}
