package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Names within the directory. Each of crawlFiles says that a crawl is there.
const (
	metaFile = "crawl.json"
	lockFile = "lock"
	stateDir = "state"
)

var crawlFiles = [...]string{
	metaFile, stateDir, "pages.jsonl", "redirects.jsonl", "skipped.jsonl", "links.bin", "edges.jsonl", "edges.csv", "report.json", "report.txt",
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

	mu    sync.Mutex
	lines []*Lines // guarded by mu
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

// Lines opens DIR/name to append lines to it, and creates it if there is none. Lines behind
// the last commit are cut off; see Cuts. ErrDamaged means that the file has lost committed
// lines.
func (d *Dir) Lines(name string) (*Lines, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	at := d.positions.at[name]
	cut, err := cutBack(d.fs, d.file(name), at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	if cut.Bytes > 0 {
		cut.File = name
		d.cuts = append(d.cuts, cut)
	}
	l, err := openLines(d.fs, d.file(name), at)
	if err == nil {
		err = syncDir(d.fs, d.path)
	}
	if err != nil {
		return nil, err
	}
	l.name = name
	d.mu.Lock()
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
	_, err := behind(d.fs, d.file(name), d.positions.at[name])
	return err
}

// Cuts returns what Lines found behind the committed positions and cut off.
func (d *Dir) Cuts() []CutLine { return slices.Clone(d.cuts) }

// Putter takes the records of a commit; a Batch is one.
type Putter = interface{ Put(key, value []byte) }

// Cut writes all lines to their files and adds the positions they reach to b. Call Sync,
// which brings them to disk, before b is committed.
func (d *Dir) Cut(b Putter) error {
	if err := d.writable(); err != nil {
		return err
	}
	for _, l := range d.opened() {
		if err := l.Flush(); err != nil {
			return err
		}
		d.positions.at[l.name] = l.position()
	}
	d.positions.cuts++
	d.value = d.positions.append(d.value[:0])
	b.Put([]byte(positionsKey), d.value)
	d.cutRewritten(b)
	return nil
}

// Sync brings to disk what was written to the files. It may run beside Cut and the writing
// of lines, which wait for it only if their buffer is full.
func (d *Dir) Sync() error {
	for _, l := range d.opened() {
		if err := l.sync(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) opened() []*Lines {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lines // only ever appended to
}

// Close brings all lines to disk, closes everything and releases the lock. Lines that were
// not committed are cut off when the crawl is opened again.
func (d *Dir) Close() error {
	var errs []error
	for _, l := range d.opened() {
		errs = append(errs, l.close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	return errors.Join(append(errs, d.lock.Close())...)
}
