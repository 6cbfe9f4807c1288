//go:build unix

package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/weburl"
)

// benchPage is about what a page of documentation weighs.
var benchPage = bytes.Repeat([]byte("<p>Some words of a page, <a href=\"/x/y.html\">linked</a>.</p>\n"), 200)

// cpuTime is what this process has used so far, server included.
func cpuTime(b *testing.B) time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// canned is a server that answers whatever it is sent with the same bytes, and
// allocates nothing: what is measured is the client.
func canned(b *testing.B) (url string) { return rawListener(b, serveCanned) }

func serveCanned(c net.Conn) {
	response := append(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"+
		"Date: Mon, 02 Mar 2026 10:00:00 GMT\r\nContent-Length: %d\r\n\r\n", len(benchPage)), benchPage...)
	buf := make([]byte, 4096)
	for n := 0; ; {
		m, err := c.Read(buf[n:])
		if n += m; err != nil || n == len(buf) {
			return
		}
		if bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
			n = 0
			if _, err := c.Write(response); err != nil {
				return
			}
		}
	}
}

// BenchmarkGet holds Client.Get against the plainest loop over net/http that
// still reads the whole body and sends the same header. Both are in one process with the server,
// so the difference is what counts, not the sum.
func BenchmarkGet(b *testing.B) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(benchPage)
	}
	plain := httptest.NewServer(http.HandlerFunc(handler))
	defer plain.Close()
	secure, cfg := serveTLS(b, handler)
	for name, base := range map[string]string{"HTTP1": plain.URL, "HTTP2": secure.URL, "canned": canned(b)} {
		target := base + "/a/page.html?with=query"
		run := func(who string, one func() int) {
			b.Run(name+"/"+who, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(benchPage)))
				before := cpuTime(b)
				for b.Loop() {
					if n := one(); n != len(benchPage) {
						b.Fatalf("%d bytes", n)
					}
				}
				b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
		u := mustURL(b, target)
		client := func(cfg Config) func() int {
			c := newClient(b, cfg)
			return func() int {
				res, err := c.Get(b.Context(), u)
				if err != nil {
					b.Fatal(err)
				}
				defer res.Release()
				return len(res.Body)
			}
		}
		header := newClient(b, cfg).base.Header
		run("Client", client(cfg))
		guarded := cfg
		guarded.Guard, guarded.MinRate = &Guard{Seeds: []weburl.URL{u}}, DefaultMinRate
		run("guarded", client(guarded))
		traced, prepared := cfg, cfg
		traced.Trace = true
		run("traced", client(traced))
		prepared.Prepare = func(*http.Request) error { return nil }
		run("prepared", client(prepared))
		bare := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
			TLSClientConfig: cfg.TLS, ForceAttemptHTTP2: true, DisableCompression: true,
		}}
		b.Cleanup(bare.CloseIdleConnections)
		var buf bytes.Buffer
		run("bare", func() int {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, target, nil)
			if err != nil {
				b.Fatal(err)
			}
			for name, values := range header { // or the server has less to read
				req.Header[name] = values
			}
			res, err := bare.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			defer res.Body.Close()
			buf.Reset()
			if _, err := io.Copy(&buf, res.Body); err != nil {
				b.Fatal(err)
			}
			return buf.Len()
		})
	}
}

// BenchmarkDecode is Get with each content coding.
func BenchmarkDecode(b *testing.B) {
	for _, coding := range everyCoding {
		b.Run(coding, func(b *testing.B) {
			c := newClient(b, Config{})
			u := mustURL(b, serveCoded(b, encode(b, coding, benchPage), token(coding)))
			b.ReportAllocs()
			b.SetBytes(int64(len(benchPage)))
			for b.Loop() {
				res, err := c.Get(b.Context(), u)
				if err != nil || len(res.Body) != len(benchPage) {
					b.Fatal(err, len(res.Body))
				}
				res.Release()
			}
		})
	}
}

// shopRobots is like the longer of the files that sites have.
func shopRobots() []byte {
	var b strings.Builder
	for _, agent := range []string{"BadBot", "OtherBot", "*"} {
		fmt.Fprintf(&b, "User-agent: %s\n", agent)
		for i := range 60 {
			fmt.Fprintf(&b, "Disallow: /section-%d/private/\n", i)
		}
		for i := range 20 {
			fmt.Fprintf(&b, "Disallow: /*?sort=%d&*\nAllow: /section-%d/*/public$\n", i, i)
		}
	}
	return []byte(b.String())
}

func BenchmarkParseRobots(b *testing.B) {
	file := shopRobots()
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		ParseRobots(file, "walker")
	}
}

func BenchmarkAllowed(b *testing.B) {
	r := ParseRobots(shopRobots(), "walker")
	for name, uri := range map[string]string{
		"short": "/about.html",
		"query": "/section-7/list?page=3&sort=price&order=up",
		"coded": "/section-7/%E3%83%84/%E3%83%84.html",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed(uri)
			}
		})
	}
}

// BenchmarkHostileRobots grows hostile files: neither the time per byte to read
// them may grow, nor the time per byte of a decision.
func BenchmarkHostileRobots(b *testing.B) {
	path := "/" + strings.Repeat("a", 7000) + "?" + strings.Repeat("a/", 500)
	for _, size := range []int{100 << 10, 500 << 10} {
		for name, file := range hostileRobots(size) {
			rules := ParseRobots([]byte(file), "walker")
			b.Run(fmt.Sprintf("%s/parse/%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					ParseRobots([]byte(file), "walker")
				}
			})
			b.Run(fmt.Sprintf("%s/decide/%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					rules.Allowed(path)
				}
				b.ReportMetric(float64(rules.size), "kept-B")
			})
		}
	}
}

func BenchmarkRobotsLookup(b *testing.B) {
	base, _ := serve(b, func(w http.ResponseWriter, r *http.Request) { w.Write(shopRobots()) })
	robots := NewRobots(newClient(b, Config{}), RobotsConfig{})
	if _, err := robots.Fetch(b.Context(), base, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := robots.Lookup(base); !ok {
			b.Fatal("not at hand")
		}
	}
}

// BenchmarkWildcardRules decides about a URL of 8 KB by 25,000 rules with stars, none of which
// applies.
func BenchmarkWildcardRules(b *testing.B) {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for i := range 25_000 {
		fmt.Fprintf(&file, "disallow: /*aaaab%d\n", i)
	}
	rules := ParseRobots([]byte(file.String()), "walker")
	for name, path := range map[string]string{
		"8KB":  "/" + strings.Repeat("aaaab", 1600),
		"80B":  "/shop/category/article-with-a-name-of-usual-length?page=7&sort=price&colour=red",
		"miss": "/" + strings.Repeat("x", 8000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rules.Allowed(path)
			}
		})
	}
}
