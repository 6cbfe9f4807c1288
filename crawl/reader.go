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
}

// readers are those that the workers share: as many as there are processors, and one more for pages
// of usual size alone, which so need not wait for large ones. Reading keeps a processor busy, so
// with more of them no page would be read sooner; but each page that is half read has memory of its
// own, which for one with a hundred thousand links is some ten times its body.
type readers struct{ all, small chan *reader }

func newReaders(cfg *Config) readers {
	n := min(cfg.Workers, runtime.GOMAXPROCS(0))
	rs := readers{make(chan *reader, n), make(chan *reader, 1)}
	for range n {
		rs.all <- newReader(cfg)
	}
	rs.small <- newReader(cfg)
	return rs
}

func newReader(cfg *Config) *reader {
	return &reader{cfg, parse.New(cfg.Parse), cfg.Gate.NewSampler()}
}

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
	r.parse(v, resp)
	v.Digest = digest(v.Page.Words, resp.Body)
	v.sample = r.sampler.Page(&v.Task, v.Status, v.Page.Words, v.Digest, v.sample)
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
