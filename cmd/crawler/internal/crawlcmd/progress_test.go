package crawlcmd

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
	s := &screen{w: &out, memory: func() uint64 { return 100 << 20 }, live: true, size: func() (int, int) { return 80, 24 }}
	s.show(crawl.Progress{Elapsed: time.Second, Fetched: 10, MaxPages: 20})
	s.show(crawl.Progress{Elapsed: 2 * time.Second, Fetched: 16, MaxPages: 20, Queued: 3,
		Busiest: []frontier.HostLoad{{Host: strings.Repeat("long.", 20) + "example", Queued: 3, Spacing: time.Second}}})
	s.Write([]byte("a log line\n"))
	s.clear()
	got := out.String()
	for _, want := range []string{"pages 10", "\x1b[3A\x1b[Jpages 16", "    6.0/s now", "    8.0/s mean", "at most 1s to go", "3 queued, every 1s", "\x1b[4A\x1b[Ja log line\n"} {
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

// The block says what is waited for, and until when.
func TestWaitingIsShown(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 10, minute, 0, 0, time.Local) }
	for _, c := range []struct {
		w    frontier.Waiting
		want string
	}{
		{frontier.Waiting{}, ""},
		{frontier.Waiting{Outage: true, Since: at(1), Probe: at(2), Until: at(31)}, "no host answers since 10:01:00: next try 10:02:00, until 10:31:00"},
		{frontier.Waiting{Hosts: 7, Longest: []frontier.HostTrouble{{Host: "a.example", Why: "connect", Next: at(3), Until: at(32), Answered: true}}},
			"7 hosts in trouble:\n  a.example                        connect; next try 10:03:00, given up 10:32:00"},
		{frontier.Waiting{Hosts: 1, Longest: []frontier.HostTrouble{{Host: "never.example", Why: "connect", Next: at(3), Until: at(32)}}},
			"1 host in trouble:\n  never.example                    connect; next try 10:03:00, given up by 10:32:00 at the latest"},
		{frontier.Waiting{Pages: 1, Next: at(4), Last: at(33)}, "1 page to be tried again, the first 10:04:00, all by 10:33:00"},
	} {
		if got := strings.Join(waiting(&c.w), "\n"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Of a crawl that was resumed the rates are those of this run.
func TestRatesOfAResumedCrawl(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, memory: func() uint64 { return 100 << 20 }, live: true, size: func() (int, int) { return 80, 24 }}
	s.resumes(crawl.Result{Fetched: 1000, Bytes: 1 << 20})
	s.show(crawl.Progress{Elapsed: 2 * time.Second, Fetched: 1010})
	if got := out.String(); !strings.Contains(got, "pages 1010") || !strings.Contains(got, "    5.0/s now") || !strings.Contains(got, "    5.0/s mean") {
		t.Error(got)
	}
	out.Reset()
	logProgress(newLogger(&options{}, &out), crawl.Progress{Elapsed: 2 * time.Second, Fetched: 1010, Bytes: 3 << 20}, s.before)
	if got := out.String(); !strings.Contains(got, "downloaded=1010 pages/s=5 KiB/s=1024 ") {
		t.Error(got)
	}
}

// A line of the log says how many pages are waited for, and until when.
func TestWaitingIsLogged(t *testing.T) {
	for want, w := range map[string]frontier.Waiting{
		"hosts_in_trouble=1 pages_in_trouble=2 pages_until=10:33:00 longest_trouble=- ": {Hosts: 1, Pages: 2, Last: time.Date(2026, 1, 1, 10, 33, 0, 0, time.Local)},
		"hosts_in_trouble=0 pages_in_trouble=0 pages_until=- longest_trouble=- ":        {},
		`hosts_in_trouble=2 pages_in_trouble=0 pages_until=- longest_trouble="a.example: no-host, given up 10:33:00" `: {
			Hosts: 2, Longest: []frontier.HostTrouble{{Host: "a.example", Why: "no-host", Until: time.Date(2026, 1, 1, 10, 33, 0, 0, time.Local), Answered: true}, {Host: "b.example"}}},
	} {
		var out bytes.Buffer
		logProgress(newLogger(&options{}, &out), crawl.Progress{Elapsed: time.Second, Waiting: w}, crawl.Progress{})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		p      crawl.Progress
		want   time.Duration
		before int
	}{
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100}, 0, 0},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100, MaxPages: 150}, 5 * time.Second, 0},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 100, TimeLimit: 12 * time.Second, MaxPages: 150}, 2 * time.Second, 0},
		{crawl.Progress{Elapsed: 10 * time.Second, TimeLimit: 12 * time.Second, MaxPages: 150}, 2 * time.Second, 0},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 1100, MaxPages: 1150}, 5 * time.Second, 1000},
		{crawl.Progress{Elapsed: 10 * time.Second, Fetched: 1000, MaxPages: 1150}, 0, 1000},
	} {
		if got := remaining(c.p, crawl.Progress{Fetched: c.before}); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}
