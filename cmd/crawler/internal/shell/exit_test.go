package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestPlainSaysNothingTwice(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for want, err := range map[string]error{
		"commit: write x: no space left on device":           errors.Join(fmt.Errorf("commit: %w", full), full),
		"write x: no space left on device":                   errors.Join(full, full),
		"read: invalid table":                                errors.Join(errors.New("read: invalid table"), errors.New("<corruption detail carrier>")),
		"x holds a crawl already; lock x: permission denied": errors.Join(errors.New("x holds a crawl already"), errors.New("lock x: permission denied")),
		"one": errors.New("one"),
	} {
		if got := Plain(err); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%q: %q", err, got)
		}
	}
}
