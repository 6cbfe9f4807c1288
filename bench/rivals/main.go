// Command rivals races the crawler against others over one generated site, served by a
// process of its own on loopback: every contestant in turn, several rounds with a
// rotated order, each a process of its own. It prints pages a second, CPU per 1,000
// pages, peak memory, recall and duplicate fetches, both as the server counted them, the
// ratio to ours, and the goals met and missed:
//
//	go run . -rounds 5
//
// docs/rivals.md says how each contestant is set up and why. CPU is user and system time
// of the contestant's process from its start to its end, those it waited for included;
// pages a second are counted between the first and the last page asked for. The
// contestants that need minutes run on a tenth of the pages, beside ours on the same.
//
// It runs on Unix; peak memory is read from /proc, so on Linux only.
//
// The exit code is 1 if a crawl of ours missed a page or fetched one twice, or if the
// race itself failed. What happens to a rival is reported and fails nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(1)
	}
}

// run is the command. Two verbs are for processes that it starts itself.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "serve":
			return serve(args[1:])
		case "bare":
			return bare(args[1:])
		}
	}
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	return o.race(ctx)
}

// options are the flags.
type options struct {
	rounds      int
	pages       int           // of the full site; a tenth of them on the short one
	connections int           // of every contestant whose number can be set
	limit       time.Duration // of one crawl
	quick       bool
	only        string // regular expression of contestants' names
	sites       string // regular expression of sites' names
	jsonFile    string
	mdFile      string
	node        string // folders with node_modules, by commas
}

func parseFlags(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("rivals", flag.ExitOnError)
	f.IntVar(&o.rounds, "rounds", 5, "rounds; slow contestants run in the first ones only")
	f.IntVar(&o.pages, "pages", 20_000, "pages of the site; slow contestants crawl a site of a tenth")
	f.IntVar(&o.connections, "c", 16, "connections of each contestant that can be told")
	f.DurationVar(&o.limit, "limit", 4*time.Minute, "end a crawl after this time")
	f.BoolVar(&o.quick, "quick", false, "one round of 2,000 pages, in a minute or two")
	f.StringVar(&o.only, "only", "", "race only the contestants whose name matches this `regexp`, and ours")
	f.StringVar(&o.sites, "sites", "", "race only on the sites whose name matches this `regexp`: 12-KiB, 2.5-KB")
	f.StringVar(&o.jsonFile, "json", "", "write every measurement to this `file`")
	f.StringVar(&o.mdFile, "md", "", "write the tables as Markdown to this `file`")
	f.StringVar(&o.node, "node", os.Getenv("RIVALS_NODE"), "`folders` with node_modules that have Crawlee and spider-rs, by commas (environment RIVALS_NODE)")
	f.Parse(args)
	if o.quick {
		o.rounds, o.pages = 1, 2_000
	}
	if f.NArg() > 0 || o.rounds < 1 || o.pages < 10 || o.connections < 1 || o.limit <= 0 {
		return o, errors.New("want no arguments, at least 1 round, 10 pages, 1 connection and a positive limit; see rivals -h")
	}
	return o, nil
}
