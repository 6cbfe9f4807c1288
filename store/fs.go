package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is where a crawl directory lives: Pebble's file system and what it lacks. All file
// access of this package goes through one, so that tests can fail any operation and
// crash at any instant.
type FS interface {
	vfs.FS

	// Truncate cuts the named file to size bytes, which must not be more than it has.
	// A File that was opened before may still have the old content: open it again.
	Truncate(name string, size int64) error
}

// Disk returns the operating system's file system.
func Disk() FS { return disk{FS: vfs.Default} }

// DiskFor is Disk for a process that may have so many descriptors: with few, tables of the database
// take none while they are not read, so that connections and other files have them.
func DiskFor(descriptors int) FS { return disk{vfs.Default, descriptors < fewDescriptors} }

type disk struct {
	vfs.FS
	few bool // few descriptors: tables are open only while they are read
}

func (disk) Truncate(name string, size int64) error { return os.Truncate(name, size) }

// maxShortage is for how long a file waits for a descriptor, and shortageLook the time between two
// looks: connections end meanwhile.
const (
	maxShortage  = 2 * time.Second
	shortageLook = 20 * time.Millisecond
)

// open calls f until the process, or the machine, has a descriptor for it.
func (d disk) open(f func() (vfs.File, error)) (vfs.File, error) {
	for until := time.Now().Add(maxShortage); ; time.Sleep(shortageLook) {
		file, err := f()
		few := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		if !few || time.Now().After(until) {
			return file, err
		}
	}
}

func (d disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.Create(name, c) })
}

func (d disk) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if d.few && (strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")) {
		return openSeldom(d, name, opts)
	}
	return d.open(func() (vfs.File, error) { return d.FS.Open(name, opts...) })
}

func (d disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, opts...) })
}

func (d disk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.ReuseForWrite(old, name, c) })
}

func (d disk) OpenDir(name string) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.OpenDir(name) })
}

// Unwrap lets vfs.Root find the operating system's own.
func (d disk) Unwrap() vfs.FS { return d.FS }

// Lock takes the lock under its absolute name without symbolic links: two names of one
// file would otherwise be two locks within a process.
func (d disk) Lock(name string) (io.Closer, error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return d.FS.Lock(filepath.Join(dir, filepath.Base(name)))
}

// OnMem returns a file system in memory, for tests. Truncate replaces the file by a
// shorter copy and is durable at once, together with all names in that directory.
func OnMem(m *vfs.MemFS) FS {
	return Wrap(m, func(name string, size int64) error { return truncateByCopy(m, name, size) })
}

// Wrap makes an FS of a Pebble file system, such as one that injects errors, and a function
// that truncates a file.
func Wrap(fs vfs.FS, truncate func(name string, size int64) error) FS {
	return wrapped{fs, truncate}
}

type wrapped struct {
	vfs.FS
	truncate func(name string, size int64) error
}

func (w wrapped) Truncate(name string, size int64) error { return w.truncate(name, size) }

func (w wrapped) Unwrap() vfs.FS { return w.FS }

func truncateByCopy(fs vfs.FS, name string, size int64) error {
	info, err := fs.Stat(name)
	if err != nil {
		return err
	}
	if size < 0 || size > info.Size() {
		return fmt.Errorf("truncate %s to %d bytes: it has %d", name, size, info.Size())
	}
	data, err := readFile(fs, name, size)
	if err != nil {
		return err
	}
	return replaceFile(fs, name, data[:size])
}

// readFile reads the named file if it has at most limit bytes, and the first limit+1
// bytes of one that has more.
func readFile(fs vfs.FS, name string, limit int64) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	return data, errors.Join(err, f.Close())
}

// replaceFile writes a temporary file beside the named one, syncs it, renames it over
// the old one and syncs the directory: a crash leaves the old content or the new. Only
// the user may read the new file.
func replaceFile(fs vfs.FS, name string, data []byte) error {
	temp := name + ".tmp"
	if err := writeSynced(fs, temp, data); err != nil {
		return err
	}
	if err := fs.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(fs, fs.PathDir(name))
}

func writeSynced(fs vfs.FS, name string, data []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	err = private(fs, name)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// private lets nobody but the user read the named file.
func private(fs vfs.FS, name string) error {
	if vfs.Root(fs) != vfs.Default {
		return nil
	}
	return os.Chmod(name, 0o600)
}

// syncDir makes the names in a directory durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return errors.Join(fmt.Errorf("sync %s: %w", dir, err), d.Close())
	}
	return d.Close()
}

// exists reports whether there is a file or directory of that name.
func exists(fs vfs.FS, name string) (bool, error) {
	_, err := fs.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
