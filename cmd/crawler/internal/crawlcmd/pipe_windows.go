package crawlcmd

import (
	"errors"
	"syscall"
)

// errnoNoData is ERROR_NO_DATA: the pipe is being closed.
const errnoNoData = syscall.Errno(232)

// readerLeft reports whether err says that nobody reads any more.
func readerLeft(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errnoNoData)
}
