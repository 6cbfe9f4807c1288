package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"crawler/report"
	"crawler/store"
)

func newReport(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Print the report of a crawl again",
		Long:  "report prints the report of the crawl in DIR: as text, or as JSON (the schema is docs/report.md).",
		Example: `  crawler report example
  crawler report --json example | jq .pages`,
		Args: exactly(1, "name the crawl's directory: crawler report DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := report.Load(args[0])
			switch {
			case errors.Is(err, report.ErrUnfinished):
				return usage(unfinished(args[0]), "%w", err)
			case errors.Is(err, report.ErrNoReport):
				return usage("name the directory given to crawler crawl -o; a crawl writes its report when it ends", "%w", err)
			case err != nil:
				return badReport(args[0], err)
			}
			return printReport(s.out, r, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// badReport is the error of a report that cannot be read.
func badReport(dir string, err error) error {
	err = unreadable(dir, err)
	var e *exitError
	if _, noMeta := store.ReadMeta(store.Disk(), dir); noMeta == nil && !closed(err) && errors.As(err, &e) {
		e.hint = resumeCommand(dir) + " writes it again, and goes on with the crawl if that is not complete"
	}
	return err
}

// unfinished is what to do about a crawl without a report.
func unfinished(dir string) string {
	if _, err := store.ReadMeta(store.Disk(), dir); err != nil {
		return "it was killed, or still runs; its pages so far are in " + report.PagesFile + ". To crawl again, remove the directory or choose another -o"
	}
	return "it still runs, or was killed: " + resumeCommand(dir) + " goes on with it, or writes the report if that is all it lacks; its pages so far are in " + report.PagesFile
}

func printReport(w io.Writer, r *report.Report, asJSON bool) error {
	if !asJSON {
		return printText(w, r.Text())
	}
	text, err := r.JSON()
	if err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	return printText(w, string(text))
}
