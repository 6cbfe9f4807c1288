package crawl_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/gate"
)

// redirection is one answer to http://a.example/d/from and what must come of it: the page it
// leads to, the reason why its target is not fetched, or neither.
type redirection struct {
	name, location string
	status         int // 0 means 302
	page           string
	reason         gate.Reason
	nowhere        bool // it leads to no URL
}

const (
	pageA = "a.example/d/page"
	pageB = "b.example/page"
)

var redirections = []redirection{
	{name: "absolute", location: "http://b.example/page", page: pageB},
	{name: "absolute path", location: "/d/page", page: pageA},
	{name: "relative", location: "page", page: pageA},
	{name: "dot segments", location: "../../../d/./x/../page", page: pageA},
	{name: "without a scheme", location: "//b.example/page", page: pageB},
	{name: "backslashes", location: `\\b.example\page`, page: pageB},
	{name: "upper case", location: "HTTP://B.EXAMPLE/page", page: pageB},
	{name: "default port", location: "http://b.example:80/page", page: pageB},
	{name: "user and password", location: "http://user:secret@b.example/page", page: pageB},
	{name: "blanks around", location: " \t/d/page \t", page: pageA},
	{name: "a fragment", location: "/d/page#part", page: pageA},
	{name: "1000 bytes", location: "/long?" + strings.Repeat("x", 1000), page: "a.example/long?" + strings.Repeat("x", 1000)},
	{name: "301", location: "page", status: 301, page: pageA},
	{name: "303", location: "page", status: 303, page: pageA},
	{name: "307", location: "page", status: 307, page: pageA},
	{name: "308", location: "page", status: 308, page: pageA},
	{name: "300 is an answer", location: "page", status: 300, page: "a.example/d/from"},
	{name: "305 is an answer", location: "http://b.example/", status: 305, page: "a.example/d/from"},
	{name: "306 is an answer", location: "page", status: 306, page: "a.example/d/from"},
	{name: "304 is an answer", location: "page", status: 304, page: "a.example/d/from"},

	{name: "ftp", location: "ftp://a.example/page", nowhere: true},
	{name: "file", location: "file:///etc/passwd", nowhere: true},
	{name: "javascript", location: "javascript:location='/d/page'", nowhere: true},
	{name: "data", location: "data:text/html,<a href=http://b.example/page>", nowhere: true},
	{name: "gopher", location: "gopher://b.example:70/_GET", nowhere: true},
	{name: "view-source", location: "view-source:http://b.example/page", nowhere: true},
	{name: "ws", location: "ws://b.example/page", nowhere: true},
	{name: "about", location: "about:blank", nowhere: true},
	{name: "no Location", location: "", nowhere: true},
	{name: "blanks alone", location: "  ", nowhere: true},
	{name: "no host", location: "http://", nowhere: true},
	{name: "an open bracket", location: "http://[::1", nowhere: true},
	{name: "a blank in the host", location: "http://b example/page", nowhere: true},
	{name: "a percent sign in the host", location: "http://b%00.example/page", nowhere: true},
	{name: "port 65536", location: "http://b.example:65536/", nowhere: true},
	{name: "60,000 bytes", location: "/" + strings.Repeat("x", 60_000), nowhere: true},
	{name: "100,000 bytes", location: "/" + strings.Repeat("x", 100_000), reason: gate.Reason(fetch.ReasonHeader)},
	{name: "itself", location: "/d/from"},
	{name: "itself, a fragment", location: "#part"},
	{name: "itself, by dots", location: "./../d/from"},
	{name: "forbidden", location: "/private/x", reason: gate.Disallowed},
}

// Every Location leads to one page or to one reason, and costs no request beyond.
func TestRFC9110_15_4_Redirections(t *testing.T) {
	for _, r := range redirections {
		t.Run(r.name, func(t *testing.T) {
			from := &page{status: cmp.Or(r.status, 302), header: http.Header{"Location": {r.location}}}
			s := newSite(map[string]*page{"a.example/d/from": from, pageA: {}, pageB: {}, "a.example/private/x": {},
				"a.example/long?" + strings.Repeat("x", 1000): {},
				"a.example/robots.txt":                        {html: "User-agent: *\nDisallow: /private/\n", header: plainText}})
			n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Scope.Mode, c.Gate.Frontier.Retries = gate.ScopeAny, 2 }, "http://a.example/d/from")
			want := []string{"a.example/d/from"}
			var pages []string
			if r.page != "" {
				pages = append(pages, r.page)
			}
			if r.page != "" && r.page != want[0] {
				want = append(want, r.page)
			}
			if (r.reason == "") != (len(n.skips) == 0) || !slices.Equal(n.urls(), pages) {
				t.Fatalf("pages %v, skips %.300v; want %s %s alone", n.urls(), n.skips, r.page, r.reason)
			}
			if r.reason != "" && n.skips[0].Reason != r.reason {
				t.Errorf("skips %.300v, want %s", n.skips, r.reason)
			}
			hops := 1 // but for what is no redirect, or has too long a header
			if r.page == want[0] || r.reason == gate.Reason(fetch.ReasonHeader) {
				hops = 0
			}
			if len(n.hops) != hops {
				t.Errorf("%d redirects are recorded: %+v", len(n.hops), n.hops)
			}
			if target := n.target("http://a.example/d/from"); hops == 1 && strings.HasPrefix(target, "http://") == r.nowhere {
				t.Errorf("it leads to %q", target)
			}
			if got := s.requests(); !slices.Equal(got, want) {
				t.Errorf("asked for %.300v, want %.300v", got, want)
			}
		})
	}
}

// Chains end: after ten hops, where they began, and where they join a chain that is
// known; over hosts as on one, and whether or not each hop is a URL nobody has seen.
func TestRFC9110_15_4_ChainsEnd(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":     {links: []string{"/ping", "/to/0", "/endless?0", "/ten/1", "/join"}},
		"a.example/ping": {redirect: "http://b.example/pong"}, "b.example/pong": {redirect: "http://a.example/ping"},
		"a.example/join": {redirect: "/join2"}, "a.example/join2": {redirect: "/ten/1"}, "a.example/ten/11": {},
	})
	for i := range 50 {
		s.pages[fmt.Sprintf("a.example/endless?%d", i)] = &page{redirect: fmt.Sprintf("/endless?%d", i+1), status: 302 + i%2}
		s.pages[fmt.Sprintf("%c.example/to/%d", 'a'+i%3, i)] = &page{redirect: fmt.Sprintf("http://%c.example/to/%d", 'a'+(i+1)%3, i+1)}
	}
	for i := 1; i <= gate.MaxRedirects; i++ {
		s.pages[fmt.Sprintf("a.example/ten/%d", i)] = &page{redirect: fmt.Sprintf("/ten/%d", i+1)}
	}
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Scope.Mode = gate.ScopeAny }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/ten/11"}) {
		t.Errorf("pages %v, want the end of the chain of ten hops alone", got)
	}
	for _, url := range []string{"http://c.example/to/11", "http://a.example/endless?11"} {
		if got := n.reason(url); got != gate.RedirectLimit {
			t.Errorf("%s: %q, want %q", url, got, gate.RedirectLimit)
		}
	}
	if len(n.skips) != 2 || len(n.hops) != res.Redirects {
		t.Errorf("skips %v, %d of %d redirects are recorded", n.skips, len(n.hops), res.Redirects)
	}
	if got := n.target("http://a.example/join2"); got != "http://a.example/ten/1" {
		t.Errorf("the chain that joins another leads to %q", got)
	}
	asked := s.requests()
	if want := 1 + 2 + 11 + 11 + 11 + 2; len(asked) != want || res.EndedBy != crawl.Done {
		t.Errorf("ended by %s after %d requests, want %d: %v", res.EndedBy, len(asked), want, asked)
	}
}

// What a chain is too long for is fetched if a link leads straight to the chain's last hop, be it
// found before that hop or after it.
func TestLinkToTheLastHop(t *testing.T) {
	for walk := range 16 {
		s := newSite(map[string]*page{
			"a.example/": {links: []string{"/hop/0", "/walk/0"}}, "a.example/goal": {links: []string{"/beyond"}}, "a.example/beyond": {},
		})
		for i := range gate.MaxRedirects {
			s.pages[fmt.Sprintf("a.example/hop/%d", i)] = &page{redirect: fmt.Sprintf("/hop/%d", i+1)}
		}
		s.pages[fmt.Sprintf("a.example/hop/%d", gate.MaxRedirects)] = &page{redirect: "/goal"}
		for i := range walk {
			s.pages[fmt.Sprintf("a.example/walk/%d", i)] = &page{links: []string{fmt.Sprintf("/walk/%d", i+1)}}
		}
		s.pages[fmt.Sprintf("a.example/walk/%d", walk)] = &page{links: []string{fmt.Sprintf("/hop/%d", gate.MaxRedirects)}}
		n, _ := inBubble(t, s, nil, "http://a.example/")
		if len(n.pages) != 4+walk || len(n.skips) > 0 {
			t.Errorf("a walk of %d: pages %v, skips %v", walk, n.urls(), n.skips)
		}
	}
}

// A site that sends everybody to where they are until they show its cookie is asked
// once: a crawl asks for each URL once, and with a jar it has the cookie for the others.
func TestRFC6265_RedirectToItselfWithACookie(t *testing.T) {
	for _, jar := range []bool{false, true} {
		s := newSite(map[string]*page{
			"a.example/":      {links: []string{"/wall", "/next"}},
			"a.example/wall":  {redirect: "/wall", header: http.Header{"Set-Cookie": {"seen=1; Path=/"}}},
			"a.example/next":  {redirect: "/check?from=/next", header: http.Header{"Set-Cookie": {"seen=2; Path=/"}}},
			"a.example/check": {},
			// The check sends back to the page, which is the loop of a consent wall.
			"a.example/check?from=/next": {redirect: "/next"},
		})
		n, res := inBubble(t, s, func(c *crawl.Config) {
			if jar {
				c.Fetch.Jar, _ = cookiejar.New(nil)
			}
		}, "http://a.example/")
		if got := s.requests(); len(got) != 4 || res.Redirects != 3 {
			t.Errorf("jar %v: %d requests %v, %d redirects; want 4 and 3", jar, len(got), got, res.Redirects)
		}
		for u, to := range map[string]string{"/wall": "/wall", "/check?from=/next": "/next"} {
			if got := n.target("http://a.example" + u); got != "http://a.example"+to || len(n.skips) != 0 {
				t.Errorf("jar %v: %s leads to %q; skips %v", jar, u, got, n.skips)
			}
		}
	}
}

// The rules of a redirect's target are those of its own host, read before it is asked,
// and its own clock counts.
func TestRFC9309_2_3_EachHopIsJudgedByItsOwnRobots(t *testing.T) {
	disallow := &page{html: "User-agent: *\nDisallow: /secret\nCrawl-delay: 5\n", header: plainText}
	s := newSite(map[string]*page{
		"a.example/": {links: []string{"/1", "/2", "/3"}}, "a.example/1": {redirect: "http://b.example/secret"},
		"a.example/2": {redirect: "http://c.example/hop"}, "a.example/3": {redirect: "http://b.example/open"},
		"b.example/robots.txt": disallow, "b.example/secret": {}, "b.example/open": {},
		"c.example/hop": {redirect: "http://b.example/secret/2"}, "b.example/secret/2": {},
	})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Scope.Mode = gate.ScopeAny }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "b.example/open"}) {
		t.Errorf("pages %v", got)
	}
	for _, u := range []string{"http://b.example/secret", "http://b.example/secret/2"} {
		if r := n.reason(u); r != gate.Disallowed {
			t.Errorf("%s: %q, want %q; skips %v", u, r, gate.Disallowed, n.skips)
		}
	}
	var first, open int
	for i, h := range s.hits {
		switch {
		case strings.HasPrefix(h.url, "b.example/secret"):
			t.Errorf("%s was asked for", h.url)
		case h.url == "b.example/robots.txt":
			first = i
		case h.url == "b.example/open":
			open = i
		}
	}
	if first == 0 || open < first {
		t.Fatalf("robots.txt is request %d, the page %d", first, open)
	}
}
