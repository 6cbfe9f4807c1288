package clustercmd

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/shell"
)

// Fetcher brings the last checkpoints of a crawl here, for a report of them.
type Fetcher struct {
	brokerFlags
	checkpoints string
}

// Declare declares the flags by which the broker is reached.
func (f *Fetcher) Declare(set *pflag.FlagSet) {
	f.declare(set)
	set.StringVar(&f.id, "id", "", "the crawl's `ID`, if the broker has several")
	set.StringVar(&f.checkpoints, "checkpoints", "", "`DIR` with the checkpoints, if the crawl was started with that flag")
}

// Fetch puts them into dir, which is empty. All shards must have one.
func (f *Fetcher) Fetch(ctx context.Context, address, dir string) error {
	nc, err := connect(f.broker(address, false), "crawler cluster report")
	if err != nil {
		return err
	}
	defer nc.Close()
	c, err := find(ctx, nc, f.id)
	if err != nil {
		return err
	}
	blobs, err := checkpoints(ctx, c, f.checkpoints)
	if err != nil {
		return err
	}
	none, err := c.Fetch(ctx, blobs, dir)
	switch {
	case err != nil:
		return &shell.ExitError{Code: shell.ExitFailed, Err: err}
	case len(none) > 0:
		return &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("%s of crawl %s has no checkpoint yet, the first of them %s", shell.Counted(len(none), "shard"), c.Settings.ID, cluster.ShardName(none[0])),
			Hint: "wait for --checkpoint-every, or name the directories of all machines once the crawl has ended"}
	}
	return nil
}
