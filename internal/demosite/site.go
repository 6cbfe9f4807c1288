package demosite

import (
	"bytes"
	"compress/gzip"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// site is one host of the web. After New it is only read.
type site struct {
	host     string
	label    string // in the footer of every page
	seed     uint64
	r        *rand.Rand
	text     *writer
	pages    map[string]*page // by request URI
	ordinary []string         // URLs of plain pages, fit to be linked from anywhere
	robots   robots
	gzip     *gzip.Writer           // of answers, nil if none are compressed; used by New only
	chunked  bool                   // answers carry no Content-Length
	dynamic  func(uri string) *page // pages made on request, nil if none
}

// robots is the robots.txt of a site, as served and as meant: two statements
// of the same rules, so that tests can hold one against the other.
type robots struct {
	status    int
	body      string
	location  string // of a redirect
	forbidden func(uri string) bool
}

// page is one URL of a site and all it answers.
type page struct {
	status   int // 0: the connection is reset
	header   http.Header
	body     []byte
	zipped   []byte
	links    []link
	location string // where a redirect leads, resolved
	text     string // what a reader sees
	refusals []int  // the statuses of the first answers, each with Retry-After
	chunked  bool   // sent without Content-Length
	delay    time.Duration
	noindex  bool
	nofollow bool
}

// draft is what an HTML page is made from.
type draft struct {
	uri    string
	title  string
	style  style
	meta   string   // charset in a meta element; modern pages have utf-8
	mime   string   // Content-Type, "text/html; charset=utf-8" when empty
	encode encoding // UTF-8 when nil
	head   func(d *doc)
	nav    []ref
	body   func(d *doc)
}

// site makes a host. Its random numbers depend on the seed and its name only,
// so that a change to one site leaves the text of the others as it was.
func (w *Web) site(host, label string) *site {
	s := &site{host: host, label: label, seed: w.seed, pages: map[string]*page{}}
	s.robots = robots{status: http.StatusNotFound, body: "no robots.txt here\n", forbidden: nothing}
	s.r = s.random("")
	s.text = newWriter(s.r, w.words)
	w.sites[host] = s
	w.hosts = append(w.hosts, host)
	s.asset("/style.css", "text/css; charset=utf-8", "body { max-width: 40em; margin: auto }\n")
	return s
}

// random is a source of random numbers of the site's own for a purpose.
func (s *site) random(purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(s.host + "\x00" + purpose))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

func (s *site) url(uri string) string { return "http://" + s.host + uri }

// restrict serves a robots.txt; forbidden says what it means.
func (s *site) restrict(body string, forbidden func(uri string) bool) {
	s.robots = robots{status: http.StatusOK, body: body, forbidden: forbidden}
}

func nothing(string) bool { return false }

// publish makes a page and adds it to the site.
func (s *site) publish(dr draft) *page {
	p := s.render(dr)
	s.add(dr.uri, p)
	if !strings.Contains(dr.uri, "?") {
		s.ordinary = append(s.ordinary, s.url(dr.uri))
	}
	return p
}

// add puts a finished page in its place.
func (s *site) add(uri string, p *page) {
	if s.gzip != nil {
		p.zipped = compress(s.gzip, p.body)
	}
	s.pages[uri] = p
}

// render makes a page.
func (s *site) render(dr draft) *page {
	dr = dr.withDefaults()
	d := &doc{style: dr.style, base: mustParse(s.url(dr.uri))}
	d.begin(dr)
	dr.body(d)
	d.end(s.label)
	return s.answer(http.StatusOK, dr.mime, dr.encode(d.out.String()), d)
}

func (dr draft) withDefaults() draft {
	if dr.meta == "" && (dr.style == modern || dr.style == refs) {
		dr.meta = "utf-8"
	}
	if dr.mime == "" {
		dr.mime = "text/html; charset=utf-8"
	}
	if dr.encode == nil {
		dr.encode = encodeUTF8
	}
	return dr
}

// answer makes a page from bytes; d, if there is one, says what is in them.
func (s *site) answer(status int, mime string, body []byte, d *doc) *page {
	p := &page{status: status, header: http.Header{"Content-Type": {mime}}, body: body, chunked: s.chunked}
	if d != nil {
		p.links, p.text = d.links, d.text.String()
	}
	return p
}

// asset adds something that is no page: it has no words and no links.
func (s *site) asset(uri, mime, body string) *page {
	p := s.answer(http.StatusOK, mime, []byte(body), nil)
	s.add(uri, p)
	return p
}

// redirect adds a redirect to a location as written in the header.
func (s *site) redirect(uri string, status int, location string) {
	target, _ := resolve(mustParse(s.url(uri)), location)
	s.pages[uri] = &page{status: status, header: http.Header{"Location": {location}}, location: target}
}

// fail adds an error page. It has a few words and no links.
func (s *site) fail(uri string, status int) { s.add(uri, s.failure(status)) }

func (s *site) failure(status int) *page {
	d := &doc{base: mustParse(s.url("/"))}
	d.prologue()
	d.block("title", strconv.Itoa(status))
	d.block("h1", http.StatusText(status))
	return s.answer(status, "text/html; charset=utf-8", d.out.Bytes(), d)
}

// some draws n ordinary pages of this site, as links with invented texts of
// another site's writer.
func (s *site) some(by *writer, n int) []ref {
	refs := make([]ref, n)
	for i := range refs {
		refs[i] = ref{s.ordinary[by.r.IntN(len(s.ordinary))], by.title()}
	}
	return refs
}

// find returns the page at a request URI, a 404 if there is none.
func (s *site) find(uri string) *page {
	if p, ok := s.pages[uri]; ok {
		return p
	}
	if s.dynamic != nil {
		if p := s.dynamic(uri); p != nil {
			return p
		}
	}
	if p, ok := s.pages[untracked(uri)]; ok {
		return p
	}
	return s.failure(http.StatusNotFound)
}

// untracked drops the parameters that say where a reader came from.
func untracked(uri string) string {
	path, query, _ := strings.Cut(uri, "?")
	var kept []string
	for _, parameter := range strings.Split(query, "&") {
		if parameter != "" && !strings.HasPrefix(parameter, "utm_") {
			kept = append(kept, parameter)
		}
	}
	if len(kept) == 0 {
		return path
	}
	return path + "?" + strings.Join(kept, "&")
}

// page is robots.txt as an answer.
func (r robots) page() *page {
	p := &page{status: r.status, body: []byte(r.body), header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}}
	if r.location != "" {
		p.header.Set("Location", r.location)
	}
	return p
}

func compress(z *gzip.Writer, body []byte) []byte {
	var b bytes.Buffer
	z.Reset(&b)
	z.Write(body) // a bytes.Buffer takes everything
	z.Close()
	return b.Bytes()
}

// mustParse parses an address that this package wrote itself.
func mustParse(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic("demosite: " + err.Error())
	}
	return u
}
