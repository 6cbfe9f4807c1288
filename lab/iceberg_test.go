package lab

import (
	"reflect"
	"strings"
	"testing"

	"crawler/internal/sheet"
)

// {A, A, B, C, C} of the source: more than once occur A and C. By hand, with room for all.
func TestIcebergByHand(t *testing.T) {
	s, err := Iceberg(t.Context(), IcebergConfig{Path: "-", In: strings.NewReader("A\nA\n\nB\r\nC\n C \n"), Lines: true, Over: 1, Bytes: 64, Ask: []string{"A", "B", "Z"}})
	if err != nil {
		t.Fatal(err)
	}
	found := section(t, s, "found")
	if len(found.Table.Rows) != 2 || found.Table.Rows[0][1] != int64(2) || found.Table.Rows[1][2] != int64(2) {
		t.Errorf("%v", found.Table.Rows)
	}
	for i, want := range []int64{2, 1, 0} {
		if row := section(t, s, "counts").Table.Rows[i]; row[1] != want || row[2] != want || row[3] != want {
			t.Errorf("%v, want %d", row, want)
		}
	}
	if row := section(t, s, "thresholds").Table.Rows[0]; !reflect.DeepEqual(row[2:], []sheet.Cell{2, 2, 0, 0}) {
		t.Errorf("%v", row)
	}
}

// Minimum selection and minimal increase never miss, whatever the memory and the seed; what the
// table says is what was counted.
func TestIcebergNeverMisses(t *testing.T) {
	for seed := range uint64(5) {
		s, err := Iceberg(t.Context(), IcebergConfig{Path: "-", In: strings.NewReader(zipf()), Over: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		added := 0
		for _, row := range section(t, s, "memory").Table.Rows {
			over, answered, missed := row[2].(int), row[3].(int), row[4].(int)
			if over != 272 || answered != over-missed+row[5].(int) {
				t.Errorf("%v: 3000/i is over 10 for i up to 272", row)
			}
			if row[1] != "recurring minimum" && (missed != 0 || row[7].(float64) != 0) {
				t.Errorf("seed %d: %v misses", seed, row)
			}
			added += row[5].(int)
		}
		if added == 0 {
			t.Error("with a byte a key nothing is added")
		}
	}
}

func TestIcebergRefuses(t *testing.T) {
	for _, c := range []struct {
		of   IcebergConfig
		want string
	}{
		{IcebergConfig{Path: "-", In: strings.NewReader("")}, "nothing to count"},
		{IcebergConfig{Path: "-", In: strings.NewReader("\n\n"), Lines: true}, "nothing to count"},
		{IcebergConfig{Path: "no/such/file", Lines: true}, "no such file"},
		{IcebergConfig{Path: "no/such/file"}, "no such file"},
		{IcebergConfig{Path: "-", Over: -1}, "Over is -1"},
		{IcebergConfig{Path: "-", Bytes: 300}, "Bytes is 300"},
	} {
		if _, err := Iceberg(t.Context(), c.of); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.of, err)
		}
	}
}
