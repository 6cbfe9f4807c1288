package main

import (
	"io"
	"log/slog"
)

func newLogger(o *options, w io.Writer) *slog.Logger {
	level := slog.LevelInfo
	switch {
	case o.quiet:
		level = slog.LevelError
	case o.verbose:
		level = slog.LevelDebug
	}
	opts := &slog.HandlerOptions{Level: level}
	if o.logFormat.value == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
