package crawlcmd

import (
	"path/filepath"
	"testing"

	"crawler/cmd/crawler/internal/settings"
	"crawler/crawl"
	"crawler/store"
)

// A limit that is reached, and no other, leaves nothing to be resumed.
func TestLimitThatStands(t *testing.T) {
	dir, err := store.Create(store.Disk(), filepath.Join(t.TempDir(), "out"), store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	last := crawl.Result{Fetched: 10, Bytes: 1000}
	for _, c := range []struct {
		of     settings.Options
		stands bool
	}{
		{settings.Options{}, false},
		{settings.Options{MaxPages: 10}, true}, {settings.Options{MaxPages: 9}, true}, {settings.Options{MaxPages: 11}, false},
		{settings.Options{MaxBytes: 1000}, true}, {settings.Options{MaxBytes: 999}, true}, {settings.Options{MaxBytes: 1001}, false},
	} {
		r := &session{options: &options{Options: c.of}, dir: dir}
		if err := r.limitStands(last); (err != nil) != c.stands {
			t.Errorf("--max-pages %d, --max-bytes %d: %v", c.of.MaxPages, c.of.MaxBytes, err)
		}
	}
}
