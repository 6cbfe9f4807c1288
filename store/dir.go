package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"crawler/internal/sums"
)

// Names within the directory. Each of crawlFiles says that a crawl is there.
const (
	metaFile = "crawl.json"
	lockFile = "lock"
	stateDir = "state"
)

var crawlFiles = [...]string{
	metaFile, stateDir, "pages.jsonl", "redirects.jsonl", "skipped.jsonl", "links.bin", "edges.jsonl", "edges.csv", "chunks.bin", "archive", "report.json", "report.txt",
}

// Dir is a crawl directory that is open, and locked against other processes. Create and
// Open make one. Lines and Cut are for the goroutine that records, Sync for the one that
// commits; they may run at the same time.
type Dir struct {
	fs       FS
	path     string
	meta     Meta
	lock     io.Closer
	db       *DB // nil if the crawl is not durable
	readOnly bool
	resumed  bool

	positions positions // of the last commit, then of the last Cut; owned by the recorder
	value     []byte    // scratch of Cut
	rewritten []string  // files that wait for a Cut and Replace
	cuts      []CutLine

	mu      sync.Mutex
	lines   []*Lines // guarded by mu
	unnamed bool     // Lines has made names that may not be on disk; guarded by mu
}

func (d *Dir) file(name string) string { return d.fs.PathJoin(d.path, name) }

// Path returns the directory's name, as it was given.
func (d *Dir) Path() string { return d.path }

// FS returns the file system that the directory is in.
func (d *Dir) FS() FS { return d.fs }

// Meta returns the contents of crawl.json.
func (d *Dir) Meta() Meta { return d.meta }

// DB returns the state, nil if the crawl is not durable.
func (d *Dir) DB() *DB { return d.db }

// Durable reports whether the crawl can be resumed after a crash.
func (d *Dir) Durable() bool { return d.db != nil }

// Resumed reports whether the crawl was there before: a batch with a Cut, or with a key
// of kind m, had been committed when Open opened it.
func (d *Dir) Resumed() bool { return d.resumed }

// Free returns how many bytes the disk has left for this process, math.MaxInt64 if the
// system does not say.
func (d *Dir) Free() (int64, error) {
	u, err := d.fs.GetDiskUsage(d.path)
	if errors.Is(err, vfs.ErrUnsupported) {
		return math.MaxInt64, nil
	}
	return int64(min(u.AvailBytes, math.MaxInt64)), err
}

// Lines opens DIR/name to append lines to it, and creates it if there is none; Sync brings its name
// to disk, that of all files at once. Lines behind
// the last commit are cut off; see Cuts. ErrDamaged means that the file has lost committed
// lines.
func (d *Dir) Lines(name string) (*Lines, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	at, err := d.summed(name)
	if err != nil {
		return nil, err
	}
	cut, err := cutBack(d.fs, d.file(name), at.length)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	if cut.Bytes > 0 {
		cut.File = name
		d.cuts = append(d.cuts, cut)
	}
	l, err := openLines(d.fs, d.file(name), at)
	if err != nil {
		return nil, err
	}
	l.name = name
	d.mu.Lock()
	d.unnamed = true
	d.lines = append(d.lines, l)
	d.mu.Unlock()
	return l, nil
}

// writable returns an error if the directory is open for reading only.
func (d *Dir) writable() error {
	if d.readOnly {
		return fmt.Errorf("%s is open for reading only", d.path)
	}
	return nil
}

// CheckLines returns an ErrDamaged if the named file lacks committed lines. It reads the
// lines behind those, and changes nothing.
func (d *Dir) CheckLines(name string) error {
	_, err := behind(d.fs, d.file(name), d.positions.at[name].length)
	return err
}

// Behind opens what is behind the committed part of a file of lines, nil if nothing is.
func (d *Dir) Behind(name string) (io.ReadCloser, error) {
	at := d.positions.at[name].length
	info, err := d.fs.Stat(d.file(name))
	if err != nil || info.Size() <= at {
		return nil, nil // Lines says what is wrong
	}
	f, err := d.fs.Open(d.file(name))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, at, info.Size()-at), f}, nil
}

// summed returns where the last commit left a file. After a commit without checksums that reads
// the file.
func (d *Dir) summed(name string) (position, error) {
	at := d.positions.at[name]
	if !at.unknown {
		return at, nil
	}
	sum, err := d.sumOf(name, at.length)
	at.sum, at.unknown = sum, err != nil
	return at, err
}

// sumOf returns the checksum of the first n bytes of a file, which must be there.
func (d *Dir) sumOf(name string, n int64) (sums.Sum, error) {
	if _, err := behind(d.fs, d.file(name), n); err != nil {
		return 0, fmt.Errorf("%s: %w", d.path, err)
	}
	f, err := d.fs.Open(d.file(name))
	if err != nil {
		return 0, err
	}
	sum, _, err := sums.Read(f, n)
	return sum, errors.Join(err, f.Close())
}

// Verify reads the committed part of every file of lines. ErrDamaged names the first of which it
// is not as it was written. It takes about 0.1 s for each GB that is in memory. Files of records in
// folders may be far larger than memory: of these only the lengths are compared.
func (d *Dir) Verify() error {
	var all errgroup.Group
	for name, at := range d.positions.at {
		all.Go(func() error { return d.verify(name, at) })
	}
	return all.Wait()
}

func (d *Dir) verify(name string, at position) error {
	if at.length == 0 {
		return nil
	}
	if inFolder(name) {
		return d.holds(name, at.length)
	}
	sum, err := d.sumOf(name, at.length)
	if err != nil || at.unknown || sum == at.sum {
		return err
	}
	return fmt.Errorf("%s %w: its first %d bytes are not those that were committed", d.file(name), ErrDamaged, at.length)
}

// Committed returns what the files of lines were at the last commit: only their beginnings, if the
// crawl did not end in order. Files whose checksums a commit of an earlier version lacks are left
// out.
func (d *Dir) Committed() sums.Table {
	t := sums.Table{}
	for name, at := range d.positions.at {
		if !at.unknown {
			t[name] = sums.File{Bytes: at.length, Sum: at.sum}
		}
	}
	return t
}

// Written returns what the files of lines are now. Lines that wait are written.
func (d *Dir) Written() (sums.Table, error) {
	t := d.Committed()
	for _, l := range d.opened() {
		if err := l.Flush(); err != nil {
			return t, err
		}
		at := l.position()
		t[l.name] = sums.File{Bytes: at.length, Sum: at.sum}
	}
	for name, f := range t {
		if info, err := d.fs.Stat(d.file(name)); err == nil {
			f.Modified = info.ModTime().UnixNano()
			t[name] = f
		}
	}
	return t, nil
}

// Cuts returns what Lines found behind the committed positions and cut off.
func (d *Dir) Cuts() []CutLine { return slices.Clone(d.cuts) }

// Putter takes the records of a commit; a Batch is one.
type Putter = interface{ Put(key, value []byte) }

// Cut writes all lines to their files and adds the positions they reach to b. Call Sync,
// which brings them to disk, before b is committed. What the Cut before was for is committed
// when this one is called.
func (d *Dir) Cut(b Putter) error {
	if err := d.writable(); err != nil {
		return err
	}
	if err := d.closeFinished(); err != nil {
		return err
	}
	for _, l := range d.opened() {
		if err := errors.Join(l.Flush(), l.there()); err != nil {
			return err
		}
		d.positions.at[l.name] = l.cutAt()
	}
	d.positions.cuts++
	d.value = d.positions.append(d.value[:0])
	b.Put([]byte(positionsKey), d.value)
	d.cutRewritten(b)
	return nil
}

// Sync brings to disk what was written to the files, and their names. It may run beside Cut and the
// writing of lines, which wait for it only if their buffer is full.
func (d *Dir) Sync() error {
	for _, l := range d.opened() {
		if err := l.sync(); err != nil {
			return err
		}
	}
	return d.syncNames()
}

// syncNames brings to disk the names that are not there. No commit counts lines of a file before.
func (d *Dir) syncNames() error {
	d.mu.Lock()
	unnamed := d.unnamed
	d.unnamed = false
	d.mu.Unlock()
	if !unnamed {
		return nil
	}
	err := syncDir(d.fs, d.path)
	if err != nil {
		d.mu.Lock()
		d.unnamed = true
		d.mu.Unlock()
	}
	return err
}

func (d *Dir) opened() []*Lines {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lines // appended to, or replaced
}

// Close brings all lines to disk, closes everything and releases the lock. Lines that were
// not committed are cut off when the crawl is opened again.
func (d *Dir) Close() error {
	var errs []error
	for _, l := range d.opened() {
		errs = append(errs, l.close())
	}
	errs = append(errs, d.syncNames())
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	return errors.Join(append(errs, d.lock.Close())...)
}
