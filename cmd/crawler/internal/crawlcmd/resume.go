package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// NewResume makes crawler resume.
func NewResume(s shell.Streams) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "resume DIR",
		Short: "Continue a crawl that was stopped, was killed or crashed, or has given something up",
		Long: `resume continues the crawl in DIR from its last commit, usually at most a
second and never more than 1,024 pages before its end, with its seeds and settings, which
need not be given again. No page is lost and none is recorded twice; what was in flight or
recorded behind the last commit is fetched again.

Limits, pace and access may be changed by the flags below, and stay changed for the
next resume. What decides which pages belong to the crawl, or what is recorded of
them, may not: that would mix two different crawls. --max-pages and --max-bytes count
over all runs, --time-limit in each. The environment (CRAWLER_DELAY=2s) sets these
flags as it does for crawler crawl; it comes before what the crawl had. A flag that is
not given keeps what the crawl had, whatever default is shown. --trap-trust adds to what
the crawl trusts already.

--retry-failed asks again for what was given up although it may be had later, also when the
crawl is complete: URLs without an answer, of hosts that were in trouble for too long or whose
robots.txt could not be read, and pages with a status of 408, 425, 429, or 500 and more. Their
records leave the files, so that each URL has one record at most, and are written anew as the
answers come. A complete crawl does the same for a longer --patience than it had.`,
		Example: `  crawler resume example
  crawler resume example --max-pages 10000
  crawler resume example --retry-failed
  crawler resume example --delay 2s -q`,
		Args: shell.Exactly(1, "name the crawl's directory: crawler resume DIR"),
		RunE: func(c *cobra.Command, args []string) error { return o.resume(c.Context(), s, args[0]) },
	}
	o.flags(c.Flags())
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = !settings.Resumable(f.Name) })
	c.Flags().BoolVar(&o.retryFailed, "retry-failed", false, "ask again for what was given up and may be had later")
	settings.Aliases(c.Flags())
	settings.Prepare(c)
	return c
}

// resume continues the crawl in the directory name.
func (o *options) resume(parent context.Context, s shell.Streams, name string) error {
	given, err := settings.GivenToResume(o.set, os.Environ())
	if err != nil {
		return err
	}
	if err := crawldir.CheckRecords(name); err != nil {
		return crawldir.Damaged(name, err)
	}
	dir, err := store.Open(store.DiskFor(procinfo.Descriptors()), name)
	if err != nil {
		return crawldir.Refuse(name, err)
	}
	// First: another version may have other settings, too.
	complete, last, err := crawl.Complete(disk.Of(dir))
	if err == nil {
		err = dir.Verify()
	}
	if err != nil {
		dir.Close()
		return crawldir.Refuse(name, err)
	}
	changes, err := edited(dir)
	if err != nil {
		dir.Close()
		return err
	}
	more, err := o.restore(dir, given)
	if err != nil {
		dir.Close()
		return err
	}
	ctx, r, end := o.session(parent, s, dir)
	defer end()
	if changes != "" {
		r.log.Warn(changes)
	}
	if failed := o.retryFailed || complete && more.patience; failed || more.trust {
		again, err := r.retry(failed, more.trust)
		if err != nil {
			return r.unretried(err)
		}
		if complete, last, err = crawl.Complete(disk.Of(dir)); err != nil {
			return crawldir.Refuse(name, err)
		}
		if again == 0 && complete && !more.any() && reported(name) {
			r.say("complete, and nothing was given up that may be had later")
			return nil
		}
	}
	cfg, err := o.Engine(dir.Meta().Seeds)
	if err != nil {
		return err
	}
	if o.demo {
		web, err := serveDemo()
		if err != nil {
			return err
		}
		defer web.close()
		web.reroute(&cfg)
	}
	stands := r.limitStands(last)
	switch {
	case !reported(name):
	case complete && !more.any():
		if damages, err := crawldir.Look(name, false); err != nil || damages.Any() != nil {
			return shell.FirstError(err, damages.Any())
		}
		return ended(name)
	case stands != nil && !complete:
		return stands // before anything is touched
	}
	if r.Warc {
		access := cfg.Fetch
		if _, err := r.Archive(&access); err != nil { // a dictionary that is not there any more
			return err
		}
	}
	// Opening the files cuts off what the run before has added at its end: its report is not true
	// of them then.
	if err := r.begin(&cfg, last, complete && !more.trust); err != nil {
		return err
	}
	if err := r.plug(&cfg); err != nil {
		return err
	}
	// Under a limit that stands, and of a complete crawl, the engine does nothing but end the
	// crawl, which gives one that was killed before its report what it lacks.
	if err := r.crawl(ctx, cfg); err != nil || stands == nil || r.ended == crawl.Done {
		return err
	}
	return stands
}

// reported reports whether the crawl's last run came to its report, and that is whole.
func reported(name string) bool {
	_, err := report.Load(name)
	return err == nil
}

// ended refuses to continue a crawl that came to its end.
func ended(name string) error {
	if rep, err := report.Load(name); err == nil && rep.Incomplete() > 0 {
		return shell.UsageError("to ask for them again: "+retryCommand(name), "the crawl in %s has ended, with %s given up", name, shell.Counted(rep.Incomplete(), "URL"))
	}
	return shell.UsageError("crawler report "+shell.Quoted(name)+" prints its report", "the crawl in %s is complete", name)
}

// raised are the limits that are larger than the crawl had them, and whether it trusts more.
type raised struct{ maxPages, patience, trust bool }

func (m raised) any() bool { return m.maxPages || m.patience || m.trust }

// restore fills in the settings the crawl had, beside those that are given now.
func (o *options) restore(dir *store.Dir, given map[string]bool) (more raised, err error) {
	kept := maps.Clone(dir.Meta().Flags)
	if kept[clusterKey] != nil {
		return more, shell.UsageError("crawler cluster start DIR continues the crawl, in the directory that has "+shell.Quoted(dir.Path())+" below it",
			"%s is a shard of a crawl on several machines, and not run alone", dir.Path())
	}
	o.demo = kept[demoKey] != nil
	delete(kept, demoKey)
	maxPages, patience := o.MaxPages, o.Patience
	var had settings.Options
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	had.Declare(f)
	for set, but := range map[*pflag.FlagSet]map[string]bool{f: nil, o.set: given} {
		if err := settings.Restore(set, but, kept); err != nil {
			return more, unreadable(dir, err)
		}
	}
	more.maxPages = given["max-pages"] && had.MaxPages > 0 && (maxPages > had.MaxPages || maxPages == 0)
	more.trust = given["trap-trust"] || given["traps"] && o.Traps.Value == "follow"
	more.patience = given["patience"] && patience > had.Patience
	return more, nil
}

// begin makes the settings of this run those of the crawl, and takes away the report of
// the run before, which a kill from now on would leave as if it were the truth.
func (r *session) begin(cfg *crawl.Config, last crawl.Result, complete bool) error {
	if err := r.keepSettings(); err != nil {
		return stopped(err, crawldir.ResumeCommand(r.dir.Path()))
	}
	lacks := !reported(r.dir.Path())
	if err := RemoveReport(r.dir); err != nil {
		return stopped(err, crawldir.ResumeCommand(r.dir.Path()))
	}
	r.show.resumes(last)
	switch {
	case r.Quiet:
	case complete && lacks:
		r.say("the crawl was complete; only its report was missing, and is written now")
	case complete:
		r.say("the crawl is complete: larger limits bring nothing more")
	default:
		cfg.Recovered = r.recovered
		if !r.dir.Resumed() {
			r.say("nothing had been committed when it ended: it starts again from its seeds")
		}
	}
	return nil
}

// ofReport reports whether a file is a report, or a temporary one of durable.WriteFile
// that was to become one.
func ofReport(name string) bool {
	for _, file := range []string{report.JSONFile, report.TextFile} {
		if rest, ok := strings.CutPrefix(name, file); ok && (rest == "" || strings.HasPrefix(rest, ".tmp")) {
			return true
		}
	}
	return false
}

// limitStands refuses to continue where a limit of pages or bytes leaves no page to be
// fetched.
func (r *session) limitStands(last crawl.Result) error {
	switch {
	case r.MaxPages > 0 && last.Pages() >= r.MaxPages:
		return shell.UsageError(fmt.Sprintf("raise it: %s --max-pages N, with N above %d, or 0 for no limit", crawldir.ResumeCommand(r.dir.Path()), last.Pages()),
			"--max-pages %d still stands: %s done, over all runs", r.MaxPages, shell.Counted(last.Pages(), "page"))
	case r.MaxBytes > 0 && last.Bytes >= int64(r.MaxBytes):
		return shell.UsageError(fmt.Sprintf("raise it: %s --max-bytes SIZE, with SIZE above %d, or 0 for no limit", crawldir.ResumeCommand(r.dir.Path()), last.Bytes),
			"--max-bytes %s still stands: %d bytes fetched, over all runs", r.MaxBytes.String(), last.Bytes)
	}
	return nil
}

// keepSettings makes the settings of this run those of the crawl.
func (r *session) keepSettings() error {
	meta := r.dir.Meta()
	kept, err := settings.Kept(r.set)
	if err != nil {
		return err
	}
	if r.demo {
		kept[demoKey] = []string{"true"}
	}
	changed := settings.Changes(meta.Flags, kept)
	if len(changed) == 0 && !meta.Edited {
		return nil
	}
	if !r.Quiet && len(changed) > 0 {
		r.log.Info("settings changed for the rest of the crawl", "flags", strings.Join(changed, " "))
	}
	meta.Flags = kept
	return r.dir.SetMeta(meta)
}

// RemoveReport removes the report of the run before, and what a kill left of one that was being
// written, durably. report.json is gone before the rest: it says what report.txt is, and that there
// is a report.
func RemoveReport(dir *store.Dir) error {
	if err := remove(dir, func(name string) bool { return name == report.JSONFile }); err != nil {
		return err
	}
	return remove(dir, ofReport)
}

// remove removes the files whose names match, durably.
func remove(dir *store.Dir, match func(name string) bool) error {
	names, err := dir.FS().List(dir.Path())
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !match(name) })
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if err := dir.FS().Remove(filepath.Join(dir.Path(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	d, err := dir.FS().OpenDir(dir.Path())
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
