package weburl

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// checkResolved holds what must be true of every reference: the fast paths and
// the Resolver say what the slow path says, and a result is canonical.
func checkResolved(t *testing.T, base URL, ref string) (URL, error) {
	t.Helper()
	want, wantErr := slowOnly(base, ref)
	got, err := base.Resolve(ref)
	if got != want || (err == nil) != (wantErr == nil) {
		t.Fatalf("%q on %q: %q, %v; by the slow path %q, %v", ref, base, got, err, want, wantErr)
	}
	r := NewResolver(Options{})
	r.SetBase(base)
	if u, err := r.Resolve([]byte(ref)); u != want || err != wantErr {
		t.Fatalf("%q on %q: Resolver says %q, %v; the slow path %q, %v", ref, base, u, err, want, wantErr)
	}
	if err == nil {
		checkCanonical(t, got)
	}
	return got, err
}

// checkCanonical holds what must be true of every URL.
func checkCanonical(t *testing.T, u URL) {
	t.Helper()
	s := u.String()
	again, err := Parse(s)
	if err != nil || again != u {
		t.Fatalf("%q parses as %q, %v: not canonical, or parts are wrong: %+v, %+v", s, again, err, u, again)
	}
	if slow, err := slowOnly(URL{}, s); err != nil || slow != u {
		t.Fatalf("%q parses slowly as %q, %v", s, slow, err)
	}
	if elsewhere, err := someBase.Resolve(s); err != nil || elsewhere != u {
		t.Fatalf("%q on another page is %q, %v", s, elsewhere, err)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '#' {
			t.Fatalf("%q holds %q", s, s[i])
		}
	}
	if len(s) > MaxLen || strings.Contains(u.Origin(), "@") {
		t.Fatalf("%q is too long or holds user info", s)
	}
	checkParts(t, u)
}

var someBase = URL{s: "https://some.test/where/else?", host: 17, path: 17, query: 28}

// checkParts puts the parts together again.
func checkParts(t *testing.T, u URL) {
	t.Helper()
	s := u.Scheme() + "://"
	if strings.Contains(u.Hostname(), ":") {
		s += "[" + u.Hostname() + "]"
	} else {
		s += u.Hostname()
	}
	if u.Port() != "" {
		s += ":" + u.Port()
	}
	s += u.Path()
	if u.HasQuery() {
		s += "?" + u.Query()
	}
	segments := slices.Collect(u.Segments)
	joined := strings.Join(segments, "/")
	if u.HasQuery() {
		last := len(segments) - 1
		joined = strings.Join(segments[:last], "/") + segments[last]
	}
	if s != u.String() || joined != u.String() || u.Origin()+u.RequestURI() != u.String() || u.Scheme()+"://"+u.Host() != u.Origin() {
		t.Fatalf("%q falls into parts that make %q, segments %q", u, s, segments)
	}
	for i, segment := range strings.Split(u.Path(), "/") {
		if i == 0 && segment != "" || segment == "." || segment == ".." {
			t.Fatalf("%q has the path segment %q", u, segment)
		}
	}
}

// hostileRefs are made to hurt a reader: long, deep, nearly something else.
var hostileRefs = []string{
	"http://" + strings.Repeat("a.", 600) + "test/", "http://" + strings.Repeat("%61", 400) + ".test/", "http://xn--" + strings.Repeat("a", 60) + ".test/",
	"http://h.test/" + strings.Repeat("../", 500), "http://h.test/" + strings.Repeat("a/%2e%2e/", 500), "http://h.test/?" + strings.Repeat("a=b&", 500),
	"http://h.test/" + strings.Repeat("%", 500), strings.Repeat("http:", 500), strings.Repeat("/", 500), strings.Repeat("\\", 500), strings.Repeat("@", 500),
	"http://" + strings.Repeat("[", 100), "http://[" + strings.Repeat(":", 100) + "]/", "http://1" + strings.Repeat(".1", 100) + "/", "http://0x" + strings.Repeat("f", 100) + "/",
	strings.Repeat("\t\n\r", 100) + "x", "\x00\x1bjava\nscript:x", "http://h.test\\@evil.test/", "http://h.test:80:80@evil.test/", "http://127.0.0.1.:80/", "http://①②⑦.0.0.1/",
	"http://h\u00ad.test/", "http://h\u2024test/", "http://ℌ.test/", "http://\U000e0001.test/", "\xff\xfe", "http://h.test/\xed\xa0\x80",
}

func FuzzParse(f *testing.F) {
	for _, r := range readRows(f) {
		f.Add(r.input)
	}
	for _, ref := range hostileRefs {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := Parse(raw)
		resolved, resolveErr := checkResolved(t, URL{}, raw)
		if u != resolved || (err == nil) != (resolveErr == nil) {
			t.Fatalf("%q: Parse says %q, %v; Resolve without base %q, %v", raw, u, err, resolved, resolveErr)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, r := range readRows(f) {
		f.Add(r.base, r.input)
	}
	for _, ref := range hostileRefs {
		f.Add("http://h.test/a/b?c", ref)
		f.Add(ref, "../x")
	}
	f.Fuzz(func(t *testing.T, rawBase, ref string) {
		base, err := Parse(rawBase)
		if err != nil {
			t.Skip()
		}
		u, err := checkResolved(t, base, ref)
		if cleaned, cleanErr := clean(ref); cleanErr != nil || !absolute(cleaned) {
			return
		}
		if p, parseErr := Parse(ref); p != u || (parseErr == nil) != (err == nil) {
			t.Fatalf("absolute %q: Parse says %q, %v; Resolve %q, %v", ref, p, parseErr, u, err)
		}
	})
}

// absolute reports whether ref is absolute on every page; "http:x" is not on
// http pages.
func absolute(ref string) bool {
	rest, scheme := cutScheme(ref)
	return scheme == schemeOther || scheme != schemeNone && strings.HasPrefix(rest, "//")
}

func FuzzDropParams(f *testing.F) {
	f.Add("http://shop.test/?utm_source=x&a=1#f", "utm_*")
	f.Add("http://shop.test/?a=1&&b", "a")
	f.Add("http://shop.test/?", "*")
	f.Fuzz(func(t *testing.T, raw, pattern string) {
		plain, err := Parse(raw)
		o := Options{DropParams: []string{pattern}}
		u, dropErr := o.Parse(raw)
		if err != nil || dropErr != nil {
			tooLong := errors.Is(err, ErrTooLong) // what is dropped need not fit
			if (err == nil) != (dropErr == nil) && !tooLong && len(raw) < MaxLen {
				t.Fatalf("%q: %v with options, %v without", raw, dropErr, err)
			}
			return
		}
		checkCanonical(t, u)
		if again, err := o.Parse(u.String()); again != u || err != nil {
			t.Fatalf("dropping from %q again: %q, %v", u, again, err)
		}
		if u.Origin() != plain.Origin() || u.Path() != plain.Path() {
			t.Fatalf("%q became %q", plain, u)
		}
		if want := keepParams(plain, pattern); u.RequestURI() != plain.Path()+want {
			t.Fatalf("%q without %q: %q, want query %q", plain, pattern, u, want)
		}
	})
}

// keepParams is dropping said in another way.
func keepParams(u URL, pattern string) string {
	if !u.HasQuery() {
		return ""
	}
	kept := slices.DeleteFunc(strings.Split(u.Query(), "&"), func(param string) bool {
		name, _, _ := strings.Cut(param, "=")
		if prefix, glob := strings.CutSuffix(pattern, "*"); glob {
			return strings.HasPrefix(name, prefix)
		}
		return name == pattern
	})
	if len(kept) == 0 {
		return ""
	}
	return "?" + strings.Join(kept, "&")
}

// vocabulary of random references: what parsers stumble over, and whole parts.
var vocabulary = strings.Split(`http: https: HTTP: hTTps: http mailto: / / / // \ ? ? # @ : : . . .. ../ ./ /.. /. `+
	`%2e %2E %2f % %% %4 %41 %34 %31 %c3%a9 %C3 %7e ~ - _ [ ] [::1] [1::0:0:2] [::1.2.3.4] 1 0 0x 0x7f 256 1.2.3 127.0.0.1 09 `+
	`:80 :443 :0443 :8080 :65536 é 日本 😀 ß ａ 。 xn-- " ' < > { } | ^ & = + ; a b Z shop.test index.html http:// https:// `+
	`http://h/ //h me:pw@ C:`, " ")

func randomRef(r *rand.Rand) string {
	var s strings.Builder
	s.WriteString([]string{"http://", "https://", "http:", "//", "/", "", "", " ", "\t"}[r.IntN(9)])
	for n := r.IntN(9); n > 0; n-- {
		s.WriteString(vocabulary[r.IntN(len(vocabulary))])
	}
	return s.String()
}

// The fuzz properties over random references, so that every run of the tests
// looks at other ones.
func TestRandomReferences(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	accepted := 0
	for range 50_000 {
		base, err := Parse("http://shop.test/" + randomRef(r))
		if err != nil {
			base = someBase
		}
		if _, err := checkResolved(t, base, randomRef(r)); err == nil {
			accepted++
		}
	}
	if accepted < 20_000 {
		t.Errorf("only %d of 50000 references were accepted: they test little", accepted)
	}
}

// Where a reference is well-formed by RFC 3986, the URL standard and that RFC
// agree, so net/url must say the same.
func TestWellFormedAgreesWithNetURL(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	path := func() string {
		var s strings.Builder
		for n := r.IntN(6); n > 0; n-- {
			s.WriteString(pick("a", "b.html", "..", ".", "c;d=e,f", "%C3%A9", "x:y", "~me", "...", ".d") + pick("/", "/", "/", ""))
		}
		return s.String()
	}
	for range 50_000 {
		rawBase := pick("http", "https") + "://" + pick("a.test", "b.test:81", "10.0.0.7", "[::1]") + "/" + path() + pick("", "?q")
		ref := pick("", "", "", "/", "//c.test/", "https://d.test:8/") + path() + pick("", "", "?", "?x=y/../z") + pick("", "#f")
		if first, _, _ := strings.Cut(ref, "/"); strings.Contains(first, ":") && first != "https:" {
			continue // a scheme, to both
		}
		base := mustParse(t, rawBase)
		b, err := url.Parse(base.String())
		if err != nil {
			t.Fatal(err)
		}
		o, err := b.Parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		o.Fragment, o.RawFragment = "", ""
		got, err := base.Resolve(ref)
		if err != nil || got.String() != o.String() {
			t.Fatalf("%q on %q: %q, %v; net/url says %q", ref, base, got, err, o)
		}
	}
}
