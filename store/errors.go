package store

import (
	"errors"
	"os"
	"runtime"
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

// sharingViolation is what Windows says of a lock file that another process has open.
const sharingViolation = syscall.Errno(32)

// lockHeld reports whether an error of FS.Lock means that somebody has the lock, not that
// the lock file could not be made.
func lockHeld(err error) bool {
	var path *os.PathError
	var errno syscall.Errno
	switch {
	case errors.As(err, &path):
		return false
	case !errors.As(err, &errno):
		return true
	case runtime.GOOS == "windows":
		return errno == sharingViolation
	}
	return errno == syscall.EAGAIN || errno == syscall.EACCES
}
