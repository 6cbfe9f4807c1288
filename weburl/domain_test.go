package weburl

import "testing"

func TestDomain(t *testing.T) {
	for raw, want := range map[string]string{
		"http://shop.test/":                 "shop.test",
		"https://www.shop.test:8443/a?b":    "shop.test",
		"http://a.b.shop.co.uk/":            "shop.co.uk",
		"http://co.uk/":                     "co.uk",        // a public suffix, which nobody owns
		"http://me.github.io/":              "me.github.io", // private suffixes are suffixes too
		"http://www.me.github.io/":          "me.github.io",
		"http://www.xn--bcher-kva.example/": "xn--bcher-kva.example",
		"http://localhost:8080/":            "localhost",
		"http://intranet/":                  "intranet",
		"http://www.shop.test./":            "www.shop.test.", // a dot at the end stays
		"http://127.0.0.1/":                 "127.0.0.1",
		"http://127.0.0.1:8080/":            "127.0.0.1",
		"http://10.1/":                      "10.0.0.1",
		"http://[::1]/":                     "::1",
		"http://[2001:db8::7]:8080/a":       "2001:db8::7",
		"http://[::ffff:10.0.0.1]/":         "::ffff:a00:1",
	} {
		if got := mustParse(t, raw).Domain(); got != want {
			t.Errorf("the domain of %s is %q, want %q", raw, got, want)
		}
	}
	if got := (URL{}).Domain(); got != "" {
		t.Errorf("the zero URL has the domain %q", got)
	}
}
