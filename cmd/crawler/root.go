package main

import (
	"io"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/archivecmd"
	"crawler/cmd/crawler/internal/benchcmd"
	"crawler/cmd/crawler/internal/checkcmd"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/diffcmd"
	"crawler/cmd/crawler/internal/graphcmd"
	"crawler/cmd/crawler/internal/labcmd"
	"crawler/cmd/crawler/internal/readcmd"
	"crawler/cmd/crawler/internal/shell"
)

// verbs make the commands by their names.
var verbs = map[string]func(shell.Streams) *cobra.Command{
	"crawl": crawlcmd.NewCrawl, "resume": crawlcmd.NewResume, "demo": crawlcmd.NewDemo,
	"report": readcmd.NewReport, "why": readcmd.NewWhy, "robots": readcmd.NewRobots,
	"archive": archivecmd.New, "check": checkcmd.New, "diff": diffcmd.New, "graph": graphcmd.New, "cluster": newCluster,
	"lab": labcmd.New, "bench": benchcmd.New, "version": newVersion,
}

// run executes the command line and returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	return shell.Execute(newRoot(shell.Streams{In: in, Out: out, Err: errw}, args), args, errw)
}

// newRoot makes the tree of commands for a command line. All of them have some 300 flags between
// them, and a third of what it takes to start is to declare these; so a command line that begins
// with a verb gets that one alone. Whoever asks for help, completes words or mistypes gets all.
func newRoot(s shell.Streams, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "crawler",
		Short: "Crawl web sites politely, every page once, and report what was found",
		Long: `crawler visits every page that can be reached from a few seeds, once. It obeys
robots.txt, asks each host one page a second, remembers what it has seen in a
multilayer Bloom filter with an exact check behind it, and ends with a report:
pages and what was skipped and why, distinct words and surprise number of every
site, and the filter's measured rate of false positives. A crawl that was stopped,
was killed or crashed continues where it was.`,
		Example: `  crawler demo
  crawler crawl https://example.com/ -o example
  crawler resume example
  crawler why example https://example.com/about
  crawler report example`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       shell.Version,
	}
	root.SetIn(s.In)
	root.SetOut(unwritable{s.Out})
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(shell.FlagError)
	if verb := verbs[first(args)]; verb != nil {
		root.AddCommand(verb(s))
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		for _, verb := range verbs {
			root.AddCommand(verb(s))
		}
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
		refuseOtherShells(root)
	}
	addExitCodes(root)
	root.SetUsageFunc(shell.Usage)
	return root
}

// first is the first word, or "".
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// refuseOtherShells makes an unknown shell a wrong usage: cobra prints the help and exits with 0,
// which a shell's start-up file would then evaluate.
func refuseOtherShells(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // cobra adds none to a program without commands
	}
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return shell.UsageError("crawler completion --help lists the shells", "there is no completion for the shell %q", args[0])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}
