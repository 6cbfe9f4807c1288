package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/chunk"
	"crawler/crawl"
	"crawler/dedup"
	"crawler/internal/durable"
	"crawler/store"
	"crawler/warc"
)

// Salvage is what is left of a crawl's archive in which files are damaged or missing: Survey makes
// it. Its methods take the sound records for the whole.
type Salvage struct {
	Files map[string]Sound // the damaged ones, by their names in Folder

	dir     string
	had     dedup.Set // URLs of answers whose bodies can be had
	bodies  dedup.Set // what revisits may refer to: URLs with a date, or with a payload
	refer   []reference
	filters map[string][]*chunk.Entry // of the damaged files
}

// reference is a revisit: the keys of its URL and of what it refers to.
type reference struct{ url, date, payload uint64 }

// Sound is what can be read of a damaged file.
type Sound struct {
	Records int
	Bytes   int64         // that they take
	Parts   []chunk.Range // of the file, that have them
}

// Survey looks at the archive of a crawl that is not running. committed has the lengths of all of
// its files by their names in Folder, damaged those that are not as they were written. It reads
// everything: the records of the damaged files with their digests. It takes 10 to 30 bytes of
// memory for each answer.
func Survey(dir string, committed map[string]int64, damaged []string) (*Salvage, error) {
	s := &Salvage{dir: dir, Files: map[string]Sound{}, filters: map[string][]*chunk.Entry{}}
	for file, length := range committed {
		if !isArchive(file) {
			continue
		}
		strict := slices.Contains(damaged, file)
		sound, err := s.read(filepath.Join(dir, Folder, file), length, strict)
		if err != nil {
			return nil, err
		}
		if strict {
			s.Files[file] = sound
		}
	}
	for _, r := range s.refer {
		if s.bodies.Has(r.date) || s.bodies.Has(r.payload) {
			s.had.Add(r.url)
		}
	}
	s.refer = nil
	return s, s.entries()
}

// read notes the records in the first n bytes of a file; strict has the digests of blocks compared.
func (s *Salvage) read(path string, n int64, strict bool) (sound Sound, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sound, nil
	}
	if err != nil {
		return sound, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return sound, err
	}
	n = min(n, info.Size())
	r := warc.NewReader(f, path, 0, n, n, warc.Limits{})
	for {
		found, err := r.Next()
		if errors.Is(err, io.EOF) {
			return sound, nil
		}
		good, length := err == nil, int64(0)
		if good && strict { // what cannot be read of a block is damage, as Finish says
			sum, failed := warc.BlockDigest(found, func([]byte) {})
			good = failed == nil && found.Get(warc.FieldBlockDigest) == sum.String()
		}
		if err == nil {
			length, err = r.Finish()
		}
		var d *warc.Damage
		switch {
		case err != nil && !errors.As(err, &d):
			return sound, err
		case err == nil && good:
			sound.add(found.Offset, length)
			s.note(found)
		}
	}
}

// add adds a record.
func (s *Sound) add(at, length int64) {
	s.Records++
	s.Bytes += length
	if n := len(s.Parts); n > 0 && s.Parts[n-1].To == at {
		s.Parts[n-1].To += length
		return
	}
	s.Parts = append(s.Parts, chunk.Range{From: at, To: at + length})
}

// note notes what a sound record is of.
func (s *Salvage) note(f *warc.Found) {
	url := f.TargetURI()
	switch f.Get(warc.FieldType) {
	case warc.Response:
		s.had.Add(chunk.OfURL(url))
		s.bodies.Add(ofBody(url, f.Get(warc.FieldDate)))
		if d := f.Get(warc.FieldPayloadDigest); d != "" {
			s.bodies.Add(ofBody(url, d))
		}
	case warc.Revisit:
		to := f.Get(warc.FieldRefersToURI)
		s.refer = append(s.refer, reference{chunk.OfURL(url), ofBody(to, f.Get(warc.FieldRefersToDate)), ofBody(to, f.Get(warc.FieldPayloadDigest))})
	}
}

// ofBody is the key of the answer of a URL with a date, or with a payload.
func ofBody(url, of string) uint64 { return xxhash.Sum64String(of + " " + url) }

// entries reads the filters of the damaged files.
func (s *Salvage) entries() error {
	f, err := os.Open(filepath.Join(s.dir, Folder, URLsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return chunk.Entries(f, func(e *chunk.Entry, err error) error {
		if err != nil {
			return nil // damaged itself
		}
		if _, ok := s.Files[e.File]; ok {
			s.filters[e.File] = append(s.filters[e.File], e)
		}
		return nil
	})
}

// Has reports whether the answer of a canonical URL can be had.
func (s *Salvage) Has(url string) bool { return s.had.Has(chunk.OfURL(url)) }

// MayBeOf reports whether the answer of a URL may have been lost in a damaged file: its filters do
// not deny it. What had no filter may have been of any URL.
func (s *Salvage) MayBeOf(file, url string) bool {
	all := s.filters[file]
	return len(all) == 0 || len(s.Files) == 1 || slices.ContainsFunc(all, func(e *chunk.Entry) bool { return e.Filter.Has(chunk.OfURL(url)) })
}

// Leave has a damaged file stay as it is, with its filters.
func (s *Salvage) Leave(file string) { delete(s.Files, file) }

// Keep writes the sound records of a damaged file, with the dictionary that the file begins with.
func (s *Salvage) Keep(file string, w io.Writer) error {
	sound := s.Files[file]
	if sound.Records == 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(s.dir, Folder, file))
	if err != nil {
		return err
	}
	defer f.Close()
	parts := sound.Parts
	if head := warc.DictionaryLen(f); head > 0 && parts[0].From >= head {
		parts = append([]chunk.Range{{To: head}}, parts...)
	}
	for _, p := range parts {
		if _, err := io.Copy(w, io.NewSectionReader(f, p.From, p.To-p.From)); err != nil {
			return err
		}
	}
	return nil
}

// Filters makes a file of filters, URLsFile or WordsFile, again: it keeps the entries of files that
// are whole, up to their committed lengths, and makes those of damaged ones, whose sound records
// stand in the files that kept names. A file that is not in it has none.
func (s *Salvage) Filters(name string, committed map[string]int64, kept map[string]string) error {
	path := filepath.Join(s.dir, Folder, name)
	lines, err := s.others(path, committed)
	if err != nil {
		return err
	}
	err = durable.Write(path, func(w io.Writer) error {
		_, err := w.Write(lines)
		for _, file := range slices.Sorted(maps.Keys(kept)) {
			if err == nil && !IsNear(file) {
				err = makeFilters(w, s.dir, kept[file], file, name, &Readout{})
			}
		}
		return err
	})
	return errors.Join(err, os.Chmod(path, 0o600))
}

// others returns the sound entries of files that are not damaged.
func (s *Salvage) others(path string, committed map[string]int64) (lines []byte, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = chunk.Entries(f, func(e *chunk.Entry, err error) error {
		// Another answer may come where an uncommitted one was: its filter would deny it.
		if err != nil || e.To > committed[e.File] {
			return nil
		}
		if _, damaged := s.Files[e.File]; !damaged {
			lines, err = e.AppendLine(lines)
		}
		return err
	})
	return lines, err
}

// Forget takes the payloads whose records are lost out of the state of a crawl, so that the next
// answer with one of them is kept whole, and has the next run begin a new file.
func (s *Salvage) Forget(db *store.DB, b crawl.Batch) error {
	var st state
	found, err := st.load(db)
	if err != nil || !found {
		return err
	}
	st.info++
	st.cut(b)
	return db.Scan([]byte(keyDigest), func(key, value []byte) error {
		date, n := binary.Varint(value)
		if n <= 0 {
			return fmt.Errorf("%w: a payload without a date", errState)
		}
		if !s.bodies.Has(ofBody(string(value[n:]), warc.Date(time.UnixMicro(date)))) {
			b.Delete(slices.Clone(key))
		}
		return nil
	})
}
