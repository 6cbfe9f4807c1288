package report

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

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
	moved.From = "http://a.example/old\"\u00e9"
	moved.Page.Links = []parse.Link{
		link("http://a.example/x?a='b'&c={d}", parse.Anchor, false),
		link("http://b.example/é", parse.Canonical, true),
	}
	if err := errors.Join(r.Page(leaf), r.Page(moved), dir.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(path, EdgesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []EdgeRecord{
		{URL: "http://a.example/leaf", Links: []Edge{}},
		{URL: "http://a.example/old\"\u00e9", FinalURL: "http://a.example/new", Links: []Edge{
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
