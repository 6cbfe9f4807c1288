package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"crawler/store"
)

// File is the file that makes a directory a cluster's.
const File = "cluster.json"

// Folder is what cluster.json has, by which readers of the directory find the shards.
type Folder struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`     // of the crawl
	Shards  int       `json:"shards"` // in directories shards/000, 001, ...
	Disk    string    `json:"disk"`   // drawn when the file was made
	Created time.Time `json:"created"`
	Listen  string    `json:"listen,omitempty"` // where the embedded broker was reached
}

// ReadFolder reads the cluster.json of a directory; the error is fs.ErrNotExist if it has none.
func ReadFolder(dir string) (f Folder, err error) {
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	if f.Version > formVersion {
		return f, fmt.Errorf("%s %w", filepath.Join(dir, File), ErrNewer)
	}
	if !isID.MatchString(f.ID) || f.Shards < 1 || f.Shards > MaxShards || f.Disk == "" {
		return f, fmt.Errorf("%s names no crawl", filepath.Join(dir, File))
	}
	return f, nil
}

// place is where a shard's directory is.
type place struct {
	dir      string
	at       Member // whose directory it is in
	restored bool
	base     *Manifest // the checkpoint that it was restored from
}

// errUnreachable means that a shard cannot be opened here and now.
var errUnreachable = errors.New("its directory is on a disk that is not here, and no checkpoint has what is there")

// place finds the directory of a shard, restores it from its last checkpoint, or has it begin
// from its seeds. Directories that are older than what another node has are removed.
func (n *Node) place(ctx context.Context, s int, c Claim, epoch uint64) (place, error) {
	own := place{dir: filepath.Join(n.Me.Dir, "shards", ShardName(s)), at: n.Me}
	if c.At.Name != "" {
		if there := n.find(s, c.At); there != "" {
			at := c.At
			if at.Disk == n.Me.Disk {
				at = n.Me
			}
			return place{dir: there, at: at}, nil
		}
	}
	m, err := n.Crawl.checkpoint(ctx, n.Checkpoints, s, epoch)
	if err != nil {
		return place{}, err
	}
	if c.At.Name != "" && n.Crawl.outran(ctx, s, m) {
		n.Log.Warn("a shard waits for its disk: another node has its directory, and no checkpoint has what is there", "shard", s, "dir", c.At.Dir)
		return place{}, errUnreachable
	}
	if err := discard(own.dir); err != nil {
		return place{}, err
	}
	if m == nil {
		if c.At.Name != "" {
			n.Log.Warn("a shard begins again from its seeds: its directory is lost, and there is no checkpoint yet", "shard", s)
			own.restored = true
		}
		return own, nil
	}
	n.Log.Info("a shard is restored from its checkpoint", "shard", s, "taken", m.At)
	own.base, own.restored = m, true
	return own, restore(ctx, n.Checkpoints, m, own.dir)
}

// outran reports whether a shard must not continue from its last checkpoint m, nil for none: where
// disks are said to survive, links leave the stream when they are committed, and a checkpoint is
// only taken when a shard is handed over. A run after it has taken in links that nobody else has.
func (c *Crawl) outran(ctx context.Context, s int, m *Manifest) bool {
	if c.Settings.CheckpointEvery > 0 {
		return false
	}
	st, err := c.Status(ctx, s)
	switch {
	case err != nil:
		return true // so nobody knows
	case m == nil:
		return st.Commit > 0
	}
	return st.Epoch > m.Epoch
}

// find returns the shard's directory where a claim says it is, "" if it is not within reach. The
// broker's word is not enough: the place must be one of this crawl's.
func (n *Node) find(s int, at Member) string {
	base := at.Dir
	if at.Disk == n.Me.Disk {
		base = n.Me.Dir
	}
	f, err := ReadFolder(base)
	if err != nil || f.ID != n.Crawl.Settings.ID || f.Disk != at.Disk {
		return ""
	}
	dir := filepath.Join(base, "shards", ShardName(s))
	if _, err := store.ReadMeta(store.Disk(), dir); errors.Is(err, store.ErrNoCrawl) || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return dir
}

// discard removes a shard's directory that another one has superseded.
func discard(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, err := store.Lock(store.Disk(), dir)
	if err != nil {
		return err
	}
	defer l.Close()
	return os.RemoveAll(dir)
}
