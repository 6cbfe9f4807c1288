package replay

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/warc"
)

// served is a replay of a small archive.
func served(t *testing.T, scripts bool) (*httptest.Server, *Replay) {
	t.Helper()
	dir := t.TempDir()
	c, err := warc.NewCompressor(warc.Gzip, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file []byte
	for url, block := range map[string]string{
		"http://a.example/":              "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\nContent-Security-Policy: x\r\n\r\n<title>Home &amp; more</title><base href=/sub/><a href=x?a=1&amp;b=2>x</a><img srcset='i.png 1x, /j.png 2x'><style>p{background:url(b.png)}</style><script src=//evil.example/s.js integrity=q></script><meta http-equiv=refresh content='5; url=y'>",
		"http://a.example/sub/x?a=1&b=2": "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\ngone",
		"http://a.example/moved":         "HTTP/1.1 301 Moved\r\nLocation: sub/x?a=1&b=2\r\n\r\n",
		"http://a.example/s.css":         "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n@import 'a.css';p{b:url( \"c.png\" )}",
	} {
		if file, err = c.Append(file, warc.Header{
			{Name: warc.FieldType, Value: warc.Response}, {Name: warc.FieldRecordID, Value: "<urn:x:1>"}, {Name: warc.FieldDate, Value: "2026-01-02T03:04:05Z"},
			{Name: warc.FieldTargetURI, Value: url}, {Name: warc.FieldContentType, Value: warc.TypeResponse},
		}, []byte(block), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.warc.gz"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(nil)
	r := New(Config{Dirs: []string{dir}, Address: s.Listener.Addr().String(), Scripts: scripts})
	s.Config.Handler = r
	s.Start()
	t.Cleanup(s.Close)
	return s, r
}

func get(t *testing.T, url, host string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// Links lead back into the replay, and nothing of the archived header is passed on.
func TestLinksAreRewritten(t *testing.T) {
	_, r := served(t, false)
	at := "/" + r.token + "/r/"
	res, body := get(t, r.prefix()+"http://a.example/", "")
	for _, want := range []string{
		"<title>Home &amp; more</title>", `href="` + at + `http://a.example/sub/x?a=1&amp;b=2"`, `srcset="` + at + `http://a.example/sub/i.png 1x, ` + at + `http://a.example/j.png 2x"`,
		`url("` + at + `http://a.example/sub/b.png")`, `<script src="` + at + `http://evil.example/s.js">`, `content="5; url=` + at + `http://a.example/sub/y"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
	if strings.Contains(body, "<base") || res.Header.Get("Set-Cookie") != "" || res.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%v %s", res.Header, body)
	}
	if res, body := get(t, r.prefix()+"http://a.example/sub/x?a=1&b=2", ""); res.StatusCode != 404 || body != "gone" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, _ := get(t, r.prefix()+"http://a.example/moved", ""); res.StatusCode != 302 || res.Header.Get("Location") != at+"http://a.example/sub/x?a=1&b=2" {
		t.Errorf("%v", res.Header)
	}
	if _, body := get(t, r.prefix()+"http://a.example/s.css", ""); body != `@import "`+at+`http://a.example/a.css";p{b:url("`+at+`http://a.example/c.png")}` {
		t.Errorf("%s", body)
	}
	if res, body := get(t, r.Home(), ""); res.StatusCode != 200 || !strings.Contains(body, at+"http://a.example/") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if !strings.Contains(r.Cost(), "bytes that no filter covers") {
		t.Error(r.Cost())
	}
}

// Another host, another token and another method are refused; every answer, also a refusal, is in
// a sandbox from which nothing but the archive is reached.
func TestStrangersReachNothing(t *testing.T) {
	for _, scripts := range []bool{false, true} {
		s, r := served(t, scripts)
		for _, c := range []struct {
			url, host string
			status    int
		}{
			{r.Home(), "evil.example", 421}, {r.Home(), "localhost", 421}, {s.URL + "/", "", 404}, {s.URL + "/" + strings.Repeat("0", 32) + "/", "", 404},
			{r.prefix() + "http://a.example/none", "", 404}, {r.prefix() + "file:///etc/passwd", "", 400}, {r.Home() + "../../etc/passwd", "", 404}, {r.prefix() + "http://a.example/", "", 200},
		} {
			res, _ := get(t, c.url, c.host)
			policy := res.Header.Get("Content-Security-Policy")
			if res.StatusCode != c.status || !strings.Contains(policy, "sandbox") {
				t.Errorf("%s as %s: %d, %s", c.url, c.host, res.StatusCode, policy)
			}
			// A client that does not say it is a frame gets no scripts.
			if strings.Contains(policy, "allow-") || strings.Contains(policy, "*") {
				t.Errorf("%s: %s", c.url, policy)
			}
		}
		if res, err := http.Post(r.prefix()+"http://a.example/", "", nil); err != nil || res.StatusCode != 405 {
			t.Errorf("POST: %v, %v", res, err)
		}
		res, body := get(t, r.Home()+"v/http://a.example/", "")
		if framed := strings.Contains(body, `sandbox="allow-scripts"`) && strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-src "+r.prefix()); framed != scripts {
			t.Errorf("scripts %v: %d %s", scripts, res.StatusCode, body)
		}
	}
	for address, ok := range map[string]bool{"127.0.0.1:0": true, "[::1]:80": true, "0.0.0.0:80": false, "example.com:80": false, "127.0.0.1": false, ":80": false} {
		if err := Loopback(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// FuzzRewrite: whatever a page holds, it is passed on to its end without a failure.
func FuzzRewrite(f *testing.F) {
	f.Add("<a href=x>", "http://a.example/")
	f.Add("<base href='//\x00'><style>url(", "::")
	f.Add("<meta http-equiv=refresh content='0;url=javascript:1'><p srcset=', ,'>", "")
	f.Fuzz(func(t *testing.T, page, base string) {
		var out bytes.Buffer
		if err := newRewriter("/t/r/", base).html(&out, strings.NewReader(page)); err != nil {
			t.Fatal(err)
		}
		newRewriter("/t/r/", base).styles([]byte(page))
	})
}
