package crawlcmd

import (
	"context"
	"log/slog"
	"sync"
	"time"

	stdlog "log"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/gate"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// Station is what several engines in one process share, each with a directory of its own: the
// limit of memory, the progress shown, logs and signals.
type Station struct {
	o    *options
	show *screen
	log  *slog.Logger

	mu     sync.Mutex
	last   map[int]crawl.Progress // by shard; guarded by mu
	shown  time.Time              // guarded by mu
	draw   func(crawl.Progress)
	every  time.Duration
	warned map[string]bool // guarded by mu
}

// NewStation begins the work of a process; end closes it. ctx ends with the first signal, after
// which the process says stopping.
func NewStation(parent context.Context, s shell.Streams, o settings.Options, f *pflag.FlagSet, stopping, quit string) (ctx context.Context, t *Station, end func()) {
	own := &options{Options: o, set: f}
	show := newScreen(own, s.Err)
	t = &Station{o: own, show: show, log: newLogger(own, show), last: map[int]crawl.Progress{}, warned: map[string]bool{}}
	stdlog.SetOutput(slog.NewLogLogger(t.log.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	unlimit := memoryLimit(o.MaxMemory).limit()
	ctx, release := interrupted(parent, show, stopping, quit)
	t.draw, t.every = show.progress(own, t.log)
	if limit := memoryLimit(o.MaxMemory); limit > 0 && t.draw != nil {
		t.draw = limit.watch(t.draw, t.log)
	}
	if few := own.fewFiles(); few != "" {
		t.log.Warn(few)
	}
	return ctx, t, func() {
		show.clear()
		release()
		unlimit()
	}
}

// Log is the process's log.
func (t *Station) Log() *slog.Logger { return t.log }

// Clear takes the progress away before something else is printed.
func (t *Station) Clear() { t.show.clear() }

// Identify warns of what keeps a site's owner from knowing who crawls.
func (t *Station) Identify(cfg crawl.Config) {
	if t.o.Quiet || local(cfg.Seeds) {
		return
	}
	for _, w := range anonymous(cfg, t.o.Contact == "" && t.o.UserAgent == "") {
		t.log.Warn(w)
	}
}

// Plug makes the Recorder of a shard, and fills in what its engine needs of the directory and of
// the process, of which it uses one part of sharing.
func (t *Station) Plug(cfg *crawl.Config, dir *store.Dir, shard, sharing int) (*report.Recorder, error) {
	used := func() report.Usage {
		u := procinfo.Used()
		u.CPU /= time.Duration(sharing)
		return u
	}
	rec, err := report.NewRecorder(t.o.recorder(cfg, dir, nil, used))
	if err != nil {
		return nil, err
	}
	if dir.Resumed() {
		if err := rec.Restore(dir.DB()); err != nil {
			return nil, err
		}
	}
	cfg.Store = disk.Of(dir)
	cfg.Recorder = &logged{Recorder: rec, log: t.log, seeds: map[gate.Reason]int{}}
	if limit := memoryLimit(t.o.MaxMemory); limit > 0 {
		cfg.Pressure = limit.pressure
	}
	if t.draw != nil {
		cfg.Progress, cfg.ProgressEvery = func(p crawl.Progress) { t.progress(shard, p) }, min(t.every, time.Second)
	}
	return rec, nil
}

// Left takes a shard's progress out of the sum: it is here no more.
func (t *Station) Left(shard int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.last, shard)
}

// progress shows the sum of all shards that this process has.
func (t *Station) progress(shard int, p crawl.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last[shard] = p
	if time.Since(t.shown) < t.every {
		return
	}
	t.shown = time.Now()
	var sum crawl.Progress
	for _, p := range t.last {
		sum = sum.And(p)
	}
	t.draw(sum)
}
