package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// ErrEnded means that a crawl is complete.
var ErrEnded = errors.New("the crawl is complete")

// gatherTries is how often a shard is looked at again that another node gives back meanwhile.
const gatherTries = 10

// ShardDir is where this node has a shard, if it has it.
func (n *Node) ShardDir(s int) string { return filepath.Join(n.Me.Dir, "shards", ShardName(s)) }

// Continue begins another run of a crawl that was stopped, with settings of which limits and pace
// may have changed. ErrEnded means that there is nothing to be continued.
func (c *Crawl) Continue(ctx context.Context, s Settings) error {
	st, err := c.State(ctx)
	if err != nil {
		return err
	}
	if st.Want == End {
		return ErrEnded
	}
	if err := c.putSettings(ctx, s); err != nil {
		return err
	}
	if _, err := c.changeBudget(ctx, func(b *Budget) (bool, error) {
		changed := b.Limit != s.MaxPages
		b.Limit = s.MaxPages
		return changed, nil
	}); err != nil {
		return err
	}
	c.Settings = s
	_, err = c.Change(ctx, func(st State) (State, bool) {
		if st.Want == Stop {
			st.Want, st.Why = Run, ""
		}
		st.Run, st.Began = st.Run+1, time.Now().UTC()
		return st, true
	})
	return err
}

// Gather brings all shards into this node's directory, after the crawl has ended: those that others
// had, from their directories where these can be read, else from their checkpoints. A shard that
// nobody has begun is left out. It does all that it can, and returns what went wrong.
func (n *Node) Gather(ctx context.Context) error {
	var errs []error
	for s := range n.Crawl.Settings.Shards {
		err := n.gather(ctx, s)
		for range gatherTries { // its owner was about to give it back
			if !conflict(err) || ctx.Err() != nil {
				break
			}
			pause(ctx, retryAfter)
			err = n.gather(ctx, s)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("shard %d: %w", s, err))
		}
	}
	return errors.Join(errs...)
}

func (n *Node) gather(ctx context.Context, s int) error {
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	c, revision, err := n.Crawl.Claim(ask, s)
	if err != nil || c.At.Name == "" {
		return err
	}
	there := n.find(s, c.At)
	if there == n.ShardDir(s) {
		return nil
	}
	if there != "" {
		err = n.copyFrom(ctx, s, there)
	} else {
		err = n.fromCheckpoint(ctx, s)
	}
	if err != nil {
		return err
	}
	ask, cancel = context.WithTimeout(ctx, asking)
	defer cancel()
	_, err = n.Crawl.setClaim(ask, s, Claim{At: n.Me}, revision)
	return err
}

// fromCheckpoint restores a shard from its last checkpoint.
func (n *Node) fromCheckpoint(ctx context.Context, s int) error {
	m, err := n.Crawl.LastCheckpoint(ctx, n.Checkpoints, s)
	if err != nil {
		return err
	}
	if m == nil || n.Crawl.outran(ctx, s, m) {
		return errUnreachable
	}
	if err := discard(n.ShardDir(s)); err != nil {
		return err
	}
	return restore(ctx, n.Checkpoints, m, n.ShardDir(s))
}

// copyFrom copies a shard's directory, which nobody works on.
func (n *Node) copyFrom(ctx context.Context, s int, dir string) error {
	pieces, err := closed(dir)
	if err != nil {
		return err
	}
	to := n.ShardDir(s)
	if err := discard(to); err != nil {
		return err
	}
	fresh := to + ".restored"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for _, p := range pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyPiece(p, filepath.Join(fresh, filepath.FromSlash(p.Name))); err != nil {
			return err
		}
	}
	if err := os.Rename(fresh, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

func copyPiece(p Piece, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	from, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, modeOf(p.Name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.CopyN(f, from, p.Size); err != nil {
		return err
	}
	return f.Sync()
}

// Fetch puts the last checkpoints of all shards into dir, as a cluster's directory has them, and
// returns which shards have none. dir must be empty; the crawl may be running.
func (c *Crawl) Fetch(ctx context.Context, from Blobs, dir string) (none []int, err error) {
	for s := range c.Settings.Shards {
		m, err := c.LastCheckpoint(ctx, from, s)
		if err != nil {
			return nil, fmt.Errorf("shard %d: %w", s, err)
		}
		if m == nil {
			none = append(none, s)
			continue
		}
		to := filepath.Join(dir, "shards", ShardName(s))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := restore(ctx, from, m, to); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(Folder{Version: formVersion, ID: c.Settings.ID, Shards: c.Settings.Shards, Created: c.Settings.Created})
	if err != nil {
		return nil, err
	}
	return none, os.WriteFile(filepath.Join(dir, File), data, 0o644)
}
