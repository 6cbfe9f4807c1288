package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"crawler/weburl"
)

// library is a Getter that is no Client: it hands out the same Responses to
// everybody.
type library map[string]*Response

var errNotThere = errors.New("not in the library")

func (l library) Get(ctx context.Context, u weburl.URL) (*Response, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if res := l[u.String()]; res != nil {
		return res, nil
	}
	return nil, errNotThere
}

func TestRobotsOfAnotherGetter(t *testing.T) {
	const file = "user-agent: walker\ndisallow: /w\n\nuser-agent: crawler\ndisallow: /c\n\nuser-agent: *\ndisallow: /a\n"
	lib := library{
		"http://file.test/robots.txt":    {Status: 200, Body: []byte(file)},
		"http://moved.test/robots.txt":   {Status: 301, Location: "//file.test/robots.txt"},
		"http://missing.test/robots.txt": {Status: 404, Body: []byte(file)},
		"http://busy.test/robots.txt":    {Status: 503},
		"http://cut.test/robots.txt":     {Status: 200, Body: []byte(file[:strings.Index(file, "c\n\n")]), Truncated: true},
	}
	for _, x := range []struct {
		origin string
		cfg    RobotsConfig
		closed string // of /w, /c, /a and /
		source RobotsSource
		status string
		err    error
	}{
		{"http://file.test", RobotsConfig{}, "/c", RobotsGroup, "rules: group crawler", nil},
		{"http://file.test", RobotsConfig{Token: "walker"}, "/w", RobotsGroup, "rules: group walker", nil},
		{"http://file.test", RobotsConfig{Token: "other"}, "/a", RobotsGroup, "rules: group *", nil},
		{"http://file.test", RobotsConfig{MaxBytes: int64(strings.Index(file, "c\n\n"))}, "", RobotsGroup, "rules: group crawler", nil},
		{"http://file.test", RobotsConfig{MaxBytes: 10}, "", RobotsNoGroup, "allow-all: no group", nil},
		{"http://cut.test", RobotsConfig{}, "", RobotsGroup, "rules: group crawler", nil},
		{"http://moved.test", RobotsConfig{}, "/c", RobotsGroup, "rules: group crawler", nil},
		{"http://missing.test", RobotsConfig{}, "", RobotsMissing, "allow-all: 404", nil},
		{"http://busy.test", RobotsConfig{}, "/w /c /a /", RobotsUnreachable, "disallow-all: 503", nil},
		{"http://gone.test", RobotsConfig{}, "/w /c /a /", RobotsUnreachable, "disallow-all: unreachable", errNotThere},
	} {
		for range 2 { // the first has released what the second gets again
			rules, err := NewRobots(lib, x.cfg).Fetch(t.Context(), x.origin, nil)
			if err != nil {
				t.Fatal(err)
			}
			var closed []string
			for _, uri := range []string{"/w", "/c", "/a", "/"} {
				if !rules.Allowed(uri) {
					closed = append(closed, uri)
				}
			}
			if strings.Join(closed, " ") != x.closed || rules.Source() != x.source || rules.Status() != x.status || rules.Err() != x.err {
				t.Errorf("%s, %+v: closed %v, %s, %q, %v", x.origin, x.cfg, closed, rules.Source(), rules.Status(), rules.Err())
			}
		}
	}
	if string(lib["http://file.test/robots.txt"].Body) != file {
		t.Error("the Getter's Response was changed")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if rules, err := NewRobots(lib, RobotsConfig{}).Fetch(canceled, "http://file.test", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v, %v", rules, err)
	}
}

// wrapped is a Client that somebody looks through.
type wrapped struct{ Getter }

// Only of a Client itself Robots knows limits and user agent.
func TestRobotsOfAWrappedClient(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "user-agent: crawler\ndisallow: /c\nuser-agent: walker\ndisallow: /w\n")
	})
	c := newClient(t, Config{UserAgent: "walker/1", MaxBody: 40})
	for name, x := range map[string]struct {
		g      Getter
		closed string
	}{"Client": {c, "/w"}, "wrapped": {wrapped{c}, "/c"}} {
		rules, err := NewRobots(x.g, RobotsConfig{}).Fetch(t.Context(), base, nil)
		if err != nil || rules.Allowed("/w") != (x.closed != "/w") || rules.Allowed("/c") != (x.closed != "/c") {
			t.Errorf("%s: %v, %v", name, rules, err)
		}
	}
}

// RFC 9309, section 2.3.1: what an answer rests on, and it stays with the answer for
// one URL.
func TestRobotsSource(t *testing.T) {
	reply := func(status int, field, body string) string {
		return answer(t, fmt.Sprintf("HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n%s", status, field, len(body), body))
	}
	loop, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) })
	for name, x := range map[string]struct {
		origin string
		want   RobotsSource
	}{
		"own group":            {reply(200, "", "user-agent: crawler\ndisallow: /"), RobotsGroup},
		"group for all":        {reply(200, "", closedFile), RobotsGroup},
		"empty group":          {reply(200, "", "user-agent: *\n"), RobotsGroup},
		"another's group":      {reply(200, "", "user-agent: other\ndisallow: /"), RobotsNoGroup},
		"empty file":           {reply(200, "", ""), RobotsNoGroup},
		"400":                  {reply(400, "", ""), RobotsMissing},
		"404":                  {reply(404, "", closedFile), RobotsMissing},
		"499":                  {reply(499, "", ""), RobotsMissing},
		"429":                  {reply(429, "", ""), RobotsUnreachable},
		"500":                  {reply(500, "", closedFile), RobotsUnreachable},
		"999":                  {reply(999, "", ""), RobotsUnreachable},
		"too many redirects":   {loop, RobotsRedirects},
		"no target":            {reply(301, "", ""), RobotsRedirects},
		"target is no URL":     {reply(302, "Location: http://[::\r\n", ""), RobotsRedirects},
		"304":                  {reply(304, "", ""), RobotsRedirects},
		"redirect to a file":   {reply(302, "Location: "+reply(200, "", closedFile)+"/\r\n", ""), RobotsGroup},
		"redirect to no file":  {reply(302, "Location: "+reply(404, "", "")+"/\r\n", ""), RobotsMissing},
		"redirect to a corpse": {reply(302, "Location: http://"+closedPort(t)+"/\r\n", ""), RobotsUnreachable},
		"refused":              {"http://" + closedPort(t), RobotsUnreachable},
		"not HTTP":             {answer(t, "hello\r\n"), RobotsUnreachable},
		"cut short":            {answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+closedFile), RobotsUnreachable},
		"not an origin":        {"gopher://x", RobotsUnreachable},
	} {
		rules := fetchRules(t, Config{}, RobotsConfig{}, x.origin)
		for _, r := range []*Rules{rules, rules.For("/x"), rules.For("/y"), rules.For("/robots.txt")} {
			if r.Source() != x.want || r.Unreachable() != (x.want == RobotsUnreachable) {
				t.Errorf("%s: %q, unreachable=%v, want %q", name, r.Source(), r.Unreachable(), x.want)
			}
		}
		everything := x.want == RobotsNoGroup || x.want == RobotsMissing || x.want == RobotsRedirects
		if x.want != RobotsGroup && (rules.Allowed("/x") != everything || rules.For("/x").Allowed("/x") != everything) {
			t.Errorf("%s: allowed=%v", name, rules.Allowed("/x"))
		}
	}
}

// sightings writes down what each sees.
type sightings struct {
	seen []string
	kept []*Response
	keep bool
}

func (s *sightings) each(at weburl.URL, res *Response, err error) bool {
	line := at.Path()
	if res != nil {
		line += fmt.Sprintf(" %d %q", res.Status, res.Body)
		s.kept = append(s.kept, res)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		line += " " + string(e.Reason)
	}
	s.seen = append(s.seen, line)
	return s.keep
}

func TestRobotsEach(t *testing.T) {
	body := map[string]string{"/robots.txt": "one", "/2": "two", "/3": closedFile}
	next := map[string]string{"/robots.txt": "/2", "/2": "/3"}
	chain, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := next[r.URL.Path]; to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(302)
		}
		io.WriteString(w, body[r.URL.Path])
	})
	dead, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+closedPort(t)+"/")
		w.WriteHeader(307)
	})
	for name, x := range map[string]struct {
		origin string
		cfg    RobotsConfig
		seen   []string
		source RobotsSource
	}{
		"redirects":           {chain, RobotsConfig{}, []string{`/robots.txt 302 "one"`, `/2 302 "two"`, fmt.Sprintf("/3 200 %q", closedFile)}, RobotsGroup},
		"too many redirects":  {chain, RobotsConfig{MaxRedirects: 1}, []string{`/robots.txt 302 "one"`, `/2 302 "two"`}, RobotsRedirects},
		"a failing last hop":  {dead, RobotsConfig{}, []string{`/robots.txt 307 ""`, "/ connect"}, RobotsUnreachable},
		"a broken body":       {answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nuser"), RobotsConfig{}, []string{`/robots.txt 200 "user" body`}, RobotsUnreachable},
		"no file":             {answer(t, "HTTP/1.1 404 N\r\nContent-Length: 1\r\n\r\nx"), RobotsConfig{}, []string{`/robots.txt 404 "x"`}, RobotsMissing},
		"more than it reads":  {answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"), RobotsConfig{MaxBytes: 4}, []string{`/robots.txt 200 "1234"`}, RobotsNoGroup},
		"nothing is answered": {"http://" + closedPort(t), RobotsConfig{}, []string{"/robots.txt connect"}, RobotsUnreachable},
		"nothing is asked":    {"gopher://x", RobotsConfig{}, nil, RobotsUnreachable},
	} {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, keep=%v", name, keep), func(t *testing.T) {
				s := &sightings{keep: keep}
				robots := NewRobots(newClient(t, Config{}), x.cfg)
				for range 2 { // the second time the rules are at hand
					rules, err := robots.Fetch(t.Context(), x.origin, s.each)
					if err != nil || rules.Source() != x.source {
						t.Fatalf("%v, %v", rules, err)
					}
				}
				if !slices.Equal(s.seen, x.seen) {
					t.Errorf("saw %q, want %q", s.seen, x.seen)
				}
				for _, res := range s.kept {
					if released := res.buf == nil; released == keep {
						t.Errorf("%s: released=%v", res.URL, released)
					}
					if body := s.seen[slices.Index(s.kept, res)]; keep && !strings.Contains(body, fmt.Sprintf("%q", res.Body)) {
						t.Errorf("%s: the body has become %q", res.URL, res.Body)
					}
					res.Release()
				}
			})
		}
	}
}

// The rules and the next hop are read before each takes the Response away.
func TestRobotsEachMayTakeAtOnce(t *testing.T) {
	lib := library{
		"http://a.test/robots.txt": {Status: 301, Location: "/2"},
		"http://a.test/2":          {Status: 200, Body: []byte(closedFile)},
	}
	rules, err := NewRobots(lib, RobotsConfig{}).Fetch(t.Context(), "http://a.test", func(_ weburl.URL, res *Response, _ error) bool {
		clear(res.Body)
		*res = Response{}
		return true
	})
	if err != nil || rules.Source() != RobotsGroup || rules.Allowed("/x") {
		t.Errorf("%v, %v", rules, err)
	}
}

// Who shares a fetch does not see it; who takes it over from a canceled one does.
func TestRobotsEachIsOfWhoAsked(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		answers := make(chan string)
		web := &robotsWeb{answer: func(string) string { return <-answers }}
		robots := NewRobots(newClient(t, Config{DialContext: web.dial}), RobotsConfig{})
		impatient, cancel := context.WithCancel(t.Context())
		canceled := new(sightings)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := robots.Fetch(impatient, "http://a.test", canceled.each); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		synctest.Wait()
		all := make(chan *sightings)
		const waiters = 5
		for range waiters {
			go func() {
				s := new(sightings)
				if _, err := robots.Fetch(t.Context(), "http://a.test", s.each); err != nil {
					t.Error(err)
				}
				all <- s
			}()
		}
		synctest.Wait()
		cancel()
		<-done
		if got := strings.Join(canceled.seen, ","); got != "/robots.txt canceled" {
			t.Errorf("who was canceled saw %q", got)
		}
		answers <- withBody("lost")
		answers <- withBody(closedFile)
		var seen []string
		for range waiters {
			seen = append(seen, (<-all).seen...)
		}
		if want := fmt.Sprintf("/robots.txt 200 %q", closedFile); len(seen) != 1 || seen[0] != want {
			t.Errorf("%d callers saw %q, want one %q", waiters, seen, want)
		}
	})
}
