package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"crawler/internal/sums"
)

// Format is the version of the directory's format that this program writes.
const Format = 1

// metaLimit bounds crawl.json, in bytes.
const metaLimit = 64 << 20

// Meta is crawl.json: the settings of the crawl. It may contain secrets, such as the value of
// a Cookie header, so only its owner may read the file.
type Meta struct {
	Format  int                 `json:"format"`  // set by Create
	Version string              `json:"version"` // of the program
	Created time.Time           `json:"created"`
	Seeds   []string            `json:"seeds"`
	Flags   map[string][]string `json:"flags"` // the command's flags that differ from their default

	Checksum sums.Sum `json:"checksum"` // of crawl.json, with zeros in its place; there alone
	// Edited is true if the file is not as this program has written it: somebody has edited it.
	Edited bool `json:"-"`
}

// metaKey is the key of the bytes of crawl.json, as they were written last.
const metaKey = "c"

// ReadMeta reads crawl.json; it takes no lock. Errors are those of Open, except ErrLocked.
func ReadMeta(fsys FS, dir string) (Meta, error) {
	name := fsys.PathJoin(dir, metaFile)
	data, err := readFile(fsys, name, metaLimit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Meta{}, noMeta(fsys, dir)
	case err != nil:
		return Meta{}, err
	case len(data) > metaLimit:
		return Meta{}, fmt.Errorf("%s %w: it has more than %d bytes", name, ErrDamaged, metaLimit)
	}
	var m Meta
	return m, m.decode(name, data)
}

// noMeta returns the error about a directory without crawl.json.
func noMeta(fsys FS, dir string) error {
	for _, name := range crawlFiles {
		if found, err := exists(fsys, fsys.PathJoin(dir, name)); err != nil {
			return err
		} else if found {
			return fmt.Errorf("%s %w: it has no %s", dir, ErrNotDurable, metaFile)
		}
	}
	return fmt.Errorf("%s %w: it has no %s", dir, ErrNoCrawl, metaFile)
}

// decode reads the format first: a newer one may not look like Meta at all.
func (m *Meta) decode(name string, data []byte) error {
	var version struct{ Format int }
	if err := json.Unmarshal(data, &version); err != nil {
		return fmt.Errorf("%s %w: %w", name, ErrDamaged, err)
	}
	if version.Format > Format {
		return fmt.Errorf("%s %w: format %d, this program knows %d", name, ErrNewer, version.Format, Format)
	}
	if version.Format < 1 {
		return fmt.Errorf("%s %w: format %d", name, ErrDamaged, version.Format)
	}
	if err := json.Unmarshal(data, m); err != nil {
		return fmt.Errorf("%s %w: %w", name, ErrDamaged, err)
	}
	_, err := sums.Sealed(data)
	m.Edited, m.Checksum = err != nil, 0
	return nil
}

// SetMeta replaces crawl.json, durably, and then the copy of it that the state has.
func (d *Dir) SetMeta(m Meta) error {
	if err := d.writable(); err != nil {
		return err
	}
	m.Format, m.Edited = Format, false
	data, err := m.encode(metaLimit)
	if err != nil {
		return err
	}
	if err := replaceFile(d.fs, d.file(metaFile), data); err != nil {
		return err
	}
	d.meta = m
	if d.db == nil {
		return nil
	}
	b := d.db.NewBatch()
	b.Put([]byte(metaKey), data)
	return d.db.Commit(b)
}

// KeptMeta returns what this program wrote into crawl.json last, as the state knows it. A crawl of
// an earlier version has none: kept is false then.
func (d *Dir) KeptMeta() (m Meta, kept bool, err error) {
	data, err := d.db.Get([]byte(metaKey))
	if err != nil || data == nil {
		return Meta{}, false, err
	}
	return m, true, m.decode("the copy of "+metaFile+" in "+d.file(stateDir), data)
}

// encode fails if the result could not be read back.
func (m Meta) encode(limit int) ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	if data = append(data, '\n'); len(data) > limit {
		return nil, fmt.Errorf("%s would have %d bytes, at most %d can be read back: give fewer seeds", metaFile, len(data), limit)
	}
	_, err = sums.Seal(data)
	return data, err
}
