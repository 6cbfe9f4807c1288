package settings

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"crawler/crawl"
)

// sentTo is the header that a crawl with these settings sends to an origin, without the defaults.
func sentTo(cfg crawl.Config, origin string) string {
	h := cfg.Fetch.Header.Clone()
	for _, o := range cfg.Fetch.OriginHeaders {
		if slices.Contains(o.Origins, origin) {
			maps.Copy(h, o.Header)
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		lines = append(lines, name+"="+strings.Join(h[name], "+"))
	}
	return strings.Join(lines, " ")
}

// Secrets go to the seeds' origins, lines for a host to that, and others everywhere.
func TestWhereHeadersGo(t *testing.T) {
	seeds := []string{"https://a.test/x", "https://a.test/y", "http://b.test:8080/", "http://localhost:81/"}
	for _, c := range []struct {
		lines []string
		want  map[string]string
	}{
		{[]string{"Accept-Language: en", "X-A:b:c", "Referer: https://r.test/x"}, map[string]string{
			"https://a.test": "Accept-Language=en Referer=https://r.test/x X-A=b:c", "https://z.test": "Accept-Language=en Referer=https://r.test/x X-A=b:c",
		}},
		{[]string{"authorization: Bearer x:y", "cookie: a=1", "Cookie: b=2", "PROXY-AUTHORIZATION: p", "x-api-key: k", "X-A: 1"}, map[string]string{
			"https://a.test":        "Authorization=Bearer x:y Cookie=a=1+b=2 Proxy-Authorization=p X-A=1 X-Api-Key=k",
			"http://b.test:8080":    "Authorization=Bearer x:y Cookie=a=1+b=2 Proxy-Authorization=p X-A=1 X-Api-Key=k",
			"http://a.test":         "X-A=1",
			"https://a.test:444":    "X-A=1",
			"https://www.a.test":    "X-A=1",
			"https://b.test:8080":   "X-A=1",
			"https://a.test.z.test": "X-A=1",
		}},
		{[]string{"z.test: Authorization: Bearer x", "Z.test : X-Key: k ", "Authorization: seeds"}, map[string]string{
			"https://z.test": "Authorization=Bearer x X-Key=k", "http://z.test": "", "https://www.z.test": "", "https://a.test": "Authorization=seeds",
		}},
		{[]string{"Cookie: seeds", "a.test: Cookie: own"}, map[string]string{"https://a.test": "Cookie=own", "http://b.test:8080": "Cookie=seeds"}},
		{[]string{"http://z.test:8080: Authorization: x", "https://wiki: X-A: b", "[::1]:99: X-B: c"}, map[string]string{
			"http://z.test:8080": "Authorization=x", "https://z.test:8080": "", "https://wiki": "X-A=b", "http://wiki": "", "https://[::1]:99": "X-B=c",
		}},
		// Without a scheme it is https, and http where a seed has that.
		{[]string{"b.test:8080: X-A: b", "localhost:81: X-A: c", "a.test: X-A: d"}, map[string]string{
			"http://b.test:8080": "X-A=b", "https://b.test:8080": "X-A=b", "http://localhost:81": "X-A=c", "http://a.test": "", "https://a.test": "X-A=d",
		}},
	} {
		o, _ := newSettings()
		o.Header = c.lines
		cfg, err := o.Engine(seeds)
		if err != nil {
			t.Errorf("%q: %v", c.lines, err)
			continue
		}
		for origin, want := range c.want {
			if got := sentTo(cfg, origin); got != want {
				t.Errorf("%q: %s gets %s, want %s", c.lines, origin, got, want)
			}
		}
	}
}

// What can be read in two ways is refused, and no refusal shows a secret.
func TestHeadersThatAreRefused(t *testing.T) {
	for _, line := range []string{
		"hunter2", ": hunter2", "a.test: hunter2", "a.test: https://hunter2", "https://a.test/path: X-A: hunter2", "*.a.test: X-A: hunter2",
		"wiki: Authorization: hunter2", "wiki:8080: cookie: hunter2", "a.test: Host: hunter2", "a.test:99999: X-A: hunter2", "a..test: X-A: hunter2",
		"https://: X-A: hunter2", "a.test: X A: hunter2", "X A: hunter2",
	} {
		o, _ := newSettings()
		o.Header = []string{line}
		_, err := o.Engine([]string{"https://a.test/"})
		if err == nil {
			t.Errorf("%s: accepted", line)
		} else if strings.Contains(err.Error(), "hunter2") && strings.Contains(line, ": hunter2") && line[0] != ':' {
			t.Errorf("%s: %v", line, err)
		}
	}
	o, _ := newSettings()
	o.Header, o.Proxy = []string{"Proxy-Authorization: Basic eDp5"}, "http://127.0.0.1:3128"
	if _, err := o.Engine([]string{"https://a.test/"}); err == nil || !strings.Contains(err.Error(), "--proxy") {
		t.Errorf("credentials for a proxy as a header: %v", err)
	}
}
