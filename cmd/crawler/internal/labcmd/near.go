package labcmd

import (
	"context"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var nearExperiment = experiment{
	use:   "near DIR|FILE...",
	short: "Near-duplicates among texts or in a crawl, with the exact answers beside",
	long: `near looks for texts that resemble each other among the files and all HTML and
text files under the directories (.html, .htm, .xhtml, .txt, .text, .md), by several
kinds of signatures, and compares all of them exactly: which pairs are found by
resemblance, how far estimates are off, what bands and thresholds do, what Bloom
filters do in the place of an index, and the clusters that a crawl would report. Two
texts' resemblance is the share of their runs of three words that both have.

If DIR is a crawl's directory, its signatures are all there is: clusters, and what bands
find of the pairs that are estimated to be similar.`,
	example: "  crawler lab near /usr/share/doc --html near.html\n  crawler lab near example --json | jq .sections",
	args: func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return shell.UsageError("name a directory of HTML and text files, or a crawl's: crawler lab near DIR|FILE...", "near takes at least 1 argument")
		}
		return nil
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		return lab.Near(ctx, lab.NearConfig{Paths: args, In: o.in, Progress: o.progress})
	},
}
