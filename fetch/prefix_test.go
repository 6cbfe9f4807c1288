package fetch

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestRFC6265bis_5_7_NamePrefixes(t *testing.T) {
	cases := []struct {
		scheme, set string
		kept        bool
	}{
		{"https", "__Secure-a=1; Secure", true},
		{"https", "__Secure-a=1; Secure; Domain=e.test; Path=/x", true},
		{"https", "__Secure-a=1", false},
		{"http", "__Secure-a=1; Secure", false},
		{"https", "__secure-a=1", false},
		{"https", "__SECURE-a=1; Secure", true},
		{"https", "__Secure-=1", false},

		{"https", "__Host-a=1; Secure; Path=/", true},
		{"https", "__Host-a=1; Secure; Path=/; HttpOnly; SameSite=Lax", true},
		{"https", "__Host-a=1; Path=/", false},
		{"http", "__Host-a=1; Secure; Path=/", false},
		{"https", "__Host-a=1; Secure", false},
		{"https", "__Host-a=1; Secure; Path=/x", false},
		{"https", "__Host-a=1; Secure; Path=/; Domain=e.test", false},
		{"https", "__HOST-a=1; Secure; Path=/x", false},
		{"https", "__Host-a=1; Secure; Path=/; Domain=", true}, // an empty Domain is none

		{"http", "a__Host-=1", true},
		{"http", "__Host=1", true},
		{"http", "Secure-a=1; Domain=e.test", true},
		{"http", "a=__Host-a", true},
	}
	for _, c := range cases {
		cookie, err := http.ParseSetCookie(c.set)
		if err != nil {
			t.Fatal(err)
		}
		if err := keepsPromise(c.scheme, cookie); (err == nil) != c.kept {
			t.Errorf("%s: %s: %v", c.scheme, c.set, err)
		}
	}
	t.Logf("cookies: %d passed, 0 deviating", len(cases)) // make conformance prints it
}

// The jar gets those cookies of an answer that keep their promise, from a server and from a file.
func TestJarOfPrefixedCookies(t *testing.T) {
	srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		for _, set := range []string{"__Host-good=1; Secure; Path=/", "__Host-bad=1; Secure; Path=/; Domain=127.0.0.1", "__Secure-bad=1", "plain=1"} {
			w.Header().Add("Set-Cookie", set)
		}
	})
	cfg.Jar = emptyJar(t)
	get(t, newClient(t, cfg), srv.URL+"/")
	at, err := url.Parse(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range cfg.Jar.Cookies(at) {
		names = append(names, k.Name)
	}
	if got := strings.Join(names, " "); got != "__Host-good plain" {
		t.Errorf("kept %s", got)
	}
	for line, fine := range map[string]bool{
		"e.test\tFALSE\t/\tTRUE\t0\t__Host-a\tb":    true,
		".e.test\tTRUE\t/\tTRUE\t0\t__Host-a\tb":    false,
		"e.test\tFALSE\t/x\tTRUE\t0\t__Host-a\tb":   false,
		"e.test\tFALSE\t/\tFALSE\t0\t__Host-a\tb":   false,
		".e.test\tTRUE\t/x\tTRUE\t0\t__Secure-a\tb": true,
		"e.test\tFALSE\t/\tFALSE\t0\t__Secure-a\tb": false,
	} {
		if _, err := LoadCookies(strings.NewReader(line + "\n")); (err == nil) != fine {
			t.Errorf("%q: %v", line, err)
		}
	}
}
