package report

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/parse"
	"crawler/store"
	"crawler/weburl"
)

func TestEdges(t *testing.T) {
	link := func(s string, kind parse.LinkKind, nofollow bool) parse.Link {
		u, err := weburl.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return parse.Link{URL: u, Kind: kind, NoFollow: nofollow}
	}
	path := t.TempDir()
	dir := create(t, store.Disk(), path, false)
	r, err := NewRecorder(Config{Dir: dir, Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	leaf, moved := visit(t, "http://a.example/leaf", 200), visit(t, "http://a.example/new", 200)
	moved.Page.Links = []parse.Link{
		link("http://a.example/x?a='b'&c={d}", parse.Anchor, false),
		link("http://b.example/é", parse.Canonical, true),
	}
	if err := errors.Join(r.Page(leaf), r.Redirect(hop(t, "http://a.example/old\"", "http://a.example/new")),
		r.Redirect(hop(t, "http://a.example/nowhere", "")), r.Page(moved), dir.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(path, EdgesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []EdgeRecord{
		{URL: "http://a.example/leaf", Links: []Edge{}},
		{URL: "http://a.example/old%22", Links: []Edge{{URL: "http://a.example/new", Kind: "redirect"}}},
		{URL: "http://a.example/new", Links: []Edge{
			{URL: moved.Page.Links[0].URL.String()},
			{URL: "http://b.example/%C3%A9", Kind: "canonical", NoFollow: true},
		}},
	}
	read := json.NewDecoder(f)
	for i := range want {
		var got EdgeRecord
		if err := read.Decode(&got); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("line %d: %+v, want %+v (%v)", i, got, want[i], err)
		}
	}
	if read.More() {
		t.Error("more lines than pages")
	}
}

// parsed is a visit of a page that says so.
func parsed(t *testing.T, html string) *crawl.Visit {
	t.Helper()
	v := visit(t, "http://a.example/page", 200)
	in := parse.Input{URL: v.URL, ContentType: "text/html; charset=utf-8", Body: []byte(html)}
	if err := parse.New(parse.Options{Anchors: true}).Parse(in, &v.Page); err != nil {
		t.Fatal(err)
	}
	return v
}

// Text and rel stand in the record as the page has them, escaped where they must be.
func TestEdgesOfText(t *testing.T) {
	v := parsed(t, `<a href=1 rel="UGC nofollow">a "b" \ &lt;c&gt;</a><a href=2>Größe 日本　語</a><a href=3>a&#x200b;b&#xfffd;</a><a href=4 rel=x></a>`)
	line := string(appendEdges(nil, v))
	for _, want := range []string{
		`{"url":"http://a.example/1","nofollow":true,"text":"a \"b\" \\ <c>","rel":"ugc nofollow"}`,
		`{"url":"http://a.example/2","text":"Größe 日本　語"}`, `{"url":"http://a.example/3","text":"a\u200bb` + "\ufffd" + `"}`, `{"url":"http://a.example/4","rel":"x"}`,
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%s\nlacks %s", line, want)
		}
	}
	var got EdgeRecord
	if err := json.Unmarshal([]byte(line), &got); err != nil || len(got.Links) != 4 {
		t.Fatalf("%v, %+v", err, got)
	}
	for i, e := range got.Links {
		if text, rel := v.Page.Anchor(&v.Page.Links[i]); e.Text != text || e.Rel != rel {
			t.Errorf("%+v, want %q %q", e, text, rel)
		}
	}
}
