package crawlcmd

import (
	"io"
	"log/slog"
)

func newLogger(o *options, w io.Writer) *slog.Logger {
	level := slog.LevelInfo
	switch {
	case o.Quiet:
		level = slog.LevelError
	case o.Verbose:
		level = slog.LevelDebug
	}
	opts := &slog.HandlerOptions{Level: level}
	if o.LogFormat.Value == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
