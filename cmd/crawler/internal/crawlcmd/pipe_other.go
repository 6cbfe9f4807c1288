//go:build !windows

package crawlcmd

import (
	"errors"
	"syscall"
)

// readerLeft reports whether err says that nobody reads any more.
func readerLeft(err error) bool { return errors.Is(err, syscall.EPIPE) }
