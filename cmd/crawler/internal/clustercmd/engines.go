package clustercmd

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/report"
	"crawler/store"
)

const (
	// lockedPause is the time between two attempts to open a directory that another process has.
	lockedPause = 50 * time.Millisecond
	// leastWorkers is how many pages each shard may fetch at a time at least.
	leastWorkers = 4
	// leastTail is how many of the seen URLs each shard keeps in memory at least.
	leastTail = 1 << 12
)

// engines makes and runs the engines of this node's shards. They share one client: connections,
// cookies and limits are those of the process.
type engines struct {
	station *crawlcmd.Station
	base    crawl.Config // of the whole crawl
	client  *fetch.Client
	meta    store.Meta // of each shard
	shards  int        // of the crawl
	fs      store.FS

	mu    sync.Mutex
	ended crawl.EndedBy // why an engine ended by itself, if one did; guarded by mu
}

func newEngines(t *crawlcmd.Station, cfg crawl.Config, meta store.Meta, shards int) (*engines, error) {
	client, err := crawl.Client(cfg)
	if err != nil {
		return nil, err
	}
	// Limits of all shards are kept by their ports.
	cfg.MaxPages, cfg.MaxBytes, cfg.TimeLimit = 0, 0, 0
	return &engines{station: t, base: cfg, client: client, meta: meta, shards: shards, fs: store.DiskFor(procinfo.Descriptors())}, nil
}

// run runs a shard to its end.
func (e *engines) run(ctx context.Context, j *cluster.Job) error {
	dir, err := e.open(ctx, j.Dir)
	if err != nil || dir == nil {
		return err
	}
	here := &opened{dir: dir}
	defer here.close() // unless that is done, and then its error was reported
	defer e.station.Left(j.Shard)
	cfg := e.share(j.Sharing)
	cfg.Shard, cfg.Fetcher = j.Port, e.client
	// Opening the files cuts off what the run before has added at its end: its report is not true
	// of them then.
	if err := crawlcmd.RemoveReport(dir); err != nil {
		return shell.DiskError(err)
	}
	rec, err := e.station.Plug(&cfg, dir, j.Shard, j.Sharing)
	if err != nil {
		return crawldir.Refuse(j.Dir, err)
	}
	j.Opened(here.snapshot)
	res, err := crawl.Run(ctx, cfg)
	if res.Started.IsZero() {
		if ctx.Err() != nil {
			return nil
		}
		return crawldir.Refuse(j.Dir, err)
	}
	if err == nil {
		err = e.save(dir, rec, res, j.Sharing)
	}
	if err := shell.FirstError(err, here.close()); err != nil {
		return shell.DiskError(err)
	}
	return e.verdict(res)
}

// open opens a shard's directory, or makes it. While another process has it, open waits; nil means
// that ctx has ended.
func (e *engines) open(ctx context.Context, name string) (*store.Dir, error) {
	for {
		dir, err := store.Open(e.fs, name)
		if errors.Is(err, store.ErrNoCrawl) {
			dir, err = store.Create(e.fs, name, e.meta, true)
		}
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, store.ErrLocked):
			return nil, crawldir.Refuse(name, err)
		}
		select {
		case <-time.After(lockedPause):
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// share is the configuration of one of so many shards in this process: each has its part.
func (e *engines) share(sharing int) crawl.Config {
	cfg := e.base
	part := func(n, least int) int { return max((n+sharing-1)/sharing, least) }
	cfg.Workers = part(cfg.Workers, min(leastWorkers, cfg.Workers))
	cfg.PageMemory = max(cfg.PageMemory/int64(sharing), 1<<20)
	cfg.Robots.MaxMemory = max(cfg.Robots.MaxMemory/int64(sharing), 1<<20)
	cfg.Tail = part(1<<17, leastTail)
	cfg.Gate.Dedup.ExpectURLs = max(cfg.Gate.Dedup.ExpectURLs/e.shards, 1000)
	cfg.Gate.Frontier.Interval *= time.Duration(e.shards) // the rate is the crawl's
	return cfg
}

// save writes the shard's own report.
func (e *engines) save(dir *store.Dir, rec *report.Recorder, res crawl.Result, sharing int) error {
	used := procinfo.Used()
	used.CPU /= time.Duration(sharing) // as Station.Plug counts it
	rep := report.New(shell.Version, res, rec, used)
	synced := dir.Sync()
	files, unwritten := dir.Written()
	rep.Files = files
	return shell.FirstError(synced, unwritten, rep.Save(dir.Path()))
}

// verdict is the error of an engine that ended by itself: this node cannot go on.
func (e *engines) verdict(res crawl.Result) error {
	switch res.EndedBy {
	case crawl.ByLowDisk:
		e.note(res.EndedBy)
		return &shell.ExitError{Code: shell.ExitDisk, Err: errors.New("the disk is nearly full (--min-free)"), Hint: "free space, then join again"}
	case crawl.ByOutage:
		e.note(res.EndedBy)
		return &shell.ExitError{Code: shell.ExitIncomplete, Err: errors.New("no host has answered this node (--patience)"), Hint: "see to its network, then join again"}
	}
	return nil
}

// why says why the engines of this node ended by themselves.
func (e *engines) why() crawl.EndedBy {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.ended, crawl.ByStoreError)
}

func (e *engines) note(why crawl.EndedBy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = why
}

// opened is a directory that may be copied until it is closed.
type opened struct {
	mu   sync.Mutex
	dir  *store.Dir // nil once it is closed; guarded by mu
	last error      // of Close
}

// close closes the directory, once, when no copy is being begun.
func (o *opened) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dir != nil {
		o.last, o.dir = o.dir.Close(), nil
	}
	return o.last
}

// snapshot lets the running shard be copied: what it names stays as it is until release.
func (o *opened) snapshot(_ context.Context, to string) ([]cluster.Piece, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dir == nil {
		return nil, context.Canceled
	}
	files, err := o.dir.Checkpoint(to)
	if err != nil {
		return nil, err
	}
	var all []cluster.Piece
	for _, f := range files {
		all = append(all, cluster.Piece(f))
	}
	return all, nil
}
