package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// lookEvery is how often a keeper looks whether the crawl is ending.
	lookEvery = 100 * time.Millisecond
	// purgeEvery is how often links that were taken in leave the stream where disks survive.
	purgeEvery = 10 * time.Second
	// stuckHaste is how much sooner that happens while the broker is full.
	stuckHaste = 20
	// keeping is how long a checkpoint may take.
	keeping = 10 * time.Minute
)

// keeper takes the checkpoints of one run of a shard. Where that is asked for, it has each message
// purged that is behind in the last one: until then the message may be needed again.
type keeper struct {
	node  *Node
	port  *port
	shard int
	epoch uint64
	dir   string
	base  *Manifest // the last one
	name  string    // of its blob
	n     int       // checkpoints of this run

	taking atomic.Pointer[Snapshot]
	work   sync.WaitGroup
}

// begin takes checkpoints until ctx ends.
func (k *keeper) begin(ctx context.Context, take Snapshot) {
	k.taking.Store(&take)
	k.work.Go(func() { k.run(ctx) })
}

func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	every := k.node.Crawl.Settings.CheckpointEvery
	last, purged := time.Now(), uint64(0)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		state, _ := k.node.tables.state()
		at, ok := k.port.standing()
		since := time.Since(last)
		if k.node.batches.stuck() { // room is made by what is kept
			since *= stuckHaste
		}
		switch {
		case !ok:
		case state.Want == Ending && at.Idle && !at.Kept:
			if !k.needed() || k.keep(ctx) == nil {
				k.port.update(func(s *Status) { s.Kept = s.Kept || s.Commit == at.Commit && s.Idle })
			} else {
				pause(ctx, retryAfter)
			}
			last = time.Now()
		case every > 0 && since >= every && (k.base == nil || at.Position > k.base.Position || !at.Idle):
			k.keep(ctx)
			last = time.Now()
		case every == 0 && since >= purgeEvery && at.Position > purged:
			if k.purge(ctx, at.Position) == nil {
				purged = at.Position
			}
			last = time.Now()
		}
	}
}

// needed reports whether somebody may want what this shard has from a checkpoint: disks are said
// to get lost, or a node that lives cannot open this directory.
func (k *keeper) needed() bool {
	return k.node.Crawl.Settings.CheckpointEvery > 0 || k.node.apart()
}

// apart reports whether a node lives that cannot open this node's directories.
func (n *Node) apart() bool {
	if all := n.members.Load(); all != nil {
		for _, m := range *all {
			if !m.reaches(n.Me) {
				return true
			}
		}
	}
	return false
}

// keep takes a checkpoint of the running shard.
func (k *keeper) keep(ctx context.Context) error {
	take := k.taking.Load()
	if take == nil {
		return errors.New("no way to take one")
	}
	at, _ := k.port.standing() // what comes later is in it, too, or not: it is not counted on
	to := filepath.Join(filepath.Dir(k.dir), "."+ShardName(k.shard)+".checkpoint")
	if err := os.RemoveAll(to); err != nil {
		return k.failed(err)
	}
	pieces, err := (*take)(ctx, to)
	if err != nil {
		return k.failed(err)
	}
	err = k.send(ctx, pieces, at.Position)
	return k.failed(errors.Join(err, os.RemoveAll(to)))
}

// end waits for the checkpoint under way, and takes a last one of the directory that is closed now
// if another node may need it.
func (k *keeper) end(ctx context.Context, sound bool) {
	k.work.Wait()
	at, ok := k.port.standing()
	if !sound || !ok || !k.node.lease.safe() || !k.node.apart() || at.Kept {
		return
	}
	pieces, err := closed(k.dir)
	if err == nil {
		err = k.send(ctx, pieces, at.Position)
	}
	if err != nil {
		k.node.Log.Warn("a shard was given back without a last checkpoint", "shard", k.shard, "error", err)
	}
}

// send keeps the pieces as a checkpoint, refers to it, and removes what it does not share with the
// one before.
func (k *keeper) send(ctx context.Context, pieces []Piece, position uint64) error {
	ctx, cancel := context.WithTimeout(ctx, keeping)
	defer cancel()
	k.n++
	s := &sender{to: k.node.Checkpoints, prefix: fmt.Sprintf("%s/%s/%d-%d", k.node.Crawl.Settings.ID, ShardName(k.shard), k.epoch, k.n), had: map[string]Copied{}, keeps: map[string]bool{}}
	if k.base != nil {
		for _, f := range k.base.Files {
			s.had[f.Name] = f
		}
	}
	m, name, err := s.write(ctx, Manifest{
		Version: formVersion, Crawl: k.node.Crawl.Settings.ID, Shard: k.shard, Epoch: k.epoch, At: time.Now().UTC(), Position: position,
	}, pieces)
	if err != nil {
		return err
	}
	before := ""
	if _, err := k.node.Crawl.refer(ctx, k.shard, k.epoch, func(r *ref) {
		before = r.Manifest
		r.Manifest, r.At, r.Position = name, m.At, position
	}); err != nil {
		return err
	}
	k.forget(ctx, before, s.keeps)
	k.base, k.name = m, name
	return k.purge(ctx, position)
}

// forget removes the blobs of the checkpoint before, but those that are shared. What it cannot
// remove stays, unused.
func (k *keeper) forget(ctx context.Context, manifest string, keeps map[string]bool) {
	if manifest == "" {
		return
	}
	old := k.base
	if old == nil || k.name != manifest {
		var err error
		if old, err = readManifest(ctx, k.node.Checkpoints, manifest, k.node.Crawl.Settings.ID, k.shard); err != nil {
			return
		}
	}
	for _, f := range old.Files {
		for _, p := range f.Parts {
			if !keeps[p.Blob] {
				k.node.Checkpoints.Remove(ctx, p.Blob)
			}
		}
	}
	k.node.Checkpoints.Remove(ctx, manifest)
}

// failed notes in the status how the checkpoint went.
func (k *keeper) failed(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errSuperseded) {
		k.node.Log.Warn("no checkpoint", "shard", k.shard, "error", err)
	}
	k.port.update(func(s *Status) {
		if s.Lacks = ""; err != nil {
			s.Lacks = err.Error()
		} else {
			s.Checkpoint = time.Now().UTC()
		}
	})
	return err
}

// purge removes the messages before a position from the shard's stream. The one at it stays: the
// end is found by it.
func (k *keeper) purge(ctx context.Context, position uint64) error {
	if position == 0 {
		return nil
	}
	return k.node.Crawl.links.Purge(ctx, jetstream.WithPurgeSubject(k.node.Crawl.names.linksTo(k.shard)), jetstream.WithPurgeSequence(position))
}

// closed lists the files of a crawl directory that nobody writes to.
func closed(dir string) (pieces []Piece, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if name := filepath.ToSlash(rel); filepath.Base(name) != "lock" && filepath.Base(name) != "LOCK" && !strings.HasSuffix(name, ".tmp") {
			p := Piece{Name: name, Path: path, Size: info.Size()}
			p.Fixed, p.Grows = changes(name)
			pieces = append(pieces, p)
		}
		return nil
	})
	return pieces, err
}

// changes says how a file of a crawl directory changes under its name.
func changes(name string) (fixed, grows bool) {
	switch filepath.Ext(name) {
	case ".sst", ".blob", ".run":
		return true, false
	case ".jsonl", ".csv":
		return false, !strings.Contains(name, "/")
	}
	return false, name == "links.bin"
}
