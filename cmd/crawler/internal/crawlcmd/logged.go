package crawlcmd

import (
	"context"
	"log/slog"

	"crawler/crawl"
	"crawler/gate"
	"crawler/report"
)

// logged logs what goes by on its way to the Recorder.
type logged struct {
	*report.Recorder
	log   *slog.Logger
	seeds map[gate.Reason]int // that were refused
}

// maxSeedWarnings is how many seeds are warned about that were refused for one reason: a list may
// have thousands.
const maxSeedWarnings = 5

// Page logs the page at debug level (--verbose).
func (l *logged) Page(v *crawl.Visit) error {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("page", "url", v.URL.String(), "status", v.Status, "depth", v.Depth, "bytes", v.Bytes,
			"links", len(v.Page.Links), "words", len(v.Page.Words), "millis", v.Elapsed.Milliseconds())
	}
	return l.Recorder.Page(v)
}

// Redirect logs the hop at debug level.
func (l *logged) Redirect(v *crawl.Visit) error {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		attrs := []any{"url", v.URL.String(), "status", v.Status, "hop", v.Hops + 1}
		if v.Target.IsZero() {
			attrs = append(attrs, "detail", v.Detail)
		} else {
			attrs = append(attrs, "target", v.Target.String())
		}
		l.log.Debug("redirect", attrs...)
	}
	return l.Recorder.Redirect(v)
}

// Skip logs a refused seed as a warning, other refusals at debug level.
func (l *logged) Skip(s gate.Skip) error {
	level := slog.LevelDebug
	if s.Via == "" && s.Reason != gate.NotSampled { // that is as asked for, and of most seeds
		if l.seeds[s.Reason]++; l.seeds[s.Reason] <= maxSeedWarnings {
			level = slog.LevelWarn
		}
	}
	attrs := []any{"url", s.URL, "reason", string(s.Reason)}
	if s.Via != "" {
		attrs = append(attrs, "via", s.Via)
	}
	if s.From != "" {
		attrs = append(attrs, "from", s.From)
	}
	if s.Detail != "" {
		attrs = append(attrs, "detail", s.Detail)
	}
	l.log.Log(context.Background(), level, "skipped", attrs...)
	if s.Via == "" && l.seeds[s.Reason] == maxSeedWarnings+1 {
		l.log.Warn("more seeds are skipped for this reason; each stands in "+report.SkippedFile, "reason", string(s.Reason))
	}
	return l.Recorder.Skip(s)
}
