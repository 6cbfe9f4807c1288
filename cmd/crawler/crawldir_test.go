package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
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
}

func TestDamageIsNamedOnce(t *testing.T) {
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
