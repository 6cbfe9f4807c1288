// Package crawlcmd has the verbs that crawl: crawl, resume and demo. A session is one run of
// a crawl in its directory; around it are the directory's creation, signals, progress, logs,
// the limit of memory and the verdict, which is the exit code. It brings no plots along.
package crawlcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"

	stdlog "log"
	"log/slog"

	"github.com/spf13/pflag"

	"crawler/crawl"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// options are the settings of a crawl, and what else its verbs know of it.
type options struct {
	settings.Options
	set         *pflag.FlagSet // that fills them
	demo        bool           // the web is the demo's own
	retryFailed bool           // of resume: ask again for what was given up
}

// flags declares the flags of a crawl.
func (o *options) flags(f *pflag.FlagSet) {
	o.set = f
	o.Options.Declare(f)
}

// session is one run of a crawl in its directory, from the settings to an exit code.
type session struct {
	*options
	std    shell.Streams
	dir    *store.Dir
	closed bool
	ended  crawl.EndedBy // once crawl has returned
	show   *screen
	log    *slog.Logger
	rec    *report.Recorder
	cancel context.CancelFunc

	discard func() // removes what this run created; nil if it did not create the directory
}

// session begins a run in dir; end closes it.
func (o *options) session(parent context.Context, s shell.Streams, dir *store.Dir) (ctx context.Context, r *session, end func()) {
	show := newScreen(o, s.Err)
	log := newLogger(o, show)
	// net/http complains about servers through the standard logger.
	stdlog.SetOutput(slog.NewLogLogger(log.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	unlimit := memoryLimit(o.MaxMemory).limit()
	ctx, release := interruptible(parent, show)
	ctx, cancel := context.WithCancel(ctx)
	r = &session{options: o, std: s, dir: dir, show: show, log: log, cancel: cancel}
	return ctx, r, func() {
		r.close() // unless that is done, and then its error was reported
		cancel()
		release()
		unlimit()
	}
}

// close brings everything to disk and gives the directory's lock back, once.
func (r *session) close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.dir.Close()
}

// plug makes the Recorder, with all that it knew when the crawl was last committed,
// and fills in what the engine needs of the directory.
func (r *session) plug(cfg *crawl.Config) (err error) {
	if cfg.Gate.Dedup.Seed == 0 {
		cfg.Gate.Dedup.Seed = settings.SecretSeed()
	}
	r.rec, err = report.NewRecorder(report.Config{
		Dir: r.dir, Edges: r.Edges == settings.EdgesJSONL, EdgesCSV: r.Edges == settings.EdgesCSV, MaxSites: r.MaxSites, Exact: r.ExactStats, NoIndex: cfg.Gate.IgnoreRobots,
		Seed: cfg.Gate.Dedup.Seed, Stream: r.stream(), Usage: procinfo.Used,
	})
	switch {
	case err != nil && r.discard == nil:
		return crawldir.Refuse(r.dir.Path(), err)
	case err != nil:
		return shell.DiskError(err)
	}
	if r.dir.Resumed() {
		if err := r.rec.Restore(r.dir.DB()); err != nil {
			return crawldir.Refuse(r.dir.Path(), err)
		}
	}
	cfg.Store, cfg.Recorder = disk.Of(r.dir), &logged{Recorder: r.rec, log: r.log}
	cfg.Progress, cfg.ProgressEvery = r.show.progress(r.options, r.log)
	if limit := memoryLimit(r.MaxMemory); limit > 0 {
		cfg.Pressure = limit.pressure
		if cfg.Progress != nil {
			cfg.Progress = limit.watch(cfg.Progress, r.log)
		}
	}
	if few := r.fewFiles(); few != "" {
		r.log.Warn(few)
	}
	if !r.Quiet && !local(cfg.Seeds) {
		for _, w := range anonymous(*cfg, r.Contact == "" && r.UserAgent == "") {
			r.log.Warn(w)
		}
	}
	return nil
}

// crawl runs the engine, writes the report, prints it, and turns the way the crawl
// ended into an exit code.
func (r *session) crawl(ctx context.Context, cfg crawl.Config) error {
	if err := r.room(); err != nil {
		return err
	}
	res, err := crawl.Run(ctx, cfg)
	r.show.clear()
	if res.Started.IsZero() {
		return r.unstarted(err)
	}
	r.ended = res.EndedBy
	next := r.next(r.dir.Path(), r.dir.Durable(), res)
	rep := report.New(shell.Version, res, r.rec, procinfo.Used())
	for i := range rep.Traps {
		if t := &rep.Traps[i]; t.Pattern != "" && r.dir.Durable() {
			t.Retry = crawldir.ResumeCommand(r.dir.Path()) + " --trap-trust " + shell.Quoted(t.Pattern)
		}
	}
	if rep.Incomplete() > 0 && r.dir.Durable() {
		rep.Retry = retryCommand(r.dir.Path())
		next = cmp.Or(next, "to ask again for what was given up: "+rep.Retry)
	}
	if rep.Dedup.Overfull() {
		r.log.Warn("the filter of seen URLs holds far more than it was sized for and loses more than --fp-rate: crawl again with a larger --expect-urls",
			"urls", rep.Dedup.New, "expect-urls", rep.Dedup.Expect)
	}
	// The report comes after the records it is about, and within the lock.
	if err := shell.FirstError(err, r.dir.Sync(), rep.Save(r.dir.Path()), r.close(), shell.Print(r.reportTo(), rep.Text())); err != nil {
		return stopped(err, next)
	}
	verdict := r.verdict(res, r.rec, next)
	if n := rep.Incomplete(); verdict == nil && n > 0 && r.FailOnIncomplete {
		verdict = &shell.ExitError{Code: shell.ExitIncomplete, Err: fmt.Errorf("%s given up that may be had later", were(n)),
			Hint: cmp.Or(next, "crawl again when their hosts are well; report.json has the reasons, skipped.jsonl the URLs"), Continues: next != ""}
	}
	r.written(next, verdict)
	return verdict
}

// room refuses to begin on a disk that is nearly full, where the first commit would
// stop the crawl.
func (r *session) room() error {
	free, err := r.dir.Free()
	if err != nil || free >= int64(r.MinFree) { // without a figure the disk is not watched
		return nil
	}
	hint := freeSpace("") + ", or give a smaller --min-free"
	if r.dir.Durable() {
		hint = "free space on its disk, or give a smaller --min-free: " + crawldir.ResumeCommand(r.dir.Path()) + " --min-free SIZE"
	}
	return &shell.ExitError{Code: shell.ExitDisk, Hint: hint,
		Err: fmt.Errorf("the disk has %s free, less than %s (--min-free)", shell.SizeText(free), r.MinFree.String())}
}

// unstarted explains an error that came before the first page.
func (r *session) unstarted(err error) error {
	if r.discard == nil {
		return crawldir.Refuse(r.dir.Path(), err)
	}
	r.close() // and its error is of no more interest than the rest
	r.discard()
	return shell.UsageError("see crawler crawl --help", "%w", err)
}

// written says where the crawl is and how to continue it, unless the verdict does.
func (r *session) written(next string, verdict error) {
	var e *shell.ExitError
	if errors.As(verdict, &e) && e.Continues {
		next = ""
	}
	switch {
	case r.Quiet:
	case r.LogFormat.Value == "json":
		r.log.Info("written", "dir", r.dir.Path(), "next", next)
	case next == "":
		fmt.Fprintf(r.std.Err, "\nwritten to %s\n", r.dir.Path())
	default:
		fmt.Fprintf(r.std.Err, "\nwritten to %s\n%s\n", r.dir.Path(), next)
	}
}

// stream is where page records go beside the file, if anywhere. When its reader goes
// away, as head does, the crawl is stopped.
func (r *session) stream() io.Writer {
	if r.JSONL {
		return &pipe{w: r.std.Out, stop: r.cancel}
	}
	return nil
}

// reportTo is where the text report goes: standard output, unless the page records
// have it.
func (r *session) reportTo() io.Writer {
	if r.JSONL {
		return r.std.Err
	}
	return r.std.Out
}

// run crawls into a new directory.
func (o *options) run(parent context.Context, s shell.Streams, cfg crawl.Config) error {
	dir, discard, err := o.create(cfg.Seeds)
	if err != nil {
		return err
	}
	ctx, r, end := o.session(parent, s, dir)
	defer end()
	r.discard = discard
	if err := r.plug(&cfg); err != nil {
		return err
	}
	return r.crawl(ctx, cfg)
}
