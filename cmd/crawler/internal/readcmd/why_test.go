package readcmd

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crawler/frontier"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// What waits in a committed queue is found with its place, and a redirect by where it
// leads.
func TestWhyFindsWhatWaits(t *testing.T) {
	dir, err := store.Create(store.Disk(), filepath.Join(t.TempDir(), "out"), store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := frontier.New(frontier.Config{Disk: dir.Queue(), Delay: time.Hour})
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
	b := dir.DB().NewBatch()
	f.Commit(dir.Queue().Writer(b))
	if err := dir.DB().Commit(b); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string][]string{
		"http://a.example/work": {"queued: 0 URLs", "it was in work at the last commit"},
		"http://a.example/next": {"depth 1, tried 1 time", "found on\n    http://a.example/\n", "its host has 2 URLs queued\n  and may be asked from 2026-01-02T04:04:05Z on"},
		"http://a.example/last": {"queued: 2 URLs of its host before it, depth 2"},
		"http://a.example/old":  {"it redirected, and in its place waits\n    http://b.example/target"},
		"http://c.example/none": {"never met"},
	} {
		u, admitted := parsed(t, url), !strings.HasSuffix(url, "none")
		st := &story{Story: &report.Story{URL: url, Admitted: &admitted}}
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
