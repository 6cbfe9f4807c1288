package store

import (
	"errors"
	"fmt"

	"crawler/internal/sums"
)

// A state that is lost is made anew in a folder of its own, and takes its place when it is
// durable: last of all, since a directory with a state is one that can be resumed. A process that
// is killed before leaves a directory without a state, or with the damaged one, and the folder,
// with which the next one begins again.

// RebuildFolder is where a state is made anew, within the directory.
const RebuildFolder = "state.tmp"

// BeginRebuild returns a crawl without records, in RebuildFolder of dir, with the settings that
// are given. What an earlier one has left there is removed. Whoever holds the lock of dir may call
// it; Install follows.
func BeginRebuild(fs FS, dir string, meta Meta) (*Dir, error) {
	folder := fs.PathJoin(dir, RebuildFolder)
	if err := fs.RemoveAll(folder); err != nil {
		return nil, err
	}
	meta.Edited = false
	return Create(fs, folder, meta, true)
}

// Accept commits that files of lines are what the table says, and not what was committed before.
func (d *Dir) Accept(files sums.Table) error {
	if err := d.writable(); err != nil {
		return err
	}
	for name, f := range files {
		d.positions.at[name] = position{length: f.Bytes, sum: f.Sum}
	}
	b := d.db.NewBatch()
	b.Put([]byte(positionsKey), d.positions.append(nil))
	return d.db.Commit(b)
}

// Install puts the state that was made anew, and closed, in its place. The one that was there gets
// another name, which is returned: "" if there was none.
func Install(fs FS, dir string) (aside string, err error) {
	folder := fs.PathJoin(dir, RebuildFolder)
	// The state goes first: without one, nobody takes the log for its.
	for _, name := range []string{stateDir, seenDir} {
		kept, err := setAside(fs, dir, name)
		if err != nil {
			return "", err
		}
		if name == stateDir {
			aside = kept
		}
	}
	if err := syncDir(fs, dir); err != nil {
		return "", err
	}
	for _, name := range []string{seenDir, stateDir} {
		from := fs.PathJoin(folder, name)
		found, err := exists(fs, from)
		if err == nil && found {
			err = fs.Rename(from, fs.PathJoin(dir, name))
		}
		if err == nil {
			err = errors.Join(syncDir(fs, folder), syncDir(fs, dir))
		}
		if err != nil {
			return "", err
		}
	}
	return aside, fs.RemoveAll(folder)
}

// setAside gives a folder another name, if it is there.
func setAside(fs FS, dir, name string) (to string, err error) {
	found, err := exists(fs, fs.PathJoin(dir, name))
	if err != nil || !found {
		return "", err
	}
	for n := 1; ; n++ {
		if to = name + ".damaged"; n > 1 {
			to = fmt.Sprintf("%s.damaged-%d", name, n)
		}
		if found, err = exists(fs, fs.PathJoin(dir, to)); err != nil || !found {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return to, fs.Rename(fs.PathJoin(dir, name), fs.PathJoin(dir, to))
}
