package lab

import (
	"context"
	"math"
	"testing"

	"crawler/internal/sheet"
)

// What is measured is what theory expects, within the scatter of 400 questions, and the sizes that
// a crawl takes keep what is promised of them.
func TestChunksReadWhatTheoryExpects(t *testing.T) {
	s, err := Chunks(context.Background(), ChunksConfig{Pages: 250, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, section := range s.Sections {
		for _, kind := range []string{"present", "absent", "on_1"} {
			got, want := figures(section.Table, "read_"+kind), figures(section.Table, "expected_"+kind)
			for i := range got {
				compared++
				if math.Abs(got[i]-want[i]) > 0.12*want[i]+0.4 {
					t.Errorf("%s, row %d, %s: %.3f %% are read, %.3f expected", section.ID, i, kind, got[i], want[i])
				}
			}
		}
		if len(section.Plots) != 1 || len(section.Plots[0].Lines[0].Points) < 4 {
			t.Errorf("%s has no plot", section.ID)
		}
	}
	if compared < 60 {
		t.Errorf("%d figures were compared", compared)
	}
}

// figures is a column of a table, nil if there is none.
func figures(t *sheet.Table, key string) (list []float64) {
	for i, c := range t.Columns {
		if c.Key != key {
			continue
		}
		for _, row := range t.Rows {
			list = append(list, row[i].(float64))
		}
	}
	return list
}

func TestChunksRefuses(t *testing.T) {
	for _, c := range []ChunksConfig{{Pages: -1}, {Pages: MaxChunkPages + 1}, {Path: "testdata/none"}} {
		if _, err := Chunks(context.Background(), c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
