package graph

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.example.com/a/b?c=d#e": "com,example,www)/a/b?c=d#e",
		"https://example.com":               "com,example)",
		"https://example.com?q":             "com,example)?q",
		"http://example.com:8080/":          "com,example:8080)/\x01",
		"ftp://ftp.example.com/a":           "com,example,ftp)/a\x01ftp",
		"https://localhost:80/":             "localhost:80)/",
		"http://127.0.0.1:80/x":             "127.0.0.1:80)/x\x01",
		"https://[2001:db8::1]:443/":        "[2001:db8::1]:443)/",
		"https://a..b/":                     "b,,a)/",
		"https://example.com./":             "example.com.)/",
		"https://.x/":                       "x,)/",
		"https:///":                         ")/",
		"https://user@a.b/":                 "(https://user@a.b/",
		"https://a,b/":                      "(https://a,b/",
		"mailto:a@b.c":                      "(mailto:a@b.c",
		"https://a.b/(x),@y)":               "b,a)/(x),@y)",
		"":                                  "(",
	} {
		key, err := appendKey(nil, url)
		if err != nil || string(key) != want || urlOf(string(key)) != url {
			t.Errorf("%s: key %q, back %q, %v, want %q", url, key, urlOf(string(key)), err, want)
		}
	}
	for _, url := range []string{"https://a.b/\n", "https://a.b/" + strings.Repeat("x", MaxURL)} {
		if _, err := appendKey(nil, url); err == nil {
			t.Errorf("%.20q is accepted", url)
		}
	}
}

// FuzzKey has every URL come back from its key.
func FuzzKey(f *testing.F) {
	for _, url := range []string{"https://www.example.com/a?b", "http://a.b:1:2/)\x01", "x://,/", "(", "://a.1.b"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		key, err := appendKey(nil, url)
		if err == nil && urlOf(string(key)) != url {
			t.Errorf("%q: key %q, back %q", url, key, urlOf(string(key)))
		}
	})
}

// siteURLs are n URLs of a few hosts, in SURT order.
func siteURLs(n int) []string {
	keys := map[string]string{}
	r := rnd(8)
	for len(keys) < n {
		host := []string{"a.example.com", "b.example.com", "example.com:81", "example.org"}[r.IntN(4)]
		url := "https://" + host + "/" + strings.Repeat("d/", r.IntN(3)) + string(rune('a'+r.IntN(26))) + strings.Repeat("é", r.IntN(5)) + string(rune('0'+r.IntN(10)))
		key, _ := appendKey(nil, url)
		keys[string(key)] = url
	}
	order := make([]string, 0, n)
	for key := range keys {
		order = append(order, key)
	}
	slices.Sort(order)
	for i, key := range order {
		order[i] = keys[key]
	}
	return order
}

// writeURLs writes a list of URLs and returns its name.
func writeURLs(t testing.TB, urls []string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list.urls")
	w, err := newURLsWriter(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		key, err := appendKey(nil, url)
		if err != nil {
			t.Fatal(err)
		}
		w.add(key)
	}
	if err := w.commit(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestURLs(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 1000} {
		want := siteURLs(n)
		u, err := OpenURLs(writeURLs(t, want))
		if err != nil || u.Len() != n {
			t.Fatalf("%d URLs: %v", n, err)
		}
		for i, url := range want {
			if got, err := u.At(i); got != url || err != nil {
				t.Fatalf("%d URLs: %d is %q, %v, want %q", n, i, got, err, url)
			}
			if got, ok, err := u.Find(url); got != i || !ok || err != nil {
				t.Fatalf("%d URLs: %q is found at %d, %v, %v, want %d", n, url, got, ok, err, i)
			}
			for _, other := range []string{url + "!", url[:len(url)-1] + "\x7f"} {
				if _, ok, err := u.Find(other); ok || err != nil {
					t.Fatalf("%d URLs: %q is found, %v", n, other, err)
				}
			}
		}
		for _, i := range []int{-1, n} {
			if _, err := u.At(i); err == nil {
				t.Errorf("%d URLs: there is a URL %d", n, i)
			}
		}
		var text bytes.Buffer
		if err := u.WriteText(&text); err != nil || text.String() != strings.Join(append(want, ""), "\n") {
			t.Errorf("%d URLs: as text %.100q, %v", n, text.String(), err)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestURLsDamaged changes each byte of a list: opening or reading it must fail.
func TestURLsDamaged(t *testing.T) {
	data := load(t, writeURLs(t, siteURLs(70)))
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		if err := readURLs(damaged); err == nil {
			t.Errorf("byte %d of %d: the damage is not noticed", i, len(data))
		}
		if err := readURLs(data[:i]); err == nil {
			t.Errorf("cut to %d of %d bytes: the damage is not noticed", i, len(data))
		}
	}
}

// readURLs opens a list in memory and reads all of it.
func readURLs(data []byte) error {
	u := &URLs{name: "memory"}
	if err := u.parse(data); err != nil {
		return err
	}
	last := -1
	err := u.All(func(node int, _ string) bool {
		last = node
		return true
	})
	if err == nil && last != u.n-1 {
		panic("All left out URLs")
	}
	return err
}

// FuzzURLs reads damaged lists; it may fail, but not panic.
func FuzzURLs(f *testing.F) {
	for _, n := range []int{0, 5, 70} {
		f.Add(load(f, writeURLs(f, siteURLs(n))), "https://example.com/")
	}
	f.Fuzz(func(t *testing.T, data []byte, url string) {
		u := &URLs{name: "memory"}
		if u.parse(data) != nil {
			return
		}
		_ = readURLs(data)
		for node := range min(u.Len(), 100) {
			_, _ = u.At(node)
		}
		_, _, _ = u.Find(url)
	})
}

func TestOpenURLsOfAnotherGraph(t *testing.T) {
	base := store(t, adjacency{nil, nil}, DefaultParams())
	if err := os.Rename(writeURLs(t, siteURLs(3)), base+extURLs); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(base); err == nil || !strings.Contains(err.Error(), "3 URLs for 2 nodes") {
		t.Error(err)
	}
}
