package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var chunksExperiment = experiment{
	use:   "chunks [FILE|DIR]",
	short: "How few chunks of a file are read with a filter on each, by the filters' size",
	long: `chunks cuts records into chunks, each with a Bloom filter of its URLs or of its words,
and asks for values that are there and for others: which share of the chunks must be
read, by the filters' size and the chunks', with what theory expects.

The pages are all HTML and text files under DIR, or FILE (- is standard input), or
generated.`,
	example: `  crawler lab chunks
  crawler lab chunks /usr/share/doc/postgresql-doc-15 --html chunks.html`,
	args: shell.AtMost(1, "name a directory of HTML and text files, or nothing: crawler lab chunks [FILE|DIR]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.chunks.Pages, "pages", lab.DefaultChunkPages, "without a directory, make `N` pages up")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		o.chunks.Path, o.chunks.In, o.chunks.Seed, o.chunks.Progress = first(args), o.in, o.seed, o.progress
		return lab.Chunks(ctx, o.chunks)
	},
}
