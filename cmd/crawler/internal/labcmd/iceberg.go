package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var icebergExperiment = experiment{
	use:   "iceberg FILE|DIR",
	short: "Which words occur more than T times, by a spectral Bloom filter",
	long: `iceberg counts the words of FILE (- is standard input), or of all HTML and text files
under DIR, or with --lines the lines of FILE, in a spectral Bloom filter by its three
methods, and asks which occur more than --over times: how many of them each method
misses, and adds, beside exact counts, by threshold and by memory. --ask asks how often
one key occurs.`,
	example: `  crawler lab iceberg README.md --over 20
  crawler lab iceberg queries.txt --lines --over 1000 --bytes 2
  crawler lab iceberg /usr/share/doc --ask crawler --ask filter`,
	args: shell.Exactly(1, "name a text, or a directory of them, or with --lines a file: crawler lab iceberg FILE|DIR"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.iceberg.Over, "over", lab.DefaultOver, "ask which occur more than `T` times")
		f.Float64Var(&o.iceberg.Bytes, "bytes", lab.DefaultAskBytes, "give the filter `N` bytes for each different key")
		f.BoolVar(&o.iceberg.Lines, "lines", false, "count whole lines, not words")
		f.StringArrayVar(&o.iceberg.Ask, "ask", nil, "ask how often `KEY` occurs; may be repeated")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		o.iceberg.Path, o.iceberg.In, o.iceberg.Seed = args[0], o.in, o.seed
		return lab.Iceberg(ctx, o.iceberg)
	},
}
