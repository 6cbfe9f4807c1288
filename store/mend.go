package store

import (
	"errors"
	"fmt"
)

// Inspect opens the state of a crawl to check it, and with write to repair it, whatever crawl.json
// and the files of lines are like; unreadable is what is wrong with crawl.json, or nil. Errors are
// those of Open. A directory without a state has an ErrNoCrawl.
func Inspect(fs FS, dir string, write bool) (d *Dir, unreadable, err error) {
	found, err := exists(fs, fs.PathJoin(dir, stateDir))
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, fmt.Errorf("%s %w: it has no %s", dir, ErrNoCrawl, stateDir)
	}
	if d, err = lockDir(fs, dir); err != nil {
		return nil, nil, err
	}
	d.readOnly = !write
	d.meta, unreadable = ReadMeta(fs, dir)
	if err := d.inspectState(); err != nil {
		return nil, unreadable, errors.Join(err, d.lock.Close())
	}
	return d, unreadable, nil
}

// inspectState is openState without crawl.json, and changes no file.
func (d *Dir) inspectState() (err error) {
	if d.db, err = openDB(d.fs, d.file(stateDir), d.readOnly); err != nil {
		return fmt.Errorf("%s %w: %w", d.path, ErrDamaged, err)
	}
	value, err := d.db.Get([]byte(positionsKey))
	if err == nil && value == nil {
		err = d.unbegun()
	}
	if err == nil {
		if d.positions, err = decodePositions(value); err != nil {
			err = fmt.Errorf("%s %w: file positions: %w", d.path, ErrDamaged, err)
		}
	}
	if err == nil {
		var rewriting bool
		if rewriting, err = d.db.has([]byte(rewritesKey)); rewriting {
			err = fmt.Errorf("%s %w", d.path, ErrRewriting)
		}
	}
	if err != nil {
		return errors.Join(err, d.db.Close())
	}
	d.resumed = d.positions.cuts > 0
	return nil
}

// EachRecord reads every record of the state, which checks it: each block has a checksum.
func (d *Dir) EachRecord() (n int, err error) {
	err = d.db.Scan(nil, func([]byte, []byte) error {
		n++
		return nil
	})
	return n, err
}

// Lengths returns the committed lengths of all files of lines, with a checksum or without.
func (d *Dir) Lengths() map[string]int64 {
	lengths := map[string]int64{}
	for name, at := range d.positions.at {
		lengths[name] = at.length
	}
	return lengths
}
