package crawlcmd

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
	"crawler/report"
	"crawler/store"
)

// A disk that fills up in mid-crawl ends the crawl with its own exit code; what was
// committed before stands, and the crawl continues once there is room.
func TestFullDisk(t *testing.T) {
	for name, fails := range map[string]func(op errorfs.Op) bool{
		"state": func(op errorfs.Op) bool { return strings.Contains(op.Path, "/out/state/") },
		"lines": func(op errorfs.Op) bool { return strings.HasSuffix(op.Path, report.PagesFile) },
	} {
		t.Run(name, func(t *testing.T) {
			var full atomic.Bool
			fs := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && fails(op) {
					return syscall.ENOSPC
				}
				return nil
			}))
			var asked atomic.Int64
			_, url := crawltest.ServeAndCount(t, func(w http.ResponseWriter, r *http.Request) {
				full.Store(asked.Add(1) > 30)
				crawltest.Slow(w, r)
			})
			out := filepath.Join(t.TempDir(), "out")
			err := crawlOn(t, store.Wrap(fs, os.Truncate), out, url)
			var e *shell.ExitError
			if !errors.As(err, &e) || e.Code != shell.ExitDisk || !errors.Is(err, syscall.ENOSPC) ||
				!strings.Contains(e.Error(), "nothing written before is harmed") || !strings.Contains(e.Hint, "crawler resume "+out) {
				t.Fatalf("ended with %v", err)
			}

			// This process has not given up the locks: the directory goes elsewhere.
			moved := filepath.Join(t.TempDir(), "moved")
			if err := os.CopyFS(moved, os.DirFS(out)); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			if code := program([]string{"resume", moved, "--max-pages", "40"}, &stdout, &stderr); code != shell.ExitOK {
				t.Fatalf("resume: exit code %d\n%s", code, stderr.String())
			}
			if !strings.Contains(stderr.String(), "resuming "+moved+": ") {
				t.Errorf("nothing was recovered:\n%s", stderr.String())
			}
			seen := map[string]bool{}
			for _, p := range crawltest.ReadPages(t, filepath.Join(moved, report.PagesFile)) {
				if seen[p.URL] {
					t.Errorf("%s is recorded twice", p.URL)
				}
				seen[p.URL] = true
			}
			if len(seen) != 40 {
				t.Errorf("%d pages, want 40", len(seen))
			}
		})
	}
}

// crawlOn crawls url into a new directory of a file system.
func crawlOn(t *testing.T, fs store.FS, out, url string) error {
	t.Helper()
	o, cfg := configured(t, url, "-q", "--delay", "0", "--per-host", "4")
	kept, err := settings.Kept(o.set)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.Create(fs, out, store.Meta{Seeds: cfg.Seeds, Flags: kept}, true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, r, end := o.session(t.Context(), shell.Streams{In: strings.NewReader(""), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}, dir)
	defer end()
	if err := r.plug(&cfg); err != nil {
		t.Fatal(err)
	}
	return r.crawl(ctx, cfg)
}
