package labcmd

import (
	"context"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
	"crawler/lab"
)

var stragglersExperiment = experiment{
	use:   "stragglers [FILE]",
	short: "Who is left of those who came and went, by an invertible Bloom filter",
	long: `stragglers reads who comes and goes, and names those who are left at the end, from a
table whose size is that of the few who are left; beside an exact list. Then it
measures how many can be left for a table of its size.

FILE (- is standard input) has lines "in ID" and "out ID", or "+ ID" and "- ID". Without
it a day is generated. It takes some 5 seconds.`,
	example: `  crawler lab stragglers
  crawler lab stragglers door.log --cells 1000
  printf 'in Ada\nin Bob\nout Ada\n' | crawler lab stragglers -`,
	args: shell.AtMost(1, "name a file of comings and goings, or nothing: crawler lab stragglers [FILE]"),
	flags: func(f *pflag.FlagSet, o *labOptions) {
		f.IntVar(&o.stragglers.Cells, "cells", lab.DefaultStragglerCells, "give the table `N` cells of 32 bytes")
		seedFlag(f, o)
	},
	run: func(ctx context.Context, o *labOptions, args []string) (*sheet.Sheet, error) {
		o.stragglers.Path, o.stragglers.In, o.stragglers.Seed, o.stragglers.Progress = first(args), o.in, o.seed, o.progress
		return lab.Stragglers(ctx, o.stragglers)
	},
}
