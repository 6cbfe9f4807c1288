package crawl

import (
	"fmt"
	"runtime"

	"crawler/fetch"
	"crawler/gate"
	"crawler/internal/room"
	"crawler/parse"
)

// reader reads pages: it owns a parser and a sampler, and what they keep from page to page.
type reader struct {
	cfg     *Config
	parser  *parse.Parser
	sampler *gate.Sampler
	spare   <-chan parse.Page // the readers'
}

// readers are those that the workers share: as many as there are processors, and one more for pages
// of usual size alone, which so need not wait for large ones. Reading keeps a processor busy, so
// with more of them no page would be read sooner; but each page that is half read has memory of its
// own, which for one with a hundred thousand links is some ten times its body.
type readers struct {
	all, small chan *reader
	// spare is memory of large pages that were settled. If the visits kept it, each of them would
	// come to have as much; if it was dropped, every large page would grow its words from nothing,
	// which is more than half of all that a crawl of such pages allocates.
	spare chan parse.Page
}

func newReaders(cfg *Config) readers {
	n := min(cfg.Workers, runtime.GOMAXPROCS(0))
	rs := readers{make(chan *reader, n), make(chan *reader, 1), make(chan parse.Page, maxSpare)}
	for range n {
		rs.all <- newReader(cfg, rs.spare)
	}
	rs.small <- newReader(cfg, rs.spare)
	return rs
}

func newReader(cfg *Config, spare <-chan parse.Page) *reader {
	return &reader{cfg, parse.New(cfg.Parse), cfg.Gate.NewSampler(), spare}
}

// reclaim takes the memory of a settled visit's page, if that is more than the visit is to keep.
// What an enormous page has grown is dropped.
func (rs readers) reclaim(v *Visit) {
	words, links := cap(v.Page.Words), cap(v.Page.Links)
	if words <= maxKeptWords && links <= maxKeptLinks {
		return
	}
	if words <= maxSpareWords && links <= maxSpareLinks {
		clear(v.Page.Links) // their URLs are text of the page
		v.Page.Reset()
		select {
		case rs.spare <- v.Page:
		default:
		}
	}
	v.Page = parse.Page{}
}

// drop gives the memory of large pages back.
func (rs readers) drop() {
	for {
		select {
		case <-rs.spare:
		default:
			return
		}
	}
}

// Bounds of what is kept of large pages for others: 1.5 MiB a page, 12 MiB in all. With room for 32
// a crawl by 16 workers was no faster.
const (
	maxSpare      = 8
	maxSpareLinks = 1 << 14
	maxSpareWords = 1 << 17
)

// largePage is the least size, in bytes, of a body that may have more words than a visit keeps
// memory for.
const largePage = 4 * maxKeptWords

// with has a reader work on a body of so many bytes.
func (rs readers) with(size int, work func(r *reader)) {
	small := rs.small
	if size > room.Free {
		small = nil
	}
	select {
	case r := <-rs.all:
		work(r)
		rs.all <- r
	case r := <-small:
		work(r)
		rs.small <- r
	}
}

// read fills in what the page says.
func (r *reader) read(v *Visit, resp *fetch.Response) {
	if len(resp.Body) >= largePage {
		select {
		case v.Page = <-r.spare:
		default:
		}
	}
	r.parse(v, resp)
	v.Digest = digest(v.Page.Words, resp.Body)
	text := gate.Text{Words: v.Page.Words, Numerals: v.Page.Numerals, LinkText: v.Page.LinkText, Joined: v.Page.Joined, Pictures: v.Page.Pictures, Instead: v.Page.Instead, Canonical: v.Page.Canonical, NoIndex: v.Page.NoIndex}
	v.sample = r.sampler.Page(&v.Task, v.Status, text, v.Digest, v.sample)
}

// parse reads the page. A page that makes the parser panic is that page's error and
// must not end the crawl.
func (r *reader) parse(v *Visit, resp *fetch.Response) {
	defer func() {
		if p := recover(); p != nil {
			v.Page.Reset()
			v.ParseErr = fmt.Errorf("parsing panicked: %v", p)
			r.parser = parse.New(r.cfg.Parse)
		}
	}()
	v.ParseErr = r.parser.Parse(parse.Input{
		URL:         v.URL,
		ContentType: resp.ContentType,
		RobotsTag:   resp.Header["X-Robots-Tag"],
		Link:        resp.Header["Link"],
		Body:        resp.Body,
		Sitemap:     v.Sitemap,
	}, &v.Page)
}
