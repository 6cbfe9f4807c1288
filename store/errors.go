package store

import (
	"errors"
	"os"
	"syscall"
)

// What can be wrong with a directory, in the chain of the error that names it.
var (
	ErrExists     = errors.New("holds a crawl already")
	ErrNoCrawl    = errors.New("holds no crawl")
	ErrNotDurable = errors.New("holds a crawl that kept no state")
	ErrLocked     = errors.New("is in use by another process")
	ErrNewer      = errors.New("was written by a newer version of this program")
	ErrDamaged    = errors.New("is damaged")
)

// lockHeld reports whether an error of FS.Lock means that somebody has the lock, not that
// the lock file could not be made.
func lockHeld(err error) bool {
	var path *os.PathError
	var errno syscall.Errno
	if errors.As(err, &path) {
		return false
	}
	return !errors.As(err, &errno) || errno == syscall.EAGAIN || errno == syscall.EACCES
}
