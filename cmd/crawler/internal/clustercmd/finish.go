package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/report"
	"crawler/report/shards"
)

// How long the first node waits, at the end, for the others to give their shards back.
const (
	othersWait = 90 * time.Second
	othersLook = 100 * time.Millisecond
)

// serve crawls as a node, waits for the others at the end, and writes the report.
func (st *starting) serve(ctx, parent context.Context, leases *nats.Conn) error {
	inner, leave := context.WithCancel(context.WithoutCancel(parent))
	defer leave()
	asked := context.AfterFunc(ctx, func() { st.stop(inner, crawl.ByInterrupt, leave) })
	defer asked()
	state, failure := st.node.Serve(inner, leases)
	if failure != nil { // this node cannot go on, and the broker is here
		why := st.engines.why()
		s, err := st.change(inner, why)
		if err == nil {
			state = s
		}
	}
	if st.external == "" || state.Want == cluster.Stop || state.Want == cluster.End {
		st.awaitOthers(inner)
	}
	return st.end(inner, state, failure)
}

// end brings all shards here and writes the report.
func (st *starting) end(ctx context.Context, state cluster.State, failure error) error {
	st.station.Clear()
	if err := st.node.Gather(ctx); err != nil {
		st.station.Log().Warn("a shard could not be brought here", "error", err)
	}
	return st.report(ctx, state, failure)
}

// stop stops the crawl on all machines; if the broker does not answer, this node leaves.
func (st *starting) stop(ctx context.Context, why crawl.EndedBy, leave func()) {
	if _, err := st.change(ctx, why); err != nil {
		st.station.Log().Warn("the broker does not answer: only this node stops", "error", err)
		leave()
	}
}

func (st *starting) change(ctx context.Context, why crawl.EndedBy) (cluster.State, error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	return st.crawl.Change(ctx, func(s cluster.State) (cluster.State, bool) {
		if s.Want == cluster.Stop || s.Want == cluster.End {
			return s, false
		}
		s.Want, s.Why = cluster.Stop, why
		return s, true
	})
}

// awaitOthers waits until no other node lives: each leaves when it has given its shards back.
func (st *starting) awaitOthers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, othersWait)
	defer cancel()
	for told := false; ; {
		all, err := st.crawl.Members(ctx)
		others := 0
		for _, m := range all {
			if m.Name != st.node.Me.Name {
				others++
			}
		}
		if err == nil && others == 0 || ctx.Err() != nil {
			return
		}
		if !told && others > 0 {
			told = true
			st.station.Log().Info("waiting for the other nodes to end", "nodes", others)
		}
		select {
		case <-time.After(othersLook):
		case <-ctx.Done():
			return
		}
	}
}

// report merges the shards' reports, writes and prints that, and returns the crawl's verdict.
func (st *starting) report(ctx context.Context, state cluster.State, failure error) error {
	next := ""
	if state.Want != cluster.End {
		next = "to continue: crawler cluster start " + shell.Quoted(st.dir)
		if state.Why == crawl.ByMaxPages {
			next += fmt.Sprintf(" --max-pages N, with N above %d", st.MaxPages)
		}
	}
	set, err := st.present()
	if err == nil {
		var rep *report.Report
		rep, err = shards.Report(ctx, set, shards.Config{Version: shell.Version, Out: st.dir, Memory: int64(st.MaxMemory) / 8, Progress: shell.ProgressLine(st.std.Err)})
		if err == nil {
			return st.print(rep, state, next, failure)
		}
	}
	return shell.FirstError(failure, &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("no report: %w", err), Hint: next})
}

func (st *starting) print(rep *report.Report, state cluster.State, next string, failure error) error {
	if state.Why != "" {
		rep.EndedBy = string(state.Why)
	}
	if err := shell.FirstError(rep.Save(st.dir), shell.Print(st.std.Out, rep.Text())); err != nil {
		return shell.DiskError(err)
	}
	if failure != nil {
		return failure
	}
	verdict := crawlcmd.Verdict(st.Options, rep, next)
	if !st.Quiet {
		fmt.Fprintf(st.std.Err, "\nwritten to %s\n", st.dir)
		if e := (*shell.ExitError)(nil); next != "" && !(errors.As(verdict, &e) && e.Continues) {
			fmt.Fprintln(st.std.Err, next)
		}
	}
	return verdict
}

// present is the shards that there are: one that was stopped before it began has none.
func (st *starting) present() (shards.Set, error) {
	set, err := shards.Find(st.dir)
	if !errors.Is(err, shards.ErrMissing) {
		return set, err
	}
	set = shards.Set{Home: st.dir, Of: st.crawl.Settings.Shards}
	for n := range set.Of {
		dir := st.node.ShardDir(n)
		if _, err := os.Stat(dir); err == nil {
			set.Shards = append(set.Shards, shards.Shard{Number: n, Dir: dir})
		} else if at, _, err := st.crawl.Claim(context.Background(), n); err != nil || at.At.Name != "" {
			return set, fmt.Errorf("%w: %s is not here", shards.ErrMissing, shards.Name(n))
		}
	}
	return set, nil
}
