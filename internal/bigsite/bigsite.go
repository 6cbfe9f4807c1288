// Package bigsite is a web site of any size for measurements and for tests that kill
// the crawler: every answer is made from the request and a seed, nothing is stored.
//
// The pages are a tree with Branch children a page, so that each can be reached from
// "/", plus Links links to other pages, of which a few have most of the in-links. With
// Trouble there is what a crawl has to decide about: redirects, missing pages, pages
// that robots.txt, nofollow or the scope closes, and texts that stand under several
// URLs. What a complete crawl records does not depend on the order in which it fetches:
// All lists it.
//
// With Docs the pages are like those of real documentation instead, for races between
// crawlers: navigation, headings, paragraphs with inline markup, lists, tables, listings,
// comments, a script, and links written in every way; Style has other kinds of text. They have
// no Trouble. With Hosts they are shared out among several hosts, each with a "/" of its own.
//
// A page costs a few microseconds. A Site is only read after New, so any number of
// goroutines may ask it.
package bigsite

import (
	"bytes"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// Config says how large a site is. Two sites of one Config are the same.
type Config struct {
	Seed    uint64
	Pages   int  // pages of the tree, "/" included; at least 1
	Branch  int  // children of a page; 0 means 4
	Links   int  // links of a page to other pages of the tree
	Text    int  // most bytes of text a page, the least is a sixth of it; 0 means 9 KiB
	Trouble bool // redirects, missing and forbidden pages, repeated texts

	// Docs is the mean size in bytes of pages that are like documentation, which vary
	// from half to one and a half of it; a page whose links need more has more. 0 means
	// plain pages. Then there is no Text; links to the parts of a page and to the pages
	// before, after and above come on top of Branch and Links.
	Docs int

	// Style is what the text of Docs is like.
	Style Style

	// Gzip has pages compressed for those who accept it. TLS says that the site is served by
	// https, which absolute links name then.
	Gzip, TLS bool

	// Hosts are the authorities that share the pages of Docs in turn, such as
	// "127.0.0.1:8080"; page n is on host n modulo their number. Links to another host
	// are absolute, and so are some to the own one. A request that names none of them
	// gets 404; the port may be missing. None means a single host of any name, with relative
	// links only.
	Hosts []string
}

// Style is a kind of text.
type Style uint8

const (
	// Manual has prose with inline markup, lists, tables and listings.
	Manual Style = iota
	// Reference has nested lists, signatures, highlighted code, and an anchor for each entry.
	Reference
	// Dense is prose alone, drawn word by word, as Zipf's law has it, from 50,000 words.
	Dense
)

const (
	maxPages = 1 << 27 // keeps the numbers of pages, children and kinds of URLs within 31 bits
	maxDocs  = 1 << 20 // bytes of a page
)

// Site is an http.Handler.
type Site struct {
	Config
	sentences [][]byte           // of plain pages
	docs      func() *phrasebook // of Docs, made at the first page
	words     func() *lexicon    // of Dense, made at the first page
	hostOf    map[string]int     // by name, with and without port: its index in Hosts
	buffers   sync.Pool          // of *[]byte, for pages in the making
	deflaters sync.Pool          // of *gzip.Writer
}

// New makes a site. It fails on a Config out of its limits.
func New(cfg Config) (*Site, error) {
	if cfg.Branch == 0 {
		cfg.Branch = 4
	}
	if cfg.Text == 0 {
		cfg.Text = 9 << 10
	}
	if cfg.Pages < 1 || cfg.Pages > maxPages || cfg.Branch < 1 || cfg.Links < 0 || cfg.Text < 0 {
		return nil, fmt.Errorf("bigsite: %d pages, %d children, %d links, %d bytes of text: want 1 to %d pages and nothing negative",
			cfg.Pages, cfg.Branch, cfg.Links, cfg.Text, maxPages)
	}
	if cfg.Docs < 0 || cfg.Docs > maxDocs || cfg.Docs > 0 && cfg.Trouble || cfg.Docs == 0 && cfg.Hosts != nil || cfg.Style > Dense {
		return nil, fmt.Errorf("bigsite: pages of %d bytes, trouble %t, hosts %q: want 0 to %d bytes, no trouble with Docs, no hosts without it",
			cfg.Docs, cfg.Trouble, cfg.Hosts, maxDocs)
	}
	s := &Site{Config: cfg, buffers: sync.Pool{New: func() any { return new([]byte) }}}
	s.deflaters.New = func() any {
		w, err := gzip.NewWriterLevel(nil, gzipLevel)
		if err != nil {
			panic("bigsite: level of gzip: " + err.Error())
		}
		return w
	}
	if err := s.indexHosts(); err != nil {
		return nil, err
	}
	if cfg.Docs > 0 {
		s.docs = sync.OnceValue(func() *phrasebook { return newPhrasebook(cfg.Style) })
		s.words = sync.OnceValue(newLexicon)
	} else {
		s.sentences = newSentences()
	}
	return s, nil
}

// kind is what answers at a URL.
type kind uint8

const (
	tree    kind = iota // a page
	moved               // redirects to a page of the tree, which no link names directly
	gone                // 404
	home                // redirects to "/", which every crawl has seen
	hidden              // a page behind nofollow links
	private             // a page that robots.txt forbids
	kinds
)

// prefixes of the paths by kind; those of the tree have directories of 1,000 pages.
var prefixes = [kinds]string{tree: "/s", moved: "/old/p", gone: "/gone/p", home: "/home/p", hidden: "/hidden/p", private: "/private/p"}

const directory = 1000

// appendPath appends the path of a page's URL of a kind.
func appendPath(b []byte, k kind, page int) []byte {
	if k == tree && page == 0 {
		return append(b, '/')
	}
	b = append(b, prefixes[k]...)
	if k == tree {
		b = strconv.AppendInt(b, int64(page/directory), 10)
		b = append(b, "/p"...)
	}
	return strconv.AppendInt(b, int64(page), 10)
}

// find is the inverse of appendPath; ok is false where nothing is.
func (s *Site) find(path string) (k kind, page int, ok bool) {
	if path == "/" {
		return tree, 0, true
	}
	for k := range kinds {
		rest, is := strings.CutPrefix(path, prefixes[k])
		if !is {
			continue
		}
		if k == tree {
			_, rest, _ = strings.Cut(rest, "/p")
		}
		page, err := strconv.Atoi(rest)
		if err != nil || page < 0 || page >= s.Pages || string(appendPath(nil, k, page)) != path {
			return 0, 0, false
		}
		return k, page, true
	}
	return 0, 0, false
}

// All lists what a complete crawl of the tree records as pages: the path under which
// links name it, with Hosts the whole URL, and its status.
func (s *Site) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for page := range s.Pages {
			if !yield(string(s.appendURL(nil, page)), http.StatusOK) {
				return
			}
			if s.trouble(page) == gone && !yield(string(appendPath(nil, gone, page)), http.StatusNotFound) {
				return
			}
		}
	}
}

const robots = "User-agent: *\nDisallow: /private/\n"

var (
	html = []string{"text/html; charset=utf-8"}
	text = []string{"text/plain; charset=utf-8"}
	css  = []string{"text/css"}

	gzipped = []string{"gzip"}
)

// gzipLevel is about as thorough as servers are on the fly.
const gzipLevel = 3

// compress replaces a page by its compressed form.
func (s *Site) compress(page *[]byte) {
	to := s.buffers.Get().(*[]byte)
	packed := bytes.NewBuffer((*to)[:0])
	w := s.deflaters.Get().(*gzip.Writer)
	w.Reset(packed)
	w.Write(*page)
	w.Close()
	s.deflaters.Put(w)
	*to = packed.Bytes()
	*page, *to = *to, *page
	s.buffers.Put(to)
}

// ServeHTTP answers with a page, a redirect, robots.txt or 404.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.URL.Path == "/robots.txt" {
		h["Content-Type"] = text
		w.Write([]byte(robots))
		return
	}
	k, page, ok := s.locate(r)
	switch {
	case s.Docs > 0 && r.URL.Path == stylePath:
		h["Content-Type"] = css
		w.Write([]byte(style))
	case !ok || k == gone:
		http.NotFound(w, r)
	case k == home:
		redirect(h, w, "/")
	case k == moved:
		redirect(h, w, string(appendPath(nil, tree, page)))
	default:
		buf := s.buffers.Get().(*[]byte)
		if s.Docs > 0 {
			*buf = s.appendDocs((*buf)[:0], page)
		} else {
			*buf = s.appendPage((*buf)[:0], page)
		}
		h["Content-Type"] = html
		if s.Gzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			s.compress(buf)
			h["Content-Encoding"] = gzipped
		}
		h["Content-Length"] = []string{strconv.Itoa(len(*buf))}
		w.Write(*buf)
		s.buffers.Put(buf)
	}
}

func redirect(h http.Header, w http.ResponseWriter, to string) {
	h["Location"] = []string{to}
	w.WriteHeader(http.StatusMovedPermanently)
}
