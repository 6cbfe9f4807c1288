package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var sampleExperiment = experiment{
	use:   "sample [FILE]",
	short: "Sampling by position and by key: what share occurs once, how far values lie apart",
	long: `sample draws 1 and 10 % of the positions of a stream, and 1 and 10 % of its keys, and
shows what each says beside the truth: the share of the keys that occur once and, with
--value, how far the values of a key lie apart on average (the range of salaries in a
department). Then it limits a sample of keys by giving up buckets 9, 8, 7...

Without --key the lines of FILE (- is standard input) are the keys; with it FILE is a
table, of commas or tabs, whose first line names the columns. Without FILE a stream of
queries and a table of salaries are generated.`,
	example: `  crawler lab sample
  crawler lab sample queries.txt --limit 1000
  crawler lab sample staff.csv --key Dept --value Salary --html sample.html`,
	args: shell.AtMost(1, "name a file of lines or a table, or nothing: crawler lab sample [FILE]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.StringVar(&o.sample.Key, "key", "", "take the key from `COLUMN`, a name or a number from 1")
		f.StringVar(&o.sample.Value, "value", "", "take a number from `COLUMN`")
		f.IntVar(&o.sample.Limit, "limit", 0, "give up buckets beyond `N` elements; 0 for a third of a tenth")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		o.sample.Path, o.sample.In, o.sample.Seed = first(args), o.in, o.seed
		if o.sample.Path == "" && o.sample.Key+o.sample.Value != "" {
			return nil, shell.UsageError("crawler lab sample FILE --key COLUMN --value COLUMN", "columns need a file")
		}
		return lab.Sample(ctx, o.sample)
	},
}

// first is the only argument, or nothing.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
