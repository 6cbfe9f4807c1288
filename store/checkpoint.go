package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// CheckpointFile is a file of a checkpoint.
type CheckpointFile struct {
	Name string // in the crawl directory, with slashes
	Path string // where its bytes are
	Size int64  // so many from the beginning: the file may have more
	// A Fixed file never has other bytes under its name; one that Grows keeps those it has.
	Fixed, Grows bool
}

// Checkpoint puts the state of the last commit, or of one that is made meanwhile, below the
// directory to, which must not be there and be on the same disk, and names all files that a
// directory needs to be opened at that commit. Those of lines stay where they are: their first
// Size bytes are the commit's. It may run beside all that works on the crawl, but Close, and takes
// about as long as a commit.
func (d *Dir) Checkpoint(to string) ([]CheckpointFile, error) {
	if d.db == nil {
		return nil, fmt.Errorf("checkpoint of %s: %w", d.path, ErrNotDurable)
	}
	seen := d.fs.PathJoin(to, seenDir)
	if err := d.fs.MkdirAll(seen, 0o755); err != nil {
		return nil, err
	}
	// Runs may be merged away, or come, while the state is copied: those of both times are there.
	if err := d.linkRuns(seen); err != nil {
		return nil, err
	}
	state := d.fs.PathJoin(to, stateDir)
	if err := d.db.db.Checkpoint(state, pebble.WithFlushedWAL()); err != nil {
		return nil, fmt.Errorf("checkpoint of %s: %w", d.path, err)
	}
	if err := d.linkRuns(seen); err != nil {
		return nil, err
	}
	at, runs, err := checkpointed(d.fs, state)
	if err != nil {
		return nil, fmt.Errorf("checkpoint of %s: %w", d.path, err)
	}
	return d.checkpointFiles(to, at, runs)
}

// linkRuns links all runs of the log that are there now.
func (d *Dir) linkRuns(to string) error {
	from := d.file(seenDir)
	names, err := d.fs.List(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, runExt) {
			continue
		}
		err := d.fs.Link(d.fs.PathJoin(from, name), d.fs.PathJoin(to, name))
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkpointed reads where the files of lines were at a checkpoint, and the runs of its log.
func checkpointed(fsys FS, state string) (at positions, runs []string, err error) {
	db, err := openDB(fsys, state, true)
	if err != nil {
		return at, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	value, err := db.Get([]byte(positionsKey))
	if err != nil || value == nil {
		return at, nil, errors.Join(err, errors.New("it has no positions yet"))
	}
	if at, err = decodePositions(value); err != nil {
		return at, nil, err
	}
	log, err := db.Get(manifestKey())
	if err != nil || len(log) < manifestHead {
		return at, nil, err // nothing has moved to the log yet
	}
	m, err := decodeManifest(log, int(log[1]))
	for _, r := range m.runs {
		runs = append(runs, runName(r.number))
	}
	return at, runs, err
}

// checkpointFiles names the files of a checkpoint.
func (d *Dir) checkpointFiles(to string, at positions, runs []string) (all []CheckpointFile, err error) {
	add := func(name, path string, size int64, fixed, grows bool) {
		all = append(all, CheckpointFile{Name: name, Path: path, Size: size, Fixed: fixed, Grows: grows})
	}
	for _, dir := range []string{stateDir, seenDir} {
		names, err := d.fs.List(d.fs.PathJoin(to, dir))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if dir == seenDir && !slices.Contains(runs, name) || name == "LOCK" {
				continue
			}
			path := d.fs.PathJoin(to, dir, name)
			info, err := d.fs.Stat(path)
			if err != nil {
				return nil, err
			}
			fixed := dir == seenDir || strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
			add(dir+"/"+name, path, info.Size(), fixed, false)
		}
	}
	if n := len(runs); n > 0 && n != countRuns(all) {
		return nil, errors.New("checkpoint: runs of the log came and went meanwhile: try again")
	}
	for name, p := range at.at {
		add(name, d.file(name), p.length, false, true)
	}
	info, err := d.fs.Stat(d.file(metaFile))
	if err != nil {
		return nil, err
	}
	add(metaFile, d.file(metaFile), info.Size(), false, false)
	return all, nil
}

func countRuns(all []CheckpointFile) (n int) {
	for _, f := range all {
		if strings.HasPrefix(f.Name, seenDir+"/") {
			n++
		}
	}
	return n
}
