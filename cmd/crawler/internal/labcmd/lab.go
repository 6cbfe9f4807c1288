// Package labcmd has the verbs of crawler lab, which compare filters, sketches and orders with
// each other. Each is an experiment in a table; package lab does the work.
package labcmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/sheetflags"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

// labOptions are the flags of crawler lab; each experiment has some of them.
type labOptions struct {
	sheetflags.Output
	seed uint64

	in       io.Reader
	progress func(what string)

	bits           float64
	maxURLs, pages int
	questions      int
	runs, restarts int
	orderPages     int
	moments        []int

	sample      lab.SampleConfig
	stragglers  lab.StragglersConfig
	digests     lab.DigestsConfig
	dictionary  lab.DictionaryConfig
	iceberg     lab.IcebergConfig
	chunks      lab.ChunksConfig
	keys        int
	differences []int
}

// experiment is a verb of crawler lab.
type experiment struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	flags                     func(*pflag.FlagSet, *labOptions)
	run                       func(context.Context, *labOptions, []string) (*sheet.Sheet, error)
}

// New makes crawler lab.
func New(s shell.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Compare the filters and sketches with each other and with exact answers",
		Long: `lab shows what the program's filters and sketches buy, on data of yours or
generated: as text tables, as JSON, or as one HTML page with plots.`,
		Example: `  crawler lab theory
  crawler lab filters --html filters.html
  crawler lab words /usr/share/doc
  crawler lab restart
  crawler lab order
  crawler lab near /usr/share/doc/python3
  crawler lab reconcile
  crawler lab ring`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				hint := "crawler lab --help lists the experiments"
				for _, e := range experiments {
					if name, _, _ := strings.Cut(e.use, " "); strings.HasPrefix(name, args[0]) || strings.HasPrefix(args[0], name) {
						hint = "did you mean crawler lab " + name + "?"
					}
				}
				return shell.UsageError(hint, "there is no experiment %q", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, e := range experiments {
		c.AddCommand(e.command(s))
	}
	return c
}

func (e experiment) command(s shell.Streams) *cobra.Command {
	o := &labOptions{}
	c := &cobra.Command{
		Use: e.use, Short: e.short, Long: e.long, Example: e.example, Args: e.args,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			o.progress = shell.ProgressLine(s.Err)
			o.in = s.In
			ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer release()
			context.AfterFunc(ctx, release) // a second Ctrl-C quits at once
			result, err := e.run(ctx, o, args)
			o.progress("")
			var file *fs.PathError
			var own *shell.ExitError
			switch {
			case ctx.Err() != nil:
				return &shell.ExitError{Code: shell.ExitInterrupted, Err: errors.New("interrupted; nothing was written")}
			case errors.As(err, &file):
				return &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "crawler lab " + c.Name() + " --help says what it reads"}
			case errors.As(err, &own):
				return err
			case err != nil:
				return shell.UsageError("crawler lab "+c.Name()+" --help says what it takes", "%w", err)
			}
			return o.Present(s, result)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	if e.flags != nil {
		e.flags(f, o)
	}
	o.Output.Declare(f)
	shell.PlainErrors(f)
	return c
}

// check refuses what could not be done in the end: numbers out of range, and a page
// that cannot be written.
func (o *labOptions) check(flags *pflag.FlagSet) error {
	for _, f := range []struct {
		name     string
		low, top float64
	}{
		{"bits", 1, 256}, {"max-urls", 2, lab.MaxCorpusURLs}, {"questions", 1, lab.MaxQuestions},
		{"pages", 1, lab.MaxGraphPages}, {"runs", 1, lab.MaxRuns}, {"restarts", 1, lab.MaxRestarts},
		{"order-pages", 1, lab.MaxGraphPages}, {"keys", 1, lab.MaxReconcileKeys},
	} {
		flag := flags.Lookup(f.name)
		if flag == nil {
			continue
		}
		if v, err := strconv.ParseFloat(flag.Value.String(), 64); err != nil || !(v >= f.low && v <= f.top) {
			return shell.UsageError("", "--%s %s: want %.0f to %.0f", f.name, flag.Value, f.low, f.top)
		}
	}
	return o.Output.Check()
}

func seedFlag(f *pflag.FlagSet, o *labOptions) {
	f.Uint64Var(&o.seed, "seed", 1, "derive everything random from `N`: the same seed gives the same figures, times aside")
}

var experiments = []experiment{
	{
		use:   "filters [FILE|DIR]",
		short: "Ways to remember URLs: false positives, time to ask, time to insert",
		long: `filters compares linear search, binary search, a hash table, the Bloom filter,
the multilayer filter as published and as repaired: false positives, time to ask
and time to insert against the number of URLs, at equal memory and at the
paper's. Then it asks what breaks a filter: real URLs held out, swapped and
repeated segments, known paths on new hosts.

The URLs are those of FILE, one a line (# begins a comment, - is standard input),
or of the crawl in DIR, or generated. It takes some 20 seconds.`,
		example: `  crawler lab filters
  crawler lab filters urls.txt --bits 10 --html filters.html
  crawler lab filters example --json | jq .sections`,
		args: shell.AtMost(1, "name a file of URLs or a crawl's directory, or nothing: crawler lab filters [FILE|DIR]"),
		flags: func(f *pflag.FlagSet, o *labOptions) {
			f.IntVar(&o.maxURLs, "max-urls", lab.DefaultMaxURLs, "compare on `N` URLs")
			f.Float64Var(&o.bits, "bits", lab.DefaultBitsPerURL, "give every filter `N` bits a URL")
			f.IntVar(&o.questions, "questions", lab.DefaultQuestions, "ask at most `N` questions of each kind")
			seedFlag(f, o)
		},
		run: labFilters,
	},
	{
		use:   "theory",
		short: "The figures of the literature beside what the code computes",
		long: `theory prints the tables and worked examples of the slides, notes and papers
this program rests on beside what its code computes, and marks their misprints.`,
		example: "  crawler lab theory\n  crawler lab theory --html theory.html",
		args:    shell.Exactly(0, "crawler lab theory takes flags only"),
		run: func(context.Context, *labOptions, []string) (*sheet.Sheet, error) {
			return lab.Theory(), nil
		},
	},
	{
		use:   "words FILE|DIR",
		short: "Distinct words and surprise number of a text, by every estimator and exactly",
		long: `words counts the words of FILE (- is standard input), or of all HTML and text files
under DIR (.html, .htm, .xhtml, .txt, .text, .md): how many are different and how
unevenly they are used (the second moment, "surprise number"), by every estimator
of the program, with the exact values beside; the most frequent words, and the
share that occurs once. --moments estimates moments of other orders by random positions.`,
		example: "  crawler lab words README.md\n  crawler lab words README.md --moments 0,1,2,3,4\n  crawler lab words /usr/share/doc --html words.html",
		args:    shell.Exactly(1, "name a text or HTML file, or a directory of them: crawler lab words FILE|DIR"),
		flags: func(f *pflag.FlagSet, o *labOptions) {
			f.IntSliceVar(&o.moments, "moments", nil, "estimate the moments of these orders, `K,K...` from 0 to 16")
			seedFlag(f, o)
		},
		run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
			return lab.Words(ctx, lab.WordsConfig{Path: args[0], In: o.in, Seed: o.seed, Moments: o.moments})
		},
	},
	{
		use:   "restart [DIR]",
		short: "What a crawl loses under six ways to restart its filter",
		long: `restart simulates crawls of a link graph and reports how many pages are lost, and
how many are fetched twice, when the filter of seen URLs is never restarted,
cleared, aged in two generations, rebuilt from the log with a new seed, and
rebuilt with its doubtful answers offered again or settled exactly.

The graph is that of the crawl in DIR, or of the HTML files under DIR, or
generated. The generated graph takes some 15 seconds.`,
		example: `  crawler lab restart
  crawler crawl https://example.com/ -o example && crawler lab restart example`,
		args: shell.AtMost(1, "name a crawl's directory, or a directory of HTML files, or nothing: crawler lab restart [DIR]"),
		flags: func(f *pflag.FlagSet, o *labOptions) {
			f.IntVar(&o.pages, "pages", 100_000, "generate a graph of `N` pages")
			f.IntVar(&o.runs, "runs", 5, "simulate `N` crawls for each figure")
			f.IntVar(&o.restarts, "restarts", 3, "restart the filter `N` times in a crawl")
			seedFlag(f, o)
		},
		run: labRestart,
	},
	orderExperiment,
	nearExperiment,
	sampleExperiment,
	stragglersExperiment,
	digestsExperiment,
	dictionaryExperiment,
	icebergExperiment,
	reconcileExperiment,
	ringExperiment,
	chunksExperiment,
}

func labFilters(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
	cfg := lab.CorpusConfig{MaxURLs: o.maxURLs, Seed: o.seed, In: o.in}
	var corpus *lab.Corpus
	var err error
	if len(args) == 1 {
		corpus, err = lab.LoadCorpus(ctx, args[0], cfg)
	} else {
		corpus, err = lab.GenerateCorpus(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	return lab.Filters(ctx, lab.FiltersConfig{Corpus: corpus, BitsPerURL: o.bits, Questions: o.questions, Seed: o.seed, Progress: o.progress})
}

func labRestart(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
	var g *lab.Graph
	var err error
	if len(args) == 1 {
		g, err = lab.LoadGraph(ctx, args[0])
	} else {
		g, err = lab.GenerateGraph(ctx, o.pages, o.seed)
	}
	if err != nil {
		return nil, err
	}
	return lab.Restart(ctx, lab.RestartConfig{Graph: g, Restarts: o.restarts, Runs: o.runs, Seed: o.seed, Progress: o.progress})
}
