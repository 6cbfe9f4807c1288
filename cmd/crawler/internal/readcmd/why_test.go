package readcmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crawler/frontier"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// What waits in a committed queue is found with its place, and so is what a redirect leads to.
func TestWhyFindsWhatWaits(t *testing.T) {
	dir, err := store.Create(store.Disk(), filepath.Join(t.TempDir(), "out"), store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := frontier.New(frontier.Config{Disk: dir.Queue(), Delay: 30 * time.Second})
	for _, it := range []frontier.Item{
		{URL: parsed(t, "http://a.example/work")},
		{URL: parsed(t, "http://a.example/next"), Via: "http://a.example/", Depth: 1, Attempt: 1},
		{URL: parsed(t, "http://b.example/first")},
		{URL: parsed(t, "http://b.example/target"), Via: "http://a.example/", From: "http://a.example/old", Hops: 1, Depth: 1},
		{URL: parsed(t, "http://a.example/last"), Via: "http://a.example/work", Depth: 2},
	} {
		f.Push(it)
	}
	for it, ok := f.Next(now); ok; it, ok = f.Next(now) {
		f.Start(it, now)
	}
	for i, failed := range []bool{false, true, true} { // a host that does not answer any more
		at := now.Add(time.Duration(i) * 30 * time.Second)
		f.Push(frontier.Item{URL: parsed(t, fmt.Sprintf("http://d.example/%d", i))})
		o := frontier.Outcome{Started: at}
		if failed {
			o.Kind, o.Retry, o.Why = frontier.Failed, true, "connect"
		}
		it, ok := f.Next(at)
		for ; ok && it.URL.Host() != "d.example"; it, ok = f.Next(at) {
		}
		if !ok {
			t.Fatal("the host has no turn")
		}
		f.Done(it, at, o)
	}
	b := dir.DB().NewBatch()
	f.Commit(dir.Queue().Writer(b))
	if err := dir.DB().Commit(b); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string][]string{
		"http://a.example/work":   {"queued: 0 URLs", "it was in work at the last commit"},
		"http://a.example/next":   {"depth 1, tried 1 time", "found on\n    http://a.example/\n", "its host has 2 URLs queued\n  and may be asked from 2026-01-02T03:04:35Z on"},
		"http://a.example/last":   {"queued: 2 URLs of its host before it, depth 2"},
		"http://a.example/old":    {"redirects to (status 301)\n    http://b.example/target\n  which is queued\n"},
		"http://b.example/target": {"found by a redirect from\n    http://a.example/old\n"},
		"http://d.example/1": {"failed first at 2026-01-02T03:04:35Z\n  the next try is due at 2026-01-02T03:05:35Z",
			"its host has 2 URLs queued, 2 failures in a row, the last of them: connect\n"},
		"http://c.example/none": {"never met"},
	} {
		u, admitted := parsed(t, url), !strings.HasSuffix(url, "none")
		st := &story{Story: &report.Story{URL: url, Admitted: &admitted}}
		if strings.HasSuffix(url, "old") {
			st.Hops = []report.RedirectRecord{{URL: url, Status: 301, Target: "http://b.example/target"}}
		}
		if err := st.lookIntoQueues(dir.Queue(), u); err != nil {
			t.Fatal(err)
		}
		text := st.text(now)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", url, w, text)
			}
		}
		if work := strings.HasSuffix(url, "work"); st.InWork != work || strings.Contains(text, "in work at") != work {
			t.Errorf("%s: in work %v:\n%s", url, st.InWork, text)
		}
	}
}

func parsed(t *testing.T, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
