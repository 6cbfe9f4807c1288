// Package benchcmd has crawler bench, which measures this program on this machine, and the
// hidden verbs that are its parts: a server, a bare loop and a crawl, each a process of its own.
package benchcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
)

// What crawler bench may be asked for. With fewer pages start-up is all there is to
// measure.
const (
	leastBenchPages = 100
	mostBenchPages  = 1_000_000
	mostBenchConns  = 256
	mostBenchHosts  = 100_000
	mostBenchRounds = 99
)

// benchOptions are the flags of crawler bench.
type benchOptions struct {
	benchSite
	rounds int
	keep   string
	json   bool
	quiet  bool
}

// New makes crawler bench.
func New(s shell.Streams) *cobra.Command {
	o := &benchOptions{}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure this program on this machine",
		Long: `bench serves a generated site on loopback, crawls it as crawler crawl does, with
links, words, sketches, page records and the crawl's state on disk, and prints:

  pages per CPU-second  pages, by the user and system time of the crawler's process
                        from its start to its end
  bytes of memory       peak resident memory of a crawl that meets 50 URLs for each
  a URL                 page, a million at most, and fetches 500 pages of them, less
                        that of one that meets a tenth, by the difference in URLs;
                        with few --pages most of it are buffers of fixed size
  recall                share of the site's pages that the server was asked for
  duplicates            requests for a page that the crawl had asked for before
  ns a seen test        CPU time to resolve a page's link and to find its URL among as
                        many known ones, with filter and exact log in memory

Absolute figures hold for one machine and one hour. So each round also fetches the
same pages by a bare net/http loop, which looks at nothing and keeps nothing, over
as many connections; the ratio of the two is what can be compared. Server, loop and
crawls are processes of their own (this program again), so that none pays for
another. Where wget2 is on the PATH, it crawls the site, too. It takes some 20 seconds
(large a minute and a half) and touches no network.

The sizes: medium, small  a manual: prose with markup, lists, tables, listings
           docs           a reference: nested lists, signatures, highlighted code,
                          an anchor for each entry
           dense          20 sites of prose from 50,000 words, by Zipf's law
           large          2,000 pages of a manual, compressed`,
		Example: `  crawler bench
  crawler bench --size small --rounds 5
  crawler bench --size large --tls --hosts 1000
  crawler bench --json | jq .pages_per_cpu_second.median`,
		Args: shell.Exactly(0, "crawler bench takes flags only"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			show := func(string) {}
			if !o.quiet {
				show = shell.ProgressLine(s.Err)
			}
			return o.bench(c.Context(), s, show)
		},
	}
	f := c.Flags()
	o.benchSite.flags(f)
	f.IntVar(&o.rounds, "rounds", 3, "measure `N` times, for median, least and most")
	f.StringVar(&o.keep, "keep", "", "crawl into a new directory `DIR`, and keep it (default a temporary one, removed at the end)")
	f.BoolVar(&o.json, "json", false, "print the figures as JSON")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	shell.PlainErrors(f)
	settings.Prepare(c)
	c.AddCommand(newBenchServe(s), newBenchCrawl(s), newBenchLoop(s))
	return c
}

// check refuses numbers out of range.
func (o *benchOptions) check() error {
	if o.rounds < 1 || o.rounds > mostBenchRounds {
		return shell.UsageError("", "--rounds %d: want 1 to %d", o.rounds, mostBenchRounds)
	}
	return o.benchSite.check()
}

// bench measures and prints, and fails if a page was missed or fetched twice. show is
// called with what is being done.
func (o *benchOptions) bench(parent context.Context, s shell.Streams, show func(what string)) error {
	if parent == nil {
		parent = context.Background()
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, release := signal.NotifyContext(parent, signals...)
	defer release()
	dir, remove, err := o.directory()
	if err != nil {
		return err
	}
	result, err := o.measure(ctx, dir, show)
	show("")
	err = shell.FirstError(err, remove())
	switch {
	case ctx.Err() != nil || errors.Is(err, errInterrupted):
		return &shell.ExitError{Code: shell.ExitInterrupted, Err: errInterrupted}
	case err != nil:
		return err
	}
	if err := result.print(s.Out, o.json); err != nil {
		return shell.DiskError(err)
	}
	return result.verdict()
}

// directory is where the crawls go, and what removes it unless --keep names it.
func (o *benchOptions) directory() (dir string, remove func() error, err error) {
	if o.keep != "" {
		err := os.Mkdir(o.keep, 0o777)
		if errors.Is(err, os.ErrExist) {
			return "", nil, shell.UsageError("name a new directory", "--keep %s: is there already", o.keep)
		} else if err != nil {
			return "", nil, shell.DiskError(err)
		}
		return o.keep, func() error { return nil }, nil
	}
	if dir, err = os.MkdirTemp("", "crawler-bench-"); err != nil {
		return "", nil, shell.DiskError(err)
	}
	return dir, func() error {
		if err := os.RemoveAll(dir); err != nil {
			return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "remove " + dir}
		}
		return nil
	}, nil
}

// benchSite is what the parts of a measurement, each a process of its own, have to
// agree on.
type benchSite struct {
	pages       int
	size        shell.Choice
	hosts       int
	tls         bool
	concurrency int
}

func (b *benchSite) flags(f *pflag.FlagSet) {
	b.size = shell.Choice{Value: "medium", Of: []string{"small", "medium", "docs", "dense", "large"}}
	f.IntVar(&b.pages, "pages", 0, "serve a site of `N` pages (default 20000; 2000 with --size large)")
	f.Var(&b.size, "size", "serve `small|medium|docs|dense|large` pages: 2.5 KB, 12 KiB, 26 KiB, 18.5 KB or 240 KB on average")
	f.IntVar(&b.hosts, "hosts", 0, "share the pages out among `N` hosts (default 1; 20 with --size dense)")
	f.BoolVar(&b.tls, "tls", false, "serve by https")
	f.IntVarP(&b.concurrency, "concurrency", "c", 16, "fetch `N` pages at the same time")
}

// args are the flags that make another process agree.
func (b *benchSite) args() []string {
	return []string{"--pages", fmt.Sprint(b.pages), "--size", b.size.Value, "--hosts", fmt.Sprint(b.hosts),
		"--tls=" + fmt.Sprint(b.tls), "-c", fmt.Sprint(b.concurrency)}
}

// check refuses numbers out of range, and fills in what the size says.
func (b *benchSite) check() error {
	shape := benchShapes[b.size.Value]
	b.pages, b.hosts = cmp.Or(b.pages, shape.pages), cmp.Or(b.hosts, shape.hosts)
	switch {
	case b.pages < leastBenchPages || b.pages > mostBenchPages:
		return shell.UsageError("", "--pages %d: want %d to %d", b.pages, leastBenchPages, mostBenchPages)
	case b.hosts < 1 || b.hosts > min(b.pages, mostBenchHosts):
		return shell.UsageError("", "--hosts %d: want 1 to %d, and not more than pages", b.hosts, mostBenchHosts)
	case b.concurrency < 1 || b.concurrency > mostBenchConns:
		return shell.UsageError("", "--concurrency %d: want 1 to %d", b.concurrency, mostBenchConns)
	}
	return nil
}
