package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var digestsExperiment = experiment{
	use:   "digests",
	short: "Two crawls exchange filters of what they have: asked in vain, and missed, as these age",
	long: `digests lets one crawl ask a Bloom filter of another's pages before it asks the other
itself, as caches do (Squid's cache digests): how often it asks in vain, and how often
it misses that the other has a page, as the filter ages and by its size. The other
keeps all pages, as a crawl does, or those used last, as a cache does.`,
	example: `  crawler lab digests
  crawler lab digests --held 100000 --bits 8 --html digests.html`,
	args: shell.Exactly(0, "crawler lab digests takes flags only"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.digests.Held, "held", lab.DefaultHeld, "let the other have `N` pages when the filter is made")
		f.Float64Var(&o.digests.Bits, "bits", lab.DigestBits, "give the filter `N` bits a page")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, _ []string) (*sheet.Sheet, error) {
		o.digests.Seed, o.digests.Progress = o.seed, o.progress
		return lab.Digests(ctx, o.digests)
	},
}
