package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var dictionaryExperiment = experiment{
	use:   "dictionary [FILE|DIR]",
	short: "Accesses to a dictionary on disk that a filter of its words saves (Bloom 1970)",
	long: `dictionary is the example with which Bloom introduced his filter: most words are
hyphenated by a rule, the others stand in a list on disk. A filter of the list in
memory says for which words the disk need not be asked: accesses, saved ones and
those in vain, by the filter's size.

The text is FILE (- is standard input), or all HTML and text files under DIR, or
generated. --exceptions names the list, a word a line; without it a tenth of the
words is chosen.`,
	example: `  crawler lab dictionary
  crawler lab dictionary book.txt --exceptions irregular.txt
  crawler lab dictionary /usr/share/doc --share 0.2 --html dictionary.html`,
	args: shell.AtMost(1, "name a text, or a directory of them, or nothing: crawler lab dictionary [FILE|DIR]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.StringVar(&o.dictionary.Exceptions, "exceptions", "", "read the words that need the dictionary from `FILE`")
		f.Float64Var(&o.dictionary.Share, "share", lab.DefaultExceptions, "without a file, let the share `P` of the words need it")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		o.dictionary.Path, o.dictionary.In, o.dictionary.Seed = first(args), o.in, o.seed
		return lab.Dictionary(ctx, o.dictionary)
	},
}
