package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"crawler/chunk"
	"crawler/warc"
)

// The files with the filters on chunks of the archive, in Folder. docs/format/chunks.md describes
// their bytes.
const (
	URLsFile  = "urls.bin"
	WordsFile = "words.bin"
)

// ErrNoArchive says that a directory has no archive.
var ErrNoArchive = errors.New("holds no archive")

// Files returns the paths of the archive's files in a crawl directory, in order: those in its
// Folder, or, if it has none, in the directory itself, as archives of others are. The error wraps
// ErrNoArchive if there are none.
func Files(dir string) (paths []string, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s %w: it is a file, name the directory that it is in", dir, ErrNoArchive)
	}
	for _, folder := range []string{filepath.Join(dir, Folder), dir} {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if isArchive(e.Name()) && e.Type().IsRegular() {
				paths = append(paths, filepath.Join(folder, e.Name()))
			}
		}
		if len(paths) > 0 {
			return paths, nil
		}
	}
	return nil, fmt.Errorf("%s %w (no .warc, .warc.gz or .warc.zst file)", dir, ErrNoArchive)
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, ".warc.gz") || strings.HasSuffix(name, ".warc.zst")
}

// IsLeftover reports whether a file is one that becomes another, or an archive's, when it is whole:
// a kill has left it.
func IsLeftover(name string) bool {
	before, _, ok := strings.Cut(name, ".tmp")
	return ok && (isArchive(before) || before == URLsFile || before == WordsFile)
}

// maxDamages is how many damaged records are reported one by one.
const maxDamages = 20

// Damages are the damaged records that a reading met. Reading continues behind them.
type Damages struct {
	List []error // the first
	N    int
	Torn int // files that end in half a record, as those of a crawl that runs or was killed do
}

func (d *Damages) add(err error) {
	if d.N++; len(d.List) < maxDamages {
		d.List = append(d.List, err)
	}
}

// Err is nil if nothing is damaged. A torn end is no damage.
func (d *Damages) Err() error {
	if d.N > len(d.List) {
		return errors.Join(append(d.List, fmt.Errorf("and %d more", d.N-len(d.List)))...)
	}
	return errors.Join(d.List...)
}

// Readout is what is known of a reading when it has ended.
type Readout struct {
	chunk.Cost
	Damages
	All bool // everything was read, not what may have a value
}

// String says how much was read.
func (r *Readout) String() string {
	text := r.Cost.String()
	if r.All {
		text = fmt.Sprintf("read all, %d bytes", r.Bytes)
	}
	if r.Torn > 0 {
		text += "; the last record is not whole: the crawl is running, or was killed"
	}
	return text
}

// scan gives fn the records of the parts of the archive in dir that may have all the keys, by the
// filters in the named sidecar; without keys, all records.
func scan(dir, sidecar string, keys []uint64, out *Readout, fn func(path string, r *warc.Reader, f *warc.Found) error) error {
	// The sidecar comes first: what it covers is in the files by then.
	plan, err := ask(dir, sidecar, keys)
	if err != nil {
		return err
	}
	paths, err := Files(dir)
	if err != nil {
		return err
	}
	for i, path := range paths {
		if plan != nil && IsNear(filepath.Base(path)) {
			continue // it has no answers
		}
		if err := scanFile(path, plan, i == len(paths)-1, out, fn); err != nil {
			return err
		}
	}
	return nil
}

// ask asks the filters of an archive; nil keys mean that all is read.
func ask(dir, sidecar string, keys []uint64) (*chunk.Plan, error) {
	if keys == nil {
		return nil, nil
	}
	for _, folder := range []string{filepath.Join(dir, Folder), dir} {
		f, err := os.Open(filepath.Join(folder, sidecar))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return chunk.Ask(f, keys...)
	}
	return chunk.Ask(strings.NewReader(""), keys...)
}

// scanFile reads what the plan says of a file; nil says all. Of the last file the end may be torn.
func scanFile(path string, plan *chunk.Plan, last bool, out *Readout, fn func(path string, r *warc.Reader, f *warc.Found) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	reading := chunk.Reading{Parts: []chunk.Part{{Range: chunk.Range{To: size}, Unfiltered: true}}, Cost: chunk.Cost{Bytes: size}}
	if plan != nil {
		reading = plan.In(filepath.Base(path), size)
	}
	out.Add(reading.Cost)
	out.All = out.All || plan == nil
	for _, part := range reading.Parts {
		r := warc.NewReader(f, path, part.From, part.To, size, warc.Limits{})
		if err := each(r, path, last && part.Unfiltered, out, fn); err != nil {
			return err
		}
	}
	return nil
}

// each gives fn the records, and notes which are damaged.
func each(r *warc.Reader, path string, mayTear bool, out *Readout, fn func(path string, r *warc.Reader, f *warc.Found) error) error {
	for {
		found, err := r.Next()
		if err == nil {
			err = fn(path, r, found)
		}
		var d *warc.Damage
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &d) && d.Torn() && mayTear:
			out.Torn++
			return nil
		case errors.As(err, &d):
			out.add(err)
		default:
			return err
		}
	}
}
