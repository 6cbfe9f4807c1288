// Package graphcmd has the verbs of crawler graph, which answer questions about the links of
// a crawl. Each verb is a graphVerb in a table; package survey has the answers.
package graphcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/sheetflags"
	"crawler/cmd/crawler/internal/shell"
	"crawler/graph"
	"crawler/graph/survey"
	"crawler/internal/sheet"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
	"crawler/weburl"
)

// New makes crawler graph.
func New(s shell.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "graph",
		Short: "Answer questions about a crawl's links: ranks, clicks, broken links, reach",
		Long: `graph makes the link graph of a crawl, compressed to a few bits a link, and answers
questions about it: as text tables, as JSON, or as one HTML page with plots. The
crawl needs no flag for it. Every verb builds the graph first when it is missing or
older than the crawl's records.`,
		Example: `  crawler graph stats example
  crawler graph rank example --limit 50
  crawler graph clicks example --deeper 3 --html site.html
  crawler graph neighbours example https://example.com/about
  crawler graph export example --format csv -o example-csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return shell.UsageError(graphHint(args[0]), "there is no graph command %q", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, v := range graphVerbs {
		c.AddCommand(v.command(s))
	}
	return c
}

// graphHint is the verb that somebody may have meant.
func graphHint(word string) string {
	for _, v := range graphVerbs {
		if name, _, _ := strings.Cut(v.use, " "); strings.HasPrefix(name, word) || strings.HasPrefix(word, name) {
			return "did you mean crawler graph " + name + "?"
		}
	}
	return "crawler graph --help lists the commands"
}

var graphVerbs = []graphVerb{graphBuild, graphStats, graphNeighbours, graphReach, graphRank, graphClicks, graphExport}

// graphVerb is a verb of crawler graph.
type graphVerb struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	flags                     func(*pflag.FlagSet, *graphOptions)
	check                     func(*graphOptions) error // of the flags, at first; may be nil
	run                       func(context.Context, *graphOptions, []string) (*sheet.Sheet, error)
	silent                    bool // it has no sheet
}

// graphOptions are the flags of crawler graph; each verb has some of them.
type graphOptions struct {
	sheetflags.Output
	progress func(what string)
	warn     func(format string, args ...any)
	given    func(flag string) bool // on the command line
	damage   error                  // of files that the answer did not need

	memory  shell.Size
	params  graph.Params
	include []string

	seed      uint64
	registers int
	limit     int
	linkers   int
	deeper    int
	damping   float64
	by        ranking

	from       string // a file of edges
	undirected bool
	compare    bool
	format     shell.Choice
	out        string
}

func (v graphVerb) command(s shell.Streams) *cobra.Command {
	o := &graphOptions{memory: defaultGraphMemory, params: graph.DefaultParams(), warn: func(format string, args ...any) {
		fmt.Fprint(s.Err, report.Printable(fmt.Sprintf(format+"\n", args...)))
	}}
	c := &cobra.Command{
		Use: v.use, Short: v.short, Long: v.long, Example: v.example, Args: v.args,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.Output.Check(); err != nil {
				return err
			}
			if v.check != nil {
				if err := v.check(o); err != nil {
					return err
				}
			}
			o.progress = shell.ProgressLine(s.Err)
			ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer release()
			context.AfterFunc(ctx, release) // a second Ctrl-C quits at once
			result, err := v.run(ctx, o, args)
			o.progress("")
			if err == nil && o.damage != nil && result == nil {
				err = o.damage
			}
			switch {
			case ctx.Err() != nil:
				return &shell.ExitError{Code: shell.ExitInterrupted, Err: errors.New("interrupted; nothing is left half written")}
			case err != nil:
				return graphError(args[0], err)
			case result == nil:
				return nil
			}
			return shell.FirstError(o.Present(s, result), o.damage)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	o.given = f.Changed
	v.flags(f, o)
	if !v.silent {
		o.Output.Declare(f)
	}
	shell.PlainErrors(f)
	return c
}

// graphError is what a verb ends with.
func graphError(dir string, err error) error {
	var own *shell.ExitError
	rebuild := "crawler graph build " + dir + " makes it again"
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(err, survey.ErrNoLinks):
		return shell.UsageError("an earlier version of crawler made it: crawl again with another -o", "%w", err)
	case errors.Is(err, survey.ErrEmpty):
		return &shell.ExitError{Code: shell.ExitNothing, Err: err, Hint: "crawler report " + dir + " says why, if the crawl has ended"}
	case errors.Is(err, report.ErrLinks):
		return crawldir.Damaged(dir, err)
	case crawldir.Forbidden(err):
		return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "the graph is written into " + filepath.Join(dir, survey.Folder) + ": make that writable, or copy the crawl"}
	case crawldir.Exhausted(err):
		return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "free space on the disk of " + dir + ", or repair it"}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, graph.ErrDamaged):
		return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err), Hint: rebuild}
	}
	return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err)}
}

// asking makes a verb of a question to the graph of the crawl that the first argument names.
func asking(ask func(context.Context, *graphOptions, *survey.Survey, []string) (*sheet.Sheet, error)) func(context.Context, *graphOptions, []string) (*sheet.Sheet, error) {
	return func(ctx context.Context, o *graphOptions, args []string) (*sheet.Sheet, error) {
		g, err := o.openGraph(ctx, args[0])
		if err != nil {
			return nil, err
		}
		defer g.Close()
		return ask(ctx, o, g, args)
	}
}

// openGraph opens the graph of the crawl in dir, which it builds if it has to, as it was
// built before.
func (o *graphOptions) openGraph(ctx context.Context, dir string) (*survey.Survey, error) {
	if m, err := survey.ReadManifest(dir); err == nil && m.From != "" {
		return survey.Open(dir)
	}
	m, err := survey.Check(dir)
	parts := []string(nil)
	if m != nil && !shards.IsCluster(dir) {
		parts = m.PartsIn(dir) // as it was built
	}
	if parts == nil {
		var err error
		if parts, err = partsOf(dir); err != nil {
			return nil, err
		}
	}
	bad, unsound := o.look(parts, false)
	if unsound != nil {
		return nil, unsound
	}
	if err == nil && m.BadRecords > 0 && !bad {
		err = survey.ErrStale // they are sound again
	}
	switch {
	case errors.Is(err, survey.ErrMissing):
		o.warn("the graph of %s was not built yet: building it", dir)
	case errors.Is(err, survey.ErrStale):
		o.warn("the graph of %s is older than the crawl's records: building it again", dir)
	case err != nil:
		return nil, err
	default:
		return survey.Open(dir)
	}
	c := survey.Config{Dir: dir, Parts: several(dir, parts), Memory: int64(o.memory)}
	if m != nil {
		if c.Include, err = survey.ParseKinds(m.Include); err != nil {
			return nil, err
		}
		c.Params = m.Params()
	}
	if _, err := o.build(ctx, c); err != nil {
		return nil, err
	}
	return survey.Open(dir)
}

// partsOf returns the directories of the crawl that some are, or have the shards of.
func partsOf(dirs ...string) ([]string, error) {
	set, err := crawldir.Shards(dirs...)
	return set.Dirs(), err
}

// several is the Parts of a survey.Config: nil of a crawl with one directory.
func several(dir string, parts []string) []string {
	if slices.Equal(parts, []string{dir}) {
		return nil
	}
	return parts
}

// look refuses a crawl whose records are damaged; other damage is told in the end. A file of links
// that is as long as it was may have bad records: the others are served.
func (o *graphOptions) look(dirs []string, whole bool) (links bool, err error) {
	for _, dir := range dirs {
		bad, err := o.lookAt(dir, whole)
		if err != nil {
			return false, err
		}
		links = links || bad
	}
	return links, nil
}

func (o *graphOptions) lookAt(dir string, whole bool) (links bool, err error) {
	if err := crawldir.Check(dir); err != nil {
		return false, err
	}
	damages, err := crawldir.Look(dir, whole)
	if err != nil {
		return false, err
	}
	o.damage = shell.FirstError(o.damage, damages.Any())
	if err := damages.Of(report.PagesFile, report.RedirectsFile, report.SkippedFile); err != nil {
		return false, err
	}
	if links = damages.Altered(report.LinksFile); links {
		return true, nil
	}
	return false, damages.Of(report.LinksFile)
}

// build builds the graph and says what it is of, if the crawl has not ended.
func (o *graphOptions) build(ctx context.Context, c survey.Config) (*survey.Manifest, error) {
	parts := c.Parts
	if parts == nil {
		parts = []string{c.Dir}
	}
	for _, dir := range parts {
		if _, err := report.Load(dir); errors.Is(err, report.ErrUnfinished) {
			o.warn("the crawl in %s has not ended: the graph is of what it has recorded so far", dir)
			break
		}
	}
	if _, err := o.look(parts, true); err != nil {
		return nil, err
	}
	c.Progress = o.progress
	m, err := survey.Build(ctx, c)
	if err == nil && m.BadRecords > 0 {
		o.warn("the graph lacks %s of %s that cannot be read; all others are in it", shell.Counted(m.BadRecords, "line"), report.LinksFile)
		if o.damage == nil { // a crawl that is running
			o.damage = crawldir.Damaged(c.Dir, fmt.Errorf("%s is damaged: it has bad records", filepath.Join(c.Dir, report.LinksFile)))
		}
	}
	return m, err
}

// findURL returns the node of a URL, which may be written in any way; what the crawl dropped
// from URLs is dropped from it.
func findURL(g *survey.Survey, dir, text string) (int, error) {
	if g.Manifest.From != "" {
		node, ok, err := g.Find(text)
		if err == nil && !ok {
			err = &shell.ExitError{Code: shell.ExitNothing, Err: fmt.Errorf("%q is not in the graph of %s", text, dir), Hint: "name it as the edges do"}
		}
		return node, err
	}
	parts := g.Manifest.PartsIn(dir)
	if parts == nil {
		parts = []string{dir}
	}
	meta, _ := store.ReadMeta(store.Disk(), parts[0]) // none without --durable
	u, err := weburl.Options{DropParams: meta.Flags["drop-params"]}.Parse(text)
	if err != nil {
		return 0, shell.UsageError("give an absolute http or https URL", "%w%s", err, shell.MeantURL(text))
	}
	node, ok, err := g.Find(u.String())
	if err != nil || ok {
		return node, err
	}
	hint := "crawler why " + dir + " " + u.String() + " says more"
	if story, err := report.WhyIn(parts, u, true); err == nil && len(story.Closest) > 0 {
		hint = "the closest ones: " + strings.Join(story.Closest, " ")
	}
	return 0, &shell.ExitError{Code: shell.ExitNothing, Err: fmt.Errorf("%s is not in the graph of %s", u, dir), Hint: hint}
}
