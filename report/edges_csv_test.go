package report

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"crawler/parse"
	"crawler/store"
)

// csvRows reads edges.csv, but for its header, with a reader that is not ours.
func csvRows(t *testing.T, dir string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, EdgesCSVFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 || !reflect.DeepEqual(rows[0], []string{"source", "target", "kind", "nofollow"}) {
		t.Fatalf("%v, %v", rows, err)
	}
	return rows[1:]
}

func TestEdgesCSV(t *testing.T) {
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r := recorder(t, Config{Dir: dir, EdgesCSV: true})
	leaf, moved := visit(t, "http://a.example/leaf", 200), visit(t, "http://a.example/new,er", 200)
	moved.From = "http://a.example/old,\"er"
	moved.Page.Links = []parse.Link{
		{URL: mustURL(t, "http://a.example/x?a='b',c&d=\"e\"")},
		{URL: mustURL(t, "http://b.example/=1+1"), Kind: parse.Canonical, NoFollow: true},
	}
	if err := errors.Join(r.Page(leaf), r.Page(moved), dir.Close()); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{moved.From, moved.URL.String(), "redirect", "false"},
		{moved.URL.String(), moved.Page.Links[0].URL.String(), "anchor", "false"},
		{moved.URL.String(), "http://b.example/=1+1", "canonical", "true"},
	}
	got := csvRows(t, path)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
