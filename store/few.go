package store

import (
	"errors"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fewDescriptors is how many descriptors are too few to keep tables open: 117 connections (see
// settings.OpenConns), 118 tables and 22 other files would not fit into 256.
const fewDescriptors = 512

// seldomOpen is a file for reading that has a descriptor only while it is read. A compaction reads
// a dozen tables at once, which is more than a process may have that crawls with 24 descriptors.
// To open and close it costs some microseconds a block.
type seldomOpen struct {
	fs   disk
	name string
	opts []vfs.OpenOption

	mu sync.Mutex
	at int64 // guarded by mu; what Read has read
}

// openSeldom returns an error if there is no such file now.
func openSeldom(fs disk, name string, opts []vfs.OpenOption) (vfs.File, error) {
	f := &seldomOpen{fs: fs, name: name, opts: opts}
	return f, f.with(func(vfs.File) error { return nil })
}

// with calls do while the file is open.
func (f *seldomOpen) with(do func(vfs.File) error) error {
	file, err := f.fs.open(func() (vfs.File, error) { return f.fs.FS.Open(f.name, f.opts...) })
	if err != nil {
		return err
	}
	err = do(file)
	if end := file.Close(); err == nil {
		err = end
	}
	return err
}

func (f *seldomOpen) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.with(func(file vfs.File) (err error) { n, err = file.ReadAt(p, off); return err })
	return n, err
}

func (f *seldomOpen) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *seldomOpen) Stat() (info vfs.FileInfo, err error) {
	err = f.with(func(file vfs.File) (err error) { info, err = file.Stat(); return err })
	return info, err
}

func (f *seldomOpen) Prefetch(int64, int64) error { return nil }
func (f *seldomOpen) Fd() uintptr                 { return vfs.InvalidFd }
func (f *seldomOpen) Close() error                { return nil }

// The rest is for files that are written.

func (f *seldomOpen) refuse() error {
	return &os.PathError{Op: "write", Path: f.name, Err: errors.ErrUnsupported}
}

func (f *seldomOpen) Write([]byte) (int, error)          { return 0, f.refuse() }
func (f *seldomOpen) WriteAt([]byte, int64) (int, error) { return 0, f.refuse() }
func (f *seldomOpen) Preallocate(int64, int64) error     { return f.refuse() }
func (f *seldomOpen) Sync() error                        { return f.refuse() }
func (f *seldomOpen) SyncTo(int64) (bool, error)         { return false, f.refuse() }
func (f *seldomOpen) SyncData() error                    { return f.refuse() }
