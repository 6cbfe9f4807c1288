package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Records writes records of any bytes to a file in a folder of a crawl directory, as Lines does
// with lines. It writes whole records only. A write that fails is taken back with the records
// before it that waited in memory, so the file never ends in half a record. Files of records can
// be many, one after the other: see Finish. Only the user may read them.
//
// It belongs to one goroutine; only Dir.Sync may run beside it.
type Records struct{ lines *Lines }

// inFolder reports whether the named file is one of records.
func inFolder(name string) bool { return strings.Contains(name, "/") }

// Records opens DIR/FOLDER/name to append records to it, and creates folder and file if they are
// not there. Records behind the last commit are cut off; see Cuts. ErrDamaged means that the file
// has lost committed records. Positions of all files that were ever opened are part of each
// commit, some 50 bytes a file.
func (d *Dir) Records(folder, name string) (*Records, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	dir := d.file(folder)
	if err := d.fs.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := syncDir(d.fs, d.path); err != nil {
		return nil, err
	}
	l, err := d.openRecords(folder + "/" + name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	if err := syncDir(d.fs, dir); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	d.mu.Lock()
	d.lines = append(slices.Clip(d.lines), l)
	d.mu.Unlock()
	return &Records{l}, nil
}

func (d *Dir) openRecords(name string) (*Lines, error) {
	at, path := d.positions.at[name], d.file(name)
	if err := d.holds(name, at.length); err != nil {
		return nil, err
	}
	if err := d.cutRecords(name, at.length); err != nil {
		return nil, err
	}
	l, err := openLines(d.fs, path, at)
	if err != nil {
		return nil, err
	}
	l.name, l.any = name, true
	if err := private(d.fs, path); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// holds returns an ErrDamaged if a file is shorter than n bytes.
func (d *Dir) holds(name string, n int64) error {
	info, err := d.fs.Stat(d.file(name))
	switch {
	case errors.Is(err, fs.ErrNotExist) && n == 0:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w: it is missing, %d bytes were committed", d.file(name), ErrDamaged, n)
	case err != nil:
		return err
	case info.Size() < n:
		return fmt.Errorf("%s %w: it has %d bytes, %d were committed", d.file(name), ErrDamaged, info.Size(), n)
	}
	return nil
}

// Append appends a record, or several. It may wait in memory until Flush, or until 64 KiB do.
func (r *Records) Append(record []byte) error {
	l := r.lines
	if len(record) >= lineBuffer {
		if err := l.Flush(); err != nil {
			return err
		}
		return l.write(record)
	}
	l.buf.Write(record)
	return l.flushFull()
}

// Flush writes the records that wait to the file.
func (r *Records) Flush() error { return r.lines.Flush() }

// Len returns the length that the file has when what waits is written.
func (r *Records) Len() int64 { return r.lines.Len() }

// Finish says that nothing more is appended. The file is closed once it is committed; its position
// stays in the commits.
func (r *Records) Finish() error {
	err := r.lines.Flush()
	r.lines.mu.Lock()
	defer r.lines.mu.Unlock()
	r.lines.finished = true
	return err
}

// closeFinished closes files of records that are finished and on disk.
func (d *Dir) closeFinished() error {
	var errs []error
	var stay []*Lines
	all := d.opened()
	for _, l := range all {
		if l.done() {
			errs = append(errs, l.file.Close())
			continue
		}
		stay = append(stay, l)
	}
	if len(stay) < len(all) {
		d.mu.Lock()
		d.lines = stay
		d.mu.Unlock()
	}
	return errors.Join(errs...)
}

// done reports whether the file is finished, and on disk as it was at the last Cut.
func (l *Lines) done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.finished && !l.dirty && l.cut == l.at.length
}

// CutBehind takes the files of a folder back to the last commit, from which a crash can have left
// them ahead: those that are longer are cut off, see Cuts, and those of which no commit knows are
// removed if match says that they are a crawl's own. Files that are open must not be among them.
func (d *Dir) CutBehind(folder string, match func(name string) bool) error {
	if err := d.writable(); err != nil {
		return err
	}
	names, err := d.fs.List(d.file(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		at, known := d.positions.at[folder+"/"+name]
		switch {
		case known:
			err = d.cutRecords(folder+"/"+name, at.length)
		case match(name):
			err = d.fs.Remove(d.fs.PathJoin(d.file(folder), name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cutRecords cuts off what is behind the first n bytes of a file, which may not be there.
func (d *Dir) cutRecords(name string, n int64) error {
	info, err := d.fs.Stat(d.file(name))
	if err == nil && info.Size() > n {
		d.cuts = append(d.cuts, CutLine{File: name, Bytes: info.Size() - n})
		err = d.fs.Truncate(d.file(name), n)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
