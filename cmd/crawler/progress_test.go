package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/frontier"
)

func TestProgressBlockIsDrawnOverAndGivesWayToLogs(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, live: true, width: 80}
	s.show(crawl.Progress{Elapsed: time.Second, Fetched: 10, MaxPages: 20})
	s.show(crawl.Progress{Elapsed: 2 * time.Second, Fetched: 16, MaxPages: 20, Queued: 3,
		Busiest: []frontier.HostLoad{{Host: strings.Repeat("long.", 20) + "example", Queued: 3, Spacing: time.Second}}})
	s.Write([]byte("a log line\n"))
	s.clear()
	got := out.String()
	for _, want := range []string{"pages 10", "\x1b[3A\x1b[Jpages 16", "6.0/s now", "8.0/s mean", "at most 1s to go", "3 queued, every 1s", "\x1b[4A\x1b[Ja log line\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%q", want, got)
		}
	}
	for _, l := range strings.Split(got, "\n") {
		if len(strings.TrimLeft(l, "\x1b[0123456789AJ")) > 80 {
			t.Errorf("wider than 80 columns: %q", l)
		}
	}
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		p    crawl.Progress
		want time.Duration
	}{
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100}, 0},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100, MaxPages: 150}, 5 * time.Second},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100, TimeLimit: 12 * time.Second, MaxPages: 150}, 2 * time.Second},
		{crawl.Progress{Elapsed: 10 * time.Second, TimeLimit: 12 * time.Second, MaxPages: 150}, 2 * time.Second},
	} {
		if got := remaining(c.p); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}
