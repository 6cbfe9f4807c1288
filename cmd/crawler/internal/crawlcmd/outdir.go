package crawlcmd

import (
	"errors"
	"fmt"
	"time"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/ledger/disk"
	"crawler/store"
	"crawler/weburl"
)

// demoKey marks in crawl.json a crawl of the demo's own web, which crawler resume has
// to serve again.
const demoKey = "demo"

// clusterKey marks in crawl.json a shard of a crawl on several machines.
const clusterKey = "cluster"

// create makes the crawl directory and takes its lock. discard takes all that back once
// the directory is closed.
func (o *options) create(seeds []string) (dir *store.Dir, discard func(), err error) {
	kept, err := settings.Kept(o.set)
	if err != nil {
		return nil, nil, shell.UsageError("", "settings: %w", err)
	}
	if o.demo {
		kept[demoKey] = []string{"true"}
	}
	meta := store.Meta{Version: shell.Version, Created: time.Now().UTC(), Seeds: seeds, Flags: kept}
	if o.Out != "" {
		dir, discard, err := createIn(o.Out, meta, o.Durable)
		if err != nil {
			return nil, nil, refuseOut(o.Out, err)
		}
		return dir, discard, nil
	}
	u, _, err := crawl.ParseSeed(weburl.Options{}, seeds[0])
	if err != nil {
		return nil, nil, shell.UsageError("", "%w", err)
	}
	name := fmt.Sprintf("crawl-%s-%s", fileName(u.Host()), time.Now().Format("20060102-150405"))
	dir, discard, err = createIn(name, meta, o.Durable)
	for n := 2; taken(err) && n < 100; n++ { // others may have begun in this second
		dir, discard, err = createIn(fmt.Sprintf("%s-%d", name, n), meta, o.Durable)
	}
	if err != nil {
		return nil, nil, shell.DiskError(err)
	}
	return dir, discard, nil
}

// createIn makes the directory name. What an attempt that failed had made is gone again.
func createIn(name string, meta store.Meta, durable bool) (*store.Dir, func(), error) {
	before := lookAt(name)
	discard := func() { before.restore(meta.Created) }
	dir, err := store.Create(store.DiskFor(procinfo.Descriptors()), name, meta, durable)
	if err != nil && !taken(err) {
		discard()
	}
	return dir, discard, err
}

// refusedOut says what create would of a directory that holds a crawl, and writes nothing.
func refusedOut(out string) error {
	if _, err := store.ReadMeta(store.Disk(), out); out == "" || out == toStdout || errors.Is(err, store.ErrNoCrawl) {
		return nil
	}
	dir, err := store.Create(store.Disk(), out, store.Meta{}, false)
	if err != nil {
		return refuseOut(out, err)
	}
	return dir.Close() // what was there has gone meanwhile
}

func taken(err error) bool { return errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrLocked) }

// refuseOut says why no new crawl can be written into the directory out, by what is in
// it.
func refuseOut(out string, err error) error {
	if !taken(err) {
		return shell.DiskError(err)
	}
	another := "choose another -o; crawler report prints the report of the one that is there"
	dir, cause := store.OpenRead(store.Disk(), out)
	if cause == nil {
		defer dir.Close()
	}
	switch {
	case errors.Is(err, store.ErrLocked) || errors.Is(cause, store.ErrLocked):
		return shell.UsageError("choose another -o, or wait until it has ended", "another process is writing into %s", out)
	case unbegun(out, cause):
	case cause != nil: // no crawl that could be resumed
		return shell.UsageError(another, "%s %w", out, store.ErrExists)
	default:
		if complete, _, cause := crawl.Complete(disk.Of(dir)); cause != nil || complete {
			return shell.UsageError(another, "%s %w", out, store.ErrExists)
		}
	}
	return shell.UsageError(crawldir.ResumeCommand(out)+" continues it; or choose another -o", "%s holds an unfinished crawl", out)
}

// unbegun reports whether err says that the crawl in out ended before its first commit.
func unbegun(out string, err error) bool {
	_, noMeta := store.ReadMeta(store.Disk(), out)
	return noMeta == nil && errors.Is(err, store.ErrNoCrawl)
}

// fileName keeps of a host name what any file system takes.
func fileName(host string) string {
	b := []byte(shell.Clip(host, 60))
	for i, c := range b {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' || c == '-' {
			continue
		}
		b[i] = '_'
	}
	return string(b)
}
