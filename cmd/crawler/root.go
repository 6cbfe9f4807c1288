package main

import (
	"io"

	"github.com/spf13/cobra"
)

// run executes the command line and returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	return execute(newRoot(streams{in: in, out: out, err: errw}), args, errw)
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "crawler",
		Short: "Crawl web sites politely, every page once, and report what was found",
		Long: `crawler visits every page that can be reached from a few seeds, once. It obeys
robots.txt, asks each host one page a second, remembers what it has seen in a
multilayer Bloom filter with an exact check behind it, and ends with a report:
pages and what was skipped and why, distinct words and surprise number of every
site, and the filter's measured rate of false positives. A crawl that was stopped,
was killed or crashed goes on where it was.`,
		Example: `  crawler demo
  crawler crawl https://example.com/ -o example
  crawler resume example
  crawler why example https://example.com/about
  crawler report example`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
	}
	root.SetIn(s.in)
	root.SetOut(unwritable{s.out})
	root.SetErr(s.err)
	root.SetVersionTemplate("crawler {{.Version}}\n")
	root.AddCommand(newCrawl(s), newResume(s), newReport(s), newWhy(s), newGraph(s), newDemo(s), newLab(s), newBench(s), newVersion(s))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	addExitCodes(root)
	return root
}
