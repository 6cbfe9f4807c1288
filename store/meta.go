package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
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
}

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
	return nil
}

// SetMeta replaces crawl.json, durably.
func (d *Dir) SetMeta(m Meta) error {
	if err := d.writable(); err != nil {
		return err
	}
	m.Format = Format
	data, err := m.encode(metaLimit)
	if err != nil {
		return err
	}
	if err := replaceFile(d.fs, d.file(metaFile), data); err != nil {
		return err
	}
	d.meta = m
	return nil
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
	return data, nil
}
