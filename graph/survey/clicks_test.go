package survey

import (
	"reflect"
	"testing"

	"crawler/graph"
	"crawler/parse"
)

// A site of which everything is known.
func TestClicks(t *testing.T) {
	s := built(t, Config{Dir: small(t)})
	sh, err := s.Clicks(t.Context(), ClicksConfig{Deeper: 2})
	if err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string][][]any{
		"Summary": {
			{"pages (HTML, status 200 to 299)", 9}, {"pages deeper than 2 clicks", 2}, {"pages that no clicks lead to", 1},
			{"orphans: pages that no other page links to", 1}, {"sinks: pages without links", 1}, {"broken links: URLs that lead to an error", 3},
			{"links to them", 4}, {"redirects that are linked", 3}, {"links to redirects", 3}, {"chains of redirects", 1}, {"loops of redirects", 1},
		},
		"Clicks from the seeds":      {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {4, 1}},
		"Pages deeper than 2 clicks": {{4, "http://h/d"}, {3, "http://h/c"}},
		"Orphans":                    {{"http://h/orphan"}},
		"Sinks":                      {{"http://h/d"}},
		"Broken links": {
			{"http://h/gone", "404", 2, "http://h/", "anchor", nil}, {"http://h/gone", "404", 2, "http://h/a", "anchor", nil},
			{"http://h/down", "failed: timeout", 1, "http://h/b", "anchor", nil},
			{"http://h/loop", "failed: redirect-loop", 1, "http://h/a", "anchor", nil},
		},
		"Links to redirects": {
			{"http://h/moved", 1, "http://h/moved-to", "200", 1, "http://h/a"},
			{"http://h/old", 1, "http://h/new", "200", 1, "http://h/"},
			{"http://h/r1", 2, "http://h/e", "200", 1, "http://h/a"},
		},
		"Redirect chains": {{2, "http://h/r1 -> http://h/r2 -> http://h/e", "200"}},
		"Redirect loops":  {{1, "http://h/loop -> http://h/loop"}},
	} {
		columns := []int{0, 1, 2, 3, 4, 5}
		if title == "Clicks from the seeds" {
			columns = columns[:2]
		}
		if got := table(t, sh, title, columns...); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", title, got, want)
		}
	}
	limited, err := s.Clicks(t.Context(), ClicksConfig{Deeper: 0, Limit: 2, Linkers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := table(t, limited, "Broken links", 0, 3); !reflect.DeepEqual(got, [][]any{{"http://h/gone", "http://h/"}, {"http://h/down", "http://h/b"}}) {
		t.Errorf("two targets with a linker each: %v", got)
	}
	if got := table(t, limited, "Pages deeper than 0 clicks", 0); len(got) != 2 {
		t.Errorf("two pages: %v", got)
	}
}

// A broken link is reported as it stands in the page, with where it ends and which page has it,
// of whatever kind; chains and loops are reported in full, and a loop once.
func TestBrokenLinksOfAllKinds(t *testing.T) {
	r := newRecorded(t)
	at := func(path string) parse.Link { return link(t, "http://h/"+path) }
	home := r.page("http://h/", 200, "http://h/a", "http://h/in", "http://h/no")
	home.Via, home.Depth = "", 0
	for path, kind := range map[string]parse.LinkKind{"img": parse.Asset, "canon": parse.Canonical} {
		l := at(path)
		l.Kind = kind
		home.Page.Links = append(home.Page.Links, l)
	}
	hidden := at("img")
	hidden.NoFollow, hidden.Kind = true, parse.Asset
	home.Page.Links = append(home.Page.Links, hidden)
	sitemap := r.page("http://h/s.xml", 200)
	sitemap.MediaType = "text/xml"
	entry := at("entry")
	entry.Kind = parse.Entry
	sitemap.Page.Links = []parse.Link{entry}
	seed := r.page("http://h/seed", 500)
	seed.Via = ""
	r.add(home, sitemap, seed, r.page("http://h/end", 410), r.page("http://h/img", 404), r.page("http://h/canon", 404), r.page("http://h/entry", 404))
	for from, to := range map[string]string{"a": "b", "b": "c", "c": "end", "in": "l1", "l1": "l2", "l2": "l3", "l3": "l1", "no": "no2", "no2": ""} {
		if to != "" {
			to = "http://h/" + to
		}
		r.redirect("http://h/"+from, to)
	}
	sh, err := built(t, Config{Dir: r.end()}).Clicks(t.Context(), ClicksConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string][][]any{
		"Broken links": {
			{"http://h/a", "410", 1, "http://h/", "anchor", "http://h/end"},
			{"http://h/canon", "404", 1, "http://h/", "canonical", nil},
			{"http://h/entry", "404", 1, "http://h/s.xml", "entry", nil},
			{"http://h/img", "404", 1, "http://h/", "asset", nil},
			{"http://h/in", "failed: redirect-loop", 1, "http://h/", "anchor", nil},
			{"http://h/no", "failed: redirect-nowhere", 1, "http://h/", "anchor", "http://h/no2"},
			{"http://h/seed", "500", 0, nil, nil, nil},
		},
		"Redirect chains": {{3, "http://h/a -> http://h/b -> http://h/c -> http://h/end", "410"}},
		"Redirect loops":  {{3, "http://h/l1 -> http://h/l2 -> http://h/l3 -> http://h/l1"}},
	} {
		if got := table(t, sh, title, 0, 1, 2, 3, 4, 5); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", title, got, want)
		}
	}
}

// What became of each URL, and which links count.
func TestNodes(t *testing.T) {
	dir := small(t)
	s := built(t, Config{Dir: dir})
	for url, want := range map[string]string{
		"http://h/": "200", "http://h/gone": "404", "http://h/old": "redirect", "http://h/r2": "redirect", "http://h/moved": "redirect",
		"http://h/loop": "failed: redirect-loop", "http://h/down": "failed: timeout", "http://x.example/": "refused: scope",
		"http://h/hidden": "refused: nofollow",
	} {
		if node, ok, err := s.Find(url); err != nil || !ok || s.nodes.at(node).String() != want {
			t.Errorf("%s: %v, %v, %v; want %s", url, ok, err, s.nodes.at(node), want)
		}
	}
	if _, ok, _ := s.Find("http://h/canon"); ok {
		t.Error("a canonical link counts")
	}
	if m := s.Manifest; m.Nodes != 19 || m.Outcomes["page"] != 11 || m.Outcomes["redirect"] != 5 || m.Outcomes["refused"] != 2 {
		t.Errorf("%+v", m)
	}
	kinds, err := ParseKinds([]string{"nofollow", "canonical"})
	if err != nil {
		t.Fatal(err)
	}
	all := built(t, Config{Dir: dir, Include: kinds, Params: graph.Params{Window: 3, MaxRefs: -1, MinInterval: 4, ZetaK: 2}, Memory: 4 << 20})
	if all.Manifest.Links != s.Manifest.Links+2 || all.Manifest.Nodes != s.Manifest.Nodes+1 {
		t.Errorf("two more links: %+v", all.Manifest)
	}
	if m := all.Manifest; !reflect.DeepEqual(m.Include, []string{"nofollow", "canonical"}) || m.Params().MaxRefs != -1 {
		t.Errorf("%+v", m)
	}
	canon, ok, err := all.Find("http://h/canon")
	if err != nil || !ok || all.nodes.at(canon).String() != "no record" {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestKinds(t *testing.T) {
	all, err := ParseKinds([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseKinds(all.Names())
	if err != nil || len(again.Names()) != len(KindNames())-1 {
		t.Errorf("%v, %v", again.Names(), err)
	}
	if _, err := ParseKinds([]string{"anchors"}); err == nil {
		t.Error("anchors was taken")
	}
}
