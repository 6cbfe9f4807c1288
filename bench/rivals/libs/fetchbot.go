package main

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/PuerkitoBio/fetchbot"
	"github.com/PuerkitoBio/goquery"
)

// spider is what fetchbot leaves to its user: what has been seen, and when to stop.
type spider struct {
	host string

	mu      sync.Mutex
	seen    map[string]bool // guarded by mu
	pending int             // pages sent and not handled yet; guarded by mu
}

// fetchbotFull follows example/full, without its HEAD request before each page: links
// by goquery, a map of URLs seen, robots.txt obeyed. fetchbot has one worker a host.
func fetchbotFull(seed *url.URL, connections int) error {
	s := &spider{host: seed.Host, seen: map[string]bool{seed.String(): true}, pending: 1}
	f := fetchbot.New(fetchbot.HandlerFunc(s.handle))
	f.CrawlDelay = 0
	f.HttpClient = &http.Client{Transport: transport(connections)}
	q := f.Start()
	if _, err := q.SendStringGet(seed.String()); err != nil {
		return err
	}
	q.Block()
	return nil
}

func (s *spider) handle(ctx *fetchbot.Context, res *http.Response, err error) {
	if err == nil {
		if doc, err := goquery.NewDocumentFromReader(res.Body); err == nil {
			s.follow(ctx, doc)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending--; s.pending == 0 {
		go ctx.Q.Close() // it waits for this handler
	}
}

func (s *spider) follow(ctx *fetchbot.Context, doc *goquery.Document) {
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		u, err := ctx.Cmd.URL().Parse(href)
		if err != nil || u.Host != s.host {
			return
		}
		u.Fragment = ""
		if name := u.String(); s.claim(name) {
			ctx.Q.SendStringGet(name) // fails only after Close, which waits for all claims
		}
	})
}

// claim reports whether the URL is new, and counts it as pending.
func (s *spider) claim(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[name] {
		return false
	}
	s.seen[name] = true
	s.pending++
	return true
}
