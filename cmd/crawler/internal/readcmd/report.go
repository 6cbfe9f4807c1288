package readcmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// NewReport makes crawler report.
func NewReport(s shell.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Print the report of a crawl again",
		Long: `report prints the report of the crawl in DIR: as text, or as JSON (the schema is
docs/report.md). Of several directories, the shards of one crawl, it makes one report; of a
cluster's DIR it prints that of all its shards.`,
		Example: `  crawler report example
  crawler report --json example | jq .pages`,
		Args: shell.AtLeast(1, "name the crawl's directory: crawler report DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || shards.IsCluster(args[0]) && !hasReport(args[0]) {
				return merge(c.Context(), s, args, "", asJSON)
			}
			r, err := report.Load(args[0])
			switch {
			case errors.Is(err, report.ErrUnfinished):
				return shell.UsageError(unfinished(args[0]), "%w", err)
			case errors.Is(err, report.ErrNoReport):
				return shell.UsageError("name the directory given to crawler crawl -o; a crawl writes its report when it ends", "%w", err)
			case err != nil:
				return badReport(args[0], err)
			}
			damages, err := crawldir.Look(args[0], false)
			return shell.FirstError(printReport(s.Out, r, asJSON), err, damages.Any())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// hasReport reports whether there is a report in a directory, sound or not.
func hasReport(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, report.JSONFile))
	return err == nil
}

// badReport is the error of a report that cannot be read.
func badReport(dir string, err error) error {
	err = crawldir.Unreadable(dir, err)
	var e *shell.ExitError
	if _, noMeta := store.ReadMeta(store.Disk(), dir); noMeta == nil && !crawldir.Forbidden(err) && errors.As(err, &e) {
		e.Hint = crawldir.ResumeCommand(dir) + " writes it again, and continues the crawl if that is not complete"
	}
	return err
}

// unfinished is what to do about a crawl without a report.
func unfinished(dir string) string {
	if _, err := store.ReadMeta(store.Disk(), dir); err != nil {
		return "it was killed, or still runs; its pages so far are in " + report.PagesFile + ". To crawl again, remove the directory or choose another -o"
	}
	return "it still runs, or was killed: " + crawldir.ResumeCommand(dir) + " continues it, or writes the report if that is all it lacks; its pages so far are in " + report.PagesFile
}

func printReport(w io.Writer, r *report.Report, asJSON bool) error {
	if !asJSON {
		return shell.Print(w, r.Text())
	}
	text, err := r.JSON()
	if err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: err}
	}
	return shell.Print(w, string(text))
}
