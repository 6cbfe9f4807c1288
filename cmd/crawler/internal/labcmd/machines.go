package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var reconcileExperiment = experiment{
	use:   "reconcile",
	short: "How two machines find what they differ in: bytes, rounds, what is found",
	long: `reconcile compares the ways in which two machines can find the keys that only one
of them has: rateless coded symbols, sums over ranges, a Merkle tree against a
Merkle tree, filters, compressed filters, and Merkle trees in Bloom filters, by the
size of the difference. crawler diff uses them on crawls.`,
	example: `  crawler lab reconcile
  crawler lab reconcile --keys 1000000 --differences 10,1000,100000 --html reconcile.html`,
	args: shell.Exactly(0, "crawler lab reconcile takes flags only"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.keys, "keys", lab.DefaultReconcileKeys, "let each side have `N` keys")
		f.IntSliceVar(&o.differences, "differences", nil, "let so many keys differ, half on each side: `N,N,...` (default 10, 1,000 and a tenth)")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, _ []string) (*sheet.Sheet, error) {
		return lab.Reconcile(ctx, lab.ReconcileConfig{Keys: o.keys, Differences: o.differences, Seed: o.seed, Progress: o.progress})
	},
}

var ringExperiment = experiment{
	use:   "ring [FILE|DIR]",
	short: "How to divide a crawl among crawlers: balance, what moves, what is lost",
	long: `ring compares consistent hashing with rendezvous hashing and with shards: how evenly
keys are divided among 3 to 100 crawlers, and what moves when one dies or joins.
Then it divides URLs among 2 to 30 crawlers by URL, by host and by domain.

The URLs are those of FILE, one a line (# begins a comment, - is standard input), or
of the crawl in DIR, with its links and the lengths of its pages, or generated.`,
	example: `  crawler lab ring
  crawler lab ring urls.txt
  crawler lab ring example --html ring.html`,
	args: shell.AtMost(1, "name a file of URLs or a crawl's directory, or nothing: crawler lab ring [FILE|DIR]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.keys, "keys", lab.DefaultRingKeys, "measure the balance of `N` keys")
		f.IntVar(&o.pages, "pages", 100_000, "generate a web of `N` pages")
		f.IntVar(&o.maxURLs, "max-urls", lab.DefaultMaxURLs, "read `N` URLs of FILE")
		seedFlag(f, o)
	},
	run: labRing,
}

func labRing(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
	var split *lab.Split
	var err error
	if len(args) == 1 {
		split, err = lab.LoadSplit(ctx, args[0], lab.CorpusConfig{MaxURLs: o.maxURLs, Seed: o.seed, In: o.in})
	} else {
		split, err = lab.GenerateSplit(ctx, o.pages, o.seed)
	}
	if err != nil {
		return nil, err
	}
	return lab.Ring(ctx, lab.RingConfig{Split: split, Keys: o.keys, Seed: o.seed, Progress: o.progress})
}
