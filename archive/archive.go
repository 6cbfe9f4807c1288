// Package archive keeps what a crawl was answered, in files of a crawl directory that all tools
// of web archives read: DIR/archive/NAME-00000.warc.gz and so on (package warc).
//
// An Archive gets every exchange with a server from the crawl, not only the pages: redirects,
// robots.txt, answers that another attempt followed, bodies that broke off. Of each it writes a
// response record with the bytes that came over the wire, a request record with those that were
// sent, and a metadata record with what the crawl knows: where the link was, how deep, how long it
// took. A payload that is there already makes a revisit record, which refers to the first one.
//
// Records are made and compressed in the workers (PrepareExchange); the recorder appends them to
// the file and asks the index of payload digests, which is in the crawl's state. The files' lengths
// and the new digests are part of the crawl's commit (Cut): a crash takes the archive back to the
// last one, at a record's border, and no exchange is there twice.
//
// docs/format/archive.md describes the files.
package archive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/store"
	"crawler/warc"
)

// Folder is the folder of a crawl directory that has the archive.
const Folder = "archive"

// DefaultSize is how long a file becomes before the next one is begun.
const DefaultSize = 1 << 30

// Config says what an Archive keeps, and where.
type Config struct {
	Dir         *store.Dir
	Name        string           // of the files, without a path; the same in every run
	Size        int64            // bytes after which the next file begins; 0 means DefaultSize
	Compression warc.Compression // "" means Gzip
	Dictionary  []byte           // for Zstd, as zstd --train makes it; the same in every run
	Info        warc.Header      // of the crawl, for each file's warcinfo record
	LeaveOut    []string         // fields that request records do not have, in canonical form
	Proxied     bool             // an exchange's other end is a proxy, no server
	// Written, if not nil, is called by the recorder's goroutine for every record when it is
	// appended. What it makes of it must be committed with the crawl, too. An error ends the crawl.
	Written func(w *Written) error
}

// Written says where a record is. A kill before the next commit takes it away again.
type Written struct {
	File           string // within Folder
	Offset, Length int64  // in File, compressed
	Type           string // one of package warc's
	URL            string // "" of a warcinfo record
	Date           time.Time
	Status         int             // of a response or a revisit
	MediaType      string          // of a response or a revisit
	Payload        warc.Digest     // of a response or a revisit; zero if that is cut off
	Visit          *crawl.Visit    // nil of a warcinfo record; valid until the call returns
	Exchange       *crawl.Exchange // the same; its Response is gone
}

// Archive writes the archive of a crawl. Exchange, Flush, and Cut belong to the recorder's
// goroutine; PrepareExchange may be called by several goroutines at once.
type Archive struct {
	cfg     Config
	file    *store.Records // nil until there is something to write
	state   state
	info    uint64 // hash of Config.Info and Dictionary
	index   *index
	own     *maker
	head    []byte // with which a file begins, compressed: the dictionary
	entry   Written
	makers  sync.Pool // of *maker
	records sync.Pool // of *records
}

// Open opens the archive of a crawl, in the state of the last commit. What a crash has left behind
// that is cut off. It reads the digests of an archive that is there: a second for some millions.
func Open(cfg Config) (*Archive, error) {
	if cfg.Size <= 0 {
		cfg.Size = DefaultSize
	}
	if cfg.Compression == "" {
		cfg.Compression = warc.Gzip
	}
	if cfg.Name == "" || strings.ContainsAny(cfg.Name, `/\`) {
		return nil, fmt.Errorf("archive: %q is no name for files", cfg.Name)
	}
	a := &Archive{cfg: cfg, info: xxhash.Sum64(append(warc.AppendFields(nil, cfg.Info), cfg.Dictionary...))}
	own, err := a.newMaker()
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if a.own = own; len(cfg.Dictionary) > 0 {
		if a.head, err = warc.AppendDictionary(nil, cfg.Dictionary); err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
	if err := a.load(); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return a, nil
}

// load reads the state of the last commit.
func (a *Archive) load() error {
	d := a.cfg.Dir
	a.state = state{secret: rand.Uint64(), info: a.info}
	var db *store.DB
	found := false
	if d.Durable() {
		var err error
		db = d.DB()
		if found, err = a.state.load(db); err != nil {
			return err
		}
	}
	prefix := a.cfg.Name + "-"
	if err := d.CutBehind(Folder, func(name string) bool {
		return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, ".warc"+a.cfg.Compression.Extension())
	}); err != nil {
		return err
	}
	var err error
	if a.index, err = openIndex(db); err != nil || !found {
		return err
	}
	if a.file, err = d.Records(Folder, a.fileName()); err != nil || a.state.info == a.info {
		return err
	}
	if a.file.Len() == 0 { // crawler check has found all of it lost
		a.state.info = a.info
		return nil
	}
	return a.next() // whose warcinfo record is about this run's settings
}

// next ends the present file.
func (a *Archive) next() error {
	err := a.file.Finish()
	a.file, a.state.info = nil, a.info
	a.state.file++
	return err
}

// Exchange appends the records of an exchange.
func (a *Archive) Exchange(v *crawl.Visit, x *crawl.Exchange) error {
	r, ok := x.Prepared.(*records)
	if !ok {
		return nil // there was no answer
	}
	defer a.put(r)
	x.Prepared = nil
	if r.err == nil {
		r.err = a.append(v, x, r)
	}
	if r.err != nil {
		return fmt.Errorf("archive: %w", r.err)
	}
	return nil
}

func (a *Archive) append(v *crawl.Visit, x *crawl.Exchange, r *records) error {
	if err := a.room(r.date); err != nil {
		return err
	}
	if r.identified {
		first, found, err := a.index.find(r.payload)
		if err != nil {
			return err
		}
		if found {
			err = a.own.revisit(r, first)
		} else {
			a.index.add(r.payload, origin{r.date.UnixMicro(), x.URL.String()})
		}
		if err != nil {
			return err
		}
	}
	a.entry = Written{
		Date: r.date, URL: x.URL.String(), Visit: v, Exchange: x, Status: r.status, MediaType: r.mediaType, Payload: r.digest,
	}
	from := 0
	for _, part := range r.parts {
		if err := a.write(part.kind, r.data[from:part.end]); err != nil {
			return err
		}
		from = part.end
	}
	return nil
}

// write appends one record, and says so.
func (a *Archive) write(kind string, data []byte) error {
	a.entry.Type, a.entry.Offset, a.entry.Length = kind, a.file.Len(), int64(len(data))
	a.entry.File = a.fileName()
	if err := a.file.Append(data); err != nil || a.cfg.Written == nil {
		return err
	}
	return a.cfg.Written(&a.entry)
}

func (a *Archive) fileName() string {
	return warc.FileName(a.cfg.Name, int(a.state.file), a.cfg.Compression)
}

// room sees to it that there is a file to append to, which has room.
func (a *Archive) room(now time.Time) error {
	if a.file != nil && a.file.Len() >= a.cfg.Size {
		if err := a.next(); err != nil {
			return err
		}
	}
	if a.file == nil {
		var err error
		if a.file, err = a.cfg.Dir.Records(Folder, a.fileName()); err != nil {
			return err
		}
	}
	if a.file.Len() > 0 {
		return nil
	}
	return a.begin(now)
}

// begin writes what a file begins with.
func (a *Archive) begin(now time.Time) error {
	if len(a.head) > 0 {
		if err := a.file.Append(a.head); err != nil {
			return err
		}
	}
	data, err := a.own.warcinfo(a.fileName(), now)
	if err != nil {
		return err
	}
	a.entry = Written{Date: now}
	return a.write(warc.Warcinfo, data)
}

// Flush hands what was appended to the operating system.
func (a *Archive) Flush() error {
	if a.file == nil {
		return nil
	}
	return a.file.Flush()
}

// Cut adds to b what must be committed of the archive. The files' lengths are part of the
// directory's own Cut, which must follow.
func (a *Archive) Cut(b crawl.Batch) {
	if a.file == nil {
		return
	}
	a.index.cut(b)
	a.state.cut(b)
}

// errState says that a value is not what cut writes.
var errState = errors.New("the state of the archive is not what a commit writes")
