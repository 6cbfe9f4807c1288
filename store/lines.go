package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Lines writes lines of JSON to a file of a crawl directory. It writes whole lines only, and
// cuts off the remains of a failed write, so the file never ends in half a line. The first
// error is final.
//
// It belongs to one goroutine; only Dir.Sync may run beside it.
type Lines struct {
	fs   FS
	name string       // within the directory
	path string       // with the directory
	any  bool         // the file has records of any bytes, no lines; see Records
	buf  bytes.Buffer // whole lines, not yet in the file
	json *json.Encoder

	mu    sync.Mutex // a vfs.File must not be written to and synced at once
	file  vfs.File   // guarded by mu, and so is all below
	at    position   // the file's length and checksum
	dirty bool       // written to since the last sync
	cut   int64      // its length at the last Cut

	finished bool  // nothing is written to it any more
	err      error // the first
}

// lineBuffer is how much is gathered before it is written.
const lineBuffer = 64 << 10

// openLines opens a file that is as at says, and makes it if there is none.
func openLines(fs FS, path string, at position) (*Lines, error) {
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	l := &Lines{fs: fs, path: path, file: f, at: at}
	l.json = json.NewEncoder(&l.buf)
	l.json.SetEscapeHTML(false)
	return l, nil
}

// Write appends v as one line of JSON.
func (l *Lines) Write(v any) error {
	if err := l.json.Encode(v); err != nil {
		return err
	}
	return l.flushFull()
}

// AppendLine appends the line that f appends to buf, with its newline. If f appends
// nothing, there is no line.
func (l *Lines) AppendLine(f func(buf []byte) []byte) error {
	line := f(l.buf.AvailableBuffer())
	if len(line) > 0 && line[len(line)-1] != '\n' {
		return fmt.Errorf("%s: a line without its end", l.path)
	}
	l.buf.Write(line)
	return l.flushFull()
}

// Len returns the length that the file has when what waits is written.
func (l *Lines) Len() int64 { return l.position().length + int64(l.buf.Len()) }

func (l *Lines) flushFull() error {
	if l.buf.Len() < lineBuffer {
		return nil
	}
	return l.Flush()
}

// Flush writes the buffered lines to the file.
func (l *Lines) Flush() error {
	defer l.buf.Reset() // after an error, too: nothing is written any more
	return l.write(l.buf.Bytes())
}

// write writes whole records to the file.
func (l *Lines) write(data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || len(data) == 0 {
		return l.err
	}
	if l.err = l.meddled(l.file.Stat()); l.err != nil {
		return l.err
	}
	l.dirty = true
	n, err := l.file.WriteAt(data, l.at.length)
	if err != nil {
		n = l.whole(data[:n])
		l.err = errors.Join(err, l.fs.Truncate(l.path, l.at.length+int64(n)))
	}
	l.at.length += int64(n)
	l.at.sum = l.at.sum.Add(data[:n])
	return l.err
}

// whole returns how many bytes of a write that failed are kept: its whole lines. Where a record of
// any bytes ends is not known here.
func (l *Lines) whole(written []byte) int {
	if l.any {
		return 0
	}
	return bytes.LastIndexByte(written, '\n') + 1
}

// meddled returns an error if somebody else has changed the file's length. To go on writing would
// leave a hole, or lines that nobody finds.
func (l *Lines) meddled(info vfs.FileInfo, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w: somebody has removed it while the crawl was running", l.path, ErrDamaged)
	case err != nil:
		return err
	case info.Size() != l.at.length:
		return fmt.Errorf("%s %w: somebody has changed it while the crawl was running: it has %d bytes, %d were written", l.path, ErrDamaged, info.Size(), l.at.length)
	}
	return nil
}

// there returns an error if the file is not under its name any more as it was written. It is
// final.
func (l *Lines) there() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.meddled(l.fs.Stat(l.path))
	}
	return l.err
}

// position returns the length and the checksum of the file.
func (l *Lines) position() position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// cutAt is position for a Cut.
func (l *Lines) cutAt() position {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = l.at.length
	return l.at
}

// sync brings the file to disk. After a failed sync nobody knows what is there, so its error
// is final, too.
func (l *Lines) sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || !l.dirty {
		return l.err
	}
	if err := l.file.Sync(); err != nil {
		l.err = fmt.Errorf("sync %s: %w", l.path, err)
		return l.err
	}
	l.dirty = false
	return nil
}

func (l *Lines) close() error {
	err := l.Flush()
	if err == nil {
		err = l.sync()
	}
	return errors.Join(err, l.file.Close())
}

// CutLine describes what was behind a file's committed position.
type CutLine struct {
	File    string
	Records int   // whole lines
	Bytes   int64 // with a torn last line
}

// cutBack cuts the file back to its first at bytes, which must end a line.
func cutBack(fs FS, path string, at int64) (CutLine, error) {
	cut, err := behind(fs, path, at)
	if err != nil || cut.Bytes == 0 {
		return cut, err
	}
	return cut, fs.Truncate(path, at)
}

// behind describes what is behind the committed length. A file that does not exist, or has no
// end of a line at that length, is damaged.
func behind(fs FS, path string, at int64) (CutLine, error) {
	found, err := exists(fs, path)
	if err != nil || !found && at == 0 {
		return CutLine{}, err
	}
	if !found {
		return CutLine{}, fmt.Errorf("%s %w: it is missing, %d bytes were committed", path, ErrDamaged, at)
	}
	return tail(fs, path, at)
}

// tail counts the lines and bytes behind the first at bytes.
func tail(fs FS, path string, at int64) (CutLine, error) {
	f, err := fs.Open(path)
	if err != nil {
		return CutLine{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return CutLine{}, err
	case info.Size() < at:
		return CutLine{}, fmt.Errorf("%s %w: it has %d bytes, %d were committed", path, ErrDamaged, info.Size(), at)
	}
	if at > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, at-1); err != nil {
			return CutLine{}, err
		}
		if last[0] != '\n' {
			return CutLine{}, fmt.Errorf("%s %w: no line ends at byte %d, which was committed", path, ErrDamaged, at)
		}
	}
	n, err := countLines(io.NewSectionReader(f, at, info.Size()-at))
	return CutLine{Records: n, Bytes: info.Size() - at}, err
}

func countLines(r io.Reader) (n int, err error) {
	buf := make([]byte, lineBuffer)
	for {
		k, err := r.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
