package diffcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/diff"
	"crawler/report"
)

// A directory is read no further once somebody has pressed Ctrl-C.
func TestReadingIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	const page = `{"url":"https://a.example/","status":200,"depth":0,"content_type":"text/html","bytes":1,"title":"","words":1,` +
		`"links":0,"fetched_at":"2026-01-01T00:00:00.000Z","millis":1,"digest":"0000000000000001"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, report.PagesFile), []byte(strings.Repeat(page, 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := interruptible{directory(dir), ctx}.Each(diff.Pages, func(diff.Item) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("read %d pages, error %v; want 3 and that the context was cancelled", n, err)
	}
}
