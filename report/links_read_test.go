package report

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crawler/parse"
)

// A byte that is not as it was is found, wherever it is.
func TestDamagedLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	data := new(linkWriter).appendPage(nil, linkedPage(t, rng, 6))
	data = data[:len(data)-1]
	p, drain := new(PageLinks), func(p *PageLinks) error {
		recordOfLinks(p)
		return nil
	}
	if err := p.read(data, drain); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= byte(1 + rng.IntN(255))
		if err := p.read(bad, drain); !errors.Is(err, ErrLinks) {
			t.Errorf("byte %d of %d: %v", i, len(data), err)
		}
		if err := p.read(data[:i], drain); !errors.Is(err, ErrLinks) { // an added line end
			t.Errorf("cut to %d of %d bytes: %v", i, len(data), err)
		}
	}
}

// The last record may be torn, as it is while the crawl runs.
func TestTornLinks(t *testing.T) {
	rng, w := rand.New(rand.NewPCG(3, 4)), new(linkWriter)
	two := w.appendPage(w.appendPage(nil, linkedPage(t, rng, 4)), linkedPage(t, rng, 0))
	three := w.appendPage(bytes.Clone(two), linkedPage(t, rng, 1))
	for n := len(two); n <= len(three); n++ {
		want := 2
		if n == len(three) {
			want = 3
		}
		if got, err := readAll(t, linksIn(t, three[:n])); err != nil || len(got) != want {
			t.Fatalf("cut to %d bytes: %d records, %v", n, len(got), err)
		}
	}
}

// What the reader promises to those who call it.
func TestReadLinks(t *testing.T) {
	if err := ReadLinks(t.TempDir(), nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), LinksFile) {
		t.Errorf("no file: %v", err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var w linkWriter
	var data []byte
	for range 10 {
		data = w.appendPage(data, linkedPage(t, rng, 5))
	}
	broken := endLinkRecord(appendLinkText([]byte{linkRecord | 8}, "http://a.example/"), 0)
	dir := linksIn(t, append(data, broken...))
	pages, stop := 0, errors.New("stop")
	err := ReadLinks(dir, func(p *PageLinks) error {
		pages++
		if pages == 3 {
			return stop
		}
		return nil // and the links are skipped
	})
	if !errors.Is(err, stop) || pages != 3 {
		t.Errorf("%d pages, %v", pages, err)
	}
	pages = 0
	err = ReadLinks(dir, func(p *PageLinks) error { pages++; return nil })
	if !errors.Is(err, ErrLinks) || pages != 10 || !strings.Contains(err.Error(), "record 11") || !strings.Contains(err.Error(), LinksFile) {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// Records from elsewhere are read as the independent reader reads them, or refused.
func FuzzLinks(f *testing.F) {
	var w linkWriter
	for i := range 4 {
		rng := rand.New(rand.NewPCG(9, uint64(i)))
		v := linkedPage(f, rng, 1+3*i)
		v.Page.Links = slices.DeleteFunc(v.Page.Links, func(l parse.Link) bool { return len(l.URL.String()) > 200 })
		b := w.appendPage(nil, v)
		f.Add(b[:len(b)-1-linkSumBytes])
	}
	b := appendRedirect(nil, "http://a.example/", "http://a.example/b")
	f.Add(b[:len(b)-1-linkSumBytes])
	f.Fuzz(func(t *testing.T, body []byte) {
		line := endLinkRecord(bytes.Clone(body), 0)
		line = line[:len(line)-1]
		var got slowRecord
		err := new(PageLinks).read(line, func(p *PageLinks) error {
			got = recordOfLinks(p)
			return nil
		})
		want, errSlow := slowOne(string(line))
		if (err == nil) != (errSlow == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v: %+v\n%+v", err, errSlow, got, want)
		}
		if err != nil && !errors.Is(err, ErrLinks) {
			t.Error(err)
		}
	})
}
