package gate

import (
	"testing"

	"crawler/dedup"
	"crawler/weburl"
)

// By hand: the segments of https://h/a/b?q are the host, a, b and q; with two layers the filter
// knows the prefixes https://h and https://h/a.
func TestNewAt(t *testing.T) {
	for _, c := range []struct {
		url    string
		layers int
		known  int
		want   string
	}{
		{"https://h/a/b?q", 4, 0, "host"}, {"https://h/a/b?q", 4, 1, "directory"}, {"https://h/a/b?q", 4, 2, "file"}, {"https://h/a/b?q", 4, 3, "query"},
		{"https://h/a/b?q", 2, 2, "deeper"}, {"https://h/a/b?q", 2, 1, "directory"}, {"https://h/a/b?q", 3, 3, "query"},
		{"https://h/a/b", 2, 2, "file"}, {"https://h/a/b", 1, 1, "deeper"}, {"https://h/a/b/", 4, 3, "file"}, {"https://h/a/b/", 4, 2, "directory"},
		{"https://h/", 4, 0, "host"}, {"https://h/", 4, 1, "file"}, {"https://h/?", 4, 1, "file"}, {"https://h/?", 4, 2, "query"},
		{"https://h:8443/x", 0, 0, "host"},
	} {
		u, err := weburl.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []bool{true, false} {
			at := newAt(u, dedup.KnownPrefix{Segments: c.known, Exact: exact}, c.layers)
			if at.Part() != c.want || (at&Estimated == 0) != exact {
				t.Errorf("%s, %d segments known of %d: %s (%d), want %s", u, c.known, c.layers, at.Part(), at, c.want)
			}
		}
	}
	if NewAt(0).Part() != "" || NewAt(99).Part() != "" || Estimated.Part() != "" {
		t.Error("what is no part has a name")
	}
}

func TestNewAtCounts(t *testing.T) {
	var c NewAtCounts
	for _, n := range []NewAt{AtHost, AtDirectory, AtFile | Estimated, AtFile, AtQuery, AtDeeper | Estimated} {
		c.add(n)
	}
	if want := (NewAtCounts{Host: 1, Directory: 1, File: 2, Query: 1, Deeper: 1, Estimated: 2}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}
