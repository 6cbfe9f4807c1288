package crawl

import (
	"fmt"
	"runtime"

	"crawler/fetch"
	"crawler/gate"
	"crawler/parse"
)

// reader reads pages: it owns a parser and a sampler, and what they keep from page to page.
type reader struct {
	cfg     *Config
	parser  *parse.Parser
	sampler *gate.Sampler
}

// newReaders returns the readers that the workers share: one more than there are processors.
// Reading keeps a processor busy, so with more of them no page would be read sooner; but each
// page that is half read has memory of its own, which for one with a hundred thousand links is
// some ten times its body.
func newReaders(cfg *Config) chan *reader {
	n := min(cfg.Workers, runtime.GOMAXPROCS(0)+1)
	readers := make(chan *reader, n)
	for range n {
		readers <- &reader{cfg, parse.New(cfg.Parse), cfg.Gate.NewSampler()}
	}
	return readers
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
