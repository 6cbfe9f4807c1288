package store

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sharedDirs are the directories that are open, each once: Pebble opens the database's own six
// times, and of a few descriptors each that is saved is one for a connection.
type sharedDirs struct {
	mu     sync.Mutex
	byName map[string]*sharedDir // guarded by mu
}

type sharedDir struct {
	vfs.File
	of    *sharedDirs
	name  string
	users int // guarded by of.mu
}

// open returns the directory, opened now or before.
func (ds *sharedDirs) open(fs vfs.FS, name string) (vfs.File, error) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.byName[name]
	if d == nil {
		f, err := fs.OpenDir(name)
		if err != nil {
			return nil, err
		}
		if ds.byName == nil {
			ds.byName = map[string]*sharedDir{}
		}
		d = &sharedDir{File: f, of: ds, name: name}
		ds.byName[name] = d
	}
	d.users++
	return d, nil
}

// Close ends one use.
func (d *sharedDir) Close() error {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	if d.users--; d.users > 0 {
		return nil
	}
	delete(d.of.byName, d.name)
	return d.File.Close()
}
