package readcmd

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sums"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// Fetcher brings what a broker has of a crawl's shards into an empty directory.
type Fetcher interface {
	Declare(*pflag.FlagSet)
	Fetch(ctx context.Context, address, dir string) error
}

// NewClusterReport makes crawler cluster report.
func NewClusterReport(s shell.Streams, f Fetcher) *cobra.Command {
	var asJSON bool
	var out string
	c := &cobra.Command{
		Use:   "report DIR...|nats://HOST:PORT",
		Short: "Make one report of all shards of a crawl",
		Long: `report makes one report of the shards of a crawl: of those in a cluster's DIR, of those in
the directories of all its machines, or of crawl directories given one by one. Of a shard that
stands in several, the copy that went furthest is taken. Nobody may work on them meanwhile.

Of a broker's address it is the report of the last checkpoints there, also while the crawl runs.

What is counted is exact, as a URL and a host belong to one shard; words are estimated from the
merged sketches, with intervals. With -o it is written into a directory, as report.json, report.txt
and near.jsonl.`,
		Example: `  crawler cluster report example -o example
  crawler cluster report node1/example node2/example --json | jq .pages
  crawler cluster report example/shards/000 example/shards/001`,
		Args: shell.AtLeast(1, "name the cluster's directory: crawler cluster report DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if strings.Contains(args[0], "://") {
				return mergeFetched(c.Context(), s, f, args, out, asJSON)
			}
			return merge(c.Context(), s, args, out, asJSON)
		},
	}
	f.Declare(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().StringVarP(&out, "out", "o", "", "write it into `DIR`, which must be there")
	return c
}

// mergeFetched is merge of what a broker has.
func mergeFetched(parent context.Context, s shell.Streams, f Fetcher, args []string, out string, asJSON bool) error {
	if len(args) > 1 {
		return shell.UsageError("", "name one broker, and no directories beside it")
	}
	if parent == nil {
		parent = context.Background()
	}
	ctx, release := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer release()
	tmp, err := os.MkdirTemp(out, ".report-*") // "" is the system's place
	if err != nil {
		return shell.UsageError("-o names a directory that is there", "%w", shell.Plain(err))
	}
	defer os.RemoveAll(tmp)
	if err := f.Fetch(ctx, args[0], tmp); err != nil {
		return err
	}
	return merge(ctx, s, []string{tmp}, out, asJSON)
}

// merge prints the report of all shards in some directories, and writes it into out.
func merge(parent context.Context, s shell.Streams, args []string, out string, asJSON bool) error {
	set, err := crawldir.Shards(args...)
	if err != nil {
		return err
	}
	if parent == nil {
		parent = context.Background()
	}
	ctx, release := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer release()
	if out != "" {
		if info, err := os.Stat(out); err != nil || !info.IsDir() {
			return shell.UsageError("make it first, or name the cluster's directory", "-o %s is no directory", out)
		}
	}
	var damage error
	for _, dir := range set.Dirs() {
		damages, err := crawldir.Look(dir, false)
		if err != nil {
			return unreadShard(dir, err)
		}
		if err := damages.Of(report.PagesFile, report.LinksFile); err != nil {
			return err
		}
		damage = shell.FirstError(damage, damages.Any())
	}
	r, err := shards.Report(ctx, set, shards.Config{Version: shell.Version, Out: out, Progress: shell.ProgressLine(s.Err)})
	switch {
	case ctx.Err() != nil:
		return &shell.ExitError{Code: shell.ExitInterrupted, Err: errors.New("interrupted; no report was written")}
	case err != nil:
		return unmerged(set, err)
	}
	maps.DeleteFunc(r.Files, func(name string, _ sums.File) bool {
		return strings.Contains(name, "/.report-") || strings.HasPrefix(name, ".report-")
	})
	if out != "" {
		if err := r.Save(out); err != nil {
			return shell.DiskError(err)
		}
	}
	return shell.FirstError(printReport(s.Out, r, asJSON), damage)
}

// unmerged is the error of shards of which no report can be made.
func unmerged(set shards.Set, err error) error {
	if errors.Is(err, report.ErrParts) {
		return shell.UsageError("name the shards of one crawl", "%w", err)
	}
	for _, dir := range set.Dirs() {
		if strings.Contains(err.Error(), dir) {
			return unreadShard(dir, err)
		}
	}
	return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err)}
}

// unreadShard is the error of a shard that cannot be read.
func unreadShard(dir string, err error) error {
	if errors.Is(err, store.ErrLocked) {
		return shell.UsageError("wait until it has ended, or stop it: crawler cluster stop", "a process is working on the crawl in %s", dir)
	}
	return crawldir.Unreadable(dir, err)
}
