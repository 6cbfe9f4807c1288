package store

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// The faults of a directory, each in the chain of the error that names the directory.
var (
	ErrExists     = errors.New("holds a crawl already")
	ErrNoCrawl    = errors.New("holds no crawl")
	ErrNotDurable = errors.New("holds a crawl that kept no state")
	ErrLocked     = errors.New("is in use by another process")
	ErrNewer      = errors.New("was written by a newer version of this program")
	ErrDamaged    = errors.New("is damaged")
	ErrRewriting  = errors.New("was interrupted while records were taken out of its files")
)

// sharingViolation is Windows' error for a lock file that another process has open.
const sharingViolation = syscall.Errno(32)

// lockHeld reports whether an error of FS.Lock means that another process has the lock, not
// that the lock file could not be created.
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
