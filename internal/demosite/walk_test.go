package demosite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/temoto/robotstxt"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// serve starts a web on loopback and returns a client whose dialer finds every
// host there and that follows no redirects.
func serve(t testing.TB, w *Web) *http.Client {
	srv := httptest.NewServer(w)
	t.Cleanup(srv.Close)
	address := srv.Listener.Addr().String()
	tr := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	t.Cleanup(tr.CloseIdleConnections)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: tr, CheckRedirect: stay}
}

// walked is what the walk saw of one URL.
type walked struct {
	status, answers     int
	mime, location      string
	body                []byte // as sent, but decompressed
	words, joined       []string
	noindex             bool
	follow, not, assets []string
}

// walker is a second opinion on the web: it knows nothing of how it is made,
// reads HTML with x/net/html and robots.txt with temoto/robotstxt.
type walker struct {
	t         *testing.T
	client    *http.Client
	hosts     []string
	robots    map[string]*robotstxt.RobotsData
	seen      map[string]*walked
	forbidden map[string]bool
	outside   map[string]bool
	nofollow  map[string]bool
	assets    map[string]bool
}

func walkAll(t *testing.T, w *Web) *walker {
	k := &walker{
		t: t, client: serve(t, w), hosts: w.Hosts(), robots: map[string]*robotstxt.RobotsData{},
		seen: map[string]*walked{}, forbidden: map[string]bool{}, outside: map[string]bool{},
		nofollow: map[string]bool{}, assets: map[string]bool{},
	}
	for queue := w.Seeds(); len(queue) > 0; queue = queue[1:] {
		queue = append(queue, k.visit(queue[0])...)
	}
	return k
}

// visit fetches a URL if it is new and allowed, and returns where it leads.
func (k *walker) visit(u string) []string {
	parsed, err := url.Parse(u)
	if err != nil {
		k.t.Fatal(err)
	}
	switch {
	case k.seen[u] != nil:
		return nil
	case !slices.Contains(k.hosts, parsed.Host):
		k.outside[u] = true
		return nil
	case !k.robotsOf(parsed.Host).TestAgent(parsed.RequestURI(), "tester"):
		k.forbidden[u] = true
		return nil
	}
	p := k.get(parsed)
	k.seen[u] = p
	if p.location != "" {
		p.follow = append(p.follow, p.location)
	}
	for _, n := range p.not {
		k.nofollow[n] = true
	}
	for _, a := range p.assets {
		k.assets[a] = true
	}
	return p.follow
}

func (k *walker) robotsOf(host string) *robotstxt.RobotsData {
	if r, ok := k.robots[host]; ok {
		return r
	}
	at := "http://" + host + "/robots.txt"
	for range 5 {
		resp, err := k.client.Get(at)
		if err != nil {
			k.t.Fatal(err)
		}
		next, _ := resp.Location()
		if next == nil {
			r, err := robotstxt.FromResponse(resp)
			resp.Body.Close()
			if err != nil {
				k.t.Fatalf("%s: %v", at, err)
			}
			k.robots[host] = r
			return r
		}
		resp.Body.Close()
		at = next.String()
	}
	k.t.Fatalf("%s: too many redirects", at)
	return nil
}

// get fetches a page, again at once as long as it says "later".
func (k *walker) get(u *url.URL) *walked {
	for n := 1; ; n++ {
		resp, err := k.client.Get(u.String())
		if err != nil {
			return &walked{answers: n}
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			k.t.Fatalf("%s: %v", u, err)
		}
		if resp.Header.Get("Retry-After") == "" || n > 5 {
			return read(u, resp, body, n)
		}
	}
}

// read notes what a response holds.
func read(u *url.URL, resp *http.Response, body []byte, answers int) *walked {
	p := &walked{status: resp.StatusCode, answers: answers, body: body}
	p.mime, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	if to, err := resp.Location(); err == nil {
		p.location, _ = canonical(u, to.String())
	}
	switch p.mime {
	case "text/html", "application/xhtml+xml":
		header := strings.Join(resp.Header.Values("X-Robots-Tag"), ",")
		p.readHTML(u, body, resp.Header.Get("Content-Type"), header)
	case "text/plain":
		p.words = runs(string(body))
		p.joined = p.words
	}
	return p
}

// runs are the words of a text, said in another way than the package says it.
func runs(text string) []string {
	return strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return ' '
	}, text))
}

func (p *walked) readHTML(u *url.URL, body []byte, contentType, robots string) {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		panic(err)
	}
	root, err := html.Parse(r)
	if err != nil {
		panic(err)
	}
	v := visitor{page: p, base: u, robots: robots}
	v.visit(root)
	p.words = runs(strings.Join(v.texts, "\x00"))
	p.joined = runs(strings.Join(v.texts, ""))
	p.noindex = strings.Contains(v.robots, "noindex")
	if strings.Contains(v.robots, "nofollow") {
		p.follow, p.not = nil, append(p.not, p.follow...)
	}
}

// visitor walks an HTML tree.
type visitor struct {
	page   *walked
	base   *url.URL
	robots string
	texts  []string
}

func (v *visitor) visit(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		v.texts = append(v.texts, n.Data)
	case html.ElementNode:
		switch n.Data {
		case "script", "style", "template", "noscript":
			return
		}
		v.element(n.Data, attributes(n))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		v.visit(c)
	}
}

func attributes(n *html.Node) map[string]string {
	m := map[string]string{}
	for _, a := range n.Attr {
		m[a.Key] = a.Val
	}
	return m
}

func (v *visitor) element(name string, attr map[string]string) {
	switch name {
	case "a", "area":
		v.link(attr["href"], &v.page.follow, strings.Contains(strings.ToLower(attr["rel"]), "nofollow"))
	case "frame", "iframe":
		v.link(attr["src"], &v.page.follow, false)
	case "img", "script":
		v.link(attr["src"], &v.page.assets, false)
	case "link":
		to := &v.page.follow
		if attr["rel"] == "stylesheet" {
			to = &v.page.assets
		}
		v.link(attr["href"], to, false)
	case "base":
		v.base, _ = v.base.Parse(attr["href"])
	case "meta":
		v.meta(attr)
	}
}

func (v *visitor) meta(attr map[string]string) {
	if strings.EqualFold(attr["name"], "robots") {
		v.robots += "," + attr["content"]
	}
	if strings.EqualFold(attr["http-equiv"], "refresh") {
		_, to, _ := strings.Cut(attr["content"], "url=")
		v.link(to, &v.page.follow, false)
	}
}

func (v *visitor) link(href string, to *[]string, nofollow bool) {
	u, err := canonical(v.base, href)
	if err != nil {
		return
	}
	if nofollow {
		to = &v.page.not
	}
	*to = append(*to, u)
}

var errNotWeb = errors.New("no web address")

func canonical(base *url.URL, href string) (string, error) {
	u, err := base.Parse(href)
	if err != nil {
		return "", err
	}
	if u.Scheme != "http" {
		return "", errNotWeb
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil || port != "80" {
		host = u.Host
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return "http://" + strings.ToLower(host) + path, nil
}
