package main

import (
	"io"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/benchcmd"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/graphcmd"
	"crawler/cmd/crawler/internal/labcmd"
	"crawler/cmd/crawler/internal/readcmd"
	"crawler/cmd/crawler/internal/shell"
)

// run executes the command line and returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	return shell.Execute(newRoot(shell.Streams{In: in, Out: out, Err: errw}), args, errw)
}

func newRoot(s shell.Streams) *cobra.Command {
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
	root.SetVersionTemplate("crawler {{.Version}}\n")
	root.AddCommand(crawlcmd.NewCrawl(s), crawlcmd.NewResume(s), readcmd.NewReport(s), readcmd.NewWhy(s), graphcmd.New(s), crawlcmd.NewDemo(s), labcmd.New(s), benchcmd.New(s), newVersion(s))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	addExitCodes(root)
	return root
}
