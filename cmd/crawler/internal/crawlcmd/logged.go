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
func (l *logged) Skip(s gate.Skip) error {
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
