package crawl_test

import (
	"testing"

	"crawler/crawl"
)

// What was leased when the crawl ended was not come to, nor was what was queued.
func TestLeft(t *testing.T) {
	if got := (crawl.Result{Queued: 5, Leased: 2}).Left(); got != 7 {
		t.Errorf("%d URLs are left, want 7", got)
	}
}

// A crawl that a limit ended has done what it was asked for.
func TestLimit(t *testing.T) {
	for end, want := range map[crawl.EndedBy]bool{
		crawl.ByMaxPages: true, crawl.ByMaxBytes: true, crawl.ByTimeLimit: true,
		crawl.Done: false, crawl.ByInterrupt: false, crawl.ByStop: false,
		crawl.ByRecordError: false, crawl.ByStoreError: false, crawl.ByLowDisk: false,
	} {
		if got := end.Limit(); got != want {
			t.Errorf("%s is a limit: %v, want %v", end, got, want)
		}
	}
}
