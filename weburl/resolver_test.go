package weburl

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// page is a base URL with the references of a real page, in order.
type page struct {
	base URL
	refs [][]byte
}

// readPages reads testdata/links.txt: "base URL" begins a page, each other line
// is one reference.
func readPages(t testing.TB) (pages []page) {
	f, err := os.Open("testdata/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "base "):
			pages = append(pages, page{base: mustParse(t, line[len("base "):])})
		default:
			p := &pages[len(pages)-1]
			p.refs = append(p.refs, []byte(line))
		}
	}
	return pages
}

// The URLs a Resolver returned must not change when it goes on, and must not
// look into the caller's buffer.
func TestResolverResultsStay(t *testing.T) {
	r := NewResolver(Options{})
	buf := make([]byte, 0, 2*MaxLen)
	var got []URL
	var want []string
	for n := range 3000 {
		base := mustParse(t, fmt.Sprintf("http://shop.test/%d/x", n))
		r.SetBase(base)
		for _, ref := range []string{
			"", "#x", fmt.Sprint(n), fmt.Sprintf("é %d", n), "http://other.test/" + strings.Repeat("y", n%700),
			"mailto:x", "/" + strings.Repeat("z ", n*n%2000), // outgrows the chunk
		} {
			buf = append(buf[:0], ref...)
			u, err := r.Resolve(buf)
			expect, expectErr := base.Resolve(ref)
			if (err == nil) != (expectErr == nil) {
				t.Fatalf("%q: error %v, want %v", ref, err, expectErr)
			}
			got, want = append(got, u), append(want, expect.String())
		}
		clear(buf)
	}
	for i := range got {
		if got[i].String() != want[i] {
			t.Fatalf("result %d is %q by now, was %q", i, got[i], want[i])
		}
	}
}

func TestResolverWithoutBase(t *testing.T) {
	r := NewResolver(Options{})
	if u, err := r.Resolve([]byte("http://shop.test")); err != nil || u.String() != "http://shop.test/" {
		t.Errorf("%v, %v", u, err)
	}
	if _, err := r.Resolve([]byte("a")); err != ErrRelative {
		t.Errorf("%v, want the bare ErrRelative", err)
	}
}

func TestResolverRefusesForFree(t *testing.T) {
	r := NewResolver(Options{})
	r.SetBase(mustParse(t, "http://shop.test/"))
	for _, ref := range []string{"mailto:me@shop.test", "javascript:void(0)", "http://", "//h:99999/"} {
		raw := []byte(ref)
		if n := testing.AllocsPerRun(100, func() { r.Resolve(raw) }); n != 0 {
			t.Errorf("%s: %v allocations", ref, n)
		}
	}
}

func TestParseOfCanonicalDoesNotAllocate(t *testing.T) {
	for _, raw := range []string{
		"https://shop.test/", "http://shop.test:8080/a/b/.c?d=e&f=%C3%A9", "http://127.0.0.1:8080/x", "http://[2001:db8::1]:81/",
		"http://shop.test/100%/x?%", "http://shop.test/a#fragment é",
	} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := Parse(raw); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", raw, n)
		}
	}
}

func TestResolverAllocatesOncePerManyLinks(t *testing.T) {
	pages := readPages(t)
	r := NewResolver(Options{})
	links := 0
	allocs := testing.AllocsPerRun(20, func() {
		links = 0
		for _, p := range pages {
			r.SetBase(p.base)
			for _, ref := range p.refs {
				r.Resolve(ref)
				links++
			}
		}
	})
	if perLink := allocs / float64(links); perLink > 0.05 {
		t.Errorf("%.3f allocations a link over %d links", perLink, links)
	}
}
