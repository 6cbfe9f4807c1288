package crawldir

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"crawler/cmd/crawler/internal/shell"
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
		{Refuse, at(syscall.EACCES), shell.ExitDisk, "make it readable and writable for you; then crawler resume "},
		{Refuse, at(syscall.EROFS), shell.ExitDisk, "make it readable and writable for you"},
		{Refuse, at(syscall.ENOSPC), shell.ExitDisk, "free space on its disk"},
		{Refuse, at(syscall.EIO), shell.ExitDisk, "or repair it"},
		{Refuse, at(syscall.ENOENT), shell.ExitFailed, "put a copy in its place"},
		{Unreadable, at(syscall.EACCES), shell.ExitFailed, "make it readable for you"},
		{Unreadable, at(syscall.EIO), shell.ExitFailed, "repair the disk"},
		{Unreadable, at(syscall.EISDIR), shell.ExitFailed, "put a copy in its place"},
	} {
		var e *shell.ExitError
		if err := c.refuse(dir, c.err); !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Hint, c.hint) || !errors.Is(err, c.err) {
			t.Errorf("%v: %v with hint %q", c.err, err, e.Hint)
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
		if got := Damaged("c", errors.New(err)).Error(); got != want {
			t.Errorf("%q: %q, want %q", err, got, want)
		}
	}
}
