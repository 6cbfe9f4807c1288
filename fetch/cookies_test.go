package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

const cookieFile = `# Netscape HTTP Cookie File
# a comment

e.com	FALSE	/	FALSE	0	host	1
.e.com	TRUE	/	FALSE	4102444800	domain	2
.e.com	TRUE	/shop	FALSE	0	path	3
e.com	FALSE	/	TRUE	0	secure	4
#HttpOnly_e.com	FALSE	/	FALSE	0	http	5
e.com	FALSE	/	FALSE	1	expired	6
.co.uk	TRUE	/	FALSE	0	suffix	7
other.org	FALSE	/	FALSE	0	other	8
`

func TestLoadCookies(t *testing.T) {
	for _, file := range []string{cookieFile, strings.ReplaceAll(cookieFile, "\n", "\r\n")} {
		jar, err := LoadCookies(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range map[string]string{
			"http://e.com/":         "host=1 domain=2 http=5",
			"https://e.com/":        "host=1 domain=2 secure=4 http=5",
			"http://e.com/shop/a":   "path=3 host=1 domain=2 http=5",
			"http://e.com/shopping": "host=1 domain=2 http=5",
			"http://www.e.com/":     "domain=2",
			"http://xe.com/":        "",
			"http://a.co.uk/":       "",
			"http://other.org/":     "other=8",
		} {
			u, _ := url.Parse(at)
			var got []string
			for _, c := range jar.Cookies(u) {
				got = append(got, c.Name+"="+c.Value)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", at, got, want)
			}
		}
	}
}

func TestLoadCookiesErrors(t *testing.T) {
	good := "e.com\tFALSE\t/\tFALSE\t0\ta\tb\n"
	for name, line := range map[string]string{
		"blanks for tabs":       "e.com FALSE / FALSE 0 a b",
		"too few fields":        "e.com\tFALSE\t/\tFALSE\t0\ta",
		"too many fields":       "e.com\tFALSE\t/\tFALSE\t0\ta\tb\tc",
		"flag":                  "e.com\tNO\t/\tFALSE\t0\ta\tb",
		"second flag":           "e.com\tTRUE\t/\t-\t0\ta\tb",
		"expiry":                "e.com\tTRUE\t/\tTRUE\tsoon\ta\tb",
		"no domain":             ".\tTRUE\t/\tTRUE\t0\ta\tb",
		"no name":               "e.com\tTRUE\t/\tTRUE\t0\t\tb",
		"a control in the name": "e.com\tTRUE\t/\tTRUE\t0\ta\x01\tb",
		"a control in a value":  "e.com\tTRUE\t/\tTRUE\t0\ta\tb\x01",
	} {
		_, err := LoadCookies(strings.NewReader(good + line + "\n" + good))
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, file := range map[string]string{
		"a line too long":  good + strings.Repeat("x", 2*maxCookieLine),
		"too many cookies": strings.Repeat(good, maxCookies+1),
	} {
		if _, err := LoadCookies(strings.NewReader(file)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Cookies go out, come in, and stay with their host.
func TestJar(t *testing.T) {
	var got atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Cookie"))
		if r.URL.Path == "/set" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "s", Path: "/in"})
		}
	})
	host := strings.TrimPrefix(base, "http://")
	name, port, _ := strings.Cut(host, ":")
	jar, err := LoadCookies(strings.NewReader(fmt.Sprintf("%s\tFALSE\t/\tFALSE\t0\ta\tb\n", name)))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Config{Jar: jar, Resolve: map[string]string{"e.test:" + port: host}})
	for _, x := range []struct{ url, want string }{
		{base + "/", "a=b"},
		{base + "/set", "a=b"},
		{base + "/", "a=b"},
		{base + "/in/x", "session=s; a=b"},
		{"http://e.test:" + port + "/in/x", ""},
	} {
		get(t, c, x.url)
		if got.Load() != x.want {
			t.Errorf("%s: Cookie %q, want %q", x.url, got.Load(), x.want)
		}
	}
	if h := c.base.Header["Cookie"]; h != nil {
		t.Errorf("the shared header now has %v", h)
	}
}
