package sheet

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	for name, want := range map[string]string{
		"URLs": "urls", "answered \"seen\"": "answered_seen", "bits a URL": "bits_a_url", "p99": "p99", " - ": "", "Größe": "gr_e", "a_b": "a_b",
	} {
		if got := snake(name); got != want {
			t.Errorf("the key of %q is %q, want %q", name, got, want)
		}
	}
	table := Table{Columns: []Column{{Name: "a"}, {Name: "A"}, {Name: "a 2"}, {Name: "größe", Key: "size"}, {Name: "%"}, {Name: ""}}}
	if got, want := table.keys(), []string{"a", "a_2", "a_2_2", "size", "column", "column_2"}; !slices.Equal(got, want) {
		t.Errorf("keys are %v, want %v", got, want)
	}
}

// A section's ID is the same whatever was measured.
func TestIDs(t *testing.T) {
	s := Sheet{Sections: []Section{
		{Title: "Memory for 180,000 URLs: 16 bits a URL"}, {Title: "Memory for 90 URLs: 8 bits a URL"}, {Title: "17"}, {ID: "Top 10", Title: "x"},
	}}
	if got, want := s.ids(), []string{"memory_for_urls_bits_a_url", "memory_for_urls_bits_a_url_2", "section", "top_10"}; !slices.Equal(got, want) {
		t.Errorf("IDs are %v, want %v", got, want)
	}
}

// The order of keys is that of columns and settings: it helps who reads the JSON.
func TestJSONIsInOrder(t *testing.T) {
	s := &Sheet{
		Title: "T", Config: []Setting{{"seed", uint64(1 << 63)}, {"bits a URL", 16.0}, {"bits a URL", nil}},
		Sections: []Section{{Title: "S", Table: &Table{Columns: []Column{{Name: "z"}, {Name: "a"}}, Rows: [][]Cell{{1, "x", "beyond"}, {2}, {}}}}, {Table: &Table{Rows: [][]Cell{{1}}}}},
	}
	got, err := json.Marshal(s)
	want := `{"title":"T","config":{"seed":9223372036854775808,"bits_a_url":16,"bits_a_url_2":null},"sections":[` +
		`{"id":"s","title":"S","table":{"columns":[{"key":"z","name":"z"},{"key":"a","name":"a"}],"rows":[{"z":1,"a":"x"},{"z":2,"a":null},{"z":null,"a":null}]}},` +
		`{"id":"section","title":"","table":{"columns":[],"rows":[{}]}}]}`
	if err != nil || string(got) != want {
		t.Errorf("JSON is\n%s, %v, want\n%s", got, err, want)
	}
	if s.Sections[0].ID != "" || s.Sections[0].Table.Columns[0].Key != "" {
		t.Error("the sheet was changed")
	}
}

func TestConfigIsShown(t *testing.T) {
	s := &Sheet{Title: "T", Config: []Setting{{"seed", uint64(1_234_567)}, {"URLs", 180_000}}}
	var b strings.Builder
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	if want := "T\n=\nsetting    value\n-------  -------\nseed     1234567\nURLs     180,000\n"; b.String() != want {
		t.Errorf("text is %q, want %q", b.String(), want)
	}
	if text := render(t, s); !strings.Contains(text, `<td>URLs</td><td class="n">180,000</td>`) {
		t.Errorf("the page is %s", text)
	}
}
