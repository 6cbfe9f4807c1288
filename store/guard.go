package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// guard stands between Pebble and the file system, because Pebble does not give up on a
// full or broken disk in a way that a crawl could survive: a failed write of its log ends
// the process, a failed change of log panics or throws, a failed flush is tried again for
// ever. The guard records the first error and parks the goroutine that met it for ever, and
// every goroutine that wants to write later, so none of that happens: the database is
// abandoned with its goroutines, and the directory stays as the failure left it, as a crash
// would have. Calls that wait for Pebble return as soon as the guard has an error.
//
// The errors of reads go to the reader. But while Pebble opens they are final, too: it
// has been seen to panic in the background after an Open that failed late.
type guard struct {
	vfs.FS
	opened atomic.Bool
	once   sync.Once
	cause  error         // set before failed is closed
	failed chan struct{} // closed at the first error
	dirs   sharedDirs
}

// fail records the first error.
func (g *guard) fail(err error) {
	g.once.Do(func() {
		g.cause = err
		close(g.failed)
	})
}

// err returns the first error, nil if there was none.
func (g *guard) err() error {
	select {
	case <-g.failed:
		return g.cause
	default:
		return nil
	}
}

// run calls f, which may be parked, in a goroutine of its own and returns when it has
// returned or when the database has failed.
func (g *guard) run(f func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				g.fail(fmt.Errorf("database: %v", r))
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		return err
	case <-g.failed:
		return g.cause
	}
}

// pass parks the calling goroutine for ever if the database has failed, now or before.
func (g *guard) pass(err error) {
	if err != nil {
		g.fail(err)
	}
	if g.err() != nil {
		select {}
	}
}

// passRead is pass for the error of a read, which is returned if it is not final.
func (g *guard) passRead(err error) error {
	if err != nil && !g.opened.Load() && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.EOF) {
		g.pass(err)
	}
	return err
}

// listener returns the events that mean failure.
func (g *guard) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: g.fail,
		DataCorruption:  func(info pebble.DataCorruptionInfo) { g.fail(fmt.Errorf("%s: %w", info.Path, info.Details)) },
	}
}

// Infof and Errorf are Pebble's log, which nobody reads.
func (g *guard) Infof(string, ...any)  {}
func (g *guard) Errorf(string, ...any) {}

// Fatalf is where Pebble expects the process to end.
func (g *guard) Fatalf(format string, args ...any) { g.pass(fmt.Errorf(format, args...)) }

func (g *guard) Unwrap() vfs.FS { return g.FS }

// Create also makes names durable in the right sequence: a marker names a file that must be
// there, but Pebble syncs the directory only after it has created both.
func (g *guard) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.pass(nil)
	if strings.HasPrefix(g.PathBase(name), "marker.") {
		g.pass(syncDir(g.FS, g.PathDir(name)))
	}
	f, err := g.FS.Create(name, c)
	g.pass(err)
	return guardedFile{f, g}, nil
}

func (g *guard) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	g.pass(nil)
	f, err := g.FS.OpenReadWrite(name, c, opts...)
	g.pass(err)
	return guardedFile{f, g}, nil
}

func (g *guard) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.pass(nil)
	f, err := g.FS.ReuseForWrite(old, name, c)
	g.pass(err)
	return guardedFile{f, g}, nil
}

func (g *guard) OpenDir(name string) (vfs.File, error) {
	f, err := g.dirs.open(g.FS, name)
	return guardedFile{f, g}, g.passRead(err)
}

func (g *guard) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := g.FS.Open(name, opts...)
	return guardedFile{f, g}, g.passRead(err)
}

func (g *guard) List(dir string) ([]string, error) {
	names, err := g.FS.List(dir)
	return names, g.passRead(err)
}

func (g *guard) Stat(name string) (vfs.FileInfo, error) {
	info, err := g.FS.Stat(name)
	return info, g.passRead(err)
}

func (g *guard) Rename(old, name string) error {
	g.pass(nil)
	g.pass(g.FS.Rename(old, name))
	return nil
}

func (g *guard) Remove(name string) error {
	g.pass(nil)
	return g.FS.Remove(name) // a file left behind harms nothing
}

// Lock names the lock in its error.
func (g *guard) Lock(name string) (io.Closer, error) {
	l, err := g.FS.Lock(name)
	if err != nil && lockHeld(err) {
		err = errors.Join(ErrLocked, err)
	}
	return l, err
}

// GetDiskUsage must not fail: Pebble would report a background error.
func (g *guard) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	u, err := g.FS.GetDiskUsage(path)
	if err != nil {
		err = vfs.ErrUnsupported
	}
	return u, err
}

type guardedFile struct {
	vfs.File
	guard *guard
}

func (f guardedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.guard.passRead(err)
}

func (f guardedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	return n, f.guard.passRead(err)
}

func (f guardedFile) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return info, f.guard.passRead(err)
}

func (f guardedFile) Write(p []byte) (int, error) {
	f.guard.pass(nil)
	n, err := f.File.Write(p)
	f.guard.pass(err)
	return n, nil
}

func (f guardedFile) WriteAt(p []byte, off int64) (int, error) {
	f.guard.pass(nil)
	n, err := f.File.WriteAt(p, off)
	f.guard.pass(err)
	return n, nil
}

func (f guardedFile) Sync() error {
	f.guard.pass(f.File.Sync())
	return nil
}

func (f guardedFile) SyncData() error {
	f.guard.pass(f.File.SyncData())
	return nil
}

func (f guardedFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.guard.pass(err)
	return full, nil
}
