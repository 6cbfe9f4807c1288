package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Create creates the directory, with its parents, and in it a new crawl, which is durable when
// Create returns. It refuses a directory that has a crawl: with ErrExists, or with ErrLocked
// while that crawl is running. A crawl that is not durable has no crawl.json and no state: it
// cannot be resumed, and only the files of Lines are written.
func Create(fs FS, dir string, meta Meta, durable bool) (*Dir, error) {
	if err := makeDir(fs, dir); err != nil {
		return nil, err
	}
	if err := checkUnused(fs, dir); err != nil {
		return nil, err
	}
	d, err := lockDir(fs, dir)
	if err != nil {
		return nil, err
	}
	d.meta = meta
	d.meta.Format = Format
	if err = checkUnused(fs, dir); err == nil && durable { // again: another process may have come
		err = d.begin()
	}
	if err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	return d, nil
}

// begin writes the files of a durable crawl. The first commit marks them as complete: a
// crawl.json without it is from a start that was interrupted.
func (d *Dir) begin() (err error) {
	if err := d.SetMeta(d.meta); err != nil {
		return err
	}
	if d.db, err = openDB(d.fs, d.file(stateDir), false); err != nil {
		return err
	}
	if err := d.firstCommit(); err != nil {
		return errors.Join(err, d.db.Close())
	}
	return nil
}

// firstCommit also makes the state's directory entry durable, which Pebble does not.
func (d *Dir) firstCommit() error {
	if err := syncDir(d.fs, d.path); err != nil {
		return err
	}
	b := d.db.NewBatch()
	b.Put([]byte(positionsKey), d.positions.append(nil))
	if data, err := d.meta.encode(metaLimit); err == nil {
		b.Put([]byte(metaKey), data)
	}
	return d.db.Commit(b)
}

// checkUnused refuses a directory that has a crawl, running or not.
func checkUnused(fs FS, dir string) error {
	for _, name := range crawlFiles {
		found, err := exists(fs, fs.PathJoin(dir, name))
		if err != nil {
			return err
		}
		if found {
			return errors.Join(fmt.Errorf("%s %w", dir, ErrExists), checkUnlocked(fs, dir))
		}
	}
	return nil
}

// checkUnlocked returns ErrLocked if another process uses the directory.
func checkUnlocked(fs FS, dir string) error {
	if found, err := exists(fs, fs.PathJoin(dir, lockFile)); err != nil || !found {
		return err
	}
	d, err := lockDir(fs, dir)
	if err != nil {
		return err
	}
	return d.lock.Close()
}

func lockDir(fs FS, dir string) (*Dir, error) {
	l, err := fs.Lock(fs.PathJoin(dir, lockFile))
	switch {
	case err != nil && lockHeld(err):
		return nil, fmt.Errorf("%s %w", dir, ErrLocked)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &Dir{fs: fs, path: dir, lock: l, positions: positions{at: map[string]position{}}}, nil
}

// Lock keeps others from working on the crawl in dir, whatever it has, until it is closed. Its
// error is ErrLocked, or one of the file system.
func Lock(fs FS, dir string) (io.Closer, error) {
	d, err := lockDir(fs, dir)
	if err != nil {
		return nil, err
	}
	return d.lock, nil
}

// Open opens a crawl to continue it, and ends what a crash has left of a Rewrite. Errors are
// ErrNoCrawl, ErrNotDurable, ErrLocked, ErrNewer and ErrDamaged, which name the directory, and
// those of the file system.
func Open(fs FS, dir string) (*Dir, error) { return open(fs, dir, false) }

// OpenRead opens a crawl to look at its state. It takes the lock, too, but changes
// nothing: Lines and Cut fail. Errors are those of Open; ErrNoCrawl also means that the
// crawl ended before its first commit, and ErrRewriting that Open has something to do.
func OpenRead(fs FS, dir string) (*Dir, error) { return open(fs, dir, true) }

func open(fs FS, dir string, readOnly bool) (*Dir, error) {
	if _, err := ReadMeta(fs, dir); err != nil {
		return nil, err
	}
	d, err := lockDir(fs, dir)
	if err != nil {
		return nil, err
	}
	d.readOnly = readOnly
	if err := d.openState(); err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	return d, nil
}

func (d *Dir) openState() (err error) {
	if d.meta, err = ReadMeta(d.fs, d.path); err != nil { // again, under the lock
		return err
	}
	if d.readOnly { // then nothing is created
		state, err := pebble.Peek(d.file(stateDir), d.fs)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !state.Exists {
			return d.unbegun()
		}
	}
	d.db, err = openDB(d.fs, d.file(stateDir), d.readOnly)
	switch {
	case errors.Is(err, ErrLocked):
		return fmt.Errorf("%s %w", d.path, err)
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%s %w: %w", d.path, ErrDamaged, err)
	case err != nil:
		return err
	}
	if err := d.readState(); err != nil {
		return errors.Join(err, d.db.Close())
	}
	return nil
}

// readState reads where the last commit was.
func (d *Dir) readState() error {
	value, err := d.db.Get([]byte(positionsKey))
	if err != nil {
		return err
	}
	if value == nil {
		return d.resumeBegin()
	}
	if d.positions, err = decodePositions(value); err != nil {
		return fmt.Errorf("%s %w: file positions: %w", d.path, ErrDamaged, err)
	}
	d.resumed = d.positions.cuts > 0
	if !d.resumed {
		if d.resumed, err = d.db.has([]byte{'m'}); err != nil {
			return err
		}
	}
	return d.Replace()
}

// resumeBegin completes a start that was interrupted. Nothing can have been recorded then,
// so records mean that the state has been lost.
func (d *Dir) resumeBegin() error {
	if d.readOnly {
		return d.unbegun()
	}
	for _, name := range crawlFiles {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		if info, err := d.fs.Stat(d.file(name)); err == nil && info.Size() > 0 {
			return fmt.Errorf("%s %w: %s has records, %s has lost what it knew of them", d.path, ErrDamaged, name, stateDir)
		}
	}
	return d.firstCommit()
}

// Unbegun reports whether a crawl was killed before its first commit: it has no state, and no
// records that a state that was lost would have known.
func Unbegun(fs FS, dir string) bool {
	for _, name := range crawlFiles {
		if info, err := fs.Stat(fs.PathJoin(dir, name)); err == nil && strings.HasSuffix(name, ".jsonl") && info.Size() > 0 {
			return false
		}
	}
	state, err := pebble.Peek(fs.PathJoin(dir, stateDir), fs)
	return isNotExist(err) || err == nil && !state.Exists
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func (d *Dir) unbegun() error {
	return fmt.Errorf("%s %w: it ended before its first commit", d.path, ErrNoCrawl)
}

// makeDir makes the directory and its parents, durably.
func makeDir(fs FS, dir string) error {
	found, err := exists(fs, dir)
	if err != nil || found {
		return err
	}
	parent := fs.PathDir(dir)
	if parent != dir {
		if err := makeDir(fs, parent); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return syncDir(fs, parent)
}
