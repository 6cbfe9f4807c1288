package report

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"crawler/internal/sums"
	"crawler/store"
)

// Damage is a file of a crawl directory that is not as it was written.
type Damage struct {
	File  string // its name within the directory
	Fault sums.Fault
	Text  string // "DIR/FILE is damaged: " and why
}

// Damages compares the files of records, and the reports, with what was written. Of a crawl that
// has ended, report.json knows that; of one that was killed, its state does; of one that is running
// nobody does but the crawl itself, which looks at each commit.
//
// A file whose length and time are those of its last writing is taken to be sound, unless whole is
// true: then all are read, at 10 GB/s from memory. Of a crawl that was killed all are read but
// those in folders, the archive's, which may be far larger than memory.
func Damages(dir string, whole bool) ([]Damage, error) {
	rep, err := Load(dir)
	switch {
	case errors.Is(err, store.ErrDamaged):
		text := strings.TrimPrefix(err.Error(), filepath.Join(dir, JSONFile)+" ")
		return []Damage{{JSONFile, sums.Altered, filepath.Join(dir, JSONFile) + " " + text}}, nil
	case err == nil && rep.Files != nil:
		return Compare(dir, rep.Files, func(f sums.File, name string) (sums.Found, error) { return f.Check(name, whole) })
	}
	d, err := store.OpenRead(store.Disk(), dir)
	if err != nil { // there is no state, or it is of no use; whoever needs it says so
		return nil, nil
	}
	defer d.Close()
	files := d.Committed()
	maps.DeleteFunc(files, func(name string, _ sums.File) bool { return strings.Contains(name, "/") })
	return Compare(dir, files, sums.File.CheckBegin)
}

// Compare returns which files of a directory are not as they were.
func Compare(dir string, files sums.Table, check func(was sums.File, name string) (sums.Found, error)) (all []Damage, err error) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, was := filepath.Join(dir, name), files[name]
		found, err := check(was, path)
		if err != nil {
			return nil, err
		}
		if found.Fault != sums.Sound {
			all = append(all, Damage{name, found.Fault, fmt.Sprintf("%s %v: %s", path, store.ErrDamaged, was.Describe(found))})
		}
	}
	return all, nil
}
