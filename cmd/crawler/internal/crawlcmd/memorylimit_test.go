package crawlcmd

import (
	"bytes"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"crawler/crawl"
)

// The limit holds for the run alone, and a warning comes when what is in use comes near it.
func TestMemoryLimit(t *testing.T) {
	m := memoryLimit(100 << 20)
	before := debug.SetMemoryLimit(-1)
	undo := m.limit()
	if now := debug.SetMemoryLimit(-1); now != 90<<20 {
		t.Errorf("the limit is %d", now)
	}
	undo()
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("the limit stays %d, was %d", now, before)
	}

	var log bytes.Buffer
	shown := 0
	watch := m.watch(func(crawl.Progress) { shown++ }, slog.New(slog.NewTextHandler(&log, nil)))
	runtime.GC()
	watch(crawl.Progress{})
	if log.Len() > 0 {
		t.Errorf("a warning at %.2f: %s", m.pressure(), log.String())
	}
	ballast := make([]byte, 90<<20)
	runtime.GC()
	watch(crawl.Progress{})
	watch(crawl.Progress{})
	if shown != 3 || strings.Count(log.String(), "--max-memory") != 1 {
		t.Errorf("shown %d times, at %.2f: %q", shown, m.pressure(), log.String())
	}
	runtime.KeepAlive(ballast)
}
