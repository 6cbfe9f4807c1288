package weburl

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func mustParse(t testing.TB, raw string) URL {
	t.Helper()
	u, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestParts(t *testing.T) {
	tests := []struct {
		raw, scheme, host, hostname, port, path, query string
		hasQuery                                       bool
	}{
		{"http://shop.test/", "http", "shop.test", "shop.test", "", "/", "", false},
		{"https://shop.test/a/b?c=d", "https", "shop.test", "shop.test", "", "/a/b", "c=d", true},
		{"https://shop.test:8443/?", "https", "shop.test:8443", "shop.test", "8443", "/", "", true},
		{"http://[::1]/x", "http", "[::1]", "::1", "", "/x", "", false},
		{"http://[::1]:81/x??", "http", "[::1]:81", "::1", "81", "/x", "?", true},
		{"", "", "", "", "", "", "", false},
	}
	for _, tt := range tests {
		var u URL
		if tt.raw != "" {
			u = mustParse(t, tt.raw)
		}
		for _, part := range []struct{ name, got, want string }{
			{"String", u.String(), tt.raw},
			{"Scheme", u.Scheme(), tt.scheme},
			{"Host", u.Host(), tt.host},
			{"Hostname", u.Hostname(), tt.hostname},
			{"Port", u.Port(), tt.port},
			{"Path", u.Path(), tt.path},
			{"Query", u.Query(), tt.query},
			{"Origin", u.Origin(), strings.TrimSuffix(tt.scheme+"://"+tt.host, "://")},
			{"RequestURI", u.RequestURI(), strings.TrimPrefix(tt.raw, u.Origin())},
		} {
			if part.got != part.want {
				t.Errorf("%q: %s = %q, want %q", tt.raw, part.name, part.got, part.want)
			}
		}
		if u.HasQuery() != tt.hasQuery {
			t.Errorf("%q: HasQuery = %t, want %t", tt.raw, u.HasQuery(), tt.hasQuery)
		}
		if u.IsZero() != (tt.raw == "") {
			t.Errorf("%q: IsZero = %t", tt.raw, u.IsZero())
		}
	}
}

func TestSegments(t *testing.T) {
	for raw, want := range map[string][]string{
		"http://shop.test/":             {"http://shop.test", ""},
		"http://shop.test/a":            {"http://shop.test", "a"},
		"http://shop.test/a/":           {"http://shop.test", "a", ""},
		"http://shop.test//a":           {"http://shop.test", "", "a"},
		"https://shop.test:1/a/b?c/d=e": {"https://shop.test:1", "a", "b", "?c/d=e"},
		"http://shop.test/?":            {"http://shop.test", "", "?"},
	} {
		u := mustParse(t, raw)
		got := slices.Collect(u.Segments)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
		for stop := range got { // a consumer may stop anywhere
			var some []string
			for s := range u.Segments {
				if some = append(some, s); len(some) == stop+1 {
					break
				}
			}
			if !slices.Equal(some, want[:stop+1]) {
				t.Errorf("%s: stopped after %d: %q", raw, stop+1, some)
			}
		}
	}
	for s := range (URL{}).Segments {
		t.Errorf("the zero URL has segment %q", s)
	}
}

func TestURLIsAComparableSmallValue(t *testing.T) {
	if size := unsafe.Sizeof(URL{}); size > 32 {
		t.Errorf("a URL takes %d bytes", size)
	}
	base := mustParse(t, "http://shop.test/x/y?z")
	want := mustParse(t, "http://shop.test/a?b=%C3%A9")
	for _, ref := range []string{"HTTP://SHOP.test:80/%61?b=é#c", "/a?b=%c3%a9", "../a?b=é", "http://me@shop.test/./a?b=é"} {
		got, err := base.Resolve(ref)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v is not %v", ref, got, err, want)
		}
	}
}

func TestCloneHasItsOwnMemory(t *testing.T) {
	page := strings.Repeat("x", 1000) + "http://shop.test/a?b"
	u := mustParse(t, page[1000:])
	c := u.Clone()
	if c != u {
		t.Errorf("clone %v of %v", c, u)
	}
	if unsafe.StringData(c.String()) == unsafe.StringData(u.String()) {
		t.Error("the clone shares the page's memory")
	}
}

func TestErrorsNameTheInputShortened(t *testing.T) {
	_, err := Parse("mailto:me@shop.test")
	if !errors.Is(err, ErrScheme) || !strings.Contains(err.Error(), `"mailto:me@shop.test"`) {
		t.Errorf("got %v", err)
	}
	_, err = Parse("data:" + strings.Repeat("x", 100000))
	if !errors.Is(err, ErrScheme) || len(err.Error()) > 200 || !strings.Contains(err.Error(), "data:xxx") {
		t.Errorf("got an error of %d bytes", len(err.Error()))
	}
}

func TestMaxLen(t *testing.T) {
	const origin = "http://shop.test/"
	base := mustParse(t, origin+"a/b")
	fits := strings.Repeat("x", MaxLen-len(origin))
	tests := []struct {
		name, ref string
		want      error
	}{
		{"longest", "/" + fits, nil},
		{"absolute longest", origin + fits, nil},
		{"one more", "/" + fits + "x", ErrTooLong},
		{"absolute, one more", origin + fits + "x", ErrTooLong},
		{"by encoding", "/" + fits[4:] + " x", nil},
		{"by encoding, one more", "/" + fits[3:] + " x", ErrTooLong},
		{"long query", "?" + fits, ErrTooLong},
		{"shorter without its dots", strings.Repeat("./", MaxLen) + "x", nil},
		{"far too long to look at", strings.Repeat("./", 2*MaxLen) + "x", ErrTooLong},
		{"far too long to look at, but absolute", "x:" + strings.Repeat("./", 2*MaxLen), ErrScheme},
		{"long fragment", "x#" + strings.Repeat("y", 10*MaxLen), nil},
		{"longest host", "//" + strings.Repeat("h", maxHost), nil},
		{"host, one more", "//" + strings.Repeat("h", maxHost+1), ErrHost},
		{"host, one more by IDNA", "//" + strings.Repeat("h", maxHost-8) + "é.test", ErrHost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := base.Resolve(tt.ref)
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if err == nil && len(u.String()) > MaxLen {
				t.Errorf("%d bytes", len(u.String()))
			}
			if _, slowErr := slowOnly(base, tt.ref); !errors.Is(slowErr, tt.want) {
				t.Errorf("slow path: %v, want %v", slowErr, tt.want)
			}
		})
	}
}

func TestDropParams(t *testing.T) {
	drop := []string{"utm_*", "fbclid", "sid", "naïve"}
	tests := []struct{ query, want string }{
		{"", ""},
		{"?", "?"},
		{"?a=1", "?a=1"},
		{"?utm_source=x", ""},
		{"?utm_", ""},
		{"?utm", "?utm"},
		{"?UTM_source=x", "?UTM_source=x"},
		{"?fbclid", ""},
		{"?fbclid=", ""},
		{"?fbclid=1=2", ""},
		{"?fbclids=1", "?fbclids=1"},
		{"?xfbclid=1", "?xfbclid=1"},
		{"?a=1&fbclid=2", "?a=1"},
		{"?fbclid=2&a=1", "?a=1"},
		{"?a=1&fbclid=2&b=3", "?a=1&b=3"},
		{"?fbclid&a&utm_x&b&sid", "?a&b"},
		{"?fbclid&&utm_x", "?"},
		{"?a&&fbclid&", "?a&&"},
		{"?utm%5Fsource=x&a", "?a"},
		{"?%66bclid=x&a", "?a"},
		{"?na%C3%AFve=1", "?na%C3%AFve=1"}, // patterns are in canonical spelling
		{"?a=fbclid", "?a=fbclid"},
		{"?a;fbclid=1", "?a;fbclid=1"}, // ";" is no separator today
		{"?a#?fbclid", "?a"},
	}
	o := Options{DropParams: drop}
	r := NewResolver(o)
	for _, tt := range tests {
		raw, want := "http://shop.test/p"+tt.query, "http://shop.test/p"+tt.want
		base := mustParse(t, raw)
		r.SetBase(base)
		for name, do := range map[string]func() (URL, error){
			"Parse":                    func() (URL, error) { return o.Parse(raw) },
			"Parse, not canonical":     func() (URL, error) { return o.Parse(strings.ToUpper(raw[:4]) + raw[4:]) },
			"Resolve, absolute":        func() (URL, error) { return o.Resolve(URL{}, raw) },
			"Resolve, relative":        func() (URL, error) { return o.Resolve(base, "p"+tt.query) },
			"Resolve, the base itself": func() (URL, error) { return o.Resolve(base, "") },
			"Resolver":                 func() (URL, error) { return r.Resolve([]byte("/p" + tt.query)) },
			"Resolver, the base itself": func() (URL, error) {
				return r.Resolve([]byte("#x"))
			},
			"twice": func() (URL, error) { return o.Parse(want) },
		} {
			if u, err := do(); err != nil || u.String() != want {
				t.Errorf("%s: %s: %v, %v, want %s", name, raw, u, err, want)
			}
		}
	}
	all := Options{DropParams: []string{"*"}}
	for _, q := range []string{"?", "?a", "?a&b=1&&"} {
		if u, err := all.Parse("http://shop.test/" + q); err != nil || u.String() != "http://shop.test/" {
			t.Errorf("all dropped of %q: %v, %v", q, u, err)
		}
	}
}
