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

	"crawler/archive"
	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"

	stdlog "log"
	"log/slog"

	"github.com/spf13/pflag"

	"crawler/crawl"
	"crawler/gate"
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
	std     shell.Streams
	dir     *store.Dir // nil with -o -
	closed  bool
	ended   crawl.EndedBy // once crawl has returned
	show    *screen
	log     *slog.Logger
	rec     *report.Recorder
	keep    *archive.Archive // nil without --warc
	filters *archive.Filters // on it; the same
	cancel  context.CancelFunc

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
	if r.closed || r.dir == nil {
		return nil
	}
	r.closed = true
	return r.dir.Close()
}

// durable reports whether the crawl can be resumed.
func (r *session) durable() bool { return r.dir != nil && r.dir.Durable() }

// path is the crawl's directory, "" with -o -.
func (r *session) path() string {
	if r.dir == nil {
		return ""
	}
	return r.dir.Path()
}

// plug makes the Recorder, with all that it knew when the crawl was last committed,
// and fills in what the engine needs of the directory.
func (r *session) plug(cfg *crawl.Config) (err error) {
	if cfg.Gate.Dedup.Seed == 0 {
		cfg.Gate.Dedup.Seed = settings.SecretSeed()
	}
	r.rec, err = report.NewRecorder(r.recorder(cfg, r.dir, r.stream(), procinfo.Used))
	if err != nil {
		return r.unopened(err)
	}
	if r.dir != nil {
		cfg.Store = disk.Of(r.dir)
	}
	if r.dir != nil && r.dir.Resumed() {
		if err := r.rec.Restore(r.dir.DB()); err != nil {
			return crawldir.Refuse(r.dir.Path(), err)
		}
	}
	if cfg.Recorder, err = r.openArchive(cfg, &logged{Recorder: r.rec, log: r.log, seeds: map[gate.Reason]int{}}); err != nil {
		return err
	}
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

// recorder is what a Recorder needs of the settings. stream gets page records beside the file,
// if it is not nil; used says what the crawl has used up.
func (o *options) recorder(cfg *crawl.Config, dir *store.Dir, stream io.Writer, used func() report.Usage) report.Config {
	return report.Config{
		Dir: dir, Edges: o.Edges == settings.EdgesJSONL, EdgesCSV: o.Edges == settings.EdgesCSV, MaxSites: o.MaxSites, Exact: o.ExactStats, NoIndex: cfg.Gate.IgnoreRobots, InLinks: o.InLinks,
		HostShare: cfg.Gate.Scope.HostShare, Seed: cfg.Gate.Dedup.Seed, Stream: stream, Usage: used,
	}
}

// unopened is the error of a session whose files cannot be opened.
func (r *session) unopened(err error) error {
	if r.discard == nil {
		return crawldir.Refuse(r.dir.Path(), err)
	}
	return shell.DiskError(err)
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
	next := r.next(r.path(), r.durable(), res)
	rep := report.New(shell.Version, res, r.rec, procinfo.Used())
	rep.NoFiles = r.dir == nil
	for i := range rep.Traps {
		if t := &rep.Traps[i]; t.Pattern != "" && r.durable() {
			t.Retry = crawldir.ResumeCommand(r.dir.Path()) + " --trap-trust " + shell.Quoted(t.Pattern)
		}
	}
	if rep.Incomplete() > 0 && r.durable() {
		rep.Retry = retryCommand(r.dir.Path())
		next = cmp.Or(next, "to ask again for what was given up: "+rep.Retry)
	}
	if rep.Dedup.Overfull() {
		r.log.Warn("the filter of seen URLs holds far more than it was sized for and loses more than --fp-rate: crawl again with a larger --expect-urls",
			"urls", rep.Dedup.New, "expect-urls", rep.Dedup.Expect)
	}
	// The report comes after the records it is about, and within the lock.
	if err := shell.FirstError(err, r.rec.End(), r.endFilters(), r.save(rep), r.close(), shell.Print(r.reportTo(), rep.Text())); err != nil {
		return stopped(err, next)
	}
	verdict := r.verdict(res, r.rec, next)
	if verdict == nil {
		verdict = r.faults(rep, r.path(), next)
	}
	r.written(next, verdict)
	return verdict
}

// brokenHint says how to list all broken links of the crawl in dir.
func brokenHint(dir string) string {
	if dir == "" {
		return ""
	}
	return "crawler graph clicks " + shell.Quoted(dir) + " lists them all, each with the pages that have it"
}

// save writes the report beside the records.
func (r *session) save(rep *report.Report) error {
	if r.dir == nil {
		return nil
	}
	synced := r.dir.Sync()
	files, unwritten := r.dir.Written()
	rep.Files = files
	unfound := rep.FindNear(r.dir.Path(), memoryLimit(r.MaxMemory).forSignatures())
	unkept := r.saveNear(rep)
	return shell.FirstError(synced, unwritten, unfound, unkept, rep.Save(r.dir.Path()))
}

// room refuses to begin on a disk that is nearly full, where the first commit would
// stop the crawl.
func (r *session) room() error {
	if r.dir == nil {
		return nil
	}
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
	case r.Quiet || r.dir == nil:
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
	if r.streams() {
		return &pipe{w: r.std.Out, stop: r.cancel}
	}
	return nil
}

// reportTo is where the text report goes: standard output, unless the page records
// have it.
func (r *session) reportTo() io.Writer {
	if r.streams() {
		return r.std.Err
	}
	return r.std.Out
}

// toStdout is the -o of a crawl whose records go to standard output, and nowhere else.
const toStdout = "-"

// streams reports whether standard output has the page records.
func (o *options) streams() bool { return o.JSONL || o.Out == toStdout }

// run crawls into a new directory, or with -o - into none.
func (o *options) run(parent context.Context, s shell.Streams, cfg crawl.Config) error {
	if o.Out == toStdout {
		ctx, r, end := o.session(parent, s, nil)
		defer end()
		r.discard = func() {}
		if err := r.plug(&cfg); err != nil {
			return err
		}
		return r.crawl(ctx, cfg)
	}
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
