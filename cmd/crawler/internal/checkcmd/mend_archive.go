package checkcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"crawler/archive"
	"crawler/internal/durable"
	"crawler/internal/sums"
)

// mendFilters keeps the sound filters of a file on chunks of the archive, and takes these for the
// whole: what they do not cover is read whole.
func (e *exam) mendFilters(file string, s *salvage) (string, error) {
	err := e.mendArchive(s) // which makes them, if it has anything to do
	if _, made := e.mended[file]; err == nil && !made {
		err = e.filters(file, s, nil)
	}
	return "those that are sound are kept; " + s.aside[path.Base(file)], err
}

// mendRecords takes what is left of a file for the whole.
func (e *exam) mendRecords(file, name string, s *salvage) (string, error) {
	if err := e.mendArchive(s); err != nil {
		return "", err
	}
	sound, was := s.Files[name], s.want[file]
	done := fmt.Sprintf("%s kept, %d of %d bytes", counted(sound.Records, "record is", "records are"), e.mended[file].Bytes, was.Bytes)
	if n := s.n[name]; n > 0 {
		done += fmt.Sprintf("; the %s of %s given up", plural(n, "answer", "answers"), counted(n, "URL is", "URLs are"))
	}
	if kept := s.aside[name]; kept != "" {
		done += "; " + kept
	}
	return done, nil
}

// mendArchive repairs all files of records of the archive together, once: their filters first, so
// that a kill at any time leaves none that deny what is there. The state then knows no payloads
// whose records are lost: the next answers that have them are kept whole.
func (e *exam) mendArchive(s *salvage) error {
	if s.done || len(s.mend) == 0 {
		return nil
	}
	s.done = true
	kept := map[string]string{} // by file, where its sound records are
	defer func() {
		for _, temporary := range kept {
			os.Remove(temporary) // unless it has its name
		}
	}()
	for _, name := range s.mend {
		if s.Files[name].Records == 0 {
			continue // nothing is put in its place
		}
		temporary := e.path(archive.Folder + "/" + name + ".tmp-kept")
		kept[name] = temporary
		if err := durable.WritePrivate(temporary, func(w io.Writer) error { return s.Keep(name, w) }); err != nil {
			return err
		}
	}
	for _, side := range []string{archive.URLsFile, archive.WordsFile} {
		if err := e.filters(archive.Folder+"/"+side, s, kept); err != nil {
			return err
		}
	}
	if e.state != nil {
		b := e.state.DB().NewBatch()
		if err := errors.Join(s.Forget(e.state.DB(), b), e.state.DB().Commit(b)); err != nil {
			return err
		}
	}
	for _, name := range s.mend {
		if err := e.replaceRecords(name, s, kept[name]); err != nil {
			return err
		}
	}
	return nil
}

// replaceRecords puts what is kept of a file, "" if nothing is, in its place.
func (e *exam) replaceRecords(name string, s *salvage, kept string) error {
	file := archive.Folder + "/" + name
	aside, err := e.aside(file)
	if errors.Is(err, fs.ErrNotExist) {
		aside, err = "", nil
	}
	s.aside[name] = aside
	if kept == "" {
		e.mended[file] = sums.File{}
	} else if err == nil {
		if err = os.Rename(kept, e.path(file)); err == nil {
			e.mended[file], err = sums.Of(e.path(file))
		}
	}
	if err != nil {
		return err
	}
	e.acceptPart(file)
	return syncFolder(e.path(archive.Folder))
}

// acceptPart has the state take a repaired file for what was committed, if it knows of it.
func (e *exam) acceptPart(file string) {
	if e.state == nil {
		return
	}
	if _, known := e.state.Lengths()[file]; known {
		now := e.mended[file]
		e.parts[file] = sums.File{Bytes: now.Bytes, Sum: now.Sum}
	}
}

// filters makes a file of filters again, of the files that are whole and of what is kept of others.
func (e *exam) filters(file string, s *salvage, kept map[string]string) error {
	name := path.Base(file)
	if s.damagedSides[name] {
		aside, err := e.asideCopy(file)
		if s.aside[name] = aside; err != nil {
			return err
		}
	}
	if err := s.Filters(name, e.archiveLengths(s.want), kept); err != nil {
		return err
	}
	now, err := sums.Of(e.path(file))
	e.mended[file], e.parts[file] = now, sums.File{Bytes: now.Bytes, Sum: now.Sum}
	return err
}

// asideCopy keeps a copy of a damaged file beside it, and says which.
func (e *exam) asideCopy(file string) (string, error) {
	data, err := os.ReadFile(e.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return "it was missing", nil
	}
	if err != nil {
		return "", err
	}
	aside, err := e.aside(file)
	return aside, errors.Join(err, durable.WriteFile(e.path(file), data))
}

// syncFolder makes the names in a folder durable.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
