package chunk

import (
	"errors"
	"fmt"
	"math"

	"crawler/dedup"
	"crawler/internal/binform"
)

// ErrEntry is in the chain of every error about a line that is no entry.
var ErrEntry = errors.New("no entry of a chunk")

// Entry is a chunk and its filter.
type Entry struct {
	File     string // of records, in the sidecar's folder
	From, To int64  // bytes of it
	Records  int
	Keys     int          // different ones, as far as the filter tells them apart
	Filter   *dedup.Bloom // of the keys
}

const (
	kind    = binform.Kind("CHNK")
	version = 1

	maxEntry = 1 << 20 // bytes of a line
	maxName  = 255     // bytes of a file's name
	maxCount = math.MaxInt32
	seed     = 0
)

// AppendLine appends the entry as its line, with the line end. It is an error if the entry cannot
// be written so that ParseLine reads it.
func (e *Entry) AppendLine(dst []byte) ([]byte, error) {
	if err := e.check(); err != nil {
		return dst, err
	}
	f := binform.Begin(nil, kind, version)
	f.Uint8(uint8(len(e.File)))
	f.Raw([]byte(e.File))
	f.Int64(e.From)
	f.Int64(e.To)
	f.Uint32(uint32(e.Records))
	f.Uint32(uint32(e.Keys))
	filter, err := e.Filter.MarshalBinary()
	if err != nil {
		return dst, err
	}
	f.Raw(filter)
	form := f.Close()
	if len(form) > maxEntry-maxEntry/128 {
		return dst, fmt.Errorf("%w: it has %d bytes", ErrEntry, len(form))
	}
	return append(stuff(dst, form), '\n'), nil
}

// ParseLine reads the line of an entry, without its end. It allocates no more than a few times
// the line.
func ParseLine(line []byte) (*Entry, error) {
	if len(line) > maxEntry {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrEntry, len(line))
	}
	form, err := unstuff(line)
	if err != nil {
		return nil, err
	}
	d, _, err := binform.Open(form, kind, version)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	e := &Entry{Filter: new(dedup.Bloom)}
	e.File = string(d.Raw(int(d.Uint8())))
	e.From, e.To = d.Int64(), d.Int64()
	e.Records, e.Keys = int(d.Uint32()), int(d.Uint32())
	filter := d.Raw(d.Left())
	if err := d.Close(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	if err := e.Filter.UnmarshalBinary(filter); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	return e, e.check()
}

// check returns an error if a field is out of its range.
func (e *Entry) check() error {
	switch {
	case !plainName(e.File):
		return fmt.Errorf("%w: of the file %.40q", ErrEntry, e.File)
	case e.From < 0 || e.To <= e.From:
		return fmt.Errorf("%w: from byte %d to %d", ErrEntry, e.From, e.To)
	case e.Records < 1 || e.Records > maxCount || e.Keys < 0 || e.Keys > maxCount:
		return fmt.Errorf("%w: %d records, %d keys", ErrEntry, e.Records, e.Keys)
	}
	return nil
}

// plainName reports whether a name is one of a file in the same folder.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '/' {
			return false
		}
	}
	return name != "" && len(name) <= maxName && name != "." && name != ".."
}
