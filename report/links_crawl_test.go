package report

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/store"
)

// A Recorder keeps the links of all pages, and where redirects lead.
func TestRecorderKeepsLinks(t *testing.T) {
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r := recorder(t, Config{Dir: dir})
	page, moved, gone := visit(t, "http://a.example/", 200), visit(t, "http://a.example/new", 200), visit(t, "http://a.example/gone", 404)
	page.Page.Links = []parse.Link{{URL: gone.URL, NoFollow: true}}
	moved.From = "http://a.example/old"
	if err := errors.Join(r.Page(page), r.Page(moved), r.Page(gone), dir.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(t, path)
	want := []slowRecord{
		{0, "http://a.example/", []slowLink{{linkNoFollow, "http://a.example/gone"}}},
		{linkRedirect, "http://a.example/old", []slowLink{{0, "http://a.example/new"}}},
		{0, "http://a.example/new", nil},
		{0, "http://a.example/gone", nil},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Every redirect that a crawl meets is kept: to a page, to one crawled separately, to
// itself, and out of scope.
func TestRedirectsOfACrawl(t *testing.T) {
	redirects := map[string]string{"/moved": "/leaf", "/index": "/", "/loop": "/loop", "/out": "http://b.example/"}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := redirects[r.URL.Path]; to != "" {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			for from := range redirects {
				fmt.Fprintf(w, "<a href=%s>x</a>", from)
			}
		}
	}))
	defer site.Close()
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r := recorder(t, Config{Dir: dir, EdgesCSV: true})
	_, err := crawl.Run(t.Context(), crawl.Config{
		Seeds: []string{site.URL + "/"}, Recorder: r, Gate: gate.Config{IgnoreRobots: true, Frontier: frontier.Config{Delay: frontier.NoDelay}},
	})
	if err := errors.Join(err, dir.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(t, path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	pages := 0
	for _, p := range got {
		if p.flags&linkRedirect == 0 {
			pages++
			continue
		}
		from := strings.TrimPrefix(p.url, site.URL)
		if want := redirects[from]; strings.TrimPrefix(p.links[0].url, site.URL) != want {
			t.Errorf("%s leads to %v, want %s", from, p.links, want)
		}
		rows = append(rows, []string{p.url, p.links[0].url, "redirect", "false", "", ""})
	}
	if pages != 2 || len(rows) != len(redirects) {
		t.Errorf("%d pages and %d redirects of %v", pages, len(rows), got)
	}
	inCSV := slices.DeleteFunc(csvRows(t, path), func(row []string) bool { return row[2] != "redirect" })
	bySource := func(a, b []string) int { return cmp.Compare(a[0], b[0]) }
	slices.SortFunc(rows, bySource)
	slices.SortFunc(inCSV, bySource)
	if !reflect.DeepEqual(inCSV, rows) {
		t.Errorf("edges.csv has %v, want %v", inCSV, rows)
	}
}
