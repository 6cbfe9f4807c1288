package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/store"
)

// The hint fits what the user asked for: an existing crawl is not to be written elsewhere.
func TestTroubleWithACrawlThatIsThere(t *testing.T) {
	dir := t.TempDir()
	at := func(errno error) error {
		return fmt.Errorf("lock x: %w", &fs.PathError{Op: "open", Path: dir + "/lock", Err: errno})
	}
	for _, c := range []struct {
		refuse func(string, error) error
		err    error
		code   int
		hint   string
	}{
		{refuseDir, at(syscall.EACCES), exitDisk, "make it readable and writable for you; then crawler resume "},
		{refuseDir, at(syscall.EROFS), exitDisk, "make it readable and writable for you"},
		{refuseDir, at(syscall.ENOSPC), exitDisk, "free space on its disk"},
		{refuseDir, at(syscall.EIO), exitDisk, "mend"},
		{refuseDir, at(syscall.ENOENT), exitFailed, "put a copy in its place"},
		{unreadable, at(syscall.EACCES), exitFailed, "make it readable for you"},
		{unreadable, at(syscall.EIO), exitFailed, "mend the disk"},
		{unreadable, at(syscall.EISDIR), exitFailed, "put a copy in its place"},
	} {
		var e *exitError
		if err := c.refuse(dir, c.err); !errors.As(err, &e) || e.code != c.code || !strings.Contains(e.hint, c.hint) || !errors.Is(err, c.err) {
			t.Errorf("%v: %v with hint %q", c.err, err, e.hint)
		}
	}
	var e *exitError
	if err := stopped(at(syscall.EROFS), "crawler resume x"); !errors.As(err, &e) || e.code != exitDisk || !strings.Contains(e.hint, "writable for you; crawler resume x") {
		t.Errorf("%v with hint %q", err, e.hint)
	}
}

func TestPlainSaysNothingTwice(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for want, err := range map[string]error{
		"commit: write x: no space left on device":           errors.Join(fmt.Errorf("commit: %w", full), full),
		"write x: no space left on device":                   errors.Join(full, full),
		"read: invalid table":                                errors.Join(errors.New("read: invalid table"), errors.New("<corruption detail carrier>")),
		"x holds a crawl already; lock x: permission denied": errors.Join(errors.New("x holds a crawl already"), errors.New("lock x: permission denied")),
		"one": errors.New("one"),
	} {
		if got := plain(err); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%q: %q", err, got)
		}
	}
	for err, want := range map[string]string{
		"c: c/pages.jsonl is damaged: gone": "c/pages.jsonl is damaged: gone",
		"c is damaged: gone":                "c is damaged: gone",
		"crawl: state is damaged":           "c: crawl: state is damaged",
		"open x: no such file":              "c is damaged: open x: no such file",
	} {
		if got := damaged("c", errors.New(err)).Error(); got != want {
			t.Errorf("%q: %q, want %q", err, got, want)
		}
	}
}

// A configuration that only the engine refuses leaves nothing behind, and takes nothing
// that was there before.
func TestRefusedCrawlLeavesNothing(t *testing.T) {
	for _, durable := range []string{"true", "false"} {
		root := t.TempDir()
		kept := filepath.Join(root, "kept", "mine")
		if err := os.MkdirAll(kept, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{filepath.Join(root, "new", "out"), filepath.Dir(kept)} {
			o, cfg, err := engineConfig(t, "-o", out, "--durable="+durable, "-q")
			if err != nil {
				t.Fatal(err)
			}
			cfg.Workers = -1
			err = o.run(t.Context(), streams{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}, cfg)
			var e *exitError
			if !errors.As(err, &e) || e.code != exitUsage {
				t.Fatalf("%v", err)
			}
		}
		if names := list(t, root); strings.Join(names, " ") != "kept" {
			t.Errorf("durable %s: left %q", durable, names)
		}
		if names := list(t, filepath.Dir(kept)); strings.Join(names, " ") != "mine" {
			t.Errorf("durable %s: left %q", durable, names)
		}
	}
}

// A crawl that another process has begun meanwhile is not removed.
func TestDiscardLeavesWhatIsNotItsOwn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	before := lookAt(out)
	dir, err := store.Create(store.Disk(), out, store.Meta{Created: time.Unix(1, 0)}, true)
	if err != nil {
		t.Fatal(err)
	}
	before.restore(time.Unix(1, 0)) // it is locked
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	before.restore(time.Unix(2, 0)) // it is another's
	if names := list(t, out); !slices.Contains(names, "crawl.json") || !slices.Contains(names, "state") {
		t.Errorf("only %q are left", names)
	}
	before.restore(time.Unix(1, 0))
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", out, err)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Who may not write into a crawl's directory still learns what its records tell.
func TestWhyWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do anything")
	}
	_, url := testServer(t, slow)
	out := filepath.Join(t.TempDir(), "out")
	code := func(args ...string) (int, string) {
		var all bytes.Buffer
		return run(args, strings.NewReader(""), &all, &all), all.String()
	}
	if c, text := code("crawl", url, "-o", out, "-q", "--max-pages", "1", "--delay", "0"); c != exitOK {
		t.Fatalf("exit code %d\n%s", c, text)
	}
	for _, f := range []string{"lock", "crawl.json"} {
		if err := os.Chmod(filepath.Join(out, f), 0); err != nil {
			t.Fatal(err)
		}
		if c, text := code("why", out, url); c != exitOK || !strings.Contains(text, "status 200") || !strings.Contains(text, "cannot be opened") {
			t.Errorf("why: exit code %d\n%s", c, text)
		}
	}
	if c, text := code("resume", out); c != exitDisk || !strings.Contains(text, "make it readable and writable for you") {
		t.Errorf("resume: exit code %d\n%s", c, text)
	}
	if c, text := code("crawl", url, "-o", out); c != exitUsage || strings.Count(text, "\n") != 2 {
		t.Errorf("crawl: exit code %d\n%s", c, text)
	}
}

func TestURLsWereLeft(t *testing.T) {
	for n, want := range map[int]string{0: "0 URLs were left", 1: "1 URL was left", 1234: "1,234 URLs were left"} {
		err := (&options{}).verdict(crawl.Result{EndedBy: crawl.ByInterrupt, Queued: n}, nil, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
