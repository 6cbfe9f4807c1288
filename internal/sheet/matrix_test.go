package sheet

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// By hand: counts up to 32 have shades from 1, 2, 4, 8 and 16 on; runs of one shade are one piece.
func TestMatrix(t *testing.T) {
	m := &Matrix{Title: "links <here>", X: "to", Y: "from", Cells: [][]int64{{0, 1, 1}, {32, 0, 3}, {0, 0, 0}}}
	s := &Sheet{Title: "t", Sections: []Section{{Title: "picture", Matrix: m}}}
	var page, text bytes.Buffer
	if err := s.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`viewBox="0 0 3 3"`, `d="M1 0h2v1h-2z"`, `fill-opacity:0.20`, `fill-opacity:1.00" d="M0 1h1v1h-1z"`, `fill-opacity:0.40" d="M2 1h1v1h-1z"`,
		"links &lt;here&gt;", "begin at 1, 2, 4, 8, 16;",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in\n%s", want, page.String()[strings.Index(page.String(), "<section"):])
		}
	}
	if err := s.Text(&text); err != nil || strings.Contains(text.String(), "links") {
		t.Errorf("%v\n%s", err, text.String())
	}
	data, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(data), `"matrix":{"title":"links \u003chere\u003e","x":"to","y":"from","size":3,"cells":[[0,1,1],[0,2,1],[1,0,32],[1,2,3]]}`) {
		t.Errorf("%s, %v", data, err)
	}
	for _, cells := range [][][]int64{nil, {{0}}, {{1}}} {
		var b bytes.Buffer
		if err := (&Sheet{Sections: []Section{{Matrix: &Matrix{Cells: cells}}}}).HTML(&b); err != nil {
			t.Errorf("%v: %v", cells, err)
		}
	}
}
