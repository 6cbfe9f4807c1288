package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func FuzzParseRobots(f *testing.F) {
	for _, c := range robotsCases {
		f.Add([]byte(c.file), c.token, "/x")
	}
	for _, file := range hostileRobots(200) {
		f.Add([]byte(file), "walker", "/aaab?b=/")
	}
	f.Fuzz(func(t *testing.T, file []byte, token, uri string) {
		before := bytes.Clone(file)
		r := ParseRobots(file, token)
		allowed := r.Allowed(uri)
		if !bytes.Equal(before, file) {
			t.Fatal("changed its input")
		}
		if d, ok := r.CrawlDelay(); d < 0 || d > maxDelay || !ok && d != 0 {
			t.Errorf("Crawl-delay %v, %v", d, ok)
		}
		if max := int64(rulesOverhead + (ruleOverhead+20)*(len(file)+1)); r.size > max {
			t.Errorf("%d bytes of rules from %d", r.size, len(file))
		}
		// A file counts the same with other line ends, a comment and a byte
		// order mark.
		if !bytes.HasPrefix(file, []byte("\xEF")) {
			other := bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n"))
			other = bytes.ReplaceAll(other, []byte("\n"), []byte(" # x\r\n"))
			other = append([]byte("\xEF\xBB\xBF"), other...)
			if o := ParseRobots(other, token); o.Allowed(uri) != allowed || !slices.Equal(o.Sitemaps(), r.Sitemaps()) {
				t.Errorf("%q: %v, %q: %v", file, allowed, other, o.Allowed(uri))
			}
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, path := range []string{"/*a*b$", "/%2F*%2f%26?%3D", "*?*%3f$", "/a%", "*%2B", "/%E3%83%84*ü"} {
		f.Add(path, "/a%2Fb?b%26=a")
	}
	f.Fuzz(func(t *testing.T, path, uri string) {
		if !strings.HasPrefix(uri, "/") || len(uri) > 100 || len(path) > 100 {
			return
		}
		if path == "" || path[0] != '/' && path[0] != '*' {
			return
		}
		var p patterns
		p.add([]byte(path), false)
		rules, _ := p.compile()
		at := newTarget(uri)
		if got, want := rules[0].matches(&at), oracleMatches(path, uri); got != want {
			t.Errorf("%q on %q: %v, the oracle says %v", path, uri, got, want)
		}
		if got, want := rules[0].length, oracleLength(path); got != want {
			t.Errorf("%q: length %d, the oracle says %d", path, got, want)
		}
	})
}

// FuzzBody feeds bodies and codings that no encoder would make.
func FuzzBody(f *testing.F) {
	for _, coding := range everyCoding {
		f.Add(encode(f, coding, []byte(page)), token(coding))
		f.Add(encode(f, coding, make([]byte, 1<<20)), token(coding))
	}
	f.Add(encodeAll(f, []byte(page), codingGzip, codingBrotli), "gzip, br")
	const most = 64 << 10
	c, err := New(Config{MaxBody: most, MaxRatio: 50})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, codings string) {
		res := &Response{Status: 200, pools: &c.pools}
		raw := &http.Response{
			StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Encoding": {codings}},
			Body: io.NopCloser(bytes.NewReader(body)),
		}
		err := c.readBody(res, raw, limits{body: most})
		if len(res.Body) > most+1 || res.WireBytes > int64(len(body)) {
			t.Errorf("%d bytes, %d off the wire", len(res.Body), res.WireBytes)
		}
		if err != nil {
			if r := classifyBody(context.Background(), err); r != ReasonDecode && r != ReasonBomb {
				t.Errorf("%s: %v", r, err)
			}
		}
		res.Release()
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120", "")
	f.Add("Mon, 02 Mar 2026 10:00:00 GMT", "Mon, 02 Mar 2026 09:00:00 GMT")
	f.Fuzz(func(t *testing.T, value, date string) {
		if d := retryAfter(value, date, time.Unix(1e9, 0)); d < 0 || d > maxRetryAfter {
			t.Error(d)
		}
	})
}

func FuzzLoadCookies(f *testing.F) {
	f.Add(cookieFile)
	f.Fuzz(func(t *testing.T, file string) {
		jar, err := LoadCookies(strings.NewReader(file))
		if (jar == nil) != (err != nil) {
			t.Error(jar, err)
		}
	})
}

// Errors must name reasons whatever the error is.
func FuzzClassify(f *testing.F) {
	f.Add("tls: x")
	f.Fuzz(func(t *testing.T, text string) {
		ctx := context.Background()
		for _, r := range []Reason{classify(ctx, errors.New(text)), classifyBody(ctx, errors.New(text))} {
			if !slices.Contains(Reasons(), r) {
				t.Errorf("%q: %q", text, r)
			}
		}
	})
}
