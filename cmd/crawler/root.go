package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crawler/report"
)

// version is the program's; it stands in the user agent and in every report.
const version = "0.2.0"

// exitError carries an exit code and, where there is one, the next step.
type exitError struct {
	code int
	err  error
	hint string
	goOn bool // the hint says how the crawl continues
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage is an error of the command line, the configuration or the seeds.
func usage(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// streams are the process's; tests give their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes the command line and returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	s := streams{in: in, out: out, err: errw}
	root := newRoot(s)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = misspelt(err)
	}
	text := fmt.Sprintf("crawler: %v\n", e.err)
	if e.hint != "" {
		text += fmt.Sprintf("  -> %s\n", e.hint)
	}
	io.WriteString(errw, report.Printable(text))
	return e.code
}

// misspelt is an error of cobra's, whose suggestions take lines of their own.
func misspelt(err error) *exitError {
	e := &exitError{code: exitUsage, err: err, hint: "crawler --help lists the commands, crawler COMMAND --help the flags"}
	if text, near, ok := strings.Cut(err.Error(), "\n\nDid you mean this?\n"); ok {
		e.err, e.hint = errors.New(text), "did you mean crawler "+strings.Join(strings.Fields(near), " or ")+"?"
	}
	return e
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
