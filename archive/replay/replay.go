// Package replay serves what an archive has to a browser on the same machine: each answer under an
// address of its own, /TOKEN/r/URL, with the links in HTML and CSS rewritten to such addresses.
//
// What stands in an archive was written by strangers. So the address has a token that they do not
// know, a request that names another host is refused (that is how a page elsewhere would reach it
// by DNS), no header of theirs is passed on but the type and the place of a redirect, and a
// Content-Security-Policy puts each document into a sandbox with an origin of its own, from which
// nothing is reached but this archive. Scripts do not run, unless Config.Scripts allows it; then
// they run in a frame alone, whose navigation the page around it holds in the archive, too.
//
// Links that scripts make are not rewritten: they lead nowhere. Who wants these has the archive
// packed as WACZ and opened by ReplayWeb.page, whose licence (AGPL) does not allow to ship it
// within this program on the terms of ours.
package replay

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"crawler/archive"
	"crawler/chunk"
	"crawler/weburl"
)

// Config says what is served.
type Config struct {
	Dirs    []string // of the archives
	Address string   // host and port by which the browser asks, "127.0.0.1:8080"
	Scripts bool     // let the archive's scripts run
}

// Replay is the handler. Make it with New.
type Replay struct {
	cfg   Config
	token string
	busy  chan struct{} // one for each request at work

	chunks, read, whole atomic.Int64
}

// maxBusy is how many requests are answered at once; others wait.
const maxBusy = 4

// New returns a handler with a token of 128 random bits.
func New(cfg Config) *Replay {
	var token [16]byte
	rand.Read(token[:]) // which never fails
	return &Replay{cfg: cfg, token: hex.EncodeToString(token[:]), busy: make(chan struct{}, maxBusy)}
}

// Home is the address of the first page.
func (r *Replay) Home() string { return "http://" + r.cfg.Address + "/" + r.token + "/" }

// Cost says how many chunks were read of how many, for all requests so far.
func (r *Replay) Cost() string {
	return chunk.Cost{Chunks: int(r.chunks.Load()), Read: int(r.read.Load()), Whole: r.whole.Load()}.String()
}

// ServeHTTP answers a request.
func (r *Replay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if req.Host != r.cfg.Address {
		http.Error(w, "this host is not served here", http.StatusMisdirectedRequest)
		return
	}
	rest, ok := strings.CutPrefix(req.RequestURI, "/")
	token, rest, slash := strings.Cut(rest, "/")
	if !ok || !slash || subtle.ConstantTimeCompare([]byte(token), []byte(r.token)) != 1 {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-req.Context().Done():
		return
	}
	kind, address, _ := strings.Cut(rest, "/")
	switch {
	case rest == "":
		r.home(w)
	case kind == "r":
		r.page(w, req, address)
	case kind == "v" && r.cfg.Scripts:
		r.frame(w, address)
	default:
		http.Error(w, "not found", http.StatusNotFound)
	}
}

// errEnough ends the list of pages.
var errEnough = errors.New("enough")

// listed is how many pages the first page has.
const listed = 500

// homePage takes " of more", what addresses begin with, and the list.
const homePage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Archive</title>
<main><h1>Archive</h1><p>The first pages%s; any other URL of the archive stands behind <code>%s</code>.</p>
<ul>%s</ul></main></html>`

// home lists the first pages.
func (r *Replay) home(w http.ResponseWriter) {
	prefix := "/" + r.token + "/r/"
	if r.cfg.Scripts {
		prefix = "/" + r.token + "/v/"
	}
	var list strings.Builder
	pages, more := 0, ""
	out, err := archive.List(r.cfg.Dirs, func(e archive.Entry) error {
		if e.Status != 200 || e.Media != "text/html" && e.Media != "application/xhtml+xml" {
			return nil
		}
		if pages == listed {
			more = " of more"
			return errEnough
		}
		pages++
		fmt.Fprintf(&list, `<li><a href="%s">%s</a> %s</li>`, html.EscapeString(prefix+e.URL), html.EscapeString(e.URL), html.EscapeString(e.Date))
		return nil
	})
	r.count(out)
	if err != nil && !errors.Is(err, errEnough) {
		http.Error(w, "the archive cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	fmt.Fprintf(w, homePage, more, html.EscapeString(prefix), list.String())
}

// count adds what a request has read.
func (r *Replay) count(out archive.Readout) {
	r.chunks.Add(int64(out.Chunks))
	r.read.Add(int64(out.Read))
	r.whole.Add(out.Whole)
}

// framePage takes an address. (html/template would add 5 MB to the program.)
const framePage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Archive</title>
<style>html,body,iframe{margin:0;border:0;width:100%%;height:100%%}</style>
<iframe title="the archived page" sandbox="allow-scripts" src="%s"></iframe></html>`

// frame is a page around an archived one whose scripts run: it lets the frame go nowhere else.
func (r *Replay) frame(w http.ResponseWriter, address string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'; frame-src "+r.prefix())
	fmt.Fprintf(w, framePage, html.EscapeString("/"+r.token+"/r/"+address))
}

// prefix is what the addresses of archived answers begin with.
func (r *Replay) prefix() string { return r.Home() + "r/" }

// policy is the Content-Security-Policy of an archived answer.
func (r *Replay) policy(scripts bool) string {
	from := r.prefix()
	text := "default-src " + from + " data: blob: 'unsafe-inline'; base-uri 'none'; form-action 'none'; webrtc 'block'; object-src 'none'; "
	if scripts {
		return text + "script-src " + from + " 'unsafe-inline' 'unsafe-eval'; sandbox allow-scripts"
	}
	return text + "script-src 'none'; sandbox"
}

// page answers with what the archive has of a URL.
func (r *Replay) page(w http.ResponseWriter, req *http.Request, address string) {
	u, err := weburl.Parse(address)
	if err != nil {
		http.Error(w, "no http or https URL", http.StatusBadRequest)
		return
	}
	place, out, err := archive.Find(r.cfg.Dirs, u.String())
	r.count(out)
	switch {
	case errors.Is(err, archive.ErrNone):
		http.Error(w, u.String()+" is not in the archive", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "the archive cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	begun := false
	more, err := archive.Answer(r.cfg.Dirs, place, func(_ *archive.Place, m *archive.Message) error {
		begun = true
		// Scripts run in a frame, and where the browser does not say that it is one they do not.
		scripts := r.cfg.Scripts && req.Header.Get("Sec-Fetch-Dest") != "document" && req.Header.Get("Sec-Fetch-Dest") != ""
		w.Header().Set("Content-Security-Policy", r.policy(scripts))
		return r.answer(w, u, m)
	})
	r.count(more)
	if err != nil && !begun {
		http.Error(w, "the archive cannot be read: "+err.Error(), http.StatusInternalServerError)
	}
}

// answer passes an archived answer on.
func (r *Replay) answer(w http.ResponseWriter, u weburl.URL, m *archive.Message) error {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "null") // the sandbox's own, which fonts need
	rw := newRewriter("/"+r.token+"/r/", u.String())
	if to := m.Header.Get("Location"); to != "" && m.Status/100 == 3 {
		h.Set("Location", rw.link(to))
		w.WriteHeader(http.StatusFound)
		return nil
	}
	if t := m.Header.Get("Content-Type"); t != "" {
		h.Set("Content-Type", t)
	}
	status := m.Status
	if status < 200 || status == http.StatusNotModified || status/100 == 3 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	switch kindOf(m.Header.Get("Content-Type")) {
	case isHTML:
		return rw.html(w, m.Body)
	case isCSS:
		return rw.css(w, m.Body)
	}
	_, err := io.Copy(w, m.Body)
	return err
}

// Loopback returns an error unless an address to listen at is of this machine alone.
func Loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is no loopback address", address)
	}
	return nil
}
