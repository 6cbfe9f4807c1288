package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fetchRules fetches an origin's rules with a fresh cache.
func fetchRules(t testing.TB, cfg Config, rcfg RobotsConfig, origin string) *Rules {
	t.Helper()
	rules, err := NewRobots(newClient(t, cfg), rcfg).Fetch(t.Context(), origin, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

const closedFile = "user-agent: *\ndisallow: /x\n"

// How the answer to the request for robots.txt decides: RFC 9309, section 2.3.1.
func TestRobotsStatus(t *testing.T) {
	for _, x := range []struct {
		status  int
		x, y    bool // whether /x and /y are allowed
		summary string
	}{
		{200, false, true, "rules: group *"},
		{203, false, true, "rules: group *"},
		{204, true, true, "allow-all: no group"},
		{300, true, true, "allow-all: redirect without a usable target"},
		{301, true, true, "allow-all: redirect without a usable target"},
		{304, true, true, "allow-all: redirect without a usable target"},
		{400, true, true, "allow-all: 400"},
		{401, true, true, "allow-all: 401"},
		{403, true, true, "allow-all: 403"},
		{404, true, true, "allow-all: 404"},
		{410, true, true, "allow-all: 410"},
		{429, false, false, "disallow-all: 429"},
		{499, true, true, "allow-all: 499"},
		{500, false, false, "disallow-all: 500"},
		{503, false, false, "disallow-all: 503"},
		{599, false, false, "disallow-all: 599"},
		{600, false, false, "disallow-all: 600"},
		{999, false, false, "disallow-all: 999"},
	} {
		t.Run(fmt.Sprintf("2.3.1 status %d", x.status), func(t *testing.T) {
			base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/robots.txt" {
					t.Errorf("asked for %s", r.URL)
				}
				w.WriteHeader(x.status)
				if x.status != 204 && x.status != 304 {
					io.WriteString(w, closedFile)
				}
			})
			r := fetchRules(t, Config{}, RobotsConfig{}, base)
			if r.Allowed("/x") != x.x || r.Allowed("/y") != x.y || r.Status() != x.summary {
				t.Errorf("/x %v, /y %v, %q; want %v, %v, %q", r.Allowed("/x"), r.Allowed("/y"), r.Status(), x.x, x.y, x.summary)
			}
			if r.Unreachable() != !x.y || !r.Allowed("/robots.txt") {
				t.Errorf("Unreachable %v, robots.txt allowed: %v", r.Unreachable(), r.Allowed("/robots.txt"))
			}
			if r.Err() != nil {
				t.Errorf("an answer of %d is no error: %v", x.status, r.Err())
			}
		})
	}
}

func TestRobotsUnreachable(t *testing.T) {
	for name, x := range map[string]struct{ origin, summary string }{
		"refused":         {"http://" + closedPort(t), "disallow-all: unreachable (connect)"},
		"closed":          {answer(t, ""), "disallow-all: unreachable (reset)"},
		"not HTTP":        {answer(t, "hello\r\n"), "disallow-all: unreachable (protocol)"},
		"cut short":       {answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nuser-agent: *"), "disallow-all: unreachable (body)"},
		"not gzip":        {strings.TrimSuffix(serveCoded(t, []byte("x"), "gzip"), "/"), "disallow-all: unreachable (decode)"},
		"not an origin":   {"gopher://x", "disallow-all: not an origin"},
		"nothing at all":  {"", "disallow-all: not an origin"},
		"bad certificate": {untrusted(t), "disallow-all: unreachable (tls)"},
	} {
		r := fetchRules(t, Config{}, RobotsConfig{}, x.origin)
		if r.Allowed("/") || !r.Unreachable() || r.Status() != x.summary {
			t.Errorf("%s: allowed=%v, %q", name, r.Allowed("/"), r.Status())
		}
		if reason := reasonOf(t, r.Err()); !strings.Contains(r.Status(), string(reason)) || (reason == "") != strings.HasSuffix(r.Status(), "not an origin") {
			t.Errorf("%s: Err is %v", name, r.Err())
		}
	}
}

func untrusted(t testing.TB) string {
	srv, _ := serveTLS(t, nil)
	return srv.URL
}

// Section 2.3.1.2: at least five redirects, over hosts too, and the rules are
// those of the host that was asked first.
func TestRobotsRedirects(t *testing.T) {
	var asked atomic.Int64
	hops := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			var i int
			fmt.Sscanf(r.URL.Path, "/%d", &i)
			if i < n {
				http.Redirect(w, r, fmt.Sprintf("/%d", i+1), 301+i)
				return
			}
			io.WriteString(w, closedFile)
		}
	}
	for _, x := range []struct {
		name      string
		hops, max int
		asked     int64
		allowed   bool
		summary   string
	}{
		{"none", 0, 0, 1, false, "rules: group *"},
		{"one", 1, 0, 2, false, "rules: group *"},
		{"five", 5, 0, 6, false, "rules: group *"},
		{"six", 6, 0, 6, true, "allow-all: too many redirects"},
		{"two of at most one", 2, 1, 2, true, "allow-all: too many redirects"},
		{"one of none", 1, -1, 1, true, "allow-all: too many redirects"},
	} {
		t.Run("2.3.1.2 "+x.name, func(t *testing.T) {
			asked.Store(0)
			base, _ := serve(t, hops(x.hops))
			r := fetchRules(t, Config{}, RobotsConfig{MaxRedirects: x.max}, base)
			if r.Allowed("/x") != x.allowed || r.Status() != x.summary || asked.Load() != x.asked {
				t.Errorf("allowed=%v, %q, %d requests", r.Allowed("/x"), r.Status(), asked.Load())
			}
		})
	}

	t.Run("2.3.1.2 other host", func(t *testing.T) {
		other, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, closedFile) })
		base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other+"/elsewhere.txt", http.StatusFound)
		})
		robots := NewRobots(newClient(t, Config{}), RobotsConfig{})
		rules, err := robots.Fetch(t.Context(), base, nil)
		if err != nil || rules.Allowed("/x") || !rules.Allowed("/y") {
			t.Errorf("%v, %v", rules, err)
		}
		if _, ok := robots.Lookup(other); ok {
			t.Error("the rules count for the other host too")
		}
	})
	for name, location := range map[string]string{
		"2.3.1.2 loop":              "/robots.txt",
		"2.3.1.2 to another scheme": "ftp://e.com/robots.txt",
		"2.3.1.2 to no URL":         "http://[::",
		"2.3.1.2 Location is empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Location"] = []string{location}
				w.WriteHeader(302)
			})
			if r := fetchRules(t, Config{}, RobotsConfig{}, base); !r.Allowed("/x") {
				t.Error(r.Status())
			}
		})
	}
	t.Run("2.3.1.2 to a dead host", func(t *testing.T) {
		base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+closedPort(t)+"/", http.StatusFound)
		})
		if r := fetchRules(t, Config{}, RobotsConfig{}, base); r.Allowed("/x") {
			t.Error(r.Status())
		}
	})
}

// Section 2.5: of a file that is too long the beginning counts, up to the last
// line that is whole, and no more than that is read.
func TestRobotsSize(t *testing.T) {
	var sent atomic.Int64
	line := "disallow: /0123456789\n"
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "user-agent: *\n")
		for sent.Store(0); sent.Load() < 100<<20; sent.Add(int64(len(line))) {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	})
	r := fetchRules(t, Config{}, RobotsConfig{MaxBytes: 14 + int64(len(line))*10 + 12}, base)
	if r.Allowed("/0123456789") || !r.Allowed("/x") || !r.Allowed("/") {
		t.Error("the cut line counts, or no line does")
	}
	if n := sent.Load(); n > 50<<20 {
		t.Errorf("the server could send %d bytes", n)
	}

	// At the default limit, the last rule is read when it just fits.
	rest := 500<<10 - len("user-agent: *\n") - len("disallow: /last\n")
	file := "user-agent: *\n" + strings.Repeat("#", rest-1) + "\ndisallow: /last\n"
	for name, x := range map[string]struct {
		file    string
		allowed bool
	}{
		"just fits":                 {file, false},
		"more follows":              {file + "disallow: /more\n", false},
		"one byte too long":         {"#" + file, true},
		"last line of two, cut":     {strings.Replace(file, "#\ndis", "##\ndis", 1), true},
		"one line, nothing is left": {strings.Repeat("user-agent: *", 100_000), true},
	} {
		base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, x.file) })
		r := fetchRules(t, Config{}, RobotsConfig{}, base)
		if r.Allowed("/last") != x.allowed || !r.Allowed("/more") {
			t.Errorf("%s: /last %v, /more %v", name, r.Allowed("/last"), r.Allowed("/more"))
		}
	}
}

// Section 2.3.1.5: what cannot be read is skipped, be it a picture, a program or a page.
func TestRFC9309_2_3_1_5_BinaryRobots(t *testing.T) {
	noise := make([]byte, 256<<10)
	for i := range noise {
		noise[i] = byte(i*i>>3 ^ i)
	}
	for name, file := range map[string]string{
		"noise":         string(noise),
		"NULs":          strings.Repeat("\x00", 100_000),
		"PNG":           "\x89PNG\r\n\x1a\n" + string(noise),
		"ELF":           "\x7fELF\x02\x01\x01" + string(noise),
		"page":          strings.Repeat(page, 10_000),
		"gzip, unasked": string(encode(t, codingGzip, []byte(closedFile))),
		"UTF-16":        "\xff\xfed\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00\n\x00",
	} {
		base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, file) })
		want := "allow-all: no group"
		if name == "page" {
			want = "allow-all: a page"
		}
		if r := fetchRules(t, Config{}, RobotsConfig{}, base); !r.Allowed("/x") || r.Status() != want {
			t.Errorf("%s: %s", name, r.Status())
		}
		base, _ = serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, closedFile+"\n"+file) })
		if r := fetchRules(t, Config{}, RobotsConfig{}, base); r.Allowed("/x") || !r.Allowed("/y") {
			t.Errorf("%s behind rules: %s", name, r.Status())
		}
	}
}

// A compressed file counts as it reads, and a bomb is only a long file.
func TestRobotsCompressed(t *testing.T) {
	file := closedFile + strings.Repeat("#\n", 5<<20)
	base := strings.TrimSuffix(serveCoded(t, encode(t, codingGzip, []byte(file)), codingGzip), "/")
	if r := fetchRules(t, Config{}, RobotsConfig{}, base); r.Allowed("/x") || !r.Allowed("/y") {
		t.Error(r.Status())
	}
}

// The client's own limits on bodies are for pages.
func TestRobotsIgnoresPageLimits(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, closedFile) })
	cfg := Config{MaxBody: 5, BodyLimit: func(string) int64 { return 0 }}
	if r := fetchRules(t, cfg, RobotsConfig{}, base); r.Allowed("/x") {
		t.Error(r.Status())
	}
}

func TestRobotsToken(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "user-agent: walker\ndisallow: /w\nuser-agent: *\ndisallow: /a")
	})
	for _, x := range []struct{ agent, token, closed string }{
		{"walker/1.0 (+https://e.com)", "", "/w"},
		{"Mozilla/5.0 (compatible; walker/1.0)", "walker", "/w"},
		{"Mozilla/5.0 (compatible; walker/1.0)", "", "/w"},
		{"Mozilla/5.0 (compatible; walker/1.0)", "other", "/a"},
		{"Mozilla/5.0 (X11; Linux) walker/1.0", "", "/a"},
		{"walker", "", "/w"},
		{"", "", "/a"},
		{"(odd)", "", "/a"},
	} {
		r := fetchRules(t, Config{UserAgent: x.agent}, RobotsConfig{Token: x.token}, base)
		if r.Allowed(x.closed) || r.Allowed("/a") == r.Allowed("/w") {
			t.Errorf("%q, %q: %s", x.agent, x.token, r.Status())
		}
	}
}

// robotsWeb is a web in virtual time whose only pages are robots.txt files.
type robotsWeb struct {
	asked  atomic.Int64
	answer func(host string) string // a whole HTTP response
}

func (web *robotsWeb) dial(_ context.Context, _, addr string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		if readRequest(theirs) == nil {
			web.asked.Add(1)
			io.WriteString(theirs, web.answer(addr))
		}
	}()
	return ours, nil
}

func withBody(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// Section 2.4: for a day and no longer.
func TestRobotsCache(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		web := &robotsWeb{answer: func(string) string { return withBody(closedFile) }}
		robots := NewRobots(newClient(t, Config{DialContext: web.dial}), RobotsConfig{})
		if _, ok := robots.Lookup("http://a.test"); ok {
			t.Error("known before it was fetched")
		}
		fetch := func(want int64) {
			t.Helper()
			if _, err := robots.Fetch(t.Context(), "http://a.test", nil); err != nil || web.asked.Load() != want {
				t.Errorf("%v; asked %d times, want %d", err, web.asked.Load(), want)
			}
		}
		fetch(1)
		fetch(1)
		rules, ok := robots.Lookup("http://a.test")
		if !ok || rules.Allowed("/x") || rules.Expires() != time.Now().Add(24*time.Hour) {
			t.Errorf("Lookup: %v, %v", rules, ok)
		}
		time.Sleep(24*time.Hour - time.Second) // virtual, as all here
		if _, ok := robots.Lookup("http://a.test"); !ok {
			t.Error("forgotten within the day")
		}
		fetch(1)
		time.Sleep(time.Second)
		if _, ok := robots.Lookup("http://a.test"); ok {
			t.Error("not forgotten after a day")
		}
		fetch(2)
	})
}

func TestRobotsAsksAgainAfterErrors(t *testing.T) {
	for name, x := range map[string]struct {
		answer string
		again  time.Duration
		asked  time.Duration // by the server
	}{
		"500":                       {"HTTP/1.1 500 E\r\n\r\n", 10 * time.Minute, 0},
		"429":                       {"HTTP/1.1 429 E\r\n\r\n", 10 * time.Minute, 0},
		"closed":                    {"", 10 * time.Minute, 0},
		"503 with Retry-After":      {"HTTP/1.1 503 E\r\nRetry-After: 3600\r\n\r\n", time.Hour, 3600 * time.Second},
		"503 with a short one":      {"HTTP/1.1 503 E\r\nRetry-After: 1\r\n\r\n", 10 * time.Minute, 1 * time.Second},
		"503 with a very long one":  {"HTTP/1.1 503 E\r\nRetry-After: 999999\r\n\r\n", 24 * time.Hour, 999999 * time.Second},
		"404":                       {"HTTP/1.1 404 E\r\n\r\n", 24 * time.Hour, 0},
		"a redirect without target": {"HTTP/1.1 302 E\r\n\r\n", 24 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				web := &robotsWeb{answer: func(string) string { return x.answer }}
				robots := NewRobots(newClient(t, Config{DialContext: web.dial}), RobotsConfig{})
				rules, err := robots.Fetch(t.Context(), "http://a.test", nil)
				if err != nil {
					t.Fatal(err)
				}
				if rules.RetryAfter() != x.asked {
					t.Errorf("RetryAfter %v, want %v", rules.RetryAfter(), x.asked)
				}
				time.Sleep(x.again - time.Second)
				if _, ok := robots.Lookup("http://a.test"); !ok {
					t.Errorf("asks again before %v", x.again)
				}
				time.Sleep(time.Second)
				if _, ok := robots.Lookup("http://a.test"); ok {
					t.Errorf("does not ask again after %v", x.again)
				}
			})
		})
	}
}

// Callers that come while a fetch is under way share it, be it successful or not.
func TestRobotsSharesFetches(t *testing.T) {
	for name, slow := range map[string]bool{"answered": false, "timed out": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				answers := make(chan string)
				web := &robotsWeb{answer: func(string) string { return <-answers }}
				robots := NewRobots(newClient(t, Config{DialContext: web.dial}), RobotsConfig{})
				got := make(chan *Rules, 20)
				for i := range cap(got) {
					go func() {
						rules, err := robots.Fetch(t.Context(), fmt.Sprintf("http://%c.test", 'a'+i%2), nil)
						if err != nil {
							t.Error(err)
						}
						got <- rules
					}()
				}
				synctest.Wait()
				if n := web.asked.Load(); n != 2 {
					t.Errorf("%d requests for two origins", n)
				}
				if slow {
					time.Sleep(time.Minute)
				}
				answers <- withBody(closedFile)
				answers <- withBody(closedFile)
				seen := map[*Rules]int{}
				for range cap(got) {
					seen[<-got]++
				}
				if len(seen) != 2 {
					t.Errorf("%d different rules for two origins", len(seen))
				}
				for r := range seen {
					if r.Unreachable() != slow {
						t.Error(r.Status())
					}
				}
			})
		})
	}
}

// When the caller that fetches gives up, another one takes over.
func TestRobotsCanceled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		answers := make(chan string)
		web := &robotsWeb{answer: func(string) string { return <-answers }}
		robots := NewRobots(newClient(t, Config{DialContext: web.dial}), RobotsConfig{})
		impatient, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		go func() {
			_, err := robots.Fetch(impatient, "http://a.test", nil)
			errs <- err
		}()
		synctest.Wait()
		done := make(chan *Rules)
		go func() {
			rules, err := robots.Fetch(t.Context(), "http://a.test", nil)
			if err != nil {
				t.Error(err)
			}
			done <- rules
		}()
		synctest.Wait()
		if n := web.asked.Load(); n != 1 {
			t.Fatalf("%d requests", n)
		}
		waiting, cancelWaiting := context.WithTimeout(t.Context(), time.Second)
		defer cancelWaiting()
		if _, err := robots.Fetch(waiting, "http://a.test", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while waiting: %v", err)
		}
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		synctest.Wait()
		answers <- withBody("user-agent: *\ndisallow: /wrong") // nobody hears the first
		answers <- withBody(closedFile)
		if rules := <-done; rules.Allowed("/x") || web.asked.Load() != 2 {
			t.Errorf("%s, %d requests", rules.Status(), web.asked.Load())
		}
	})
}

// The cache holds so many origins, and so many bytes, and forgets those that
// were not used for longest.
func TestRobotsCacheIsBounded(t *testing.T) {
	long := closedFile
	for i := range 1000 {
		long += fmt.Sprintf("disallow: /%d\n", i)
	}
	memory := 3 * ParseRobots([]byte(long), "crawler").size
	for name, x := range map[string]struct {
		cfg  RobotsConfig
		file string
	}{
		"origins": {RobotsConfig{MaxOrigins: 3}, closedFile},
		"memory":  {RobotsConfig{MaxMemory: memory}, long},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, x.file) }))
			defer srv.Close()
			c := newClient(t, Config{Resolve: map[string]string{"*:80": srv.Listener.Addr().String()}})
			robots := NewRobots(c, x.cfg)
			origin := func(i int) string { return fmt.Sprintf("http://h%d.test", i) }
			for i := range 10 {
				if _, err := robots.Fetch(t.Context(), origin(i), nil); err != nil {
					t.Fatal(err)
				}
				robots.Lookup(origin(0)) // in use all the time
			}
			var kept []int
			for i := range 10 {
				if _, ok := robots.Lookup(origin(i)); ok {
					kept = append(kept, i)
				}
			}
			if fmt.Sprint(kept) != "[0 8 9]" {
				t.Errorf("kept %v", kept)
			}
			if n := robots.used.Len(); n != len(robots.kept) || robots.memory > memory {
				t.Errorf("%d in the list, %d in the map, %d bytes", n, len(robots.kept), robots.memory)
			}
		})
	}
}
