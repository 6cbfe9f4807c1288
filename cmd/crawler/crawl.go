package main

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/report"
	"crawler/weburl"
)

func newCrawl(s streams) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "crawl [URL...]",
		Short: "Crawl from seed URLs and write pages, refusals and a report",
		Long: `crawl visits every page that can be reached by links from the seeds, once, and
writes into the output directory:

  pages.jsonl    one line a page: url, final_url, status, title, words, ...
  skipped.jsonl  one line a URL that was not fetched, and the reason
  edges.jsonl    with --edges: one line a page with its links
  report.json    the report (docs/report.md describes it)
  report.txt     the same as text, which is also printed

It stays on the seeds' hosts, obeys robots.txt, keeps one connection and one
second between requests to a host, and stops when nothing is left. Ctrl-C stops
it gracefully and still prints the report; a second Ctrl-C quits at once.

A TIME without a unit is in seconds.

Settings come from flags, then from the environment (CRAWLER_MAX_PAGES=100),
then from the file given by --config.`,
		Example: `  crawler crawl https://example.com/ -o example
  crawler crawl https://example.com/docs/ --scope prefix --depth 3
  crawler crawl --seeds seeds.txt --contact me@example.org -c 256
  crawler crawl http://localhost:8080/ --delay 0 --per-host 8
  crawler crawl https://example.com/ --extract 'price=.price' --jsonl | jq .`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := resolveSettings(c.Flags(), os.Environ()); err != nil {
				return err
			}
			seeds, err := readSeeds(args, o.seeds, s.in)
			if err != nil {
				return err
			}
			cfg, err := o.crawl(seeds)
			if err != nil {
				return err
			}
			if o.dryRun {
				return dryRun(s.out, c.Flags(), cfg)
			}
			return o.run(c.Context(), s, cfg)
		},
	}
	o.flags(c.Flags())
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*choice); ok {
			c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.of, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("crawler crawl --help lists the flags", "%w%s", err, flagSuggestion(c, err))
	})
	return c
}

// run crawls, writes the crawl directory, prints the report, and turns the way the
// crawl ended into an exit code.
func (o *options) run(parent context.Context, s streams, cfg crawl.Config) error {
	show := newScreen(o, s.err)
	log := newLogger(o, show)
	// net/http complains about servers through the standard logger.
	stdlog.SetOutput(slog.NewLogLogger(log.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	if o.contact == "" && o.agent == "" && !o.quiet && !local(cfg.Seeds) {
		log.Warn("no contact in the user agent: set --contact so that a site's owner can reach you")
	}
	seed := o.seed
	if seed == 0 {
		var b [8]byte
		crand.Read(b[:]) // never fails (crypto/rand)
		seed = binary.LittleEndian.Uint64(b[:])
	}
	seen, err := dedup.NewRestarting(dedup.Config{ExpectURLs: o.expect, FPRate: o.fpRate, RestartEvery: o.restart, Seed: seed})
	if err != nil {
		return usage("see --expect-urls, --fp-rate and --restart-every in crawler crawl --help", "%w", err)
	}
	files, err := o.create(cfg.Seeds)
	if err != nil {
		return err
	}
	ctx, release := interruptible(parent, show)
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := o.stream(s, cancel)
	rec := report.NewRecorder(report.Config{Files: files, MaxSites: o.maxSites, Exact: o.exact, NoIndex: cfg.IgnoreRobots, Seed: seed, Stream: stream})
	cfg.Seen, cfg.Recorder = seen, &logged{Recorder: rec, log: log}
	cfg.Progress, cfg.ProgressEvery = show.progress(o, log)

	res, err := crawl.Run(ctx, cfg)
	show.clear()
	if res.Started.IsZero() {
		files.Close()
		return usage("see crawler crawl --help", "%w", err)
	}
	rep := report.New(version, res, seen.Stats(), rec, used())
	if err := firstError(err, files.Close(), rep.Save(files.Dir()), printReport(o.reportTo(s), rep, false)); err != nil {
		return diskError(err)
	}
	switch {
	case o.quiet:
	case o.logJSON.value == "json":
		log.Info("written", "dir", files.Dir())
	default:
		fmt.Fprintf(s.err, "\nwritten to %s\n", files.Dir())
	}
	return o.verdict(res, rec)
}

// firstError returns the one that came first: those after it are its consequences.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// verdict turns the end of a crawl into the exit code.
func (o *options) verdict(res crawl.Result, rec *report.Recorder) error {
	switch {
	case res.EndedBy == crawl.ByInterrupt:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted; %d URLs were left", res.Left())}
	case rec.Succeeded() == 0:
		return nothing(res, rec)
	case o.failOn && res.EndedBy.Limit():
		return &exitError{code: exitLimit, err: fmt.Errorf("a limit ended the crawl: %s; %d URLs were left", res.EndedBy, res.Left())}
	}
	return nil
}

// nothing explains why no page could be had, by what happened first.
func nothing(res crawl.Result, rec *report.Recorder) error {
	why := ""
	hint := "check the URL in a browser, and the network"
	if res.EndedBy.Limit() {
		why, hint = fmt.Sprintf(" before %s ended the crawl", res.EndedBy), "raise the limit"
	}
	for _, s := range rec.FirstFailures() {
		why += "\n  " + s.URL + ": " + strings.TrimPrefix(fmt.Sprintf("%s, %s", s.Reason, s.Detail), ", ")
		switch s.Reason {
		case crawl.Disallowed:
			hint = "robots.txt does not allow it; on your own site, --robots ignore fetches it all the same"
			if strings.HasPrefix(s.Detail, "disallow-all") {
				hint = "robots.txt could not be read, which forbids everything (RFC 9309); try later, or on your own site --robots ignore"
			}
		case crawl.HostClosed:
			hint = "the host asks for patience; try again later"
		case crawl.OutOfScope:
			hint = "give the address it leads to as a seed, or widen --scope"
		}
	}
	return &exitError{code: exitNothing, err: fmt.Errorf("nothing could be fetched%s", why), hint: hint}
}

// create makes the crawl directory.
func (o *options) create(seeds []string) (*report.Files, error) {
	if o.out != "" {
		return o.created(report.Create(o.out))
	}
	u, err := weburl.Parse(seeds[0])
	if err != nil {
		return nil, usage("", "%w", err)
	}
	name := fmt.Sprintf("crawl-%s-%s", fileName(u.Host()), time.Now().Format("20060102-150405"))
	files, err := report.Create(name)
	for n := 2; errors.Is(err, report.ErrExists) && n < 100; n++ { // others may have begun in this second
		files, err = report.Create(fmt.Sprintf("%s-%d", name, n))
	}
	return o.created(files, err)
}

func (o *options) created(files *report.Files, err error) (*report.Files, error) {
	if err == nil && o.edges {
		err = files.KeepEdges()
	}
	switch {
	case errors.Is(err, report.ErrExists):
		return nil, usage("choose another -o; crawler report prints the report of the one that is there", "%w", err)
	case err != nil:
		return nil, diskError(err)
	}
	return files, nil
}

// fileName keeps of a host name what any file system takes.
func fileName(host string) string {
	b := []byte(clip(host, 60))
	for i, c := range b {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' || c == '-' {
			continue
		}
		b[i] = '_'
	}
	return string(b)
}

// local reports whether all seeds are on this machine.
func local(seeds []string) bool {
	for _, s := range seeds {
		u, err := weburl.Parse(s)
		if err != nil {
			return false
		}
		addr, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return true
}

// logged logs what goes by on its way to the Recorder.
type logged struct {
	*report.Recorder
	log *slog.Logger
}

// Page logs the page at debug level (--verbose).
func (l *logged) Page(v *crawl.Visit) error {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("page", "url", v.URL.String(), "status", v.Status, "depth", v.Depth, "bytes", v.Bytes,
			"links", len(v.Page.Links), "words", len(v.Page.Words), "millis", v.Elapsed.Milliseconds())
	}
	return l.Recorder.Page(v)
}

// Skip logs a refused seed as a warning, other refusals at debug level.
func (l *logged) Skip(s crawl.Skip) error {
	level := slog.LevelDebug
	if s.Via == "" {
		level = slog.LevelWarn
	}
	attrs := []any{"url", s.URL, "reason", string(s.Reason)}
	if s.Via != "" {
		attrs = append(attrs, "via", s.Via)
	}
	if s.Detail != "" {
		attrs = append(attrs, "detail", s.Detail)
	}
	l.log.Log(context.Background(), level, "skipped", attrs...)
	return l.Recorder.Skip(s)
}
