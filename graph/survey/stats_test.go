package survey

import (
	"reflect"
	"testing"
)

// Stats says of a small site what is true of it.
func TestStats(t *testing.T) {
	s := built(t, Config{Dir: small(t)})
	sh, err := s.Stats(t.Context(), StatsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"URLs (nodes)": 19, "links (edges)": int64(25), "pages fetched": 11, "pages without links": 3, "URLs without links (dangling)": 6,
		"links of a page to itself": 3, "hosts": 2, "links within a host": int64(24), "links within a directory": int64(23),
	}
	for _, title := range []string{"Size", "Locality"} {
		for _, row := range table(t, sh, title, 0, 1) {
			if w, ok := want[row[0].(string)]; ok && row[1] != w {
				t.Errorf("%v, want %v", row, w)
			}
			delete(want, row[0].(string))
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	weak, strong := 0, 0
	for _, row := range table(t, sh, "Components", 1, 3) {
		if w, ok := row[0].(int); ok {
			weak = max(weak, w)
		}
		strong = max(strong, row[1].(int))
	}
	// All but the hidden URL; home, a, old, new, e, r1, r2, moved, moved-to.
	if weak != 18 || strong != 9 {
		t.Errorf("the largest components have %d and %d URLs", weak, strong)
	}
	if rows := table(t, sh, "Degrees", 0, 1, 2); !reflect.DeepEqual(rows[0][:2], []any{0, 0}) || len(rows) < 3 {
		t.Errorf("degrees %v", rows)
	}
}
