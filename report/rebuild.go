package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/sums"
	"crawler/parse"
	"crawler/weburl"
)

// Records are the records of a crawl whose state is lost: crawl.Rebuild makes it anew from them. In
// memory are some 60 bytes a page or redirect, and 8 a refusal.
type Records struct {
	dir   string
	ended bool // the crawl came to its report
	found Found

	ends      map[string]int64 // how much of each file counts as recorded
	pages     map[uint64]origin
	redirects map[uint64]origin
	first     map[string]string // where a chain begins, by its hops from the second on
	settled   []uint64          // URLs that were not admitted and are refused for good, sorted
	linked    linkedSources
	rec       *recaller
}

// Found is what the records of a crawl have, and what they lack.
type Found struct {
	Pages, Redirects, Refused int
	NoLinks                   bool // there is no links.bin, or nothing is in it
	Unlinked                  int  // pages whose links stand nowhere
	LinksCut                  int  // pages of which links.bin has not all links
	LinksOnly                 int  // URLs that were read for their links alone, which stand nowhere
	Torn                      int  // pages and redirects at the end, recorded by half
	Again                     int  // refusals at the end of skipped.jsonl that are decided anew
}

// origin is what is known of a page or redirect beside its URL.
type origin struct {
	depth   int32
	seed    bool // no page links to it
	sitemap bool
}

// linkedSources is what links.bin has, by fingerprints of URLs.
type linkedSources struct {
	pages, redirects map[uint64]bool
	entries          map[uint64]bool // listed by a sitemap or feed
	sitemaps         map[uint64]bool // listed by an index
}

// maxTorn is how many pages a killed process can have recorded without their links: what was not
// yet committed, and what was in flight.
const maxTorn = 2048

// ReadRecords reads what a crawl has recorded, all of which must be sound. ended says that the
// crawl came to its report: of one that was killed, records of which a part was not yet written
// are left out.
func ReadRecords(dir string, ended bool) (*Records, error) {
	r := &Records{
		dir: dir, ended: ended, ends: map[string]int64{}, pages: map[uint64]origin{}, redirects: map[uint64]origin{}, first: map[string]string{},
		linked: linkedSources{pages: map[uint64]bool{}, redirects: map[uint64]bool{}, entries: map[uint64]bool{}, sitemaps: map[uint64]bool{}},
	}
	for _, read := range []func() error{r.readSources, r.readRedirects, r.readPages, r.readSkips, r.cutLinks, r.cutEdges} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Found returns what the records have.
func (r *Records) Found() Found { return r.found }

// readSources reads which pages and redirects links.bin has.
func (r *Records) readSources() error {
	any, l := false, &r.linked
	err := ReadLinks(r.dir, func(p *PageLinks) error {
		any = true
		if p.Redirect {
			l.redirects[xxhash.Sum64(p.URL)] = true
			return nil
		}
		l.pages[xxhash.Sum64(p.URL)] = true
		if p.Cut {
			r.found.LinksCut++
		}
		for p.Next() {
			switch link := p.Link(); link.Kind {
			case parse.Entry:
				l.entries[xxhash.Sum64(link.URL)] = true
			case parse.Sitemap:
				l.sitemaps[xxhash.Sum64(link.URL)] = true
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	r.found.NoLinks = !any
	return err
}

// lines gives fn each line of a file up to an end, or to the file's if that is negative, and where
// the line ends.
func (r *Records) lines(file string, end int64, fn func(line []byte, end int64) error) error {
	f, err := os.Open(filepath.Join(r.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if end < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		end = info.Size()
	}
	at := int64(0)
	err = scanPart(f, 0, end, func(line []byte) error {
		at += int64(len(line)) + 1
		return fn(line, at)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(r.dir, file), err)
	}
	return nil
}

// tail finds where the records end of which nothing is missing: a process that is killed may have
// written a record to one file and not yet to the other.
type tail struct{ whole, all, torn int64 }

func (t *tail) line(end int64, whole bool) {
	if t.all = end; whole {
		t.whole, t.torn = end, 0
	} else {
		t.torn++
	}
}

// end returns it. Of more records than a kill can leave so, the links were lost otherwise.
func (r *Records) end(t *tail) int64 {
	if r.ended || r.found.NoLinks || t.torn > maxTorn {
		return t.all
	}
	r.found.Torn += int(t.torn)
	return t.whole
}

func (r *Records) readRedirects() error {
	var t tail
	err := r.lines(RedirectsFile, -1, func(line []byte, end int64) error {
		var rec RedirectRecord
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		t.line(end, rec.Target == "" || r.linked.redirects[xxhash.Sum64String(rec.URL)])
		return nil
	})
	if err != nil {
		return err
	}
	r.ends[RedirectsFile] = r.end(&t)
	return r.eachRedirect(func(rec *RedirectRecord) error {
		fp := xxhash.Sum64String(rec.URL)
		r.redirects[fp] = origin{int32(rec.Depth), rec.Via == "" && rec.From == "", r.isSitemap(fp, rec.Depth, rec.Via, rec.From)}
		if rec.From != "" && rec.Hop > 2 {
			r.first[rec.URL] = firstOf(r.first, rec.From)
		} else if rec.From != "" {
			r.first[rec.URL] = rec.From
		}
		r.found.Redirects++
		return nil
	})
}

// firstOf returns where the chain begins that leads through a URL.
func firstOf(first map[string]string, url string) string {
	if f := first[url]; f != "" {
		return f
	}
	return url
}

// isSitemap reports whether a URL was requested as a sitemap: an index lists it, or robots.txt
// does, which leads to no deeper page and stands in no list of entries.
func (r *Records) isSitemap(fp uint64, depth int, via, from string) bool {
	switch {
	case from != "":
		return r.redirects[xxhash.Sum64String(from)].sitemap
	case r.linked.sitemaps[fp]:
		return true
	}
	return via != "" && depth == 0 && !r.linked.entries[fp]
}

func (r *Records) eachRedirect(fn func(rec *RedirectRecord) error) error {
	return r.lines(RedirectsFile, r.ends[RedirectsFile], func(line []byte, _ int64) error {
		var rec RedirectRecord
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		return fn(&rec)
	})
}

func (r *Records) readPages() error {
	var t tail
	var unlinked, behind int // pages without a record of links, and those of them at the end
	err := r.lines(PagesFile, -1, func(line []byte, end int64) error {
		whole := r.linked.pages[xxhash.Sum64String(urlText(line))]
		if t.line(end, whole); !whole {
			unlinked++
			behind++
		} else {
			behind = 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.ends[PagesFile] = r.end(&t); r.ends[PagesFile] < t.all {
		unlinked -= behind
	}
	r.found.Unlinked = unlinked
	return r.eachPage(func(p *PageRecord) error {
		fp := xxhash.Sum64String(p.URL)
		r.pages[fp] = origin{int32(p.Depth), p.Via == "" && p.From == "", r.isSitemap(fp, p.Depth, p.Via, p.From)}
		r.found.Pages++
		return nil
	})
}

func (r *Records) eachPage(fn func(p *PageRecord) error) error {
	return r.lines(PagesFile, r.ends[PagesFile], func(line []byte, _ int64) error {
		var p PageRecord
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		return fn(&p)
	})
}

// readSkips reads the refusals. Those that a run writes when it ends lie behind its last commit,
// and are decided anew from the links: without these they stay as they are.
func (r *Records) readSkips() error {
	end, again := int64(0), 0
	anew := !r.found.NoLinks && r.found.Unlinked == 0 && r.found.LinksCut == 0
	err := r.eachSkip(-1, func(s *gate.Skip, at int64) error {
		if !anew || !s.Provisional() {
			end, again = at, 0
			return nil
		}
		again++
		return nil
	})
	if err != nil {
		return err
	}
	r.ends[SkippedFile], r.found.Again = end, again
	err = r.eachSkip(end, func(s *gate.Skip, _ int64) error {
		r.found.Refused++
		if s.Reason == gate.LinksOnly {
			r.found.LinksOnly++
		}
		if !s.Admitted() {
			r.settled = append(r.settled, xxhash.Sum64String(s.URL))
		}
		return nil
	})
	slices.Sort(r.settled)
	return err
}

func (r *Records) eachSkip(end int64, fn func(s *gate.Skip, at int64) error) error {
	return r.lines(SkippedFile, end, func(line []byte, at int64) error {
		var s gate.Skip
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		return fn(&s, at)
	})
}

// cutLinks finds where the links end of what counts as recorded.
func (r *Records) cutLinks() error {
	var t tail
	p := new(PageLinks)
	err := r.lines(LinksFile, -1, func(line []byte, end int64) error {
		if err := p.open(line); err != nil {
			return err
		}
		t.line(end, r.has(xxhash.Sum64(p.URL)))
		return nil
	})
	torn := r.found.Torn
	r.ends[LinksFile] = r.end(&t)
	r.found.Torn = torn // of those nothing else is known
	return err
}

func (r *Records) has(fp uint64) bool {
	_, page := r.pages[fp]
	_, redirect := r.redirects[fp]
	return page || redirect
}

// cutEdges does so for the links in their other forms.
func (r *Records) cutEdges() error {
	torn := r.found.Torn
	var t tail
	err := r.lines(EdgesFile, -1, func(line []byte, end int64) error {
		t.line(end, r.has(xxhash.Sum64String(urlText(line))))
		return nil
	})
	if err != nil {
		return err
	}
	r.ends[EdgesFile] = r.end(&t)
	t = tail{}
	err = r.lines(EdgesCSVFile, -1, func(line []byte, end int64) error {
		source, err := rowSource(line)
		t.line(end, err == nil && (end == int64(len(line))+1 || r.has(xxhash.Sum64String(source))))
		t.torn = min(t.torn, maxTorn) // a page has many rows
		return err
	})
	r.ends[EdgesCSVFile] = r.end(&t)
	r.found.Torn = torn
	return err
}

// Settled implements crawl.Records.
func (r *Records) Settled(u weburl.URL) bool {
	if len(r.settled) == 0 {
		return false
	}
	_, found := slices.BinarySearch(r.settled, xxhash.Sum64String(u.String()))
	return found
}

// Each implements crawl.Records.
func (r *Records) Each(page func(v *crawl.Visit) error, skip func(s *gate.Skip) error) error {
	var v crawl.Visit
	err := r.eachRedirect(func(rec *RedirectRecord) error {
		v = crawl.Visit{}
		if err := r.redirect(&v, rec); err != nil {
			return err
		}
		return page(&v)
	})
	if err != nil {
		return err
	}
	err = r.eachPage(func(p *PageRecord) error {
		v = crawl.Visit{}
		if err := r.page(&v, p); err != nil {
			return err
		}
		return page(&v)
	})
	if err != nil {
		return err
	}
	return r.eachSkip(r.ends[SkippedFile], func(s *gate.Skip, _ int64) error { return skip(s) })
}

// redirect makes the visit that a record is of.
func (r *Records) redirect(v *crawl.Visit, rec *RedirectRecord) (err error) {
	if v.URL, err = weburl.Parse(rec.URL); err != nil {
		return fmt.Errorf("%s: %w", RedirectsFile, err)
	}
	if rec.Target != "" {
		if v.Target, err = weburl.Parse(rec.Target); err != nil {
			return fmt.Errorf("%s: %w", RedirectsFile, err)
		}
	}
	v.End, v.Status, v.Detail = crawl.Redirected, rec.Status, rec.Error
	v.Via, v.From, v.Depth, v.Hops = rec.Via, rec.From, rec.Depth, uint16(max(rec.Hop-1, 0))
	if v.Hops > 1 {
		v.First = r.first[rec.URL]
	}
	v.Sitemap = r.redirects[xxhash.Sum64String(rec.URL)].sitemap
	v.Started = timeOf(rec.FetchedAt)
	return nil
}

// page makes the visit that a record is of, as far as the Recorder counts it.
func (r *Records) page(v *crawl.Visit, p *PageRecord) (err error) {
	if v.URL, err = weburl.Parse(p.URL); err != nil {
		return fmt.Errorf("%s: %w", PagesFile, err)
	}
	v.Via, v.From, v.Depth, v.First = p.Via, p.From, p.Depth, r.first[p.From]
	v.Sitemap = r.pages[xxhash.Sum64String(p.URL)].sitemap
	v.Status, v.MediaType, v.Challenge = p.Status, p.ContentType, p.Challenge
	v.Bytes, v.WireBytes, v.Started = p.Bytes, p.WireBytes, timeOf(p.FetchedAt)
	v.Digest = parseHex([]byte(p.Digest))
	if v.CutOff = p.Status < 300 && p.Digest == ""; v.CutOff {
		v.ParseErr = errors.New(p.Error)
	}
	r.rec.shell = p.Shell
	return nil
}

// timeOf reads what timeText wrote; what is none is no time.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t
}

// Links implements crawl.Records.
func (r *Records) Links(fn func(v *crawl.Visit) error) error {
	redirects := func(ofSeeds bool) error {
		return r.eachRedirect(func(rec *RedirectRecord) error {
			if rec.Target == "" || (rec.Via == "") != ofSeeds {
				return nil
			}
			var v crawl.Visit
			if err := r.redirect(&v, rec); err != nil {
				return err
			}
			return fn(&v)
		})
	}
	if err := redirects(true); err != nil {
		return err
	}
	if err := r.eachLinks(fn); err != nil {
		return err
	}
	return redirects(false)
}

// eachLinks gives fn the pages with their links.
func (r *Records) eachLinks(fn func(v *crawl.Visit) error) error {
	var links []parse.Link
	p := new(PageLinks)
	return r.lines(LinksFile, r.ends[LinksFile], func(line []byte, _ int64) error {
		return p.read(line, func(p *PageLinks) error {
			of, known := r.pages[xxhash.Sum64(p.URL)]
			if p.Redirect || !known {
				return nil
			}
			u, err := weburl.Parse(string(p.URL))
			if err != nil {
				return err
			}
			links = links[:0]
			for p.Next() {
				l := p.Link()
				target, err := weburl.Parse(string(l.URL))
				if err != nil {
					return err
				}
				links = append(links, parse.Link{URL: target, Kind: l.Kind, NoFollow: l.NoFollow})
			}
			var v crawl.Visit
			v.URL, v.Depth, v.Sitemap, v.End = u, int(of.depth), of.sitemap, crawl.Fetched
			if !of.seed { // which page it is does not matter to its links
				v.Via = u.String()
			}
			v.Page.Links = links
			return fn(&v)
		})
	})
}

// recaller is a Recorder that counts what stands in the records, and writes none.
type recaller struct {
	*Recorder
	shell bool // the next page needs JavaScript
}

func (r *recaller) Page(v *crawl.Visit) error {
	r.count(v)
	if r.shell {
		r.shells++
	}
	return nil
}

// Rebuild makes the state of the crawl anew, in to.Dir, which is new and has cfg.Store in it. What
// the state then takes for committed are the records that were read: chunks.bin is none of them.
func (r *Records) Rebuild(cfg crawl.Config, to Config) (crawl.Result, error) {
	r.rec = &recaller{Recorder: newRecorder(to)}
	cfg.Recorder = r.rec
	res, err := crawl.Rebuild(cfg, r)
	if err != nil {
		return res, err
	}
	files := sums.Table{}
	for file, end := range r.ends {
		if end == 0 {
			continue
		}
		if files[file], err = r.sum(file, end); err != nil {
			return res, err
		}
	}
	return res, to.Dir.Accept(files)
}

// sum returns the checksum of the beginning of a file, which is made durable.
func (r *Records) sum(file string, end int64) (sums.File, error) {
	f, err := os.Open(filepath.Join(r.dir, file))
	if err != nil {
		return sums.File{}, err
	}
	sum, n, err := sums.Read(f, end)
	if err == nil && n < end {
		err = fmt.Errorf("%s: %w", file, io.ErrUnexpectedEOF)
	}
	return sums.File{Bytes: end, Sum: sum}, errors.Join(err, f.Sync(), f.Close())
}
