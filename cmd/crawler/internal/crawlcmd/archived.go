package crawlcmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"crawler/archive"
	"crawler/crawl"
	"crawler/report"
	"crawler/weburl"
)

// archived is a Recorder that keeps every exchange in the crawl's archive, too.
type archived struct {
	*logged
	archive *archive.Archive
	filters *archive.Filters
}

// openArchive has the crawl keep an archive. Whoever wants none has none of this.
func (r *session) openArchive(cfg *crawl.Config, to *logged) (crawl.Recorder, error) {
	if !r.Warc {
		return to, nil
	}
	keep, err := r.Archive(&cfg.Fetch)
	if err != nil {
		return nil, err
	}
	keep.Dir, keep.Name = r.dir, archiveName(r.dir.Meta().Seeds, r.dir.Meta().Created)
	filters := archive.NewFilters(r.dir)
	keep.Written = filters.Written
	a, err := archive.Open(keep)
	if err != nil {
		return nil, r.unopened(err)
	}
	cfg.Fetch.KeepWire = true
	if cfg.PageMemory > 0 {
		cfg.BodyBudget = cfg.PageMemory
	}
	r.keep, r.filters = a, filters
	return &archived{to, a, filters}, nil
}

// endFilters ends the filters on the archive, when nothing more is kept in this run.
func (r *session) endFilters() error {
	if r.filters == nil {
		return nil
	}
	return r.filters.End()
}

// saveNear has the archive name the near-duplicates that the report has found.
func (r *session) saveNear(rep *report.Report) error {
	if r.keep == nil || rep.Near == nil || rep.Near.Pages == 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(r.dir.Path(), report.NearFile))
	if err != nil {
		return err
	}
	defer f.Close()
	name, file, err := r.keep.SaveNear(time.Now(), func(yield func(archive.Near) error) error {
		in := json.NewDecoder(f)
		for {
			var n report.NearRecord
			if err := in.Decode(&n); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if err := yield(archive.Near{URL: n.URL, Like: n.Like, Resemblance: n.Resemblance}); err != nil {
				return err
			}
		}
	})
	if err == nil && name != "" {
		rep.Files[name] = file
	}
	return err
}

// archiveName is the name of an archive's files: of the first seed's host and of the time when the
// crawl began, which makes it one that no other archive has.
func archiveName(seeds []string, began time.Time) string {
	host := ""
	if len(seeds) > 0 {
		if u, _, err := crawl.ParseSeed(weburl.Options{}, seeds[0]); err == nil {
			host = u.Host()
		}
	}
	return fileName(cmp.Or(host, "crawl")) + "-" + began.UTC().Format("20060102150405")
}

// Exchange appends the exchange's records.
func (a *archived) Exchange(v *crawl.Visit, x *crawl.Exchange) error { return a.archive.Exchange(v, x) }

// PrepareExchange makes them.
func (a *archived) PrepareExchange(v *crawl.Visit, x *crawl.Exchange) int64 {
	return a.archive.PrepareExchange(v, x)
}

// Flush hands everything to the operating system.
func (a *archived) Flush() error {
	if err := errors.Join(a.archive.Flush(), a.filters.Flush()); err != nil {
		return err
	}
	return a.logged.Flush()
}

// Cut puts what must be committed into b.
func (a *archived) Cut(b crawl.Batch) error {
	a.archive.Cut(b)
	return a.logged.Cut(b) // with the lengths of all files
}
