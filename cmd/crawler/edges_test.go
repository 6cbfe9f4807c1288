package main

import "testing"

// --edges alone is what it was as a switch; a configuration file and the crawl.json of
// an older crawl may still say true and false.
func TestEdgesFlag(t *testing.T) {
	for _, c := range []struct {
		args []string
		want edges
		text string
	}{
		{nil, "", "false"}, {[]string{"--edges"}, edgesJSONL, "jsonl"}, {[]string{"--edges=jsonl"}, edgesJSONL, "jsonl"},
		{[]string{"--edges=csv"}, edgesCSV, "csv"}, {[]string{"--edges=true"}, edgesJSONL, "jsonl"}, {[]string{"--edges", "--edges=false"}, "", "false"},
	} {
		o, f := newSettings()
		if err := f.Parse(c.args); err != nil || o.edges != c.want || o.edges.String() != c.text {
			t.Errorf("%v: %q, %v", c.args, o.edges, err)
		}
	}
	_, f := newSettings()
	if err := f.Parse([]string{"--edges=xml"}); err == nil {
		t.Error("--edges=xml is taken")
	}
}
