package clustercmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
)

// askWait bounds what a verb that only asks waits for the broker.
const askWait = 30 * time.Second

// asking is a verb that asks a crawl something, or tells it.
type asking struct {
	brokerFlags
	insecure, asJSON bool
	wait             time.Duration // for all; 0 is askWait
}

// verb makes the command of one.
func (a *asking) verb(use, short, long string, run func(ctx context.Context, c *cluster.Crawl, nc *nats.Conn) error) *cobra.Command {
	c := &cobra.Command{
		Use: use + " nats://HOST:PORT", Short: short, Long: long,
		Example: "  crawler cluster " + use + " nats://127.0.0.1:4222",
		Args:    shell.Exactly(1, "name the broker: crawler cluster "+use+" nats://HOST:PORT"),
		RunE: func(c *cobra.Command, args []string) error {
			parent := c.Context()
			if parent == nil {
				parent = context.Background()
			}
			ctx, cancel := context.WithTimeout(parent, cmp.Or(a.wait, askWait))
			defer cancel()
			nc, err := connect(a.broker(args[0], a.insecure), "crawler cluster "+use)
			if err != nil {
				return err
			}
			defer nc.Close()
			cr, err := find(ctx, nc, a.id)
			if err != nil {
				return err
			}
			return run(ctx, cr, nc)
		},
	}
	a.declare(c.Flags())
	c.Flags().StringVar(&a.id, "id", "", "the crawl's `ID`, if the broker has several")
	c.Flags().BoolVar(&a.insecure, "insecure", false, "the same as --insecure-broker")
	c.Flags().BoolVar(&a.asJSON, "json", false, "print JSON")
	return c
}

// NewStatus makes crawler cluster status.
func NewStatus(s shell.Streams) *cobra.Command {
	a := &asking{}
	return a.verb("status", "Print how a crawl on several machines stands",
		`status prints what the nodes and shards of a crawl have said last: who has which shard, pages and
queues, links that wait for the broker, and when each shard was last copied to its checkpoint.`,
		func(ctx context.Context, c *cluster.Crawl, nc *nats.Conn) error {
			o, err := c.Overview(ctx)
			if err != nil {
				return &shell.ExitError{Code: shell.ExitFailed, Err: err}
			}
			if a.asJSON {
				data, err := json.MarshalIndent(o, "", "  ")
				if err != nil {
					return err
				}
				return shell.Print(s.Out, string(data)+"\n")
			}
			return shell.Print(s.Out, overview(o))
		})
}

// overview is the text of status.
func overview(o *cluster.Overview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "crawl %s: %s", o.ID, o.State.Want)
	if o.State.Why != "" {
		fmt.Fprintf(&b, " (%s)", o.State.Why)
	}
	fmt.Fprintf(&b, ", %s done, %s queued, %s on %s\n", shell.Counted(o.Pages, "page"), shell.Counted(o.Queued, "URL"), shell.Counted(len(o.Shards), "shard"), shell.Counted(len(o.Nodes), "node"))
	if o.MaxPages > 0 {
		fmt.Fprintf(&b, "of at most %s, %s of which no shard has yet\n", shell.Counted(o.MaxPages, "page"), shell.Commas(o.Ungranted))
	}
	fmt.Fprintf(&b, "links: %s of %s in the broker, %s set aside\n", shell.SizeText(int64(o.LinkBytes)), shell.SizeText(o.MaxLinks), shell.Counted(int(o.Dead), "message"))
	for _, n := range o.Nodes {
		fmt.Fprintf(&b, "node %s: %s, %s\n", n.Name, shell.Counted(n.Shards, "shard"), n.Dir)
	}
	for _, s := range o.Shards {
		fmt.Fprintf(&b, "shard %s: %s\n", cluster.ShardName(s.Shard), s.Text())
	}
	return b.String()
}

// NewPause makes crawler cluster pause.
func NewPause(s shell.Streams) *cobra.Command {
	a := &asking{}
	return a.verb("pause", "Have all nodes fetch nothing, until resume",
		"pause has all nodes fetch nothing, until crawler cluster resume. Pages in flight are finished, and\nlinks are still exchanged.", a.change(s, func(st cluster.State) (cluster.State, bool) {
			st.Want = cluster.Pause
			return st, true
		}))
}

// NewResume makes crawler cluster resume.
func NewResume(s shell.Streams) *cobra.Command {
	a := &asking{}
	return a.verb("resume", "Have the nodes fetch again after pause",
		"resume ends what crawler cluster pause has begun. A crawl that was stopped is continued by crawler\ncluster start DIR.", a.change(s, func(st cluster.State) (cluster.State, bool) {
			st.Want = cluster.Run
			return st, true
		}))
}

// NewStop makes crawler cluster stop.
func NewStop(s shell.Streams) *cobra.Command {
	a := &asking{}
	return a.verb("stop", "Stop a crawl on all machines, resumably",
		"stop ends the crawl as Ctrl-C does at the node that started it: pages in flight are finished, all is\ncommitted, and that node writes the report. crawler cluster start DIR continues it.", a.change(s, func(st cluster.State) (cluster.State, bool) {
			st.Want, st.Why = cluster.Stop, crawl.ByInterrupt
			return st, true
		}))
}

// change changes the state of a crawl that has not ended.
func (a *asking) change(s shell.Streams, next func(cluster.State) (cluster.State, bool)) func(context.Context, *cluster.Crawl, *nats.Conn) error {
	return func(ctx context.Context, c *cluster.Crawl, _ *nats.Conn) error {
		over := false
		st, err := c.Change(ctx, func(st cluster.State) (cluster.State, bool) {
			if over = st.Want == cluster.End || st.Want == cluster.Stop; over {
				return st, false
			}
			return next(st)
		})
		switch {
		case err != nil:
			return &shell.ExitError{Code: shell.ExitFailed, Err: err}
		case over:
			return shell.UsageError("crawler cluster start DIR continues a crawl that was stopped", "the crawl %s has ended", c.Settings.ID)
		case a.asJSON:
			data, err := json.Marshal(st)
			if err != nil {
				return err
			}
			return shell.Print(s.Out, string(data)+"\n")
		}
		return shell.Print(s.Out, fmt.Sprintf("crawl %s: %s\n", c.Settings.ID, st.Want))
	}
}
