package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Lines are only ever appended, except that a crawl may be told to ask again for what it
// gave up: then the lines about that leave the files, in one commit with the rest. A file
// without them is written beside the old one; the commit lists it in a record, and after
// the commit it takes the old one's place. Whoever opens the crawl after a crash does that
// if the record is there.

const (
	rewritesKey     = "n"
	rewritesVersion = 1
	rewrittenSuffix = ".next"
)

// Rewrite copies the committed lines of the named file for which keep returns true. The copy
// replaces the file once a batch that was cut afterwards is committed and Replace was called.
// It must come before the file's Lines. A line given to keep has its end and is valid until
// keep returns.
func (d *Dir) Rewrite(name string, keep func(line []byte) (bool, error)) error {
	if err := d.writable(); err != nil {
		return err
	}
	was := d.positions.at[name].length
	if _, err := behind(d.fs, d.file(name), was); err != nil || was == 0 {
		return err
	}
	at, err := d.copyLines(name, was, keep)
	if err == nil {
		err = syncDir(d.fs, d.path)
	}
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", d.file(name), err)
	}
	d.positions.at[name] = at
	d.rewritten = append(d.rewritten, name)
	return nil
}

// copyLines writes the new file and returns what it is.
func (d *Dir) copyLines(name string, was int64, keep func(line []byte) (bool, error)) (at position, err error) {
	from, err := d.fs.Open(d.file(name))
	if err != nil {
		return at, err
	}
	defer from.Close()
	to, err := d.fs.Create(d.file(name)+rewrittenSuffix, vfs.WriteCategoryUnspecified)
	if err != nil {
		return at, err
	}
	w := bufio.NewWriterSize(to, lineBuffer)
	at, err = copyKept(w, bufio.NewReaderSize(io.NewSectionReader(from, 0, was), lineBuffer), keep)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = to.Sync()
	}
	return at, errors.Join(err, to.Close())
}

// copyKept copies the lines that keep wants.
func copyKept(w *bufio.Writer, r *bufio.Reader, keep func(line []byte) (bool, error)) (at position, err error) {
	var long []byte // a line that is longer than the buffer of r
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, line...)
			continue
		case errors.Is(err, io.EOF):
			return at, nil
		case err != nil:
			return at, err
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		kept, err := keep(line)
		if err != nil {
			return at, err
		}
		if kept {
			if _, err := w.Write(line); err != nil {
				return at, err
			}
			at.length += int64(len(line))
			at.sum = at.sum.Add(line)
		}
		long = long[:0]
	}
}

// cutRewritten adds the record of the files that b, once committed, replaces.
func (d *Dir) cutRewritten(b Putter) {
	if len(d.rewritten) == 0 {
		return
	}
	value := []byte{rewritesVersion}
	for _, name := range d.rewritten {
		value = append(append(value, name...), '\n')
	}
	b.Put([]byte(rewritesKey), value)
}

// Replace puts the files that Rewrite wrote in the place of the old ones, after the commit
// that lists them.
func (d *Dir) Replace() error {
	d.rewritten = nil
	value, err := d.db.Get([]byte(rewritesKey))
	if err != nil {
		return err
	}
	if value != nil {
		return d.replace(value)
	}
	return d.sweep()
}

// replace replaces the listed files, those of which a crash has not replaced already.
func (d *Dir) replace(list []byte) error {
	names, err := decodeRewrites(list)
	if err != nil {
		return fmt.Errorf("%s %w: files to replace: %w", d.path, ErrDamaged, err)
	}
	if d.readOnly {
		return fmt.Errorf("%s %w", d.path, ErrRewriting)
	}
	for _, name := range names {
		next := d.file(name) + rewrittenSuffix
		found, err := exists(d.fs, next)
		if err == nil && found {
			err = d.fs.Rename(next, d.file(name))
		}
		if err != nil {
			return err
		}
	}
	if err := syncDir(d.fs, d.path); err != nil {
		return err
	}
	b := d.db.NewBatch()
	b.Delete([]byte(rewritesKey))
	return d.db.Commit(b)
}

// sweep removes files of a Rewrite whose commit did not come about.
func (d *Dir) sweep() error {
	if d.readOnly {
		return nil
	}
	for _, name := range crawlFiles {
		next := d.file(name) + rewrittenSuffix
		found, err := exists(d.fs, next)
		if err == nil && found {
			err = d.fs.Remove(next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decodeRewrites(value []byte) (names []string, err error) {
	if len(value) < 2 || value[0] != rewritesVersion || value[len(value)-1] != '\n' {
		return nil, errPositions
	}
	start := 1
	for i := 1; i < len(value); i++ {
		if value[i] != '\n' {
			continue
		}
		name := string(value[start:i])
		if !slices.Contains(crawlFiles[:], name) {
			return nil, fmt.Errorf("%q: %w", name, errPositions)
		}
		names, start = append(names, name), i+1
	}
	return names, nil
}
