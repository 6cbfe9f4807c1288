package settings

import "testing"

// --edges alone is what it was as a switch; a configuration file and the crawl.json of
// an older crawl may still say true and false.
func TestEdgesFlag(t *testing.T) {
	for _, c := range []struct {
		args []string
		want edges
		text string
	}{
		{nil, "", "false"}, {[]string{"--edges"}, EdgesJSONL, "jsonl"}, {[]string{"--edges=jsonl"}, EdgesJSONL, "jsonl"},
		{[]string{"--edges=csv"}, EdgesCSV, "csv"}, {[]string{"--edges=true"}, EdgesJSONL, "jsonl"}, {[]string{"--edges", "--edges=false"}, "", "false"},
	} {
		o, f := newSettings()
		if err := f.Parse(c.args); err != nil || o.Edges != c.want || o.Edges.String() != c.text {
			t.Errorf("%v: %q, %v", c.args, o.Edges, err)
		}
	}
	_, f := newSettings()
	if err := f.Parse([]string{"--edges=xml"}); err == nil {
		t.Error("--edges=xml is taken")
	}
}
