package dedup

import (
	"fmt"
	"testing"

	"crawler/weburl"
)

// knownBefore is how many of a URL's proper prefixes others had, by definition: in a map.
type knownBefore map[string]bool

func (k knownBefore) admit(u weburl.URL, layers int) (known int) {
	var ends [MaxLayers]uint16
	n := cut(u, layers, &ends)
	for known < n && k[u.String()[:ends[known]]] {
		known++
	}
	for _, end := range ends[:n] {
		k[u.String()[:end]] = true
	}
	return known
}

// someURLs share hosts, directories and files.
func someURLs(t *testing.T, n int) (urls []weburl.URL) {
	t.Helper()
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("http://host%d.example/d%d/e%d/f%d?q=%d", i%7, i%29, i%61, i%211, i))
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, u)
	}
	return urls
}

// Where a URL became new is exact while the log is in memory; from the filter alone, or when a
// part of the log is on disk, a new prefix may pass for a known one, as rarely as its layer errs.
func TestLastKnown(t *testing.T) {
	urls := someURLs(t, 20_000)
	cfg := Config{ExpectURLs: len(urls), Seed: 5}
	memory, err := NewSeenTest(cfg)
	if err != nil {
		t.Fatal(err)
	}
	durable, err := NewDurable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.FilterOnly = true
	alone, err := NewSeenTest(cfg)
	if err != nil {
		t.Fatal(err)
	}
	logged := durable.(*Logged)
	truth, more, layers := knownBefore{}, 0, memory.Config().Layers
	for i, u := range urls {
		want := truth.admit(u, layers)
		memory.Admit(u)
		if got := memory.LastKnown(); got != (KnownPrefix{want, true}) {
			t.Fatalf("%s: %+v, want %d exactly", u, got, want)
		}
		if i == len(urls)/2 {
			logged.Freeze().Written()
		}
		spilled := i >= len(urls)/2
		if p, a := logged.Admit(u); a == Maybe {
			logged.NotFound(p)
		}
		got := logged.LastKnown()
		if got.Segments < want || got.Exact == spilled || !spilled && got.Segments != want {
			t.Fatalf("%s: %+v, want %d, spilled %v", u, got, want, spilled)
		}
		if got.Segments > want {
			more++
		}
		if _, a := alone.Admit(u); a == New {
			if got := alone.LastKnown(); got.Segments < want || got.Exact {
				t.Fatalf("%s, by the filter alone: %+v, want %d", u, got, want)
			}
		}
	}
	if more > len(urls)/100 {
		t.Errorf("%d of %d are estimated too far down", more, len(urls))
	}
}
